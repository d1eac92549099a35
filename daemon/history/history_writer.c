/* The thread that writes the history, and answers from it. */
#include "daemon/history/history_writer.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/ns.h"
#include "daemon/history/fingerprint.h"
#include "daemon/lock_file.h"
#include "platform/posix/posix.h"
#include "platform/user_folder.h"
#include "st_config.h"
#include "store/history/hist_deflate.h"

#define LOG_MODULE "history"
#include "daemon/history/recorder.h"
#include "daemon/log.h"

#define STACK_BYTES (256 * 1024)
#define RETAIN_NS   (3600 * ST_NS_PER_S)
#define FACTS_NS    (24 * 3600 * ST_NS_PER_S)
#define GROWN_BYTES INT64_C(65536) /* what is written before it is looked at again; what a write adds */
#define SENTENCE    256
#define BYTES_A_MB  INT64_C(1000000)

struct settings {
    char path[ST_HISTORY_WRITER_PATH_BYTES]; /* "": off */
    char why[SENTENCE];                      /* why it is off */
    bool usual;                              /* the path is that of the state folder */
    bool missing;                            /* off, because there is no state folder */
    int64_t keep_days, max_bytes, traces_bytes;
};

/* --- what waits --- */

struct waiting_row {
    struct waiting_row *next;
    bool is_event;
    union {
        struct st_event event;
        struct {
            struct st_history_minute minute; /* without lateness: the loop did not run */
            struct st_history_watched watched;
        };
    };
};

/* What waits to be written, oldest first. Rows are from malloc; the list frees them, with what they point
 * to. */
struct waiting {
    struct waiting_row *rows, **end;
    uint64_t minutes_n, events_n;
    struct st_event_kinds kinds; /* of the events */
};

static void init_waiting(struct waiting *waiting)
{
    *waiting = (struct waiting){0};
    waiting->end = &waiting->rows;
}

static uint64_t *count_of(struct waiting *waiting, const struct waiting_row *row)
{
    return row->is_event ? &waiting->events_n : &waiting->minutes_n;
}

static void append_row(struct waiting *waiting, struct waiting_row *row)
{
    row->next = NULL;
    *waiting->end = row;
    waiting->end = &row->next;
    ++*count_of(waiting, row);
    if (row->is_event)
        waiting->kinds.kinds[st_event_limit_place(&waiting->kinds, &row->event)].n++;
}

static void free_row(struct waiting_row *row)
{
    if (!row->is_event) {
        free(row->minute.lateness);
        free(row->minute.causes);
    }
    free(row);
}

/* Drops the oldest minute, or the oldest event of the most frequent kind; there must be one. */
static void drop_row(struct waiting *waiting, bool is_event)
{
    const size_t place = st_event_limit_largest(&waiting->kinds);
    struct waiting_row **at = &waiting->rows;
    while ((*at)->is_event != is_event ||
           (is_event && st_event_limit_place(&waiting->kinds, &(*at)->event) != place))
        at = &(*at)->next;
    struct waiting_row *row = *at;
    *at = row->next;
    if (row->next == NULL)
        waiting->end = at;
    if (is_event)
        waiting->kinds.kinds[place].n--;
    --*count_of(waiting, row);
    free_row(row);
}

static void drop_all(struct waiting *waiting)
{
    for (struct waiting_row *row = waiting->rows, *next; row != NULL; row = next) {
        next = row->next;
        free_row(row);
    }
    init_waiting(waiting);
}

/* Moves all of `from` behind `to`. */
static void move_all(struct waiting *to, struct waiting *from)
{
    for (struct waiting_row *row = from->rows, *next; row != NULL; row = next) {
        next = row->next;
        append_row(to, row);
    }
    init_waiting(from);
}

/* --- what is asked --- */

struct asked {
    struct asked *next;
    struct st_history_ask ask;
    char *text; /* the answer */
    unsigned http_status;
};

/* Gives the answers, and frees the list. */
static void give_answers(struct asked *list)
{
    for (struct asked *asked = list, *next; asked != NULL; asked = next) {
        next = asked->next;
        asked->ask.answered(asked->ask.to, asked->text, asked->http_status);
        free(asked);
    }
}

static void append_asked(struct asked **list, struct asked *asked)
{
    while (*list != NULL)
        list = &(*list)->next;
    asked->next = NULL;
    *list = asked;
}

/* --- the thread that writes --- */

