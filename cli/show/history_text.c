/* Prints the JSON documents of the history as text. */
#include "cli/show/history_text.h"

#include "cli/show/daemon_client.h"
#include "cli/show/status_screen.h"
#include "core/ns.h"
#include "core/text/json.h"
#include "core/when.h"
#include "story/change_story.h"
#include "story/event_story.h"
#include "xruns/xrun.h"

#define LABEL_COLUMNS 15
#define WIDTH_MIN     40
#define EVENT_INDENT  4
#define EVENT_SLACK   12 /* columns of the lines that stay empty: lines break between words */
#define CAUSE_LABELS  11
#define CHANGES_SHOWN 5
#define WHEN_COLUMNS  18 /* width of the date of a change */
/* an interval that ended at most this time ago is called "the last ..." */
#define LATEST_NS      (120 * ST_NS_PER_S)
#define FIGURE_COLUMNS 42 /* width of the four figures before the cause */
/* a cause for which fewer columns are left is printed below its figures */
#define CAUSE_MIN 24

/* "2026-11-20 15:04" */
static const char *minute_of(const json_t *object, const char *key)
{
    return st_text("%.16s", st_when_text(st_json_integer(object, key)));
}

static const char *span_text(const json_t *document)
{
    return st_text("from %s to %s", minute_of(document, "since_ns"),
                   minute_of(document, "until_ns"));
}

static const char *title_of(const json_t *source)
{
    return st_xrun_sources_title(st_json_safe_text(source, "source"));
}

/* "In the last hour: HeavyReverb ..." */
static const char *sentence_of(const json_t *dropouts, const char *when)
{
    return st_text("%c%s: %s", when[0] - 'a' + 'A', when + 1, st_json_safe_text(dropouts, "text"));
}

/* --- sums --- */

struct sums {
    int64_t measured_ns, periods, misses;
    int64_t dropouts; /* of other programs */
    int64_t max_ns;   /* the greatest lateness; INT64_MIN: not known */
};

static struct sums sum_up(const json_t *document)
{
    struct sums sums = {.dropouts = st_json_integer(json_object_get(document, "dropouts"), "count"),
                        .max_ns = INT64_MIN};
    ST_JSON_EACH (row, document, "rows") {
        sums.measured_ns += st_json_integer(row, "measured_ns");
        sums.periods += st_json_integer(row, "cycles") + st_json_integer(row, "skipped_periods");
        sums.misses += st_json_integer(row, "misses");
        sums.max_ns = ST_MAX(sums.max_ns, st_json_known_of(row, "lateness_max_ns"));
    }
    return sums;
}

static int64_t span_of(const json_t *document)
{
    return st_ns_sub(st_json_integer(document, "until_ns"), st_json_integer(document, "since_ns"));
}

/* "in the last 24 h", "from 2026-11-20 14:00 to 2026-11-20 16:00". The first row may begin before
 * the requested time, so hours are rounded down. */
static const char *say_when(const json_t *document, int64_t now_wall_ns)
{
    const int64_t until_ns = st_json_integer(document, "until_ns"), span_ns = span_of(document);
    if (until_ns < now_wall_ns - LATEST_NS || until_ns > now_wall_ns + LATEST_NS)
        return span_text(document);
    if (span_ns >= 10 * ST_NS_PER_HOUR && span_ns < 2 * ST_NS_PER_DAY)
        return st_text("in the last %jd h", span_ns / ST_NS_PER_HOUR);
    return st_text("in the last %s", st_ns_long(span_ns));
}

/* The source that the answer is about: whose clients had the dropouts, else on which programs
 * played longest, else which was watched longest. NULL: none was watched. */
static const json_t *watched_source(const json_t *document)
{
    const json_t *most =
        json_array_get(json_object_get(json_object_get(document, "dropouts"), "sources"), 0);
    const char *worst = st_json_safe_text(most, "source");
    const json_t *ret = NULL;
    ST_JSON_EACH (one, document, "watched") {
        if (st_json_integer(one, "watched_ns") <= 0)
            continue;
        if (st_text_is(st_json_safe_text(one, "source"), worst))
            return one;
        if (ret == NULL || st_json_integer(one, "playing_ns") > st_json_integer(ret, "playing_ns"))
            ret = one;
    }
    return ret;
}

