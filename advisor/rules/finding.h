/* What a rule finds on a machine: status, sentence, evidence, effect, and how to change it. */
#pragma once

#include "advisor/facts/facts.h"

/** Status of a finding; `rank` below is its order in a report. 0 is "unknown", so that a forgotten
 * assignment never reads as "ok". */
enum st_status {
    ST_STATUS_UNKNOWN,
    ST_STATUS_PROBLEM,
    ST_STATUS_ADVICE,
    ST_STATUS_OK,
    ST_STATUS_NOT_APPLICABLE,
};

/** Names and order of the statuses; index: enum st_status. */
extern const struct st_status_row {
    const char *name; /* "problem" ... "not-applicable" */
    int rank; /* order in a report: 4 problem, 3 advice, 2 unknown, 1 ok, 0 not applicable */
    const char *colour; /* escape sequence of a terminal */
} st_finding_statuses[ST_STATUS_NOT_APPLICABLE + 1];
ST_NODISCARD int st_finding_status_parse(const char *text, enum st_status *ret);

enum st_needs { ST_NEEDS_NOTHING, ST_NEEDS_REOPEN, ST_NEEDS_RELOGIN, ST_NEEDS_REBOOT };

/** What a fix needs to take effect; index: enum st_needs. */
extern const struct st_needs_row {
    const char *name; /* name in the JSON of a report: "relogin" */
    const char *text; /* a clause for people: "log out and in again" */
    const char *then; /* text after a command: "; then reboot" */
} st_finding_needs[ST_NEEDS_REBOOT + 1];

#define ST_FINDING_EVIDENCE_MAX 20

struct st_rule; /* rule.h */

/** What `apply` can write. advisor/change/change.c says where and how each kind is stored; sysctl
 * and sysfs also change the running system. */
enum st_change_kind {
    ST_CHANGE_SYSCTL,     /* key: name of a sysctl; sets the running value and a line in a file */
    ST_CHANGE_SYSCTL_NOW, /* the running value only; another change makes it permanent */
    ST_CHANGE_SYSFS,      /* key: path below /sys/, '*' within a component */
    ST_CHANGE_SYSFS_NOW,  /* as ST_CHANGE_SYSCTL_NOW, for a path below /sys/ */
    ST_CHANGE_MODPROBE,   /* key: module; value: its options, "a=1 b=2" */
    ST_CHANGE_UDEV,       /* key: "rule"; value: the rule */
    ST_CHANGE_LIMITS,     /* key: "musician - rtprio"; value: "90" */
    ST_CHANGE_SYSTEMD,  /* key: unit, "user@.service"; value: "LimitRTPRIO=90", section [Service] */
    ST_CHANGE_PIPEWIRE, /* key: the folder of the user's settings; value: "default.clock.quantum =
                           128" */
    ST_CHANGE_WIREPLUMBER, /* key: as for ST_CHANGE_PIPEWIRE; value: beginning of the node.name of a
                              card that gets more reserve */
    ST_CHANGE_WIREPLUMBER_LUA, /* as ST_CHANGE_WIREPLUMBER, for WirePlumber 0.4 */
    ST_CHANGE_BOOT,    /* key: "boot"; value: options of the kernel's command line, for GRUB's
                        * drop-ins */
    ST_CHANGE_LOADER,  /* FreeBSD's boot loader. key: name; value without quotes */
    ST_CHANGE_RC_CONF, /* FreeBSD. key: "service:variable"; value without quotes */
    ST_CHANGE_KINDS
};

#define ST_CHANGE_KEY_BYTES    128
#define ST_CHANGE_VALUE_BYTES  160
#define ST_FINDING_CHANGES_MAX 1024 /* enough for one change for each CPU */

/** One setting that `apply` can write. */
struct st_change {
    enum st_change_kind kind;
    char key[ST_CHANGE_KEY_BYTES];
    char value[ST_CHANGE_VALUE_BYTES];
};

/** A finding; texts are the finding's own (copied, freed by st_finding_finish) or static. */
struct st_finding {
    const struct st_rule *rule;
    const struct st_facts *facts; /* the facts that the rule judged; borrowed */
    const struct st_wish *wish;   /* borrowed, valid while the rule judges */
    enum st_status status;
    char *summary; /* what was found on this machine, as one sentence with its numbers */
    const struct st_fact *evidence[ST_FINDING_EVIDENCE_MAX]; /* facts that the report quotes */
    size_t evidence_n;
    bool effect_known;
    double effect_us; /* upper bound of the lateness that the setting causes with the chosen period,
                         >= 0 */
    double measured;  /* result of `tune`; a larger value puts the finding earlier in a report */
    bool takes_all;   /* the setting may make a thread late by the whole period, though no bound is
                         known */
    char *
        formula; /* how effect_us was computed here; NULL: none, as for most findings that cost 0 */
    char *fix_now;        /* command; NULL: none */
    char *fix_persistent; /* file and line(s) or command; NULL: none */
    enum st_needs needs;
    bool in_place;         /* the fix is already written, and waits for what `needs` says */
    const char *set_aside; /* the cost that the profile does not accept ("power"); NULL: none */
    const char *needless;  /* why no action is needed ("the fix of linux-rt-permission solves this,
                              too");  NULL: no reason */
    struct st_change *changes; /* what `apply` writes; NULL: the user makes the changes by hand */
    size_t changes_n;
};

