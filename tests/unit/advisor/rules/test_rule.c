/* Judges the fixtures of tests/fixtures/rules/<id>.facts, one subtest each. The format is in the
 * README there. */
#include <dirent.h>
#include <fnmatch.h>

#include "advisor/change/change.h"
#include "advisor/facts/text.h"
#include "advisor/rules/buffer.h"
#include "advisor/rules/rule.h"
#include "core/text/text.h"
#include "tests/unit/fixture_fact.h"
#include "tests/unit/unit.h"

#define CONTAINS_MAX 16

static struct CMUnitTest *tests;
static size_t tests_n;

static const char *const required[] = {"fires", "quiet", "absent", "unreadable", "malformed"};

struct fixture {
    const struct st_rule *rule;
    char *name; /* "<id>/<fixture>" */
    struct st_facts *facts;
    bool has_expect;
    enum st_status expect;
    bool has_effect;
    bool effect_null;
    double effect_us;
    uint32_t frames;
    uint32_t rate_hz;
    char *contains[CONTAINS_MAX];
    bool lacks[CONTAINS_MAX]; /* no text may have it */
    size_t contains_n;
    bool has_state[ST_FACT_MALFORMED + 1];
};

/** May this rule read this key? */
static bool rule_reads(const struct st_rule *rule, const char *key)
{
    for (const char *const *pattern = rule->facts; *pattern != NULL; pattern++) {
        if (fnmatch(*pattern, key, 0) == 0)
            return true;
    }
    return false;
}

static void parse_fact(struct fixture *f, const char *key, const char *value, int line)
{
    if (!rule_reads(f->rule, key))
        fail_msg("%s:%d: the rule does not list the fact %s", f->name, line, key);
    f->has_state[fixture_put_fact(f->facts, key, value)] = true;
}

static void parse_line(struct fixture *f, char *text, int line)
{
    st_text_trim(text);
    if (text[0] == '#' || text[0] == '\0')
        return;
    char *equals = strchr(text, '=');
    if (equals == NULL)
        fail_msg("%s:%d: no '='", f->name, line);
    *equals = '\0';
    char *value = equals + 1;
    st_text_trim(text);
    st_text_trim(value);
    int64_t number = 0;
    if (strcmp(text, "expect") == 0) {
        f->has_expect = true;
        if (st_finding_status_parse(value, &f->expect) != 0)
            fail_msg("%s:%d: no such status: %s", f->name, line, value);
    } else if (strcmp(text, "effect_us") == 0) {
        f->has_effect = true;
        f->effect_null = strcmp(value, "null") == 0;
        char *end;
        f->effect_us = strtod(value, &end);
        if (!f->effect_null && (end == value || *end != '\0'))
            fail_msg("%s:%d: not a number: %s", f->name, line, value);
    } else if (strcmp(text, "frames") == 0 || strcmp(text, "rate") == 0) {
        if (st_text_int(value, &number) != 0)
            fail_msg("%s:%d: not a number: %s", f->name, line, value);
        *(text[0] == 'f' ? &f->frames : &f->rate_hz) = (uint32_t)number;
    } else if (strcmp(text, "contains") == 0 || strcmp(text, "lacks") == 0) {
        assert_true(f->contains_n < CONTAINS_MAX);
        f->contains[f->contains_n] = strdup(value);
        assert_non_null(f->contains[f->contains_n]);
        f->lacks[f->contains_n] = text[0] == 'l';
        f->contains_n++;
    } else if (strchr(text, '.') != NULL) {
        parse_fact(f, text, value, line);
    } else {
        fail_msg("%s:%d: no such word: %s", f->name, line, text);
    }
}

static FILE *file_of(const struct st_rule *rule)
{
    char path[4096];
    ST_PRINT(path, "%s/%s.facts", ST_RULES_DIR, rule->id);
    return fopen(path, "re");
}

/* Its name, if the line begins a fixture. */
static const char *begins(char *line)
{
    if (strncmp(line, "== ", 3) != 0)
        return NULL;
    st_text_trim(line);
    return line + 3;
}