struct st_history_writer {
    struct st_platform *platform;
    struct st_events *events;
    pthread_t thread;

    pthread_mutex_t mutex; /* up to view */
    pthread_cond_t cond;
    struct settings settings;
    bool changed, stop;
    bool look; /* at the file, though nothing may be waiting */
    struct waiting waiting;
    struct asked *asked, *answered;
    struct st_recorder recorder;
    enum { EVENTS_NONE, EVENTS_WANTED, EVENTS_ASKED } events_are; /* the kernel's, for the recorder */
    bool keeps_later;                                             /* the copy waits for them */
    struct st_history_writer_view view;

    int told[2]; /* a pipe: a byte for each answer */

    /* the thread's */
    struct settings used;
    struct st_history *history; /* NULL: not open */
    int lock_fd;                /* of the file at used.path; -1: none */
    int64_t retained_ns;        /* INT64_MIN: not since it was opened */
    int64_t retained_bytes;     /* in use after that */
    int64_t facts_wall_ns;      /* when it was looked what changed; INT64_MIN: not in this file */
    int64_t changed_ns;         /* when view.changed was read */
    int64_t retry_ns;           /* it could not be written, and is tried again then; INT64_MIN: it could */
};

/* --- what waits --- */

/* The oldest beyond the bounds are lost. The mutex is held. */
static void trim(struct st_history_writer *writer)
{
    struct waiting *waiting = &writer->waiting;
    for (; waiting->minutes_n > ST_HISTORY_WRITER_MINUTES_MAX; writer->view.lost_minutes_n++)
        drop_row(waiting, false);
    for (; waiting->events_n > ST_HISTORY_WRITER_EVENTS_MAX; writer->view.lost_events_n++)
        drop_row(waiting, true);
    writer->view.waiting_minutes_n = waiting->minutes_n;
    writer->view.waiting_events_n = waiting->events_n;
}

/* --- the file --- */

static void close_file(struct st_history_writer *writer)
{
    st_history_close(writer->history);
    writer->history = NULL;
}

/* The state folder has only files of ours. history.path may name any file: it is not opened for writing,
 * locked or renamed unless it is a history. @return 0 or why it is left alone. */
static int look_at_file(const struct st_history_writer *writer, char *error, size_t error_bytes)
{
    return writer->used.usual ? 0 : st_history_look(writer->used.path, error, error_bytes);
}

/* A file that is damaged or not ours makes room for a new one. A history of a newer version stays, whole.
 * @param r, why  what is wrong with it. @return 0 or why it stays. */
static int put_aside(struct st_history_writer *writer, int r, char *why, size_t why_bytes)
{
    char aside[ST_HISTORY_WRITER_PATH_BYTES], reason[SENTENCE];
    if (r != -EBADMSG && (r != -EPROTO || !writer->used.usual))
        return r;
    r = look_at_file(writer, reason, sizeof(reason));
    if (r < 0) {
        snprintf(why, why_bytes, "%s", reason);
        return r;
    }
    const int64_t now_ns = st_clock_wall_ns(&writer->platform->clock);
    r = st_history_put_aside(writer->used.path, now_ns, aside, sizeof(aside));
    if (r < 0) {
        ST_PRINT(reason, "%s", why);
        snprintf(why, why_bytes, "%.90s, and it cannot be renamed: %s", reason, strerror(-r));
        return r;
    }
    pthread_mutex_lock(&writer->mutex);
    ST_PRINT(writer->view.aside, "%s", aside);
    pthread_mutex_unlock(&writer->mutex);
    const char *name = strrchr(aside, '/');
    st_events_add(writer->events, ST_LOG_WARN, now_ns, ST_EVENT_HISTORY_ASIDE,
                  "sleeptuned started a new history; the old file is now %.80s: %.90s",
                  name != NULL ? name + 1 : aside, why);
    return 0;
}

/* Only one daemon writes a history: SQLite's own locks let two writers take turns, and figures of two in one
 * file could not be distinguished. Where there can be no lock file (no rights, full disk, no locks) it is
 * done without. */
static int lock(struct st_history_writer *writer, char *error, size_t error_bytes)
{
    struct st_platform *p = writer->platform;
    long pid;
    const int r = st_lock_file_take(writer->used.path, &writer->lock_fd, &pid);
    if (r == -EBUSY && pid > 0)
        snprintf(error, error_bytes, "another sleeptuned (process %ld) writes this history", pid);
    else if (r == -EBUSY)
        snprintf(error, error_bytes, "another process uses the lock file of this history");
    else if (r == 0 && pid > 0)
        st_events_add(writer->events, ST_LOG_WARN, st_clock_wall_ns(&p->clock), ST_EVENT_UNCLEAN_END,
                      "the previous run of sleeptuned did not end cleanly (killed, or a power cut)");
    return r == -EBUSY ? r : 0;
}

