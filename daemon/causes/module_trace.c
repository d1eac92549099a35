/* Reads the kernel's events of scheduling and interrupts through libtracefs, in a tracefs instance
 * of its own: traces of other programs are not changed, and do not become slower. */
#include <event-parse.h>
#include <fcntl.h>
#include <tracefs.h>
#include <unistd.h>

#include "daemon/causes/cpu_trace.h"
#include "st_config.h"

#define ALL_KB 65536 /* most kB of the buffers of all CPUs together */

extern const struct st_trace_module st_trace_module;

struct st_trace {
    struct tracefs_instance *instance; /* NULL: this process has made none */
    /* an open file of the instance, which keeps other processes from removing it; -1: none */
    int held_fd;
    struct tep_handle *tep;
    void (*take)(void *ctx, const struct st_trace_event *event);
    void *ctx;
};

static const struct row {
    const char *system, *event;
    enum st_trace_kind kind;
    /* names of the event's fields; NULL: it has no such field */
    const char *pid, *prev_pid, *number, *name, *prev_name;
} rows[] = {
    {"sched", "sched_switch", ST_TRACE_SWITCH, .pid = "next_pid", .prev_pid = "prev_pid",
     .name = "next_comm", .prev_name = "prev_comm"},
    {"sched", "sched_wakeup", ST_TRACE_WAKING, .pid = "pid"},
    {"irq", "irq_handler_entry", ST_TRACE_IRQ_ENTRY, .number = "irq", .name = "name"},
    {"irq", "irq_handler_exit", ST_TRACE_IRQ_EXIT, .number = "irq"},
    {"irq", "softirq_entry", ST_TRACE_SOFTIRQ_ENTRY, .number = "vec"},
    {"irq", "softirq_exit", ST_TRACE_SOFTIRQ_EXIT, .number = "vec"},
};

static int number_of(struct tep_event *event, struct tep_record *record, const char *field)
{
    unsigned long long value;
    if (field == NULL)
        return 0;
    return tep_get_field_val(NULL, event, field, record, &value, 0) == 0 ? (int)value : -1;
}

/* Copies a text field. @param buf must be all zero, which ends the text. */
static void name_of(struct tep_event *event, struct tep_record *record, const char *field,
                    char buf[ST_TRACE_NAME_BYTES])
{
    int len = 0;
    const char *text =
        field != NULL ? tep_get_field_raw(NULL, event, field, record, &len, 0) : NULL;
    if (text != NULL && len > 0)
        memcpy(buf, text,
               strnlen(text, len < ST_TRACE_NAME_BYTES ? (size_t)len : ST_TRACE_NAME_BYTES - 1));
}

static int on_record(struct tep_event *event, struct tep_record *record, int cpu, void *ctx)
{
    struct st_trace *trace = ctx;
    if (record->missed_events !=
        0) { /* the buffer was full, and events before this one were overwritten */
        const struct st_trace_event lost = {
            .at_ns = (int64_t)record->ts, .cpu = cpu, .kind = ST_TRACE_LOST};
        trace->take(trace->ctx, &lost);
    }
    for (const struct row *row = rows; row < rows + ST_ARRAY_LEN(rows); row++) {
        if (strcmp(event->name, row->event) != 0)
            continue;
        struct st_trace_event made = {.at_ns = (int64_t)record->ts, .cpu = cpu, .kind = row->kind};
        made.pid = number_of(event, record, row->pid);
        made.prev_pid = number_of(event, record, row->prev_pid);
        made.number = number_of(event, record, row->number);
        name_of(event, record, row->name, made.name);
        name_of(event, record, row->prev_name, made.prev_name);
        trace->take(trace->ctx, &made);
        break;
    }
    return 0;
}

