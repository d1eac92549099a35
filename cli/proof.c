#include "cli/proof.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "program/locale.h"
#include "cli/measure/measure_files.h"
#include "cli/measure/measure_run.h"
#include "cli/show/measure_text.h"
#include "lib/ns.h"
#include "store/recording/recording.h"

#define FILE_NAME   "/before.recording"
#define PATH_BYTES  600
#define LINE_BYTES  4096
#define TIME_MIN_NS ST_NS_PER_S
#define TIME_MAX_NS (600 * ST_NS_PER_S)

static const char *path_of(const struct st_change_target *target, char *buf, size_t buf_bytes)
{
    snprintf(buf, buf_bytes, "%s" FILE_NAME, target->folder);
    return buf;
}

int st_proof_time(const char *command, const char *text, int64_t *ret_ns)
{
    int64_t ns;
    if (st_ns_parse(text, &ns) != 0 || ns < TIME_MIN_NS || ns > TIME_MAX_NS)
        return st_usage_error(command, "--measure: '%s' is not a time such as 30s or 2m, 1s .. 10m", text);
    *ret_ns = ns;
    return 0;
}

/* --- circumstances ---------------------------------------------------------------------------------------
 */

static void say_applied(FILE *out, const struct st_journal *journal)
{
    bool any = false;
    fputs("applied:", out);
    for (size_t i = 0; i < journal->entries_n; i++) {
        bool seen = journal->entries[i].phase != ST_PHASE_DONE;
        for (size_t j = 0; j < i && !seen; j++)
            seen = strcmp(journal->entries[j].rule, journal->entries[i].rule) == 0;
        if (!seen)
            fprintf(out, " %s", journal->entries[i].rule);
        any |= !seen;
    }
    fputs(any ? "\n" : " nothing\n", out);
}