/* What others did to the file since we wrote: what we write to one that is gone or damaged would be lost.
 * @return 0, with the file open or closed; or why it cannot be written. */
static int look_after_file(struct st_history_writer *writer, char *error, size_t error_bytes)
{
    const enum st_history_state state =
        writer->history != NULL ? st_history_look_again(writer->history) : ST_HISTORY_OURS;
    if (state == ST_HISTORY_OURS)
        return 0;
    const bool gone = state == ST_HISTORY_GONE;
    if (gone) {
        close_file(writer);
        st_lock_file_release(writer->used.path, &writer->lock_fd);
    } else {
        st_history_abandon(writer->history);
        writer->history = NULL;
    }
    if (state != ST_HISTORY_EMPTIED) {
        st_events_add(writer->events, ST_LOG_WARN, st_clock_wall_ns(&writer->platform->clock),
                      ST_EVENT_HISTORY_CHANGED, "another program %s %.150s; rows may be missing",
                      gone ? "moved or removed" : "wrote to", writer->used.path);
        return 0;
    }
    snprintf(error, error_bytes, "another program emptied it");
    return put_aside(writer, -EBADMSG, error, error_bytes);
}

static int open_file(struct st_history_writer *writer, char *error, size_t error_bytes)
{
    int r = look_after_file(writer, error, error_bytes);
    if (r == 0 && writer->history == NULL)
        r = look_at_file(writer, error, error_bytes);
    if (r == 0)
        r = lock(writer, error, error_bytes);
    if (r < 0)
        close_file(writer);
    if (r < 0 || writer->history != NULL)
        return r;
    r = st_history_open(writer->used.path, &writer->history, error, error_bytes);
    if (r < 0) {
        r = put_aside(writer, r, error, error_bytes);
        if (r == 0)
            r = st_history_open(writer->used.path, &writer->history, error, error_bytes);
    }
    writer->retained_ns = writer->facts_wall_ns = writer->changed_ns = INT64_MIN;
    writer->retained_bytes = 0;
    return r;
}

/* All of it in one transaction. */
static int write_rows(struct st_history_writer *writer, const struct waiting *rows)
{
    int r = st_history_begin(writer->history);
    for (const struct waiting_row *row = rows->rows; r == 0 && row != NULL; row = row->next) {
        if (row->is_event)
            r = st_history_add_event(writer->history, &row->event);
        else if (row->minute.lateness != NULL)
            r = st_history_add_minute(writer->history, &row->minute);
        if (r == 0 && !row->is_event)
            r = st_history_add_watched(writer->history, &row->watched);
    }
    return r == 0 ? st_history_commit(writer->history) : r;
}

/* Each hour, whenever rows that were written leave no room for SQLite's log, and while the file is larger
 * than it may be, of which some 4 MB are given back at a time. */
static int retain(struct st_history_writer *writer)
{
    const int64_t now_ns = st_clock_now_ns(&writer->platform->clock);
    const int64_t max_bytes = writer->used.max_bytes - ST_HISTORY_LOG_BYTES - 2 * GROWN_BYTES;
    const int64_t bytes = st_history_bytes(writer->history);
    const bool full = (bytes > max_bytes && bytes > writer->retained_bytes + GROWN_BYTES) ||
                      st_history_file_bytes(writer->history) > writer->used.max_bytes;
    if (!full && writer->retained_ns != INT64_MIN && now_ns - writer->retained_ns < RETAIN_NS)
        return 0;
    writer->retained_ns = now_ns;
    const int r = st_history_retain(writer->history, st_clock_wall_ns(&writer->platform->clock),
                                    writer->used.keep_days, max_bytes);
    writer->retained_bytes = st_history_bytes(writer->history);
    st_recorder_trim(writer->used.path, writer->used.traces_bytes);
    return r;
}

