/* Rules judge facts and make findings. A rule is one folder: advisor/rules/<id>/rule.c and its fixtures. */
#ifndef ST_ADVISOR_RULES_RULE_H
#define ST_ADVISOR_RULES_RULE_H

#include "advisor/facts/facts.h"
#include "core/period.h"

/** In the order of the report (design 8). 0 is "unknown", so that a forgotten assignment never reads "ok". */
enum st_status {
    ST_STATUS_UNKNOWN,
    ST_STATUS_PROBLEM,
    ST_STATUS_ADVICE,
    ST_STATUS_OK,
    ST_STATUS_NOT_APPLICABLE,
};

const char *st_status_name(enum st_status status); /* "problem" ... "not-applicable" */
int st_status_rank(enum st_status status); /* 4 problem, 3 advice, 2 unknown, 1 ok, 0 not applicable */
ST_NODISCARD int st_status_parse(const char *text, enum st_status *ret);

enum st_needs { ST_NEEDS_NOTHING, ST_NEEDS_REOPEN, ST_NEEDS_RELOGIN, ST_NEEDS_REBOOT };
enum st_applicability { ST_APPLY_AUTO, ST_APPLY_MANUAL, ST_APPLY_DANGEROUS };

/** What the user wants to run. */
struct st_wish {
    uint32_t frames;
    uint32_t rate_hz;
    struct st_period period;
    int64_t period_ns;
};

#define ST_FINDING_EVIDENCE_MAX 12

struct st_mute; /* report.h */
/** What `apply` can write. change_kind.c says where and how each is written for ever; sysctl and sysfs change
 * the running system, too. */
enum st_change_kind {
    ST_CHANGE_SYSCTL,     /* key: name of a sysctl */
    ST_CHANGE_SYSCTL_NOW, /* the running value only, where it can be read; another change keeps it */
    ST_CHANGE_SYSFS,      /* key: path below /sys/, '*' within a component */
    ST_CHANGE_SYSFS_NOW,  /* as SYSCTL_NOW */
    ST_CHANGE_MODPROBE,   /* key: module; value: its options, "a=1 b=2" */
    ST_CHANGE_UDEV,       /* key: "rule"; value: the rule */
    ST_CHANGE_LIMITS,     /* key: "@audio - rtprio"; value: "90" */
    ST_CHANGE_SYSTEMD,    /* key: unit, "user@.service"; value: "LimitRTPRIO=90", section [Service] */
    ST_CHANGE_BOOT,      /* key: "boot"; value: options of the kernel's command line. Rules name this one; the
                            machine's boot loader decides which of the three it becomes (change_boot.c) */
    ST_CHANGE_BOOT_GRUB, /* no folder of drop-ins: GRUB's own file */
    ST_CHANGE_BOOT_CMDLINE, /* kernel-install: systemd-boot, unified kernel images */
    ST_CHANGE_LOADER,       /* FreeBSD's boot loader. key: name; value without quotes */
    ST_CHANGE_RC_CONF,      /* FreeBSD. key: variable; value without quotes */
    ST_CHANGE_LOGIN_CLASS,  /* FreeBSD. key: a class of its own; value: "memorylocked=unlimited" */
    ST_CHANGE_KINDS
};

#define ST_CHANGE_KEY_BYTES    128
#define ST_CHANGE_VALUE_BYTES  160
#define ST_FINDING_CHANGES_MAX 1024 /* one a CPU */

/** One setting as data, of a rule that is ST_APPLY_AUTO. */
struct st_change {
    enum st_change_kind kind;
    char key[ST_CHANGE_KEY_BYTES];
    char value[ST_CHANGE_VALUE_BYTES];
};

/** A finding; texts are the finding's own (copied, freed by st_finding_finish) or static. */
struct st_finding {
    const struct st_rule *rule;
    enum st_status status;
    char *summary; /* one sentence for this machine, with its numbers */
    const struct st_fact *evidence[ST_FINDING_EVIDENCE_MAX]; /* quoted */
    size_t evidence_n;
    bool effect_known;
    double effect_us;     /* upper bound for the chosen period, >= 0 */
    char *formula;        /* with this machine's numbers in it; NULL when none */
    char *fix_now;        /* command; NULL: none */
    char *fix_persistent; /* file and line(s) or command; NULL: none */
    enum st_needs needs;
    const char *set_aside;      /* the cost that the profile does not accept ("power"); NULL: none */
    const struct st_mute *mute; /* the user's; borrowed; NULL: none */
    struct st_change *changes;  /* what `apply` writes; none: it has to be done by hand */
    size_t changes_n;
};

/** The usual fix of a rule, without facts: what has to be filled in is in capitals. The guide prints all of
 * it. Empty where the rule can only say ok. */
