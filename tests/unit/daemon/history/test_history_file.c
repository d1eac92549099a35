/* What the thread that writes the history does with a file that is none, or a damaged one: put
 * aside in the state folder, left alone where somebody has set the path. Real clock: the writer is
 * a thread; each is waited for, however long it takes. */
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "core/ns.h"
#include "store/history/history.h"
#include "store/history/history_read.h"

#include "tests/unit/history_writer_fixture.h"
#include "tests/unit/unit.h"

static void make_path(char *buf, size_t buf_bytes, const char *name)
{
    snprintf(buf, buf_bytes, "%s/%s", folder, name);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

#define LETTER "my precious letter, which is no database, and which nobody else shall rename\n"

enum file_kind { LETTER_FILE, FOREIGN_FILE, NEWER_FILE, RANDOM_FILE, DAMAGED_FILE, EMPTY_FILE };

static void overwrite(const char *path, const void *bytes, size_t n, off_t at)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, n, at), n);
    close(fd);
}

static void make_file(const char *path, enum file_kind kind)
{
    static const uint8_t newer[] = {0, 0, 99, 99}, foreign[] = {0, 0, 0, 1};
    uint8_t noise[8192];
    const char *error;
    struct st_history *history;
    for (size_t i = 0; i < sizeof(noise); i++)
        noise[i] = (uint8_t)(i * i * 31 + i / 7 + 1);
    write_text(path, kind == LETTER_FILE ? LETTER : "");
    if (kind == RANDOM_FILE)
        overwrite(path, noise, sizeof(noise), 0);
    if (kind == LETTER_FILE || kind == EMPTY_FILE || kind == RANDOM_FILE)
        return;
    assert_int_equal(st_history_open(path, &history, &error), 0);
    st_history_close(history);
    if (kind == DAMAGED_FILE)
        overwrite(path, noise, sizeof(noise), 8192);
    else if (kind == NEWER_FILE)
        overwrite(path, newer, sizeof(newer), 60); /* user_version */
    else
        overwrite(path, foreign, sizeof(foreign), 68); /* application_id */
}

/* Is the file that was there the one that is put aside? */
static void check_aside(ino_t inode)
{
    struct stat status;
    assert_has(look().aside, ".aside-");
    assert_int_equal(stat(look().aside, &status), 0);
    assert_int_equal(status.st_ino, inode);
    assert_int_equal(events.events[0].event.kind, ST_EVENT_HISTORY_ASIDE);
    assert_has(events.events[0].event.detail, "the old file is now ");
}

/* Nothing is beside it, and it is what it was. */
static void check_left_alone(const char *path, const char *copy)
{
    char command[512];
    ST_PRINT(command, "cmp -s '%s' '%s' && test $(ls '%s' | wc -l) -eq 2", path, copy, folder);
    assert_int_equal(system(command), 0);
    assert_string_equal(look().aside, "");
}

static void put_aside_at_the_usual_place(enum file_kind kind)
{
    char path[96];
    struct stat status;
    make_path(path, sizeof(path), "history.db");
    make_file(path, kind);
    assert_int_equal(stat(path, &status), 0);
    start();
    wait_for(ST_HISTORY_WRITER_WRITING);
    check_aside(status.st_ino);
}

static void a_foreign_file_is_put_aside(void **state)
{
    put_aside_at_the_usual_place(LETTER_FILE);
}

static void the_database_of_another_program_in_the_state_folder_is_put_aside(void **state)
{
    put_aside_at_the_usual_place(FOREIGN_FILE);
    assert_has(events.events[0].event.detail, "of another program");
}

static void random_bytes_in_the_state_folder_are_put_aside(void **state)
{
    put_aside_at_the_usual_place(RANDOM_FILE);
}

static void a_damaged_history_in_the_state_folder_is_put_aside(void **state)
{
    put_aside_at_the_usual_place(DAMAGED_FILE);
    assert_has(events.events[0].event.detail, "the history is damaged: ");
}

static void an_empty_file_becomes_a_history(void **state)
{
    for (int set = 0; set < 2; set++) {
        char path[96];
        struct stat before, after;
        make_path(path, sizeof(path), set ? "mine.db" : "history.db");
        make_file(path, EMPTY_FILE);
        assert_int_equal(stat(path, &before), 0);
        if (set) {
            ST_PRINT(config.history.path, "%s", path);
            st_history_writer_set(writer, &config);
        } else {
            start();
        }
        wait_for(ST_HISTORY_WRITER_WRITING);
        const struct timespec pause = {.tv_nsec = TRY_NS};
        for (int i = 0; i < TRIES_MAX && (stat(path, &after) != 0 || after.st_size == 0); i++)
            nanosleep(&pause, NULL);
        assert_true(after.st_size > 0);
        assert_int_equal(before.st_ino, after.st_ino);
        assert_string_equal(look().aside, "");
    }
}

