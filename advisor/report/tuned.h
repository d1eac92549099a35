/* Results of `sleeptune tune` on this machine, kept for later reports: schema sleeptune-tuned/1. */
#pragma once

#include "advisor/facts/facts.h"
#include "evidence/tuning.h"

/** One setting whose trial was completed: it helps, has no effect, or is harmful. */
struct st_tuned_row {
    char id[64]; /* id of the rule */
    enum st_tuning_outcome outcome;
    /* how many times fewer late wake-ups, with its 95 % bounds; set only if the setting helps */
    double fold, low, high;
    char target[200]; /* the running value that was tried, a path or a sysctl; "": another kind of
                         setting */
    char from[64], to[64]; /* value without and with the setting */
    uint64_t events_n[2];  /* dropouts that the timing test would have had, without and with the
                              setting */
    double seconds[2];     /* measured time without and with the setting; 0: unknown */
};

struct st_tuned {
    struct st_tuned_row rows[ST_TUNING_ROWS_MAX];
    size_t n;
    char day[16]; /* day of the trial: "2026-11-22" */
    int64_t frames;
};

/** Reads the results from the journal's folder. @param facts of the machine now. @return 0, -ESTALE
 * (another kernel runs now), -ENOENT, -EBADMSG, or the error of reading. */
ST_NODISCARD int st_tuned_read(struct st_platform *machine, const char *folder,
                               const struct st_facts *facts, struct st_tuned *ret);
/** Writes the results into the journal's folder. @return 0, -ENODATA (the kernel is unknown),
 * -ENOMEM, or the error of writing. */
ST_NODISCARD int st_tuned_write(struct st_platform *platform, const char *folder,
                                const struct st_facts *facts, const struct st_tuned *tuned);

/** Finds the result of a rule. @return NULL: the rule has no result. */
const struct st_tuned_row *st_tuned_find(const struct st_tuned *tuned, const char *id);

/** The result for people: "none -> full: 5.1 times fewer late wake-ups (95 %: 4.2 .. 6.3), measured
 * 2026-11-22 with 32 frames". */
const char *st_tuned_text(const struct st_tuned *tuned, const struct st_tuned_row *row);

/** A clause for people: "; dropouts of the timing test: about 480 an hour without this setting, at
 * most 190 with it (95 %)"; "": unknown. */
const char *st_tuned_per_hour(const struct st_tuned_row *row);
