#include "xruns/helpers/resync_log.h"

#include <unistd.h>

#include "platform/platform.h"
#include "platform/posix/posix.h"

static void take(struct st_resync_log *log, char c,
                 void (*seen)(void *ctx, const struct st_resync_log_line *line), void *ctx)
{
    struct st_resync_log_line line;
    if (st_log_line_take(&log->line, c) && st_server_log_resync(log->line.text, &line))
        seen(ctx, &line);
}

int st_resync_log_read(struct st_resync_log *log,
                       void (*seen)(void *ctx, const struct st_resync_log_line *line), void *ctx)
{
    char bytes[4096];
    ssize_t n;
    int status;
    while ((n = read(log->fd, bytes, sizeof(bytes))) > 0) {
        for (ssize_t i = 0; i < n; i++)
            take(log, bytes[i], seen, ctx);
    }
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return 0;
    close(log->fd);
    log->fd = -1;
    (void)st_posix_start_ended(log->pid, &status);
    return -ENODATA;
}
