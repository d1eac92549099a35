/* Rules judge facts and make findings. A rule is one `const struct st_rule` in the file of its
 * topic, a row in the table of rule.c, and fixtures in tests/fixtures/rules/<id>.facts. */
#pragma once

#include "advisor/rules/finding.h"
#include "core/period.h"

#define ST_WISH_WHY_BYTES 96

/** The period to judge for: what the user asked for, or what a server or program of that machine
 * uses. */
struct st_wish {
    uint32_t frames;
    uint32_t rate_hz;
    struct st_period period;
    int64_t period_ns;
    bool in_use; /* the period is in use, not a wish of the user: no rule advises against it */
    char why[ST_WISH_WHY_BYTES]; /* who set the period, for people; "": the user */
};

/** ST_RULE_CASES makes the list `cases` of a rule, ST_RULE_CHANGES the list `changes`. Each ends
 * with an empty row. */
#define ST_RULE_CASES(...)   ((const struct st_rule_case[]){__VA_ARGS__, {0}})
#define ST_RULE_CHANGES(...) ((const struct st_change[]){__VA_ARGS__, {0}})

/** One case of a rule without code: for this number, this status and sentence. The last case is for
 * all other numbers. */
struct st_rule_case {
    int64_t number;
    enum st_status status;
    const char *summary; /* sentence; "{}" stands for the number */
    const char *effect; /* why advice costs 0 µs; NULL: the cost is not known. A case with OK always
                           costs 0 */
};

struct st_rule {
    const char *id;        /* stable, never reused, begins with the OS: "linux-timer-slack" */
    const char *title;     /* at most 60 columns */
    const char *mechanism; /* two sentences in plain words: why the setting matters */
    const char *privilege; /* who may apply the fix: "none", "CAP_SYS_NICE" ...; NULL: root */
    const char
        *cost; /* "power, heat: some words". The words before the colon are compared with profiles:
                  power, fairness, security, throughput, memory ...; NULL: "none" */
    const char *when_not;
    const char *sources; /* documents, kernel files; one a line */
    const char *history; /* "15.0: what changed (source)", one on each line, oldest first; NULL:
                            nothing known */

    /* The usual fix, independent of facts: words in capitals must be filled in. The guide prints
     * all of it. Empty in a rule that can only report ok. */
    const char *now;        /* commands; NULL: none */
    const char *persistent; /* lines of a file after "# /its/name", commands after "# then", words
                               after "# "; a line of 70 columns or more, or ending with ',' or ':',
                               continues on the next line; NULL: none */
    enum st_needs needs;    /* "nothing" if not set */
    const char *check; /* commands, followed by '#' and their output when the setting is right */
    const char *undo;  /* how to undo the fix by hand; a sentence without its full stop */

    enum st_status
        worst; /* the worst status of the rule: problem, or ok for a rule that only explains why
                  something has no effect; advice if not set (st_rule_worst) */
    double problem_share; /* share of the period from which on an effect is a problem; 0: never.
                             Chosen by the rule */
    /** Keys that the rule reads, NULL-terminated, except keys about the origin of the facts (a
     * posted text, a saved tree). Patterns "prefix*" and "*suffix" with one '*' are allowed. */
    const char *const *facts;
    const struct st_change *changes; /* changes of the usual fix; ends with {0}; NULL: none */
    /** Further running values that the rule's code changes, NULL-terminated: names of sysctls,
     * paths below /sys; '*' stands for a name. A journal may name only these values and those of
     * `changes`. NULL: none. */
    const char *const *targets;

    /* A rule has exactly one of judge, judge_number, judge_text and cases. The last three read the
     * first fact, as st_finding_need_int() or _text(), and judge only if it has a value. */

    /** Judges. Pure: no I/O, no clock, no globals. On entry the finding has rule, facts and wish,
     * and the status unknown. */
    void (*judge)(struct st_finding *finding);
    void (*judge_number)(struct st_finding *finding, int64_t number);
    void (*judge_text)(struct st_finding *finding, const char *text);
    /** For a rule that reads one number and has no code: the matching case is the finding; "Y" is
     * 1, "N" is 0. A problem or advice gets the usual fix. Ends with {0}. */
    const struct st_rule_case *cases;
    int64_t least, most; /* range of valid numbers; most 0: all */
    bool of_user; /* the first fact is about a user or process; if no collector looked for it, the
                     rule is unknown */
    const char *absent; /* what not-applicable says if the first fact is absent; NULL: that the fact
                           is absent */
};

/** All rules, in the order of their usual effect. */
extern const struct st_rule *const st_rules[];
extern const size_t st_rules_n;
const struct st_rule *st_rule_find(const char *id); /* NULL: no such rule */
enum st_os st_rule_os(const struct st_rule *rule);
const char *st_rule_privilege(const struct st_rule *rule); /* "root" if not set */
const char *st_rule_cost(const struct st_rule *rule);      /* "none" if not set */
/** The worst status that the rule can report. A finding that is unknown counts for the exit status
 * only if this status reaches the threshold. */
enum st_status st_rule_worst(const struct st_rule *rule);
/** Can `apply` make changes of this rule, because `changes` or `targets` is set? false: users make
 * the changes by hand. */
bool st_rule_is_applied(const struct st_rule *rule);
/** Does a change of this rule write that running value? */
bool st_rule_writes(const struct st_rule *rule, const char *target);
/** Duration of `frames` at rate_hz, us. */
double st_rule_us(int64_t frames, int64_t rate_hz);
/** Is the period 5 ms or longer, and was no dropout counted? Programs then have time to spare. The
 * limit is a choice of the rules. */
#define ST_RULE_LONG_NS INT64_C(5000000)
bool st_rule_is_at_ease(const struct st_finding *finding);
/** The period that the finding is judged for, us. */
double st_rule_period_us(const struct st_finding *finding);
/** Judges `facts` with the rule's cases or code, and fills the finding. @param finding zeroed. */
void st_rule_judge(const struct st_rule *rule, const struct st_facts *facts,
                   const struct st_wish *wish, struct st_finding *finding);
/** Quotes the rule's first fact as evidence. Unless the rule is not applicable, also quotes the
 * other facts that the rule lists by a whole key, if they exist. */
void st_rule_quote(struct st_finding *finding);
/** Can `apply` make the changes of this finding on this machine? It cannot if settings are kept
 * elsewhere (NixOS), or the user must add a boot option by hand. */
bool st_rule_can_apply(const struct st_finding *finding);
/** Gives the finding its rule's usual fix, with the changes. */
void st_rule_fix(struct st_finding *finding);
/** As st_rule_fix, with `value` in place of each `word` in the fix. */
void st_rule_fix_with(struct st_finding *finding, const char *word, const char *value);
/** One possible result of a rule: the first row whose `is` is true sets the finding. An OK row
 * states that the setting adds nothing to a wake-up (effect 0), unless `costs` is set: the effect
 * is then unknown. */
struct st_rule_row {
    bool is;
    enum st_status status;
    const char *says;
    const struct st_fact *quoted; /* evidence; NULL: none */
    bool costs;
};
/** Sets the finding by the first row whose `is` is true; the last row is empty. @return true: the
 * finding is a problem or advice, and still lacks a fix. */
bool st_rule_say_first(struct st_finding *finding, const struct st_rule_row *rows);
#define st_rule_say(finding, ...)                                                                  \
    st_rule_say_first((finding), (const struct st_rule_row[]){__VA_ARGS__, {0}})
/** Gives advice, with the rule's usual fix. */
#define st_rule_advise(finding, ...)                                                               \
    (st_finding_advice((finding), __VA_ARGS__), st_rule_fix(finding))
