/* Compares two documents with results, for example of two machines: the median of each result that
 * both have. */
#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/text.h"
#include "lab/compare/compare.h"
#include "lab/compare/pairs.h"
#include "lab/compare/verdict.h"
#include "lab/input/document.h"
#include "lab/ns_exact.h"

#define NAME_MIN 8

static void name_of(const struct st_document *kind, const json_t *result, char *buf,
                    size_t buf_bytes)
{
    char label[96], group[160];
    st_document_label(kind, result, label, sizeof(label));
    st_document_group(kind, result, group, sizeof(group));
    buf[0] = '\0';
    st_text_append(buf, buf_bytes, "%s%s%s", label, group[0] != '\0' ? ", " : "", group);
}

/* Reads the single values of a result. @return 0, -ENODATA (it has none), -ENOMEM. */
static int take(const json_t *result, struct st_series *ret)
{
    const json_t *samples = json_object_get(result, "samples_ns");
    int r = json_array_size(samples) == 0 ? -ENODATA : 0;
    for (size_t i = 0; i < json_array_size(samples) && r == 0; i++)
        r = st_series_add(ret, i, json_integer_value(json_array_get(samples, i)));
    return r;
}

static int compare_one(const json_t *a, const json_t *b, struct st_compare_row *row)
{
    struct st_series runs[2] = {0};
    struct st_random random = {.state = 1};
    int r = take(a, &runs[0]);
    if (r == 0)
        r = take(b, &runs[1]);
    if (r == 0)
        r = st_pairs_compare(&runs[0], &runs[1], &random, row->figures);
    st_series_finish(&runs[0]);
    st_series_finish(&runs[1]);
    return r;
}

void st_compare_results_text(const struct st_compare_results *results, FILE *out)
{
    int columns = NAME_MIN;
    ST_EACH_OF (row, results->rows, results->n)
        columns = st_text_columns(row->name) > columns ? st_text_columns(row->name) : columns;
    fprintf(out, "%-*s  %10s %10s %11s   %-25s %s\n", columns, "median", "A", "B", "B - A",
            "95 % interval", "p");
    ST_EACH_OF (row, results->rows, results->n) {
        const struct st_figure *f = &row->figures[ST_FIGURE_MEDIAN];
        fprintf(out, "%s%*s", row->name, columns - st_text_columns(row->name), "");
        if (!f->difference.known) {
            fputs("  unknown: too few values\n", out);
            continue;
        }
        const char *a = st_ns_exact(llrint(f->value[0]));
        const char *b = st_ns_exact(llrint(f->value[1]));
        const char *by = st_ns_exact(llrint(f->difference.value));
        const char *interval = st_text("%s .. %s", st_ns_exact(llrint(f->difference.low)),
                                       st_ns_exact(llrint(f->difference.high)));
        fprintf(out, "  %*s%s %*s%s %*s%s   %s%*s %s%s\n", 10 - st_text_columns(a), "", a,
                10 - st_text_columns(b), "", b, 11 - st_text_columns(by), "", by, interval,
                25 - st_text_columns(interval), "",
                f->p_corrected < 0.0001 ? "<0.0001" : st_text("%.4f", f->p_corrected),
                st_verdict_shows(f) ? " *" : "");
    }
    fputs("p is corrected for all rows (Holm). * marks a difference that is shown.\n"
          "Each file is one run: anything else that changed between them counts, too.\n",
          out);
    if (results->alone_n > 0)
        fprintf(out, "Left out, because not in B or without single values: %zu of A.\n",
                results->alone_n);
}

/* Finds the result with this name. @return NULL: there is none. */
static const json_t *find(const struct st_document *kind, const json_t *document,
                          const char *wanted)
{
    char name[200];
    for (size_t i = 0; i < st_document_results_n(kind, document); i++) {
        name_of(kind, st_document_result(kind, document, i), name, sizeof(name));
        if (strcmp(name, wanted) == 0)
            return st_document_result(kind, document, i);
    }
    return NULL;
}

int st_compare_results_make(const json_t *a, const json_t *b, struct st_compare_results *ret)
{
    const struct st_document *kind = st_document_of(a);
    const size_t all_n = st_document_results_n(kind, a);
    struct st_compare_results results = {.rows = calloc(all_n + 1, sizeof(*results.rows))};
    struct st_figure **figures = calloc(all_n + 1, sizeof(*figures));
    int r = results.rows == NULL || figures == NULL ? -ENOMEM : 0;
    for (size_t i = 0; i < all_n && r == 0; i++) {
        struct st_compare_row *row = &results.rows[results.n];
        name_of(kind, st_document_result(kind, a, i), row->name, sizeof(row->name));
        const json_t *other = find(kind, b, row->name);
        r = other != NULL ? compare_one(st_document_result(kind, a, i), other, row) : -ENODATA;
        if (r == 0)
            figures[results.n++] = &row->figures[ST_FIGURE_MEDIAN];
        results.alone_n += r == -ENODATA;
        r = r == -ENODATA ? 0 : r;
    }
    if (r == 0 && results.n > 0)
        results.tests_n = st_verdict_judge(figures, results.n);
    ST_EACH_OF (row, results.rows, r == 0 ? results.n : 0)
        results.shown_n += st_verdict_shows(&row->figures[ST_FIGURE_MEDIAN]);
    free(figures);
    *ret = results;
    return r;
}

void st_compare_results_finish(struct st_compare_results *results)
{
    free(results->rows);
}