static void close_trace(struct st_trace *trace)
{
    if (trace == NULL)
        return;
    if (trace->instance != NULL) {
        (void)tracefs_trace_off(trace->instance);
        (void)tracefs_event_disable(trace->instance, NULL, NULL);
        if (trace->held_fd >= 0)
            close(trace->held_fd);
        (void)tracefs_instance_destroy(trace->instance);
        tracefs_instance_free(trace->instance);
    }
    tep_free(trace->tep);
    free(trace);
}

/* The error that a library left in errno, as a negative value; -other if it left none. */
static int error_of(int other)
{
    return errno != 0 ? -errno : -other;
}

static int put(struct tracefs_instance *instance, const char *file, const char *text)
{
    return tracefs_instance_file_write(instance, file, text) < 0 ? error_of(EIO) : 0;
}

static bool has_events(struct tracefs_instance *instance)
{
    char *text = tracefs_instance_file_read(instance, "events/enable", NULL);
    const bool none = text != NULL && text[0] == '0';
    free(text);
    return !none;
}

static int look_for_events(const char *name, void *ctx)
{
    struct tracefs_instance *instance = tracefs_instance_alloc(NULL, name);
    bool *any = ctx;
    *any = *any || has_events(instance);
    tracefs_instance_free(instance);
    return 0;
}

/* Turns off the option record-cmd if possible. With it the kernel also notes the name of each
 * thread at each event, for readers of the trace as text; that takes a fifth to a third of an
 * event's time, and our events contain the names already. The option applies to all events that are
 * on when they are enabled (trace_event_enable_cmd_record), so it stays on if another instance has
 * events. */
static void leave_names(struct tracefs_instance *instance)
{
    bool any = has_events(NULL);
    if (tracefs_instances_walk(look_for_events, &any) == 0 && !any)
        (void)put(instance, "trace_options", "norecord-cmd");
}

/* Sets clock and size of the buffer, and turns the events on. @return 0, or an error with *ret_what
 * the file or event that failed. */
static int set_up(struct tracefs_instance *instance, int64_t buffer_kb, const char **ret_what)
{
    char kb[24];
    const struct {
        const char *name, *text;
    } files[] = {{"trace_clock", "mono"}, {"buffer_size_kb", kb}};
    const long cpus_n = sysconf(_SC_NPROCESSORS_CONF);
    const int64_t most_kb = ALL_KB / (cpus_n > 0 ? cpus_n : 1);
    int r = 0;
    (void)tracefs_trace_off(instance);
    ST_PRINT(kb, "%lld", (long long)ST_MIN(buffer_kb, most_kb));
    for (size_t i = 0; i < ST_ARRAY_LEN(files) && r == 0; i++) {
        *ret_what = files[i].name;
        r = put(instance, files[i].name, files[i].text);
    }
    leave_names(instance);
    for (size_t i = 0; i < ST_ARRAY_LEN(rows) && r == 0; i++) {
        *ret_what = rows[i].event;
        if (tracefs_event_enable(instance, rows[i].system, rows[i].event) != 0)
            r = error_of(EIO);
    }
    if (r == 0) {
        *ret_what = "tracing_on";
        r = tracefs_trace_on(instance) == 0 ? 0 : error_of(EIO);
    }
    return r;
}

/* Reads the formats of the events in `rows` only: tracefs_local_events_system also reads all of
 * /proc/kallsyms, which takes 11 MB. @param ret_what the file or event that failed. */
static int read_formats(struct st_trace *trace, const char **ret_what)
{
    int len = 0, r;
    trace->tep = tep_alloc();
    char *text = tracefs_instance_file_read(NULL, *ret_what = "events/header_page", &len);
    r = trace->tep == NULL ? -ENOMEM
        : text == NULL ||
                tep_parse_header_page(trace->tep, text, (unsigned long)len, sizeof(long)) != 0
            ? -EIO
            : 0;
    free(text);
    /* sizes are those of the kernel that wrote the pages, which may have 64 bits where this program
     * has 32 */
    if (r == 0)
        tep_set_long_size(trace->tep, tep_get_header_page_size(trace->tep));
    for (size_t i = 0; i < ST_ARRAY_LEN(rows) && r == 0; i++) {
        text = tracefs_event_file_read(NULL, rows[i].system, *ret_what = rows[i].event, "format",
                                       &len);
        if (text == NULL ||
            tep_parse_event(trace->tep, text, (unsigned long)len, rows[i].system) != 0)
            r = -EIO;
        free(text);
    }
    return r;
}