bool st_history_text_measured(const json_t *document)
{
    const struct sums sums = sum_up(document);
    return sums.measured_ns > 0 || sums.dropouts > 0 ||
           st_json_integer(watched_source(document), "playing_ns") > 0;
}

/* The answer: who made dropouts, or that there was none, or why that is unknown. */
static const char *answer_of(const json_t *document, const struct sums *sums, int64_t now_wall_ns)
{
    const json_t *watched = watched_source(document);
    const int64_t watched_ns = st_json_integer(watched, "watched_ns");
    bool none_played = true;
    ST_JSON_EACH (one, document, "watched")
        none_played = none_played && (st_json_integer(one, "watched_ns") <= 0 ||
                                      st_json_known_of(one, "playing_ns") == 0);
    const char *when = say_when(document, now_wall_ns);
    if (watched != NULL && watched_ns < span_of(document) / 10 * 9)
        when = st_text("while sleeptuned watched %s (for %s)", title_of(watched),
                       st_ns_long(watched_ns));
    if (sums->dropouts > 0)
        return sentence_of(json_object_get(document, "dropouts"), when);
    if (watched != NULL)
        return st_text("%s %s.", none_played ? "Nothing played" : "No dropout", when);
    return st_text("sleeptuned watched no sound server %s: dropouts of other programs are unknown.",
                   when);
}

static void put_watched(const struct st_text_sheet *sheet, const json_t *document)
{
    ST_JSON_EACH (one, document, "watched") {
        const int64_t frames = st_json_integer(one, "frames"),
                      rate_hz = st_json_integer(one, "rate_hz"),
                      playing_ns = st_json_known_of(one, "playing_ns");
        const char *played = "", *last = "";
        if (playing_ns != INT64_MIN)
            played = st_text(", programs played for %s", st_ns_long(playing_ns));
        if (frames > 0 && frames < INT32_MAX && rate_hz > 0)
            last = st_text(", last at %jd frames at %g kHz (%s)", frames, (double)rate_hz / 1000,
                           st_ns_short(frames * ST_NS_PER_S / rate_hz));
        st_text_row(sheet, title_of(one), "watched for %s%s%s",
                    st_ns_long(st_json_integer(one, "watched_ns")), played, last);
    }
}

/* "missed 3 of 32400000 periods at 128 frames; worst wake-up 4.037 ms late" */
static void put_timing(const struct st_text_sheet *sheet, const json_t *document,
                       const struct sums *sums)
{
    const json_t *conditions = json_object_get(document, "conditions");
    const int64_t frames = st_json_integer(json_array_get(conditions, 0), "frames");
    const char *size = "", *worst = "";
    if (json_array_size(conditions) == 1 && frames > 0)
        size = st_text(" at %jd frames", frames);
    if (sums->max_ns != INT64_MIN)
        worst = st_text("; worst wake-up %s late", st_ns_text(sums->max_ns));
    st_text_row(sheet, "This computer", "missed %jd of %jd periods%s%s", sums->misses,
                sums->periods, size, worst);
}

/* --- rows --- */

/* "12"; "-": not known */
static const char *count_of(const json_t *row, const char *key)
{
    const int64_t n = st_json_known_of(row, key);
    return n != INT64_MIN ? st_text("%jd", n) : "-";
}

/* Adds a row to the table. Leaves out a short time in which nothing is known. */
static void add_row(json_t *rows, const json_t *row)
{
    const int64_t span_ns =
                      st_ns_sub(st_json_integer(row, "to_ns"), st_json_integer(row, "from_ns")),
                  max_ns = st_json_known_of(row, "lateness_max_ns");
    const bool measured = !json_is_null(json_object_get(row, "cycles"));
    const char *ran = "-", *worst = "-";
    if (measured && span_ns > 0)
        ran = st_text("%.0f%%", floor(100 * (1e-4 + (double)st_json_integer(row, "measured_ns") /
                                                        (double)span_ns)));
    if (!measured) /* sleeptuned may stop its measuring loop while nothing plays */
        worst = span_ns > 0 && st_json_integer(row, "idle_ns") >= span_ns / 10 * 9
                    ? "nothing played"
                    : "not measured";
    if (max_ns != INT64_MIN)
        worst = st_ns_text(max_ns);
    if (measured || span_ns >= ST_NS_PER_MINUTE || st_json_integer(row, "dropouts") > 0)
        json_array_append_new(
            rows, st_json_object("cells:o", json_pack("[s, s, s, s, s]", minute_of(row, "from_ns"),
                                                      ran, count_of(row, "dropouts"),
                                                      count_of(row, "misses"), worst)));
}

