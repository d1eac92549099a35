#include "cli/change/before_after.h"

#include <unistd.h>

#include "advisor/change/candidate.h"
#include "advisor/rules/buffer.h"
#include "cli/command.h"
#include "cli/measure/measure_run.h"
#include "cli/show/measure_text.h"
#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "measure/result.h"
#include "platform/program/locale.h"

#define FILE_NAME  "/before.json"
#define SCHEMA     "sleeptune-before/1"
#define PATH_BYTES 600
#define FILE_BYTES 131072
#define LINE_BYTES 4096
#define RIGHT_RULE "linux-rt-permission" /* root has that right already */

static const char *path_of(const struct st_change_target *target, char *buf, size_t buf_bytes)
{
    snprintf(buf, buf_bytes, "%s" FILE_NAME, target->folder);
    return buf;
}

static void ST_PRINTF(2, 3) set_reason(struct st_before_after *done, const char *format, ...)
{
    ST_PRINT_REST(done->why, sizeof(done->why), format);
}

/* --- test conditions --- */

#define LOAD "load_average"

/* What a measurement does not say of itself. */
static json_t *machine_now(const struct st_journal *journal)
{
    struct st_machine *machine = &st_platform_native()->machine;
    char line[LINE_BYTES], applied[1024] = "";
    size_t len;
    double load;
    json_t *now = json_object();
    ST_EACH_OF (entry, journal->entries, journal->entries_n) {
        const char *name = ST_TEXT(64, "%s ", entry->rule);
        if (entry->phase == ST_PHASE_DONE && strstr(applied, name) == NULL)
            ST_APPEND(applied, "%s", name);
    }
    applied[strlen(applied) > 0 ? strlen(applied) - 1 : 0] = '\0';
    st_json_set(now, "applied", json_string(applied[0] != '\0' ? applied : "nothing"));
    if (getloadavg(&load, 1) == 1)
        st_json_set(now, LOAD, ST_TEXT(32, "%.1f", load));
    if (machine->read_text(machine, "/proc/cmdline", line, sizeof(line), &len) == 0)
        st_json_set(now, "kernel_command_line", ST_TEXT(LINE_BYTES, "%.*s", (int)strcspn(line, "\n"), line));
    return now;
}

/* Borrowed. */
static json_t *conditions_of(const struct st_before_after_run *run)
{
    return json_object_get(json_object_get(run->document, "measured"), "conditions");
}

