#include "cli/change/before_after.h"

#include <unistd.h>

#include "advisor/change/candidate.h"
#include "advisor/rules/buffer.h"
#include "cli/command.h"
#include "cli/measure/measure_files.h"
#include "cli/measure/measure_run.h"
#include "cli/show/measure_text.h"
#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/number.h"
#include "core/text/text.h"
#include "platform/program/locale.h"
#include "store/recording/recording.h"
#include "store/recording/recording_input.h"

#define FILE_NAME  "/before.recording"
#define PATH_BYTES 600
#define LINE_BYTES 4096
#define RIGHT_RULE "linux-rt-permission" /* root has that right already */

static const char *path_of(const struct st_change_target *target, char *buf, size_t buf_bytes)
{
    snprintf(buf, buf_bytes, "%s" FILE_NAME, target->folder);
    return buf;
}

/* --- test conditions --- */

static void print_applied(FILE *out, const struct st_journal *journal)
{
    bool any = false;
    fputs("applied:", out);
    for (size_t i = 0; i < journal->entries_n; i++) {
        bool seen = journal->entries[i].phase != ST_PHASE_DONE;
        for (size_t j = 0; j < i && !seen; j++)
            seen = st_text_is(journal->entries[j].rule, journal->entries[i].rule);
        if (!seen)
            fprintf(out, " %s", journal->entries[i].rule);
        any |= !seen;
    }
    fputs(any ? "\n" : " nothing\n", out);
}

#define LOAD "load_average"

/* What a measurement does not say of itself. NULL: out of memory. */
static char *machine_now(const struct st_journal *journal)
{
    struct st_machine *machine = &st_platform_native()->machine;
    char line[LINE_BYTES], *text = NULL;
    size_t bytes, len;
    double load;
    FILE *out = open_memstream(&text, &bytes);
    if (out == NULL)
        return NULL;
    print_applied(out, journal);
    if (getloadavg(&load, 1) == 1)
        fprintf(out, LOAD ": %.1f\n", load);
    if (machine->read_text(machine, "/proc/cmdline", line, sizeof(line), &len) == 0)
        fprintf(out, "kernel_command_line: %.*s\n", (int)strcspn(line, "\n"), line);
    return st_text_take(out, &text);
}

/* "key: value" lines, which may have come from anywhere. Cuts the text. */
static json_t *conditions_of(char *text)
{
    json_t *all = json_object();
    for (char *at = text; *at != '\0'; at++) {
        if ((unsigned char)*at > '~')
            *at = '?';
    }
    for (char *value = strsep(&text, "\n"); value != NULL; value = strsep(&text, "\n")) {
        const char *key = strsep(&value, ":");
        if (value != NULL && json_object_get(all, key) == NULL)
            st_json_set(all, key, json_string(value + (*value == ' ')));
    }
    return all;
}

/* "": unknown. */
static const char *value_of(const struct st_before_after_run *run, const char *key)
{
    const char *value = json_string_value(json_object_get(run->conditions, key));
    return value != NULL ? value : "";
}

/* A load that differs by less than one program is none. */
static void compare_condition(struct st_before_after *done, const char *key)
{
    const char *before = value_of(&done->before, key), *now = value_of(&done->now, key);
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
    (void)json_object_update(all, done->now.conditions);
    (void)json_object_update_missing(all, done->before.conditions);
    done->differs = json_array();
    json_object_foreach(all, key, value) compare_condition(done, key);
    json_decref(all);
}

/* --- one run --- */

/* Runs the loop into a recording: in the same way before and now, as recording is some work, too. Says how
 * long it takes, and on a terminal how it goes. @return an st_exit. */
static int record(const char *what, const char *path, const struct st_journal *journal,
                  struct st_session_config *config)
{
    struct st_measure_files *files;
    struct st_result result;
    char time[24];
    const bool terminal = isatty(STDERR_FILENO) == 1;
    int status = st_measure_files_open(config, path, &files);
    if (status != 0)
        return status;
    char *machine = machine_now(journal);
    fflush(stdout);
    st_ns_format(config->duration_ns, time, sizeof(time));
    fprintf(stderr, "sleeptune %s: %s, %s; Ctrl-C ends it early\n", st_program_command, what,
            st_locale_text(time));
    status = st_measure_run(config, terminal ? st_measure_text_show : NULL, NULL, &result);
    if (terminal)
        fputs("\r\033[K", stderr);
    if (status == ST_EXIT_DONE) {
        status = st_measure_files_close(files, &result, 1, machine != NULL ? machine : "");
        if (status == ST_EXIT_DONE)
            status = st_measure_run_status(&result, 1);
        if (!result.books_balance)
            st_failure(
                "the counters of this run do not agree, so the run is invalid. Run the command again.");
        st_result_finish(&result);
    }
    free(machine);
    st_measure_files_free(files);
    return status;
}

