/* Machines: tests/fixtures/cases/<name>.case, one subtest a file. The format is in the README
 * beside them. */
#include <dirent.h>
#include <fnmatch.h>

#include "advisor/collect/collect.h"
#include "advisor/facts/text.h"
#include "advisor/report/report_format.h"
#include "tests/fake/fake.h"
#include "tests/unit/fixture_fact.h"
#include "tests/unit/unit.h"

#define LINE_BYTES    4096
#define EFFECT_EXACT  0.05 /* us */
#define CAPTURE_BYTES 1024

struct machine {
    const char *file;
    struct st_platform *p;
    struct st_facts *facts; /* NULL: not collected yet */
    uint32_t frames, rate_hz;
    int line;
    int expected_n;
    unsigned source; /* the number of the last line "source = "; 0: there was none */
};

#define KEYS_MAX 32 /* of a rule */

#define SOURCES_MIN 3 /* of the cases of each rule: from the world, not from its author */

/** Of each rule: how many sources its cases have, and which of its keys a collector has put. */
static struct rule_state {
    unsigned last_source;
    int sources_n;
    bool collected[KEYS_MAX];
} * states;

static void note_collected(const struct st_facts *facts)
{
    for (size_t i = 0; i < st_rules_n; i++) {
        for (size_t k = 0; st_rules[i]->facts[k] != NULL; k++) {
            for (size_t f = 0; f < facts->n && !states[i].collected[k]; f++)
                states[i].collected[k] =
                    fnmatch(st_rules[i]->facts[k], facts->rows[f]->key, 0) == 0;
        }
    }
}

static void set_period(struct machine *m, const char *text)
{
    char frames_text[24];
    int64_t frames = 0, rate_hz = 0;
    const char *slash = strchr(text, '/');
    if (strcmp(text, "in use") == 0) {
        m->frames = m->rate_hz = 0;
        return;
    }
    ST_PRINT(frames_text, "%.*s", (int)strcspn(text, "/"), text);
    if (slash == NULL || st_text_int(frames_text, &frames) != 0 ||
        st_text_int(slash + 1, &rate_hz) != 0)
        fail_msg("%s:%d: not a period: %s", m->file, m->line, text);
    m->frames = (uint32_t)frames;
    m->rate_hz = (uint32_t)rate_hz;
}

/** "\n" and "\t" in a file's text are an end of line and a tabulator; its end is one of a line,
 * too. */
static void put_file(struct machine *m, const char *path, const char *value)
{
    static const char unreadable[] = "UNREADABLE ";
    char text[LINE_BYTES + 1];
    size_t used = 0;
    if (m->p == NULL || m->facts != NULL)
        fail_msg("%s:%d: files come first, and after 'os'", m->file, m->line);
    if (strncmp(value, unreadable, strlen(unreadable)) == 0) {
        const int error = fixture_errno(value + strlen(unreadable));
        assert_int_not_equal(error, 0);
        assert_int_equal(st_fake_set_file(m->p, path, NULL, -error), 0);
        return;
    }
    for (; *value != '\0'; value++) {
        const bool is_escape = value[0] == '\\' && (value[1] == 'n' || value[1] == 't');
        text[used++] = !is_escape ? value[0] : value[1] == 'n' ? '\n' : '\t';
        value += is_escape;
    }
    text[used++] = '\n';
    text[used] = '\0';
    assert_int_equal(st_fake_set_file(m->p, path, text, 0), 0);
}

static void begin(struct machine *m);

static void set_os(struct machine *m, const char *name)
{
    if (strcmp(name, "linux") != 0 && strcmp(name, "freebsd") != 0)
        fail_msg("%s:%d: 'os = linux' or 'os = freebsd'", m->file, m->line);
    begin(m);
    m->p = st_fake_new(strcmp(name, "linux") == 0 ? ST_OS_LINUX : ST_OS_FREEBSD, 0);
    assert_non_null(m->p);
}

