#include "lab/analyse/series_set.h"

#include "core/ns.h"
#include "core/text/safe.h"
#include "core/text/text.h"
#include "lab/ns_exact.h"

#define SCHEMA       "sleeptune-series-set/1"
#define NAME_COLUMNS 8

struct st_series_result *st_series_set_add(struct st_series_set *set, const char *name)
{
    if (set->n == ST_SERIES_SET_MAX) {
        (void)st_failure("more than %d series", ST_SERIES_SET_MAX);
        return NULL;
    }
    struct st_series_result *result = calloc(1, sizeof(*result));
    if (result == NULL) {
        (void)st_failure("out of memory");
        return NULL;
    }
    st_safe_copy(result->name, sizeof(result->name), name, ST_TEXT_TO_NUL);
    set->result[set->n++] = result;
    return result;
}

void st_series_set_drop(struct st_series_set *set)
{
    set->n--;
    st_series_result_finish(set->result[set->n]);
    free(set->result[set->n]);
}

void st_series_set_finish(struct st_series_set *set)
{
    while (set->n > 0)
        st_series_set_drop(set);
}

void st_series_set_text(const struct st_series_set *set, const char *heading, FILE *out)
{
    static const char *const columns[] = {"min", "q1", "median", "mean", "q3", "max"};
    int name_columns = NAME_COLUMNS;
    ST_EACH_OF (result, set->result, set->n)
        name_columns = st_text_columns((*result)->name) > name_columns
                           ? st_text_columns((*result)->name)
                           : name_columns;
    fprintf(out, "%-*s%9s", name_columns, heading, "n");
    ST_EACH (column, columns)
        fprintf(out, "%11s", *column);
    fputc('\n', out);
    ST_EACH_OF (row, set->result, set->n) {
        const struct st_sample *sample = &(*row)->sample;
        const int64_t figures[] = {sample->values_ns[0],
                                   st_sample_quantile(sample, 0.25),
                                   st_sample_quantile(sample, 0.5),
                                   llrint((*row)->moments.mean),
                                   st_sample_quantile(sample, 0.75),
                                   sample->values_ns[sample->n - 1]};
        fprintf(out, "%s%*s%9llu", (*row)->name, name_columns - st_text_columns((*row)->name), "",
                (unsigned long long)sample->n);
        ST_EACH (ns, figures) {
            const char *text = st_ns_exact(*ns);
            fprintf(out, "%*s%s", 11 - st_text_columns(text), "", text);
        }
        fputc('\n', out);
    }
    ST_EACH_OF (row, set->result, set->n) {
        if ((*row)->input.note[0] != '\0')
            st_text_wrap(out, st_text("%s: %s", (*row)->name, (*row)->input.note), 0, 80);
    }
}

json_t *st_series_set_json(const struct st_series_set *set, const char *order, bool samples,
                           json_t *missing)
{
    json_t *series = json_array();
    ST_EACH_OF (result, set->result, set->n)
        (void)json_array_append_new(series, st_series_result_json(*result, samples));
    return json_pack("{s:s, s:s, s:o, s:o}", "schema", SCHEMA, "order", order, "series", series,
                     "not_measured", missing != NULL ? missing : json_array());
}

int st_series_set_show(struct st_bench_command *command, const struct st_series_set *set,
                       const char *heading, const char *order, bool samples)
{
    int width;
    FILE *out = st_bench_command_begin(command, &width);
    if (out != NULL)
        st_series_set_text(set, heading, out);
    return st_bench_command_end(command, st_series_set_json(set, order, samples, NULL), set->n);
}