/* @return 0 when all is in the file. */
static int write_all(struct st_history_writer *writer, const struct waiting *rows, char *error,
                     size_t error_bytes)
{
    int r = open_file(writer, error, error_bytes);
    for (int attempt = 0; r == 0 && attempt < 2; attempt++) {
        r = write_rows(writer, rows);
        if (r == 0)
            break;
        snprintf(error, error_bytes, "%s",
                 r == -ENOSPC ? "no space left on the device" : st_history_error(writer->history, r));
        st_history_rollback(writer->history);
        if (r == -EBUSY || r == -ENOSPC)
            break;
        close_file(writer); /* what it knows of the file may be wrong */
        if (attempt == 0) {
            r = put_aside(writer, r, error, error_bytes);
            if (r == 0)
                r = open_file(writer, error, error_bytes);
        }
    }
    return r;
}

/* What changed on the computer since the last start, or since yesterday. What played in between counts as
 * before the change at a start, as neither in the middle of a run. By the wall clock: a computer that sleeps
 * much has days, too. */
static int write_facts(struct st_history_writer *writer)
{
    struct st_platform *p = writer->platform;
    const int64_t wall_ns = st_clock_wall_ns(&p->clock), last_ns = writer->facts_wall_ns;
    if (last_ns != INT64_MIN && wall_ns >= last_ns && wall_ns - last_ns < FACTS_NS)
        return 0;
    struct st_fingerprint *taken = malloc(sizeof(*taken));
    if (taken == NULL)
        return 0;
    st_fingerprint_take(&p->machine, geteuid() != 0 ? getenv("HOME") : NULL, taken);
    const int64_t from_ns = last_ns != INT64_MIN && last_ns <= wall_ns ? last_ns : wall_ns;
    int r = st_history_begin(writer->history);
    if (r == 0)
        r = st_history_add_facts(writer->history, from_ns, wall_ns, taken->facts, taken->n);
    if (r == 0)
        r = st_history_commit(writer->history);
    if (r < 0)
        st_history_rollback(writer->history);
    st_fingerprint_finish(taken);
    free(taken);
    writer->facts_wall_ns = wall_ns;
    return r;
}

/* Each hour: since when dropouts are more frequent. */
static void read_changed(struct st_history_writer *writer)
{
    struct st_platform *p = writer->platform;
    const int64_t now_ns = st_clock_now_ns(&p->clock);
    char text[sizeof(writer->view.changed)];
    if (writer->changed_ns != INT64_MIN && now_ns - writer->changed_ns < RETAIN_NS)
        return;
    writer->changed_ns = now_ns;
    st_history_answer_changed(writer->used.path, st_clock_wall_ns(&p->clock), text, sizeof(text));
    pthread_mutex_lock(&writer->mutex);
    memcpy(writer->view.changed, text, sizeof(text));
    pthread_mutex_unlock(&writer->mutex);
}

static void tell_written(struct st_history_writer *writer, const struct waiting *rows)
{
    const int64_t bytes = st_history_bytes(writer->history);
    pthread_mutex_lock(&writer->mutex);
    writer->view.state = ST_HISTORY_WRITER_WRITING;
    writer->view.why[0] = '\0';
    writer->view.bytes = bytes >= 0 ? bytes : INT64_MIN;
    writer->view.minutes_n += rows->minutes_n;
    writer->view.events_n += rows->events_n;
    trim(writer); /* what is written does not wait any more */
    pthread_mutex_unlock(&writer->mutex);
}

/* What could not be written goes back to where it was, before what has come since. The mutex is held. */
static void give_back(struct st_history_writer *writer, struct waiting *rows)
{
    struct waiting since;
    init_waiting(&since);
    move_all(&since, &writer->waiting);
    move_all(&writer->waiting, rows);
    move_all(&writer->waiting, &since);
    trim(writer);
}

static void say_why(const struct st_history_writer *writer, int r, const char *error, char *buf,
                    size_t buf_bytes)
{
    const char *path = writer->used.path;
    if (r == -EPROTO)
        snprintf(buf, buf_bytes, "%.115s is no history of sleeptune and is not changed (%.80s)", path, error);
    else if (r == -EPROTONOSUPPORT)
        snprintf(buf, buf_bytes, "%.115s is not changed: %.120s", path, error);
    else
        snprintf(buf, buf_bytes, "%.115s cannot be written: %.115s", path, error);
}

