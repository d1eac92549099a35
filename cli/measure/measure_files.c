/* The recordings of a measurement. */
#include "cli/measure/measure_files.h"

#include "cli/command.h"
#include "core/text/text.h"
#include "platform/destination.h"
#include "store/recording/recording.h"

#define PATH_BYTES 4096

/* The files of one loop. */
struct lane {
    struct st_recording *recording;
    char path[PATH_BYTES];
    int error;     /* the first one; negative errno */
    bool reported; /* while it ran */
};

struct st_measure_files {
    size_t n;
    struct lane *lanes;
    struct st_sink *sinks; /* one per loop; NULL: nothing is recorded */
};

static void keep_first(struct lane *lane, int r)
{
    if (lane->error == 0)
        lane->error = r;
}

static void on_start(void *ctx, int64_t t0_ns)
{
    struct lane *lane = ctx;
    keep_first(lane, st_recording_t0(lane->recording, t0_ns));
}

static void on_cycle(void *ctx, uint64_t period_index, int64_t lateness_ns, int64_t callback_ns)
{
    struct lane *lane = ctx;
    keep_first(lane, st_recording_cycle(lane->recording, period_index, lateness_ns, callback_ns));
}

static void on_skipped(void *ctx, uint64_t first, uint64_t n, int64_t lateness_ns)
{
    struct lane *lane = ctx;
    keep_first(lane, st_recording_skipped(lane->recording, first, n, lateness_ns));
}

static void on_lost(void *ctx, uint64_t first, uint64_t n)
{
    struct lane *lane = ctx;
    keep_first(lane, st_recording_lost(lane->recording, first, n));
}

static void on_flush(void *ctx)
{
    struct lane *lane = ctx;
    keep_first(lane, st_recording_flush(lane->recording));
    if (lane->error == 0 || lane->reported)
        return;
    lane->reported = true; /* reported at once, because the run may last for hours */
    st_failure("cannot write %s: %s; the measurement goes on without it", lane->path, strerror(-lane->error));
}

static int open_recordings(struct st_measure_files *files, const struct st_session_config *config,
                           const char *record)
{
    struct st_recording_meta meta = {
        .frames = config->frames,
        .rate_hz = config->rate_hz,
        .has_callback = config->load_percent > 0,
    };
    struct st_platform *platform = st_platform_native();
    meta.started_wall_ns = st_platform_wall_ns(platform);
    int r = st_period_init(&meta.period, config->frames, config->rate_hz);
    if (r != 0)
        return st_failure_usage("a period of %" PRIu32 " frame%s at %" PRIu32 " Hz is out of range",
                                config->frames, ST_PLURAL(config->frames), config->rate_hz);
    files->sinks = calloc(files->n, sizeof(*files->sinks));
    if (files->sinks == NULL)
        return st_failure("out of memory");
    for (size_t i = 0; i < files->n; i++) {
        struct lane *lane = &files->lanes[i];
        const int n = files->n > 1 ? snprintf(lane->path, PATH_BYTES, "%s.cpu%d", record, config->cpus[i])
                                   : snprintf(lane->path, PATH_BYTES, "%s", record);
        if (n <= 0 || n >= PATH_BYTES)
            return st_failure("%s: the name is too long", record);
        r = st_recording_create(lane->path, &meta, &lane->recording);
        if (r == -EEXIST)
            return st_failure("%s exists and is not a recording: not overwritten", lane->path);
        if (r != 0)
            return st_failure("cannot record into %s: %s", lane->path, st_destination_error(r));
        files->sinks[i] = (struct st_sink){.start = on_start,
                                           .cycle = on_cycle,
                                           .skipped = on_skipped,
                                           .lost = on_lost,
                                           .flush = on_flush,
                                           .ctx = lane};
    }
    return 0;
}

int st_measure_files_open(struct st_session_config *config, const char *record, struct st_measure_files **ret)
{
    struct st_measure_files *files = calloc(1, sizeof(*files));
    if (files == NULL)
        return st_failure("out of memory");
    files->n = config->cpus_n;
    files->lanes = calloc(files->n, sizeof(*files->lanes));
    int status = files->lanes != NULL ? 0 : st_failure("out of memory");
    if (status == 0 && record != NULL)
        status = open_recordings(files, config, record);
    if (status != 0) {
        st_measure_files_free(files);
        return status;
    }
    config->sinks = files->sinks;
    *ret = files;
    return 0;
}

/* Test conditions, complete only at the end: "key: value" lines, free with free(). NULL: out of memory. */
static char *conditions_of(const struct st_result *result)
{
    static const char *const locks[] = {
        [ST_LOCK_NONE] = "no", [ST_LOCK_ALL] = "yes", [ST_LOCK_ON_FAULT] = "on fault"};
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (out == NULL)
        return NULL;
    fprintf(out, "policy: %s\npriority: %d\npriority_asked: %d\nload_percent: %g\nmemory_locked: %s\n",
            st_platform_policy_name(result->policy), result->priority, result->priority_asked,
            result->load_percent, locks[result->lock]);
    if (result->cpu >= 0)
        fprintf(out, "cpu: %d\n", result->cpu);
    else
        fputs("cpu: any\n", out);
    ST_EACH_OF (condition, result->conditions, result->conditions_n)
        fprintf(out, "%s: %s\n", condition->key, condition->value);
    return st_text_take(out, &text);
}

static int close_recording(struct lane *lane, const struct st_result *result)
{
    char *text = conditions_of(result);
    keep_first(lane, text != NULL ? st_recording_text(lane->recording, text) : -ENOMEM);
    free(text);
    keep_first(lane, st_recording_close(lane->recording, result->interrupted));
    lane->recording = NULL;
    if (lane->error == 0)
        return 0;
    return st_failure("cannot write %s: %s. What was written before can be read.", lane->path,
                      strerror(-lane->error));
}

int st_measure_files_close(struct st_measure_files *files, const struct st_result *results, size_t n)
{
    int status = 0;
    for (size_t i = 0; files->sinks != NULL && i < n; i++) {
        const int r = close_recording(&files->lanes[i], &results[i]);
        status = r != 0 ? r : status;
    }
    return status;
}

void st_measure_files_free(struct st_measure_files *files)
{
    if (files == NULL)
        return;
    ST_EACH_OF (lane, files->lanes, files->lanes != NULL ? files->n : 0)
        (void)st_recording_close(lane->recording, true);
    free(files->lanes);
    free(files->sinks);
    free(files);
}
