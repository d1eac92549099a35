/* What a rule says about a machine: status, sentence, evidence, effect, and how to change it. */
#pragma once

#include "advisor/facts/facts.h"

/** In the order of the report. 0 is "unknown", so that a forgotten assignment never reads "ok". */
enum st_status {
    ST_STATUS_UNKNOWN,
    ST_STATUS_PROBLEM,
    ST_STATUS_ADVICE,
    ST_STATUS_OK,
    ST_STATUS_NOT_APPLICABLE,
};

/** By status. */
extern const struct st_status_row {
    const char *name;   /* "problem" ... "not-applicable" */
    int rank;           /* 4 problem, 3 advice, 2 unknown, 1 ok, 0 not applicable */
    const char *colour; /* of a terminal */
} st_finding_statuses[ST_STATUS_NOT_APPLICABLE + 1];
ST_NODISCARD int st_finding_status_parse(const char *text, enum st_status *ret);

enum st_needs { ST_NEEDS_NOTHING, ST_NEEDS_REOPEN, ST_NEEDS_RELOGIN, ST_NEEDS_REBOOT };

/** By what a fix needs. */
extern const struct st_needs_row {
    const char *name; /* "nothing" ... "reboot" */
    const char *text; /* for people */
    const char *then; /* the same behind a command: "; then reboot" */
} st_finding_needs[ST_NEEDS_REBOOT + 1];

#define ST_FINDING_EVIDENCE_MAX 20

struct st_rule; /* rule.h */

/** What `apply` can write. advisor/change/change.c says where and how each is written for ever; sysctl and
 * sysfs change the running system, too. */
enum st_change_kind {
    ST_CHANGE_SYSCTL,      /* key: name of a sysctl */
    ST_CHANGE_SYSCTL_NOW,  /* the running value only, where it can be read; another change keeps it */
    ST_CHANGE_SYSFS,       /* key: path below /sys/, '*' within a component */
    ST_CHANGE_SYSFS_NOW,   /* as SYSCTL_NOW */
    ST_CHANGE_MODPROBE,    /* key: module; value: its options, "a=1 b=2" */
    ST_CHANGE_UDEV,        /* key: "rule"; value: the rule */
    ST_CHANGE_LIMITS,      /* key: "musician - rtprio"; value: "90" */
    ST_CHANGE_SYSTEMD,     /* key: unit, "user@.service"; value: "LimitRTPRIO=90", section [Service] */
    ST_CHANGE_PIPEWIRE,    /* key: the folder of the user's settings; value: "default.clock.quantum = 128" */
    ST_CHANGE_WIREPLUMBER, /* key: as above; value: how node.name of a card begins, which gets more
                              reserve */
    ST_CHANGE_WIREPLUMBER_LUA, /* the same for WirePlumber 0.4 */
    ST_CHANGE_BOOT,    /* key: "boot"; value: options of the kernel's command line, for GRUB's drop-ins */
    ST_CHANGE_LOADER,  /* FreeBSD's boot loader. key: name; value without quotes */
    ST_CHANGE_RC_CONF, /* FreeBSD. key: "service:variable"; value without quotes */
    ST_CHANGE_KINDS
};

#define ST_CHANGE_KEY_BYTES    128
#define ST_CHANGE_VALUE_BYTES  160
#define ST_FINDING_CHANGES_MAX 1024 /* one a CPU */

/** One setting as data. */
struct st_change {
    enum st_change_kind kind;
    char key[ST_CHANGE_KEY_BYTES];
    char value[ST_CHANGE_VALUE_BYTES];
};

/** A finding; texts are the finding's own (copied, freed by st_finding_finish) or static. */
struct st_finding {
    const struct st_rule *rule;
    const struct st_facts *facts; /* what it is judged by; borrowed */
    const struct st_wish *wish;   /* borrowed, valid while the rule judges */
    enum st_status status;
    char *summary; /* one sentence for this machine, with its numbers */
    const struct st_fact *evidence[ST_FINDING_EVIDENCE_MAX]; /* quoted */
    size_t evidence_n;
    bool effect_known;
    double effect_us;     /* upper bound for the chosen period, >= 0 */
    double measured;      /* by tune; larger: nearer to the beginning of a report */
    bool takes_all;       /* may cost the whole period, though no bound is known */
    char *formula;        /* with this machine's numbers in it; NULL: none, as of many that cost 0 */
    char *fix_now;        /* command; NULL: none */
    char *fix_persistent; /* file and line(s) or command; NULL: none */
    enum st_needs needs;
    bool in_place;         /* what the fix writes is written: what is left to do is what it needs */
    const char *set_aside; /* the cost that the profile does not accept ("power"); NULL: none */
    const char *needless;  /* why it need not be done ("linux-rt-permission does it, too"); NULL: no reason */
    struct st_change *changes; /* what `apply` writes; none: it has to be done by hand */
    size_t changes_n;
};