/* "": unknown. */
static const char *value_of(const struct st_before_after_run *run, const char *key, char *buf,
                            size_t buf_bytes)
{
    const json_t *value = json_object_get(conditions_of(run), key);
    snprintf(buf, buf_bytes, "%s", json_is_string(value) ? json_string_value(value) : "");
    if (json_is_integer(value))
        snprintf(buf, buf_bytes, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        snprintf(buf, buf_bytes, "%g", json_real_value(value));
    return buf;
}

/* A load that differs by less than one program is none. */
static void compare_condition(struct st_before_after *done, const char *key)
{
    char before[LINE_BYTES], now[LINE_BYTES];
    value_of(&done->before, key, before, sizeof(before));
    value_of(&done->now, key, now, sizeof(now));
    const bool other = st_text_is(key, LOAD) ? fabs(strtod(before, NULL) - strtod(now, NULL)) >= 1
                                             : !st_text_is(before, now);
    if (other)
        json_array_append_new(done->differs,
                              json_pack("{s:s, s:s, s:s}", "key", key, "before", before, "now", now));
}

static void compare_conditions(struct st_before_after *done)
{
    const char *key;
    json_t *value, *all = json_object();
    (void)json_object_update(all, conditions_of(&done->now));
    (void)json_object_update_missing(all, conditions_of(&done->before));
    done->differs = json_array();
    json_object_foreach(all, key, value) compare_condition(done, key);
    json_decref(all);
}

/* --- one run --- */

struct counting {
    struct st_period period;
    int64_t above_ns;
    int64_t late[ST_BEFORE_AFTER_SLOTS];
    size_t slots_n;
};

static void count(struct counting *counting, uint64_t k, uint64_t late_n)
{
    const size_t slot = (size_t)(st_period_due_ns(&counting->period, 0, k) / ST_BEFORE_AFTER_SLOT_NS);
    if (slot >= ST_BEFORE_AFTER_SLOTS)
        return;
    counting->slots_n = slot + 1;
    counting->late[slot] += (int64_t)late_n;
}

static void on_cycle(void *ctx, uint64_t k, int64_t lateness_ns, ST_UNUSED int64_t callback_ns)
{
    struct counting *counting = ctx;
    count(counting, k, lateness_ns > counting->above_ns);
}

/* A skipped period is a wake-up that was too late for it. */
static void on_skipped(void *ctx, uint64_t first, uint64_t n, ST_UNUSED int64_t due_to_done_ns)
{
    count(ctx, first, ST_MIN(n, (uint64_t)UINT16_MAX));
}

static json_t *document_of(const struct counting *counting, const struct st_result *result, json_t *machine)
{
    json_t *late = json_array(), *measured = st_result_json(result);
    ST_EACH_OF (n, counting->late, counting->slots_n)
        (void)json_array_append_new(late, json_integer(*n));
    st_json_set(machine, "priority_asked", result->priority_asked);
    (void)json_object_update(json_object_get(measured, "conditions"), machine);
    return json_pack("{s:s, s:I, s:b, s:o, s:o}", "schema", SCHEMA, "started_wall_ns",
                     (json_int_t)result->started_wall_ns, "interrupted", result->interrupted, "measured",
                     measured, "late", late);
}

/* Runs the loop: in the same way before and now. Says how long it takes, and on a terminal how it goes.
 * @return an st_exit. */
static int measure(const char *what, const struct st_journal *journal, struct st_session_config *config,
                   json_t **ret)
{
    struct st_result result;
    char time[24];
    struct counting counting = {.slots_n = 0};
    const struct st_sink sink = {.cycle = on_cycle, .skipped = on_skipped, .ctx = &counting};
    const bool terminal = isatty(STDERR_FILENO) == 1;
    if (st_period_init(&counting.period, config->frames, config->rate_hz) != 0)
        return st_failure("the period is out of range");
    counting.above_ns =
        st_period_ns(&counting.period) / st_candidates_late_share(st_platform_native()->machine.os);
    config->sinks = &sink;
    json_t *machine = machine_now(journal);
    fflush(stdout);
    st_ns_format(config->duration_ns, time, sizeof(time));
    fprintf(stderr, "sleeptune %s: %s, %s; Ctrl-C ends it early\n", st_program_command, what,
            st_locale_text(time));
    int status = st_measure_run(config, terminal ? st_measure_text_show : NULL, NULL, &result);
    if (terminal)
        fputs("\r\033[K", stderr);
    if (status == ST_EXIT_DONE) {
        status = st_measure_run_status(&result, 1);
        *ret = status == ST_EXIT_DONE ? document_of(&counting, &result, machine) : NULL;
        if (!result.books_balance)
            st_failure(
                "the counters of this run do not agree, so the run is invalid. Run the command again.");
        st_result_finish(&result);
    }
    json_decref(machine);
    return status;
}

/* Takes over the document, of which any number may be wrong. What is in the way is in done->why. */
static void take(json_t *document, const char *name, struct st_before_after *done,
                 struct st_before_after_run *ret)
{
    const json_t *measured = json_object_get(document, "measured"), *late = json_object_get(document, "late");
    const json_t *conditions = json_object_get(measured, "conditions");
    const int64_t frames = st_json_integer(conditions, "frames"),
                  rate_hz = st_json_integer(conditions, "rate_hz"),
                  lost_n = st_json_integer(measured, "records_lost");
    *ret = (struct st_before_after_run){.document = document,
                                        .frames = (uint32_t)frames,
                                        .rate_hz = (uint32_t)rate_hz,
                                        .started_wall_ns = st_json_integer(document, "started_wall_ns"),
                                        .periods_n = st_ns_add(st_json_integer(measured, "cycles"),
                                                               st_json_integer(measured, "skipped_periods")),
                                        .missed_n = st_json_integer(measured, "misses"),
                                        .events_n = st_json_integer(measured, "miss_events"),
                                        .interrupted = json_is_true(json_object_get(document, "interrupted")),
                                        .slots_n = json_array_size(late)};
    if (!st_text_is(st_json_text_of(document, "schema"), SCHEMA) || frames < 1 || frames > UINT32_MAX ||
        rate_hz < 1 || rate_hz > UINT32_MAX || ret->periods_n < 1 || ret->periods_n > UINT32_MAX ||
        ret->missed_n < 0 || ret->events_n < 0 || ret->slots_n == 0 || ret->slots_n > ST_BEFORE_AFTER_SLOTS ||
        st_period_init(&ret->period, ret->frames, ret->rate_hz) != 0)
        set_reason(done, "%s is no run of at most 10 minutes", name);
    else if (lost_n != 0)
        set_reason(done, "%s lacks %" PRId64 " cycles, which may have been late: the CPU was too slow", name,
                   lost_n);
    for (size_t i = 0; done->why[0] == '\0' && i < ret->slots_n; i++) {
        ret->late[i] = ST_MIN(ST_MAX(json_integer_value(json_array_get(late, i)), 0), UINT32_MAX);
        ret->late_n += ret->late[i];
    }
}

static void read_run(const struct st_change_target *target, struct st_before_after *done)
{
    struct st_machine *machine = &target->p->machine;
    const char *path = path_of(target, ST_ROOM(PATH_BYTES));
    char *text = malloc(FILE_BYTES);
    size_t bytes = 0;
    json_error_t error;
    const int r = text != NULL ? machine->read_text(machine, path, text, FILE_BYTES, &bytes) : -ENOMEM;
    json_t *document = r == 0 ? json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error) : NULL;
    free(text);
    if (r != 0)
        set_reason(done, "cannot read %s: %s", path, strerror(-r));
    else if (document == NULL)
        set_reason(done, "%s is damaged", path);
    else
        take(document, path, done, &done->before);
}