static void left_alone_where_it_was_set(enum file_kind kind, const char *why)
{
    char path[96], copy[96], command[256];
    make_path(path, sizeof(path), "notes.txt");
    make_path(copy, sizeof(copy), "copy");
    make_file(path, kind);
    ST_PRINT(command, "cp '%s' '%s'", path, copy);
    assert_int_equal(system(command), 0);
    ST_PRINT(config.history.path, "%s", path);
    start();
    wait_for(ST_HISTORY_WRITER_FAILING);
    assert_has(look().why, why);
    assert_has(look().why, "does not write to");
    check_left_alone(path, copy);
}

static void a_file_that_somebody_set_is_left_alone_unless_it_is_a_history(void **state)
{
    left_alone_where_it_was_set(LETTER_FILE, "notes.txt: not a database");
}

static void random_bytes_at_a_path_that_was_set_are_left_alone(void **state)
{
    left_alone_where_it_was_set(RANDOM_FILE, "notes.txt: ");
}

static void the_database_of_another_program_at_a_path_that_was_set_is_left_alone(void **state)
{
    left_alone_where_it_was_set(FOREIGN_FILE, ": the database of another program");
}

static void a_damaged_history_at_a_path_that_was_set_is_put_aside(void **state)
{
    struct stat status;
    make_path(config.history.path, sizeof(config.history.path), "mine.db");
    make_file(config.history.path, DAMAGED_FILE);
    assert_int_equal(stat(config.history.path, &status), 0);
    start();
    wait_for(ST_HISTORY_WRITER_WRITING);
    check_aside(status.st_ino);
    assert_has(events.events[0].event.detail, "the history is damaged: ");
}

static void a_history_of_a_newer_version_is_left_alone_wherever_it_is(void **state)
{
    char path[96];
    struct stat before, after;
    make_path(path, sizeof(path), "history.db");
    make_file(path, NEWER_FILE);
    assert_int_equal(stat(path, &before), 0);
    start();
    wait_for(ST_HISTORY_WRITER_FAILING);
    assert_has(look().why,
               ": a history of version 25443, made by a newer sleeptune; this sleeptune");
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    assert_string_equal(look().aside, "");
    make_path(config.history.path, sizeof(config.history.path), "mine.db");
    make_file(config.history.path, NEWER_FILE);
    st_history_writer_set(writer, &config);
    const struct timespec pause = {.tv_nsec = TRY_NS};
    for (int i = 0; i < TRIES_MAX && strstr(look().why, "mine.db") == NULL; i++)
        nanosleep(&pause, NULL);
    assert_has(look().why, "mine.db: a history of version 25443");
    assert_string_equal(look().aside, "");
}

static void a_link_is_not_followed(void **state)
{
    char path[96], target[96];
    make_path(path, sizeof(path), "history.db");
    make_path(target, sizeof(target), "notes.txt");
    write_text(target, LETTER);
    assert_int_equal(symlink("notes.txt", path), 0);
    start();
    wait_for(ST_HISTORY_WRITER_FAILING);
    assert_has(look().why, "history.db cannot be written: it is a symbolic link");
    assert_string_equal(look().aside, "");
}

/* --- while it is open. By programs: closing a file of SQLite in its process would drop the locks.
 * --- */

static void add_row(void)
{
    const struct st_history_watched observed = {
        .from_wall_ns = 60 * ST_NS_PER_S,
        .to_wall_ns = 120 * ST_NS_PER_S,
        .watches = {{.source = "jack", .watched_ns = ST_NS_PER_S}},
        .watches_n = 1};
    st_history_writer_add(writer, NULL, NULL, NULL, &observed);
}

static void open_history(void)
{
    start();
    wait_for(ST_HISTORY_WRITER_WRITING);
    add_row();
    wait_for_other(writer, ST_HISTORY_WRITER_WRITING, 1);
}

/* Moves the log into the file, so that what is damaged then is nowhere else. */
static void move_log(void)
{
    char path[96];
    sqlite3 *db;
    make_path(path, sizeof(path), "history.db");
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
}

static void do_in_folder(const char *command)
{
    char whole[256];
    ST_PRINT(whole, "cd '%s' && %s", folder, command);
    assert_int_equal(system(whole), 0);
}