/* --- for rules --- */

/** Keys of facts, with their end. */
#define ST_RULE_KEYS(...) ((const char *const[]){__VA_ARGS__, NULL})

/** Sets status and a printf-formatted summary. */
void st_finding_set(struct st_finding *finding, enum st_status status, const char *format, ...)
    ST_PRINTF(3, 4);
/** The same for ok that adds nothing to a wake-up: the effect is 0, without a formula. */
void st_finding_fine(struct st_finding *finding, const char *format, ...) ST_PRINTF(2, 3);
#define st_finding_ok(finding, ...)      st_finding_set((finding), ST_STATUS_OK, __VA_ARGS__)
#define st_finding_advice(finding, ...)  st_finding_set((finding), ST_STATUS_ADVICE, __VA_ARGS__)
#define st_finding_problem(finding, ...) st_finding_set((finding), ST_STATUS_PROBLEM, __VA_ARGS__)
#define st_finding_unknown(finding, ...) st_finding_set((finding), ST_STATUS_UNKNOWN, __VA_ARGS__)
#define st_finding_not_applicable(finding, ...)                                                              \
    st_finding_set((finding), ST_STATUS_NOT_APPLICABLE, __VA_ARGS__)
/** Sets the upper bound in us, >= 0, and its formula with this machine's numbers. Advice becomes a problem
 * from the rule's share of the period on. */
void st_finding_effect(struct st_finding *finding, double effect_us, const char *format, ...) ST_PRINTF(3, 4);
/** Sets the commands, printf-formatted: for now, and for ever. */
void st_finding_fix_now(struct st_finding *finding, const char *format, ...) ST_PRINTF(2, 3);
void st_finding_fix_persistent(struct st_finding *finding, enum st_needs needs, const char *format, ...)
    ST_PRINTF(3, 4);
/** Sets both as they are; NULL: none. */
void st_finding_fix(struct st_finding *finding, const char *now, const char *persistent, enum st_needs needs);
/** Adds a change. One whose texts do not fit is empty, and st_change_check() refuses it. With too many
 * changes, or out of memory, the finding has none, and the user has to make them by hand. */
void st_finding_change(struct st_finding *finding, enum st_change_kind kind, const char *key,
                       const char *value);
/** Quotes a fact as evidence (also an absent or unreadable one, if a collector looked for it; NULL: none).
 * What a rule lists by its whole key is quoted by itself, and what it lists as "*.leaf" beside a quoted one
 * (rule.c). */
void st_finding_quote(struct st_finding *finding, const struct st_fact *fact);
void st_finding_quote_key(struct st_finding *finding, const char *key);
/**
 * How a rule begins: quotes the fact, and sets the finding if there is no value: absent -> not-applicable,
 * unreadable or malformed -> unknown, with the reason and what would make it readable.
 * @param ret may be NULL. @return 0 with the number, or the negative errno of st_facts_int with the finding
 * set. */
ST_NODISCARD int st_finding_need_int(struct st_finding *finding, const char *key, int64_t *ret);
/** The same of a number that is not understood outside of least .. most. most 0: any is. */
ST_NODISCARD int st_finding_need_in(struct st_finding *finding, const char *key, int64_t least, int64_t most,
                                    int64_t *ret);
ST_NODISCARD int st_finding_need_text(struct st_finding *finding, const char *key, const char **ret);
/** Does this server ("PipeWire") run for another user? Then the finding is not applicable. */
bool st_finding_is_of_other(struct st_finding *finding, const char *daemon_key, const char *name);
void st_finding_finish(struct st_finding *finding);

/* --- for reports --- */

bool st_finding_has_fix(const struct st_finding *finding);
/** Not set aside by the profile, nor needless. */
bool st_finding_counts(const struct st_finding *finding);
/** A problem or advice, whether it counts or not. */
bool st_finding_asks(const struct st_finding *finding);
/** A problem or advice that counts. */
bool st_finding_has_fired(const struct st_finding *finding);
/** It fired and can make this loop late: a problem, or an effect that is not known to be 0. */
bool st_finding_may_delay(const struct st_finding *finding);