/* --- for rules --- */

/** A list of keys of facts, ended by NULL. */
#define ST_RULE_KEYS(...) ((const char *const[]){__VA_ARGS__, NULL})

/** Sets status and a printf-formatted summary. */
void st_finding_set(struct st_finding *finding, enum st_status status, const char *format, ...)
    ST_PRINTF(3, 4);
/** Sets the status ok for a setting that adds nothing to a wake-up: effect 0, without a formula. */
void st_finding_fine(struct st_finding *finding, const char *format, ...) ST_PRINTF(2, 3);
#define st_finding_ok(finding, ...)      st_finding_set((finding), ST_STATUS_OK, __VA_ARGS__)
#define st_finding_advice(finding, ...)  st_finding_set((finding), ST_STATUS_ADVICE, __VA_ARGS__)
#define st_finding_problem(finding, ...) st_finding_set((finding), ST_STATUS_PROBLEM, __VA_ARGS__)
#define st_finding_unknown(finding, ...) st_finding_set((finding), ST_STATUS_UNKNOWN, __VA_ARGS__)
#define st_finding_not_applicable(finding, ...)                                                    \
    st_finding_set((finding), ST_STATUS_NOT_APPLICABLE, __VA_ARGS__)
/** Sets the upper bound in us, >= 0, and its formula with this machine's numbers. Advice becomes a
 * problem if the effect reaches the rule's share of the period. */
void st_finding_effect(struct st_finding *finding, double effect_us, const char *format, ...)
    ST_PRINTF(3, 4);
/** Set the printf-formatted commands: until reboot, and permanent. */
void st_finding_fix_now(struct st_finding *finding, const char *format, ...) ST_PRINTF(2, 3);
void st_finding_fix_persistent(struct st_finding *finding, enum st_needs needs, const char *format,
                               ...) ST_PRINTF(3, 4);
/** Sets both commands unchanged; NULL: none. */
void st_finding_fix(struct st_finding *finding, const char *now, const char *persistent,
                    enum st_needs needs);
/** Adds a change. A change whose texts do not fit is stored empty, and st_change_form() refuses it.
 * With too many changes, or out of memory, all changes are dropped, and the user has to make them
 * by hand. */
void st_finding_change(struct st_finding *finding, enum st_change_kind kind, const char *key,
                       const char *value);
/** Quotes a fact as evidence; absent and unreadable facts too, if a collector looked for them
 * (NULL: none). Facts that a rule lists by a whole key are quoted automatically, and so are facts
 * listed as
 * "*.leaf" beside a quoted one (rule.c). */
void st_finding_quote(struct st_finding *finding, const struct st_fact *fact);
void st_finding_quote_key(struct st_finding *finding, const char *key);
/** The usual beginning of a rule: quotes the fact; if there is no value, sets the finding: absent
 * -> not-applicable, unreadable or malformed -> unknown, with the reason and what would make the
 * fact readable. @param ret may be NULL. @return 0 with the number, or the negative errno of
 * st_facts_int with the finding set. */
ST_NODISCARD int st_finding_need_int(struct st_finding *finding, const char *key, int64_t *ret);
/** As st_finding_need_int, but a number outside of least .. most makes the finding unknown. @param
 * most 0: any number. */
ST_NODISCARD int st_finding_need_in(struct st_finding *finding, const char *key, int64_t least,
                                    int64_t most, int64_t *ret);
ST_NODISCARD int st_finding_need_text(struct st_finding *finding, const char *key,
                                      const char **ret);
/** Does this server ("PipeWire") run for another user? If so, the finding becomes not
 * applicable. */
bool st_finding_is_of_other(struct st_finding *finding, const char *daemon_key, const char *name);
void st_finding_finish(struct st_finding *finding);

/* --- for reports --- */

bool st_finding_has_fix(const struct st_finding *finding);
/** Does the finding count: it is neither set aside by the profile, nor needless? */
bool st_finding_counts(const struct st_finding *finding);
/** Does the finding ask for a change: is it a problem or advice, whether or not it counts? */
bool st_finding_asks(const struct st_finding *finding);
/** Did the finding fire: is it a problem or advice that counts? */
bool st_finding_has_fired(const struct st_finding *finding);
/** Did the finding fire, and can it make this loop late: a problem, or an effect that may be above
 * 0? */
bool st_finding_may_delay(const struct st_finding *finding);
