#include "cli/change/before_after.h"

#include <unistd.h>

#include "advisor/change/candidate.h"
#include "advisor/rules/buffer.h"
#include "cli/change/change_output.h"
#include "cli/command.h"
#include "cli/measure/measure_run.h"
#include "cli/show/measure_text.h"
#include "core/ns.h"
#include "core/text/json.h"
#include "core/when.h"
#include "platform/program/locale.h"
#include "platform/program/stop.h"

#define FILE_NAME  "%s/before.json"
#define SCHEMA     "sleeptune-before/1"
#define FILE_BYTES 131072
#define SLOT_NS    (100 * ST_NS_PER_MS)
/* gives the right to real-time priority, which root has anyway */
#define RIGHT_RULE "linux-rt-permission"

/* --- a measured run and its document --- */

static const char *condition_text(const json_t *run, const char *key)
{
    return st_json_text_of(json_object_get(run, "conditions"), key);
}

static int64_t condition(const json_t *run, const char *key)
{
    return st_json_integer(json_object_get(run, "conditions"), key);
}

static size_t slots_of(const json_t *run)
{
    return json_array_size(json_object_get(run, "late"));
}

static int64_t duration_ns(const json_t *run)
{
    return (int64_t)slots_of(run) * SLOT_NS;
}

/* @return the number of late wake-ups in n slots (of 100 ms) of a run, from slot `first` on. The
 * numbers come from a file and may be wrong, so they are limited. */
static uint64_t late_of(const json_t *run, size_t first, size_t n)
{
    uint64_t sum = 0;
    for (size_t i = first; i < first + n; i++) {
        const int64_t late_n = json_integer_value(json_array_get(json_object_get(run, "late"), i));
        sum += (uint64_t)ST_MIN(ST_MAX(late_n, 0), UINT32_MAX);
    }
    return sum;
}

/* Checks a run, which may come from a damaged file. Sets done->why if it cannot be compared. */
static void look_at(const json_t *run, const char *name, struct st_before_after *done)
{
    if (!st_text_is(st_json_text_of(run, "schema"), SCHEMA) || slots_of(run) == 0 ||
        slots_of(run) > ST_BEFORE_AFTER_SLOTS)
        done->why = st_text("%s is damaged, or its measurement took more than 10 minutes", name);
    else if (st_json_integer(run, "records_lost") != 0)
        done->why = st_text("nothing to compare: %s lacks %jd cycles, which may have been late, "
                            "because the CPU was too slow",
                            name, st_json_integer(run, "records_lost"));
}

struct counting {
    struct st_period period;
    int64_t above_ns, late[ST_BEFORE_AFTER_SLOTS];
    size_t slots_n;
};

/* Counts n skipped periods before period k as late wake-ups, in the slot of period k. */
static void on_skipped(void *ctx, uint64_t k, uint64_t n, ST_UNUSED int64_t due_to_done_ns)
{
    struct counting *counting = ctx;
    const size_t slot = (size_t)(st_period_due_ns(&counting->period, 0, k) / SLOT_NS);
    if (slot >= ST_BEFORE_AFTER_SLOTS)
        return;
    counting->slots_n = slot + 1;
    counting->late[slot] += (int64_t)ST_MIN(n, (uint64_t)UINT16_MAX);
}

static void on_cycle(void *ctx, uint64_t k, int64_t lateness_ns, ST_UNUSED int64_t callback_ns)
{
    on_skipped(ctx, k, lateness_ns > ((struct counting *)ctx)->above_ns, 0);
}

static json_t *document_of(const struct counting *counting, const struct st_result *result)
{
    struct st_platform *machine = st_platform_native();
    char line[4096];
    size_t len;
    json_t *late = json_array(), *run = st_result_json(result);
    ST_EACH_OF (n, counting->late, counting->slots_n)
        (void)json_array_append_new(late, json_integer(*n));
    if (machine->read_text(machine, "/proc/cmdline", line, sizeof(line), &len) == 0)
        st_json_add(json_object_get(run, "conditions"), "kernel_command_line:t", line);
    return st_json_add(run, "schema:t late:o", SCHEMA, late);
}

