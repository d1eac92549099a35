/* The thread that writes the history and makes answers from it. */
#include "daemon/history/history_writer.h"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "daemon/history/recorder.h"
#include "platform/posix/posix.h"
#include "st_config.h"
#include "store/history/hist_deflate.h"

#define LOG_MODULE "history"

#define STACK_BYTES (256 * 1024)
#define CHANGED_NS  INT64_C(3600000000000)

/* --- requests --- */

struct asked {
    struct asked *next;
    struct st_history_ask ask;
    char *text; /* the answer's text, once it is made */
    unsigned http_status;
};

/* Passes each answer in the list to the `answered` function of its request, and frees the list. */
static void give_answers(struct asked *list)
{
    for (struct asked *asked = list, *next; asked != NULL; asked = next) {
        next = asked->next;
        asked->ask.answered(asked->ask.to, asked->text, asked->http_status);
        free(asked->ask.open);
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
    pthread_t thread;

    pthread_mutex_t mutex; /* protects the next members up to `view` */
    pthread_cond_t cond;
    struct st_history_settings settings;
    bool changed, stop;
    bool look; /* check the file at once, even if no row waits to be written */
    struct st_waiting_rows waiting;
    struct asked *asked, *answered;
    struct st_recorder recorder;
    enum {
        EVENTS_NONE,
        EVENTS_WANTED,
        EVENTS_ASKED
    } events_are;     /* does the copy of PipeWire's cycles still need the kernel's events? no;
                         yes; yes, and the main thread will pass them to
                         st_history_writer_give_events */
    bool keeps_later; /* the copy of PipeWire's cycles is due and waits for the kernel's events */
    /* when to copy PipeWire's last cycles, CLOCK_MONOTONIC: some seconds after a dropout, so that
     * the copy shows what followed */
    int64_t copy_ns;
    struct st_history_writer_view view;

    int answer_pipe[2]; /* a byte is written to it for each answer that is ready */

    /* the next members are used by the writer's thread only */
    struct st_history_file file;
    /* number of dropped minutes and events (view.lost_*_n) that an event in the file already
     * reports */
    uint64_t missing_minutes_n, missing_events_n;
    /* time of the next attempt after a failed write, CLOCK_MONOTONIC; INT64_MIN: the last write
     * succeeded */
    int64_t retry_ns;
    /* value of file.opened_n when view.changed was read; if file.opened_n differs now, another
     * file is open */
    uint64_t changed_of_n;
    int64_t changed_ns; /* when view.changed was read, CLOCK_MONOTONIC */
};

/* --- rows that wait to be written --- */

/* Drops the oldest waiting rows until they are within the limits of history_writer.h. Call with the
 * mutex held. */
static void trim(struct st_history_writer *writer)
{
    struct st_waiting_rows *waiting = &writer->waiting;
    for (; waiting->minutes_n > ST_HISTORY_WRITER_MINUTES_MAX; writer->view.lost_minutes_n++)
        st_history_file_rows_drop(waiting, false);
    for (; waiting->events_n > ST_HISTORY_WRITER_EVENTS_MAX; writer->view.lost_events_n++)
        st_history_file_rows_drop(waiting, true);
    writer->view.waiting_minutes_n = waiting->minutes_n;
    writer->view.waiting_events_n = waiting->events_n;
}

/* Puts rows that could not be written back into the queue, before rows that have arrived since the
 * write began. Call with the mutex held. */
static void give_back(struct st_history_writer *writer, struct st_waiting_rows *rows)
{
    struct st_waiting_rows since;
    st_history_file_rows_init(&since);
    st_history_file_rows_move(&since, &writer->waiting);
    st_history_file_rows_move(&writer->waiting, rows);
    st_history_file_rows_move(&writer->waiting, &since);
    trim(writer);
}

/* Writes the waiting rows. */
static void flush(struct st_history_writer *writer)
{
    struct st_waiting_rows rows;
    const char *why;
    st_history_file_rows_init(&rows);
    pthread_mutex_lock(&writer->mutex);
    st_history_file_rows_move(&rows, &writer->waiting);
    pthread_mutex_unlock(&writer->mutex);
    const int r = st_history_file_write(&writer->file, &rows, &why);
    pthread_mutex_lock(&writer->mutex);
    if (r == 0) {
        writer->view.bytes = writer->file.bytes >= 0 ? writer->file.bytes : INT64_MIN;
        writer->view.minutes_n += rows.minutes_n;
        writer->view.events_n += rows.events_n;
        trim(writer); /* written rows no longer count as waiting */
    } else {
        give_back(writer, &rows);
    }
    writer->view.state = r == 0 ? ST_HISTORY_WRITER_WRITING : ST_HISTORY_WRITER_FAILING;
    ST_PRINT(writer->view.why, "%s", why);
    ST_PRINT(writer->view.aside, "%s", writer->file.aside);
    pthread_mutex_unlock(&writer->mutex);
    st_history_file_rows_drop_all(&rows); /* `rows` is empty if they were put back */
    /* A failed write is not tried again when another row arrives, since a new row makes no room on
     * the disk. */
    writer->retry_ns = r == 0 ? INT64_MIN : st_posix_now_ns(NULL) + ST_HISTORY_WRITER_RETRY_NS;
}

/* Once the file can be written, adds an event that reports dropped rows. @return true: such an
 * event waits to be written. */
static bool record_lost(struct st_history_writer *writer)
{
    struct st_history_writer_view view;
    st_history_writer_look(writer, &view);
    const uint64_t events_n = view.lost_events_n - writer->missing_events_n,
                   minutes_n = view.lost_minutes_n - writer->missing_minutes_n;
    if (view.state != ST_HISTORY_WRITER_WRITING || events_n + minutes_n == 0)
        return false;
    writer->missing_events_n = view.lost_events_n;
    writer->missing_minutes_n = view.lost_minutes_n;
    st_events_add(writer->file.events, ST_LOG_WARN, st_platform_wall_ns(writer->platform),
                  ST_EVENT_HISTORY_LOST,
                  "%ju event%s and %ju minute%s before this moment are missing, because the "
                  "history could not be written then",
                  events_n, ST_PLURAL(events_n), minutes_n, ST_PLURAL(minutes_n));
    return true;
}

/* --- the thread --- */

/* Shows changed settings in the view; drops the waiting rows if no history is kept any more. Call
 * with the mutex held. */
static void show_settings(struct st_history_writer *writer)
{
    const struct st_history_settings *settings = &writer->settings;
    const bool other = strcmp(writer->file.used.path, settings->path) != 0;
    writer->changed = false;
    if (settings->path[0] == '\0') {
        writer->view.lost_minutes_n += writer->waiting.minutes_n;
        writer->view.lost_events_n += writer->waiting.events_n;
        st_history_file_rows_drop_all(&writer->waiting);
        trim(writer);
        writer->view.state = ST_HISTORY_WRITER_OFF;
    } else if (other) {
        writer->view.state = ST_HISTORY_WRITER_OPENING;
    }
    writer->view.missing = settings->missing;
    if (other || settings->path[0] == '\0') {
        ST_PRINT(writer->view.why, "%s", settings->why);
        writer->view.changed[0] = '\0';
    }
    if (other)
        writer->view.bytes = INT64_MIN;
    ST_PRINT(writer->view.path, "%s", settings->path);
}

/* Time (ns) until the thread must write; INT64_MAX: not before a row arrives. Call with the mutex
 * held. */
static int64_t idle_ns(const struct st_history_writer *writer)
{
    if (writer->stop || writer->changed)
        return 0;
    if (writer->file.used.path[0] == '\0')
        return INT64_MAX;
    if (writer->retry_ns != INT64_MIN) {
        const int64_t left_ns = writer->retry_ns - st_posix_now_ns(NULL);
        return ST_MAX(left_ns, 0);
    }
    if (writer->file.history == NULL || writer->look || writer->waiting.minutes_n > 0)
        return 0;
    int64_t copy_in_ns = INT64_MAX;
    if (writer->recorder.wanted && !writer->keeps_later)
        copy_in_ns = ST_MAX(writer->copy_ns - st_posix_now_ns(NULL), 0);
    if (writer->waiting.events_n == 0)
        return copy_in_ns;
    if (writer->asked != NULL) /* the answer includes the waiting rows */
        return 0;
    return ST_MIN(copy_in_ns, ST_HISTORY_WRITER_EVENTS_NS);
}

/* Waits until it is time to write, or a request arrives. Call with the mutex held. @return true: it
 * is time to write. */
static bool wait_for_work(struct st_history_writer *writer)
{
    int64_t wait_ns;
    while ((wait_ns = idle_ns(writer)) == INT64_MAX && writer->asked == NULL)
        pthread_cond_wait(&writer->cond, &writer->mutex);
    /* the condition uses CLOCK_MONOTONIC, even where a test replaces the platform's clock */
    const struct timespec until = st_ns_to_timespec(st_ns_add(st_posix_now_ns(NULL), wait_ns));
    bool over = false;
    while (!over && idle_ns(writer) > 0 && writer->asked == NULL)
        over = pthread_cond_timedwait(&writer->cond, &writer->mutex, &until) != 0;
    return over || idle_ns(writer) == 0;
}

/* Applies changed settings and writes the waiting rows. Call with the mutex held; unlocks it. */
static void unlock_and_write(struct st_history_writer *writer)
{
    writer->look = false;
    if (writer->changed &&
        writer->file.history != NULL) { /* the waiting rows belong to the previous file */
        pthread_mutex_unlock(&writer->mutex);
        flush(writer);
        pthread_mutex_lock(&writer->mutex);
    }
    const struct st_history_settings settings = writer->settings;
    const bool changed = writer->changed;
    if (changed)
        show_settings(writer);
    pthread_mutex_unlock(&writer->mutex);
    if (changed)
        st_history_file_use(&writer->file, &settings);
    writer->retry_ns = INT64_MIN;
    if (settings.path[0] == '\0')
        return;
    flush(writer);
    if (record_lost(writer))
        flush(writer);
}

/* Answers a request. @param asked NULL is allowed. */
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
    /* The pipe is full only if bytes already wait in it, so the main thread wakes up anyway. */
    (void)!write(writer->answer_pipe[1], "", 1);
}

