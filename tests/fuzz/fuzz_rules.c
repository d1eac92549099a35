/* All rules on any facts: lines "key = value" as in tests/fixtures/rules/<id>.facts. What a finding
 * must be, it is. */
/* Runs: 2000 */
#include "advisor/facts/text.h"
#include "advisor/rules/rule.h"
#include "core/text/safe.h"
#include "tests/fuzz/fuzz.h"

#define LINE_BYTES 512

static void require(bool holds, const char *what, const struct st_rule *rule)
{
    if (!holds) {
        fprintf(stderr, "%s: %s\n", rule != NULL ? rule->id : "facts", what);
        abort();
    }
}

static void add_fact(struct st_facts *facts[2], const char *key, const char *value)
{
    for (size_t os = 0; os < 2; os++) {
        int r;
        if (strcmp(value, "ABSENT") == 0)
            r = st_facts_put_state(facts[os], key, ST_FACT_ABSENT, 0, NULL, key);
        else if (strncmp(value, "UNREADABLE", 10) == 0)
            r = st_facts_put_state(facts[os], key, ST_FACT_UNREADABLE, EACCES, NULL, key);
        else if (strncmp(value, "MALFORMED", 9) == 0)
            r = st_facts_put_state(facts[os], key, ST_FACT_MALFORMED, 0, value + 9, key);
        else
            r = st_facts_put_text(facts[os], key, value, key);
        require(r == 0, "out of memory", NULL);
    }
}

/** A command is pasted into a root shell: facts must not smuggle anything in. */
static void check_command(const struct st_rule *rule, const char *text)
{
    if (text == NULL)
        return;
    for (const char *at = text; *at != '\0';) {
        uint32_t point;
        const size_t bytes = st_safe_utf8_read(at, ST_TEXT_TO_NUL, &point);
        require(bytes > 0 && (point == '\n' || st_safe_point(point)), "unsafe text in a fix", rule);
        at += bytes;
    }
    require(strstr(text, "`") == NULL && strstr(text, "$(") == NULL, "substitution in a fix", rule);
}

static void judge(const struct st_rule *rule, const struct st_facts *facts, uint32_t frames)
{
    struct st_wish wish = {.frames = frames, .rate_hz = 48000};
    require(st_period_init(&wish.period, wish.frames, wish.rate_hz) == 0, "period", rule);
    wish.period_ns = st_period_ns(&wish.period);
    struct st_finding finding = {.rule = rule};
    st_rule_judge(rule, facts, &wish, &finding);
    const bool fired = st_finding_asks(&finding);
    require(finding.summary != NULL && finding.summary[0] != '\0', "no summary", rule);
    require(!finding.effect_known || (isfinite(finding.effect_us) && finding.effect_us >= 0),
            "effect", rule);
    require(!finding.effect_known || finding.effect_us <= 0 || finding.formula != NULL,
            "an effect without its formula", rule);
    require(!fired || finding.evidence_n > 0, "fired without evidence", rule);
    require(finding.status != ST_STATUS_OK || finding.evidence_n > 0, "ok without a reading", rule);
    require(finding.status == ST_STATUS_UNKNOWN ||
                st_finding_statuses[finding.status].rank <=
                    st_finding_statuses[st_rule_worst(rule)].rank,
            "worse than .worst", rule);
    check_command(rule, finding.fix_now);
    check_command(rule, finding.fix_persistent);
    st_finding_finish(&finding);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct st_facts *facts[2] = {st_facts_new(ST_OS_LINUX), st_facts_new(ST_OS_FREEBSD)};
    uint32_t frames = 128;
    require(facts[0] != NULL && facts[1] != NULL, "out of memory", NULL);
    for (size_t at = 0; at < size;) {
        char line[LINE_BYTES];
        const uint8_t *end = memchr(data + at, '\n', size - at);
        const size_t len = end != NULL ? (size_t)(end - data) - at : size - at;
        const size_t kept = len < sizeof(line) ? len : sizeof(line) - 1;
        memcpy(line, data + at, kept);
        line[kept] = '\0';
        at += len + 1;
        char *value = strchr(line, '=');
        if (value == NULL || line[0] == '#')
            continue;
        *value++ = '\0';
        st_text_trim(line);
        st_text_trim(value);
        int64_t number;
        if (strcmp(line, "frames") == 0 && st_text_int(value, &number) == 0 && number >= 1 &&
            number <= 8192)
            frames = (uint32_t)number;
        else if (line[0] != '\0')
            add_fact(facts, line, value);
    }
    for (size_t i = 0; i < st_rules_n; i++)
        judge(st_rules[i], facts[st_rule_os(st_rules[i]) == ST_OS_FREEBSD], frames);
    st_facts_free(facts[0]);
    st_facts_free(facts[1]);
    return 0;
}
