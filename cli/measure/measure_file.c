#include "cli/measure/measure_file.h"

#include "cli/command.h"
#include "platform/destination.h"
#include "store/recording/recording.h"

static void keep_first(struct st_measure_file *file, int r)
{
    if (file->error == 0)
        file->error = r;
}

static void on_start(void *ctx, int64_t t0_ns)
{
    struct st_measure_file *file = ctx;
    keep_first(file, st_recording_t0(file->recording, t0_ns));
}

static void on_cycle(void *ctx, uint64_t period_index, int64_t lateness_ns, int64_t callback_ns)
{
    struct st_measure_file *file = ctx;
    keep_first(file, st_recording_cycle(file->recording, period_index, lateness_ns, callback_ns));
}

static void on_skipped(void *ctx, uint64_t first, uint64_t n, int64_t lateness_ns)
{
    struct st_measure_file *file = ctx;
    keep_first(file, st_recording_skipped(file->recording, first, n, lateness_ns));
}

static void on_lost(void *ctx, uint64_t first, uint64_t n)
{
    struct st_measure_file *file = ctx;
    keep_first(file, st_recording_lost(file->recording, first, n));
}

static void on_flush(void *ctx)
{
    struct st_measure_file *file = ctx;
    keep_first(file, st_recording_flush(file->recording));
    if (file->error == 0 || file->reported)
        return;
    file->reported = true; /* reported at once, because the run may last for hours */
    st_failure("cannot write %s: %s; the measurement goes on without this file", file->path,
               strerror(-file->error));
}

int st_measure_file_open(struct st_session_config *config, struct st_measure_file *file)
{
    struct st_recording_meta meta = {
        .frames = config->frames,
        .rate_hz = config->rate_hz,
        .has_callback = config->load_percent > 0,
        .started_wall_ns = st_platform_wall_ns(st_platform_native()),
    };
    if (st_period_init(&meta.period, config->frames, config->rate_hz) != 0)
        return 0; /* st_measure_run refuses the period */
    const int r = st_recording_create(file->path, &meta, &file->recording);
    if (r == -EEXIST)
        return st_failure("%s exists and is not a recording of sleeptune, so it is not "
                          "overwritten: choose another name",
                          file->path);
    if (r != 0)
        return st_failure("cannot record into %s: %s", file->path, st_destination_error(r));
    file->sink = (struct st_sink){.start = on_start,
                                  .cycle = on_cycle,
                                  .skipped = on_skipped,
                                  .lost = on_lost,
                                  .flush = on_flush,
                                  .ctx = file};
    config->sink = &file->sink;
    return 0;
}

/* Test conditions, complete only at the end: "key: value" lines, free with free(). NULL: out of
 * memory. */
static char *conditions_of(const struct st_result *result)
{
    static const char *const locks[] = {
        [ST_LOCK_NONE] = "no", [ST_LOCK_ALL] = "yes", [ST_LOCK_ON_FAULT] = "on fault"};
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (out == NULL)
        return NULL;
    fprintf(out, "policy: %s\npriority: %d\nload_percent: %g\nmemory_locked: %s\n",
            st_platform_policy_name(result->policy), result->priority, result->load_percent,
            locks[result->lock]);
    if (result->cpu >= 0)
        fprintf(out, "cpu: %d\n", result->cpu);
    else
        fputs("cpu: any\n", out);
    ST_EACH_OF (condition, result->conditions, result->conditions_n)
        fprintf(out, "%s: %s\n", condition->key, condition->value);
    return st_text_take(out, &text);
}

int st_measure_file_close(struct st_measure_file *file, const struct st_result *result)
{
    if (file->recording == NULL)
        return 0;
    char *text = result != NULL ? conditions_of(result) : NULL;
    if (result != NULL)
        keep_first(file, text != NULL ? st_recording_text(file->recording, text) : -ENOMEM);
    free(text);
    keep_first(file, st_recording_close(file->recording, result == NULL || result->interrupted));
    file->recording = NULL;
    if (file->error == 0)
        return 0;
    return st_failure("cannot write %s: %s. The file has what was measured before.", file->path,
                      strerror(-file->error));
}
