#include "lab/input/document.h"

#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/text.h"

#define VERSION "1"

static const struct st_document documents[] = {
    {"sleeptune-bench-exec/",
     "sleeptune-lab exec",
     "results",
     "wall_ns",
     "time from start to end",
     {"command"},
     {"requested_ns"},
     .drawn = "overshoot_of_runs_ns",
     .drawn_quantity = "overshoot (without the start)"},
    {"sleeptune-bench-syscall/",
     "sleeptune-lab syscall",
     "results",
     "ns",
     "time of a call",
     {"call"},
     {"mode"}},
    {"sleeptune-bench-wake/",
     "sleeptune-lab wake",
     "results",
     "delay_ns",
     "delay (returned - signalled)",
     {"mechanism"},
     {"kind", "placement"},
     .x = "slice_ns"},
    {"sleeptune-series/", "series", NULL, "lateness_ns", "late", {"conditions.method"}, {NULL}},
    {"sleeptune-series-set/", "series", "series", "lateness_ns", "late", {"name"}, {NULL}},
    {"sleeptune-measure/", "measure", NULL, "lateness_ns", "lateness (woke - due)", {NULL}, {NULL}},
};

const struct st_document *st_document_of(const json_t *document)
{
    const char *schema = st_json_text(document, "schema");
    for (size_t i = 0; schema != NULL && i < ST_ARRAY_LEN(documents); i++) {
        const struct st_document *kind = &documents[i];
        const size_t family = strlen(kind->schema);
        if (strncmp(schema, kind->schema, family) == 0 && strcmp(schema + family, VERSION) == 0 &&
            (kind->list == NULL || json_is_array(json_object_get(document, kind->list))))
            return kind;
    }
    return NULL;
}

size_t st_document_results_n(const struct st_document *kind, const json_t *document)
{
    return kind->list != NULL ? json_array_size(json_object_get(document, kind->list)) : 1;
}

const json_t *st_document_result(const struct st_document *kind, const json_t *document, size_t i)
{
    return kind->list != NULL ? json_array_get(json_object_get(document, kind->list), i) : document;
}

/* Appends a value of a result to its label or group. Text stands alone ("fifo"); a number, or any
 * value if `named`, follows the name of its key ("requested 5.000 ms"). */
static void add_word(char *buf, size_t buf_bytes, const char *key, bool named, const json_t *value)
{
    const size_t bytes = strlen(key);
    const bool time = bytes > 3 && strcmp(key + bytes - 3, "_ns") == 0;
    const char *text = json_string_value(value);
    if (json_is_integer(value))
        text = time ? st_ns_text(json_integer_value(value))
                    : st_text("%lld", (long long)json_integer_value(value));
    if (text == NULL)
        return;
    char *name = st_text("%.*s ", (int)(time ? bytes - 3 : bytes), key);
    st_text_swap(name, '_', ' ');
    st_text_join(buf, buf_bytes, ", ", "%s%s", named || !json_is_string(value) ? name : "", text);
}

static void words(const json_t *result, const char *const *keys, size_t keys_n, bool named,
                  char *buf, size_t buf_bytes)
{
    buf[0] = '\0';
    for (size_t i = 0; i < keys_n && keys[i] != NULL; i++) {
        const char *dot = strchr(keys[i], '.');
        if (dot != NULL)
            add_word(buf, buf_bytes, dot + 1, named,
                     json_object_get(json_object_get(result, "conditions"), dot + 1));
        else
            add_word(buf, buf_bytes, keys[i], named, json_object_get(result, keys[i]));
    }
}

void st_document_label(const struct st_document *kind, const json_t *result, char *buf,
                       size_t buf_bytes)
{
    words(result, kind->label, ST_DOCUMENT_LABELS, false, buf, buf_bytes);
}

void st_document_panel(const struct st_document *kind, const json_t *result, char *buf,
                       size_t buf_bytes)
{
    words(result, kind->group, ST_DOCUMENT_GROUPS, true, buf, buf_bytes);
}

void st_document_group(const struct st_document *kind, const json_t *result, char *buf,
                       size_t buf_bytes)
{
    st_document_panel(kind, result, buf, buf_bytes);
    if (kind->x != NULL)
        add_word(buf, buf_bytes, kind->x, true, json_object_get(result, kind->x));
}
