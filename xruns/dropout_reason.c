#include "xruns/dropout_reason.h"

#include "core/text/text.h"

/* Names and texts of all reasons. docs/generate/generate.py writes the names into schemas. */
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
    [ST_DROPOUT_BLOCKED] = {"blocked", "waited for a lock, disk or program",
                            ST_DROPOUT_BLAME_ITSELF},
    [ST_DROPOUT_WAITED_FOR_OTHER] = {"waited-for-other", "waited for another client",
                                     ST_DROPOUT_BLAME_OTHER},
    [ST_DROPOUT_SWAPPED_OUT] = {"swapped-out",
                                "waited for its memory, which had to be read from disk",
                                ST_DROPOUT_BLAME_ITSELF},
    [ST_DROPOUT_WRITES_SLOWLY] = {"writes-too-slowly", "wrote its sound too slowly",
                                  ST_DROPOUT_BLAME_ITSELF},
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

/** @return the direction of a device, by its name: 1: it plays, and can run dry; 2: it records, and
 * can overflow; 0: not known. */
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

const char *st_dropout_reason_stream(const char *device)
{
    static const char *const texts[] = {"let its stream run dry or overflow",
                                        "let its stream run dry", "let its stream overflow"};
    return texts[direction_of(device)];
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
