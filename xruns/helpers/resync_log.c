#include "xruns/helpers/resync_log.h"

#include <unistd.h>

#include "core/text/number.h"
#include "platform/platform.h"
#include "platform/posix/posix.h"

#define FRAMES_MAX INT64_C(100000000)

/* The number behind a key, "delay:-12 ". */
static bool number_of(const char *line, const char *key, int64_t *ret)
{
    char text[24];
    const char *at = strstr(line, key);
    const size_t len = at != NULL ? strspn(at + strlen(key), "-0123456789") : 0;
    if (len == 0 || len >= sizeof(text))
        return false;
    ST_PRINT(text, "%.*s", (int)len, at + strlen(key));
    return st_number_i64(text, -FRAMES_MAX, FRAMES_MAX, ret) == 0;
}

bool st_resync_log_parse(const char *line, struct st_resync_log_line *ret)
{
    /* alsa-pcm.c: "hw:1: follower avail:1 delay:900 target:1024 thr:1024, resync (3 suppressed)" */
    const char *end = strstr(line, ": follower ");
    struct st_resync_log_line parsed = {0};
    int64_t delay, target, suppressed;
    if (end == NULL || !number_of(end, " resync (", &suppressed) || suppressed < 0 ||
        !number_of(end, " delay:", &delay) || !number_of(end, " target:", &target) ||
        !number_of(end, " thr:", &parsed.cycle_frames) || parsed.cycle_frames <= 0)
        return false;
    const char *begin = end;
    while (begin > line && begin[-1] != ' ' && begin[-1] != ']')
        begin--;
    if (begin == end || end - begin >= (ptrdiff_t)sizeof(parsed.card))
        return false;
    memcpy(parsed.card, begin, (size_t)(end - begin));
    parsed.n = suppressed + 1;
    parsed.frames = llabs(delay - target);
    *ret = parsed;
    return true;
}

static void take(struct st_resync_log *log, char c,
                 void (*seen)(void *ctx, const struct st_resync_log_line *line), void *ctx)
{
    struct st_resync_log_line line;
    if (st_log_line_take(&log->line, c) && st_resync_log_parse(log->line.text, &line))
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