static void ST_PRINTF(2, 3) set_reason(struct st_before_after *done, const char *format, ...)
{
    ST_PRINT_REST(done->why, sizeof(done->why), format);
}

/* A skipped period is a wake-up that was too late for it. */
static void count(struct st_before_after_run *run, const struct st_recording_event *event)
{
    const struct st_period *period = &run->meta.period;
    const int share = st_candidates_late_share(st_platform_native()->machine.os);
    const int64_t due_ns = st_period_due_ns(period, 0, event->period_index);
    const bool skipped = event->kind == ST_RECORDING_SKIPPED;
    const bool missed = skipped || st_period_missed(period, event->period_index,
                                                    st_ns_add(event->lateness_ns, event->callback_ns));
    const size_t slot = (size_t)(due_ns / ST_BEFORE_AFTER_SLOT_NS);
    if (missed)
        st_miss_events_add(&run->events, due_ns,
                           st_period_due_ns(period, 0, event->period_index + event->n - 1));
    run->missed_n += missed ? event->n : 0;
    run->slots_n = slot + 1;
    if (slot >= ST_BEFORE_AFTER_SLOTS)
        return;
    if (skipped || event->lateness_ns > st_period_ns(period) / share) {
        run->late[slot] += (uint32_t)ST_MIN(event->n, (uint64_t)UINT16_MAX);
        run->late_n += event->n;
    }
}

static int read_events(const char *path, struct st_before_after_run *ret)
{
    struct st_recording_reader *reader;
    struct st_recording_event event;
    int r = st_recording_open(path, &reader);
    if (r != 0)
        return r;
    ret->meta = st_recording_info(reader)->meta;
    while ((r = st_recording_next(reader, &event)) == 1)
        count(ret, &event);
    ret->totals = st_recording_info(reader)->totals;
    ret->end = st_recording_info(reader)->end;
    char *conditions = strdup(st_recording_info(reader)->conditions);
    ret->conditions = conditions != NULL ? conditions_of(conditions) : NULL;
    free(conditions);
    st_recording_close_reader(reader);
    return r == 0 && ret->conditions == NULL ? -ENOMEM : r;
}