/* Checks that tracefs is mounted. Otherwise libtracefs would mount it, and it would stay
 * mounted. */
static int find_tracefs(char *error, size_t error_bytes)
{
    static char folder[] = ST_TRACEFS;
    if (access(ST_TRACEFS "/instances", W_OK | X_OK) == 0)
        return tracefs_set_tracing_dir(folder) == 0 ? 0 : -ENOMEM;
    const int r = -errno;
    if (r == -ENOENT)
        snprintf(error, error_bytes,
                 "the kernel's trace is not available: tracefs is not mounted on " ST_TRACEFS
                 ". Run as root: mount -t tracefs tracefs " ST_TRACEFS);
    else
        snprintf(error, error_bytes,
                 ST_TRACEFS "/instances: %s. Run sleeptuned as root, or without trace.enabled",
                 strerror(-r));
    return r == -ENOENT ? -ENOTSUP : r;
}

/* Makes the instance, and opens a file of it. @return 0, or an error with *ret_what the file that
 * failed. */
static int make_instance(struct st_trace *trace, const char **ret_what)
{
    *ret_what = "instances/" ST_TRACE_INSTANCE;
    errno = 0;
    struct tracefs_instance *instance = tracefs_instance_create(ST_TRACE_INSTANCE);
    if (instance == NULL)
        return error_of(EACCES);
    /* another daemon uses this instance, so st_tracer_clear could not remove it */
    if (!tracefs_instance_is_new(instance)) {
        tracefs_instance_free(instance);
        return -EEXIST;
    }
    trace->instance = instance;
    trace->held_fd = tracefs_instance_file_open(instance, "tracing_on", O_RDONLY);
    return trace->held_fd >= 0 ? 0 : error_of(EIO);
}

static int open_trace(int64_t buffer_kb, struct st_trace **ret, char *error, size_t error_bytes)
{
    int r = find_tracefs(error, error_bytes);
    if (r < 0)
        return r;
    struct st_trace *trace = calloc(1, sizeof(*trace));
    if (trace == NULL)
        return -ENOMEM;
    trace->held_fd = -1;
    const char *what;
    r = make_instance(trace, &what);
    if (r == 0)
        r = set_up(trace->instance, buffer_kb, &what);
    if (r == 0)
        r = read_formats(trace, &what);
    /* With libtracefs 1.8, a program with 32 bits read no event of a kernel with 64 bits. */
    if (r == 0 && tep_get_long_size(trace->tep) != (int)sizeof(long)) {
        snprintf(error, error_bytes,
                 "a 32-bit sleeptuned cannot read the events of this 64-bit kernel. Install the "
                 "64-bit sleeptuned, or turn off trace.enabled");
        close_trace(trace);
        return -ENOTSUP;
    }
    if (r != 0) {
        snprintf(error, error_bytes, ST_TRACEFS "/%s: %s", what,
                 r == -EEXIST ? "another program uses it, such as another sleeptuned"
                              : strerror(-r));
        close_trace(trace);
        return r;
    }
    *ret = trace;
    return 0;
}

static int read_trace(struct st_trace *trace,
                      void (*take)(void *ctx, const struct st_trace_event *event), void *ctx)
{
    trace->take = take;
    trace->ctx = ctx;
    errno = 0;
    if (tracefs_iterate_raw_events(trace->tep, trace->instance, NULL, 0, on_record, trace) == 0)
        return 0;
    return error_of(EIO);
}

__attribute__((visibility("default"))) const struct st_trace_module st_trace_module = {
    .version = ST_VERSION, .open = open_trace, .read = read_trace, .close = close_trace};
