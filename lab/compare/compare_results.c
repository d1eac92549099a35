/* Two documents with results, of two machines for example: the median of each result that both have. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/ns.h"
#include "core/text/safe.h"
#include "core/text/text.h"
#include "evidence/pairs.h"
#include "evidence/verdict.h"
#include "lab/compare/compare.h"
#include "lab/input/document.h"
#include "platform/program/options.h"

#define RESULTS_MAX 256
#define NAME_MIN    8

struct row {
    char name[200];
    struct st_figure figures[ST_FIGURES];
};

static void name_of(const struct st_document *kind, const json_t *result, char *buf, size_t buf_bytes)
{
    char label[96], group[160];
    st_document_label(kind, result, label, sizeof(label));
    st_document_group(kind, result, group, sizeof(group));
    buf[0] = '\0';
    st_text_append(buf, buf_bytes, "%s%s%s", label, group[0] != '\0' ? ", " : "", group);
}

/* The single values of a result, without its warm-up. @return 0, -ENODATA (it has none), -ENOMEM. */
static int take(const json_t *result, struct st_compare_file *ret)
{
    const json_t *samples = json_object_get(result, "samples_ns");
    const size_t n = json_array_size(samples),
                 first = (size_t)json_integer_value(json_object_get(result, "warm_up"));
    if (first >= n)
        return -ENODATA;
    int64_t *values = calloc(n, sizeof(*values));
    int r = values == NULL ? -ENOMEM : st_blocks_init(&ret->blocks);
    for (size_t i = first; i < n && r == 0; i++) {
        values[i - first] = json_integer_value(json_array_get(samples, i));
        r = st_blocks_add(&ret->blocks, values[i - first], false);
    }
    if (r == 0)
        r = st_blocks_end(&ret->blocks);
    if (r != 0) {
        free(values);
        return r;
    }
    ret->sample = st_sample_of(values, n - first);
    return 0;
}

static int compare_one(const json_t *a, const json_t *b, struct row *row)
{
    struct st_compare_file files[2] = {{.path = ""}, {.path = ""}};
    struct st_random random = {.state = 1};
    int r = take(a, &files[0]);
    if (r == 0)
        r = take(b, &files[1]);
    if (r == 0)
        r = st_pairs_compare(&files[0].blocks, &files[1].blocks, &random, row->figures);
    if (r == 0)
        st_compare_make_exact(files, row->figures);
    st_compare_file_finish(&files[0]);
    st_compare_file_finish(&files[1]);
    return r;
}

static size_t print_rows(const struct row *rows, size_t n)
{
    size_t shown_n = 0;
    int columns = NAME_MIN;
    ST_EACH_OF (row, rows, n)
        columns = st_text_columns(row->name) > columns ? st_text_columns(row->name) : columns;
    printf("%-*s  %10s %10s %11s   %-25s %s\n", columns, "median", "A", "B", "B - A", "95 % interval", "p");
    ST_EACH_OF (row, rows, n) {
        const struct st_figure *f = &row->figures[ST_FIGURE_MEDIAN];
        char a[32], b[32], by[32], low[32], high[32];
        st_safe_print(stdout, row->name, strlen(row->name));
        printf("%*s", columns - st_text_columns(row->name), "");
        if (!f->difference.known) {
            puts("  unknown: too few values");
            continue;
        }
        st_ns_format_exact(llrint(f->value[0]), a, sizeof(a));
        st_ns_format_exact(llrint(f->value[1]), b, sizeof(b));
        st_ns_format_exact(llrint(f->difference.value), by, sizeof(by));
        const char *interval =
            ST_TEXT(80, "%s .. %s", st_ns_format_exact(llrint(f->difference.low), low, sizeof(low)),
                    st_ns_format_exact(llrint(f->difference.high), high, sizeof(high)));
        printf("  %*s%s %*s%s %*s%s   %s%*s %.4f%s\n", 10 - st_text_columns(a), "", a,
               10 - st_text_columns(b), "", b, 11 - st_text_columns(by), "", by, interval,
               25 - st_text_columns(interval), "", f->p_corrected, st_verdict_shows(f) ? " *" : "");
        shown_n += st_verdict_shows(f);
    }
    puts("p is corrected for all rows (Holm); * marks a difference that is shown. Each file is one run:\n"
         "anything else that changed between them counts, too.");
    return shown_n;
}

int st_compare_results(const char *command, char *const paths[2], const json_t *a, const json_t *b)
{
    const struct st_document *kind = st_document_of(a);
    struct st_figure *figures[RESULTS_MAX];
    struct row *rows = calloc(RESULTS_MAX, sizeof(*rows));
    size_t n = 0, alone_n = 0;
    int r = rows == NULL ? -ENOMEM : 0;
    for (size_t i = 0; i < st_document_results_n(kind, a) && n < RESULTS_MAX && r == 0; i++) {
        const json_t *left = st_document_result(kind, a, i);
        struct row *row = &rows[n];
        char other[sizeof(row->name)] = "";
        size_t j = 0;
        name_of(kind, left, row->name, sizeof(row->name));
        for (; j < st_document_results_n(kind, b); j++) {
            name_of(kind, st_document_result(kind, b, j), other, sizeof(other));
            if (strcmp(other, row->name) == 0)
                break;
        }
        r = j < st_document_results_n(kind, b) ? compare_one(left, st_document_result(kind, b, j), row)
                                               : -ENODATA;
        if (r == 0)
            figures[n] = &rows[n].figures[ST_FIGURE_MEDIAN];
        n += r == 0;
        alone_n += r == -ENODATA;
        r = r == -ENODATA ? 0 : r;
    }
    int status = ST_EXIT_DONE;
    if (r != 0) {
        status = st_failure(command, "cannot compare: %s", strerror(-r));
    } else if (n == 0) {
        status = st_failure(command, "%s and %s have no result of the same name with single values", paths[0],
                            paths[1]);
    } else {
        (void)st_verdict_judge(figures, n);
        status = print_rows(rows, n) > 0 ? ST_EXIT_FINDINGS : ST_EXIT_DONE;
        if (alone_n > 0)
            printf("%zu results of A are not in B, or have no single values.\n", alone_n);
    }
    free(rows);
    return status;
}
