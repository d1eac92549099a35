#include "cli/measure/listen_sizes.h"

#include "cli/command.h"
#include "cli/show/predict_text.h"
#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/safe.h"
#include "core/text/text.h"
#include "evidence/miss_events.h"
#include "platform/program/stop.h"

#define SHORTEST 32U
#define LONGEST  2048U

/* --- the runs --- */

static struct st_listen_size row_of(const struct st_listen_run *run, uint32_t asked_frames)
{
    const struct st_hearing_result *result = &run->result;
    return (struct st_listen_size){.asked_frames = asked_frames,
                                   .frames = run->live.head.period_frames,
                                   .rate_hz = run->view.rate_hz,
                                   .valid = st_hearing_valid(result),
                                   .latency_known = run->view.latency_known,
                                   .latency_frames = run->view.latency_frames,
                                   .losses_n = result->losses_n,
                                   .lost_frames = result->lost_frames,
                                   .heard_s = result->heard_s,
                                   .per_hour_max95 = result->per_hour_max95};
}

/* In its place; one that Ctrl-C cut too short says nothing. */
static void add_row(struct st_listen_sizes *sizes, const struct st_listen_size *row)
{
    size_t at = sizes->n;
    if (st_stop_asked() && !row->valid)
        return;
    for (; at > 0 && sizes->rows[at - 1].asked_frames > row->asked_frames; at--)
        sizes->rows[at] = sizes->rows[at - 1];
    sizes->rows[at] = *row;
    sizes->n++;
}

/* Each size would be invalid. @return an st_exit. */
static int say_disturbed(const struct st_listen_wish *wish, const struct st_listen_live *live)
{
    const char *name = "another program";
    ST_EACH_OF (event, live->events, live->events_kept_n)
        name = event->kind == ST_CAPTURE_MIXED && event->text[0] != '\0' ? event->text : name;
    const char *who = st_safe_text(ST_TEXT(ST_CAPTURE_TEXT_BYTES, "%s", name)),
               *device = st_safe_text(ST_TEXT(ST_CAPTURE_TEXT_BYTES, "%s", live->head.plays));
    st_failure("%s plays to %s. Stop it, then run:", who, device);
    fprintf(stderr, "  %s --sizes\n", st_listen_live_command(wish, ST_ROOM(1200)));
    return ST_EXIT_FAILURE;
}

int st_listen_sizes_run(const struct st_listen_wish *wish, struct st_listen_run *run,
                        struct st_listen_sizes *ret)
{
    struct st_listen_wish one = *wish;
    struct st_listen_size row;
    const char *time = ST_NS_SHORT(wish->duration_ns);
    st_failure_note(
        "Listening at the buffer size in use, then at %u to %u frames, %s each. Other programs on "
        "the same server or device get these sizes, too, until this ends.",
        SHORTEST, LONGEST, time);
    one.alone = true;
    int status = st_listen_run_live(&one, run);
    if (status == ST_EXIT_DONE && run->live.events_n[ST_CAPTURE_MIXED] > 0)
        status = say_disturbed(wish, &run->live);
    if (status != ST_EXIT_DONE)
        return status;
    *ret = (struct st_listen_sizes){
        .title = run->live.way->title, .wish = *wish, .used_frames = run->live.head.period_frames};
    row = row_of(run, ret->used_frames);
    add_row(ret, &row);
    if (one.back == NULL)
        one.back = run->live.way->name;
    for (one.frames = SHORTEST; one.frames <= LONGEST && !st_stop_asked(); one.frames *= 2) {
        struct st_listen_run *other = one.frames != ret->used_frames ? calloc(1, sizeof(*other)) : NULL;
        status = other != NULL ? st_listen_run_live(&one, other) : ST_EXIT_FAILURE;
        if (status == ST_EXIT_DONE) {
            row = row_of(other, one.frames);
            add_row(ret, &row);
        }
        if (other != NULL)
            st_listen_run_finish(other);
        free(other);
    }
    return ST_EXIT_DONE;
}

/* --- what it says --- */

static bool holds(const struct st_listen_size *row)
{
    return row->valid && row->losses_n == 0 && row->frames == row->asked_frames;
}

