/* What the formats of a report share. Internal to advisor/. */
#ifndef ST_ADVISOR_RENDER_H
#define ST_ADVISOR_RENDER_H

#include "advisor/report.h"

#define ST_VERDICT_BYTES   1024
#define ST_FACT_TEXT_BYTES 700

/** Findings of that status that are neither muted nor set aside. */
size_t st_report_count(const struct st_report *report, enum st_status status);

/** A problem or advice that counts. */
bool st_finding_fired(const struct st_finding *finding);
/** One of those that can make this loop late: a problem, or its cost is not known to be 0. */
bool st_finding_bears(const struct st_finding *finding);
/** One of those that are about delay, comfort or what is seen. */
bool st_finding_harmless(const struct st_finding *finding);
/** Sum of the known costs of those, us. */
double st_report_sum_us(const struct st_report *report);

/** Is there something to say about the cost? A known one, or that of a setting to be changed. */
bool st_finding_costs(const struct st_finding *finding);

/* Each writes into buf and returns it. */
const char *st_report_period_text(const struct st_wish *wish, char *buf,
                                  size_t buf_bytes); /* 64 frames at ... */
const char *st_effect_text(const struct st_finding *finding, const struct st_wish *wish, char *buf,
                           size_t buf_bytes);
/** "muted until 2027-01-01: reason", "profile laptop: it costs power"; NULL when it counts. */
const char *st_left_out_text(const struct st_report *report, const struct st_finding *finding, char *buf,
                             size_t buf_bytes);
const char *st_fact_text(const struct st_fact *fact, char *buf,
                         size_t buf_bytes); /* may hold control characters */

/** The next trial from *at on that is evidence for the finding; *at moves behind it. NULL: no more. */
const struct st_trial *st_finding_trial(const struct st_report *report, const struct st_finding *finding,
                                        size_t *at);
json_t *st_finding_measured_json(const struct st_report *report, const struct st_finding *finding);
json_t *st_report_trials_json(const struct st_report *report); /* null: nothing was tried */

const char *st_needs_name(enum st_needs needs); /* "nothing", "reopen", "relogin", "reboot" */
const char *st_needs_text(enum st_needs needs); /* for people */
const char *st_applicability_name(enum st_applicability applicability); /* "auto", "manual", "dangerous" */
const char *st_applicability_text(enum st_applicability applicability); /* for people */

int st_render_text(const struct st_report *report, FILE *out, const struct st_view *view); /* 0, -ENOMEM */
int st_render_json(const struct st_report *report, FILE *out); /* 0, -ENOMEM, -EIO */
void st_render_html(const struct st_report *report, FILE *out);
void st_render_markdown(const struct st_report *report, FILE *out);
void st_render_prometheus(const struct st_report *report, FILE *out);

#endif