/* Writes what waits. */
static void flush(struct st_history_writer *writer)
{
    struct waiting rows;
    char error[SENTENCE] = "", why[SENTENCE];
    init_waiting(&rows);
    pthread_mutex_lock(&writer->mutex);
    move_all(&rows, &writer->waiting);
    pthread_mutex_unlock(&writer->mutex);
    int r = write_all(writer, &rows, error, sizeof(error));
    if (r == 0) {
        const int retained = retain(writer),
                  noted = write_facts(writer); /* the new rows are safe all the same */
        if (retained < 0)
            ST_WARN("cannot remove old rows of %s: %s", writer->used.path, strerror(-retained));
        if (noted < 0)
            ST_WARN("cannot write to %s what changed: %s", writer->used.path, strerror(-noted));
        read_changed(writer);
        tell_written(writer, &rows);
        drop_all(&rows);
    }
    if (writer->history != NULL)
        st_history_mark(writer->history);
    say_why(writer, r, error[0] != '\0' ? error : strerror(-r), why, sizeof(why));
    pthread_mutex_lock(&writer->mutex);
    give_back(writer, &rows);
    if (r < 0) {
        writer->view.state = ST_HISTORY_WRITER_FAILING;
        ST_PRINT(writer->view.why, "%s", why);
    }
    pthread_mutex_unlock(&writer->mutex);
    /* a minute more does not make the disk any larger */
    writer->retry_ns = r == 0 ? INT64_MIN : st_posix_now_ns(NULL) + ST_HISTORY_WRITER_RETRY_NS;
}

/* --- the thread --- */

/* Takes other settings. The mutex is held. @return true when another file must be opened. */
static bool use_settings(struct st_history_writer *writer)
{
    const bool other = strcmp(writer->used.path, writer->settings.path) != 0;
    writer->used = writer->settings;
    writer->changed = false;
    writer->retained_ns = INT64_MIN;
    writer->retained_bytes = 0;
    if (writer->used.path[0] == '\0') {
        writer->view.lost_minutes_n += writer->waiting.minutes_n;
        writer->view.lost_events_n += writer->waiting.events_n;
        drop_all(&writer->waiting);
        trim(writer);
        writer->view.state = ST_HISTORY_WRITER_OFF;
    } else if (other) {
        writer->view.state = ST_HISTORY_WRITER_OPENING;
    }
    writer->view.missing = writer->used.missing;
    if (other || writer->used.path[0] == '\0')
        ST_PRINT(writer->view.why, "%s", writer->used.why);
    if (other)
        writer->view.bytes = INT64_MIN;
    ST_PRINT(writer->view.path, "%s", writer->used.path);
    return other;
}

/* How long there is nothing to write; INT64_MAX: until something comes. The mutex is held. */
static int64_t idle_ns(const struct st_history_writer *writer)
{
    if (writer->stop || writer->changed)
        return 0;
    if (writer->used.path[0] == '\0')
        return INT64_MAX;
    if (writer->retry_ns != INT64_MIN) {
        const int64_t left_ns = writer->retry_ns - st_posix_now_ns(NULL);
        return ST_MAX(left_ns, 0);
    }
    if (writer->history == NULL || writer->look || writer->waiting.minutes_n > 0)
        return 0;
    if (writer->waiting.events_n == 0)
        return INT64_MAX;
    return writer->asked != NULL ? 0 : ST_HISTORY_WRITER_EVENTS_NS; /* an answer has them */
}

/* Waits until idle_ns is over, or something is asked. The mutex is held. @return true: it is time to write.
 */
static bool wait_for_work(struct st_history_writer *writer)
{
    int64_t wait_ns;
    while ((wait_ns = idle_ns(writer)) == INT64_MAX && writer->asked == NULL)
        pthread_cond_wait(&writer->cond, &writer->mutex);
    /* what the condition waits by, whatever the platform */
    const struct timespec until = st_ns_to_timespec(st_ns_add(st_posix_now_ns(NULL), wait_ns));
    bool over = false;
    while (!over && idle_ns(writer) > 0 && writer->asked == NULL)
        over = pthread_cond_timedwait(&writer->cond, &writer->mutex, &until) != 0;
    return over || idle_ns(writer) == 0;
}

/* Takes other settings and writes what waits. The mutex is held, and given back. */
static void unlock_and_write(struct st_history_writer *writer)
{
    writer->look = false;
    if (writer->changed && writer->history != NULL) { /* the waiting rows belong to the previous file */
        pthread_mutex_unlock(&writer->mutex);
        flush(writer);
        pthread_mutex_lock(&writer->mutex);
    }
    char before[ST_HISTORY_WRITER_PATH_BYTES];
    ST_PRINT(before, "%s", writer->used.path);
    const bool other = writer->changed && use_settings(writer);
    pthread_mutex_unlock(&writer->mutex);
    if (other) {
        close_file(writer);
        st_lock_file_release(before, &writer->lock_fd);
    }
    writer->retry_ns = INT64_MIN;
    if (writer->used.path[0] != '\0')
        flush(writer);
}

