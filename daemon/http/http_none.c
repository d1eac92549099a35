/* Built without libmicrohttpd. */
#include "daemon/http/http.h"

#include <errno.h>

int st_http_start_fd(int fd, const struct st_http_source *source, struct st_http **ret)
{
    (void)fd;
    (void)source;
    (void)ret;
    return -ENOTSUP;
}

int st_http_start_tcp(const char *listen, const char *names, const struct st_http_source *source,
                      struct st_http **ret)
{
    (void)listen;
    (void)names;
    (void)source;
    (void)ret;
    return -ENOTSUP;
}

void st_http_tick(struct st_http *http)
{
    (void)http;
}

void st_http_stop(struct st_http *http)
{
    (void)http;
}