/* What a measurement does not say of itself. NULL: out of memory. */
static char *machine_now(const struct st_journal *journal)
{
    struct st_platform *p = st_platform_native();
    char line[LINE_BYTES], *text = NULL;
    size_t bytes, len;
    FILE *out = open_memstream(&text, &bytes);
    if (out == NULL)
        return NULL;
    say_applied(out, journal);
    const int r = p->os == ST_OS_FREEBSD ? p->read_sysctl(p, "vm.loadavg", line, sizeof(line), &len)
                                         : p->read_text(p, "/proc/loadavg", line, sizeof(line), &len);
    if (r == 0) { /* "0.10 0.05 0.01 1/123 456", "{ 0.10 0.05 0.01 }" */
        const char *first = line + strspn(line, "{ ");
        fprintf(out, ST_LOAD_KEY ": %.*s\n", (int)strcspn(first, " \n"), first);
    }
    if (p->os == ST_OS_LINUX && p->read_text(p, "/proc/cmdline", line, sizeof(line), &len) == 0)
        fprintf(out, "kernel_command_line: %.*s\n", (int)strcspn(line, "\n"), line);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* --- one pass --------------------------------------------------------------------------------------------
 */

/* Runs the loop into a recording: in the same way before and now, as recording is some work, too. Says how
 * long it takes, and on a terminal how it goes. @return an st_exit. */
static int record(const char *command, const char *what, const char *path, const struct st_journal *journal,
                  struct st_session_config *config)
{
    struct st_measure_files *files;
    struct st_result result;
    char time[24];
    const bool terminal = isatty(STDERR_FILENO) == 1;
    int status = st_measure_files_open(command, config, path, NULL, &files);
    if (status != 0)
        return status;
    config->sinks = st_measure_files_sinks(files);
    char *machine = machine_now(journal);
    fflush(stdout);
    st_ns_format(config->duration_ns, time, sizeof(time));
    fprintf(stderr, "sleeptune %s: %s, %s; Ctrl-C ends it early\n", command, what, st_locale_text(time));
    status = st_measure_run(command, config, terminal ? st_measure_show_progress : NULL, NULL, &result);
    if (terminal)
        fputs("\r\033[K", stderr);
    if (status == ST_EXIT_DONE) {
        if (machine != NULL)
            st_measure_files_text(files, machine);
        status = st_measure_files_close(files, &result, 1);
        if (status == ST_EXIT_DONE)
            status = st_measure_status(&result, 1);
        if (!result.books_balance)
            (void)st_failure(command, "the books of the run do not balance: it proves nothing");
        st_result_finish(&result);
    }
    free(machine);
    st_measure_files_free(files);
    return status;
}

static void ST_PRINTF(2, 3) because(struct st_proof *proof, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(proof->why, sizeof(proof->why), format, args);
    va_end(args);
}

/* @return 0, -EIO, or the pass's error. */
static int read_events(struct st_recording_reader *reader, struct st_pass *pass)
{
    struct st_recording_event event;
    int r;
    while ((r = st_recording_next(reader, &event)) == 1) {
        if (event.kind == ST_RECORDING_CYCLE)
            st_pass_cycle(pass, event.period_index, event.lateness_ns, event.callback_ns);
        else if (event.kind == ST_RECORDING_SKIPPED)
            st_pass_skipped(pass, event.period_index, event.n);
        else
            st_pass_lost(pass, event.period_index, event.n);
        if (pass->error != 0)
            return pass->error;
    }
    return r;
}

static const char *open_error(int r)
{
    return r == -EBADMSG           ? "not a recording, or cut at its beginning"
           : r == -EPROTONOSUPPORT ? "it is of a newer sleeptune"
                                   : strerror(-r);
}

/* What is in the way is in proof->why. */
static void read_recording(const char *path, struct st_proof *proof, struct st_proof_run *ret)
{
    struct st_recording_reader *reader;
    int r = st_recording_open(path, &reader);
    if (r != 0) {
        because(proof, "%s cannot be read: %s", path, open_error(r));
        return;
    }
    const struct st_recording_meta *meta = st_recording_meta(reader);
    proof->frames = meta->frames;
    proof->rate_hz = meta->rate_hz;
    ret->started_wall_ns = meta->started_wall_ns;
    st_pass_init(&ret->pass, &meta->period);
    r = read_events(reader, &ret->pass);
    const enum st_recording_end end = st_recording_ended(reader);
    ret->interrupted = end != ST_RECORDING_COMPLETE;
    ret->circumstances = strdup(st_recording_circumstances(reader));
    st_recording_close_reader(reader);
    if (r < 0 || ret->circumstances == NULL)
        because(proof, "%s cannot be read: %s", path, strerror(r < 0 ? -r : ENOMEM));
    else if (end == ST_RECORDING_DAMAGED)
        because(proof, "%s is damaged", path);
    else if (proof->frames == 0 || ret->pass.n == 0)
        because(proof, "%s has no cycle, or no period in frames", path);
    for (char *at = ret->circumstances; at != NULL && *at != '\0'; at++) {
        if ((unsigned char)*at > '~') /* it may have come from anywhere */
            *at = '?';
    }
}

/* --- before ----------------------------------------------------------------------------------------------
 */

static void config_of(uint32_t frames, uint32_t rate_hz, int64_t duration_ns,
                      struct st_session_config *config)
{
    st_session_defaults(config);
    config->frames = frames;
    config->rate_hz = rate_hz;
    config->duration_ns = duration_ns;
}

/* Where this thread runs now; -1: not known. Both passes stay on one CPU, as one may be busier than another.
 */
static int cpu_now(void)
{
    struct st_platform *p = st_platform_native();
    struct st_counters_handle handle;
    struct st_thread_counters counters = {.valid = 0};
    if (p->counters_open(p, &handle) != 0)
        return -1;
    const int r = p->counters_self(p, &handle, &counters);
    p->counters_close(p, &handle);
    return r == 0 && (counters.valid & ST_COUNTER_CPU_NUMBER) != 0 ? counters.cpu : -1;
}

void st_proof_record(const char *command, const struct st_change_target *target,
                     const struct st_journal *journal, uint32_t frames, uint32_t rate_hz, int64_t duration_ns)
{
    char path[PATH_BYTES];
    struct st_session_config config;
    path_of(target, path, sizeof(path));
    if (journal->entries_n > 0 && access(path, F_OK) == 0) {
        puts("the loop was recorded before the first change; verify compares with that");
        return;
    }
    config_of(frames, rate_hz, duration_ns, &config);
    config.cpus[0] = cpu_now();
    if (record(command, "recording the loop as it runs now", path, journal, &config) == ST_EXIT_DONE)
        return;
    (void)target->p->remove_file(target->p, path); /* of a full disk, it is in the way of the journal */
    (void)st_failure(command, "not recorded, so verify will have nothing to compare with");
}

bool st_proof_forget(const char *command, const struct st_change_target *target,
                     const struct st_journal *journal)
{
    char path[PATH_BYTES];
    if (journal->entries_n > 0)
        return false;
    const int r = target->p->remove_file(target->p, path_of(target, path, sizeof(path)));
    if (r != 0 && r != -ENOENT)
        (void)st_failure(command, "cannot remove %s: %s", path, strerror(-r));
    return r == 0;
}

/* --- now -------------------------------------------------------------------------------------------------
 */

/* The policy of then. Without the right to it there is no fair comparison. */
static void choose_policy(struct st_proof *proof, struct st_session_config *config)
{
    struct st_platform *p = st_platform_native();
    struct st_rt_rights rights;
    char policy[16], priority[16];
    int64_t number = 0;
    (void)st_circumstances_value(proof->before.circumstances, "policy", policy, sizeof(policy));
    (void)st_circumstances_value(proof->before.circumstances, "priority", priority, sizeof(priority));
    if (strcmp(policy, st_policy_name(ST_POLICY_OTHER)) == 0) {
        config->policy = ST_POLICY_OTHER;
        return;
    }
    if (strcmp(policy, st_policy_name(ST_POLICY_FIFO)) != 0 || st_parse_i64(priority, 1, 99, &number) != 0) {
        because(proof, "the recording does not say with which policy the loop ran");
        return;
    }
    config->priority = (int)number;
    if (p->rt_rights(p, config->priority, &rights) == 0 && rights.fifo_errno != 0)
        because(proof,
                "the loop ran with SCHED_FIFO %d then, and this user may not: 'sudo sleeptune verify' can",
                config->priority);
}

/* The CPU of then. */
static void choose_cpu(struct st_proof *proof, struct st_session_config *config)
{
    struct st_platform *p = st_platform_native();
    int allowed[1024];
    char cpu[16];
    int64_t wanted;
    if (!st_circumstances_value(proof->before.circumstances, "cpu", cpu, sizeof(cpu)) ||
        strcmp(cpu, "any") == 0)
        return;
    if (st_parse_i64(cpu, 0, INT_MAX, &wanted) != 0) {
        because(proof, "the recording does not say on which CPU the loop ran");
        return;
    }
    const int n = p->cpus_allowed(p, allowed, (int)ST_ARRAY_LEN(allowed));
    config->cpus[0] = -1;
    for (int i = 0; i < n && i < (int)ST_ARRAY_LEN(allowed); i++) {
        if (allowed[i] == wanted)
            config->cpus[0] = allowed[i];
    }
    if (config->cpus[0] < 0)
        because(proof, "the loop ran on CPU %" PRId64 " then, which may not be used now", wanted);
}

/* A recording of its own, gone when it is read. */
static int measure_now(const char *command, const struct st_journal *journal,
                       struct st_session_config *config, struct st_proof *proof)
{
    char path[PATH_BYTES], policy[16];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof(path), "%.500s/sleeptune-XXXXXX",
             folder != NULL && folder[0] == '/' ? folder : "/tmp");
    const int fd = mkstemp(path);
    if (fd < 0) {
        because(proof, "cannot record into %s: %s", path, strerror(errno));
        return ST_EXIT_DONE;
    }
    close(fd);
    const int status = record(command, "running the loop again, to compare", path, journal, config);
    if (status == ST_EXIT_DONE)
        read_recording(path, proof, &proof->now);
    else if (status == ST_EXIT_BOOKS)
        because(proof, "the books of the run do not balance: it is invalid");
    else
        because(proof, "the loop could not run and be recorded");
    (void)unlink(path);
    if (proof->why[0] == '\0' &&
        (!st_circumstances_value(proof->now.circumstances, "policy", policy, sizeof(policy)) ||
         strcmp(policy, st_policy_name(config->policy)) != 0))
        because(proof, "the loop ran with another policy than then");
    return status == ST_EXIT_BOOKS ? status : ST_EXIT_DONE;
}