/* asked: NULL is fine. */
static void answer(struct st_history_writer *writer, struct asked *asked)
{
    struct st_history_writer_view view;
    if (asked == NULL)
        return;
    st_history_writer_look(writer, &view);
    asked->text = st_history_answer(&view, &asked->ask, &asked->http_status);
    pthread_mutex_lock(&writer->mutex);
    append_asked(&writer->answered, asked);
    pthread_mutex_unlock(&writer->mutex);
    (void)!write(writer->told[1], "", 1); /* full: it wakes anyway */
}

/* The cycles of the last events, if they are wanted. */
static void keep_cycles(struct st_history_writer *writer)
{
    pthread_mutex_lock(&writer->mutex);
    struct st_recorder wish = writer->recorder;
    writer->keeps_later = wish.wanted && writer->events_are != EVENTS_NONE;
    wish.wanted = wish.wanted && !writer->keeps_later;
    if (wish.wanted) {
        writer->recorder.wanted = false;
        writer->recorder.events = NULL;
    }
    pthread_mutex_unlock(&writer->mutex);
    const int r = wish.wanted ? st_recorder_keep(&wish, writer->used.path, writer->used.traces_bytes) : 0;
    if (wish.wanted)
        free(wish.events);
    if (r < 0 && r != -ENOENT)
        ST_WARN("cannot keep the cycles of a dropout beside %s: %s", writer->used.path, strerror(-r));
}

static void *run(void *ctx)
{
    struct st_history_writer *writer = ctx;
    bool stop = false;
    (void)writer->platform->threads.set_name(&writer->platform->threads, "st-history");
    while (!stop) {
        pthread_mutex_lock(&writer->mutex);
        const bool writes = wait_for_work(writer);
        stop = writer->stop;
        struct asked *asked = stop ? NULL : writer->asked; /* its answer has all that came before it */
        if (asked != NULL)
            writer->asked = asked->next;
        if (writes)
            unlock_and_write(writer);
        else
            pthread_mutex_unlock(&writer->mutex);
        if (writes && !stop)
            keep_cycles(writer);
        answer(writer, asked);
    }
    close_file(writer);
    st_lock_file_release(writer->used.path, &writer->lock_fd);
    return NULL;
}

/* --- what others call --- */

static void hear(void *ctx, const struct st_event *event)
{
    struct st_history_writer *writer = ctx;
    struct waiting_row *row = malloc(sizeof(*row));
    pthread_mutex_lock(&writer->mutex);
    if (writer->settings.path[0] == '\0') {
        free(row);
    } else if (row == NULL) {
        writer->view.lost_events_n++;
    } else {
        const bool first = writer->waiting.events_n == 0;
        row->is_event = true;
        row->event = *event;
        append_row(&writer->waiting, row);
        trim(writer);
        if (st_recorder_note(&writer->recorder, event))
            writer->events_are = EVENTS_WANTED;
        if (first)
            pthread_cond_signal(&writer->cond);
    }
    pthread_mutex_unlock(&writer->mutex);
}

void st_history_writer_record(struct st_history_writer *writer, const char *cycles)
{
    if (writer == NULL || strlen(cycles) >= sizeof(writer->recorder.from))
        return;
    pthread_mutex_lock(&writer->mutex);
    ST_PRINT(writer->recorder.from, "%s", cycles);
    pthread_mutex_unlock(&writer->mutex);
}

bool st_history_writer_wants_events(struct st_history_writer *writer)
{
    pthread_mutex_lock(&writer->mutex);
    const bool wants = writer->events_are == EVENTS_WANTED;
    if (wants)
        writer->events_are = EVENTS_ASKED;
    pthread_mutex_unlock(&writer->mutex);
    return wants;
}

