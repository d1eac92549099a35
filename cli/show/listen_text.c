#include "cli/show/listen_text.h"

#include "core/event.h"
#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/safe.h"
#include "evidence/miss_events.h"
#include "platform/program/failure.h"
#include "xruns/dropout_reason.h"

#define LABEL 12 /* columns */
#define ROWS  5  /* losses on the screen */
/* 3600 * -ln 0.05 s: no loss in this time means at most one loss an hour (95 %) */
#define SURE_S    10785
#define NEAR_MS   200
#define NEAR_NS   (NEAR_MS * ST_NS_PER_MS)
#define RECORD_NS (1500 * ST_NS_PER_MS)

/* Finds the event (an xrun of the sound server, a helper program without CPU ...) at the time of a
 * loss.
 * @return NULL: none. */
static const struct st_capture_event *reason_of(const struct st_listen_view *view,
                                                const struct st_loss *loss)
{
    const uint64_t near = (uint64_t)view->rate_hz * NEAR_MS / 1000;
    ST_EACH_OF (event, view->live->events, view->live->events_kept_n) {
        const bool is_reason = event->kind == ST_CAPTURE_XRUN || event->kind == ST_CAPTURE_PLAYER ||
                               event->kind == ST_CAPTURE_RECORDER || event->kind == ST_CAPTURE_FULL;
        if (is_reason && event->at_frame + event->frames + near >= loss->at_frame &&
            event->at_frame <= loss->at_frame + loss->frames + near)
            return event;
    }
    return NULL;
}

struct choice {
    bool is;
    const char *text;
};

/* @return the text of the first choice that is true. */
static const char *first_of(const struct choice *choice)
{
    while (!choice->is)
        choice++;
    return choice->text;
}

static int64_t ns_of(const struct st_listen_view *view, double frames)
{
    return llround(frames / view->rate_hz * ST_NS_PER_S);
}

/* @return the beginning of a loss, in ns of CLOCK_REALTIME. */
static int64_t loss_ns(const struct st_listen_view *view, const struct st_loss *loss)
{
    return view->live->begin_ns + view->wall_ns + ns_of(view, (double)loss->at_frame);
}

/* Finds what sleeptuned recorded at the time of a loss: a dropout, or else a late wake-up. A
 * dropout whose end is not known has the time of its report, which is up to a second later. @return
 * NULL: nothing. */
static const json_t *record_of(const struct st_listen_view *view, const struct st_loss *loss)
{
    const json_t *record, *late = NULL;
    size_t i;
    const int64_t from_ns = loss_ns(view, loss);
    const int64_t to_ns = from_ns + ns_of(view, (double)loss->frames);
    json_array_foreach(view->records, i, record)
    {
        const enum st_event_kind kind = st_event_kind_of(st_json_text_of(record, "event"));
        const int64_t at_ns = st_json_integer(record, "time_ns");
        const int64_t begin_ns = at_ns - st_json_integer(record, "span_ns");
        if (at_ns < from_ns - NEAR_NS)
            continue;
        if ((kind == ST_EVENT_CLIENT_DROPOUT || kind == ST_EVENT_DEVICE_DROPOUT) &&
            begin_ns <= to_ns + RECORD_NS)
            return record;
        if (kind == ST_EVENT_LATE_WAKE && begin_ns <= to_ns + NEAR_NS &&
            /* a longer record sums up several wake-ups, which may have been at another time */
            at_ns - begin_ns <= NEAR_NS)
            late = record;
    }
    return late;
}

/* --- the screen --- */

int st_listen_text_status(const struct st_listen_view *view)
{
    const bool lost = view->result->losses_n > 0;
    if (!st_hearing_valid(view->result) || (!lost && view->live->has_ended))
        return ST_EXIT_BOOKS;
    return lost ? ST_EXIT_FINDINGS : ST_EXIT_DONE;
}

/* The first line of the screen: what was lost, in which time, on which path, and the upper limit of
 * losses per hour. */
