#include "xruns/server_log.h"

#include "core/text/number.h"
#include "core/text/pattern.h"
#include "core/text/text.h"

#define FRAMES_MAX INT64_C(100000000)

/** Does the line have one of these forms? "": the end of the list. */
static bool has_form(const char *line, const char *const *forms, struct st_pattern_parts *ret)
{
    for (; (*forms)[0] != '\0'; forms++) {
        if (st_pattern_match(line, *forms, ret))
            return true;
    }
    return false;
}

bool st_server_log_jack(const char *line, char client[ST_JACK_NAME_BYTES], bool *ran)
{
    /* Messages of jack2 about a late client (JackEngine::CheckXRun): a line and a callback for
     * each client. */
    static const char *const forms[] = {
        "*JackEngine::XRun: client = %l was %l, state = %l",
        "*JackEngine::XRun: client = %l was %l: state = %l", /* jack2 1.9.5 */
        "*JackEngine::XRun: client %l finished after current callback", ""};
    struct st_pattern_parts parts;
    if (!has_form(line, forms, &parts) || strlen(parts.text[0]) >= ST_JACK_NAME_BYTES)
        return false;
    snprintf(client, ST_JACK_NAME_BYTES, "%s", parts.text[0]);
    *ran = parts.n == 1 ||
           !strchr("T1", parts.text[2][0]); /* state "Triggered": the client had not begun */
    return true;
}

bool st_server_log_resync(const char *line, struct st_resync_log_line *ret)
{
    /* alsa-pcm.c: "hw:1: follower avail:1 delay:900 target:1024 thr:1024, resync (3 suppressed)";
     * before 0.3.50 without a number */
#define FORM " %l: follower *delay:%d target:%d thr:%d*, resync"
    static const char *const forms[] = {"*spa.alsa:" FORM, "*()]" FORM,
                                        "%l: follower *delay:%d target:%d thr:%d*, resync", ""};
    struct st_pattern_parts parts, more;
    struct st_resync_log_line parsed = {.n = 0};
    int64_t delay, target;
    if (!has_form(line, forms, &parts) || strchr(parts.text[0], ' ') != NULL ||
        strlen(parts.text[0]) >= sizeof(parsed.card) ||
        st_number_i64(parts.text[1], -FRAMES_MAX, FRAMES_MAX, &delay) != 0 ||
        st_number_i64(parts.text[2], -FRAMES_MAX, FRAMES_MAX, &target) != 0 ||
        st_number_i64(parts.text[3], 1, FRAMES_MAX, &parsed.cycle_frames) != 0 ||
        (st_pattern_match(line, "*, resync (%d ", &more) &&
         st_number_i64(more.text[0], 0, FRAMES_MAX, &parsed.n) != 0))
        return false;
    ST_PRINT(parsed.card, "%s", parts.text[0]);
    parsed.n++;
    parsed.frames = llabs(delay - target);
    *ret = parsed;
    return true;
}
