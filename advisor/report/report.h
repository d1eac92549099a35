/* A report: judges facts by all rules, and puts the findings into order. */
#pragma once

#include <jansson.h>

#include "advisor/report/tuned.h"
#include "advisor/rules/rule.h"

/** What the machine is used for. The profile decides which costs are worth paying. */
enum st_report_profile {
    ST_REPORT_PROFILE_DESKTOP,
    ST_REPORT_PROFILE_STUDIO,
    ST_REPORT_PROFILE_LAPTOP,
    ST_REPORT_PROFILE_SERVER
};

/** What `check` measured; the first screen begins with it. */
struct st_report_answer {
    const char *text; /* sentences for people */
    /** Prints a table below the sentences. */
    void (*table)(const void *ctx, FILE *out, int width, bool colour);
    const void *ctx;
    const char *next; /* what to do now; NULL: already in the sentences */
    /* the sentences ask for no action, so a setting that is a problem is shown before `next` */
    bool fine;
    json_t *json; /* object: its keys are added to the report's */
};

/** Findings of all rules for the facts' OS. They are sorted by status, then by effect (first what
 * may cost the whole period, last what costs nothing), then what apply can change before manual
 * changes, then by the order of the rules. */
struct st_report {
    const struct st_facts *facts; /* borrowed */
    struct st_wish wish;
    enum st_report_profile profile;
    struct st_finding *findings;
    size_t findings_n;
    bool no_sound;       /* no card and no server exist, and the user asked for no period */
    bool own_machine;    /* the facts describe the machine on which the program runs */
    size_t unreadable_n; /* number of facts that were unreadable or malformed */
    const struct st_tuned *tuned;          /* what `tune` measured here; borrowed; NULL: nothing */
    const struct st_report_answer *answer; /* borrowed; NULL: the headline is made from the facts */
};

/** Loops over the findings of a report. */
#define ST_REPORT_EACH(finding, report)                                                            \
    ST_EACH_OF (finding, (report)->findings, (report)->findings_n)

/** Judges all rules for a period. @param frames, rate_hz 0: as in use on that machine. @return 0,
 * -ERANGE, -ENOMEM. */
ST_NODISCARD int st_report_make(const struct st_facts *facts, int64_t frames, int64_t rate_hz,
                                struct st_report *ret);
void st_report_finish(struct st_report *report);
/** Judges one rule, as st_report_make does for each. @param finding zeroed; if its summary is NULL
 * afterwards: out of memory. */
void st_report_judge(const struct st_rule *rule, const struct st_facts *facts,
                     const struct st_wish *wish, struct st_finding *finding);

/** Marks findings that need no action (`needless`): the fix of another one does the same or makes
 * them useless; all findings if nothing here plays sound. @param all false: the user named
 * settings; true: also findings that the right to real-time priority solves (only with
 * `right_too`), and advice about lateness if sleeptuned has counted no dropout at this period. */
void st_report_leave_out(struct st_report *report, bool all, bool right_too);

/** What `tune` measured for this finding, with the buffer size of this report; NULL: nothing. */
const struct st_tuned_row *st_report_tuned(const struct st_report *report,
                                           const struct st_finding *finding);
/** Sorts by the results of `tune`: within a status, what helps comes first, what has no effect or
 * does harm comes last. @param tuned NULL: no results. */
void st_report_rank(struct st_report *report, const struct st_tuned *tuned);

/** Sets advice aside if its fix has a cost that the profile does not accept. Problems are never set
 * aside. */
void st_report_set_profile(struct st_report *report, enum st_report_profile profile);

/** Names of profiles: "desktop", "studio", "laptop", "server"; index: enum st_report_profile. */
extern const char *const st_report_profile_names[ST_REPORT_PROFILE_SERVER + 1];
ST_NODISCARD int st_report_profile_parse(const char *text,
                                         enum st_report_profile *ret); /* 0 or -EINVAL */

/** The first cost in a rule's cost text ("power, heat: several watts") that the profile does not
 * accept; NULL: it accepts all. The text is static. */
const char *st_report_profile_refuses(enum st_report_profile profile, const char *cost);

/** The finding of a rule; NULL: the rule is for another operating system, or unknown. */
struct st_finding *st_report_find(const struct st_report *report, const char *id);

/** The most important problem; NULL: none. */
const struct st_finding *st_report_first_problem(const struct st_report *report);

/** Exit status of the command `report`: 1 (a finding has the status `threshold` or a worse one), 2
 * (an unknown finding could have), else 0. */
int st_report_exit_status(const struct st_report *report, enum st_status threshold);

/** Number of findings with that status that are neither set aside nor needless. */
size_t st_report_count(const struct st_report *report, enum st_status status);

/** Number of findings for which `wanted` is true. */
size_t st_report_count_if(const struct st_report *report,
                          bool (*wanted)(const struct st_finding *finding));

/** Sum of the known costs of findings that fired, in us. */
double st_report_sum_us(const struct st_report *report);
