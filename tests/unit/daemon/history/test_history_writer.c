/* The thread that writes the history: what is put is in the file, what cannot be written waits,
 * nobody waits for it. Real clock: the writer is a thread that waits for a disk; the test waits for
 * it, however long it takes. */
#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/ns.h"
#include "daemon/history/history_writer.h"
#include "daemon/lock_file.h"
#include "story/event_list.h"
#include "tests/fake/fake.h"
#include "tests/unit/unit.h"

#include "tests/unit/history_writer_fixture.h"

#define THREADS     3
#define EVENTS_EACH 50

/* SIGHUP: at once. */
static void set_and_wait_for(enum st_history_writer_state state)
{
    st_history_writer_set(writer, &config);
    wait_for(state);
}

static void want_none(void)
{
    ST_PRINT(config.history.enabled, "off");
}

static void *add_events(void *ctx)
{
    for (int i = 0; i < EVENTS_EACH; i++)
        st_events_add(&events, ST_LOG_DBG, ST_NS_PER_S, ST_EVENT_PAUSE, "number %d", i);
    return NULL;
}

static void add_minute(void)
{
    struct st_hist lateness;
    const struct st_history_minute minute = {.from_wall_ns = 60 * ST_NS_PER_S,
                                             .to_wall_ns = 120 * ST_NS_PER_S,
                                             .measured_ns = 60 * ST_NS_PER_S,
                                             .cycles = 2000,
                                             .lateness_max_ns = 5000};
    assert_int_equal(st_hist_init(&lateness, ST_HISTORY_DIGITS), 0);
    st_hist_add_n(&lateness, 5000, 2000);
    static const struct st_cause_sums late = {.rows = {{.cause = ST_CAUSE_RUN_QUEUE,
                                                        .culprit = "hog",
                                                        .n = 3,
                                                        .total_ns = 9000,
                                                        .worst_ns = 5000}},
                                              .n = 1};
    static const struct st_history_watched nothing;
    st_history_writer_add(writer, &minute, &lateness, &late, &nothing);
    st_hist_finish(&lateness);
}

struct answer {
    char *text;
    unsigned http_status; /* 0: none yet */
};

static void take_answer(void *to, char *text, unsigned http_status)
{
    *(struct answer *)to = (struct answer){text, http_status};
}

static json_t *answer(enum st_route_body which)
{
    struct st_platform *p = st_platform_native();
    struct answer answer = {0};
    struct st_history_ask ask = {.which = which, .answered = take_answer, .to = &answer};
    sigset_t none;
    sigemptyset(&none);
    st_query_init(&ask.query);
    ask.query.since_wall_ns = 0;
    ask.query.until_wall_ns = 3600 * ST_NS_PER_S;
    st_history_writer_ask(writer, &ask);
    while (answer.http_status == 0) { /* the test's limit ends it */
        struct st_wait wait;
        st_wait_init(&wait, st_platform_now_ns(p) + ST_NS_PER_S);
        st_history_writer_wait(writer, &wait);
        st_wait(&wait, p, &none);
        st_history_writer_turn(writer, &wait);
    }
    assert_non_null(answer.text);
    json_t *document = json_loads(answer.text, 0, NULL);
    assert_non_null(document);
    assert_true((answer.http_status == 200) == (json_object_get(document, "error") == NULL));
    free(answer.text);
    return document;
}

/* Waits at most 30 s until the file has n events of that kind; asks the writer nothing.
 * @return the newest. */
