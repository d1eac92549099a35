/* Channels of /dev/sndstat. A channel is a line that holds "]: spd N", the name before it in brackets, behind
 * it perhaps ", pid N (PROGRAM)"; its counters, "interrupts N, underruns N[, feed N]", follow on the next
 * line. */
#include "platform/xrun/sndstat_text.h"

#include <errno.h>
#include <string.h>

#include "core/safe_text.h"
#include "platform/proc_text.h"

#define MARK "]: spd "

/** Finds `word` before `end`. @return behind it, or NULL. */
static const char *behind(const char *from, const char *end, const char *word)
{
    const char *found = strstr(from, word);
    return found != NULL && found < end ? found + strlen(word) : NULL;
}

/** The line that begins a channel. @return false when it is another line. */
static bool read_header(const char *line, const char *end, struct st_snd_channel *channel)
{
    const char *mark = behind(line, end, MARK), *open = NULL;
    if (mark == NULL)
        return false;
    const char *close = mark - strlen(MARK);
    for (const char *at = line; at < close; at++)
        open = *at == '[' ? at : open;
    if (open == NULL)
        return false;
    *channel = (struct st_snd_channel){.pid = 0};
    (void)st_safe_copy(channel->name, sizeof(channel->name), open + 1, (size_t)(close - open - 1));
    channel->is_virtual = strstr(channel->name, "virtual") != NULL;
    const char *pid = behind(mark, end, ", pid ");
    uint64_t n;
    if (pid == NULL || st_proc_u64(&pid, &n) != 0 || n > INT32_MAX)
        return true;
    channel->pid = (int64_t)n;
    if (pid < end &&
        strncmp(pid, " (", 2) == 0) { /* the name may hold anything: the line's last ')' ends it */
        const char *name = pid + 2, *last = end;
        while (last > name && *last != ')')
            last--;
        (void)st_safe_copy(channel->program, sizeof(channel->program), name, (size_t)(last - name));
    }
    return true;
}

/** "interrupts N, underruns N" or "overruns". @return false when it is another line. */
static bool read_counters(const char *line, const char *end, struct st_snd_channel *channel)
{
    const char *at = behind(line, end, "interrupts "), *xruns, *feed;
    if (at == NULL || st_proc_u64(&at, &channel->interrupts_n) != 0)
        return false;
    xruns = behind(at, end, ", underruns ");
    if (xruns == NULL)
        xruns = behind(at, end, ", overruns ");
    if (xruns == NULL || st_proc_u64(&xruns, &channel->xruns_n) != 0)
        return false;
    feed = behind(xruns, end, ", feed ");
    if (feed != NULL && st_proc_u64(&feed, &channel->feeds_n) != 0)
        return false;
    return true;
}

int st_sndstat_next(const char **text, struct st_snd_channel *ret)
{
    struct st_snd_channel channel;
    bool in_channel = false;
    while (**text != '\0') {
        const char *line = *text, *end = line + strcspn(line, "\n");
        *text = *end == '\n' ? end + 1 : end;
        if (read_header(line, end, &channel)) {
            in_channel = true;
        } else if (in_channel && read_counters(line, end, &channel)) {
            *ret = channel;
            return 0;
        }
    }
    return -ENODATA;
}