const struct st_listen_size *st_listen_sizes_held(const struct st_listen_sizes *sizes)
{
    const struct st_listen_size *held = NULL;
    for (size_t i = sizes->n; i > 0 && holds(&sizes->rows[i - 1]); i--)
        held = &sizes->rows[i - 1];
    return held;
}

static double ms_of(const struct st_listen_size *row, double frames)
{
    return row->rate_hz > 0 ? frames * 1000 / row->rate_hz : 0;
}

static void print_row(const struct st_listen_sizes *sizes, const struct st_listen_size *row, FILE *out)
{
    char latency[64] = "not known", lost[96];
    if (row->valid && row->latency_known)
        ST_PRINT(latency, "%" PRId64 " frames, %.1f ms", row->latency_frames,
                 ms_of(row, (double)row->latency_frames));
    if (row->frames != row->asked_frames)
        ST_PRINT(lost, "refused: it stayed at %" PRIu32, row->frames);
    else if (!row->valid)
        ST_PRINT(lost, "invalid: see --frames %" PRIu32, row->asked_frames);
    else if (row->losses_n == 0)
        ST_PRINT(lost, "none");
    else
        ST_PRINT(lost, "%zu, %.3g ms in all", row->losses_n, ms_of(row, (double)row->lost_frames));
    fprintf(out, "%s %6" PRIu32 " %8.1f ms  ",
            holds(row)                                       ? "✔"
            : row->valid && row->frames == row->asked_frames ? "✘"
                                                             : "!",
            row->asked_frames, ms_of(row, row->asked_frames));
    st_text_pad(out, latency, 24);
    fprintf(out, "%s%s\n", lost, row->asked_frames == sizes->used_frames ? ", in use" : "");
}

void st_listen_sizes_screen(const struct st_listen_sizes *sizes, FILE *out, int width)
{
    const struct st_listen_size *held = st_listen_sizes_held(sizes);
    char text[1400], time[32];
    if (held != NULL) {
        st_ns_format_short(llround(held->heard_s * ST_NS_PER_S), time, sizeof(time));
        ST_PRINT(text,
                 "✔ From %" PRIu32 " frames on nothing was lost in %s each %s: at most %s losses per hour "
                 "(95 %%) at each.",
                 held->asked_frames, time, sizes->title,
                 st_miss_events_rate_text(held->per_hour_max95, ST_ROOM(32)));
    } else {
        ST_PRINT(text, "%s", "! At the longest size sound was lost, or it is not known.");
    }
    st_text_wrap(out, text, 2, width);
    fputs("\n  frames       lasts  there and back          losses\n", out);
    ST_EACH_OF (row, sizes->rows, sizes->n)
        print_row(sizes, row, out);
    fputc('\n', out);
    if (held != NULL && held->asked_frames > sizes->used_frames)
        st_predict_text_setting(held->asked_frames, text, sizeof(text));
    else if (held != NULL)
        ST_PRINT(text, "%s -d 3h, which can show less than 1 an hour",
                 st_listen_live_command(&sizes->wish, ST_ROOM(1200)));
    else
        ST_PRINT(text, "%s", "sleeptune check, to find what was late");
    st_text_field(out, "Next", text, 6, width);
}

json_t *st_listen_sizes_json(const struct st_listen_sizes *sizes)
{
    json_t *list = json_array();
    ST_EACH_OF (row, sizes->rows, sizes->n) {
        json_array_append_new(
            list,
            json_pack("{s:I, s:I, s:b, s:o, s:I, s:f, s:o}", "frames", (json_int_t)row->asked_frames,
                      "period_frames", (json_int_t)row->frames, "valid", (int)row->valid, "latency_frames",
                      st_json_integer_or_null(row->latency_known, row->latency_frames), "losses_n",
                      (json_int_t)row->losses_n, "heard_s", row->heard_s, "per_hour_max95",
                      st_json_real_or_null(isfinite(row->per_hour_max95), row->per_hour_max95)));
    }
    return list;
}

int st_listen_sizes_status(const struct st_listen_sizes *sizes)
{
    int status = ST_EXIT_BOOKS;
    ST_EACH_OF (row, sizes->rows, sizes->n) {
        if (row->valid && row->losses_n > 0)
            return ST_EXIT_FINDINGS;
        status = row->valid ? ST_EXIT_DONE : status;
    }
    return status;
}