void st_history_text_steps(FILE *out, const json_t *document,
                           const struct st_history_text_look *look)
{
    const struct sums sums = sum_up(document);
    const int columns = ST_MAX(look->columns, WIDTH_MIN);
    const struct st_text_sheet sheet = {out, LABEL_COLUMNS, columns};
    const bool measured = sums.measured_ns > 0;
    if (!measured && sums.dropouts == 0 && watched_source(document) == NULL) {
        st_text_wrap(out, st_text("sleeptuned measured no whole minute %s.", span_text(document)),
                     0, columns);
        return;
    }
    st_text_wrap(out, answer_of(document, &sums, look->now_wall_ns), 0, look->columns);
    fputc('\n', out);
    put_watched(&sheet, document);
    if (measured)
        put_timing(&sheet, document, &sums);
    bool worse;
    const char *changed =
        st_change_story_text(json_object_get(document, "changes"), look->now_wall_ns, &worse);
    if (changed[0] != '\0')
        st_text_row(&sheet, "Changed", "%s", changed);
    const char *next = NULL;
    if (worse)
        next = "sleeptune history --changes";
    else if (sums.dropouts > 0)
        next = "sleeptune status --watch";
    else if (watched_source(document) == NULL)
        next = "sleeptune status --details";
    else if (sums.misses > 0)
        next = "sleeptune history --causes";
    if (next != NULL)
        st_text_row(&sheet, "Next", "%s", st_daemon_client_again(next, look->socket, look->db));
    if (sums.dropouts > 0)
        fputc('\n', out);
    st_status_screen_table(out, json_object_get(json_object_get(document, "dropouts"), "table"),
                           look->details, columns);
    if (!measured)
        return;
    json_t *rows = json_array();
    ST_JSON_EACH (row, document, "rows")
        add_row(rows, row);
    json_t *table = st_json_object(
        "columns:o rows:o",
        json_pack("[s, s, s, s, s]", "From", "Ran", "Dropouts", "Missed", "Worst wake-up"), rows);
    fputc('\n', out);
    st_status_screen_table(out, table, true, columns);
    json_decref(table);
}

/* --- changes --- */

/* "2026-11-24 08:10  the kernel became 6.12.48 (6.12.41 before)" */
static void put_change(FILE *out, const json_t *change, bool details, int columns)
{
    const char *when = minute_of(change, "at_ns");
    ST_JSON_EACH (what, change, "what") {
        const char *before = st_json_safe_text(what, "before"), *line = st_change_story_what(what);
        const size_t more_n = details ? 0 : st_change_story_more_n(json_object_get(change, "what"));
        if (!st_text_is(st_json_text_of(what, "kind"), "file") && before[0] != '\0')
            line = st_text("%s (%s before)", line, before);
        if (more_n > 0)
            line = st_text("%s, and %zu more", line, more_n);
        st_text_field(out, when, line, WHEN_COLUMNS, columns);
        if (!details)
            return;
        when = "";
    }
}

void st_history_text_changes(FILE *out, const json_t *document,
                             const struct st_history_text_look *look)
{
    const json_t *changes = json_object_get(document, "changes");
    const size_t n = json_array_size(changes);
    const int columns = ST_MAX(look->columns, WIDTH_MIN);
    bool worse;
    const char *text = st_change_story_text(changes, look->now_wall_ns, &worse);
    if (text[0] != '\0')
        text = st_text("%s A new project or program may be the reason, too.", text);
    else if (n == 0)
        text = "Since this history began, no version, file or setting of the system has changed. "
               "For buffer sizes see: sleeptune status --details";
    else
        text = "No change made dropouts clearly more or less frequent (small differences may be "
               "chance). Whether a change matters shows only after 3 days of music.";
    st_text_wrap(out, text, 0, columns);
    if (n > 0)
        fputc('\n', out);
    for (size_t i = n; i-- > 0 && (look->details || n - i <= CHANGES_SHOWN);)
        put_change(out, json_array_get(changes, i), look->details, columns);
    if (n > 0 && !look->details)
        st_text_field(
            out, "All changes",
            st_daemon_client_again("sleeptune history --changes --details", look->socket, look->db),
            WHEN_COLUMNS, columns);
}