static void parse(struct fixture *f)
{
    char text[1024];
    bool within = false;
    FILE *file = file_of(f->rule);
    assert_non_null(file);
    f->facts = st_facts_new(st_rule_os(f->rule));
    f->frames = 128;
    f->rate_hz = 48000;
    assert_non_null(f->facts);
    for (int line = 1; fgets(text, sizeof(text), file) != NULL; line++) {
        const char *name = begins(text);
        if (name != NULL)
            within = strcmp(name, strchr(f->name, '/') + 1) == 0;
        else if (within)
            parse_line(f, text, line);
    }
    fclose(file);
    if (!f->has_expect)
        fail_msg("%s: no 'expect ='", f->name);
}

/** What the five required fixtures must be about, so that a copied one does not pass. */
static void check_kind(const struct fixture *f)
{
    const char *name = strchr(f->name, '/') + 1;
    if (strcmp(name, "fires") == 0 && f->rule->worst == ST_STATUS_OK)
        assert_int_equal(f->expect, ST_STATUS_OK);
    else if (strcmp(name, "fires") == 0)
        assert_true(f->expect == ST_STATUS_PROBLEM || f->expect == ST_STATUS_ADVICE);
    else if (strcmp(name, "quiet") == 0)
        assert_int_equal(f->expect, ST_STATUS_OK);
    else if (strcmp(name, "absent") == 0)
        assert_true(f->has_state[ST_FACT_ABSENT] && f->expect != ST_STATUS_OK);
    else if (strcmp(name, "unreadable") == 0)
        assert_true(f->has_state[ST_FACT_UNREADABLE] && f->expect != ST_STATUS_OK);
    else if (strcmp(name, "malformed") == 0)
        assert_true(f->has_state[ST_FACT_MALFORMED] && f->expect != ST_STATUS_OK);
}

static bool contains(const char *text, const char *part)
{
    return text != NULL && strstr(text, part) != NULL;
}

static bool writes_running_value(enum st_change_kind kind)
{
    return kind == ST_CHANGE_SYSCTL || kind == ST_CHANGE_SYSFS || kind == ST_CHANGE_SYSCTL_NOW ||
           kind == ST_CHANGE_SYSFS_NOW;
}

static void check_finding(const struct fixture *f, const struct st_finding *finding)
{
    if (finding->status != f->expect)
        fail_msg("%s: %s, not %s: %s", f->name, st_finding_statuses[finding->status].name,
                 st_finding_statuses[f->expect].name,
                 finding->summary != NULL ? finding->summary : "(no summary)");
    if (finding->status != ST_STATUS_UNKNOWN &&
        st_finding_statuses[finding->status].rank >
            st_finding_statuses[st_rule_worst(f->rule)].rank)
        fail_msg("%s: worse than the rule's .worst", f->name);
    if (finding->summary == NULL || finding->summary[0] == '\0')
        fail_msg("%s: no summary", f->name);
    if (finding->effect_known && ((finding->formula == NULL && finding->effect_us > 0) ||
                                  !isfinite(finding->effect_us) || finding->effect_us < 0))
        fail_msg("%s: an effect is a number >= 0, and needs a formula if it is above 0", f->name);
    if (finding->status == ST_STATUS_PROBLEM && finding->effect_known && finding->effect_us <= 0)
        fail_msg("%s: a problem that costs nothing is none", f->name);
    if (f->has_effect && f->effect_null && finding->effect_known)
        fail_msg("%s: effect %.3f us, not null", f->name, finding->effect_us);
    if (f->has_effect && !f->effect_null &&
        (!finding->effect_known || fabs(finding->effect_us - f->effect_us) > 0.05))
        fail_msg("%s: effect %s%.3f us, not %.3f us", f->name,
                 finding->effect_known ? "" : "unknown ", finding->effect_us, f->effect_us);
    if (finding->status == ST_STATUS_PROBLEM || finding->status == ST_STATUS_ADVICE) {
        if (finding->evidence_n == 0)
            fail_msg("%s: no evidence", f->name);
    }
    if (finding->changes_n > 0 && (!st_rule_is_applied(f->rule) || finding->fix_persistent == NULL))
        fail_msg("%s: changes need a rule that is applied, and a fix for people", f->name);
    for (size_t i = 0; i < finding->changes_n; i++) {
        struct st_entry form;
        const char *line;
        if (!st_change_form(st_rule_os(f->rule), f->rule->id, &finding->changes[i], &form, &line))
            fail_msg("%s: change \"%s\" \"%s\" cannot be written", f->name, finding->changes[i].key,
                     finding->changes[i].value);
        if (writes_running_value(finding->changes[i].kind) &&
            !st_rule_writes(f->rule, finding->changes[i].key))
            fail_msg("%s: its targets do not have %s", f->name, finding->changes[i].key);
    }
    for (size_t i = 0; i < f->contains_n; i++) {
        const char *part = f->contains[i];
        bool has = contains(finding->summary, part) || contains(finding->formula, part) ||
                   contains(finding->fix_now, part) || contains(finding->fix_persistent, part);
        ST_EACH_OF (fact, finding->evidence, finding->evidence_n)
            has = has || contains((*fact)->key, part);
        if (has == f->lacks[i])
            fail_msg("%s: %s summary, formula, fix or evidence has \"%s\": %s", f->name,
                     has ? "the" : "no", part, finding->summary);
    }
}

