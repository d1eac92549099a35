/* The sentence, then a row a cause and culprit. */
#include "cli/causes_text.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "cli/json_field.h"
#include "cli/text.h"
#include "lib/base.h"
#include "lib/ns.h"

#define CAUSE_COLUMNS  24
#define NAME_MIN       17
#define NAME_MAX       32
#define FIGURE_COLUMNS 39 /* of the four behind the name */

static const char *clock_text(int64_t wall_ns, char *buf, size_t buf_bytes)
{
    const time_t seconds = (time_t)(wall_ns / ST_NS_PER_S);
    struct tm local;
    if (localtime_r(&seconds, &local) == NULL || strftime(buf, buf_bytes, "%Y-%m-%d %H:%M:%S", &local) == 0)
        snprintf(buf, buf_bytes, "?");
    return buf;
}

static void right(FILE *out, const char *text, int columns)
{
    const int have = st_text_columns(text);
    fprintf(out, "%*s%s", have < columns ? columns - have : 0, "", text);
}

/* What does not fit ends in an ellipsis: a process id that is cut would be another one. */
static void name(FILE *out, char *text, int columns)
{
    const bool fits = st_text_columns(text) < columns;
    fputs(st_text_clip(text, fits ? columns : columns - 2), out);
    st_text_pad(out, fits ? "" : "…", fits ? columns - st_text_columns(text) : 2);
}

static void show_row(FILE *out, const json_t *row, int name_columns)
{
    char text[128], share[16];
    const json_t *explained = json_object_get(row, "explained");
    st_text_pad(out, st_json_safe(json_object_get(row, "cause"), text, CAUSE_COLUMNS), CAUSE_COLUMNS);
    st_json_safe(json_object_get(row, "culprit"), text, sizeof(text));
    name(out, text[0] != '\0' ? text : (char[]){"-"}, name_columns);
    snprintf(text, sizeof(text), "%" PRId64, st_json_field(row, "count"));
    right(out, text, 7);
    right(out, st_ns_format(st_json_field(row, "total_ns"), text, sizeof(text)), 11);
    right(out, st_ns_format(st_json_field(row, "worst_ns"), text, sizeof(text)), 11);
    if (json_is_number(explained))
        snprintf(share, sizeof(share), "%.0f %%", 100 * json_number_value(explained));
    else
        snprintf(share, sizeof(share), "-");
    right(out, share, 10);
    fputc('\n', out);
}

void st_causes_text(FILE *out, const json_t *document, int columns)
{
    char text[512], from[32], to[32];
    const json_t *rows = json_object_get(document, "rows"), *tracer = json_object_get(document, "tracer");
    st_text_wrap(out, st_json_safe(json_object_get(document, "verdict"), text, sizeof(text)), 0, columns);
    if (json_array_size(rows) > 0) {
        const int rest = columns - CAUSE_COLUMNS - FIGURE_COLUMNS;
        const int name_columns = rest < NAME_MIN ? NAME_MIN : rest > NAME_MAX ? NAME_MAX : rest;
        fprintf(out, "\n%-*s%-*s%7s%11s%11s%10s\n", CAUSE_COLUMNS, "cause", name_columns, "culprit", "count",
                "total", "worst", "by figure");
        size_t i;
        const json_t *row;
        json_array_foreach(rows, i, row)
        {
            if (st_json_field(row, "count") > 0) /* else only xruns came of it */
                show_row(out, row, name_columns);
        }
    }
    fputc('\n', out);
    if (st_json_field(document, "wakes") > 0) {
        snprintf(text, sizeof(text), "%s to %s",
                 clock_text(st_json_field(document, "from_ns"), from, sizeof(from)),
                 clock_text(st_json_field(document, "to_ns"), to, sizeof(to)));
        st_text_field(out, "from", text, 10, columns);
        snprintf(text, sizeof(text), "%" PRId64 " simulated, %" PRId64 " of them without a known cause",
                 st_json_field(document, "simulated_xruns"),
                 st_json_field(document, "simulated_xruns_unknown"));
        st_text_field(out, "xruns", text, 10, columns);
    }
    if (json_array_size(rows) > 0)
        st_text_field(out, "by figure",
                      "share of the total that the figure of the cause accounts for (the wait for a CPU, a "
                      "stop, a throttle; with a tracer how long the culprit had the CPU); -: said by "
                      "exclusion, because nothing that is counted explains it",
                      10, columns);
    char why[200];
    if (json_is_string(tracer)) {
        snprintf(text, sizeof(text), "nobody can be named without a tracer: %s",
                 st_json_safe(tracer, why, sizeof(why)));
        st_text_field(out, "culprit", text, 10, columns);
    }
}
