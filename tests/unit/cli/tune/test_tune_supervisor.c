/* The process that switches settings for `tune`, on the files of a captured tree: both processes
 * see them. Real clock: a real process is killed at random moments. */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/tune/tune_supervisor.h"
#include "evidence/tuning.h"
#include "platform/program/failure.h"
#include "tests/unit/unit.h"

#define FOLDER "/var/lib/sleeptune-changes"
#define PAGES  "/sys/kernel/mm/transparent_hugepage/"

struct state {
    char dir[64];
    struct st_platform *p;
    struct st_candidates candidates;
    struct st_finding findings[2];
};

static struct state *s;

static void write_file(const char *path, const char *text)
{
    char whole[256];
    ST_PRINT(whole, "%s%s", s->dir, path);
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static const char *read_file(const char *path, char *buf, size_t bytes)
{
    char whole[256];
    ST_PRINT(whole, "%s%s", s->dir, path);
    FILE *file = fopen(whole, "r");
    buf[0] = '\0';
    if (file != NULL) {
        buf[fread(buf, 1, bytes - 1, file)] = '\0';
        fclose(file);
    }
    buf[strcspn(buf, "\n")] = '\0';
    return buf;
}

static void assert_value(const char *path, const char *wanted)
{
    char text[256];
    assert_string_equal(read_file(path, text, sizeof(text)), wanted);
}

static bool has_journal(void)
{
    char text[16];
    return read_file(FOLDER "/journal", text, sizeof(text))[0] != '\0';
}

static int add_row(const char *rule, const char *target, const char *old, const char *new)
{
    struct st_journal *plan = &s->candidates.plan;
    const size_t i = s->candidates.n++;
    s->findings[i].rule = st_rule_find(rule);
    s->candidates.rows[i] = (struct st_candidate){
        .finding = &s->findings[i], .first_step = plan->entries_n, .steps_n = 1};
    plan->entries = realloc(plan->entries, (plan->entries_n + 1) * sizeof(*plan->entries));
    struct st_entry *step = &plan->entries[plan->entries_n++];
    *step = (struct st_entry){.kind = ST_CHANGE_SYSFS};
    ST_PRINT(step->rule, "%s", rule);
    ST_PRINT(step->target, "%s", target);
    ST_PRINT(step->old_value, "%s", old);
    ST_PRINT(step->new_value, "%s", new);
    return 0;
}

static int set_up(void **state)
{
    s = calloc(1, sizeof(*s));
    char command[512];
    strcpy(s->dir, "/tmp/sleeptune-tune-XXXXXX");
    if (mkdtemp(s->dir) == NULL)
        return -1;
    ST_PRINT(command,
             "mkdir -p '%s" PAGES
             "' '%s/var/lib' '%s/sys/devices/system/cpu/cpufreq/policy0' '%s/etc'",
             s->dir, s->dir, s->dir, s->dir);
    if (system(command) != 0 || st_platform_root_new(s->dir, &s->p) != 0)
        return -1;
    write_file(PAGES "enabled", "always\n");
    write_file("/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave\n");
    add_row("linux-huge-pages", PAGES "enabled", "always", "madvise");
    add_row("linux-cpu-frequency", "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor",
            "powersave", "performance");
    return 0;
}

static int tear_down(void **state)
{
    char command[128];
    st_candidates_finish(&s->candidates);
    st_platform_root_free(s->p);
    ST_PRINT(command, "rm -rf '%s'", s->dir);
    const int r = system(command);
    free(s);
    return r;
}

static int start(struct st_tune_supervisor *supervisor)
{
    return st_tune_supervisor_start(supervisor, s->p, FOLDER, &s->candidates);
}

static void assert_as_before(void)
{
    assert_value(PAGES "enabled", "always");
    assert_value("/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave");
    assert_false(has_journal());
}

static void it_switches_and_sets_back(void **state)
{
    struct st_tune_supervisor supervisor;
    char why[ST_TUNING_WHY_BYTES];
    size_t row;
    assert_int_equal(start(&supervisor), 0);
    assert_int_equal(st_tune_supervisor_set(&supervisor, 0, &row, why), 0);
    assert_false(has_journal()); /* nothing was written yet */
    assert_int_equal(st_tune_supervisor_set(&supervisor, 1, &row, why), 0);
    assert_value(PAGES "enabled", "madvise");
    assert_true(has_journal());
    assert_int_equal(st_tune_supervisor_set(&supervisor, 3, &row, why), 0);
    assert_value("/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "performance");
    assert_int_equal(st_tune_supervisor_set(&supervisor, 2, &row, why), 0);
    assert_value(PAGES "enabled", "always");
    assert_int_equal(st_tune_supervisor_end(&supervisor), 0);
    assert_as_before();
}

static void another_writer_is_named_and_left_alone(void **state)
{
    struct st_tune_supervisor supervisor;
    char why[ST_TUNING_WHY_BYTES];
    size_t row = 9;
    strcpy(s->candidates.writers, "power-profiles-daemon");
    assert_int_equal(start(&supervisor), 0);
    assert_int_equal(st_tune_supervisor_set(&supervisor, 3, &row, why), 0);
    write_file("/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "ondemand\n");
    assert_int_equal(st_tune_supervisor_set(&supervisor, 3, &row, why), -EBUSY);
    assert_int_equal(row, 1);
    assert_has(why, "scaling_governor (running here: power-profiles-daemon)");
    assert_int_equal(st_tune_supervisor_set(&supervisor, 1, &row, why),
                     0); /* the other one goes on */
    assert_value(PAGES "enabled", "madvise");
    assert_int_equal(st_tune_supervisor_end(&supervisor), 0);
    assert_value(PAGES "enabled", "always");
    assert_value("/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "ondemand");
    assert_false(has_journal());
}

static void nap(unsigned us)
{
    const struct timespec time = {.tv_nsec = (long)us * 1000};
    nanosleep(&time, NULL);
}

/* A supervisor that starts later, once the one before has ended. */
static void assert_next_starts(void)
{
    struct st_tune_supervisor next;
    int r = start(&next);
    for (int tries = 0; tries < 5000 && r != 0; tries++) {
        nap(2000);
        r = start(&next);
    }
    assert_int_equal(r, 0);
    assert_int_equal(st_tune_supervisor_end(&next), 0);
    assert_as_before();
}

/* At any moment, within a switch or between two. */
static void a_killed_tuner_leaves_nothing(void **state)
{
    srand(1);
    for (int i = 0; i < 40; i++) {
        const pid_t tuner = fork();
        if (tuner == 0) {
            struct st_tune_supervisor supervisor;
            char why[ST_TUNING_WHY_BYTES];
            size_t row;
            if (start(&supervisor) == 0) {
                uint32_t on = 1;
                while (st_tune_supervisor_set(&supervisor, on, &row, why) == 0)
                    on = (on + 1) % 4;
            }
            _exit(0);
        }
        nap((unsigned)(rand() % 20000));
        kill(tuner, SIGKILL);
        waitpid(tuner, NULL, 0);
        for (int tries = 0; tries < 5000 && has_journal(); tries++)
            nap(2000);
        /* the supervisor may have been between its end and its first journal */
        assert_next_starts();
    }
}

/* `apply` has its own words for what the journal refuses; strerror would say "File exists". */
static void a_setting_of_another_rule_is_refused_in_the_words_of_apply(void **state)
{
    struct st_tune_supervisor supervisor;
    char why[ST_TUNING_WHY_BYTES];
    size_t row;
    strcpy(s->candidates.plan.entries[1].target, PAGES "enabled");
    strcpy(s->candidates.rows[1].setting, PAGES "enabled");
    assert_int_equal(start(&supervisor), 0);
    assert_int_equal(st_tune_supervisor_set(&supervisor, 3, &row, why), -EIO);
    assert_int_equal(row, 1);
    assert_string_equal(
        why,
        PAGES "enabled: sleeptune changed this setting already. First run: sleeptune revert ID");
    assert_int_equal(st_tune_supervisor_end(&supervisor), 0);
    assert_as_before();
}

static int no_latency(struct st_platform *p, int32_t us)
{
    return -EACCES;
}

static void a_limit_that_is_not_held_is_refused(void **state)
{
    struct st_tune_supervisor supervisor;
    char why[ST_TUNING_WHY_BYTES];
    size_t row;
    s->candidates.rows[0].kind = ST_CANDIDATE_LATENCY;
    s->p->hold_latency = no_latency;
    assert_int_equal(start(&supervisor), 0);
    assert_int_equal(st_tune_supervisor_set(&supervisor, 1, &row, why), -EIO);
    assert_int_equal(st_tune_supervisor_end(&supervisor), 0);
}

/* Both are killed: the next run finds the journal. */
static void two_killed_processes_are_made_good_by_the_next_run(void **state)
{
    struct st_tune_supervisor next;
    const pid_t tuner = fork();
    if (tuner == 0) {
        struct st_tune_supervisor supervisor;
        char why[ST_TUNING_WHY_BYTES];
        size_t row;
        if (start(&supervisor) == 0 && st_tune_supervisor_set(&supervisor, 3, &row, why) == 0) {
            kill(supervisor.pid, SIGKILL);
            raise(SIGKILL);
        }
        _exit(0);
    }
    waitpid(tuner, NULL, 0);
    assert_value(PAGES "enabled", "madvise");
    assert_true(has_journal());
    assert_int_equal(start(&next), 0);
    assert_value(PAGES "enabled", "always");
    assert_int_equal(st_tune_supervisor_end(&next), 0);
    assert_as_before();
}

/* A tuner with a setting on, whose supervisor prints to the file `said`. */
static pid_t tuner_with_a_setting_on(const char *said)
{
    char path[256];
    const pid_t tuner = fork();
    if (tuner == 0) {
        struct st_tune_supervisor supervisor;
        char why[ST_TUNING_WHY_BYTES];
        size_t row;
        ST_PRINT(path, "%s%s", s->dir, said);
        if (dup2(open(path, O_WRONLY | O_CREAT, 0600), STDERR_FILENO) >= 0 &&
            start(&supervisor) == 0 && st_tune_supervisor_set(&supervisor, 1, &row, why) == 0)
            pause();
        _exit(1);
    }
    char now[16] = "";
    for (int tries = 0; tries < 5000 && strcmp(now, "madvise") != 0; tries++) {
        nap(2000);
        read_file(PAGES "enabled", now, sizeof(now));
    }
    assert_string_equal(now, "madvise");
    return tuner;
}

static void kill_and_hear(pid_t tuner, const char *said, const char *wanted)
{
    char text[1024] = "";
    kill(tuner, SIGKILL);
    waitpid(tuner, NULL, 0);
    for (int tries = 0; tries < 5000 && strlen(text) < strlen(wanted); tries++) {
        nap(2000);
        read_file(said, text, sizeof(text));
    }
    assert_string_equal(text, wanted);
}

/* A folder in the place of the file that becomes the journal: as on a full disk the journal cannot
 * be written. */
static void a_journal_that_cannot_be_written_keeps_nothing_on(void **state)
{
    char path[256];
    const pid_t tuner = tuner_with_a_setting_on("/said");
    ST_PRINT(path, "%s" FOLDER "/" ST_REPLACE_PREFIX "journal" ST_REPLACE_SUFFIX, s->dir);
    assert_int_equal(mkdir(path, 0755), 0);
    kill_and_hear(
        tuner, "/said",
        "sleeptune tune: all is undone, but the list of changes (journal) in " FOLDER
        " cannot be written (Is a directory) and still lists the changes. Free space there: the "
        "next sleeptune "
        "revert, apply or tune corrects it.");
    assert_value(PAGES "enabled", "always");
    assert_true(has_journal());
    assert_int_equal(rmdir(path), 0);
    struct st_tune_supervisor next;
    assert_int_equal(start(&next), 0);
    assert_int_equal(st_tune_supervisor_end(&next), 0);
    assert_as_before();
}

static void a_supervisor_that_cannot_undo_says_so(void **state)
{
    char path[256];
    const pid_t tuner = tuner_with_a_setting_on("/said");
    ST_PRINT(path, "%s" PAGES "enabled", s->dir);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0755), 0);
    kill_and_hear(tuner, "/said",
                  "sleeptune tune: sleeptune tune was ended, and a setting that it tried is still "
                  "on. Run 'sleeptune revert "
                  "linux-huge-pages'. " PAGES "enabled = madvise (was always): Is a directory");
    assert_true(has_journal());
    assert_int_equal(rmdir(path), 0);
    write_file(PAGES "enabled", "madvise\n");
    assert_next_starts();
}

static void a_killed_supervisor_ends_the_session(void **state)
{
    struct st_tune_supervisor supervisor;
    char why[ST_TUNING_WHY_BYTES];
    size_t row;
    assert_int_equal(start(&supervisor), 0);
    assert_int_equal(st_tune_supervisor_set(&supervisor, 3, &row, why), 0);
    kill(supervisor.pid, SIGTERM); /* is not for it: the tuner gets one, too */
    kill(supervisor.pid, SIGHUP);
    assert_int_equal(st_tune_supervisor_set(&supervisor, 2, &row, why), 0);
    kill(supervisor.pid, SIGKILL);
    waitpid(supervisor.pid, NULL, 0);
    assert_int_equal(st_tune_supervisor_set(&supervisor, 3, &row, why), -EPIPE);
    assert_int_equal(st_tune_supervisor_end(&supervisor), 0);
    assert_as_before();
}

int main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    st_program_command = "tune";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_switches_and_sets_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_writer_is_named_and_left_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_limit_that_is_not_held_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_setting_of_another_rule_is_refused_in_the_words_of_apply,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_killed_tuner_leaves_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_killed_processes_are_made_good_by_the_next_run, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_killed_supervisor_ends_the_session, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_journal_that_cannot_be_written_keeps_nothing_on, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_supervisor_that_cannot_undo_says_so, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