/* Updates view.changed, the sentence since when dropouts are more frequent: once an hour, and when
 * a file was opened. */
static void read_changed(struct st_history_writer *writer)
{
    const struct st_history_file *file = &writer->file;
    struct st_platform *platform = writer->platform;
    const int64_t now_ns = st_platform_now_ns(platform);
    if (writer->retry_ns != INT64_MIN || file->history == NULL ||
        (writer->changed_of_n == file->opened_n && now_ns - writer->changed_ns < CHANGED_NS))
        return;
    writer->changed_of_n = file->opened_n;
    writer->changed_ns = now_ns;
    const char *changed = st_history_answer_changed(file->used.path, st_platform_wall_ns(platform));
    pthread_mutex_lock(&writer->mutex);
    ST_PRINT(writer->view.changed, "%s", changed);
    pthread_mutex_unlock(&writer->mutex);
}

/* Stores a copy of PipeWire's last cycles and of the kernel's events, if such a copy is due. */
static void keep_cycles(struct st_history_writer *writer)
{
    pthread_mutex_lock(&writer->mutex);
    struct st_recorder wish = writer->recorder;
    wish.wanted = wish.wanted && st_posix_now_ns(NULL) >= writer->copy_ns;
    writer->keeps_later = wish.wanted && writer->events_are != EVENTS_NONE;
    wish.wanted = wish.wanted && !writer->keeps_later;
    if (wish.wanted) {
        writer->recorder.wanted = false;
        writer->recorder.events = NULL;
        writer->recorder.levels = NULL;
    }
    pthread_mutex_unlock(&writer->mutex);
    const int r = wish.wanted ? st_recorder_keep(&wish, writer->file.used.path,
                                                 writer->file.used.traces_bytes)
                              : 0;
    if (wish.wanted) {
        free(wish.events);
        free(wish.levels);
    }
    if (r < 0 && r != -ENOENT)
        ST_WARN("cannot save the record of a dropout beside %s: %s", writer->file.used.path,
                strerror(-r));
}