/* Waits for the event. Its text must contain this. */
static void wait_for_event(const char *name, const char *text)
{
    const struct timespec pause = {.tv_nsec = TRY_NS};
    for (int i = 0; i < TRIES_MAX; i++) {
        struct st_event event = {0};
        pthread_mutex_lock(&events.mutex);
        for (size_t j = 0; j < events.events_n; j++) {
            if (strcmp(st_event_kind_name(events.events[j].event.kind), name) == 0)
                event = events.events[j].event;
        }
        pthread_mutex_unlock(&events.mutex);
        if (event.detail[0] != '\0') {
            assert_has(event.detail, text);
            return;
        }
        nanosleep(&pause, NULL);
    }
    fail_msg("no event %s", name);
}

static void damaged_while_it_is_open(const char *command, const char *why)
{
    open_history();
    move_log();
    do_in_folder(command);
    add_row();
    wait_for_event("history-aside", why);
    wait_for_other(writer, ST_HISTORY_WRITER_WRITING, 2);
    assert_int_equal(look().lost_minutes_n, 0);
    do_in_folder("test -s history.db && ls history.db.aside-*Z >/dev/null");
}

static void one_that_is_overwritten_while_it_is_open_is_put_aside(void **state)
{
    damaged_while_it_is_open("head -c 20000 /dev/zero | tr '\\0' x | "
                             "dd of=history.db bs=4096 seek=2 conv=notrunc 2>/dev/null",
                             "the history is damaged");
}

static void one_whose_head_is_overwritten_while_it_is_open_is_put_aside(void **state)
{
    damaged_while_it_is_open("head -c 100 /dev/zero | dd of=history.db conv=notrunc 2>/dev/null",
                             "not a database");
}

static void one_that_is_cut_while_it_is_open_is_put_aside(void **state)
{
    damaged_while_it_is_open("dd if=/dev/null of=history.db bs=1 seek=9000 2>/dev/null",
                             "malformed");
}

static void one_that_is_emptied_while_it_is_open_is_put_aside(void **state)
{
    damaged_while_it_is_open(": >history.db", "another program emptied the file");
}

/* It has all that is in no other file, so the rest can be whole: it is said all the same. */
static void a_log_that_is_emptied_while_it_is_open_is_said(void **state)
{
    open_history();
    do_in_folder(": >history.db-wal");
    add_row();
    wait_for_event("history-changed", "another program wrote to ");
    wait_for_other(writer, ST_HISTORY_WRITER_WRITING, 2);
    assert_string_equal(look().aside, "");
}

static void one_that_is_removed_is_said_though_nothing_is_written(void **state)
{
    const struct st_history_watched nothing = {0};
    open_history();
    do_in_folder("rm history.db");
    st_history_writer_add(writer, NULL, NULL, NULL,
                          &nothing); /* a minute in which nothing was watched */
    wait_for_event("history-changed", "another program moved or removed ");
}

static void what_only_reads_it_is_no_change(void **state)
{
    struct st_history_reader *reader;
    char path[96];
    const char *error;
    open_history();
    make_path(path, sizeof(path), "history.db");
    assert_int_equal(st_history_read_open(path, &reader, &error), 0);
    st_history_read_close(reader);
    do_in_folder("chmod 600 history.db && cat history.db >/dev/null");
    add_row();
    wait_for_other(writer, ST_HISTORY_WRITER_WRITING, 2);
    assert_int_equal(events.added_n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_foreign_file_is_put_aside),
        TEST(the_database_of_another_program_in_the_state_folder_is_put_aside),
        TEST(random_bytes_in_the_state_folder_are_put_aside),
        TEST(a_damaged_history_in_the_state_folder_is_put_aside),
        TEST(an_empty_file_becomes_a_history),
        TEST(a_file_that_somebody_set_is_left_alone_unless_it_is_a_history),
        TEST(random_bytes_at_a_path_that_was_set_are_left_alone),
        TEST(the_database_of_another_program_at_a_path_that_was_set_is_left_alone),
        TEST(a_damaged_history_at_a_path_that_was_set_is_put_aside),
        TEST(a_history_of_a_newer_version_is_left_alone_wherever_it_is),
        TEST(a_link_is_not_followed),
        TEST(one_that_is_overwritten_while_it_is_open_is_put_aside),
        TEST(one_whose_head_is_overwritten_while_it_is_open_is_put_aside),
        TEST(one_that_is_cut_while_it_is_open_is_put_aside),
        TEST(one_that_is_emptied_while_it_is_open_is_put_aside),
        TEST(a_log_that_is_emptied_while_it_is_open_is_said),
        TEST(one_that_is_removed_is_said_though_nothing_is_written),
        TEST(what_only_reads_it_is_no_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