static void read_capture(struct machine *m, const char *name)
{
    char dir[CAPTURE_BYTES];
    begin(m);
    ST_PRINT(dir, "%s/%s", ST_CAPTURES_DIR, name);
    if (st_collect_dir(dir, &m->facts) != 0)
        fail_msg("%s:%d: no such capture: %s", m->file, m->line, name);
    note_collected(m->facts);
}

/** The tree is read when the first line comes that is about something else. */
static void need_facts(struct machine *m)
{
    if (m->facts == NULL && m->p == NULL)
        fail_msg("%s:%d: 'os' or 'capture' comes first", m->file, m->line);
    if (m->facts != NULL)
        return;
    assert_int_equal(st_collect(m->p, false, &m->facts), 0);
    note_collected(m->facts);
}

static void check_effect(const struct machine *m, const struct st_finding *finding,
                         const char *word)
{
    char *end;
    const double effect_us = strtod(word, &end);
    if (strcmp(word, "null") == 0) {
        if (finding->effect_known)
            fail_msg("%s:%d: %s: effect %.3f us, not null", m->file, m->line, finding->rule->id,
                     finding->effect_us);
        return;
    }
    if (end == word || *end != '\0')
        fail_msg("%s:%d: not a number: %s", m->file, m->line, word);
    if (!finding->effect_known || fabs(finding->effect_us - effect_us) > EFFECT_EXACT)
        fail_msg("%s:%d: %s: effect %s%.3f us, not %.3f us: %s", m->file, m->line,
                 finding->rule->id, finding->effect_known ? "" : "unknown ", finding->effect_us,
                 effect_us, finding->summary);
}

static void check_texts(const struct machine *m, const struct st_finding *finding, const char *part)
{
    const char *const texts[] = {finding->summary, finding->formula, finding->fix_now,
                                 finding->fix_persistent, st_finding_needs[finding->needs].text};
    ST_EACH (text, texts) {
        if (*text != NULL && strstr(*text, part) != NULL)
            return;
    }
    fail_msg("%s:%d: %s does not say \"%s\": %s", m->file, m->line, finding->rule->id, part,
             finding->summary);
}

static bool is_same(const char *a, const char *b)
{
    return (a == NULL || b == NULL) ? a == b : strcmp(a, b) == 0;
}

/** A rule that reads a fact outside its list judges otherwise by the facts of its list alone. */
static void check_list(const struct machine *m, const struct st_rule *rule,
                       const struct st_wish *wish)
{
    struct st_facts listed = {.os = m->facts->os,
                              .rows = calloc(m->facts->n + 1, sizeof(*listed.rows))};
    struct st_finding all = {0}, by_list = {0};
    assert_non_null(listed.rows);
    for (size_t f = 0; f < m->facts->n; f++) {
        const char *key = m->facts->rows[f]->key;
        bool is_read =
            strcmp(key, ST_KEY_SYSTEM_INPUT) == 0 || strcmp(key, ST_KEY_SYSTEM_LACKS) == 0;
        for (size_t k = 0; rule->facts[k] != NULL && !is_read; k++)
            is_read = fnmatch(rule->facts[k], key, 0) == 0;
        if (is_read)
            listed.rows[listed.n++] = m->facts->rows[f];
    }
    st_rule_judge(rule, m->facts, wish, &all);
    st_rule_judge(rule, &listed, wish, &by_list);
    if (all.status != by_list.status || all.evidence_n != by_list.evidence_n ||
        all.changes_n != by_list.changes_n || !is_same(all.summary, by_list.summary) ||
        !is_same(all.formula, by_list.formula) || !is_same(all.fix_now, by_list.fix_now) ||
        !is_same(all.fix_persistent, by_list.fix_persistent))
        fail_msg("%s:%d: %s reads a fact that it does not list: \"%s\", by its list \"%s\"",
                 m->file, m->line, rule->id, all.summary, by_list.summary);
    st_finding_finish(&all);
    st_finding_finish(&by_list);
    free(listed.rows);
}