static const char *answer_of(const struct st_listen_view *view)
{
    const struct st_hearing_result *result = view->result;
    const size_t n = result->losses_n;
    const char *losses = n == 1 ? "1 loss" : st_text("%zu losses", n);
    const bool *remarks = result->remarks;
    const struct st_listen_live *live = view->live;
    const char *title = live->way != NULL ? live->way->title : "of the recording";
    const struct choice not_heard[] = {
        {remarks[ST_REMARK_SILENT], "the recording is silent"},
        {remarks[ST_REMARK_MONO], "the way from playing to recording is mono"},
        {live->events_n[ST_CAPTURE_MIXED] > 0, "other programs play over the test signal"},
        {true, "the test signal was not heard"}};
    const struct choice invalid[] = {
        {remarks[ST_REMARK_CLOCKS], "the clocks of the two cards differ by more than 0.1 %"},
        {remarks[ST_REMARK_SHORT],
         "the recording is too short for all glitches that the test signal has on purpose"},
        {result->forced_found_n < result->forced_n,
         st_text("only %u of the %u glitches that the test signal has on purpose were found",
                 result->forced_found_n, result->forced_n)},
        {true, "the test signal was lost for more than a second"}};
    const char *bound = st_miss_events_rate_text(result->per_hour_max95);
    const char *heard = st_ns_long(llround(result->heard_s * ST_NS_PER_S));
    const char *none = "Nothing was lost";
    const uint32_t least_us = st_hearing_classes[result->path_class].least_us;
    if (least_us > 0)
        none = st_text("No loss of %u ms or longer", least_us / 1000);
    if (result->path_class == ST_PATH_NONE)
        return st_text("! Invalid: %s, so sleeptune could not look for losses.",
                       first_of(not_heard));
    if (result->forced_n == 0 && !remarks[ST_REMARK_SHORT])
        return "! Invalid: the recording has none of the glitches that the test signal has on "
               "purpose, so losses may have been missed.";
    if (!st_hearing_valid(result))
        return st_text("! Invalid: %s, so losses may have been missed. Found in %s %s: %s.",
                       first_of(invalid), heard, title, losses);
    if (live->has_ended)
        return st_text("! Ended after %s, because the sound device or the sound server went away: "
                       "%s until then.",
                       heard, losses);
    if (n == 0)
        return st_text("✔ %s in %s %s, so at most %s an hour (95 %% sure).", none, heard, title,
                       bound);
    /* lost_frames has only the losses that are kept */
    const char *these =
        result->kept_n == n ? "in all" : st_text("in the first %zu", result->kept_n);
    return st_text("✘ %s, %s %s, in %s %s: at most %s per hour (95 %%).", losses,
                   st_ns_short(ns_of(view, (double)result->lost_frames)), these, heard, title,
                   bound);
}

/* @return what was lost, and why. @param list gets the loss as JSON; NULL: not needed. */
static const char *loss_text(const struct st_listen_view *view, const struct st_loss *loss,
                             json_t *list)
{
    const struct st_capture_event *event = reason_of(view, loss);
    const json_t *record = record_of(view, loss);
    const bool unread = view->records == NULL || loss_ns(view, loss) < view->records_from_ns;
    const char *reported = event != NULL ? st_capture_stream_event_say(event->kind) : NULL;
    const struct choice saw[] = {
        {record != NULL, st_text("; sleeptuned saw: %s", st_json_safe_text(record, "text"))},
        {view->live->way == NULL || event != NULL, ""},
        {unread, "; no cause known: sleeptuned has no record of that moment"},
        {true, "; no cause known: sleeptuned recorded nothing then"}};
    json_array_append_new(
        list, st_json_object("at_frame:i within_frames:i frames:i kind:t reason:t record:e",
                             loss->at_frame, loss->within_frames, loss->frames,
                             st_signal_loss_name(loss->kind),
                             event != NULL ? st_capture_stream_event_name(event->kind) : NULL,
                             st_json_text_of(record, "text")));
    return st_text("at %.3f s: %s %s%s%s", (double)loss->at_frame / view->rate_hz,
                   st_ns_short(ns_of(view, (double)loss->frames)), st_signal_loss_text(loss->kind),
                   st_text_with("; ", reported), first_of(saw));
}