static struct st_event wait_for_events(const char *kind, size_t n)
{
    const struct timespec pause = {.tv_nsec = TRY_NS};
    struct st_event newest = {0};
    size_t found_n = 0;
    for (int i = 0; i < TRIES_MAX && found_n != n; i++) {
        struct st_history_reader *reader;
        const char *error;
        const struct st_history_asked wish = {.until_ns = INT64_MAX, .limit = 5000, .kind = kind};
        nanosleep(&pause, NULL);
        assert_int_equal(st_history_read_open(look().path, &reader, &error), 0);
        char *text = st_event_list_text(reader, &wish);
        assert_int_equal(st_history_read_result(reader), 0);
        st_history_read_close(reader);
        json_t *document = json_loads(text, 0, NULL);
        const json_t *list = json_object_get(document, "events");
        found_n = json_array_size(list);
        if (found_n > 0)
            ST_PRINT(newest.detail, "%s",
                     json_string_value(json_object_get(json_array_get(list, 0), "text")));
        json_decref(document);
        free(text);
    }
    assert_int_equal(found_n, n);
    return newest;
}

static void events_do_not_wait_for_the_end_of_the_minute(void **state)
{
    start();
    wait_for(ST_HISTORY_WRITER_WRITING);
    add_events(NULL);
    (void)wait_for_events("pause", EVENTS_EACH); /* after ST_HISTORY_WRITER_EVENTS_NS */
}

static void what_threads_put_is_in_the_file(void **state)
{
    pthread_t threads[THREADS];
    start();
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_events, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    add_minute(); /* takes the events along at once */
    wait_for_other(writer, ST_HISTORY_WRITER_WRITING, 1);
    const struct st_history_writer_view view = look();
    assert_int_equal(view.minutes_n, 1);
    assert_int_equal(view.waiting_minutes_n + view.waiting_events_n + view.lost_minutes_n +
                         view.lost_events_n,
                     0);
    assert_int_equal(view.events_n, THREADS * EVENTS_EACH);
    assert_true(view.bytes > 0);
    json_t *document = answer(ST_ROUTE_EVENTS);
    assert_int_equal(json_array_size(json_object_get(document, "events")), THREADS * EVENTS_EACH);
    json_decref(document);
    document = answer(ST_ROUTE_HISTORY);
    const json_t *rows = json_object_get(document, "rows");
    int64_t cycles = 0;
    for (size_t i = 0; i < json_array_size(rows); i++)
        cycles += json_integer_value(json_object_get(json_array_get(rows, i), "cycles"));
    assert_int_equal(cycles, 2000);
    json_decref(document);
}

static atomic_int changed_n;
const char *__wrap_st_history_answer_changed(const char *path, int64_t now_wall_ns);
const char *__wrap_st_history_answer_changed(const char *path, int64_t now_wall_ns)
{
    changed_n++;
    return "";
}

static void answer_has_what_was_still_waiting(void **state)
{
    changed_n = 0;
    start();
    wait_for(ST_HISTORY_WRITER_WRITING);
    for (int i = 1; i <= 3; i++) { /* they would wait for 5 s */
        if (i == 3)
            st_fake_advance(fake, 3600 * ST_NS_PER_S);
        add_events(NULL);
        json_t *document = answer(ST_ROUTE_EVENTS);
        assert_int_equal(json_array_size(json_object_get(document, "events")), i * EVENTS_EACH);
        json_decref(document);
        assert_int_equal(changed_n, i < 3 ? 1 : 2); /* after an hour again */
    }
}

static void what_is_left_at_the_end_is_written(void **state)
{
    start();
    add_events(NULL);
    add_minute();
    st_history_writer_stop(writer);
    st_events_listen(&events, NULL, NULL);
    start();
    json_t *document = answer(ST_ROUTE_EVENTS);
    assert_int_equal(json_array_size(json_object_get(document, "events")), EVENTS_EACH);
    json_decref(document);
    document = answer(ST_ROUTE_CAUSES);
    const json_t *cause = json_array_get(json_object_get(document, "rows"), 0);
    assert_string_equal(json_string_value(json_object_get(cause, "culprit")), "hog");
    assert_int_equal(json_integer_value(json_object_get(cause, "count")), 3);
    json_decref(document);
}