/* --- events --- */

/* Prints an event on about three lines, or completely if wanted. */
static void put_event(FILE *out, const json_t *event, const struct st_history_text_look *look)
{
    const int64_t id = st_json_integer(event, "id");
    const int room = 3 * look->columns - EVENT_INDENT - EVENT_SLACK;
    const char *when = st_when_text_near(st_json_integer(event, "time_ns"), look->now_wall_ns);
    const char *kind = st_json_safe_text(event, "event"), *text = st_json_safe_text(event, "text");
    if (!st_event_kind_is_dropout(st_event_kind_of(kind)))
        text = st_text("%s: %s", kind, text);
    if (look->details && id > 0) /* the number that --trace takes */
        when = st_text("%s  #%jd", when, id);
    char *line = st_text("%s  %s", when, text);
    if (!look->details && st_text_columns(line) > room) {
        *strrchr(st_text_clip(line, room), ' ') = '\0';
        line = st_text("%s …", line);
    }
    st_text_wrap(out, line, EVENT_INDENT, look->columns);
}

void st_history_text_events(FILE *out, const json_t *document,
                            const struct st_history_text_look *look)
{
    const size_t n = json_array_size(json_object_get(document, "events"));
    size_t late_n = 0;
    if (json_is_true(json_object_get(document, "more")))
        fprintf(out, "(only the last %zu events; for older events use --limit or --since)\n", n);
    if (n == 0)
        fputs("no such events in that time\n", out);
    ST_JSON_EACH (event, document, "events") {
        const bool late = !look->late && st_text_is(st_json_text_of(event, "event"), "late-wake");
        late_n += late;
        if (!late)
            put_event(out, event, look);
    }
    if (n > 0 && !look->details)
        fputs("(numbers of events, and text that is cut at …: add --details)\n", out);
    if (late_n > 0)
        fprintf(out, "(%zu late wake-up%s of the timing test are not shown: add --details)\n",
                late_n, ST_PLURAL(late_n));
}

/* --- causes: the sentence, then a row for each cause and culprit --- */

static void show_row(FILE *out, const json_t *row, int columns)
{
    const json_t *explained = json_object_get(row, "explained");
    const char *total = st_ns_text(st_json_integer(row, "total_ns")),
               *worst = st_ns_text(st_json_integer(row, "worst_ns")), *share = "-";
    if (json_is_number(explained))
        share = st_text("%.0f %%", 100 * json_number_value(explained));
    const char *figures =
        st_text("%7jd%*s%s%*s%s%11s", st_json_integer(row, "count"), 11 - st_text_columns(total),
                "", total, 11 - st_text_columns(worst), "", worst, share);
    const char *why =
        st_text_joined(st_json_safe_text(row, "text"), ": ", st_json_safe_text(row, "culprit"));
    if (columns >= FIGURE_COLUMNS + CAUSE_MIN) {
        st_text_field(out, figures, why, FIGURE_COLUMNS, columns);
        return;
    }
    fprintf(out, "%s\n", figures);
    st_text_field(out, "", why, EVENT_INDENT, columns);
}

void st_history_text_causes(FILE *out, const json_t *document,
                            const struct st_history_text_look *look)
{
    const int columns = look->columns;
    const struct st_text_sheet sheet = {out, CAUSE_LABELS, columns};
    const char *unnamed = st_json_safe_text(document, "tracer");
    const bool names_itself = strstr(unnamed, ". Run") != NULL;
    const bool any = json_array_size(json_object_get(document, "rows")) > 0;
    const json_t *dropouts = json_object_get(document, "dropouts");
    if (st_json_integer(dropouts, "count") > 0) {
        const char *since = "in this history";
        if (st_json_known_of(document, "asked_from_ns") != INT64_MIN)
            since = st_text("since %s", minute_of(document, "asked_from_ns"));
        st_text_wrap(out, sentence_of(dropouts, since), 0, columns);
        fputc('\n', out);
        st_status_screen_table(out, json_object_get(dropouts, "table"), true, columns);
        fputc('\n', out);
    }
    st_text_wrap(out, st_json_safe_text(document, "verdict"), 0, columns);
    if (any)
        fputs("\n  count      total      worst  explained  cause\n", out);
    ST_JSON_EACH (row, document, "rows")
        show_row(out, row, columns);
    fputc('\n', out);
    if (st_json_integer(document, "wakes") > 0)
        st_text_row(&sheet, "from", "%s to %s", st_when_text(st_json_integer(document, "from_ns")),
                    st_when_text(st_json_integer(document, "to_ns")));
    if (any)
        st_text_row(&sheet, "explained",
                    "for how much of the delay sleeptune measured a cause: waiting for a CPU, a "
                    "stopped thread, throttling, or how long the culprit had the CPU. A dash: not "
                    "measured");
    if (look->trace != NULL && unnamed[0] != '\0' && any)
        st_text_row(&sheet, "culprit", "which program delayed the timing test is unknown: %s.%s",
                    unnamed, names_itself ? "" : st_text_with(" To find out, ", look->trace));
}

