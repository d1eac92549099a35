/* Rules judge facts and make findings. A rule is one `const struct st_rule` in the file of its topic, a row
 * in the table of rule.c, and fixtures in tests/fixtures/rules/<id>.facts. */
#pragma once

#include "advisor/facts/facts.h"
#include "advisor/rules/finding.h"
#include "core/period.h"

#define ST_WISH_WHY_BYTES 96

/** The period to judge for: what the user wants, or what a server or a program of that machine runs with. */
struct st_wish {
    uint32_t frames;
    uint32_t rate_hz;
    struct st_period period;
    int64_t period_ns;
    bool in_use;                 /* it is a server's: no rule advises against it */
    char why[ST_WISH_WHY_BYTES]; /* who set it; "": the user */
};

/** Lists of a rule, each with its end. */
#define ST_RULE_CASES(...)   ((const struct st_rule_case[]){__VA_ARGS__, {0}})
#define ST_RULE_CHANGES(...) ((const struct st_change[]){__VA_ARGS__, {0}})

/** One line of a rule without code: "if this is the number: advice, with this sentence". The last one is for
 * all other numbers. */
struct st_rule_case {
    int64_t number;
    enum st_status status;
    const char *summary; /* "{}" stands for the fact */
    const char *effect;  /* why advice costs 0 µs; NULL: the cost is not known. Ok always costs 0 */
};

struct st_rule {
    const char *id;        /* stable for ever, never reused, begins with the OS: "linux-timer-slack" */
    const char *title;     /* at most 60 columns */
    const char *mechanism; /* two sentences in plain words */
    const char *privilege; /* who may make the fix: "none", "CAP_SYS_NICE" ...; NULL: root */
    const char *cost; /* "power, heat: some words": power, fairness, security, throughput, memory ... before
                         the colon are what profiles look at; NULL: "none" */
    const char *when_not;
    const char *sources; /* documents, kernel files; one a line */
    const char *history; /* "15.0: what changed (source)", one a line, oldest first; NULL: nothing known */

    /* The usual fix, without facts: what has to be filled in is in capitals. The guide prints all of it.
     * Empty where the rule can only say ok. */
    const char *now;        /* commands; NULL: none */
    const char *persistent; /* lines of a file behind "# /its/name", commands behind "# then", words behind
                               "# ", going on in the next line from 70 columns on and behind ',' and ':';
                               NULL: none */
    enum st_needs needs;    /* nothing, if a rule does not say it */
    const char *check;      /* commands; behind '#' what they show when it is right */
    const char *undo;       /* by hand; a sentence without its full stop */

    enum st_status worst; /* the worst it can say: problem, or ok for one that only explains why something has
                             no effect; advice, if a rule does not say it (st_rule_worst) */
    double problem_share; /* of the period, from which on an effect is a problem; 0: none is. A choice of the
                             rule */
    /** Keys it reads, NULL-terminated, but for those that say what text or tree the facts are from. Patterns
     * "prefix*" and "*suffix" with one '*' are allowed. */
    const char *const *facts;
    const struct st_change *changes; /* of that fix; ends with {0}; NULL: none */
    /** Running values that its code changes besides, NULL-terminated: names of sysctls, paths below /sys; '*'
     * stands for a name. A journal may name none but these and those of `changes`. NULL: none. */
    const char *const *targets;

    /* It has one of these four. The last three look at the first fact, as st_finding_need_int() or _text(),
     * and judge only if it has a value. */

    /** Judges. Pure: no I/O, no clock, no globals. The finding has rule, facts and wish, and the status
     * unknown. */
    void (*judge)(struct st_finding *finding);
    void (*judge_number)(struct st_finding *finding, int64_t number);
    void (*judge_text)(struct st_finding *finding, const char *text);
    /** A rule that looks at one number and has no code: its case is the finding; "Y" is 1, "N" is 0. A
     * problem or advice has the usual fix. Ends with {0}. */
    const struct st_rule_case *cases;
    int64_t least, most; /* which numbers are valid; most 0: all */
    bool of_user;        /* its first fact is of a user or process, and unknown where nothing looked for it */
    const char *absent;  /* what not-applicable says where the first fact is absent; NULL: that it is */
};

/** All rules, in the order of their usual effect. */
extern const struct st_rule *const st_rules[];
extern const size_t st_rules_n;
const struct st_rule *st_rule_find(const char *id); /* NULL: no such rule */
enum st_os st_rule_os(const struct st_rule *rule);
const char *st_rule_privilege(const struct st_rule *rule); /* "root", if the rule does not say it */
const char *st_rule_cost(const struct st_rule *rule);      /* "none", if the rule does not say it */
/** An unknown counts at a threshold only if this reaches it. */
enum st_status st_rule_worst(const struct st_rule *rule);
/** Can `apply` make changes of this rule: has it `changes` or `targets`? Else they are made by hand. */
bool st_rule_is_applied(const struct st_rule *rule);
/** Does a change of this rule write that running value? */
bool st_rule_writes(const struct st_rule *rule, const char *target);
/** How long these frames last at this rate, us. */
double st_rule_us(int64_t frames, int64_t rate_hz);
/** A period of 5 ms or more, and no dropout counted: players that have time. A choice of the rules. */
#define ST_RULE_LONG_NS INT64_C(5000000)
bool st_rule_is_at_ease(const struct st_finding *finding);
/** The period that the finding is judged for, us. */
double st_rule_period_us(const struct st_finding *finding);
/** Judges with the rule's cases or code. finding: zeroed. */
void st_rule_judge(const struct st_rule *rule, const struct st_facts *facts, const struct st_wish *wish,
                   struct st_finding *finding);
/** Quotes the rule's first fact. Unless the rule is not applicable, quotes as well the other facts that
 * the rule lists by a whole key, if they are there. */
void st_rule_quote(struct st_finding *finding);
/** Does `apply` make the changes of this finding, and does this machine keep them where `apply` can write? */
bool st_rule_can_apply(const struct st_finding *finding);
/** Gives the finding its rule's usual fix, with the changes. */
void st_rule_fix(struct st_finding *finding);
/** As st_rule_fix, with `value` in place of each `word` in the fix. */
void st_rule_fix_with(struct st_finding *finding, const char *word, const char *value);
/** What a rule reports: the first row whose `is` is true decides. `costs`: an OK row has an unknown
 * effect, not the effect 0. */
struct st_rule_row {
    bool is;
    enum st_status status;
    const char *says;
    const struct st_fact *quoted; /* NULL: none */
    bool costs;
};
/** Sets the finding. @return true: the finding is a problem or advice, and still lacks a fix. */
bool st_rule_say_first(struct st_finding *finding, const struct st_rule_row *rows);
#define st_rule_say(finding, ...) st_rule_say_first((finding), (const struct st_rule_row[]){__VA_ARGS__, {0}})
/** Advice with the rule's usual fix. */
#define st_rule_advise(finding, ...) (st_finding_advice((finding), __VA_ARGS__), st_rule_fix(finding))
