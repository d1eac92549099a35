/* Title, verdict, the last seconds beside the histogram, counts beside causes, events. */
#include "cli/show/watch_screen.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "core/ns.h"
#include "core/when.h"

#define OVERDUE_NS     (2 * ST_NS_PER_S)
#define LABEL_COLUMNS  8  /* of the seconds' axis */
#define SIDE_COLUMNS   72 /* from here on two things stand side by side */
#define TABLE_ROWS_MAX 9
#define CHART_ROWS_MAX 12
#define TEXT_BYTES     512

static const json_t *get(const json_t *object, const char *key)
{
    return json_object_get(object, key);
}

static int64_t integer(const json_t *object, const char *key)
{
    return json_integer_value(get(object, key));
}

static const char *string(const json_t *object, const char *key)
{
    const char *text = json_string_value(get(object, key));
    return text != NULL ? text : "?";
}

static const char *time_text(const json_t *value, char *buf, size_t buf_bytes)
{
    if (json_is_integer(value))
        return st_ns_format(json_integer_value(value), buf, buf_bytes);
    snprintf(buf, buf_bytes, "not yet");
    return buf;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

enum part { ALL_OR_CUT, ALL_OR_NOTHING };

static int put(struct st_screen *screen, int row, int column, int width, enum st_style style, enum part part,
               const char *format, va_list args) ST_PRINTF(7, 0);
static int put(struct st_screen *screen, int row, int column, int width, enum st_style style, enum part part,
               const char *format, va_list args)
{
    char text[TEXT_BYTES];
    vsnprintf(text, sizeof(text), format, args);
    if (part == ALL_OR_NOTHING && !st_screen_fits(screen, width, text))
        return 0;
    return st_screen_put(screen, row, column, width, style, text);
}

/* Formatted text in one row. */
static int say(struct st_screen *screen, int row, int column, int width, enum st_style style,
               const char *format, ...) ST_PRINTF(6, 7);
static int say(struct st_screen *screen, int row, int column, int width, enum st_style style,
               const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int used = put(screen, row, column, width, style, ALL_OR_CUT, format, args);
    va_end(args);
    return used;
}

/* The same where all of it fits. @return columns used; 0: it does not, and nothing is written. */
static int say_whole(struct st_screen *screen, int row, int column, int width, enum st_style style,
                     const char *format, ...) ST_PRINTF(6, 7);
static int say_whole(struct st_screen *screen, int row, int column, int width, enum st_style style,
                     const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int used = put(screen, row, column, width, style, ALL_OR_NOTHING, format, args);
    va_end(args);
    return used;
}

static void put_title(struct st_screen *screen, const json_t *live)
{
    const json_t *loop = get(live, "loop");
    const int64_t minutes = integer(live, "uptime_ns") / ST_NS_PER_S / 60;
    const int64_t now_ns = integer(live, "time_ns");
    char at[32], period[32];
    const int n = st_screen_put(screen, 0, 0, screen->columns, ST_STYLE_BOLD, "sleeptuned ");
    const int room = screen->columns - n - 9;
    const int state = say_whole(screen, 0, n, room, ST_STYLE_PLAIN, "%s, up %" PRId64 " h %02" PRId64 " min",
                                string(live, "state"), minutes / 60, minutes % 60);
    if (state == 0)
        say(screen, 0, n, room, ST_STYLE_PLAIN, "%s", string(live, "state"));
    else if (json_is_object(loop))
        say_whole(screen, 0, n + state, room - state, ST_STYLE_DIM,
                  "; %" PRId64 " frames at %" PRId64 " Hz (%s)", integer(loop, "frames"),
                  integer(loop, "rate_hz"), time_text(get(loop, "period_ns"), period, sizeof(period)));
    st_screen_put(screen, 0, screen->columns - 8, 8, ST_STYLE_DIM,
                  st_when_text_near(now_ns, now_ns, at, sizeof(at)));
}

/* @return rows used. */
static int put_degraded(struct st_screen *screen, int row, int max_rows, const json_t *live)
{
    const json_t *list = get(live, "degraded"), *entry;
    const int n = (int)json_array_size(list);
    size_t i;
    int used = 0;
    json_array_foreach(list, i, entry)
    {
        if (used == max_rows)
            break;
        if (used + 1 == max_rows && n - used > 1)
            say(screen, row + used, 0, screen->columns, ST_STYLE_BAD,
                "Degraded in %d more ways, first %s: %s", n - used, string(entry, "what"),
                string(entry, "why"));
        else
            say(screen, row + used, 0, screen->columns, ST_STYLE_BAD, "Degraded, %s: %s",
                string(entry, "what"), string(entry, "why"));
        used++;
    }
    return used;
}

/* What does not fit goes, the least important first; n stays. @return rows used. */
static int put_lateness(struct st_screen *screen, int row, const json_t *live)
{
    static const char *const keys[] = {"median", "p99", "p999", "max", "n"};
    static const char *const forms[][ST_ARRAY_LEN(keys)] = {
        {"Late: median ", ", 99 % ", ", 99.9 % ", ", latest ", " (n = "},
        {"Late: p50 ", ", p99 ", ", p99.9 ", ", max ", " (n = "},
        {"Late: p50 ", ", p99 ", NULL, ", max ", " (n = "},
        {NULL, "Late: p99 ", NULL, ", max ", " (n = "},
        {NULL, "p99 ", NULL, ", max ", " (n = "},
        {NULL, "p99 ", NULL, NULL, " (n = "},
        {NULL, NULL, NULL, NULL, "(n = "},
    };
    const json_t *of = get(live, "lateness_ns");
    if (!json_is_object(of))
        return 0;
    for (size_t form = 0; form < ST_ARRAY_LEN(forms); form++) {
        char text[TEXT_BYTES], value[32];
        size_t len = 0;
        for (size_t i = 0; i + 1 < ST_ARRAY_LEN(keys); i++) {
            if (forms[form][i] != NULL)
                len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s", forms[form][i],
                                        time_text(get(of, keys[i]), value, sizeof(value)));
        }
        snprintf(text + len, sizeof(text) - len, "%s%" PRId64 ")", forms[form][ST_ARRAY_LEN(keys) - 1],
                 integer(of, "n"));
        if (say_whole(screen, row, 0, screen->columns, ST_STYLE_PLAIN, "%s", text) > 0)
            return 1;
    }
    return 0;
}