static void compare(struct st_proof *proof)
{
    struct st_random random = {1}; /* any: the same runs give the same figures */
    int r = st_circumstances_compare(proof->before.circumstances, proof->now.circumstances, &proof->changes,
                                     &proof->changes_n);
    if (r == 0)
        r = st_pass_compare(&proof->before.pass, &proof->now.pass, &random, &proof->difference);
    if (r != 0)
        because(proof, "%s", strerror(-r));
    proof->compared = r == 0;
}

int st_proof_make(const char *command, const struct st_change_target *target,
                  const struct st_journal *journal, int64_t duration_ns, struct st_proof *ret)
{
    char path[PATH_BYTES];
    struct st_session_config config;
    int status = ST_EXIT_DONE;
    *ret = (struct st_proof){0};
    if (access(path_of(target, path, sizeof(path)), F_OK) != 0 && errno == ENOENT) {
        because(ret, "nothing was recorded before the changes, so there is nothing to compare with");
        return status;
    }
    read_recording(path, ret, &ret->before);
    if (ret->why[0] != '\0')
        return status;
    const int64_t then_ns = st_period_due_ns(&ret->before.pass.period, 0, ret->before.pass.end);
    config_of(ret->frames, ret->rate_hz, duration_ns > 0 ? duration_ns : then_ns, &config);
    choose_policy(ret, &config);
    if (ret->why[0] == '\0')
        choose_cpu(ret, &config);
    ret->policy = config.policy;
    ret->priority = config.policy == ST_POLICY_OTHER ? 0 : config.priority;
    ret->cpu = config.cpus[0];
    if (ret->why[0] == '\0')
        status = measure_now(command, journal, &config, ret);
    if (ret->why[0] == '\0')
        compare(ret);
    return status;
}

void st_proof_none(struct st_proof *ret, const char *why)
{
    *ret = (struct st_proof){0};
    because(ret, "%s", why);
}

void st_proof_finish(struct st_proof *proof)
{
    st_circumstances_free(proof->changes, proof->changes_n);
    free(proof->before.circumstances);
    free(proof->now.circumstances);
    st_pass_finish(&proof->before.pass);
    st_pass_finish(&proof->now.pass);
    *proof = (struct st_proof){0};
}

bool st_proof_is_worse(const struct st_proof *proof)
{
    bool worse = false;
    for (int i = 0; i < ST_PASS_FIGURES && proof->compared; i++) {
        const struct st_pass_figure *figure = &proof->difference.figures[i];
        worse |= st_pass_shows(figure) && figure->difference.value > 0;
    }
    return worse;
}