void st_history_writer_give_events(void *ctx, const struct st_trace_event *events, size_t n)
{
    struct st_history_writer *writer = ctx;
    struct st_trace_event *copied = n > 0 ? malloc(n * sizeof(*copied)) : NULL;
    if (copied != NULL)
        memcpy(copied, events, n * sizeof(*copied));
    pthread_mutex_lock(&writer->mutex);
    free(writer->recorder.events);
    writer->recorder.events = copied;
    writer->recorder.events_n = copied != NULL ? n : 0;
    if (writer->events_are == EVENTS_ASKED)
        writer->events_are = EVENTS_NONE;
    if (writer->keeps_later) {
        writer->look = true;
        pthread_cond_signal(&writer->cond);
    }
    pthread_mutex_unlock(&writer->mutex);
}

static bool is_usable(const char *folder)
{
    struct stat status;
    return stat(folder, &status) == 0 && S_ISDIR(status.st_mode) && access(folder, W_OK | X_OK) == 0;
}

/* Path of the history in $STATE_DIRECTORY (systemd), else in the system's state folder, else in the user's,
 * which is made. @return false: there is no such folder that we may write to. */
static bool usual_path(char *buf, size_t buf_bytes)
{
    const char *given = getenv("STATE_DIRECTORY");
    char folder[ST_CONFIG_TEXT_BYTES] = ST_STATE_DIR "/sleeptune";
    if (given != NULL && given[0] == '/')
        ST_PRINT(folder, "%.*s", (int)strcspn(given, ":"), given); /* systemd gives several */
    else if (!is_usable(folder) &&
             (geteuid() == 0 || !st_user_folder(ST_USER_STATE, "/sleeptune", folder, sizeof(folder)) ||
              st_user_folder_make(folder) != 0))
        return false;
    return is_usable(folder) && snprintf(buf, buf_bytes, "%s/history.db", folder) < (int)buf_bytes;
}

static struct settings read_settings(const struct st_config *config)
{
    struct settings settings = {.keep_days = config->history.keep_days,
                                .traces_bytes = config->history.traces_mb * BYTES_A_MB,
                                .max_bytes = config->history.max_mb * BYTES_A_MB};
    if (strcmp(config->history.enabled, "off") == 0)
        ST_PRINT(settings.why, "history.enabled = \"off\"");
    else if (config->history.path[0] != '\0')
        ST_PRINT(settings.path, "%s", config->history.path);
    else if (usual_path(settings.path, sizeof(settings.path)))
        settings.usual = true;
    else {
        settings.path[0] = '\0';
        settings.missing = true;
        ST_PRINT(settings.why, "sleeptuned can write to no state folder: set history.path");
    }
    return settings;
}

static void free_writer(struct st_history_writer *writer)
{
    drop_all(&writer->waiting);
    free(writer->recorder.events);
    give_answers(writer->asked);
    give_answers(writer->answered);
    for (size_t i = 0; i < 2 && writer->told[i] >= 0; i++)
        close(writer->told[i]);
    pthread_cond_destroy(&writer->cond);
    pthread_mutex_destroy(&writer->mutex);
    free(writer);
}

int st_history_writer_start(struct st_platform *platform, const struct st_config *config,
                            struct st_events *events, struct st_history_writer **ret)
{
    struct st_history_writer *writer = calloc(1, sizeof(*writer));
    if (writer == NULL)
        return -ENOMEM;
    writer->platform = platform;
    writer->events = events;
    writer->view.bytes = INT64_MIN;
    writer->lock_fd = writer->told[0] = -1;
    writer->retry_ns = INT64_MIN;
    pthread_mutex_init(&writer->mutex, NULL);
    init_waiting(&writer->waiting);
    writer->settings = read_settings(config);
    (void)use_settings(writer);
    if (writer->used.path[0] == '\0')
        ST_INFO("no history is kept: %s%s", writer->used.why,
                writer->used.missing
                    ? ", create " ST_STATE_DIR
                      "/sleeptune, or set STATE_DIRECTORY to a folder that sleeptuned can write."
                    : "");
    int r = st_posix_condition_init(&writer->cond);
    if (r == 0 && pipe2(writer->told, O_CLOEXEC | O_NONBLOCK) != 0)
        r = -errno;
    if (r == 0) {
        st_events_listen(events, hear, writer); /* the thread may add one at once */
        r = st_posix_thread_start(&writer->thread, STACK_BYTES, run, writer);
    }
    if (r < 0) {
        st_events_listen(events, NULL, NULL);
        free_writer(writer);
        return r;
    }
    *ret = writer;
    return 0;
}

