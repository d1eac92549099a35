/* Documents of the history as text. */
#include "cli/show/history_text.h"

#include "cli/show/daemon_client.h"
#include "cli/show/dropouts_text.h"
#include "core/base.h"
#include "core/cause_kind.h"
#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "core/when.h"
#include "evidence/miss_events.h"
#include "story/change_story.h"
#include "story/event_story.h"

#define LABEL_COLUMNS   15
#define WIDTH_MIN       40
#define EVENT_INDENT    4
#define NO_DATA_COLUMNS 48
#define CAUSE_LABELS    11
#define CHANGES_SHOWN   5
#define WHEN_COLUMNS    18                  /* of a change */
#define LATEST_NS       (120 * ST_NS_PER_S) /* a time that ends so near to now is "the last ..." */
#define HOUR_NS         (3600 * ST_NS_PER_S)
#define DAY_NS          (24 * HOUR_NS)
#define FIGURE_COLUMNS  42 /* of the four columns before the cause */
#define CAUSE_MIN       24 /* a cause that has less room stands below its figures */

/* "2026-11-20 15:04" */
static const char *minute_of(int64_t wall_ns)
{
    return st_text("%.16s", st_when_text(wall_ns));
}

/* --- sums --- */

struct sums {
    int64_t measured_ns, cycles, misses, miss_events, skipped, own;
    int64_t dropouts, device_dropouts;      /* of other programs, and how many of them a device had */
    int64_t max_ns, max_from_ns, max_to_ns; /* of the row with the greatest lateness */
};

static struct sums sum_up(const json_t *document)
{
    struct sums sums = {.max_ns = INT64_MIN};
    size_t i;
    const json_t *row;
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        const json_t *max = json_object_get(json_object_get(row, "lateness"), "max_ns");
        sums.measured_ns += st_json_integer(row, "measured_ns");
        sums.cycles += st_json_integer(row, "cycles");
        sums.misses += st_json_integer(row, "misses");
        sums.miss_events += st_json_integer(row, "miss_events");
        sums.skipped += st_json_integer(row, "skipped_periods");
        sums.own += st_json_integer(row, "own_dropouts");
        if (json_is_integer(max) && json_integer_value(max) > sums.max_ns) {
            sums.max_ns = json_integer_value(max);
            sums.max_from_ns = st_json_integer(row, "from_ns");
            sums.max_to_ns = st_json_integer(row, "to_ns");
        }
    }
    const json_t *dropouts = json_object_get(document, "dropouts"), *source;
    sums.dropouts = st_json_integer(dropouts, "count");
    json_array_foreach(json_object_get(dropouts, "sources"), i, source) sums.device_dropouts +=
        st_json_integer(source, "device_dropouts");
    return sums;
}

/* "32,400,000" */
static const char *grouped(int64_t n)
{
    const char *digits = st_text("%" PRId64, n), *text = "";
    const size_t len = strlen(digits);
    for (size_t i = 0; i < len; i++)
        text = st_text("%s%s%c", text, i > 0 && (len - i) % 3 == 0 && digits[i - 1] != '-' ? "," : "",
                       digits[i]);
    return text;
}

static int64_t span_of(const json_t *document)
{
    return st_ns_sub(st_json_integer(document, "until_ns"), st_json_integer(document, "since_ns"));
}

/* "in the last 24 h", "from 2026-11-20 14:00 to 2026-11-20 16:00". The first step may begin before the time
 * that was asked for, so hours are cut. */
static const char *say_when(const json_t *document, int64_t now_wall_ns)
{
    const int64_t since_ns = st_json_integer(document, "since_ns"),
                  until_ns = st_json_integer(document, "until_ns"), span_ns = span_of(document);
    if (until_ns < now_wall_ns - LATEST_NS || until_ns > now_wall_ns + LATEST_NS)
        return st_text("from %s to %s", minute_of(since_ns), minute_of(until_ns));
    if (span_ns >= 10 * HOUR_NS && span_ns < 2 * DAY_NS)
        return st_text("in the last %" PRId64 " h", span_ns / HOUR_NS);
    return st_text("in the last %s", st_ns_long(span_ns));
}