struct st_rule_guide {
    const char *now;        /* commands; NULL: none */
    const char *persistent; /* lines of a file behind "# /its/name", commands behind "# then", words behind
                               "# ", going on in the next line from 70 columns on and behind ',' and ':';
                               NULL: none */
    enum st_needs needs;
    const char *check; /* commands; behind '#' what they show when it is right */
    const char *undo;  /* by hand; a sentence without its full stop */
};

struct st_rule {
    const char *id; /* stable for ever, never reused: "linux-timer-slack" */
    enum st_os os;
    const char *title;     /* at most 60 columns */
    const char *mechanism; /* two sentences in plain words */
    const char *privilege; /* "none", "root", "CAP_SYS_NICE" ... for the fix */
    const char *cost; /* "power, heat: some words": power, fairness, security, throughput, memory ... before
                         the colon are what profiles go by; "none" */
    const char *when_not;
    const char *sources; /* documents, kernel files; one a line */
    const char *history; /* "15.0: what changed (source)", one a line, oldest first; NULL: nothing known */
    struct st_rule_guide guide;
    enum st_status worst; /* the worst it can say: problem, advice, or ok for one that only explains why
                             something has no effect. An unknown counts at a threshold only if that can
                             reach it */
    enum st_applicability applicability;
    const char *first_version; /* OS version it is true from; NULL: always */
    const char *last_version;  /* and up to; NULL: still */
    const char *const
        *facts; /* keys it reads, NULL-terminated; "prefix*" and "*suffix" patterns with one '*' allowed */
    /** Running values that its changes write, NULL-terminated: names of sysctls, paths below /sys; '*' stands
     * for a name. A journal may name no other. NULL: none. */
    const char *const *targets;
    /** Judges. Pure: no I/O, no clock, no globals. finding comes with rule set, status unknown. */
    void (*judge)(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding);
};

/** All rules of this build, in the order of the table in rules/meson.build, which is that of their usual
 * effect. */
extern const struct st_rule *const st_rules[];
extern const size_t st_rules_n;
const struct st_rule *st_rule_find(const char *id); /* NULL: no such rule */
/** Does a change of this rule write that running value? */
bool st_rule_writes(const struct st_rule *rule, const char *target);
size_t st_rule_place(const struct st_rule *rule); /* among them; st_rules_n: it is none of them */

/* --- for rules --- */

/** Sets status and a printf-formatted summary. */
void st_finding_set(struct st_finding *finding, enum st_status status, const char *format, ...)
    ST_PRINTF(3, 4);
/** Upper bound in us with its formula in this machine's numbers. */
void st_finding_effect(struct st_finding *finding, double effect_us, const char *format, ...) ST_PRINTF(3, 4);
/** Commands; NULL for none. */
void st_finding_fix(struct st_finding *finding, const char *now, const char *persistent, enum st_needs needs);
/** The fix of the rule's guide. */
void st_finding_fix_usual(struct st_finding *finding);
/** Adds a change; texts that do not fit leave it empty, which st_change_check refuses. With one too many, or
 * no memory, all of them go: it has to be done by hand then. */
void st_finding_change(struct st_finding *finding, enum st_change_kind kind, const char *key,
                       const char *value);
/** Quotes a fact as evidence (also an absent or unreadable one, if somebody looked for it). */
void st_finding_quote(struct st_finding *finding, const struct st_facts *facts, const char *key);
/**
 * The usual beginning of a rule: quotes the fact and turns its state into a status when it is not ok:
 * absent -> not-applicable, unreadable or malformed -> unknown (with the reason and what would make it
 * readable).
 * @return 0 with the number, or the negative errno of st_facts_int with the finding set.
 */
ST_NODISCARD int st_finding_need_int(struct st_finding *finding, const struct st_facts *facts,
                                     const char *key, int64_t *ret);
ST_NODISCARD int st_finding_need_text(struct st_finding *finding, const struct st_facts *facts,
                                      const char *key, const char **ret);
void st_finding_finish(struct st_finding *finding);

/* --- for reports --- */

/** Does it count: neither muted nor set aside by the profile? */
bool st_finding_counts(const struct st_finding *finding);
/** A problem or advice that counts. */
bool st_finding_fired(const struct st_finding *finding);
/** One of those that can make this loop late: a problem, or its cost is not known to be 0. */
bool st_finding_bears(const struct st_finding *finding);
/** One of those that are about delay, comfort or what is seen. */
bool st_finding_harmless(const struct st_finding *finding);
/** Is there something to say about the cost? A known one, or that of a setting to be changed. */
bool st_finding_costs(const struct st_finding *finding);

#endif
