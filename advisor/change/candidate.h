/* Which findings of a report can be tried: settings that the running system takes both ways, and whose effect
 * the loop sees. One row of the table a setting. */
#pragma once

#include "advisor/change/plan.h"
#include "advisor/report/report.h"

#define ST_CANDIDATES_MAX 16

enum st_candidate_kind {
    ST_CANDIDATE_VALUES,  /* running values: steps of the plan */
    ST_CANDIDATE_LATENCY, /* /dev/cpu_dma_latency, held while it is on */
    ST_CANDIDATE_SLACK,   /* timer slack of the loop's own thread */
};

struct st_candidate {
    const struct st_finding *finding;
    enum st_candidate_kind kind;
    size_t first_step, steps_n; /* of the plan; kind VALUES */
    char setting[200];          /* what is switched, for people */
    char now[ST_CHANGE_VALUE_BYTES], trial[ST_CHANGE_VALUE_BYTES];
    const char *refused; /* the cost that the profile does not accept; NULL: none. Tried, and not kept */
    char not_tried[200]; /* "" or why it cannot be tried */
};

struct st_candidates {
    struct st_candidate rows[ST_CANDIDATES_MAX];
    size_t n;
    bool needs_root;                                   /* some of them do, and this process is not */
    struct st_journal plan;                            /* running values only */
    const struct st_finding *later[ST_CANDIDATES_MAX]; /* cannot be switched on and off while the loop runs,
                                                          or it does not feel them */
    size_t later_n;
    int late_share;    /* st_candidates_late_share */
    char writers[200]; /* programs that run here and write such settings; "": none is known */
};

/** A wake-up is late by more than the period divided by this. */
int st_candidates_late_share(enum st_os os);

/**
 * Findings that fired, in the order of the report. Reads only.
 * @param as_root: may write running values. slack_counts: the loop is a normal thread.
 * Free with st_candidates_finish; borrows the report. */
void st_candidates_find(struct st_candidates *ret, struct st_platform *p, const struct st_report *report,
                        bool as_root, bool slack_counts);
void st_candidates_finish(struct st_candidates *candidates);