/* What is in the way is in done->why. */
static void read_run(const char *path, struct st_before_after *done, struct st_before_after_run *ret)
{
    const int r = read_events(path, ret);
    if (r != 0)
        set_reason(done, "cannot read %s: %s", path, st_recording_input_error(r));
    else if (ret->end == ST_RECORDING_DAMAGED)
        set_reason(done, "%s is damaged", path);
    else if (ret->meta.frames == 0 || ret->totals.cycles == 0 || ret->slots_n == 0)
        set_reason(done, "%s contains no cycle, or no buffer size", path);
    else if (ret->slots_n > ST_BEFORE_AFTER_SLOTS)
        set_reason(done, "%s is longer than 10 minutes", path);
    else if (ret->totals.lost_cycles > 0)
        set_reason(done, "%s lacks %" PRIu64 " cycles, which may have been late: disk or CPU were too slow",
                   path, ret->totals.lost_cycles);
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

void st_before_after_record(const struct st_change_target *target, const struct st_journal *journal,
                            const struct st_plan *plan, int64_t duration_ns)
{
    const struct st_wish *wish = &target->report.wish;
    struct st_session_config config;
    const char *path = path_of(target, ST_ROOM(PATH_BYTES));
    if (journal->entries_n > 0 && access(path, F_OK) == 0) {
        puts("the recording from before the first change is kept: 'sleeptune verify' compares with it");
        return;
    }
    config_of(wish->frames, wish->rate_hz, duration_ns, &config);
    printf("judged for %s\n", st_buffer_text(wish, ST_ROOM(ST_BUFFER_TEXT_BYTES)));
    config.cpus[0] = cpu_now();
    ST_EACH_OF (step, plan->steps, plan->steps_n) {
        if (st_text_is(step->rule, RIGHT_RULE) && lacks_right(target->facts))
            config.policy = ST_POLICY_OTHER;
    }
    if (record("recording the measuring loop before the change", path, journal, &config) == ST_EXIT_DONE)
        return;
    (void)target->p->writer.remove_file(&target->p->writer,
                                        path); /* of a full disk, it is in the way of the journal */
    st_failure("no recording was made: verify will have nothing to compare with");
}

bool st_before_after_is_recorded(const struct st_change_target *target)
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

/* The policy of the recorded run; real-time priority, if the right to it was applied since then. Without the
 * right to it there is no fair comparison. */
static void choose_policy(const struct st_journal *journal, struct st_before_after *done,
                          struct st_session_config *config)
{
    struct st_threads *threads = &st_platform_native()->threads;
    struct st_rt_rights rights;
    const char *policy = value_of(&done->before, "policy"),
               *asked = value_of(&done->before, "priority_asked");
    /* on FreeBSD the kernel's priority is another number than the one that was asked for */
    const char *priority = asked[0] != '\0' ? asked : value_of(&done->before, "priority");
    int64_t number = 0;
    const bool other = st_text_is(policy, st_platform_policy_name(ST_POLICY_OTHER));
    const bool right = gave_right(journal);
    done->right = other && right;
    if (other && !right) {
        config->policy = ST_POLICY_OTHER;
        return;
    }
    if (!other && (!st_text_is(policy, st_platform_policy_name(ST_POLICY_FIFO)) ||
                   st_number_i64(priority, 1, 99, &number) != 0)) {
        set_reason(done, "the recording does not say which scheduling policy the measuring loop had");
        return;
    }
    if (!other)
        config->priority = (int)number;
    if (threads->rt_rights(threads, config->priority, &rights) != 0 || rights.fifo_errno == 0)
        return;
    if (right)
        set_reason(done,
                   "this session may not use real-time priority. Where 'sleeptune apply' gave this user the "
                   "right: log out and in again; else run 'sleeptune verify' as root");
    else
        set_reason(
            done,
            "the recording was made with SCHED_FIFO %d, which this user may not use. Run 'sleeptune verify' "
            "as root",
            config->priority);
}

/* The CPU of the recorded run. */
static void choose_cpu(struct st_before_after *done, struct st_session_config *config)
{
    struct st_threads *threads = &st_platform_native()->threads;
    int allowed[1024];
    const char *cpu = value_of(&done->before, "cpu");
    int64_t wanted;
    if (cpu[0] == '\0' || st_text_is(cpu, "any"))
        return;
    if (st_number_i64(cpu, 0, INT_MAX, &wanted) != 0) {
        set_reason(done, "the recording does not say on which CPU the measuring loop ran");
        return;
    }
    const int n = threads->cpus_allowed(threads, allowed, (int)ST_ARRAY_LEN(allowed));
    config->cpus[0] = -1;
    for (int i = 0; i < n && i < (int)ST_ARRAY_LEN(allowed); i++) {
        if (allowed[i] == wanted)
            config->cpus[0] = allowed[i];
    }
    if (config->cpus[0] < 0)
        set_reason(done, "the recording was made on CPU %" PRId64 ", which sleeptune may not use now",
                   wanted);
}

/* A recording of its own, gone when it is read. */
static int measure_now(const struct st_journal *journal, struct st_session_config *config,
                       struct st_before_after *done)
{
    const char *folder = getenv("TMPDIR");
    char *path =
        ST_TEXT(PATH_BYTES, "%.500s/sleeptune-XXXXXX", folder != NULL && folder[0] == '/' ? folder : "/tmp");
    const int fd = mkstemp(path);
    if (fd < 0) {
        set_reason(done, "cannot record into %s: %s", path, strerror(errno));
        return ST_EXIT_DONE;
    }
    close(fd);
    const int status = record("running the measuring loop again to compare", path, journal, config);
    if (status == ST_EXIT_DONE)
        read_run(path, done, &done->now);
    else if (status == ST_EXIT_BOOKS)
        set_reason(done, "the counters of this run do not agree, so the run is invalid");
    else
        set_reason(done, "the measuring loop could not be run or recorded");
    (void)unlink(path);
    if (done->why[0] == '\0' &&
        !st_text_is(value_of(&done->now, "policy"), st_platform_policy_name(config->policy)))
        set_reason(done, done->right
                             ? "the loop did not get real-time priority now"
                             : "the recording was made with other scheduling rights: run verify as the "
                               "user who ran apply");
    return status == ST_EXIT_BOOKS ? status : ST_EXIT_DONE;
}

/* Blocks of `slots_each` slots, as many as fit. */
static void make_blocks(const struct st_before_after_run *run, size_t slots_each, struct st_counts_run *ret)
{
    ret->n = ST_MIN(run->slots_n / slots_each, ST_COUNTS_SIDE_MAX);
    for (size_t i = 0; i < ret->n * slots_each; i++)
        ret->events_n[i / slots_each] += run->late[i];
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
    if (!st_before_after_is_recorded(target)) {
        set_reason(ret, "there is no recording from before the changes to compare with");
        return status;
    }
    read_run(path_of(target, ST_ROOM(PATH_BYTES)), ret, &ret->before);
    if (ret->why[0] != '\0')
        return status;
    const struct st_recording_meta *meta = &ret->before.meta;
    const int64_t then_ns = st_period_due_ns(&meta->period, 0, st_before_after_periods(&ret->before));
    config_of(meta->frames, meta->rate_hz, duration_ns > 0 ? duration_ns : then_ns, &config);
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
    json_decref(done->before.conditions);
    json_decref(done->now.conditions);
    json_decref(done->differs);
    *done = (struct st_before_after){0};
}

uint64_t st_before_after_periods(const struct st_before_after_run *run)
{
    return run->totals.cycles + run->totals.skipped_periods;
}