static void say_path(const struct st_listen_view *view, const struct st_text_sheet *sheet)
{
    const struct st_hearing_result *result = view->result;
    if (result->path_class == ST_PATH_NONE)
        return;
    st_text_row(sheet, "Path", "%s", st_hearing_classes[result->path_class].text);
    if (st_hearing_valid(result))
        st_text_row(sheet, "Test", "all %u glitches that the test signal has on purpose were found",
                    result->forced_n);
    if (view->latency_known)
        st_text_row(sheet, "Latency", "%s (%jd frames)",
                    st_ns_short(ns_of(view, (double)view->latency_frames)), view->latency_frames);
    if (fabs(view->rate_ppm) > 1000)
        st_text_row(sheet, "Rate",
                    "%.0f Hz instead of %u Hz: the clock of the card that records is wrong",
                    view->rate_hz * (1 + view->rate_ppm * 1e-6), view->rate_hz);
    if (fabs(result->drift_ppm) >= 1)
        st_text_row(sheet, "Clocks",
                    "two clocks: the card that records is %.0f ppm %s than the one that plays",
                    fabs(result->drift_ppm), result->drift_ppm > 0 ? "slower" : "faster");
}

/* Says the remarks and the counted events: as rows of a screen, or by their names as JSON. @param
 * sheet NULL: JSON. */
static void say_remarks(const struct st_listen_view *view, const struct st_text_sheet *sheet,
                        json_t *list, json_t *counts)
{
    for (int i = 0; i < ST_REMARKS_N; i++) {
        if (!view->result->remarks[i])
            continue;
        json_array_append_new(list, json_string(st_hearing_remarks[i].name));
        if (sheet != NULL)
            st_text_row(sheet, "Note", "%s", st_hearing_remarks[i].text);
    }
    for (enum st_capture_event_kind kind = 0; kind < ST_CAPTURE_EVENT_KINDS; kind++) {
        const uint64_t n = view->live->events_n[kind];
        const char *text = st_capture_stream_event_say(kind), *names = "";
        if (n == 0)
            continue;
        (void)json_object_set_new(counts, st_capture_stream_event_name(kind),
                                  json_integer((json_int_t)n));
        if (n > 1)
            text = st_text("%s (%ju times)", text, n);
        ST_EACH_OF (event, view->live->events, view->live->events_kept_n) {
            if (event->kind == kind &&
                strstr(st_text(", %s,", names), st_text(", %s,", event->text)) == NULL)
                names = st_text_joined(names, ", ", event->text);
        }
        if (sheet != NULL)
            st_text_row(sheet, "Reported", "%s", st_text_joined(text, ": ", names));
    }
}

/* @return the faults that cannot be heard. Samples of a file have no times, so a gap in its
 * recording cannot be heard. @param names get their names; NULL: not needed. */
static const char *deaf_text(const struct st_listen_view *view, json_t *names)
{
    const struct st_capture_head *head = &view->live->head;
    const struct st_way *way = view->live->way;
    unsigned deaf = 1U << ST_WAY_CANNOT_GAPS;
    const char *text = "";
    /* only a name with a colon or a slash is a device: "default" and "pipewire" are plug-ins of
     * ALSA that lead to a sound server */
    if (way != NULL)
        deaf = way->cannot_hear | (strpbrk(head->plays, ":/") != NULL ? way->direct : 0) |
               (head->more_channels > 0 ? 1U << ST_WAY_CANNOT_CHANNELS : 0);
    for (int i = 0; i < ST_WAY_FAULTS_N; i++) {
        if ((deaf & 1U << i) == 0)
            continue;
        text = st_text_joined(text, "; ", st_way_faults[i].text);
        json_array_append_new(names, json_string(st_way_faults[i].name));
    }
    return st_text_or(text, "nothing: this way to record hears each kind of loss");
}

/* The command that listens on the same path again, without a time limit: "sleeptune listen --back
 * cable". */
static const char *command_of(const struct st_listen_wish *wish)
{
    const char *text = "sleeptune listen";
    const char *const options[][2] = {{"--back", wish->back}, {"--play", wish->plays}};
    char word[512];
    ST_EACH (option, options) {
        if ((*option)[1] != NULL && st_safe_shell_word((*option)[1], word, sizeof(word)) != NULL)
            text = st_text("%s %s %s", text, (*option)[0], word);
    }
    if (wish->frames > 0)
        text = st_text("%s -f %u", text, wish->frames);
    return text;
}