static void *run(void *ctx)
{
    struct st_history_writer *writer = ctx;
    bool stop = false;
    (void)writer->platform->set_name(writer->platform, "st-history");
    while (!stop) {
        pthread_mutex_lock(&writer->mutex);
        const bool writes = wait_for_work(writer);
        stop = writer->stop;
        /* The rows that wait now are written below, so the answer to the oldest request includes
         * them. */
        struct asked *asked = stop ? NULL : writer->asked;
        if (asked != NULL)
            writer->asked = asked->next;
        if (writes)
            unlock_and_write(writer);
        else
            pthread_mutex_unlock(&writer->mutex);
        const bool heard = asked != NULL && asked->ask.which == ST_ROUTE_HEARD;
        /* The user's report of a heard click is answered within 100 ms. So the answer comes before
         * the copy, which can take as long. */
        if (heard)
            answer(writer, asked);
        if (writes && !stop) {
            read_changed(writer);
            keep_cycles(writer);
        }
        if (!heard)
            answer(writer, asked);
        st_text_forget();
    }
    st_history_file_close(&writer->file);
    return NULL;
}

/* --- functions for other files --- */

/* Adds a row to the queue, or frees it if no history is kept. @param good false: out of memory, so
 * the row is lost, and `row` may be NULL. @return true: the row waits to be written. Call with the
 * mutex held. */
