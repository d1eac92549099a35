#include "xruns/dropout_reason.h"

#include "core/ns.h"
#include "core/text/text.h"

/* docs/generate/generate.py writes their names into schemas. */
static const struct {
    const char *name, *text;
    enum st_dropout_blame blame;
} reasons[ST_DROPOUT_REASONS] = {
    [ST_DROPOUT_UNKNOWN] = {"unknown", "was not ready, reason unknown", ST_DROPOUT_BLAME_UNKNOWN},
    [ST_DROPOUT_TOO_SLOW] = {"too-slow", "computed too long", ST_DROPOUT_BLAME_ITSELF},
    [ST_DROPOUT_WOKEN_LATE] = {"woken-late", "was woken late", ST_DROPOUT_BLAME_CPU},
    [ST_DROPOUT_CPU_TAKEN] = {"cpu-taken", "lost the CPU to another program", ST_DROPOUT_BLAME_CPU},
    [ST_DROPOUT_CPU_TAKEN_BY_ITSELF] = {"cpu-taken-by-itself", "lost the CPU to its own thread",
                                        ST_DROPOUT_BLAME_ITSELF},
    [ST_DROPOUT_STOPPED] = {"stopped", "was stopped or frozen", ST_DROPOUT_BLAME_ITSELF},
    [ST_DROPOUT_BLOCKED] = {"blocked", "waited for a lock, disk or program", ST_DROPOUT_BLAME_ITSELF},
    [ST_DROPOUT_WAITED_FOR_OTHER] = {"waited-for-other", "waited for another client", ST_DROPOUT_BLAME_OTHER},
    [ST_DROPOUT_SWAPPED_OUT] = {"swapped-out", "waited for its memory, which had to be read from disk",
                                ST_DROPOUT_BLAME_ITSELF},
    [ST_DROPOUT_WRITES_SLOWLY] = {"writes-too-slowly", "wrote its sound too slowly", ST_DROPOUT_BLAME_ITSELF},
};

const char *st_dropout_reason_name(enum st_dropout_reason reason)
{
    return reasons[reason].name;
}

enum st_dropout_blame st_dropout_reason_blame(enum st_dropout_reason reason)
{
    return reasons[reason].blame;
}

const char *st_dropout_reason_text(enum st_dropout_reason reason)
{
    return reasons[reason].text;
}

enum st_dropout_reason st_dropout_reason_most(const uint64_t reasons_n[ST_DROPOUT_REASONS],
                                              const int64_t reasons_ns[ST_DROPOUT_REASONS])
{
    size_t most = 0;
    for (size_t i = 1; i < ST_DROPOUT_REASONS; i++) {
        const int64_t more_ns = reasons_ns != NULL ? reasons_ns[i] - reasons_ns[most] : 0;
        const bool known = most == ST_DROPOUT_UNKNOWN && reasons_n[i] > 0 && reasons_n[i] == reasons_n[most];
        most = more_ns > 0 || (more_ns == 0 && (reasons_n[i] > reasons_n[most] || known)) ? i : most;
    }
    return (enum st_dropout_reason)most;
}

const char *st_dropout_reason_culprit(const char *culprit, bool others, char *buf, size_t buf_bytes)
{
    const bool own = st_text_begins(culprit, "sleeptune"); /* no one else's */
    const bool test = st_text_is(culprit, "sleeptune");    /* of check, measure or tune, not of the daemon */
    snprintf(buf, buf_bytes, "%s%s%s%s",
             test  ? "a test of sleeptune ("
             : own ? "sleeptune itself ("
                   : "",
             culprit, own ? ")" : "", others ? " and others" : "");
    return buf;
}

const char *st_dropout_reason_times(uint64_t n, const char *culprit, char *buf, size_t buf_bytes)
{
    snprintf(buf, buf_bytes, "%" PRIu64 " time%s %s", n, ST_PLURAL(n),
             st_dropout_reason_culprit(culprit, false, ST_ROOM(160)));
    return buf;
}