/* Runs the loop in the same way before and after the change. Prints how long it takes, and on a
 * terminal the progress.
 * @return an st_exit. */
static int measure(const char *what, struct st_session_config *config, json_t **ret)
{
    struct st_result result;
    struct counting counting = {.slots_n = 0};
    const struct st_sink sink = {.cycle = on_cycle, .skipped = on_skipped, .ctx = &counting};
    const bool terminal = isatty(STDERR_FILENO) == 1;
    if (st_period_init(&counting.period, config->frames, config->rate_hz) != 0)
        return st_failure("the period (--frames / --rate) is too short or too long");
    counting.above_ns =
        st_period_ns(&counting.period) / st_candidates_late_share(st_platform_native()->os);
    config->sink = &sink;
    const char *time = st_ns_text(config->duration_ns);
    fflush(stdout);
    fprintf(stderr, "sleeptune %s: %s, %s\n", st_program_command, what,
            st_locale_text(st_text("%s", time)));
    int status = st_measure_run(config, terminal ? st_measure_text_show : NULL, NULL, &result);
    if (terminal)
        fputs("\r\033[K", stderr);
    if (status != ST_EXIT_DONE)
        return status;
    status = st_measure_run_status(&result);
    if (status == ST_EXIT_DONE)
        *ret = document_of(&counting, &result);
    st_result_finish(&result);
    return status;
}

/* --- apply: the run before the first change --- */

/* Does the user who plays lack real-time priority: no right to it, and no rtkit that gives it? A
 * sound server without it shows that rtkit refused. */
static bool lacks_right(const struct st_change_target *target)
{
    const struct st_facts *facts = target->facts;
    const struct st_finding *server = st_report_find(&target->report, "linux-server-priority");
    const bool rtkit = st_facts_has_int(facts, ST_KEY_DAEMON_RTKIT_DAEMON) ||
                       (st_facts_has_int(facts, ST_KEY_RTKIT_INSTALLED) &&
                        !st_facts_has_int(facts, ST_KEY_RTKIT_NO_BUS));
    return (!rtkit || (server != NULL && st_finding_asks(server))) &&
           st_facts_int_or(facts, ST_KEY_RT_RTPRIO_LIMIT, 0) == 0;
}

void st_before_after_keep(const struct st_change_target *target, const struct st_journal *journal,
                          const struct st_journal *plan, int64_t asked_ns)
{
    const struct st_wish *wish = &target->report.wish;
    struct st_platform *platform = target->p;
    struct st_session_config config;
    json_t *run = NULL;
    const char *path = st_text(FILE_NAME, target->folder);
    if (journal->entries_n > 0 && access(path, F_OK) == 0) {
        puts("no new measurement: 'sleeptune verify' compares with the one from before the first "
             "change");
        return;
    }
    st_session_defaults(&config);
    config.frames = wish->frames;
    config.rate_hz = wish->rate_hz;
    config.duration_ns = asked_ns;
    /* both runs use the same CPU, since another one may be busier */
    if (platform->cpus_allowed(platform, &config.cpu, 1) < 1)
        config.cpu = -1;
    printf("settings checked for %s\n", st_buffer_text(wish));
    ST_EACH_OF (step, plan->entries, plan->entries_n) {
        if (st_text_is(step->rule, RIGHT_RULE) && lacks_right(target))
            config.policy = ST_POLICY_OTHER;
    }
    int r = measure("measuring the timing before the change (Ctrl-C: nothing is changed)", &config,
                    &run);
    if (st_stop_asked()) {
        json_decref(run);
        return;
    }
    char *text = r == ST_EXIT_DONE ? st_json_into_text(run, JSON_COMPACT) : NULL;
    if (text != NULL)
        r = platform->replace_file(platform, path, text, strlen(text), 0644);
    if (text == NULL || r != 0)
        st_failure("the measurement was not saved (%s): 'sleeptune verify' will have nothing to "
                   "compare with",
                   text != NULL ? strerror(-r) : "the timing test failed");
    free(text);
}

