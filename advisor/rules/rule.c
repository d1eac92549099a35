/* The table of all rules, and how a rule without code judges. */
#include <fnmatch.h>

#include "advisor/rules/rule.h"

/* To add a rule: write st_rule_<id with _ for -> in the file of its topic, with cases (myths.c has
 * many) or a judge function, add its row here, and put fixtures into
 * tests/fixtures/rules/<id>.facts (the README there has their format). Rules are in the order of
 * their usual effect: which thread may run at once, what is in memory, timers, CPU, kernel, sound,
 * the rest. The order decides between findings of the same status and effect. */
/* clang-format off */
#define RULES(RULE) \
    RULE(linux_rt_permission) \
    RULE(linux_server_priority) \
    RULE(linux_rt_lost) \
    RULE(linux_rt_time) \
    RULE(linux_client_priority) \
    RULE(linux_rt_group_sched) \
    RULE(linux_service_limits) \
    RULE(linux_cpu_quota) \
    RULE(linux_rtkit) \
    RULE(linux_audio_group) \
    RULE(linux_memlock) \
    RULE(linux_high_res_timers) \
    RULE(linux_clocksource) \
    RULE(linux_idle_states) \
    RULE(linux_idle_request_access) \
    RULE(linux_cpu_frequency) \
    RULE(linux_power_daemons) \
    RULE(linux_heat) \
    RULE(linux_firmware) \
    RULE(linux_preemption) \
    RULE(linux_alsa_buffer) \
    RULE(linux_pipewire_clients) \
    RULE(linux_pipewire_rates) \
    RULE(linux_pipewire_quantum) \
    RULE(linux_jack_realtime) \
    RULE(linux_jack_period) \
    RULE(linux_pulseaudio) \
    RULE(linux_card_faults) \
    RULE(linux_usb_autosuspend) \
    RULE(linux_usb_path) \
    RULE(linux_card_rate) \
    RULE(linux_card_clocks) \
    RULE(linux_device_headroom) \
    RULE(linux_hda_power_save) \
    RULE(linux_idle_suspend) \
    RULE(linux_usb_audio_options) \
    RULE(linux_priority_order) \
    RULE(linux_hybrid_cores) \
    RULE(linux_sched_ext) \
    RULE(linux_threaded_irqs) \
    RULE(linux_irq_priorities) \
    RULE(linux_irq_sharing) \
    RULE(linux_timer_slack) \
    RULE(linux_memory_out) \
    RULE(linux_swap) \
    RULE(linux_huge_pages) \
    RULE(linux_numa_balancing) \
    RULE(linux_rt_throttling) \
    RULE(linux_hz) \
    RULE(linux_jack_soft_mode) \
    RULE(linux_watchdogs) \
    RULE(linux_split_lock) \
    RULE(freebsd_rt_permission) \
    RULE(freebsd_mac_priority) \
    RULE(freebsd_memlock) \
    RULE(freebsd_alloweddeviation) \
    RULE(freebsd_nanosleep_precise) \
    RULE(freebsd_eventtimer) \
    RULE(freebsd_hz) \
    RULE(freebsd_timecounter) \
    RULE(freebsd_fast_gettime) \
    RULE(freebsd_cpu_idle) \
    RULE(freebsd_cpu_frequency) \
    RULE(freebsd_epp) \
    RULE(freebsd_preemption) \
    RULE(freebsd_sound_polling) \
    RULE(freebsd_virtual_oss) \
    RULE(freebsd_snd_latency) \
    RULE(freebsd_uaudio_buffer) \
    RULE(freebsd_jail) \
    RULE(freebsd_sysctl_conf) \
    RULE(freebsd_loader_conf) \
    RULE(freebsd_interrupt_storm)
/* clang-format on */

#define DECLARE(name) extern const struct st_rule st_rule_##name;
RULES(DECLARE)

#define POINTER(name) &st_rule_##name,
const struct st_rule *const st_rules[] = {RULES(POINTER)};
const size_t st_rules_n = ST_ARRAY_LEN(st_rules);

const struct st_rule *st_rule_find(const char *id)
{
    ST_EACH_OF (place, st_rules, st_rules_n) {
        if (st_text_is((*place)->id, id))
            return *place;
    }
    return NULL;
}

enum st_os st_rule_os(const struct st_rule *rule)
{
    return st_text_begins(rule->id, "linux-") ? ST_OS_LINUX : ST_OS_FREEBSD;
}

const char *st_rule_privilege(const struct st_rule *rule)
{
    return st_text_or(rule->privilege, "root");
}

const char *st_rule_cost(const struct st_rule *rule)
{
    return st_text_or(rule->cost, "none");
}

enum st_status st_rule_worst(const struct st_rule *rule)
{
    return rule->worst != ST_STATUS_UNKNOWN ? rule->worst : ST_STATUS_ADVICE;
}

bool st_rule_writes(const struct st_rule *rule, const char *target)
{
    for (const struct st_change *change = rule->changes; change != NULL && change->key[0] != '\0';
         change++) {
        if (fnmatch(change->key, target, FNM_PATHNAME) == 0)
            return true;
    }
    for (const char *const *pattern = rule->targets; pattern != NULL && *pattern != NULL;
         pattern++) {
        if (fnmatch(*pattern, target, FNM_PATHNAME) == 0)
            return true;
    }
    return false;
}

bool st_rule_is_applied(const struct st_rule *rule)
{
    return rule->changes != NULL || rule->targets != NULL;
}