static void say_next(const struct st_listen_view *view, const struct st_text_sheet *sheet)
{
    const struct st_hearing_result *result = view->result;
    const struct st_listen_live *live = view->live;
    const bool valid = st_hearing_valid(result);
    const char *again = command_of(&view->wish);
    const char *next = first_of((const struct choice[]){
        {result->remarks[ST_REMARK_CLOCKS], ST_DROPOUT_REASON_ONE_CLOCK},
        {result->remarks[ST_REMARK_SILENT],
         "unmute and turn up both devices in the mixer, then try again"},
        {!valid && live->way == NULL, "sleeptune listen --signal FILE; then play that file on the "
                                      "system to test, and record its sound from the beginning"},
        {live->has_ended,
         st_text("connect the device or start the sound server again, then %s", again)},
        {result->remarks[ST_REMARK_SHORT], st_text("%s, and let it run for 10 s or longer", again)},
        {!valid && live->events_n[ST_CAPTURE_MIXED] > 0,
         st_text("stop the other programs that play, then run: %s", again)},
        {!valid, "sleeptune listen --help, for another way to record it (--back)"},
        {result->losses_n > 0,
         "sleeptune check, on the computer that played, to find what was late"},
        {result->heard_s >= SURE_S, NULL},
        {live->way != NULL,
         st_text("%s -d 3h: only so long a test can show less than 1 loss an hour", again)},
        {true, "record for 3 h: only then can less than 1 loss an hour be shown"}});
    if (next != NULL)
        st_text_row(sheet, "Next", "%s", next);
}

void st_listen_text_screen(const struct st_listen_view *view, FILE *out, int width)
{
    const struct st_text_sheet sheet = {out, LABEL, width};
    const struct st_hearing_result *result = view->result;
    st_text_wrap(out, answer_of(view), 2, width);
    fputc('\n', out);
    ST_EACH_OF (loss, result->losses, ST_MIN(result->kept_n, ROWS))
        st_text_row(&sheet, loss == result->losses ? "Losses" : "", "%s",
                    loss_text(view, loss, NULL));
    if (result->losses_n > ROWS)
        st_text_row(&sheet, "", "and %zu more: add --json", result->losses_n - ROWS);
    say_path(view, &sheet);
    say_remarks(view, &sheet, NULL, NULL);
    st_text_row(&sheet, "Cannot hear", "%s", deaf_text(view, NULL));
    say_next(view, &sheet);
}

/* --- JSON --- */

json_t *st_listen_text_json(const struct st_listen_view *view)
{
    const struct st_hearing_result *result = view->result;
    const struct st_capture_head *head = &view->live->head;
    json_t *losses = json_array(), *deaf = json_array(), *remarks = json_array(),
           *counts = json_object();
    ST_EACH_OF (loss, result->losses, result->kept_n)
        loss_text(view, loss, losses);
    deaf_text(view, deaf);
    say_remarks(view, NULL, remarks, counts);
    return st_json_object(
        "schema:t back:e server:e kernel:e plays:e records:e rate_hz:u channels:u period_frames:p "
        "valid:b path_class:t heard_s:d losses_n:i losses:o per_hour_max95:d forced_glitches:u "
        "forced_glitches_found:b cannot_hear:o latency_frames:o gain_db:d noise_db:d drift_ppm:d "
        "rate_ppm:d remarks:o events:o",
        "sleeptune-listen/1", head->way, head->server, view->kernel, head->plays, head->records,
        view->rate_hz, view->channels, (int64_t)head->period_frames, st_hearing_valid(result),
        st_hearing_classes[result->path_class].name, result->heard_s, (int64_t)result->losses_n,
        losses, result->per_hour_max95, result->forced_n,
        result->forced_n > 0 && result->forced_found_n == result->forced_n, deaf,
        st_json_integer_or_null(view->latency_known, view->latency_frames), result->gain_db,
        result->noise_db, result->drift_ppm, view->rate_ppm, remarks, counts);
}