bool st_before_after_forget(const struct st_change_target *target, const struct st_journal *journal)
{
    const char *path = st_text(FILE_NAME, target->folder);
    if (journal->entries_n > 0)
        return false;
    const int r = target->p->remove_file(target->p, path);
    if (r != 0 && r != -ENOENT)
        st_failure("cannot remove %s: %s", path, strerror(-r));
    return r == 0;
}

/* --- verify: the run after the changes --- */

static void read_run(const struct st_change_target *target, struct st_before_after *done)
{
    struct st_platform *machine = target->p;
    const char *path = st_text(FILE_NAME, target->folder);
    char text[FILE_BYTES];
    size_t bytes = 0;
    const int r = machine->read_text(machine, path, text, sizeof(text), &bytes);
    done->before = r == 0 ? json_loadb(text, bytes, JSON_REJECT_DUPLICATES, NULL) : NULL;
    if (r == -ENOENT)
        done->why = "nothing to compare: no measurement was saved before the changes";
    else if (done->before == NULL)
        done->why =
            st_text("cannot read %s: %s", path, r != 0 ? strerror(-r) : "the file is damaged");
    else
        look_at(done->before, path, done);
}

/* Configures the second run like the first one: period, duration, CPU and policy. If `apply` gave
 * the right to real-time priority after the first run, the second run uses that priority. Sets
 * done->why if this process lacks the right, since its run could not be compared. */
static void choose(const struct st_journal *journal, struct st_before_after *done,
                   struct st_session_config *config)
{
    struct st_platform *platform = st_platform_native();
    struct st_rt_rights rights;
    const json_t *run = done->before;
    const int64_t priority = condition(run, "priority");
    const bool other =
        st_text_is(condition_text(run, "policy"), st_platform_policy_name(ST_POLICY_OTHER));
    st_session_defaults(config);
    config->frames = (uint32_t)condition(run, "frames");
    config->rate_hz = (uint32_t)condition(run, "rate_hz");
    config->duration_ns = duration_ns(run);
    config->cpu = (int)condition(run, "cpu");
    done->right = other && st_journal_find(journal, RIGHT_RULE) != NULL;
    if (other && !done->right)
        config->policy = ST_POLICY_OTHER;
    else if (!other)
        config->priority = (int)ST_MIN(ST_MAX(priority, 1), 99);
    if (config->policy != ST_POLICY_OTHER &&
        platform->rt_rights(platform, config->priority, &rights) == 0 && rights.fifo_errno != 0)
        done->why =
            st_text("this session may not use real-time priority. If 'sleeptune apply' gave this "
                    "user the right, log out and in again; else run 'sleeptune verify' as root");
}

/* Compares sections of equal length of both runs. The shorter run sets that length; the rest of the
 * longer run is not used. */
static void compare(struct st_before_after *done)
{
    uint64_t before_n[ST_COUNTS_SECTIONS], now_n[ST_COUNTS_SECTIONS];
    const size_t each = ST_MIN(slots_of(done->before), slots_of(done->now)) / ST_COUNTS_SECTIONS;
    for (size_t i = 0; i < ST_COUNTS_SECTIONS; i++) {
        before_n[i] = late_of(done->before, i * each, each);
        now_n[i] = late_of(done->now, i * each, each);
    }
    int r = 0;
    if (each > 0)
        r = st_counts_compare(before_n, now_n, &done->late);
    if (r != 0)
        done->why = st_text("%s", strerror(-r));
}

int st_before_after_make(const struct st_change_target *target, struct st_before_after *ret)
{
    struct st_session_config config;
    *ret = (struct st_before_after){0};
    read_run(target, ret);
    if (ret->why == NULL)
        choose(&target->journal, ret, &config);
    if (ret->why != NULL)
        return ST_EXIT_DONE;
    const int status =
        measure("measuring the timing again to compare (Ctrl-C ends it early)", &config, &ret->now);
    if (ret->now == NULL)
        ret->why = "the timing test could not run, or its counts contradict each other";
    else if (!st_text_is(condition_text(ret->now, "policy"),
                         st_platform_policy_name(config.policy)) ||
             /* the loop ran on another CPU */
             strstr(condition_text(ret->now, "degraded"), "cannot pin") != NULL)
        ret->why = st_text("nothing to compare: this measurement did not get the same rights or "
                           "the same CPU as the one before: %s",
                           condition_text(ret->now, "degraded"));
    else
        look_at(ret->now, "this measurement", ret);
    if (ret->why == NULL)
        compare(ret);
    return status == ST_EXIT_BOOKS ? status : ST_EXIT_DONE;
}

