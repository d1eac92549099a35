/* A trial: two ways of waiting measured in turn, A as it is, B changed. Its figures and its sentences. */
#ifndef ST_EVIDENCE_TRIAL_H
#define ST_EVIDENCE_TRIAL_H

#include "evidence/pairs.h"

#define ST_TRIAL_RULES_MAX  3
#define ST_TRIAL_TEXT_BYTES 800
#define ST_TRIALS_MAX       8

/** One of the two ways. */
struct st_trial_arm {
    char name[64];      /* "slack 50 µs, as found" */
    uint64_t n;         /* wake-ups */
    uint64_t skipped_n; /* periods that passed during an earlier wake-up or its lateness */
};

struct st_trial {
    const char *id;                        /* stable: "timer-slack" */
    const char *title;                     /* what is tried */
    const char *rules[ST_TRIAL_RULES_MAX]; /* ids of the rules that it is evidence for */
    char not_tried[160];                   /* "" or why there is nothing */
    struct st_trial_arm arms[2];           /* A, B */
    uint32_t pairs_n;                      /* blocks of A beside blocks of B */
    struct st_figure figures[ST_FIGURES];  /* of lateness, with 99 % intervals; missed: not known */
    size_t tests_n;                        /* figures that were judged together */
};

/** All trials of one run. */
struct st_trials {
    struct st_trial *rows;
    size_t n;
    int64_t period_ns;
    int64_t duration_ns; /* that it took */
    uint64_t seed;
    bool interrupted;     /* ended early */
    char conditions[320]; /* "kernel 6.18.5, governor performance ..." */
};

/** The verdict on the median. */
enum st_trial_outcome {
    ST_TRIAL_NOT_TRIED,
    ST_TRIAL_TOO_FEW, /* ST_VERDICT_TOO_SHORT */
    ST_TRIAL_NOISY,   /* ST_VERDICT_DRIFTING; or none shown, and a fifth of A's median would not have been */
    ST_TRIAL_NO_EFFECT, /* ST_VERDICT_NONE */
    ST_TRIAL_EFFECT,    /* ST_VERDICT_BETTER or _WORSE */
};

/** Judges the figures of all trials together (verdict.h). */
void st_trials_judge(struct st_trials *trials);

/** "not-tried", "too-few", "noisy", "no-effect", "effect". */
const char *st_trial_outcome_name(enum st_trial_outcome outcome);
enum st_trial_outcome st_trial_outcome(const struct st_trial *trial);

/** Is it evidence for that rule? */
bool st_trial_is_for(const struct st_trial *trial, const char *rule_id);

/** How much less late B is, in us: the difference of the medians if B is shown to be better, else 0. */
double st_trial_gain_us(const struct st_trial *trial);

/** One or two sentences with all the figures. @return buf; ST_TRIAL_TEXT_BYTES hold any. */
const char *st_trial_text(const struct st_trial *trial, char *buf, size_t buf_bytes);

/** The first trial for a rule whose B is shown to be less late. NULL: none. */
const struct st_trial *st_trials_gain(const struct st_trials *trials, const char *rule_id);

/** When, on what and how long, how sure all intervals are together, and how long it takes to get a p99:
 * "Tried for 9.8 s at a period of 2666.7 µs ...". @return buf; ST_TRIAL_TEXT_BYTES hold any. */
const char *st_trials_heading(const struct st_trials *trials, char *buf, size_t buf_bytes);

void st_trials_finish(struct st_trials *trials);

#endif