/** "advice", "advice 83.3", "advice null", each also with ": a part of the summary, formula or a
 * fix". */
static void expect(struct machine *m, const char *id, char *value)
{
    enum st_status status;
    struct st_report report;
    char *part = strstr(value, ": "), *rest = NULL;
    if (part != NULL)
        *part = '\0';
    const char *name = strtok_r(value, " ", &rest), *effect = strtok_r(NULL, " ", &rest);
    if (name == NULL || st_finding_status_parse(name, &status) != 0)
        fail_msg("%s:%d: no such status: %s", m->file, m->line, value);
    assert_int_equal(st_report_make(m->facts, m->frames, m->rate_hz, &report), 0);
    size_t found = 0;
    while (found < report.findings_n && strcmp(report.findings[found].rule->id, id) != 0)
        found++;
    if (found == report.findings_n)
        fail_msg("%s:%d: no such rule, or of another OS: %s", m->file, m->line, id);
    const struct st_finding *finding = &report.findings[found];
    check_list(m, finding->rule, &report.wish);
    if (finding->status != status)
        fail_msg("%s:%d: %s is %s, not %s: %s", m->file, m->line, id,
                 st_finding_statuses[finding->status].name, name, finding->summary);
    if (status == ST_STATUS_PROBLEM && finding->effect_known && finding->effect_us <= 0)
        fail_msg("%s:%d: %s: a problem that costs nothing is none", m->file, m->line, id);
    if (effect != NULL)
        check_effect(m, finding, effect);
    if (part != NULL)
        check_texts(m, finding, part + 2);
    for (size_t i = 0; i < st_rules_n; i++) {
        if (st_rules[i] == finding->rule && m->source != 0 && states[i].last_source != m->source) {
            states[i].last_source = m->source;
            states[i].sources_n++;
        }
    }
    st_report_finish(&report);
    m->expected_n++;
}

/** "linux-heat linux-swap": of all rules these give advice or have a problem, and no other. */
static void expect_only(struct machine *m, char *ids)
{
    struct st_report report;
    size_t found_n = 0, ids_n = 0;
    const char *wanted[8];
    char *rest = NULL;
    for (const char *id = strtok_r(ids, " ", &rest); id != NULL; id = strtok_r(NULL, " ", &rest)) {
        assert_true(ids_n < ST_ARRAY_LEN(wanted));
        if (strcmp(id, "nothing") != 0)
            wanted[ids_n++] = id;
    }
    assert_int_equal(st_report_make(m->facts, m->frames, m->rate_hz, &report), 0);
    if (m->frames == 0) /* as report without options */
        st_report_leave_out(&report, true, true);
    for (size_t i = 0, j = 0; i < report.findings_n; i++) {
        const struct st_finding *finding = &report.findings[i];
        if ((finding->status != ST_STATUS_ADVICE && finding->status != ST_STATUS_PROBLEM) ||
            !st_finding_counts(finding))
            continue;
        for (j = 0; j < ids_n && strcmp(finding->rule->id, wanted[j]) != 0; j++)
            ;
        if (j == ids_n)
            fail_msg("%s:%d: %s, too: %s", m->file, m->line, finding->rule->id, finding->summary);
        found_n++;
    }
    if (found_n != ids_n)
        fail_msg("%s:%d: only %zu of them say something", m->file, m->line, found_n);
    st_report_finish(&report);
}

/** Where the following expectations come from, up to the next such line or the end of the file. */
static void set_source(struct machine *m, const char *text)
{
    static const char *const kinds[] = {"captured ", "quoted ", "composed "};
    static unsigned sources_n;
    size_t i = 0;
    while (i < ST_ARRAY_LEN(kinds) && strncmp(text, kinds[i], strlen(kinds[i])) != 0)
        i++;
    if (i == ST_ARRAY_LEN(kinds))
        fail_msg("%s:%d: a source is captured, quoted or composed", m->file, m->line);
    m->source = ++sources_n;
}

