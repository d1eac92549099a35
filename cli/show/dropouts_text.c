/* Dropouts as text. */
#include "cli/show/dropouts_text.h"

#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "platform/program/locale.h"
#include "xruns/dropout_reason.h"
#include "xruns/xrun.h"

#define WHO_MAX          5 /* on the first screen */
#define NAME_COLUMNS_MIN 14
#define NAME_COLUMNS_MAX 48
#define WHY_COLUMNS      42 /* if there is room */
#define COUNT_COLUMNS    9
#define LOST_FROM        60 /* columns of the screen; below there is no room for it */

const char *st_dropouts_text_server(const json_t *source)
{
    return st_text("%s", st_xrun_sources_title(st_json_safe_text(source, "source")));
}

const char *st_dropouts_text_sentence(const json_t *dropouts, const char *when)
{
    return st_text("%c%s: %s", when[0] - 'a' + 'A', when + 1, st_json_safe_text(dropouts, "text"));
}

static void put_row(FILE *out, int name_columns, const char *name, int64_t n, const char *lost,
                    const char *why, int columns)
{
    char *label = st_locale_text(st_text("%s", name)); /* where a wide character becomes a question mark */
    const char *dots = st_locale_utf8() ? "…" : "..."; /* another name may begin with the same letters */
    if (st_text_columns(label) >= name_columns)
        label = st_text("%s%s", st_text_clip(label, name_columns - 1 - st_text_columns(dots)), dots);
    label = st_text("%s%*s%*jd", label, name_columns - st_text_columns(label), "", COUNT_COLUMNS, n);
    if (columns >= LOST_FROM)
        label = st_text("%s%*s%s", label, COUNT_COLUMNS - st_text_columns(lost), "", lost);
    st_text_field(out, label, why, name_columns + (columns >= LOST_FROM ? 2 : 1) * COUNT_COLUMNS + 2,
                  columns);
}

/* The rows that are wanted; what they leave. */
struct table {
    FILE *out;
    int name_columns, columns;
    size_t rows_n, rows_max;
    int64_t left_n;
};

static void add(struct table *table, const char *name, int64_t n, const char *lost, const char *why)
{
    if (n <= 0 || table->rows_n++ >= table->rows_max)
        return;
    if (table->rows_n == 1)
        fprintf(table->out, "%-*s%*s%s  %s\n", table->name_columns, "Program", COUNT_COLUMNS, "Dropouts",
                table->columns >= LOST_FROM ? "     Lost" : "", "Why");
    put_row(table->out, table->name_columns, name, n, lost, why, table->columns);
    table->left_n = st_ns_sub(table->left_n, n);
}

void st_dropouts_text_table(FILE *out, const json_t *dropouts, bool all, int columns)
{
    const int room = columns - 2 * COUNT_COLUMNS - 2 - WHY_COLUMNS;
    struct table table = {.out = out,
                          .name_columns =
                              room < NAME_COLUMNS_MIN ? NAME_COLUMNS_MIN : ST_MIN(room, NAME_COLUMNS_MAX),
                          .columns = columns,
                          .rows_max = all ? SIZE_MAX : WHO_MAX,
                          .left_n = st_json_integer(dropouts, "count")};
    ST_JSON_EACH (source, dropouts, "sources") {
        ST_JSON_EACH (client, source, "clients") {
            const bool partly = json_is_true(json_object_get(client, "lost_partly"));
            const int64_t lost_ns = st_json_integer(client, "lost_ns");
            add(&table, st_text_or(st_json_safe_text(client, "name"), "not named"),
                st_ns_add(st_json_integer(client, "dropouts"), st_json_integer(client, "device_dropouts")),
                lost_ns > 0 ? st_text(partly ? "%s+" : "%s", st_ns_short(lost_ns)) : "-",
                st_json_safe_text(client, "text"));
        }
        const char *name = st_json_safe_text(source, "clientless_device");
        const char *terse = st_xrun_sources_find(st_json_safe_text(source, "source"))->terse,
                   *why = st_text_or(terse, st_dropout_reason_device(name));
        if (name[0] == '\0' || terse != NULL) /* JACK's is "default" */
            name = st_dropouts_text_server(source);
        add(&table, name, st_json_integer(source, "clientless_dropouts"), "-", why);
    }
    if (table.rows_n > 0 && table.left_n > 0)
        put_row(out, table.name_columns, "others", table.left_n, "",
                table.rows_n > table.rows_max ? "--details lists them" : "no name was recorded", columns);
}