/* --- the last seconds --- */

/* Whole decades around all that is shown, as exponents of ten of ns. */
static void find_scale(const json_t *live, int *ret_low, int *ret_high)
{
    const json_t *seconds = get(live, "seconds"), *value;
    double low = 1e5, high = (double)integer(get(live, "loop"), "period_ns");
    static const char *const keys[] = {"max_ns", "median_ns"};
    for (size_t k = 0; k < ST_ARRAY_LEN(keys); k++) {
        size_t i;
        json_array_foreach(get(seconds, keys[k]), i, value)
        {
            const double ns = (double)json_integer_value(value);
            if (ns > 0 && ns < low)
                low = ns;
            if (ns > high)
                high = ns;
        }
    }
    *ret_low = (int)floor(log10(low < 100 ? 100 : low) + 1e-9);
    *ret_high = (int)ceil(log10(high < 1000 ? 1000 : high) - 1e-9);
    if (*ret_high > 18) /* what an int64_t holds */
        *ret_high = 18;
    if (*ret_high <= *ret_low)
        *ret_high = *ret_low + 1;
}

static void put_decade(struct st_screen *screen, int row, int column, int exponent)
{
    char text[32];
    st_ns_format((int64_t)pow(10, exponent), text, sizeof(text));
    char *dot = strchr(text, '.'), *space = strchr(text, ' ');
    if (dot != NULL && space != NULL) /* "10.0 us" is "10 us" */
        memmove(dot, space, strlen(space) + 1);
    st_screen_put(screen, row, column, LABEL_COLUMNS - 1, ST_STYLE_DIM, text);
}

/* Title, `height` rows, the axis with a mark for each second that missed. The newest second is on the right.
 */
static void put_seconds(struct st_screen *screen, int row, int width, int height, const json_t *live)
{
    const json_t *seconds = get(live, "seconds");
    const json_t *max = get(seconds, "max_ns"), *misses = get(seconds, "misses"),
                 *cycles = get(seconds, "cycles");
    const int n = (int)json_array_size(max), room = width - LABEL_COLUMNS, shown = least(n, room);
    const int foot = row + height, axis = foot + 1;
    int low, high;
    find_scale(live, &low, &high);
    if (say_whole(screen, row, 0, width, ST_STYLE_DIM, "Latest of each second, %d s (x missed, ? unknown)",
                  shown) == 0)
        say(screen, row, 0, width, ST_STYLE_DIM, "Latest of each second, %d s", shown);
    put_decade(screen, row + 1, 0, high);
    put_decade(screen, axis, 0, low);
    for (int i = 0; i < room; i++)
        st_screen_put(screen, axis, LABEL_COLUMNS + i, 1, ST_STYLE_DIM, screen->unicode ? "─" : "-");
    for (int i = 0; i < shown; i++) {
        const size_t at = (size_t)(n - shown + i);
        const int column = LABEL_COLUMNS + room - shown + i;
        const json_t *value = json_array_get(max, at);
        const bool missed = json_integer_value(json_array_get(misses, at)) > 0;
        if (json_is_integer(value)) {
            const double ns = (double)json_integer_value(value);
            const double fill = ns > 0 ? (log10(ns) - low) / (high - low) : 0;
            st_screen_bar(screen, foot, column, height, fill > 0 ? fill : 1e-9,
                          missed ? ST_STYLE_BAD : ST_STYLE_BAR);
        }
        if (missed)
            st_screen_put(screen, axis, column, 1, ST_STYLE_BAD, "x");
        else if (!json_is_integer(json_array_get(cycles, at)) || !json_is_integer(json_array_get(misses, at)))
            st_screen_put(screen, axis, column, 1, ST_STYLE_BOLD, "?");
    }
}