static void read_line(struct machine *m, char *text)
{
    st_text_trim(text);
    if (text[0] == '#' || text[0] == '\0')
        return;
    char *value = strstr(text, " = ");
    if (value == NULL)
        fail_msg("%s:%d: no ' = '", m->file, m->line);
    *value = '\0';
    value += 3;
    st_text_trim(text);
    if (strcmp(text, "source") == 0) {
        set_source(m, value);
    } else if (strcmp(text, "os") == 0) {
        set_os(m, value);
    } else if (strcmp(text, "capture") == 0) {
        read_capture(m, value);
    } else if (text[0] == '/') {
        put_file(m, text, value);
    } else if (strcmp(text, "at") == 0) {
        set_period(m, value);
    } else if (strcmp(text, "only") == 0) {
        need_facts(m);
        expect_only(m, value);
    } else if (strchr(text, '.') != NULL) {
        need_facts(m);
        fixture_put_fact(m->facts, text, value);
    } else {
        need_facts(m);
        expect(m, text, value);
    }
}

/** What must hold for any machine: no rule is worse than it says it can be, nothing is fine unread,
 * and the lists of facts are complete. */
static void check_all_rules(const struct machine *m)
{
    struct st_report report;
    assert_int_equal(st_report_make(m->facts, m->frames, m->rate_hz, &report), 0);
    for (size_t i = 0; i < report.findings_n; i++) {
        const struct st_finding *finding = &report.findings[i];
        check_list(m, finding->rule, &report.wish);
        if (finding->status != ST_STATUS_UNKNOWN &&
            st_finding_statuses[finding->status].rank >
                st_finding_statuses[st_rule_worst(finding->rule)].rank)
            fail_msg("%s: %s is worse than it says it can be", m->file, finding->rule->id);
        if (finding->summary == NULL || finding->summary[0] == '\0')
            fail_msg("%s: %s says nothing", m->file, finding->rule->id);
        if (finding->effect_known && !(finding->effect_us >= 0 && isfinite(finding->effect_us)))
            fail_msg("%s: %s has an effect that cannot be", m->file, finding->rule->id);
        size_t read_n = 0;
        for (size_t e = 0; e < finding->evidence_n; e++)
            read_n += finding->evidence[e]->state == ST_FACT_OK;
        if (finding->status == ST_STATUS_OK && read_n == 0)
            fail_msg("%s: %s is ok, and nothing was read", m->file, finding->rule->id);
    }
    st_report_finish(&report);
}

/** A new machine, after the last one. */
static void begin(struct machine *m)
{
    if (m->p != NULL && m->facts == NULL)
        fail_msg("%s:%d: the machine above expects nothing", m->file, m->line);
    if (m->facts != NULL)
        check_all_rules(m);
    st_facts_free(m->facts);
    if (m->p != NULL)
        st_fake_free(m->p);
    m->facts = NULL;
    m->p = NULL;
    set_period(m, "128/48000");
}

static void a_machine_is_judged(void **state)
{
    char path[CAPTURE_BYTES], text[LINE_BYTES];
    struct machine m = {.file = *state};
    ST_PRINT(path, "%s/%s", ST_CASES_DIR, m.file);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    while (fgets(text, sizeof(text), file) != NULL) {
        m.line++;
        if (strchr(text, '\n') == NULL)
            fail_msg("%s:%d: too long, or no end of line", m.file, m.line);
        read_line(&m, text);
    }
    fclose(file);
    if (m.expected_n == 0)
        fail_msg("%s expects nothing", m.file);
    begin(&m);
}

static void each_rule_has_cases_of_three_sources(void **state)
{
    int missing_n = 0;
    for (size_t i = 0; i < st_rules_n; i++) {
        if (states[i].sources_n >= SOURCES_MIN)
            continue;
        missing_n++;
        print_message("%s: %d sources\n", st_rules[i]->id, states[i].sources_n);
    }
    if (missing_n > 0)
        fail_msg("%d rules have cases of fewer than %d sources", missing_n, SOURCES_MIN);
}

