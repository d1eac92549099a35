/* A daemon that gives one answer, if the request has the text `asked`. */
#pragma once

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/unit/unit.h"

static inline int one_answer(struct sockaddr_un *address, const char *asked, const char *answer)
{
    *address =
        (struct sockaddr_un){.sun_family = AF_UNIX, .sun_path = "/tmp/sleeptune-test-XXXXXX"};
    const int in = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(rmdir(mkdtemp(address->sun_path)), 0);
    assert_int_equal(bind(in, (struct sockaddr *)address, sizeof(*address)) + listen(in, 1), 0);
    if (fork() == 0) {
        char request[256] = "";
        const int fd = accept(in, NULL, NULL);
        (void)!read(fd, request, sizeof(request) - 1);
        if (strstr(request, asked) != NULL)
            dprintf(fd, "HTTP/1.0 200 OK\r\n\r\n%s", answer);
        _exit(0);
    }
    return in;
}

static inline void one_answer_end(const struct sockaddr_un *address, int in)
{
    close(in);
    unlink(address->sun_path);
}