/* --- how late, since the loop began --- */

/* As high as put_seconds; the labels of the axis are in its last row. */
static void put_histogram(struct st_screen *screen, int row, int column, int width, int height,
                          const json_t *live)
{
    const json_t *of = get(live, "histogram"), *count;
    const json_t *bounds = get(of, "bounds_ns");
    const int n = (int)json_array_size(get(of, "counts"));
    const int each = n > 0 && width / n >= 2 ? 2 : 1, foot = row + height;
    const int64_t period_ns = integer(get(live, "loop"), "period_ns");
    int64_t most = 1;
    size_t i;
    if (say_whole(screen, row, column, width, ST_STYLE_DIM, "How late, all (log counts)") == 0)
        say(screen, row, column, width, ST_STYLE_DIM, "How late (log counts)");
    json_array_foreach(get(of, "counts"), i, count)
    {
        if (json_integer_value(count) > most)
            most = json_integer_value(count);
    }
    json_array_foreach(get(of, "counts"), i, count)
    {
        const int64_t value = json_integer_value(count);
        const bool over =
            i > 0 && period_ns > 0 && json_integer_value(json_array_get(bounds, i - 1)) >= period_ns;
        for (int part = 0; part < each && value > 0; part++)
            st_screen_bar(screen, foot, column + (int)i * each + part, height,
                          log10((double)value + 1) / log10((double)most + 1),
                          over ? ST_STYLE_BAD : ST_STYLE_BAR);
        const int64_t bound_ns = json_integer_value(json_array_get(bounds, i));
        if (bound_ns == 1000)
            st_screen_put(screen, foot + 1, column, 5, ST_STYLE_DIM, "1 µs");
        else if (bound_ns == 100 * ST_NS_PER_US)
            st_screen_put(screen, foot + 1, column + (int)i * each, 6, ST_STYLE_DIM, "100 µs");
        else if (bound_ns == 10 * ST_NS_PER_MS && each > 1)
            st_screen_put(screen, foot + 1, column + (int)i * each, 5, ST_STYLE_DIM, "10 ms");
        else if (bound_ns == ST_NS_PER_S)
            st_screen_put(screen, foot + 1, column + (int)i * each - 2, 3, ST_STYLE_DIM, "1 s");
    }
}

/* --- counts and causes --- */

/* @return whether there are such. */
static bool list_not_watched(const json_t *list, char *buf, size_t buf_bytes)
{
    size_t i, len = (size_t)snprintf(buf, buf_bytes, "not watched:");
    const size_t before = len;
    const json_t *entry;
    json_array_foreach(list, i, entry)
    {
        if (!json_is_integer(get(entry, "count")) && len < buf_bytes)
            len += (size_t)snprintf(buf + len, buf_bytes - len, " %s", string(entry, "source"));
    }
    return len > before;
}

/* "missed 4 of 1000, 2 skipped", what is skipped in a row of its own where it must be. @return rows used. */
static int put_misses(struct st_screen *screen, int row, int column, int width, int rows, const json_t *live)
{
    const json_t *misses = get(live, "misses");
    const int64_t count = integer(misses, "count"), periods = integer(misses, "periods"),
                  skipped = integer(misses, "skipped_periods"), lost = integer(misses, "records_lost");
    const enum st_style style = count > 0 ? ST_STYLE_BAD : ST_STYLE_PLAIN;
    int used = 0;
    if (!json_is_object(misses) || rows <= 0)
        return 0;
    if (say_whole(screen, row, column, width, style,
                  "missed     %" PRId64 " of %" PRId64 ", %" PRId64 " skipped", count, periods,
                  skipped) == 0 &&
        say_whole(screen, row, column, width, style, "missed %" PRId64 " of %" PRId64 ", %" PRId64 " skipped",
                  count, periods, skipped) == 0) {
        say(screen, row, column, width, style, "missed %" PRId64 " of %" PRId64, count, periods);
        if (++used < rows)
            say(screen, row + used, column, width, style, "skipped    %" PRId64, skipped);
    }
    used++;
    if (lost > 0 && used < rows)
        say(screen, row + used++, column, width, ST_STYLE_BAD, "lost       %" PRId64 " record%s", lost,
            lost == 1 ? "" : "s");
    return least(used, rows);
}

