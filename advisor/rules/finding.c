/* The finding of a rule, and the names of the statuses. */
#include "advisor/rules/finding.h"
#include "advisor/facts/owner.h"
#include "advisor/rules/rule.h"

const struct st_status_row st_finding_statuses[ST_STATUS_NOT_APPLICABLE + 1] = {
    [ST_STATUS_UNKNOWN] = {"unknown", 2, "\033[1;35m"},
    [ST_STATUS_PROBLEM] = {"problem", 4, "\033[1;31m"},
    [ST_STATUS_ADVICE] = {"advice", 3, "\033[1;33m"},
    [ST_STATUS_OK] = {"ok", 1, "\033[32m"},
    [ST_STATUS_NOT_APPLICABLE] = {"not-applicable", 0, "\033[2m"},
};

const struct st_needs_row st_finding_needs[ST_NEEDS_REBOOT + 1] = {
    [ST_NEEDS_NOTHING] = {"nothing", "works at once", "; works at once"},
    [ST_NEEDS_REOPEN] = {"reopen", "programs must open the sound device again",
                         "; then open the device again"},
    [ST_NEEDS_RELOGIN] = {"relogin", "log out and in again", "; then log out and in again"},
    [ST_NEEDS_REBOOT] = {"reboot", "reboot", "; then reboot"},
};

int st_finding_status_parse(const char *text, enum st_status *ret)
{
    for (size_t i = 0; i < ST_ARRAY_LEN(st_finding_statuses); i++) {
        if (st_text_is(text, st_finding_statuses[i].name)) {
            *ret = (enum st_status)i;
            return 0;
        }
    }
    return -EINVAL;
}

/** Replaces *text by the printed text as valid UTF-8, since a precision may cut a character in two.
 * NULL: out of memory. */
static void ST_PRINTF(2, 0) replace(char **text, const char *format, va_list args)
{
    char *printed;
    free(*text);
    *text = NULL;
    if (vasprintf(&printed, format, args) < 0)
        return;
    *text = st_text_utf8(printed, strlen(printed));
    free(printed);
}

#define REPLACE(text, format)                                                                      \
    do {                                                                                           \
        va_list args;                                                                              \
        va_start(args, format);                                                                    \
        replace((text), (format), args);                                                           \
        va_end(args);                                                                              \
    } while (0)

void st_finding_set(struct st_finding *finding, enum st_status status, const char *format, ...)
{
    finding->status = status;
    REPLACE(&finding->summary, format);
}

void st_finding_fine(struct st_finding *finding, const char *format, ...)
{
    finding->status = ST_STATUS_OK;
    finding->effect_known = true;
    finding->effect_us = 0;
    REPLACE(&finding->summary, format);
}

void st_finding_effect(struct st_finding *finding, double effect_us, const char *format, ...)
{
    const double share = finding->rule->problem_share;
    if (finding->wish != NULL && finding->status == ST_STATUS_ADVICE && share > 0 &&
        effect_us >= share * st_period_seconds(&finding->wish->period) * 1e6)
        finding->status = ST_STATUS_PROBLEM;
    finding->effect_known = true;
    finding->effect_us = effect_us;
    REPLACE(&finding->formula, format);
}

void st_finding_fix_now(struct st_finding *finding, const char *format, ...)
{
    REPLACE(&finding->fix_now, format);
}

void st_finding_fix_persistent(struct st_finding *finding, enum st_needs needs, const char *format,
                               ...)
{
    finding->needs = needs;
    REPLACE(&finding->fix_persistent, format);
}

void st_finding_fix(struct st_finding *finding, const char *now, const char *persistent,
                    enum st_needs needs)
{
    free(finding->fix_now);
    free(finding->fix_persistent);
    finding->fix_now = now != NULL ? strdup(now) : NULL;
    finding->fix_persistent = persistent != NULL ? strdup(persistent) : NULL;
    finding->needs = needs;
}

void st_finding_change(struct st_finding *finding, enum st_change_kind kind, const char *key,
                       const char *value)
{
    struct st_change change = {.kind = kind};
    struct st_change *grown =
        finding->changes_n < ST_FINDING_CHANGES_MAX
            ? reallocarray(finding->changes, finding->changes_n + 1, sizeof(*finding->changes))
            : NULL;
    if (grown == NULL) {
        free(finding->changes);
        finding->changes = NULL;
        finding->changes_n = 0;
        return;
    }
    finding->changes = grown;
    if (!st_text_copy(change.key, sizeof(change.key), key, strlen(key)) ||
        !st_text_copy(change.value, sizeof(change.value), value, strlen(value)))
        change = (struct st_change){.kind = kind};
    finding->changes[finding->changes_n++] = change;
}

