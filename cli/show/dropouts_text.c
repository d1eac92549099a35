/* Dropouts as text. */
#include "cli/show/dropouts_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/show/json_field.h"
#include "core/event.h"
#include "core/ns.h"
#include "core/text/text.h"
#include "platform/program/locale.h"
#include "story/dropout_sentence.h"
#include "xruns/dropout_reason.h"

#define DEVICE_XRUN   "device-xrun"
#define WHO_MAX       5 /* on the first screen */
#define NAME_MIN      14
#define NAME_MAX      48
#define WHY_COLUMNS   42 /* if there is room */
#define COUNT_COLUMNS 9
#define ROWS_MAX      64 /* of a document */

/* Dropouts of one client (or device) with one reason. */
struct who {
    char name[80];
    bool named; /* by a client */
    char reason[24], culprit[80], source[32];
    int64_t n, most_n; /* most_n: of the row that the culprit is from */
    int64_t busy_ns, error_ns, wait_ns, period_ns;
    int64_t lost_ns, longest_ns; /* 0: not known */
    bool lost_partly;            /* of some of them it is not */
    enum st_dropout_place place;
};

struct list {
    struct who rows[ROWS_MAX];
    size_t n;
};

static int most_first(const void *a, const void *b)
{
    const struct who *x = a, *y = b;
    return (x->n < y->n) - (x->n > y->n);
}

static struct who *place_for(struct list *list, const struct who *row)
{
    ST_EACH_OF (other, list->rows, list->n) {
        if (strcmp(other->name, row->name) == 0 && strcmp(other->reason, row->reason) == 0)
            return other;
    }
    list->rows[list->n] = *row;
    list->rows[list->n].n = list->rows[list->n].most_n = 0;
    return &list->rows[list->n++];
}

static bool is_device(const struct who *row)
{
    return strcmp(row->reason, DEVICE_XRUN) == 0;
}

/* How much too late the worst cycle was. */
static int64_t overrun_ns(const struct who *row)
{
    return st_ns_sub(st_ns_add(row->busy_ns, row->wait_ns), row->period_ns);
}

static void add(struct list *list, const json_t *from)
{
    const json_t *client = json_object_get(from, "client");
    struct who row = {.named = json_is_string(client),
                      .n = st_json_field(from, "count"),
                      .busy_ns = st_json_field(from, "busy_ns"),
                      .error_ns = st_json_field(from, "busy_error_ns"),
                      .wait_ns = st_json_field(from, "wait_ns"),
                      .period_ns = st_json_field(from, "period_ns")};
    char place[24];
    st_json_field_safe(json_object_get(from, "reason"), row.reason, sizeof(row.reason));
    row.place = st_dropout_place_of(st_json_field_safe(json_object_get(from, "place"), place, sizeof(place)));
    st_json_field_safe(json_object_get(from, "culprit"), row.culprit, sizeof(row.culprit));
    st_json_field_safe(json_object_get(from, "source"), row.source, sizeof(row.source));
    if (row.named || is_device(&row))
        st_json_field_safe(row.named ? client : json_object_get(from, "device"), row.name, sizeof(row.name));
    if (row.name[0] == '\0')
        st_dropouts_text_server(json_object_get(from, "source"), row.name, sizeof(row.name));
    if (row.n <= 0) /* what went on of a dropout that was counted before that time */
        return;
    struct who *to = place_for(list, &row);
    if (overrun_ns(&row) > overrun_ns(to)) {
        to->busy_ns = row.busy_ns;
        to->error_ns = row.error_ns;
        to->wait_ns = row.wait_ns;
        to->period_ns = row.period_ns;
    }
    if (row.n > to->most_n) {
        to->most_n = row.n;
        memcpy(to->culprit, row.culprit, sizeof(to->culprit));
    }
    to->n = st_ns_add(to->n, row.n);
    const int64_t lost_ns = st_json_field(from, "lost_ns"), longest_ns = st_json_field(from, "longest_ns");
    to->lost_ns = st_ns_add(to->lost_ns, lost_ns > 0 ? lost_ns : 0);
    to->lost_partly = to->lost_partly || json_is_true(json_object_get(from, "lost_partly"));
    to->longest_ns = longest_ns > to->longest_ns ? longest_ns : to->longest_ns;
}

static void gather(const json_t *dropouts, struct list *ret)
{
    size_t i;
    const json_t *row;
    ret->n = 0;
    json_array_foreach(json_object_get(dropouts, "rows"), i, row)
    {
        if (i < ROWS_MAX)
            add(ret, row);
    }
    qsort(ret->rows, ret->n, sizeof(ret->rows[0]), most_first);
}

const char *st_dropouts_text_server(const json_t *source, char *buf, size_t buf_bytes)
{
    snprintf(buf, buf_bytes, "%s", st_event_source_title(st_json_field_safe(source, ST_ROOM(32))));
    return buf;
}

/* "computed too long (25.0 ms of 21.3 ms)", "lost the CPU to kworker/1:0" */
static void say_why(const struct who *row, bool figures, char *buf, size_t buf_bytes)
{
    struct st_dropout_why why = {.reason = st_dropout_reason_of(row->reason),
                                 .device_xrun = is_device(row),
                                 .culprit = row->culprit,
                                 .resync = row->place == ST_DROPOUT_AT_RESYNC};
    if (figures) {
        why.cycle = (struct st_dropout_cycle){row->busy_ns, row->error_ns, row->wait_ns, row->period_ns};
    }
    if (row->place == ST_DROPOUT_AT_BUS)
        snprintf(buf, buf_bytes, "%s", st_dropout_place_why(row->place));
    else if (row->named)
        st_dropout_reason_why(&why, buf, buf_bytes);
    else
        snprintf(buf, buf_bytes, "%s",
                 why.device_xrun ? "the device had no data in time" : "does not say which program was late");
}