/* The source that the answer is about: whose clients had the dropouts, else on which clients played
 * longest, else which was watched longest. NULL: none was watched. */
static const json_t *watched_source(const json_t *document)
{
    const json_t *most = json_array_get(json_object_get(json_object_get(document, "dropouts"), "sources"), 0);
    const char *worst = st_json_safe_text(most, "source");
    const json_t *one, *ret = NULL;
    size_t i;
    json_array_foreach(json_object_get(document, "watched"), i, one)
    {
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

/* "this computer's timing missed 3 of 32,400,000 periods at 128 frames" */
static const char *say_timing(const json_t *document, const struct sums *sums)
{
    const json_t *conditions = json_object_get(document, "conditions");
    const int64_t frames = st_json_integer(json_array_get(conditions, 0), "frames");
    return st_text("missed %s of %s periods%s", grouped(sums->misses), grouped(sums->cycles + sums->skipped),
                   json_array_size(conditions) == 1 && frames > 0 ? st_text(" at %" PRId64 " frames", frames)
                                                                  : "");
}

/* The answer: who made dropouts, or that there was none, or why that is unknown. @return whether it has the
 * missed periods. */
static bool put_answer(FILE *out, const json_t *document, const struct sums *sums,
                       const struct st_history_text_look *look)
{
    const json_t *watched = watched_source(document);
    const json_t *playing = json_object_get(watched, "playing_ns");
    const bool whole = st_json_integer(watched, "watched_ns") >= span_of(document) / 10 * 9;
    const bool none_played = json_is_integer(playing) && json_integer_value(playing) == 0;
    const char *when = say_when(document, look->now_wall_ns), *text;
    const char *timing = say_timing(document, sums);
    const char *server = st_dropouts_text_server(watched);
    const char *watched_for = st_ns_long(st_json_integer(watched, "watched_ns"));
    if (watched != NULL && !whole)
        when = st_text("while %s was watched (for %s)", server, watched_for);
    bool has_timing = false;
    if (sums->dropouts > 0) {
        text = st_dropouts_text_sentence(json_object_get(document, "dropouts"), when);
    } else if (watched != NULL) {
        has_timing = !none_played && sums->measured_ns > 0;
        text = st_text("%s %s%s%s%s.", none_played ? "Nothing played" : "No dropout", when,
                       whole ? st_text(" (%s was watched for %s)", server, watched_for) : "",
                       has_timing ? "; this computer's timing " : "", has_timing ? timing : "");
    } else {
        text = st_text("No sound server was watched %s: other programs' dropouts are unknown.", when);
    }
    st_text_wrap(out, text, 0, look->columns);
    return has_timing;
}

static void put_watched(const struct st_text_sheet *sheet, const json_t *document)
{
    size_t i;
    const json_t *one;
    json_array_foreach(json_object_get(document, "watched"), i, one)
    {
        const int64_t frames = st_json_integer(one, "frames"), rate_hz = st_json_integer(one, "rate_hz");
        const json_t *playing = json_object_get(one, "playing_ns");
        const char *text = st_text("watched for %s", st_ns_long(st_json_integer(one, "watched_ns")));
        if (json_is_integer(playing))
            text = st_text("%s, clients played for %s", text, st_ns_long(json_integer_value(playing)));
        if (frames > 0 && frames < INT32_MAX && rate_hz > 0)
            text = st_text("%s, last at %" PRId64 " frames at %g kHz (%s)", text, frames,
                           (double)rate_hz / 1000, st_ns_short(frames * ST_NS_PER_S / rate_hz));
        st_text_row(sheet, st_dropouts_text_server(one), "%s", text);
    }
}

/* @param said the first line has the missed periods already. */
static void put_timing(const struct st_text_sheet *sheet, const json_t *document, const struct sums *sums,
                       bool said)
{
    const char *text = said ? "" : say_timing(document, sums);
    if (sums->max_ns == INT64_MIN && said)
        return;
    if (sums->max_ns != INT64_MIN) {
        const char *from = minute_of(sums->max_from_ns), *to = minute_of(sums->max_to_ns);
        const bool one = st_text_is(from, to);
        text =
            st_text("%s%sworst wake-up %s late, %s %s%s%s", text, said ? "" : "; ", st_ns_text(sums->max_ns),
                    one ? "at" : "between", from, one ? "" : " and ", one ? "" : to);
    }
    st_text_row(sheet, "This computer", "%s", text);
}

/* Figures about the measuring itself. */
static void put_details(const struct st_text_sheet *sheet, const json_t *document, const struct sums *sums)
{
    st_text_row(sheet, "measured", "for %s of %s, %" PRId64 " cycles", st_ns_long(sums->measured_ns),
                st_ns_long(span_of(document)), sums->cycles);
    if (sums->cycles + sums->skipped > 0)
        st_text_row(sheet, "missed", "%" PRId64 " periods%s", sums->misses,
                    st_miss_events_text((uint64_t)sums->miss_events, (uint64_t)sums->misses,
                                        (double)sums->measured_ns / (double)ST_NS_PER_S));
    st_text_row(sheet, "dropouts", "%s%s",
                watched_source(document) == NULL && sums->dropouts == 0
                    ? "other programs were not watched"
                    : st_text("%" PRId64 " of devices and %" PRId64 " of clients", sums->device_dropouts,
                              sums->dropouts - sums->device_dropouts),
                /* not recorded is whether it ran */
                sums->own > 0 ? st_text("; %" PRId64 " in sleeptuned's own stream", sums->own) : "");
}

/* --- rows --- */

static void right(FILE *out, const char *text, int columns)
{
    const int have = st_text_columns(text);
    fprintf(out, "%*s%s", have < columns ? columns - have : 1, "", text);
}

static const char *ns_text(const json_t *value)
{
    const int64_t ns = json_integer_value(value);
    return !json_is_integer(value) ? "-" : ns < 100 * ST_NS_PER_MS ? st_ns_text(ns) : st_ns_short(ns);
}

/* The columns after the time; those that do not fit are left out. */
static const struct {
    const char *name;
    int columns;
} row_columns[] = {{"ran", 5},     {"dropouts", 9}, {"missed", 8}, {"periods", 12},
                   {"median", 10}, {"p99", 10},     {"max", 10}};

#define FROM_COLUMNS 16

static void put_cells(FILE *out, const char *const *cells, int columns)
{
    int used = FROM_COLUMNS;
    for (size_t i = 0; i < ST_ARRAY_LEN(row_columns); i++) {
        used += row_columns[i].columns;
        if (used <= columns)
            right(out, cells[i], row_columns[i].columns);
    }
    fputc('\n', out);
}

static void put_heading(FILE *out, int columns)
{
    const char *cells[ST_ARRAY_LEN(row_columns)];
    for (size_t i = 0; i < ST_ARRAY_LEN(row_columns); i++)
        cells[i] = row_columns[i].name;
    st_text_pad(out, "from", FROM_COLUMNS);
    put_cells(out, cells, columns);
}

static void put_row(FILE *out, const json_t *row, int columns)
{
    const int64_t from_ns = st_json_integer(row, "from_ns"), to_ns = st_json_integer(row, "to_ns");
    const int64_t measured_ns = st_json_integer(row, "measured_ns");
    const json_t *dropouts = json_object_get(row, "dropouts"), *lateness = json_object_get(row, "lateness");
    const char *text = minute_of(from_ns), *to = minute_of(to_ns);
    if (json_is_null(json_object_get(row, "cycles")) && st_text_is(text, to) &&
        json_integer_value(dropouts) <= 0)
        return;                               /* less than a minute */
    const char *when = st_when_text(from_ns); /* without the year, it fits with seconds */
    if (from_ns % (60 * ST_NS_PER_S) == 0 || strlen(when) < FROM_COLUMNS)
        fputs(text, out);
    else
        st_text_pad(out, when + strlen("2026-"), FROM_COLUMNS);
    if (json_is_null(json_object_get(row, "cycles"))) {
        /* the loop may rest while nothing plays */
        const bool idle =
            to_ns > from_ns && st_json_integer(row, "idle_ns") >= st_ns_sub(to_ns, from_ns) / 10 * 9;
        const bool lost = json_integer_value(dropouts) > 0; /* the servers were watched, no loop ran */
        fprintf(out, columns < NO_DATA_COLUMNS ? "  %s" : "  %s until %s",
                idle   ? "nothing played"
                : lost ? "timing not measured"
                       : "no data",
                to);
        if (lost)
            fprintf(out, ", %" PRId64 " dropout%s", (int64_t)json_integer_value(dropouts),
                    json_integer_value(dropouts) == 1 ? "" : "s");
        fputc('\n', out);
        return;
    }
    const char *const cells[] = {
        to_ns > from_ns
            ? st_text("%.0f%%", floor(100 * (1e-4 + (double)measured_ns / (double)(to_ns - from_ns))))
            : "-",
        json_is_integer(dropouts) ? st_text("%" PRId64, (int64_t)json_integer_value(dropouts)) : "-",
        st_text("%" PRId64, st_json_integer(row, "misses")),
        st_text("%" PRId64,
                st_ns_add(st_json_integer(row, "cycles"), st_json_integer(row, "skipped_periods"))),
        ns_text(json_object_get(lateness, "p50_ns")),
        ns_text(json_object_get(lateness, "p99_ns")),
        ns_text(json_object_get(lateness, "max_ns"))};
    put_cells(out, cells, columns);
}

static const char *next_step(const json_t *document, const struct sums *sums)
{
    if (sums->dropouts > 0)
        return "sleeptune status --watch";
    if (watched_source(document) == NULL)
        return "sleeptune status --details";
    return sums->misses > 0 ? "sleeptune history --causes" : NULL;
}

void st_history_text_steps(FILE *out, const json_t *document, const struct st_history_text_look *look)
{
    const struct sums sums = sum_up(document);
    const int columns = ST_MAX(look->columns, WIDTH_MIN);
    const struct st_text_sheet sheet = {out, LABEL_COLUMNS, columns};
    const json_t *dropouts = json_object_get(document, "dropouts");
    if (sums.measured_ns <= 0 && sums.dropouts == 0 && watched_source(document) == NULL) {
        st_text_wrap(out,
                     st_text("No whole minute was measured from %s to %s.",
                             minute_of(st_json_integer(document, "since_ns")),
                             minute_of(st_json_integer(document, "until_ns"))),
                     0, columns);
        return;
    }
    const bool timing_said = put_answer(out, document, &sums, look);
    fputc('\n', out);
    put_watched(&sheet, document);
    if (sums.measured_ns > 0)
        put_timing(&sheet, document, &sums, timing_said);
    if (sums.measured_ns > 0 && look->details)
        put_details(&sheet, document, &sums);
    bool worse;
    const char *changed =
        st_change_story_text(json_object_get(document, "changes"), look->now_wall_ns, &worse);
    if (changed[0] != '\0')
        st_text_row(&sheet, "Changed", "%s", changed);
    const char *next = worse ? "sleeptune history --changes" : next_step(document, &sums);
    if (next != NULL)
        st_text_row(&sheet, "Next", "%s", st_daemon_client_again(next, look->socket, look->db));
    if (st_json_integer(dropouts, "count") > 0)
        fputc('\n', out);
    st_dropouts_text_table(out, dropouts, look->details, columns);
    if (sums.measured_ns <= 0)
        return;
    fputc('\n', out);
    put_heading(out, columns);
    size_t i;
    const json_t *row;
    json_array_foreach(json_object_get(document, "rows"), i, row) put_row(out, row, columns);
    fputc('\n', out);
    st_text_row(&sheet, "median .. max",
                "how late sleeptune itself woke up (p99: 1 time in 100 it was later); a dash: too few "
                "wake-ups, or not measured");
}

/* --- changes --- */

/* "2026-11-24 08:10  the kernel became 6.12.48 (6.12.41 before)" */
static void put_change(FILE *out, const json_t *change, bool details, int columns)
{
    const json_t *list = json_object_get(change, "what"), *what;
    size_t i;
    json_array_foreach(list, i, what)
    {
        if (i > 0 && !details)
            break;
        const bool file = st_text_is(st_json_text_of(what, "kind"), "file");
        const char *before = st_json_safe_text(what, "before"), *line = st_change_story_what(what);
        if (!file && before[0] != '\0')
            line = st_text("%s (%s before)", line, before);
        const size_t more_n = details ? 0 : st_change_story_more_n(list);
        if (more_n > 0)
            line = st_text("%s, and %zu more", line, more_n);
        st_text_field(out, i == 0 ? minute_of(st_json_integer(change, "at_ns")) : "", line, WHEN_COLUMNS,
                      columns);
    }
}

void st_history_text_changes(FILE *out, const json_t *document, const struct st_history_text_look *look)
{
    const json_t *changes = json_object_get(document, "changes");
    const size_t n = json_array_size(changes);
    const int columns = ST_MAX(look->columns, WIDTH_MIN);
    const char *verdict = st_json_safe_text(json_array_get(changes, n - 1), "verdict");
    bool worse;
    const char *text = st_change_story_text(changes, look->now_wall_ns, &worse);
    if (text[0] != '\0')
        text = st_text("%s A new project or program may be the reason, too.", text);
    else if (n == 0)
        text = "No version, file or setting of the system has changed in this history. The buffer size is "
               "none of them: status --details compares sizes.";
    else
        text = st_text("Dropouts did not become more or less frequent after any change, beyond chance.%s",
                       st_text_is(verdict, "too-short")
                           ? " It is too early to judge the last one: that takes 3 days of music."
                           : "");
    st_text_wrap(out, text, 0, columns);
    if (n > 0)
        fputc('\n', out);
    for (size_t i = n; i-- > 0 && (look->details || n - i <= CHANGES_SHOWN);)
        put_change(out, json_array_get(changes, i), look->details, columns);
    if (n > 0 && !look->details)
        st_text_field(out, "All of it",
                      st_daemon_client_again("sleeptune history --changes --details", look->socket, look->db),
                      WHEN_COLUMNS, columns);
}

/* --- events --- */

/* Text on at most two lines, unless all of it is wanted. */
static void put_two_lines(FILE *out, char *text, const struct st_history_text_look *look)
{
    char *lines = NULL, *rest;
    size_t bytes;
    FILE *stream = look->details ? NULL : open_memstream(&lines, &bytes);
    if (stream == NULL) {
        st_text_wrap(out, text, EVENT_INDENT, look->columns);
        return;
    }
    st_text_flow(stream, text, strlen(text),
                 &(struct st_text_flow){.indent = EVENT_INDENT, .width = look->columns, .broken = true});
    if (fclose(stream) == 0 && (rest = strchr(lines, '\n')) != NULL &&
        (rest = strchr(rest + 1, '\n')) != NULL && rest[1] != '\0') {
        *rest = '\0';
        char *second = strchr(lines, '\n') + 1;
        fprintf(out, "%.*s%s …\n", (int)(second - lines), lines, st_text_clip(second, look->columns - 2));
    } else if (lines != NULL) {
        fputs(lines, out);
    }
    free(lines);
}

static void put_event(FILE *out, const json_t *event, const struct st_history_text_look *look)
{
    const char *when = st_when_text_near(st_json_integer(event, "time_ns"), look->now_wall_ns);
    if (look->details && st_json_integer(event, "id") > 0) /* for --trace */
        when = st_text("%s  #%" PRId64, when, st_json_integer(event, "id"));
    const char *kind = st_json_safe_text(event, "event");
    const bool dropout = st_event_kind_is_dropout(st_event_kind_of(kind));
    put_two_lines(out,
                  st_text("%s  %s%s%s", when, dropout ? "" : kind, dropout ? "" : ": ",
                          st_json_safe_text(event, "text")),
                  look);
}

void st_history_text_events(FILE *out, const json_t *document, const struct st_history_text_look *look)
{
    const json_t *list = json_object_get(document, "events"), *event;
    size_t i;
    if (json_is_true(json_object_get(document, "more")))
        fprintf(out, "(only the last %zu events; for older events use --limit or --since)\n",
                json_array_size(list));
    if (json_array_size(list) == 0)
        fputs("no such events in that time\n", out);
    size_t late_n = 0;
    json_array_foreach(list, i, event)
    {
        const bool late = !look->late && st_text_is(st_json_text_of(event, "event"), "late-wake");
        late_n += late;
        if (!late)
            put_event(out, event, look);
    }
    if (late_n > 0)
        fprintf(out, "(%zu late wake-up%s of the test loop: --details)\n", late_n, ST_PLURAL(late_n));
}

/* --- causes: the sentence, then a row for each cause and culprit --- */

static void show_row(FILE *out, const json_t *row, int columns)
{
    const json_t *explained = json_object_get(row, "explained");
    const char *culprit = st_json_safe_text(row, "culprit"), *figures = "";
    static const int cell_columns[] = {7, 11, 11, 11};
    const char *const cells[] = {
        st_text("%" PRId64, st_json_integer(row, "count")), st_ns_text(st_json_integer(row, "total_ns")),
        st_ns_text(st_json_integer(row, "worst_ns")),
        json_is_number(explained) ? st_text("%.0f %%", 100 * json_number_value(explained)) : "-"};
    for (size_t i = 0; i < ST_ARRAY_LEN(cells); i++)
        figures = st_text("%s%*s%s", figures, cell_columns[i] - st_text_columns(cells[i]), "", cells[i]);
    const char *why =
        st_text("%s%s%s", st_json_safe_text(row, "text"), culprit[0] != '\0' ? ": " : "", culprit);
    const bool narrow = columns < FIGURE_COLUMNS + CAUSE_MIN;
    if (narrow)
        fprintf(out, "%s\n", figures);
    st_text_field(out, narrow ? "" : figures, why, narrow ? EVENT_INDENT : FIGURE_COLUMNS, columns);
}

void st_history_text_causes(FILE *out, const json_t *document, const struct st_history_text_look *look)
{
    const int columns = look->columns;
    const struct st_text_sheet sheet = {out, CAUSE_LABELS, columns};
    const json_t *rows = json_object_get(document, "rows"), *tracer = json_object_get(document, "tracer");
    const json_t *row;
    size_t i;
    const json_t *dropouts = json_object_get(document, "dropouts");
    if (st_json_integer(dropouts, "count") > 0) {
        const json_t *asked = json_object_get(document, "asked_from_ns");
        const char *to = json_is_integer(asked) ? st_text("since %s", minute_of(json_integer_value(asked)))
                                                : "in this history";
        st_text_wrap(out, st_dropouts_text_sentence(dropouts, to), 0, columns);
        fputc('\n', out);
        st_dropouts_text_table(out, dropouts, true, columns);
        fputc('\n', out);
    }
    st_text_wrap(out, st_json_safe_text(document, "verdict"), 0, columns);
    if (json_array_size(rows) > 0)
        fprintf(out, "\n%7s%11s%11s%11s  cause\n", "count", "total", "worst", "explained");
    json_array_foreach(rows, i, row) show_row(out, row, columns);
    fputc('\n', out);
    if (st_json_integer(document, "wakes") > 0)
        st_text_row(&sheet, "from", "%s to %s", st_when_text(st_json_integer(document, "from_ns")),
                    st_when_text(st_json_integer(document, "to_ns")));
    if (json_array_size(rows) > 0)
        st_text_row(
            &sheet, "explained",
            "the part of the total that was measured: waiting for a CPU, a stopped thread, throttling, or "
            "how long the culprit had the CPU. A dash: not measured, the cause was found by ruling out the "
            "others");
    if (look->trace != NULL && json_is_string(tracer) && json_array_size(rows) > 0) {
        const bool has_step = strstr(json_string_value(tracer), ". Run") != NULL;
        st_text_row(&sheet, "culprit", "which program delayed the test loop is not known: %s.%s%s",
                    st_json_safe_text(document, "tracer"), has_step ? "" : " To name it, ",
                    has_step ? "" : look->trace);
    }
}