/* A rule that promises to be applied shows it at its first example. */
static void check_applied(const struct fixture *f, const struct st_finding *finding)
{
    if (st_rule_is_applied(f->rule) && strcmp(strchr(f->name, '/'), "/fires") == 0 &&
        finding->changes_n == 0)
        fail_msg("%s: the rule is applied and has nothing to apply (st_finding_change)", f->name);
    for (size_t i = 0; i < finding->changes_n; i++) {
        if (strstr(finding->changes[i].value, "mitigations=") != NULL ||
            strstr(finding->changes[i].value, "isolcpus") != NULL ||
            (strcmp(finding->changes[i].key, "kernel.sched_rt_runtime_us") == 0 &&
             finding->changes[i].value[0] == '-'))
            fail_msg("%s: dangerous, and never applied", f->name);
    }
}

static void fixture_is_judged(void **state)
{
    struct fixture *f = *state;
    parse(f);
    check_kind(f);
    struct st_wish wish;
    assert_int_equal(st_buffer_choose(f->facts, f->frames, f->rate_hz, &wish), 0);
    struct st_finding finding = {0};
    st_rule_judge(f->rule, f->facts, &wish, &finding);
    check_finding(f, &finding);
    check_applied(f, &finding);
    st_finding_finish(&finding);
    st_facts_free(f->facts);
    for (size_t i = 0; i < f->contains_n; i++)
        free(f->contains[i]);
}

static size_t named(const char *name)
{
    size_t n = 0;
    for (size_t i = 0; i < tests_n; i++)
        n += strcmp(tests[i].name, name) == 0;
    return n;
}

static void required_fixtures_are_there(void **state)
{
    const struct fixture *f = *state;
    for (size_t i = 0; i < ST_ARRAY_LEN(required); i++) {
        if (named(st_text("%s/%s", f->rule->id, required[i])) == 0)
            fail_msg("%s has no %s", f->rule->id, required[i]);
    }
}

static void check_text(const char *id, const char *what, const char *text)
{
    if (text == NULL || text[0] == '\0')
        fail_msg("%s: empty %s", id, what);
    char *valid = st_text_utf8(text, strlen(text));
    assert_non_null(valid);
    assert_string_equal(valid, text);
    free(valid);
}

