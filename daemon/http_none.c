/* Built without libmicrohttpd. */
#include "daemon/http.h"

#include <errno.h>

int st_http_start_fd(int fd, const struct st_http_source *source, struct st_http **ret)
{
    (void)fd;
    (void)source;
    (void)ret;
    return -ENOTSUP;
}

int st_http_start_tcp(const char *listen, const struct st_http_source *source, struct st_http **ret)
{
    (void)listen;
    (void)source;
    (void)ret;
    return -ENOTSUP;
}

void st_http_stop(struct st_http *http)
{
    (void)http;
}
