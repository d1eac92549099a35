#include "advisor/report/tuned.h"

#include "core/text/json.h"
#include "core/text/safe.h"
#include "evidence/miss_events.h"

#define SCHEMA         "sleeptune-tuned/1"
#define FILE_NAME      "/tuned.json"
#define DOCUMENT_BYTES 32768

static const char *kernel_of(const struct st_facts *facts)
{
    return st_facts_text_or(
        facts, facts->os == ST_OS_FREEBSD ? ST_KEY_FREEBSD_KERN_OSRELEASE : ST_KEY_KERNEL_RELEASE,
        NULL);
}

static bool take_row(json_t *object, struct st_tuned_row *row)
{
    const char *id, *outcome, *target, *from, *to;
    json_int_t events_n[2];
    if (json_unpack(object, "{s:s, s:s, s:F, s:F, s:F, s:s, s:s, s:s, s:[{s:I, s:F}, {s:I, s:F}]}",
                    "id", &id, "outcome", &outcome, "fold", &row->fold, "low", &row->low, "high",
                    &row->high, "target", &target, "from", &from, "to", &to, "runs", "dropouts",
                    &events_n[0], "seconds", &row->seconds[0], "dropouts", &events_n[1], "seconds",
                    &row->seconds[1]) != 0)
        return false;
    for (int arm = 0; arm < 2; arm++) {
        row->events_n[arm] = (uint64_t)ST_MAX(events_n[arm], 0);
        row->seconds[arm] = fmax(row->seconds[arm], 0);
    }
    for (int i = 0; i <= ST_TUNING_HARMFUL; i++) {
        if (st_text_is(outcome, st_tuning_outcome_name((enum st_tuning_outcome)i)))
            row->outcome = (enum st_tuning_outcome)i;
    }
    const struct {
        const char *from;
        char *to;
        size_t bytes;
    } texts[] = {{id, row->id, sizeof(row->id)},
                 {target, row->target, sizeof(row->target)},
                 {from, row->from, sizeof(row->from)},
                 {to, row->to, sizeof(row->to)}};
    ST_EACH (text,
             texts) { /* texts from a file are printed later, so only safe ones are accepted */
        if (!st_safe_is(text->from) ||
            !st_text_copy(text->to, text->bytes, text->from, strlen(text->from)))
            return false;
    }
    return row->outcome != ST_TUNING_NOT_TRIED &&
           (row->outcome != ST_TUNING_HELPS ||
            (row->low > 0 && row->low <= row->fold && row->fold <= row->high));
}

static int take(json_t *document, const char *kernel, struct st_tuned *ret)
{
    const char *schema, *then, *day;
    json_int_t frames;
    json_t *rows, *object;
    struct st_tuned tuned = {.n = 0};
    if (json_unpack(document, "{s:s, s:s, s:s, s:I, s:o}", "schema", &schema, "day", &day, "kernel",
                    &then, "frames", &frames, "rows", &rows) != 0 ||
        !st_text_is(schema, SCHEMA) || !st_safe_is(day) ||
        !st_text_copy(tuned.day, sizeof(tuned.day), day, strlen(day)) ||
        json_array_size(rows) > ST_TUNING_ROWS_MAX)
        return -EBADMSG;
    tuned.frames = frames;
    json_array_foreach(rows, tuned.n, object)
    {
        if (!take_row(object, &tuned.rows[tuned.n]))
            return -EBADMSG;
    }
    if (kernel == NULL || !st_text_is(kernel, then))
        return -ESTALE;
    *ret = tuned;
    return 0;
}

int st_tuned_read(struct st_platform *machine, const char *folder, const struct st_facts *facts,
                  struct st_tuned *ret)
{
    char text[DOCUMENT_BYTES];
    size_t bytes;
    int r =
        machine->read_text(machine, st_text("%s%s", folder, FILE_NAME), text, sizeof(text), &bytes);
    if (r != 0)
        return r;
    json_t *document = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, NULL);
    r = take(document, kernel_of(facts), ret);
    json_decref(document);
    return r;
}

int st_tuned_write(struct st_platform *platform, const char *folder, const struct st_facts *facts,
                   const struct st_tuned *tuned)
{
    const char *kernel = kernel_of(facts);
    if (kernel == NULL)
        return -ENODATA;
    json_t *rows = json_array();
    ST_EACH_OF (row, tuned->rows, tuned->n) {
        json_t *runs = json_array();
        for (size_t i = 0; i < ST_ARRAY_LEN(row->seconds); i++)
            json_array_append_new(
                runs, st_json_object("dropouts:i seconds:d", row->events_n[i], row->seconds[i]));
        json_array_append_new(
            rows, st_json_object("id:t outcome:t fold:d low:d high:d target:t from:t to:t runs:o",
                                 row->id, st_tuning_outcome_name(row->outcome), row->fold, row->low,
                                 row->high, row->target, row->from, row->to, runs));
    }
    json_t *document = st_json_object("schema:t day:t kernel:t frames:i rows:o", SCHEMA, tuned->day,
                                      kernel, tuned->frames, rows);
    char *text = st_json_into_text(document, ST_JSON_PRETTY);
    if (text == NULL)
        return -ENOMEM;
    const char *path = st_text("%s%s", folder, FILE_NAME);
    const int r = platform->replace_file(platform, path, text, strlen(text), 0644);
    free(text);
    return r;
}

const struct st_tuned_row *st_tuned_find(const struct st_tuned *tuned, const char *id)
{
    ST_EACH_OF (row, tuned->rows, tuned->n) {
        if (st_text_is(row->id, id))
            return row;
    }
    return NULL;
}

const char *st_tuned_text(const struct st_tuned *tuned, const struct st_tuned_row *row)
{
    const char *effect = "no effect was found";
    if (row->outcome == ST_TUNING_HELPS)
        effect = st_text("%.1f times fewer late wake-ups (95 %%: %.1f .. %.1f)", row->fold,
                         row->low, row->high);
    else if (row->outcome == ST_TUNING_HARMFUL)
        effect = "more late wake-ups";
    const char *change = row->to[0] != '\0' ? st_text("%s -> %s: ", row->from, row->to) : row->from;
    return st_text("%s%s, measured %s with %jd frames", change, effect, tuned->day, tuned->frames);
}

const char *st_tuned_per_hour(const struct st_tuned_row *row)
{
    if (row->seconds[0] <= 0 || row->seconds[1] <= 0)
        return "";
    const double usual = (double)row->events_n[0] * 3600 / row->seconds[0];
    const char *without = st_miss_events_rate_text(
        usual > 0 ? usual : st_miss_events_per_hour_max95(row->events_n[0], row->seconds[0]));
    const char *with =
        st_miss_events_rate_text(st_miss_events_per_hour_max95(row->events_n[1], row->seconds[1]));
    return st_text("; dropouts of the timing test: %s %s an hour without this setting, at most %s "
                   "with it (95 %%)",
                   usual > 0 ? "about" : "at most", without, with);
}