/* --- marks --- */

/* A mark (a moment at which the user heard something) as text: "15:04:05 \"in the second
 * verse\" 1.2 s before it: Synth lost sound ..., and 2 more events in 2.5 s" */
static const char *mark_text(const json_t *mark, const struct st_history_text_look *look)
{
    const int64_t n = st_json_integer(mark, "events"), at_ns = st_json_integer(mark, "time_ns"),
                  before_ns = st_ns_sub(at_ns, st_json_integer(mark, "cause_time_ns"));
    const double window_s = st_ns_seconds(st_json_integer(mark, "window_ns"));
    const char *unheard = st_json_safe_text(mark, "unheard"),
               *text = st_json_safe_text(mark, "text"), *note = st_json_safe_text(mark, "note"),
               *line = st_when_text_near(at_ns, look->now_wall_ns);
    if (note[0] != '\0')
        line = st_text("%s  \"%s\"", line, note);
    if (text[0] == '\0')
        line = st_text("%s  In the %.3g s before the click: sleeptune noticed nothing", line,
                       window_s);
    else if (before_ns < 0)
        line = st_text("%s  From before the click until %s after it: %s", line,
                       st_ns_short(-before_ns), text);
    else
        line = st_text("%s  %.*f s before the click: %s", line, before_ns < 10 * ST_NS_PER_S,
                       st_ns_seconds(before_ns), text);
    if (n > 1)
        line =
            st_text("%s, and %jd more event%s in %.3g s", line, n - 1, ST_PLURAL(n - 1), window_s);
    if (unheard[0] == '\0')
        return line;
    return st_text("%s; sleeptune does not notice sound that %s sends too late", line, unheard);
}

void st_history_text_heard(FILE *out, const json_t *document,
                           const struct st_history_text_look *look)
{
    st_text_wrap(out, st_json_safe_text(document, "text"), 0, look->columns);
    if (json_array_size(json_object_get(document, "marks")) > 0)
        fputc('\n', out);
    ST_JSON_EACH (mark, document, "marks")
        st_text_wrap(out, mark_text(mark, look), EVENT_INDENT, look->columns);
}

void st_history_text_mark(FILE *out, const json_t *document,
                          const struct st_history_text_look *look)
{
    const json_t *marks = json_object_get(document, "marks");
    /* NULL if there is none */
    const json_t *mark = json_array_get(marks, json_array_size(marks) - 1);
    const char *text =
        st_text("sleeptuned has this mark in its memory. Dropouts before this click are "
                "unknown: %s.",
                st_json_safe_text(document, "text"));
    if (mark != NULL)
        text = st_text("Saved: %s. Some dropouts are noticed a few seconds later.",
                       mark_text(mark, look));
    st_text_wrap(out, text, 0, look->columns);
    if (mark == NULL)
        return;
    if (st_json_integer(mark, "events") > 1)
        fprintf(
            out, "All events: %s --since %s\n",
            st_daemon_client_again("sleeptune history --events", look->socket, look->db),
            st_text_swap(st_text("%s", st_when_text(st_ns_sub(st_json_integer(mark, "time_ns"),
                                                              st_json_integer(mark, "window_ns")))),
                         ' ', 'T'));
    fprintf(out, "Next: %s\n",
            st_daemon_client_again("sleeptune history --heard", look->socket, look->db));
}