/* --- before --- */

static void config_of(uint32_t frames, uint32_t rate_hz, int64_t duration_ns,
                      struct st_session_config *config)
{
    st_session_defaults(config);
    config->frames = frames;
    config->rate_hz = rate_hz;
    config->duration_ns = duration_ns;
}

/* Where this thread runs now; -1: not known. Both runs stay on one CPU, as one may be busier than another. */
static int cpu_now(void)
{
    struct st_threads *threads = &st_platform_native()->threads;
    struct st_counters_handle handle;
    struct st_thread_counters counters = {.valid = 0};
    if (threads->counters_open(threads, &handle) != 0)
        return -1;
    const int r = threads->counters_self(threads, &handle, &counters);
    threads->counters_close(threads, &handle);
    return r == 0 && (counters.valid & ST_COUNTER_CPU_NUMBER) != 0 ? counters.cpu : -1;
}

/* May the user who plays not use real-time priority, nor get it from rtkit? */
static bool lacks_right(const struct st_facts *facts)
{
    const bool rtkit =
        st_facts_has_int(facts, ST_KEY_DAEMON_RTKIT_DAEMON) ||
        (st_facts_has_int(facts, ST_KEY_RTKIT_INSTALLED) && !st_facts_has_int(facts, ST_KEY_RTKIT_NO_BUS));
    return !rtkit && st_facts_int_or(facts, ST_KEY_RT_RTPRIO_LIMIT, 0) == 0;
}