/* The client or device with the most dropouts, whatever their reasons. @return its dropouts; *ret_row has its
 * most frequent reason. */
static int64_t worst_of(const struct list *list, size_t *ret_row)
{
    int64_t worst_n = 0;
    for (size_t i = 0; i < list->n; i++) {
        int64_t n = 0;
        ST_EACH_OF (row, list->rows, list->n)
            n = st_ns_add(n, strcmp(list->rows[i].name, row->name) == 0 ? row->n : 0);
        if (n > worst_n) {
            worst_n = n;
            *ret_row = i;
        }
    }
    return worst_n;
}

const char *st_dropouts_text_source(const json_t *dropouts, char *buf, size_t buf_bytes)
{
    struct list list;
    size_t row = 0;
    gather(dropouts, &list);
    snprintf(buf, buf_bytes, "%s", worst_of(&list, &row) > 0 ? list.rows[row].source : "");
    return buf;
}

const char *st_dropouts_text_sentence(const json_t *dropouts, int64_t total_n, const char *when, char *buf,
                                      size_t buf_bytes)
{
    struct list list;
    size_t row = 0;
    char why[256], of[64];
    gather(dropouts, &list);
    const int64_t worst_n = worst_of(&list, &row);
    const struct who *worst = &list.rows[row];
    if (worst_n == 0) {
        snprintf(buf, buf_bytes, "%" PRId64 " dropout%s %s; which client made them was not recorded.",
                 total_n, total_n == 1 ? "" : "s", when);
        return buf;
    }
    say_why(worst, false, why, sizeof(why));
    char server[32];
    int64_t lost_ns = 0, longest_ns = 0; /* of all of its rows */
    bool lost_partly = false;
    ST_EACH_OF (other, list.rows, list.n) {
        if (strcmp(other->name, worst->name) != 0)
            continue;
        lost_ns = st_ns_add(lost_ns, other->lost_ns);
        lost_partly = lost_partly || other->lost_partly;
        longest_ns = other->longest_ns > longest_ns ? other->longest_ns : longest_ns;
    }
    snprintf(server, sizeof(server), "%s", st_event_source_title(worst->source));
    if (worst->named)
        return st_dropout_sentence(
            &(struct st_dropout_sentence){.name = worst->name,
                                          .reason = st_dropout_reason_of(worst->reason),
                                          .n = (uint64_t)worst_n,
                                          .all_n = (uint64_t)total_n,
                                          .reason_n = is_device(worst) ? 0 : (uint64_t)worst->n,
                                          .when = when,
                                          .why = why,
                                          .lost_ns = lost_ns,
                                          .lost_partly = lost_partly,
                                          .longest_ns = longest_ns,
                                          .place = worst->place,
                                          .server = server},
            buf, buf_bytes);
    snprintf(buf, buf_bytes, "%s %s %s%s %s.", worst->name,
             st_dropout_reason_made(ST_DROPOUT_UNKNOWN, (uint64_t)worst_n, (uint64_t)total_n, of, sizeof(of)),
             when, is_device(worst) ? ":" : " and", why);
    return buf;
}

static void put_row(FILE *out, int name_columns, const char *name, int64_t n, const char *why, int columns)
{
    char label[160], count[32];
    snprintf(label, sizeof(label), "%s", name);
    const char *dots = st_locale_utf8() ? "…" : "..."; /* another name may begin with the same letters */
    if (st_text_columns(label) >= name_columns)
        st_text_append(st_text_clip(label, name_columns - 1 - st_text_columns(dots)), sizeof(label), "%s",
                       dots);
    snprintf(count, sizeof(count), "%" PRId64, n);
    st_text_append(label, sizeof(label), "%*s%*s", name_columns - st_text_columns(label), "", COUNT_COLUMNS,
                   count);
    st_text_field(out, label, why, name_columns + COUNT_COLUMNS + 2, columns);
}

void st_dropouts_text_table(FILE *out, const json_t *dropouts, int64_t total_n, bool all, int columns)
{
    struct list list;
    char why[256];
    int64_t shown_n = 0;
    gather(dropouts, &list);
    if (list.n == 0)
        return;
    const size_t n = all || list.n <= WHO_MAX ? list.n : WHO_MAX;
    const int room = columns - COUNT_COLUMNS - 2 - WHY_COLUMNS;
    const int name_columns = room < NAME_MIN ? NAME_MIN : room > NAME_MAX ? NAME_MAX : room;
    fprintf(out, "%-*s%*s  %s\n", name_columns, "who", COUNT_COLUMNS, "dropouts", "why");
    ST_EACH_OF (row, list.rows, n) {
        say_why(row, true, why, sizeof(why));
        put_row(out, name_columns, row->name, row->n, why, columns);
        shown_n = st_ns_add(shown_n, row->n);
    }
    if (total_n > shown_n)
        put_row(out, name_columns, "others", total_n - shown_n,
                n < list.n ? "--details lists them" : "no name was recorded", columns);
}