static void put_xruns(struct st_screen *screen, int row, int column, int width, const json_t *entry)
{
    const int64_t count = integer(entry, "count"), starved = integer(entry, "starved");
    const char *name = string(entry, "source");
    const char *now = json_is_true(get(entry, "watched")) ? "" : " (not now)";
    const enum st_style style = count > 0 ? ST_STYLE_BAD : ST_STYLE_PLAIN;
    if (starved > 0 &&
        (say_whole(screen, row, column, width, style, "%-10s %" PRId64 ", %" PRId64 " starved%s", name, count,
                   starved, now) > 0 ||
         say_whole(screen, row, column, width, style, "%s %" PRId64 ", %" PRId64 " starved", name, count,
                   starved) > 0))
        return;
    if (say_whole(screen, row, column, width, style, "%-10s %" PRId64 "%s", name, count, now) == 0)
        say(screen, row, column, width, style, "%-10s %" PRId64, name, count);
}

/* @return rows used. */
static int put_counts(struct st_screen *screen, int row, int column, int width, int rows, const json_t *live)
{
    char text[TEXT_BYTES];
    const json_t *xruns = get(live, "xruns"), *entry;
    const bool rest = list_not_watched(xruns, text, sizeof(text));
    const int begin = row, end = row + rows;
    size_t i;
    if (rows <= 0)
        return 0;
    st_screen_put(screen, row++, column, width, ST_STYLE_DIM, "Misses and xruns");
    row += put_misses(screen, row, column, width, end - row, live);
    json_array_foreach(xruns, i, entry)
    {
        if (json_is_integer(get(entry, "count")) && row + rest < end)
            put_xruns(screen, row++, column, width, entry);
    }
    if (rest && row < end)
        st_screen_put(screen, row++, column, width, ST_STYLE_DIM, text);
    return row - begin;
}

/* @return rows used. */
static int put_causes(struct st_screen *screen, int row, int column, int width, int rows, const json_t *live)
{
    const json_t *cause;
    const int begin = row, end = row + rows;
    char text[32];
    size_t i;
    if (!json_is_integer(get(live, "late_wakes")) || rows <= 0)
        return 0;
    time_text(get(live, "late_threshold_ns"), text, sizeof(text));
    if (say_whole(screen, row, column, width, ST_STYLE_DIM, "%" PRId64 " woke over %s late: n, worst, why",
                  integer(live, "late_wakes"), text) == 0)
        say(screen, row, column, width, ST_STYLE_DIM, "%" PRId64 " woke over %s late",
            integer(live, "late_wakes"), text);
    row++;
    json_array_foreach(get(live, "causes"), i, cause)
    {
        if (row < end)
            say(screen, row++, column, width, ST_STYLE_PLAIN, "%5" PRId64 " %*s %s", integer(cause, "count"),
                screen->unicode ? 10 : 9, time_text(get(cause, "worst_ns"), text, sizeof(text)),
                string(cause, "text"));
    }
    return row - begin;
}

/* All in one or two rows, for small screens. @return rows used. */
static int put_sums(struct st_screen *screen, int row, int max_rows, const json_t *live)
{
    char text[TEXT_BYTES];
    const json_t *misses = get(live, "misses"), *entry, *worst = NULL;
    if (!json_is_object(misses))
        return 0;
    int len = snprintf(text, sizeof(text), "Missed %" PRId64 " of %" PRId64, integer(misses, "count"),
                       integer(misses, "periods"));
    if (max_rows == 1 &&
        !st_screen_fits(screen, screen->columns - 14, text)) /* of the xruns nothing would be left */
        return say(screen, row, 0, screen->columns, ST_STYLE_PLAIN, "%s", text) > 0;
    len += snprintf(text + len, sizeof(text) - (size_t)len, "; xruns");
    size_t i;
    bool any = false;
    json_array_foreach(get(live, "xruns"), i, entry)
    {
        if (json_is_integer(get(entry, "count")) && len > 0 && (size_t)len < sizeof(text)) {
            len += snprintf(text + len, sizeof(text) - (size_t)len, "%s %s %" PRId64, any ? "," : "",
                            string(entry, "source"), integer(entry, "count"));
            any = true;
        }
    }
    int used = st_screen_wrap(screen, row, 0, screen->columns, max_rows, ST_STYLE_PLAIN, text);
    json_array_foreach(get(live, "causes"), i, entry)
    {
        if (worst == NULL || integer(entry, "total_ns") > integer(worst, "total_ns"))
            worst = entry;
    }
    if (worst != NULL && used < max_rows)
        say(screen, row + used++, 0, screen->columns, ST_STYLE_PLAIN, "%" PRId64 "x late: %s",
            integer(worst, "count"), string(worst, "text"));
    return used;
}