void st_before_after_keep(const struct st_change_target *target, const struct st_journal *journal,
                          const struct st_plan *plan, int64_t duration_ns)
{
    const struct st_wish *wish = &target->report.wish;
    struct st_writer *writer = &target->p->writer;
    struct st_session_config config;
    json_t *run = NULL;
    const char *path = path_of(target, ST_ROOM(PATH_BYTES));
    if (journal->entries_n > 0 && access(path, F_OK) == 0) {
        puts("what was measured before the first change is kept: 'sleeptune verify' compares with it");
        return;
    }
    config_of(wish->frames, wish->rate_hz, duration_ns, &config);
    printf("judged for %s\n", st_buffer_text(wish, ST_ROOM(ST_BUFFER_TEXT_BYTES)));
    config.cpus[0] = cpu_now();
    ST_EACH_OF (step, plan->steps, plan->steps_n) {
        if (st_text_is(step->rule, RIGHT_RULE) && lacks_right(target->facts))
            config.policy = ST_POLICY_OTHER;
    }
    const int status = measure("running the measuring loop before the change", journal, &config, &run);
    char *text = status == ST_EXIT_DONE ? st_json_into_text(run, JSON_COMPACT) : NULL;
    const int r = text != NULL ? writer->replace_file(writer, path, text, strlen(text), 0644) : -ENODATA;
    free(text);
    if (r == 0)
        return;
    if (r != -ENODATA)
        st_failure("cannot write %s: %s", path, strerror(-r));
    st_failure("no run was kept: verify will have nothing to compare with");
}

bool st_before_after_is_kept(const struct st_change_target *target)
{
    return access(path_of(target, ST_ROOM(PATH_BYTES)), F_OK) == 0 || errno != ENOENT;
}

bool st_before_after_forget(const struct st_change_target *target, const struct st_journal *journal)
{
    char path[PATH_BYTES];
    if (journal->entries_n > 0)
        return false;
    const int r = target->p->writer.remove_file(&target->p->writer, path_of(target, path, sizeof(path)));
    if (r != 0 && r != -ENOENT)
        st_failure("cannot remove %s: %s", path, strerror(-r));
    return r == 0;
}

/* --- now --- */

static bool gave_right(const struct st_journal *journal)
{
    size_t i = 0;
    while (i < journal->entries_n &&
           !(journal->entries[i].phase == ST_PHASE_DONE && st_text_is(journal->entries[i].rule, RIGHT_RULE)))
        i++;
    return i < journal->entries_n;
}

/* The policy of the run before; real-time priority, if the right to it was applied since then. Without the
 * right to it there is no fair comparison. */
static void choose_policy(const struct st_journal *journal, struct st_before_after *done,
                          struct st_session_config *config)
{
    struct st_threads *threads = &st_platform_native()->threads;
    struct st_rt_rights rights;
    const json_t *before = conditions_of(&done->before);
    const char *policy = st_json_text_of(before, "policy");
    const int64_t priority = st_json_integer(before, "priority_asked");
    const bool other = st_text_is(policy, st_platform_policy_name(ST_POLICY_OTHER));
    const bool right = gave_right(journal);
    done->right = other && right;
    if (other && !right) {
        config->policy = ST_POLICY_OTHER;
        return;
    }
    if (!other &&
        (!st_text_is(policy, st_platform_policy_name(ST_POLICY_FIFO)) || priority < 1 || priority > 99)) {
        set_reason(done, "the run before does not say which scheduling policy the measuring loop had");
        return;
    }
    if (!other)
        config->priority = (int)priority;
    if (threads->rt_rights(threads, config->priority, &rights) != 0 || rights.fifo_errno == 0)
        return;
    if (right)
        set_reason(done,
                   "this session may not use real-time priority. Where 'sleeptune apply' gave this user the "
                   "right: log out and in again; else run 'sleeptune verify' as root");
    else
        set_reason(
            done,
            "the run before had SCHED_FIFO %d, which this user may not use. Run 'sleeptune verify' as root",
            config->priority);
}