void st_finding_quote(struct st_finding *finding, const struct st_fact *fact)
{
    if (fact == NULL || finding->evidence_n == ST_FINDING_EVIDENCE_MAX)
        return;
    ST_EACH_OF (quoted, finding->evidence, finding->evidence_n) {
        if (*quoted == fact)
            return;
    }
    finding->evidence[finding->evidence_n++] = fact;
}

void st_finding_quote_key(struct st_finding *finding, const char *key)
{
    st_finding_quote(finding, st_facts_find(finding->facts, key));
}

/** Quotes the fact and explains why its value cannot be used. @param r result of st_facts_int() or
 * st_facts_text(). @return r. */
static int need(struct st_finding *finding, const char *key, int r)
{
    const struct st_fact *fact = st_facts_find(finding->facts, key);
    const char *source = key + strlen(ST_KEYS_FREEBSD) * st_text_begins(key, ST_KEYS_FREEBSD);
    if (fact != NULL)
        source = st_text_or(fact->source, source);
    st_finding_quote(finding, fact);
    if (r == -ENOMSG) {
        st_finding_unknown(finding, "the given text does not show %s", source);
    } else if (r == -ENOENT && finding->rule->of_user && st_text_is(key, finding->rule->facts[0])) {
        st_finding_unknown(finding, "the saved files do not show this user's setting; run the "
                                    "report as the user who plays");
    } else if (r == -ENOENT) {
        st_finding_not_applicable(finding, "nothing to judge: this machine has no %s", source);
    } else if (r == -EACCES) {
        st_finding_unknown(
            finding, "%s cannot be read: %s%s", source,
            fact->error == EXDEV ? "a link to a file that was not saved" : strerror(fact->error),
            fact->error == EACCES || fact->error == EPERM ? "; run the report as root" : "");
    } else if (r != 0) {
        st_finding_unknown(finding, "%s has a value that sleeptune does not understand: \"%.60s\"",
                           source, st_text_or(fact->text, ""));
    }
    return r;
}

int st_finding_need_in(struct st_finding *finding, const char *key, int64_t least, int64_t most,
                       int64_t *ret)
{
    int64_t number = 0;
    int r = st_facts_int(finding->facts, key, &number);
    if (r == 0 && most != 0 && (number < least || number > most))
        r = -EBADMSG;
    if (r == 0 && ret != NULL)
        *ret = number;
    return need(finding, key, r);
}

int st_finding_need_int(struct st_finding *finding, const char *key, int64_t *ret)
{
    return st_finding_need_in(finding, key, 0, 0, ret);
}

int st_finding_need_text(struct st_finding *finding, const char *key, const char **ret)
{
    return need(finding, key, st_facts_text(finding->facts, key, ret));
}

bool st_finding_is_of_other(struct st_finding *finding, const char *daemon_key, const char *name)
{
    const char *other = st_owner_other(finding->facts, daemon_key);
    if (other != NULL)
        st_finding_not_applicable(
            finding, "the running %s belongs to the user %.40s: run the report as that user", name,
            other);
    return other != NULL;
}

void st_finding_finish(struct st_finding *finding)
{
    free(finding->summary);
    free(finding->formula);
    free(finding->fix_now);
    free(finding->fix_persistent);
    free(finding->changes);
    *finding = (struct st_finding){0};
}

bool st_finding_has_fix(const struct st_finding *finding)
{
    return finding->fix_now != NULL || finding->fix_persistent != NULL;
}

bool st_finding_counts(const struct st_finding *finding)
{
    return finding->set_aside == NULL && finding->needless == NULL;
}

bool st_finding_asks(const struct st_finding *finding)
{
    return finding->status == ST_STATUS_PROBLEM || finding->status == ST_STATUS_ADVICE;
}

bool st_finding_has_fired(const struct st_finding *finding)
{
    return st_finding_asks(finding) && st_finding_counts(finding);
}

bool st_finding_may_delay(const struct st_finding *finding)
{
    return st_finding_has_fired(finding) && (finding->status == ST_STATUS_PROBLEM ||
                                             !finding->effect_known || finding->effect_us > 0);
}