void st_history_writer_set(struct st_history_writer *writer, const struct st_config *config)
{
    struct settings settings = read_settings(config);
    pthread_mutex_lock(&writer->mutex);
    if (settings.missing && writer->settings.usual) { /* what waits for the folder to come back is kept */
        memcpy(settings.path, writer->settings.path, sizeof(settings.path));
        settings.usual = true;
        settings.missing = false;
    }
    writer->settings = settings;
    writer->changed = true;
    pthread_cond_signal(&writer->cond);
    pthread_mutex_unlock(&writer->mutex);
}

/* NULL: none, or out of memory. */
static struct st_cause_sum *copy_of(const struct st_cause_sums *sums)
{
    struct st_cause_sum *rows = sums->n > 0 ? malloc(sums->n * sizeof(*rows)) : NULL;
    if (rows != NULL)
        memcpy(rows, sums->rows, sums->n * sizeof(*rows));
    return rows;
}

/* @param good false: memory ran out, and the minute is lost. node may be NULL then. */
static void add_node(struct st_history_writer *writer, struct waiting_row *node, bool good)
{
    pthread_mutex_lock(&writer->mutex);
    if (writer->settings.path[0] == '\0' || !good) {
        writer->view.lost_minutes_n += !good;
        if (node != NULL)
            free_row(node);
    } else {
        append_row(&writer->waiting, node);
        trim(writer);
        pthread_cond_signal(&writer->cond);
    }
    pthread_mutex_unlock(&writer->mutex);
}

void st_history_writer_add(struct st_history_writer *writer, const struct st_history_minute *minute,
                           const struct st_hist *lateness, const struct st_cause_sums *causes,
                           const struct st_history_watched *watched)
{
    if (minute == NULL && watched->watches_n == 0) {
        pthread_mutex_lock(&writer->mutex);
        writer->look = true;
        pthread_cond_signal(&writer->cond);
        pthread_mutex_unlock(&writer->mutex);
        return;
    }
    struct waiting_row *node = calloc(1, sizeof(*node));
    bool good = node != NULL;
    if (good)
        node->watched = *watched;
    if (good && minute != NULL) {
        node->minute = *minute;
        node->minute.lateness = st_hist_deflate(lateness, &node->minute.lateness_bytes);
        node->minute.causes = copy_of(causes);
        node->minute.causes_n = node->minute.causes != NULL ? causes->n : 0;
        good = node->minute.lateness != NULL;
    }
    add_node(writer, node, good);
}

void st_history_writer_ask(struct st_history_writer *writer, const struct st_history_ask *ask)
{
    struct asked *asked = malloc(sizeof(*asked));
    if (asked == NULL) {
        ask->answered(ask->to, NULL, 200);
        return;
    }
    *asked = (struct asked){.ask = *ask, .http_status = 200};
    pthread_mutex_lock(&writer->mutex);
    append_asked(&writer->asked, asked);
    pthread_cond_signal(&writer->cond);
    pthread_mutex_unlock(&writer->mutex);
}

void st_history_writer_wait(const struct st_history_writer *writer, struct st_wait *wait)
{
    st_wait_to_read(wait, writer->told[0]);
}

void st_history_writer_turn(struct st_history_writer *writer, const struct st_wait *wait)
{
    char bytes[16];
    if (!st_wait_can_read(wait, writer->told[0]))
        return;
    (void)!read(writer->told[0], bytes, sizeof(bytes));
    pthread_mutex_lock(&writer->mutex);
    struct asked *answered = writer->answered;
    writer->answered = NULL;
    pthread_mutex_unlock(&writer->mutex);
    give_answers(answered);
}

void st_history_writer_stop(struct st_history_writer *writer)
{
    if (writer == NULL)
        return;
    pthread_mutex_lock(&writer->mutex);
    writer->stop = true;
    pthread_cond_signal(&writer->cond);
    pthread_mutex_unlock(&writer->mutex);
    pthread_join(writer->thread, NULL);
    if (writer->waiting.minutes_n > 0 || writer->waiting.events_n > 0)
        ST_WARN("%llu minute%s and %llu event%s could not be written to the history: %s",
                (unsigned long long)writer->waiting.minutes_n, writer->waiting.minutes_n == 1 ? "" : "s",
                (unsigned long long)writer->waiting.events_n, writer->waiting.events_n == 1 ? "" : "s",
                writer->view.why);
    free_writer(writer);
}

void st_history_writer_look(struct st_history_writer *writer, struct st_history_writer_view *ret)
{
    pthread_mutex_lock(&writer->mutex);
    *ret = writer->view;
    pthread_mutex_unlock(&writer->mutex);
}
