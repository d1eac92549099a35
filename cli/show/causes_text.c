/* The sentence, then a row a cause and culprit. */
#include "cli/show/causes_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/show/json_field.h"
#include "core/cause_kind.h"
#include "core/ns.h"
#include "core/text.h"
#include "core/when.h"

#define CAUSE_COLUMNS  24
#define NAME_MIN       17
#define NAME_MAX       32
#define FIGURE_COLUMNS 39 /* of the four behind the name */

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

/* A row of the document, or those of several threads of one program. */
struct shown {
    char cause[128], culprit[128];
    size_t program_len; /* of the culprit; 0: no thread */
    int64_t threads_n, count, total_ns, worst_ns;
    double explained_ns;
    bool figures;
};

static struct shown *of_same_program(struct shown *rows, size_t n, const struct shown *row)
{
    for (size_t i = 0; i < n && row->program_len > 0; i++) {
        if (strcmp(rows[i].cause, row->cause) == 0 && rows[i].program_len == row->program_len &&
            memcmp(rows[i].culprit, row->culprit, row->program_len) == 0)
            return &rows[i];
    }
    return NULL;
}

static int longest_first(const void *a, const void *b)
{
    const struct shown *x = a, *y = b;
    return (x->total_ns < y->total_ns) - (x->total_ns > y->total_ns);
}

/* @return how many; rows has room for all of the document's. */
static size_t gather(const json_t *document_rows, struct shown *rows)
{
    size_t n = 0, i;
    const json_t *from;
    json_array_foreach(document_rows, i, from)
    {
        const json_t *explained = json_object_get(from, "explained");
        struct shown row = {.threads_n = 1,
                            .count = st_json_field(from, "count"),
                            .total_ns = st_json_field(from, "total_ns"),
                            .worst_ns = st_json_field(from, "worst_ns"),
                            .figures = json_is_number(explained)};
        if (row.count <= 0) /* only xruns came of it */
            continue;
        row.explained_ns = json_number_value(explained) * (double)row.total_ns;
        st_json_safe(json_object_get(from, "cause"), row.cause, sizeof(row.cause));
        st_json_safe(json_object_get(from, "culprit"), row.culprit, sizeof(row.culprit));
        row.program_len = st_cause_program_len(row.culprit);
        struct shown *to = of_same_program(rows, n, &row);
        if (to == NULL) {
            rows[n++] = row;
            continue;
        }
        to->threads_n++;
        to->count = st_ns_add(to->count, row.count);
        to->total_ns = st_ns_add(to->total_ns, row.total_ns);
        to->worst_ns = row.worst_ns > to->worst_ns ? row.worst_ns : to->worst_ns;
        to->explained_ns += row.explained_ns;
        to->figures = to->figures || row.figures;
    }
    qsort(rows, n, sizeof(*rows), longest_first);
    return n;
}

static void show_row(FILE *out, struct shown *row, int name_columns)
{
    char text[160], share[16] = "-";
    st_text_pad(out, row->cause, CAUSE_COLUMNS);
    if (row->threads_n > 1)
        snprintf(text, sizeof(text), "%.*s (%" PRId64 ")", (int)row->program_len, row->culprit,
                 row->threads_n);
    else
        snprintf(text, sizeof(text), "%s", row->culprit[0] != '\0' ? row->culprit : "-");
    name(out, text, name_columns);
    snprintf(text, sizeof(text), "%" PRId64, row->count);
    right(out, text, 7);
    right(out, st_ns_format(row->total_ns, text, sizeof(text)), 11);
    right(out, st_ns_format(row->worst_ns, text, sizeof(text)), 11);
    if (row->figures && row->total_ns > 0)
        snprintf(share, sizeof(share), "%.0f %%", 100 * row->explained_ns / (double)row->total_ns);
    right(out, share, 10);
    fputc('\n', out);
}

static void show_rows(FILE *out, const json_t *document_rows, int columns)
{
    const int rest = columns - CAUSE_COLUMNS - FIGURE_COLUMNS;
    const int name_columns = rest < NAME_MIN ? NAME_MIN : rest > NAME_MAX ? NAME_MAX : rest;
    struct shown *rows = calloc(json_array_size(document_rows), sizeof(*rows));
    if (rows == NULL)
        return;
    fprintf(out, "\n%-*s%-*s%7s%11s%11s%10s\n", CAUSE_COLUMNS, "cause", name_columns, "culprit", "count",
            "total", "worst", "by figure");
    const size_t n = gather(document_rows, rows);
    for (size_t i = 0; i < n; i++)
        show_row(out, &rows[i], name_columns);
    free(rows);
}

void st_causes_text(FILE *out, const json_t *document, int columns)
{
    char text[512], from[32], to[32];
    const json_t *rows = json_object_get(document, "rows"), *tracer = json_object_get(document, "tracer");
    st_text_wrap(out, st_json_safe(json_object_get(document, "verdict"), text, sizeof(text)), 0, columns);
    if (json_array_size(rows) > 0)
        show_rows(out, rows, columns);
    fputc('\n', out);
    if (st_json_field(document, "wakes") > 0) {
        snprintf(text, sizeof(text), "%s to %s",
                 st_when_text(st_json_field(document, "from_ns"), from, sizeof(from)),
                 st_when_text(st_json_field(document, "to_ns"), to, sizeof(to)));
        st_text_field(out, "from", text, 10, columns);
        snprintf(text, sizeof(text), "%" PRId64 " simulated, %" PRId64 " of them without a known cause",
                 st_json_field(document, "simulated_xruns"),
                 st_json_field(document, "simulated_xruns_unknown"));
        st_text_field(out, "xruns", text, 10, columns);
    }
    if (json_array_size(rows) > 0)
        st_text_field(out, "by figure",
                      "share of the total that the figure of the cause accounts for (the wait for a CPU, a "
                      "stop, a throttle; else, with a tracer, how long the culprit had the CPU); -: said by "
                      "exclusion, because nothing that is counted explains it",
                      10, columns);
    char why[200];
    if (json_is_string(tracer)) {
        snprintf(text, sizeof(text), "nobody can be named without a tracer: %s",
                 st_json_safe(tracer, why, sizeof(why)));
        st_text_field(out, "culprit", text, 10, columns);
    }
}