static bool take_row(struct st_history_writer *writer, struct st_waiting_row *row, bool good,
                     uint64_t *lost_n)
{
    const bool kept = writer->settings.path[0] != '\0';
    if (kept && good) {
        st_history_file_rows_append(&writer->waiting, row);
        trim(writer);
        return true;
    }
    *lost_n += kept;
    if (row != NULL)
        st_history_file_rows_free(row);
    return false;
}

static void hear(void *ctx, const struct st_event *event)
{
    struct st_history_writer *writer = ctx;
    struct st_waiting_row *row = calloc(1, sizeof(*row));
    if (row != NULL) {
        row->is_event = true;
        row->event = *event;
    }
    pthread_mutex_lock(&writer->mutex);
    const bool first = writer->waiting.events_n == 0;
    if (take_row(writer, row, row != NULL, &writer->view.lost_events_n)) {
        if (st_recorder_note(&writer->recorder, event)) {
            writer->events_are = EVENTS_WANTED;
            writer->copy_ns = st_posix_now_ns(NULL);
            if (event->kind != ST_EVENT_HEARD)
                writer->copy_ns += ST_HISTORY_WRITER_EVENTS_NS;
        }
        if (first)
            pthread_cond_signal(&writer->cond);
    }
    pthread_mutex_unlock(&writer->mutex);
}