static void put_events(struct st_screen *screen, int row, int rows, const json_t *live)
{
    size_t i;
    const json_t *event;
    char at[32];
    json_array_foreach(get(live, "events"), i, event)
    {
        if ((int)i < rows)
            say(screen, row + (int)i, 0, screen->columns, ST_STYLE_PLAIN, "%s %s: %s",
                st_when_text_near(integer(event, "time_ns"), integer(live, "time_ns"), at, sizeof(at)),
                string(event, "event"), string(event, "text"));
    }
}

/* 80x24 and larger: charts side by side, then counts and causes, then events. */
static void draw_large(struct st_screen *screen, int row, int rows, const json_t *live)
{
    const int half = screen->columns / 2;
    int side = screen->columns >= 110 ? 40 : 22, height = (rows - row - 8) / 2;
    row += put_lateness(screen, row, live);
    height = least(height < 3 ? 3 : height, CHART_ROWS_MAX);
    const int width = least(screen->columns - side - 2, LABEL_COLUMNS + 120);
    side = width + 2;
    put_seconds(screen, row, width, height, live);
    put_histogram(screen, row, side, screen->columns - side, height, live);
    row += height + 2;
    const int room = least(rows - row, TABLE_ROWS_MAX);
    const int counts = put_counts(screen, row, 0, half - 6, room, live);
    const int causes = put_causes(screen, row, half - 4, screen->columns - half + 4, room, live);
    row += counts > causes ? counts : causes;
    put_events(screen, row, rows - row, live);
}

static void draw_small(struct st_screen *screen, int row, int rows, const json_t *live)
{
    if (rows - row >= 2)
        row += put_lateness(screen, row, live);
    const int height = least(rows - row - 5, CHART_ROWS_MAX);
    if (height >= 1) {
        put_seconds(screen, row, screen->columns, height, live);
        row += height + 2;
    }
    if (row < rows)
        row += put_sums(screen, row, least(rows - row, 3), live);
    put_events(screen, row, rows - row, live);
}

void st_watch_draw(struct st_screen *screen, const json_t *live, const char *message, bool alert)
{
    int rows = screen->rows;
    if (message != NULL) {
        const int wanted =
            alert ? least(st_screen_wrapped_rows(screen, screen->columns, message), rows / 4) : 1;
        const int used = wanted > 1 ? wanted : 1;
        rows -= used;
        st_screen_wrap(screen, rows, 0, screen->columns, used, alert ? ST_STYLE_ALERT : ST_STYLE_DIM,
                       message);
    }
    if (live == NULL || rows < 2) {
        if (rows > 0)
            st_screen_put(screen, 0, 0, screen->columns, ST_STYLE_BOLD, "sleeptune watch");
        return;
    }
    const bool large = screen->columns >= SIDE_COLUMNS && rows >= 17;
    put_title(screen, live);
    int row = 1;
    row += st_screen_wrap(screen, row, 0, screen->columns,
                          least(rows - row, large        ? 3
                                            : rows >= 14 ? 4
                                            : rows >= 10 ? 3
                                                         : 2),
                          ST_STYLE_BOLD, string(live, "verdict"));
    row += put_degraded(screen, row, least(rows - row, large ? 2 : 1), live);
    if (large)
        draw_large(screen, row, rows, live);
    else
        draw_small(screen, row, rows, live);
}

const char *st_watch_doubt(const json_t *live, char *buf, size_t buf_bytes)
{
    const int64_t overdue_ns = integer(live, "overdue_ns");
    const int64_t period_ns = integer(json_object_get(live, "loop"), "period_ns");
    buf[0] = '\0';
    if (overdue_ns > OVERDUE_NS && overdue_ns / 2 > period_ns)
        snprintf(buf, buf_bytes, "the loop has not been heard of for %" PRId64 " s",
                 overdue_ns / ST_NS_PER_S);
    return buf;
}