static void texts_are_complete(void **state)
{
    const struct st_rule *rule = ((const struct fixture *)*state)->rule;
    check_text(rule->id, "title", rule->title);
    check_text(rule->id, "mechanism", rule->mechanism);
    check_text(rule->id, "privilege", st_rule_privilege(rule));
    check_text(rule->id, "cost", st_rule_cost(rule));
    check_text(rule->id, "when_not", rule->when_not);
    check_text(rule->id, "sources", rule->sources);
    if (strlen(rule->title) > 60)
        fail_msg("%s: title is longer than 60 columns", rule->id);
    if (rule->worst != ST_STATUS_PROBLEM && rule->worst != ST_STATUS_UNKNOWN &&
        rule->worst != ST_STATUS_OK)
        fail_msg("%s: .worst is problem, ok, or left out", rule->id);
    if ((rule->judge != NULL) + (rule->judge_number != NULL) + (rule->judge_text != NULL) +
            (rule->cases != NULL) !=
        1)
        fail_msg("%s: needs cases or one judge function, and not both", rule->id);
    if (rule->judge != NULL && rule->absent != NULL)
        fail_msg("%s: .absent is for rules that judge their first fact", rule->id);
    if (rule->cases != NULL && rule->cases[0].summary == NULL)
        fail_msg("%s: has no case", rule->id);
    if (rule->most == 0 ? rule->least != 0 : rule->judge_number == NULL && rule->cases == NULL)
        fail_msg("%s: .least goes with .most, and these with rules that judge a number", rule->id);
    assert_non_null(rule->facts);
    if (rule->facts[0] == NULL)
        fail_msg("%s: lists no facts", rule->id);
}

static void ids_are_unique_and_name_their_os(void **state)
{
    for (size_t i = 0; i < st_rules_n; i++) {
        const char *id = st_rules[i]->id;
        if (strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(id))
            fail_msg("%s: ids are a-z, 0-9 and '-'", id);
        const char *prefix = st_rule_os(st_rules[i]) == ST_OS_LINUX ? "linux-" : "freebsd-";
        if (strncmp(id, prefix, strlen(prefix)) != 0)
            fail_msg("%s does not begin with %s", id, prefix);
        for (size_t j = 0; j < i; j++) {
            if (strcmp(id, st_rules[j]->id) == 0)
                fail_msg("%s is there twice", id);
        }
    }
}

static int is_fixture(const struct dirent *entry)
{
    const size_t len = strlen(entry->d_name);
    return len > 6 && strcmp(entry->d_name + len - 6, ".facts") == 0;
}

static void each_file_is_in_the_list(void **state)
{
    struct dirent **entries;
    const int n = scandir(ST_RULES_DIR, &entries, is_fixture, alphasort);
    assert_true(n >= 0);
    for (int i = 0; i < n; i++) {
        char *name = entries[i]->d_name;
        name[strlen(name) - 6] = '\0';
        if (st_rule_find(name) == NULL)
            fail_msg("tests/fixtures/rules/%s.facts belongs to no rule of advisor/rules/rule.c",
                     name);
        free(entries[i]);
    }
    free(entries);
}

static void add(const char *name, CMUnitTestFunction function, const struct st_rule *rule)
{
    struct fixture *f = calloc(1, sizeof(*f));
    tests = reallocarray(tests, tests_n + 1, sizeof(*tests));
    if (f == NULL || tests == NULL)
        abort();
    f->rule = rule;
    f->name = strdup(name);
    tests[tests_n++] =
        (struct CMUnitTest){.name = f->name, .test_func = function, .initial_state = f};
}

static void add_rule(const struct st_rule *rule)
{
    add(st_text("%s: texts_are_complete", rule->id), texts_are_complete, rule);
    add(st_text("%s: required_fixtures_are_there", rule->id), required_fixtures_are_there, rule);
    FILE *file = file_of(rule);
    char text[1024];
    while (file != NULL && fgets(text, sizeof(text), file) != NULL) {
        const char *fixture = begins(text);
        if (fixture == NULL)
            continue;
        const char *name = st_text("%s/%s", rule->id, fixture);
        if (named(name) > 0)
            abort(); /* the second one would never be read */
        add(name, fixture_is_judged, rule);
    }
    if (file != NULL)
        fclose(file);
}

int main(void)
{
    add("ids_are_unique_and_name_their_os", ids_are_unique_and_name_their_os, NULL);
    add("each_file_is_in_the_list", each_file_is_in_the_list, NULL);
    for (size_t i = 0; i < st_rules_n; i++)
        add_rule(st_rules[i]);
    const int failed = _cmocka_run_group_tests("rules", tests, tests_n, NULL, NULL);
    for (size_t i = 0; i < tests_n; i++) {
        struct fixture *f = tests[i].initial_state;
        free(f->name);
        free(f);
    }
    free(tests);
    return failed;
}
