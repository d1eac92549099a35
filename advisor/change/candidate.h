/* Findings of a report that `tune` can try: settings that it can switch on and off in the running
 * system and whose effect the loop sees. The table in candidate.c has one row for each setting. */
#pragma once

#include "advisor/change/plan.h"
#include "advisor/report/report.h"

#define ST_CANDIDATES_MAX 16

enum st_candidate_kind {
    ST_CANDIDATE_VALUES,  /* running values: steps of the plan */
    ST_CANDIDATE_LATENCY, /* the limit in /dev/cpu_dma_latency, held while the setting is on */
    ST_CANDIDATE_SLACK,   /* timer slack of the loop's own thread */
};

struct st_candidate {
    const struct st_finding *finding;
    enum st_candidate_kind kind;
    size_t first_step,
        steps_n;       /* the candidate's steps in the plan; only for ST_CANDIDATE_VALUES */
    char setting[200]; /* name of the setting, for people */
    char now[ST_CHANGE_VALUE_BYTES], trial[ST_CHANGE_VALUE_BYTES];
    const char *refused; /* the cost that the profile does not accept: the setting is tried, but not
                            kept; NULL: none */
    char not_tried[200]; /* why the setting cannot be tried; "": it can */
};

struct st_candidates {
    struct st_candidate rows[ST_CANDIDATES_MAX];
    size_t n;
    bool needs_root;        /* a candidate needs root, and this process is not root */
    struct st_journal plan; /* steps for the running values of all candidates */
    /* findings that `tune` does not try: the setting cannot be switched while the loop runs, or
     * does not affect the loop */
    const struct st_finding *later[ST_CANDIDATES_MAX];
    size_t later_n;
    int late_share;    /* st_candidates_late_share() of this system */
    char writers[200]; /* running programs that may overwrite settings while `tune` tries them; "":
                          none known */
};

/** A wake-up counts as late if its lateness exceeds the period divided by this number. */
int st_candidates_late_share(enum st_os os);

/** Finds candidates among the findings that fired, in the order of the report. Reads only. Free
 * with st_candidates_finish; borrows the report. @param as_root this process may write running
 * values. @param slack_counts the loop is a normal thread. */
void st_candidates_find(struct st_candidates *ret, struct st_platform *p,
                        const struct st_report *report, bool as_root, bool slack_counts);
void st_candidates_finish(struct st_candidates *candidates);