void st_history_writer_record(struct st_history_writer *writer, const char *cycles)
{
    if (strlen(cycles) >= sizeof(writer->recorder.from))
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

void st_history_writer_give_levels(struct st_history_writer *writer,
                                   const struct st_cycle_levels *levels)
{
    struct st_cycle_levels *copied = malloc(sizeof(*copied));
    if (copied != NULL)
        *copied = *levels;
    pthread_mutex_lock(&writer->mutex);
    free(writer->recorder.levels);
    writer->recorder.levels = copied;
    pthread_mutex_unlock(&writer->mutex);
}

void st_history_writer_give_events(struct st_history_writer *writer,
                                   const struct st_trace_event *events, size_t n)
{
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

static void free_writer(struct st_history_writer *writer)
{
    st_history_file_rows_drop_all(&writer->waiting);
    free(writer->recorder.events);
    free(writer->recorder.levels);
    give_answers(writer->asked);
    give_answers(writer->answered);
    for (size_t i = 0; i < 2 && writer->answer_pipe[i] >= 0; i++)
        close(writer->answer_pipe[i]);
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
    writer->file = (struct st_history_file){.platform = platform, .events = events, .lock_fd = -1};
    writer->view.bytes = INT64_MIN;
    writer->answer_pipe[0] = -1;
    writer->retry_ns = INT64_MIN;
    pthread_mutex_init(&writer->mutex, NULL);
    st_history_file_rows_init(&writer->waiting);
    writer->settings = st_history_file_settings(config);
    show_settings(writer);
    st_history_file_use(&writer->file, &writer->settings);
    if (writer->settings.path[0] == '\0')
        ST_INFO("no history is kept: %s%s", writer->file.used.why,
                writer->file.used.missing
                    ? ", create " ST_STATE_DIR
                      "/sleeptune, or set STATE_DIRECTORY to a folder that sleeptuned can write."
                    : "");
    int r = st_posix_condition_init(&writer->cond);
    if (r == 0 && pipe2(writer->answer_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
        r = -errno;
    if (r == 0) {
        /* before the thread starts, since that thread may add an event at once */
        st_events_listen(events, hear, writer);
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
    struct st_history_settings settings = st_history_file_settings(config);
    pthread_mutex_lock(&writer->mutex);
    /* The state folder is missing: keeps the path, so that the waiting rows stay until the folder
     * is available again. */
    if (settings.missing && writer->settings.usual) {
        memcpy(settings.path, writer->settings.path, sizeof(settings.path));
        settings.usual = true;
        settings.missing = false;
    }
    writer->settings = settings;
    writer->changed = true;
    pthread_cond_signal(&writer->cond);
    pthread_mutex_unlock(&writer->mutex);
}

/* A copy of the rows. NULL: no rows, or out of memory. */
static struct st_cause_sum *copy_of(const struct st_cause_sums *sums)
{
    struct st_cause_sum *rows = sums->n > 0 ? malloc(sums->n * sizeof(*rows)) : NULL;
    if (rows != NULL)
        memcpy(rows, sums->rows, sums->n * sizeof(*rows));
    return rows;
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
    struct st_waiting_row *node = calloc(1, sizeof(*node));
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
    pthread_mutex_lock(&writer->mutex);
    if (take_row(writer, node, good, &writer->view.lost_minutes_n))
        pthread_cond_signal(&writer->cond);
    pthread_mutex_unlock(&writer->mutex);
}

void st_history_writer_ask(struct st_history_writer *writer, const struct st_history_ask *ask)
{
    struct asked *asked = malloc(sizeof(*asked));
    if (asked == NULL) {
        free(ask->open);
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
    st_wait_to_read(wait, writer->answer_pipe[0]);
}

void st_history_writer_turn(struct st_history_writer *writer, const struct st_wait *wait)
{
    char bytes[16];
    if (!st_wait_can_read(wait, writer->answer_pipe[0]))
        return;
    (void)!read(writer->answer_pipe[0], bytes, sizeof(bytes));
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
                (unsigned long long)writer->waiting.minutes_n, ST_PLURAL(writer->waiting.minutes_n),
                (unsigned long long)writer->waiting.events_n, ST_PLURAL(writer->waiting.events_n),
                writer->view.why);
    free_writer(writer);
}

void st_history_writer_look(struct st_history_writer *writer, struct st_history_writer_view *ret)
{
    pthread_mutex_lock(&writer->mutex);
    *ret = writer->view;
    pthread_mutex_unlock(&writer->mutex);
}