/* The CPU of the run before. */
static void choose_cpu(struct st_before_after *done, struct st_session_config *config)
{
    struct st_threads *threads = &st_platform_native()->threads;
    int allowed[1024];
    const json_t *cpu = json_object_get(conditions_of(&done->before), "cpu");
    const int n = threads->cpus_allowed(threads, allowed, (int)ST_ARRAY_LEN(allowed));
    config->cpus[0] = -1;
    for (int i = 0; i < n && i < (int)ST_ARRAY_LEN(allowed); i++) {
        if (json_is_integer(cpu) && allowed[i] == json_integer_value(cpu))
            config->cpus[0] = allowed[i];
    }
    if (json_is_integer(cpu) && config->cpus[0] < 0)
        set_reason(done,
                   "the run before was on CPU %" JSON_INTEGER_FORMAT ", which sleeptune may not use now",
                   json_integer_value(cpu));
}

static int measure_now(const struct st_journal *journal, struct st_session_config *config,
                       struct st_before_after *done)
{
    json_t *document = NULL;
    const int status = measure("running the measuring loop again to compare", journal, config, &document);
    if (document != NULL)
        take(document, "this run", done, &done->now);
    else if (status == ST_EXIT_BOOKS)
        set_reason(done, "the counters of this run do not agree, so the run is invalid");
    else
        set_reason(done, "the measuring loop could not be run");
    if (done->why[0] == '\0' && !st_text_is(st_json_text_of(conditions_of(&done->now), "policy"),
                                            st_platform_policy_name(config->policy)))
        set_reason(done, done->right
                             ? "the loop did not get real-time priority now"
                             : "the run before had other scheduling rights: run verify as the user who ran "
                               "apply");
    return status == ST_EXIT_BOOKS ? status : ST_EXIT_DONE;
}

/* Blocks of `slots_each` slots, as many as fit. */
static void make_blocks(const struct st_before_after_run *run, size_t slots_each, struct st_counts_run *ret)
{
    ret->n = ST_MIN(run->slots_n / slots_each, ST_COUNTS_SIDE_MAX);
    for (size_t i = 0; i < ret->n * slots_each; i++)
        ret->events_n[i / slots_each] += (uint64_t)run->late[i];
}

/* The shorter run has as many blocks as can be; of a longer one its first part counts. */
static void compare(struct st_before_after *ret)
{
    struct st_counts_run runs[2] = {0};
    const size_t slots_n = ST_MIN(ret->before.slots_n, ret->now.slots_n),
                 each = (slots_n + ST_COUNTS_SIDE_MAX - 1) / ST_COUNTS_SIDE_MAX;
    make_blocks(&ret->before, each, &runs[0]);
    make_blocks(&ret->now, each, &runs[1]);
    const int r = st_counts_compare(runs, &ret->late);
    if (r != 0)
        set_reason(ret, "%s", strerror(-r));
    ret->compared = r == 0;
}

int st_before_after_make(const struct st_change_target *target, const struct st_journal *journal,
                         int64_t duration_ns, struct st_before_after *ret)
{
    struct st_session_config config;
    int status = ST_EXIT_DONE;
    *ret = (struct st_before_after){0};
    if (!st_before_after_is_kept(target)) {
        set_reason(ret, "there is no run from before the changes to compare with");
        return status;
    }
    read_run(target, ret);
    if (ret->why[0] != '\0')
        return status;
    config_of(ret->before.frames, ret->before.rate_hz,
              duration_ns > 0 ? duration_ns : st_before_after_ns(&ret->before), &config);
    choose_policy(journal, ret, &config);
    if (ret->why[0] == '\0')
        choose_cpu(ret, &config);
    ret->policy = config.policy;
    ret->priority = config.policy == ST_POLICY_OTHER ? 0 : config.priority;
    ret->cpu = config.cpus[0];
    if (ret->why[0] == '\0')
        status = measure_now(journal, &config, ret);
    compare_conditions(ret);
    if (ret->why[0] == '\0')
        compare(ret);
    return status;
}

void st_before_after_finish(struct st_before_after *done)
{
    json_decref(done->before.document);
    json_decref(done->now.document);
    json_decref(done->differs);
    *done = (struct st_before_after){0};
}

int64_t st_before_after_ns(const struct st_before_after_run *run)
{
    return st_period_due_ns(&run->period, 0, (uint64_t)run->periods_n);
}
