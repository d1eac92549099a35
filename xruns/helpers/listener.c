#include "xruns/helpers/listener.h"

#include <fcntl.h>
#include <unistd.h>

#include "core/text/text.h"
#include "st_config.h"

#define NAME "sleeptune-observe-silence"

/* Finds the program that listens, which is in the folder of this program. */
static int find_program(char *path, size_t path_bytes)
{
    const ssize_t n = readlink("/proc/self/exe", path, path_bytes - 1);
    if (n < 0)
        return -errno;
    path[n] = '\0';
    const size_t at = (size_t)(strrchr(path, '/') - path) + 1;
    snprintf(path + at, path_bytes - at, "%s", NAME);
    return st_posix_result(access(path, X_OK));
}

int st_listener_start(struct st_listener *listener, const char *listen)
{
    char path[PATH_MAX];
    int r = find_program(path, sizeof(path));
    if (r < 0)
        return r;
    const char *const argv[] = {NAME, "-V" ST_VERSION, st_text("-l%s", listen), NULL};
    r = st_posix_piped_start(&listener->program, path, argv, (struct st_run_as){0});
    if (r == 0)
        (void)fcntl(listener->program.in, F_SETFL,
                    O_NONBLOCK); /* never wait for a program that hangs */
    return r;
}

void st_listener_order(struct st_listener *listener, uint32_t id, bool listen)
{
    char order[32];
    const int n = ST_PRINT(order, "%s %u\n", listen ? "listen" : "leave", (unsigned)id);
    if (listener->program.pid != 0 && write(listener->program.in, order, (size_t)n) != n)
        st_listener_end(listener, "the listening program does not respond");
}

void st_listener_end(struct st_listener *listener, const char *why)
{
    if (listener->program.pid == 0)
        return;
    st_posix_piped_close(&listener->program, false);
    listener->taps_n = 0;
    if (listener->why[0] == '\0')
        ST_PRINT(listener->why, "%s", why);
}

static void take_line(struct st_listener *listener, struct st_pipewire_streams *streams)
{
    uint32_t id;
    int64_t begin_ns, lost_ns;
    unsigned signs;
    const char *line = listener->line.text;
    if (st_listened_parse(line, &id, &begin_ns, &lost_ns, &signs))
        st_pipewire_streams_silent(streams, id, begin_ns, lost_ns, signs);
    else if (st_text_begins(line, "taps "))
        listener->taps_n = strtol(line + 5, NULL, 10);
    else if (st_text_begins(line, "absent "))
        ST_PRINT(listener->why, "%s", line + 7);
}

bool st_listener_read(struct st_listener *listener, struct st_pipewire_streams *streams)
{
    char bytes[1024];
    const ssize_t n = read(listener->program.out, bytes, sizeof(bytes));
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
        st_listener_end(listener, "the helper program of sleeptune that listens has ended");
        return false;
    }
    for (ssize_t i = 0; i < n; i++) {
        if (st_log_line_take(&listener->line, bytes[i]))
            take_line(listener, streams);
    }
    return true;
}