static void what_cannot_be_written_waits_within_bounds_and_is_written_later(void **state)
{
    in_folder(config.history.path, sizeof(config.history.path), "none/history.db");
    start();
    wait_for(ST_HISTORY_WRITER_FAILING);
    assert_has(look().why, "/none/history.db cannot be written");
    while (events.added_n < ST_HISTORY_WRITER_EVENTS_MAX + 2 * EVENTS_EACH)
        add_events(NULL);
    add_minute();
    assert_int_equal(look().waiting_events_n, ST_HISTORY_WRITER_EVENTS_MAX);
    assert_int_equal(look().lost_events_n, events.added_n - ST_HISTORY_WRITER_EVENTS_MAX);
    assert_int_equal(look().waiting_minutes_n, 1);
    json_t *document = answer(ST_ROUTE_HISTORY);
    assert_non_null(json_object_get(document, "error"));
    json_decref(document);
    document = answer(ST_ROUTE_EVENTS);
    assert_has(json_string_value(json_object_get(document, "error")),
               "2048 events and 1 minutes are not written yet; 'sleeptune status'");
    json_decref(document);
    char parent[96];
    in_folder(parent, sizeof(parent), "none");
    assert_int_equal(mkdir(parent, 0755), 0);
    set_and_wait_for(ST_HISTORY_WRITER_WRITING);
    assert_has(wait_for_events("history-lost", 1).detail, "102 events and 0 minutes before this");
    assert_int_equal(look().events_n, ST_HISTORY_WRITER_EVENTS_MAX + 1);
    assert_int_equal(look().minutes_n, 1);
    assert_int_equal(look().waiting_events_n, 0);
}

static void what_is_off_keeps_nothing_and_says_why(void **state)
{
    want_none();
    start();
    add_events(NULL);
    add_minute();
    assert_int_equal(look().state, ST_HISTORY_WRITER_OFF);
    assert_has(look().why, "history.enabled");
    assert_int_equal(look().waiting_events_n + look().waiting_minutes_n + look().lost_events_n, 0);
    json_t *document = answer(ST_ROUTE_EVENTS);
    assert_has(json_string_value(json_object_get(document, "error")), "history.enabled");
    json_decref(document);
    st_config_defaults(&config);
    set_and_wait_for(ST_HISTORY_WRITER_WRITING);
    want_none();
    set_and_wait_for(ST_HISTORY_WRITER_OFF);
}

static void a_machine_without_a_state_folder_has_no_history(void **state)
{
    setenv("STATE_DIRECTORY", "/dev/null/state", 1);
    start();
    assert_int_equal(look().state, ST_HISTORY_WRITER_OFF);
    assert_has(look().why, "state folder");
    assert_true(look().missing); /* it is wanted: that is degraded */
    add_minute();
    assert_int_equal(look().waiting_minutes_n, 0);
    setenv("STATE_DIRECTORY", folder, 1);
    set_and_wait_for(ST_HISTORY_WRITER_WRITING);
    assert_false(look().missing);
}