/** Of a rule that reads what no collector puts: a key was misspelt. */
static void each_key_is_collected(void **state)
{
    /* put by a server's answer, the limits of a login, a card that plays and `listen --json`:
     * test_ask.c, test_collect_user.c, test_collect_machine.c, test_posted.c */
    static const char *const others[] = {"linux.ask.pipewire",
                                         "linux.jack.buffer_frames",
                                         "linux.jack.rate_hz",
                                         "linux.pipewire.force_quantum",
                                         "linux.pipewire.force_rate_hz",
                                         "linux.pipewire.allowed_rates",
                                         "linux.pipewire.version",
                                         "linux.sleeptuned.dropouts",
                                         "linux.rtkit.demoted_n",
                                         "linux.clocksource.unstable",
                                         "freebsd.dead_channel",
                                         "linux.rtkit.failed_n",
                                         "linux.rtkit.refused_n",
                                         "linux.kernel_log.card_n",
                                         "linux.kernel_log.memory_n",
                                         "linux.kernel_log.rt_time_n",
                                         "linux.portal.rt_time_us",
                                         "user.login_groups",
                                         "linux.threads.part",
                                         "linux.listen.rate_ppm",
                                         "linux.listen.drift_ppm",
                                         "freebsd.security.jail.mlock_allowed", /* in a jail */
                                         "linux.listen.invalid",
                                         "linux.pmqos.user_may_open",
                                         "linux.pam.missing",
                                         "user.limits_from",
                                         "user.class",
                                         "linux.alsa.*.step_frames"};
    for (int os = ST_OS_LINUX; os <= ST_OS_FREEBSD; os++) {
        struct st_platform *p = st_fake_new((enum st_os)os, 0);
        struct st_facts *facts;
        assert_non_null(p);
        assert_int_equal(st_collect(p, true, &facts), 0);
        note_collected(facts);
        st_facts_free(facts);
        st_fake_free(p);
    }
    for (size_t i = 0; i < st_rules_n; i++) {
        for (size_t k = 0; st_rules[i]->facts[k] != NULL; k++) {
            bool other = false;
            for (size_t o = 0; o < ST_ARRAY_LEN(others); o++)
                other = other || strcmp(st_rules[i]->facts[k], others[o]) == 0 ||
                        strncmp(st_rules[i]->facts[k], "linux.pipewire.node.", 20) ==
                            0; /* of pw-dump: test_ask.c */
            if (!states[i].collected[k] && !other)
                fail_msg("%s reads %s, which no collector puts", st_rules[i]->id,
                         st_rules[i]->facts[k]);
        }
    }
}

static int is_case(const struct dirent *entry)
{
    const size_t len = strlen(entry->d_name);
    return len > 5 && strcmp(entry->d_name + len - 5, ".case") == 0;
}

int main(void)
{
    struct dirent **entries;
    const int n = scandir(ST_CASES_DIR, &entries, is_case, alphasort);
    states = calloc(st_rules_n, sizeof(*states));
    struct CMUnitTest *tests = calloc((size_t)(n < 0 ? 0 : n) + 2, sizeof(*tests));
    if (n < 0 || states == NULL || tests == NULL)
        abort();
    for (int i = 0; i < n; i++)
        tests[i] = (struct CMUnitTest){.name = entries[i]->d_name,
                                       .test_func = a_machine_is_judged,
                                       .initial_state = entries[i]->d_name};
    tests[n] = (struct CMUnitTest){.name = "each_rule_has_cases_of_three_sources",
                                   .test_func = each_rule_has_cases_of_three_sources};
    tests[n + 1] =
        (struct CMUnitTest){.name = "each_key_is_collected", .test_func = each_key_is_collected};
    const int failed = _cmocka_run_group_tests("cases", tests, (size_t)n + 2, NULL, NULL);
    for (int i = 0; i < n; i++)
        free(entries[i]);
    free(entries);
    free(tests);
    free(states);
    return failed;
}