void st_before_after_finish(struct st_before_after *done)
{
    json_decref(done->before);
    json_decref(done->now);
    *done = (struct st_before_after){0};
}

/* --- printing the comparison --- */

static const char *run_text(const json_t *run)
{
    return st_text("%ju late wake-ups, %jd of %jd periods missed in %s%s, %s",
                   late_of(run, 0, slots_of(run)), st_json_integer(run, "misses"),
                   st_json_integer(run, "elapsed_periods"), st_ns_short(duration_ns(run)),
                   json_is_true(json_object_get(run, "interrupted")) ? " (ended early)" : "",
                   st_when_text(st_json_integer(run, "started_ns")));
}

/* Prints the test conditions in which the two runs differ. */
static void put_differences(const struct st_before_after *done)
{
    char keys[1024] = "";
    const char *key;
    json_t *now, *conditions = json_object_get(done->now, "conditions");
    json_object_foreach(conditions, key, now)
    {
        if (!json_equal(json_object_get(json_object_get(done->before, "conditions"), key), now))
            st_text_join(keys, sizeof(keys), ", ", "%s", key);
    }
    if (keys[0] != '\0')
        st_change_output_row(4, "differs:", keys);
}

void st_before_after_print(const struct st_before_after *done)
{
    const json_t *before = done->before, *now = done->now;
    if (done->why != NULL) {
        st_change_output_row(4, "proof:", done->why);
        return;
    }
    const struct st_tuned_row row = {
        .events_n = {(uint64_t)st_json_integer(before, "miss_events"),
                     (uint64_t)st_json_integer(now, "miss_events")},
        .seconds = {st_ns_seconds(duration_ns(before)), st_ns_seconds(duration_ns(now))}};
    st_change_output_row(
        4, "proof:", st_text("%s%s", st_counts_text(&done->late), st_tuned_per_hour(&row)));
    st_change_output_row(4, "runs:",
                         st_text("%jd frames at %jd Hz, %s%s %jd; before: %s; now: %s. Anything "
                                 "else that changed between the two measurements counts, too",
                                 condition(now, "frames"), condition(now, "rate_hz"),
                                 done->right ? "no real-time priority before, now " : "",
                                 condition_text(now, "policy"), condition(now, "priority"),
                                 run_text(before), run_text(now)));
    if (done->right && geteuid() == 0)
        st_change_output_row(4, "note:",
                             "this measurement used root's rights; programs of the user get theirs "
                             "at the first login after 'sleeptune apply'");
    put_differences(done);
}

json_t *st_before_after_json(const struct st_before_after *done)
{
    static const char *const names[] = {[ST_COUNTS_TOO_SHORT] = "too-short",
                                        [ST_COUNTS_SAME] = "none",
                                        [ST_COUNTS_DRIFTING] = "drifting",
                                        [ST_COUNTS_FEWER] = "fewer",
                                        [ST_COUNTS_MORE] = "more"};
    const struct st_counts_difference *late = &done->late;
    if (done->why != NULL)
        return st_json_object("compared:b sentence:t", false, done->why);
    json_t *times = NULL;
    if (late->verdict != ST_COUNTS_TOO_SHORT)
        times = st_json_object("value:d low:d high:d p_value:d", late->fold, late->low, late->high,
                               late->p_value);
    return st_json_object("compared:b sentence:t verdict:t before:o now:o late_times:o", true,
                          st_counts_text(late), names[late->verdict], json_incref(done->before),
                          json_incref(done->now), times);
}