static void a_state_folder_that_goes_away_does_not_cost_what_waits(void **state)
{
    char command[128];
    start();
    wait_for(ST_HISTORY_WRITER_WRITING);
    ST_PRINT(command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
    add_minute();
    wait_for(ST_HISTORY_WRITER_FAILING);
    set_and_wait_for(ST_HISTORY_WRITER_FAILING);
    assert_int_equal(look().waiting_minutes_n, 1);
    assert_int_equal(look().lost_minutes_n, 0);
    assert_int_equal(mkdir(folder, 0755), 0);
    set_and_wait_for(ST_HISTORY_WRITER_WRITING);
    assert_int_equal(look().minutes_n, 1);
}

static void who_wants_no_history_misses_no_folder(void **state)
{
    setenv("STATE_DIRECTORY", "/dev/null/state", 1);
    want_none();
    start();
    assert_int_equal(look().state, ST_HISTORY_WRITER_OFF);
    assert_false(look().missing);
}

static void two_daemons_do_not_write_one_file(void **state)
{
    struct st_events other_events;
    struct st_history_writer *other;
    char path[96];
    assert_int_equal(st_events_init(&other_events, NULL), 0);
    assert_int_equal(st_history_writer_start(fake, &config, &other_events, &other), 0);
    wait_for_other(other, ST_HISTORY_WRITER_WRITING, 0);
    start();
    wait_for(ST_HISTORY_WRITER_FAILING);
    assert_has(look().why, "another sleeptuned (process ");
    add_events(NULL);
    add_minute();
    assert_int_equal(look().waiting_minutes_n, 1);
    st_history_writer_stop(other);
    st_events_finish(&other_events);
    set_and_wait_for(ST_HISTORY_WRITER_WRITING);
    assert_int_equal(look().minutes_n, 1);
    assert_int_equal(look().events_n, EVENTS_EACH);
    st_history_writer_stop(writer);
    writer = NULL;
    in_folder(path, sizeof(path), "history.db.lock");
    assert_int_equal(access(path, F_OK), -1); /* nothing is left of it */
}

static void a_lock_whose_file_was_removed_is_taken_anew_or_lost(void **state)
{
    char path[96], file[96];
    long pid;
    in_folder(path, sizeof(path), "history.db");
    in_folder(file, sizeof(file), "history.db.lock");
    int first = -1, second = -1;
    assert_int_equal(st_lock_file_take(path, &first, &pid), 0);
    assert_true(first >= 0);
    struct stat status;
    assert_int_equal(stat(file, &status), 0);
    assert_int_equal(status.st_mode & 077, 0); /* who may open it may hold it */
    assert_int_equal(unlink(file), 0);
    assert_int_equal(st_lock_file_take(path, &first, &pid), 0); /* anew */
    assert_int_equal(st_lock_file_take(path, &second, &pid), -EBUSY);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(st_lock_file_take(path, &second, &pid), 0);
    assert_int_equal(st_lock_file_take(path, &first, &pid), -EBUSY); /* lost */
    assert_int_equal(first, -1);
    st_lock_file_release(path, &second);
    assert_int_equal(access(file, F_OK), -1);
}

static void a_lock_of_another_user_or_with_a_second_name_is_refused(void **state)
{
    char path[96], file[96], other[96], text[8] = "";
    long pid;
    int fd = -1;
    in_folder(path, sizeof(path), "history.db");
    in_folder(file, sizeof(file), "history.db.lock");
    in_folder(other, sizeof(other), "other");
    FILE *stream = fopen(other, "w");
    assert_non_null(stream);
    fputs("kept", stream);
    fclose(stream);
    assert_int_equal(link(other, file), 0);
    assert_int_equal(st_lock_file_take(path, &fd, &pid), -EINVAL);
    assert_int_equal(unlink(other), 0);
    if (geteuid() == 0) {
        assert_int_equal(chown(file, 65534, (gid_t)-1), 0);
        assert_int_equal(st_lock_file_take(path, &fd, &pid), -EPERM);
    }
    stream = fopen(file, "r");
    assert_non_null(stream);
    assert_non_null(fgets(text, sizeof(text), stream));
    fclose(stream);
    assert_string_equal(text, "kept");
    assert_int_equal(unlink(file), 0);
}

/* A lease of another process makes open say EAGAIN. */
static void a_lock_with_a_lease_is_not_waited_for(void **state)
{
    char path[96], file[96];
    long pid;
    int fd = -1, ready[2], status;
    in_folder(path, sizeof(path), "history.db");
    in_folder(file, sizeof(file), "history.db.lock");
    assert_int_equal(pipe(ready), 0);
    const pid_t holder = fork();
    if (holder == 0) {
        const int held = open(file, O_RDONLY | O_CREAT, 0600);
        (void)signal(SIGIO, SIG_IGN);
#ifdef F_SETLEASE
        const bool leased = held >= 0 && fcntl(held, F_SETLEASE, F_WRLCK) == 0;
#else
        const bool leased = held < 0;
#endif
        (void)!write(ready[1], leased ? "1" : "0", 1);
        pause();
    }
    char leased;
    assert_int_equal(read(ready[0], &leased, 1), 1);
    if (leased == '1')
        assert_int_equal(st_lock_file_take(path, &fd, &pid), -EAGAIN);
    assert_int_equal(kill(holder, SIGKILL), 0);
    assert_int_equal(waitpid(holder, &status, 0), holder);
    assert_int_equal(unlink(file), 0);
}

static void a_dead_process_is_not_named_as_the_writer(void **state)
{
    char path[96], file[96];
    long pid;
    in_folder(path, sizeof(path), "history.db");
    in_folder(file, sizeof(file), "history.db.lock");
    int first = -1, second = -1;
    assert_int_equal(st_lock_file_take(path, &first, &pid), 0);
    const int fd = open(file, O_WRONLY | O_TRUNC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "2147483647\n", 11), 11); /* above any system's highest */
    close(fd);
    assert_int_equal(st_lock_file_take(path, &second, &pid), -EBUSY);
    assert_int_equal(pid, 0);
    st_lock_file_release(path, &first);
}