/** How a stream of it is lost: 1 plays and runs dry, 2 records and overflows, 0 either. */
static size_t direction_of(const char *device)
{
    static const char *const parts[][2] = {
        {" playback", " capture"}, {".play.", ".record."}, {"alsa_output.", "alsa_input."}};
    for (size_t i = 0; device != NULL && i < ST_ARRAY_LEN(parts); i++)
        for (size_t way = 0; way < 2; way++)
            if (strstr(device, parts[i][way]) != NULL)
                return way + 1;
    return 0;
}

const char *st_dropout_reason_device(const char *device)
{
    static const char *const texts[] = {"the device ran dry or overflowed", "the device ran dry",
                                        "the device overflowed"};
    return texts[direction_of(device)];
}

const char *st_dropout_reason_why(const struct st_dropout_why *why, char *buf, size_t buf_bytes)
{
    static const char *const streams[] = {"run dry or overflow", "run dry", "overflow"};
    char culprit[160];
    const bool some = why->culprit_n > 0, known = why->culprit[0] != '\0' && !some;
    st_dropout_reason_culprit(why->culprit, why->others, culprit, sizeof(culprit));
    if (why->resync)
        snprintf(buf, buf_bytes, "was put in step with %s", known ? why->culprit : "another card");
    else if (why->device_dropout)
        snprintf(buf, buf_bytes, "let its stream %s", streams[direction_of(why->device)]);
    else if (why->reason == ST_DROPOUT_CPU_TAKEN && known)
        snprintf(buf, buf_bytes, "lost the CPU to %s", culprit);
    else if (why->reason == ST_DROPOUT_WAITED_FOR_OTHER && known)
        snprintf(buf, buf_bytes, "waited for %s%s", why->culprit,
                 why->others ? " and others"
                 : st_text_is(why->culprit, ST_DROPOUT_REASON_PULSE_SERVER) ||
                         st_text_is(why->culprit, ST_DROPOUT_REASON_PULSEAUDIO)
                     ? ", which did not answer"
                     : "");
    else
        snprintf(buf, buf_bytes, "%s", reasons[why->reason].text);
    if (why->resync && why->drift_ppb != 0)
        st_text_append(buf, buf_bytes, ", which is %.0f ppm %s", fabs((double)why->drift_ppb) / 1000,
                       why->drift_ppb < 0 ? "faster" : "slower");
    if (why->device_dropout || why->resync)
        return buf;
    if (why->reason == ST_DROPOUT_TOO_SLOW && why->cycle.period_ns > 0 &&
        why->cycle.busy_ns > why->cycle.period_ns)
        st_text_append(buf, buf_bytes, " (%s%s of CPU time, the buffer lasts %s)",
                       why->cycle.error_ns > why->cycle.busy_ns / 50 ? "about " : "", /* more than 2 % */
                       ST_NS_SHORT(why->cycle.busy_ns), ST_NS_SHORT(why->cycle.period_ns));
    else if (why->reason == ST_DROPOUT_WOKEN_LATE && why->cycle.wait_ns > 0)
        st_text_append(buf, buf_bytes, " (by %s)", ST_NS_SHORT(why->cycle.wait_ns));
    if (why->reason == ST_DROPOUT_WOKEN_LATE && known)
        st_text_append(buf, buf_bytes, ", %s had the CPU", culprit);
    else if (some)
        st_text_append(buf, buf_bytes, ", at least %s",
                       st_dropout_reason_times(why->culprit_n, why->culprit, ST_ROOM(160)));
    if (why->reason == ST_DROPOUT_TOO_SLOW && why->meanwhile != NULL)
        st_text_append(buf, buf_bytes, "; meanwhile %s", why->meanwhile);
    return buf;
}

void st_dropout_reason_vote(char culprit[ST_DROPOUT_REASON_CULPRIT_BYTES], int64_t *culprit_n,
                            const char name[ST_DROPOUT_REASON_CULPRIT_BYTES], int64_t n)
{
    if (st_text_is(culprit, name)) {
        *culprit_n += n;
    } else if (*culprit_n >= n) {
        *culprit_n -= n;
    } else {
        *culprit_n = n - *culprit_n;
        memcpy(culprit, name, ST_DROPOUT_REASON_CULPRIT_BYTES);
    }
}
