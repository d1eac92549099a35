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
#define SURE_S                                                                                     \
    10785 /* 3600 * -ln 0.05 s: no loss in this time means at most one loss an hour (95 %) */
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
    if (view->live == NULL)
        return NULL;
    ST_EACH_OF (event, view->live->events, view->live->events_kept_n) {
        const bool is_reason = event->kind == ST_CAPTURE_XRUN || event->kind == ST_CAPTURE_PLAYER ||
                               event->kind == ST_CAPTURE_RECORDER || event->kind == ST_CAPTURE_FULL;
        if (is_reason && event->at_frame + event->frames + near >= loss->at_frame &&
            event->at_frame <= loss->at_frame + loss->frames + near)
            return event;
    }
    return NULL;
}

/* @return the beginning of a loss, in ns of CLOCK_REALTIME. */
static int64_t loss_ns(const struct st_listen_view *view, const struct st_loss *loss)
{
    return view->live->begin_ns + view->wall_ns +
           (int64_t)((double)loss->at_frame * (double)ST_NS_PER_S / view->rate_hz);
}

/* Finds what sleeptuned recorded at the time of a loss: a dropout, or else a late wake-up. A
 * dropout whose end is not known has the time of its report, which is up to a second later. @return
 * NULL: nothing. */
static const json_t *record_of(const struct st_listen_view *view, const struct st_loss *loss)
{
    const json_t *record, *late = NULL;
    size_t i;
    if (view->live == NULL || view->rate_hz == 0)
        return NULL;
    const int64_t from_ns = loss_ns(view, loss);
    const int64_t to_ns =
        from_ns + (int64_t)((double)loss->frames * (double)ST_NS_PER_S / view->rate_hz);
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

/* @return the faults that cannot be heard, a bit for each. Samples of a file have no times, so a
 * gap in its recording cannot be heard. */
static unsigned cannot_hear(const struct st_listen_view *view)
{
    if (view->live == NULL || view->live->way == NULL)
        return view->live == NULL ? 1U << ST_WAY_CANNOT_GAPS : 0;
    const struct st_capture_head *head = &view->live->head;
    const struct st_way *way = view->live->way;
    /* only a name with a colon or a slash is a device: "default" and "pipewire" are plug-ins of
     * ALSA that lead to a sound server */
    return way->cannot_hear | (strpbrk(head->plays, ":/") != NULL ? way->direct : 0) |
           (head->more_channels > 0 ? 1U << ST_WAY_CANNOT_CHANNELS : 0);
}

static bool is_known(double value)
{
    return !isnan(value);
}

/* --- the screen --- */

static const char *time_of(const struct st_listen_view *view, double frames)
{
    return st_ns_short(llround(frames / view->rate_hz * ST_NS_PER_S));
}

static const char *title(const struct st_listen_view *view)
{
    if (view->live == NULL || view->live->way == NULL)
        return "of the recording";
    return view->live->way->title;
}

static bool is_gone(const struct st_listen_view *view)
{
    return view->live != NULL && view->live->has_ended;
}

int st_listen_text_status(const struct st_listen_view *view)
{
    if (st_hearing_valid(view->result) && view->result->losses_n > 0)
        return ST_EXIT_FINDINGS;
    return st_hearing_valid(view->result) && !is_gone(view) ? ST_EXIT_DONE : ST_EXIT_BOOKS;
}

static const char *why_not_heard(const struct st_listen_view *view)
{
    const bool *remarks = view->result->remarks;
    if (remarks[ST_REMARK_SILENT])
        return "the recording is silent";
    if (remarks[ST_REMARK_MONO])
        return "the path is mono";
    if (view->live != NULL && view->live->events_n[ST_CAPTURE_MIXED] > 0)
        return "other programs play over the test signal";
    return "the test signal was not heard";
}

/* @return why the result is invalid, although the signal was heard. */
static const char *why_invalid(const struct st_listen_view *view)
{
    const struct st_hearing_result *result = view->result;
    if (result->remarks[ST_REMARK_CLOCKS])
        return "the two clocks are more than 0.1 % apart";
    if (result->remarks[ST_REMARK_SHORT])
        return "the recording is too short for all deliberate glitches";
    if (result->forced_found_n < result->forced_n)
        return st_text("only %u of the %u deliberate glitches were found", result->forced_found_n,
                       result->forced_n);
    return "the signal was lost for more than a second";
}

/* The first line of the screen: what was lost, in which time, on which path, and the upper limit of
 * losses per hour. */
static const char *answer_of(const struct st_listen_view *view)
{
    const struct st_hearing_result *result = view->result;
    const size_t n = result->losses_n;
    const char *losses = n == 1 ? "1 loss" : st_text("%zu losses", n);
    const bool valid = st_hearing_valid(result);
    const char *bound = st_miss_events_rate_text(result->per_hour_max95);
    const char *heard = st_ns_long(llround(result->heard_s * ST_NS_PER_S));
    if (result->path_class == ST_PATH_NONE)
        return st_text("! Invalid: %s, so sleeptune could not look for losses.",
                       why_not_heard(view));
    if (result->forced_n == 0 && !result->remarks[ST_REMARK_SHORT])
        return "! Invalid: no deliberate glitch tested the detection, so losses may have "
               "been missed.";
    if (!valid)
        return st_text("! Invalid: %s, so losses may have been missed. Found in %s %s: %s.",
                       why_invalid(view), heard, title(view), losses);
    if (is_gone(view))
        return st_text(
            "! Ended after %s, because the device or the sound server has gone: %s until then.",
            heard, losses);
    if (n == 0)
        return st_text("✔ Nothing was lost in %s %s: at most %s losses per hour (95 %%).", heard,
                       title(view), bound);
    return st_text("✘ %s, %s in all, in %s %s: at most %s per hour (95 %%).", losses,
                   time_of(view, (double)result->lost_frames), heard, title(view), bound);
}

static const char *loss_text(const struct st_listen_view *view, const struct st_loss *loss)
{
    const struct st_capture_event *event = reason_of(view, loss);
    const json_t *record = record_of(view, loss);
    const char *text =
        st_text("at %.3f s: %s %s", (double)loss->at_frame / view->rate_hz,
                time_of(view, (double)loss->frames), st_signal_loss_text(loss->kind));
    if (event != NULL)
        text = st_text("%s; %s", text, st_capture_stream_event_say(event->kind));
    if (record != NULL)
        return st_text("%s; sleeptuned saw: %s", text, st_json_safe_text(record, "text"));
    if (view->live == NULL || event != NULL)
        return text;
    if (view->records == NULL || loss_ns(view, loss) < view->records_from_ns)
        return st_text("%s; no cause known: sleeptuned has no record of that moment", text);
    return st_text("%s; no cause known: sleeptuned recorded nothing then", text);
}

static void say_losses(const struct st_listen_view *view, const struct st_text_sheet *sheet)
{
    const struct st_hearing_result *result = view->result;
    const size_t shown_n = ST_MIN(result->kept_n, ROWS);
    const char *label = "Losses";
    ST_EACH_OF (loss, result->losses, shown_n) {
        st_text_row(sheet, label, "%s", loss_text(view, loss));
        label = "";
    }
    if (result->losses_n > ROWS)
        st_text_row(sheet, "", "and %zu more: add --json", result->losses_n - ROWS);
}

static void say_path(const struct st_listen_view *view, const struct st_text_sheet *sheet)
{
    const struct st_hearing_result *result = view->result;
    if (result->path_class == ST_PATH_NONE)
        return;
    st_text_row(sheet, "Path", "%s: %s", st_hearing_classes[result->path_class].text,
                st_hearing_classes[result->path_class].promise);
    if (st_hearing_valid(result))
        st_text_row(sheet, "Test", "all %u deliberate glitches were found", result->forced_n);
    if (view->latency_known)
        st_text_row(sheet, "Latency", "%s (%jd frames)",
                    time_of(view, (double)view->latency_frames), view->latency_frames);
    if (is_known(view->rate_ppm) && fabs(view->rate_ppm) > 1000)
        st_text_row(sheet, "Rate",
                    "%.0f Hz instead of %u: the clock of the card that records is wrong",
                    view->rate_hz * (1 + view->rate_ppm * 1e-6), view->rate_hz);
    if (is_known(result->drift_ppm) && fabs(result->drift_ppm) >= 1)
        st_text_row(sheet, "Clocks",
                    "two: the one that records is %.0f ppm %s than the one that plays",
                    fabs(result->drift_ppm), result->drift_ppm > 0 ? "slower" : "faster");
}

static void say_remarks(const struct st_listen_view *view, const struct st_text_sheet *sheet)
{
    for (int i = 0; i < ST_REMARKS_N; i++) {
        if (view->result->remarks[i])
            st_text_row(sheet, "Note", "%s", st_hearing_remarks[i].text);
    }
    if (view->is_cut)
        st_text_row(sheet, "Note", "The file ends too early: sleeptune read what there is.");
    for (int kind = 0; view->live != NULL && kind < ST_CAPTURE_EVENT_KINDS; kind++) {
        const uint64_t n = view->live->events_n[kind];
        const char *text = st_capture_stream_event_say((enum st_capture_event_kind)kind),
                   *names = "";
        if (n == 0)
            continue;
        if (n > 1)
            text = st_text("%s (%ju times)", text, n);
        ST_EACH_OF (event, view->live->events, view->live->events_kept_n) {
            if ((int)event->kind == kind &&
                strstr(st_text(", %s,", names), st_text(", %s,", event->text)) == NULL)
                names = st_text_joined(names, ", ", event->text);
        }
        st_text_row(sheet, "Reported", "%s", st_text_joined(text, ": ", names));
    }
}

static void say_deaf(const struct st_listen_view *view, const struct st_text_sheet *sheet)
{
    const char *text = "";
    if (view->live != NULL && view->live->way == NULL)
        return;
    for (int i = 0; i < ST_WAY_FAULTS_N; i++) {
        if ((cannot_hear(view) & 1U << i) != 0)
            text = st_text_joined(text, "; ", st_way_faults[i].text);
    }
    st_text_row(sheet, "Cannot hear", "%s",
                st_text_or(text, "nothing: this way hears each kind of loss"));
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
    const char *again = command_of(&view->wish), *next;
    if (result->remarks[ST_REMARK_CLOCKS])
        next = ST_DROPOUT_REASON_ONE_CLOCK;
    else if (result->remarks[ST_REMARK_SILENT])
        next = "unmute and turn up both devices in the mixer, then try again";
    else if (!st_hearing_valid(result) && view->live == NULL)
        next = "sleeptune listen --signal FILE, play that file through the path, and record it "
               "from its beginning";
    else if (is_gone(view))
        next = st_text("connect the device or start the sound server again, then %s", again);
    else if (result->remarks[ST_REMARK_SHORT])
        next = st_text("%s, and let it run for 10 s or longer", again);
    else if (!st_hearing_valid(result) && view->live->events_n[ST_CAPTURE_MIXED] > 0)
        next = st_text("stop the other programs that play, then run: %s", again);
    else if (!st_hearing_valid(result))
        next = "sleeptune listen --help, for another way to record it (--back)";
    else if (result->losses_n > 0)
        next = "sleeptune check, on the computer that played, to find what was late";
    else if (result->heard_s >= SURE_S)
        return;
    else if (view->live != NULL)
        next = st_text("%s -d 3h, which can show less than 1 loss an hour", again);
    else
        next = "record for 3 h, which can show less than 1 loss an hour";
    st_text_row(sheet, "Next", "%s", next);
}

void st_listen_text_screen(const struct st_listen_view *view, FILE *out, int width)
{
    const struct st_text_sheet sheet = {out, LABEL, width};
    st_text_wrap(out, answer_of(view), 2, width);
    fputc('\n', out);
    say_losses(view, &sheet);
    say_path(view, &sheet);
    say_remarks(view, &sheet);
    say_deaf(view, &sheet);
    say_next(view, &sheet);
}

/* --- JSON --- */

static json_t *losses_json(const struct st_listen_view *view)
{
    json_t *list = json_array();
    ST_EACH_OF (loss, view->result->losses, view->result->kept_n) {
        const struct st_capture_event *event = reason_of(view, loss);
        json_array_append_new(
            list,
            json_pack("{s:I, s:I, s:I, s:s, s:o, s:o}", "at_frame", (json_int_t)loss->at_frame,
                      "within_frames", (json_int_t)loss->within_frames, "frames",
                      (json_int_t)loss->frames, "kind", st_signal_loss_name(loss->kind), "reason",
                      st_json_string_or_null(
                          event != NULL ? st_capture_stream_event_name(event->kind) : NULL),
                      "record",
                      st_json_text_or_null(st_json_text_of(record_of(view, loss), "text"))));
    }
    return list;
}

static json_t *deaf_json(const struct st_listen_view *view)
{
    json_t *list = json_array();
    for (int i = 0; i < ST_WAY_FAULTS_N; i++) {
        if ((cannot_hear(view) & 1U << i) != 0)
            json_array_append_new(list, json_string(st_way_faults[i].name));
    }
    return list;
}

static json_t *remarks_json(const struct st_listen_view *view)
{
    json_t *list = json_array();
    for (int i = 0; i < ST_REMARKS_N; i++) {
        if (view->result->remarks[i])
            json_array_append_new(list, json_string(st_hearing_remarks[i].name));
    }
    if (view->is_cut)
        json_array_append_new(list, json_string("cut"));
    return list;
}

static json_t *events_json(const struct st_listen_view *view)
{
    json_t *object = json_object();
    for (int kind = 0; view->live != NULL && kind < ST_CAPTURE_EVENT_KINDS; kind++) {
        if (view->live->events_n[kind] > 0)
            st_json_set(object, st_capture_stream_event_name((enum st_capture_event_kind)kind),
                        view->live->events_n[kind]);
    }
    return object;
}

static json_t *text_json(const struct st_listen_view *view, const char *text)
{
    return view->live != NULL ? st_json_text_or_null(text) : json_null();
}

json_t *st_listen_text_json(const struct st_listen_view *view)
{
    static const struct st_capture_head no_head = {.server = ""};
    const struct st_hearing_result *result = view->result;
    const struct st_capture_head *head = view->live != NULL ? &view->live->head : &no_head;
    json_t *document = json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:o}", "schema", "sleeptune-listen/1", "back",
        text_json(view, head->way), "server", text_json(view, head->server), "kernel",
        text_json(view, view->kernel), "plays", text_json(view, head->plays), "records",
        text_json(view, head->records), "rate_hz", (json_int_t)view->rate_hz, "channels",
        (json_int_t)view->channels, "period_frames", st_json_positive(head->period_frames));
    if (document == NULL)
        return NULL;
    st_json_set(document, "valid", st_hearing_valid(result));
    st_json_set(document, "path_class", st_hearing_classes[result->path_class].name);
    st_json_set(document, "heard_s", result->heard_s);
    st_json_set(document, "losses_n", result->losses_n);
    st_json_set(document, "losses", losses_json(view));
    st_json_set(document, "per_hour_max95", st_json_real_or_null(true, result->per_hour_max95));
    st_json_set(document, "forced_glitches", result->forced_n);
    st_json_set(document, "forced_glitches_found",
                json_boolean(result->forced_n > 0 && result->forced_found_n == result->forced_n));
    st_json_set(document, "cannot_hear", deaf_json(view));
    st_json_set(document, "latency_frames",
                st_json_integer_or_null(view->latency_known, view->latency_frames));
    st_json_set(document, "gain_db", st_json_real_or_null(true, result->gain_db));
    st_json_set(document, "noise_db", st_json_real_or_null(true, result->noise_db));
    st_json_set(document, "drift_ppm", st_json_real_or_null(true, result->drift_ppm));
    st_json_set(document, "rate_ppm", st_json_real_or_null(true, view->rate_ppm));
    st_json_set(document, "remarks", remarks_json(view));
    st_json_set(document, "events", events_json(view));
    return document;
}