static void a_lock_that_was_left_behind_is_no_hindrance(void **state)
{
    char path[96];
    in_folder(path, sizeof(path), "history.db.lock");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%ld\n", (long)getppid());
    fclose(file);
    start();
    wait_for(ST_HISTORY_WRITER_WRITING);
}

static void what_waits_is_written_before_another_file_is_taken(void **state)
{
    start();
    wait_for(ST_HISTORY_WRITER_WRITING);
    add_events(NULL); /* they would wait some seconds */
    want_none();
    set_and_wait_for(ST_HISTORY_WRITER_OFF);
    assert_int_equal(look().events_n, EVENTS_EACH);
    assert_int_equal(look().lost_events_n, 0);
}

static void what_is_given_up_is_counted(void **state)
{
    in_folder(config.history.path, sizeof(config.history.path), "none/history.db");
    start();
    wait_for(ST_HISTORY_WRITER_FAILING);
    add_events(NULL);
    add_minute();
    want_none();
    set_and_wait_for(ST_HISTORY_WRITER_OFF);
    assert_int_equal(look().lost_events_n, EVENTS_EACH);
    assert_int_equal(look().lost_minutes_n, 1);
    ST_PRINT(config.history.enabled, "on");
    in_folder(config.history.path, sizeof(config.history.path), "history.db");
    set_and_wait_for(ST_HISTORY_WRITER_WRITING);
    const struct st_event lost = wait_for_events("history-lost", 1);
    assert_has(lost.detail, "50 events and 1 minute before this moment are missing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_threads_put_is_in_the_file),
        TEST(events_do_not_wait_for_the_end_of_the_minute),
        TEST(answer_has_what_was_still_waiting),
        TEST(what_is_left_at_the_end_is_written),
        TEST(what_cannot_be_written_waits_within_bounds_and_is_written_later),
        TEST(what_is_off_keeps_nothing_and_says_why),
        TEST(a_machine_without_a_state_folder_has_no_history),
        TEST(a_state_folder_that_goes_away_does_not_cost_what_waits),
        TEST(who_wants_no_history_misses_no_folder),
        TEST(two_daemons_do_not_write_one_file),
        TEST(a_lock_whose_file_was_removed_is_taken_anew_or_lost),
        TEST(a_lock_of_another_user_or_with_a_second_name_is_refused),
        TEST(a_lock_with_a_lease_is_not_waited_for),
        TEST(a_dead_process_is_not_named_as_the_writer),
        TEST(a_lock_that_was_left_behind_is_no_hindrance),
        TEST(what_waits_is_written_before_another_file_is_taken),
        TEST(what_is_given_up_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