bool st_rule_can_apply(const struct st_finding *finding)
{
    if (finding->changes_n == 0 || finding->in_place || !st_rule_is_applied(finding->rule) ||
        st_facts_has(finding->facts, ST_KEY_SETTINGS_ELSEWHERE))
        return false;
    const char *boot; /* where the user sets kernel options by hand */
    const bool by_hand = st_facts_text(finding->facts, ST_KEY_BOOT_OPTIONS, &boot) == 0;
    ST_EACH_OF (change, finding->changes, finding->changes_n) {
        if (change->kind == ST_CHANGE_BOOT && by_hand)
            return false;
    }
    return true;
}

/** Replaces each `word` in the text by `value`. @param word NULL: nothing is replaced. @return
 * NULL: there is no text. */
static const char *fill(const char *text, const char *word, const char *value)
{
    const char *at = text == NULL || word == NULL ? NULL : strstr(text, word);
    if (at == NULL)
        return text;
    return st_text("%.*s%s%s", (int)(at - text), text, value, fill(at + strlen(word), word, value));
}

void st_rule_fix_with(struct st_finding *finding, const char *word, const char *value)
{
    const struct st_rule *rule = finding->rule;
    st_finding_fix(finding, fill(rule->now, word, value), fill(rule->persistent, word, value),
                   rule->needs);
    for (const struct st_change *one = rule->changes; one != NULL && one->key[0] != '\0'; one++)
        st_finding_change(finding, one->kind, fill(one->key, word, value),
                          fill(one->value, word, value));
}

void st_rule_fix(struct st_finding *finding)
{
    st_rule_fix_with(finding, NULL, NULL);
}

bool st_rule_say_first(struct st_finding *finding, const struct st_rule_row *rows)
{
    while (!rows->is && rows->says != NULL)
        rows++;
    if (rows->says == NULL)
        return false;
    st_finding_set(finding, rows->status, "%s", rows->says);
    st_finding_quote(finding, rows->quoted);
    finding->effect_known = rows->status == ST_STATUS_OK && !rows->costs;
    return st_finding_has_fired(finding);
}

/* --- rules without code --- */

static void judge_cases(struct st_finding *finding, const char *text)
{
    const struct st_rule *rule = finding->rule;
    const struct st_rule_case *one = rule->cases;
    int64_t number = st_text_is(text, "Y");
    if (!st_text_is(text, "Y") && !st_text_is(text, "N") &&
        st_finding_need_in(finding, rule->facts[0], rule->least, rule->most, &number) != 0)
        return;
    while (one->number != number && one[1].summary != NULL)
        one++;
    st_finding_set(finding, one->status, "%s", fill(one->summary, "{}", st_text("%.40s", text)));
    finding->effect_known = one->status == ST_STATUS_OK;
    if (one->effect != NULL)
        st_finding_effect(finding, 0, "%s", one->effect);
    if (st_finding_has_fired(finding))
        st_rule_fix(finding);
}

double st_rule_us(int64_t frames, int64_t rate_hz)
{
    return (double)frames * 1e6 / (double)rate_hz;
}

bool st_rule_is_at_ease(const struct st_finding *finding)
{
    return finding->wish->period_ns >= ST_RULE_LONG_NS &&
           st_facts_int_or(finding->facts, ST_MUSIC_COUNTED, 0) == 0;
}

double st_rule_period_us(const struct st_finding *finding)
{
    return st_period_seconds(&finding->wish->period) * 1e6;
}

void st_rule_quote(struct st_finding *finding)
{
    const char *const *key = finding->rule->facts;
    st_finding_quote_key(finding, *key);
    while (finding->status != ST_STATUS_NOT_APPLICABLE && *++key != NULL) {
        const struct st_fact *fact = st_facts_find(finding->facts, *key);
        if (fact != NULL && fact->state != ST_FACT_ABSENT)
            st_finding_quote_key(finding, *key);
    }
}

/** Quotes facts whose keys differ from this one's in the last part only, if the rule lists
 * "*.leaf". */
static void quote_beside(struct st_finding *finding, const struct st_fact *fact)
{
    for (const char *const *pattern = finding->rule->facts; *pattern != NULL; pattern++) {
        const char *leaf = strstr(*pattern, "*.");
        if (leaf == NULL)
            continue;
        const struct st_fact *beside = st_fact_beside(fact, leaf + 2);
        if (beside != NULL && beside->state != ST_FACT_ABSENT &&
            fnmatch(*pattern, beside->key, 0) == 0)
            st_finding_quote(finding, beside);
    }
}

void st_rule_judge(const struct st_rule *rule, const struct st_facts *facts,
                   const struct st_wish *wish, struct st_finding *finding)
{
    const char *const first = rule->facts[0], *text;
    int64_t number;
    int r = 0;
    finding->rule = rule;
    finding->facts = facts;
    finding->wish = wish;
    if (rule->judge != NULL)
        rule->judge(finding);
    else if (rule->judge_number != NULL &&
             (r = st_finding_need_in(finding, first, rule->least, rule->most, &number)) == 0)
        rule->judge_number(finding, number);
    else if (rule->judge_number == NULL && (r = st_finding_need_text(finding, first, &text)) == 0)
        (rule->judge_text != NULL ? rule->judge_text : judge_cases)(finding, text);
    if (r == -ENOENT && rule->absent != NULL)
        st_finding_not_applicable(finding, "%s", rule->absent);
    for (size_t n = finding->evidence_n, i = 0; i < n; i++)
        quote_beside(finding, finding->evidence[i]);
    st_rule_quote(finding);
    finding->wish = NULL;
}
