/* Which results of the files belong together, and how they differ. */
#include "cli/compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "evidence/missed.h"
#include "evidence/pairs.h"
#include "evidence/verdict.h"

#define SEED 1 /* the same files give the same result */

const char *st_compare_letter(size_t i, char *buf, size_t buf_bytes)
{
    snprintf(buf, buf_bytes, "%c", (int)('A' + (i < 26 ? i : 25)));
    return buf;
}

double st_compare_wanted(const struct st_compare_result *result, const struct st_compare_pair *pair,
                         enum st_figure_id id)
{
    if (result->wanted_share > 0)
        return result->wanted_share * pair->found.figures[id].value[0];
    return id == ST_FIGURE_MISSED ? 0 : (double)result->wanted_ns;
}

/* "sleeptune-lab sleep", "a recording". */
static const char *kind_of(const struct st_compare_file *file)
{
    return file->has_values || file->kind == NULL ? file->source : file->kind->name;
}

int st_compare_make_alike(const char *command, struct st_compare_result *result)
{
    const struct st_document *kind = NULL;
    size_t values_n = 0;
    for (size_t i = 0; i < result->files_n; i++) {
        const struct st_compare_file *file = &result->files[i];
        kind = file->has_values ? kind : file->kind;
        values_n += file->has_values;
    }
    for (size_t i = 0; i < result->files_n && values_n > 0 && kind != NULL; i++) {
        struct st_compare_file *file = &result->files[i];
        const int r =
            file->has_values && kind == st_document_of_measure() ? st_compare_figures_of_values(file) : 0;
        if (r != 0)
            return st_failure(command, "%s: %s", file->path, strerror(-r));
    }
    for (size_t i = 1; i < result->files_n; i++) {
        const struct st_compare_file *first = &result->files[0], *file = &result->files[i];
        if (file->has_values != first->has_values || file->kind != first->kind)
            return st_failure(command, "cannot compare %s (%s) with %s (%s): they have no figure in common",
                              file->path, kind_of(file), first->path, kind_of(first));
    }
    return ST_EXIT_DONE;
}

/* --- pairs --- */

static int add_pair(struct st_compare_result *result, const struct st_compare_pair *pair)
{
    struct st_compare_pair *grown = reallocarray(result->pairs, result->pairs_n + 1, sizeof(*grown));
    if (grown == NULL)
        return -ENOMEM;
    result->pairs = grown;
    grown[result->pairs_n++] = *pair;
    return 0;
}

static const struct st_compare_row *row_of(const struct st_compare_file *file, const char *label)
{
    for (size_t i = 0; i < file->rows_n; i++) {
        if (strcmp(file->rows[i].label, label) == 0)
            return &file->rows[i];
    }
    return NULL;
}

static int compare_rows(const struct st_compare_row *a, const struct st_compare_row *b,
                        struct st_comparison *ret)
{
    *ret = (struct st_comparison){0};
    for (int id = 0; id < ST_FIGURES; id++) {
        struct st_figure *figure = &ret->figures[id];
        figure->drift[0] = figure->drift[1] = (double)NAN;
        if (id == ST_FIGURE_MISSED && a->periods_n > 0 && b->periods_n > 0) {
            const int r = st_missed_compare(a->missed_n, a->periods_n, b->missed_n, b->periods_n, figure);
            if (r != 0)
                return r;
        } else if (a->interval_known[id] && b->interval_known[id]) {
            *figure = st_figure_of_intervals(a->value[id], b->value[id]);
        } else {
            figure->known[0] = a->known[id];
            figure->known[1] = b->known[id];
            figure->value[0] = a->value[id][0];
            figure->value[1] = b->value[id][0];
        }
    }
    return 0;
}

static int blocks_of(const struct st_compare_row *row, struct st_blocks *ret)
{
    int r = st_blocks_init(ret);
    for (size_t i = 0; i < row->values_n && r == 0; i++)
        r = st_blocks_add(ret, row->values_ns[i], false);
    return r == 0 ? st_blocks_end(ret) : r;
}

static int compare_values(const struct st_compare_row *a, const struct st_compare_row *b,
                          struct st_comparison *ret)
{
    struct st_random random = {.state = SEED};
    struct st_blocks blocks[2] = {0};
    int r = blocks_of(a, &blocks[0]);
    if (r == 0)
        r = blocks_of(b, &blocks[1]);
    if (r == 0)
        r = st_pairs_compare(&blocks[0], &blocks[1], ST_PAIRS_APART, ST_CONFIDENCE_95, &random, ret);
    if (r == 0)
        ret->figures[ST_FIGURE_MISSED] = (struct st_figure){0}; /* no period, none missed */
    st_blocks_finish(&blocks[0]);
    st_blocks_finish(&blocks[1]);
    return r;
}

/* Row by row, in the order of a. */
static int pair_rows(struct st_compare_result *result, const struct st_compare_file *a,
                     const struct st_compare_file *b)
{
    int r = 0;
    size_t common_n = 0;
    for (size_t i = 0; i < a->rows_n && r == 0; i++) {
        const struct st_compare_row *row = &a->rows[i], *other = row_of(b, row->label);
        if (other == NULL)
            continue;
        common_n++;
        struct st_compare_pair pair = {.a = a, .b = b, .label = row->label, .n = {row->n, other->n}};
        pair.by_values = row->values_n > 0 && other->values_n > 0;
        if (pair.by_values) {
            pair.n[0] = row->values_n;
            pair.n[1] = other->values_n;
            r = compare_values(row, other, &pair.found);
        } else {
            r = compare_rows(row, other, &pair.found);
        }
        if (r == 0)
            r = add_pair(result, &pair);
    }
    result->left_out_n += a->rows_n + b->rows_n - 2 * common_n;
    return r;
}

static int pair_values(struct st_compare_result *result, const struct st_compare_file *a,
                       const struct st_compare_file *b)
{
    struct st_random random = {.state = SEED};
    struct st_compare_pair pair = {
        .a = a, .b = b, .label = "", .n = {a->blocks.n, b->blocks.n}, .by_values = true};
    const int r =
        st_pairs_compare(&a->blocks, &b->blocks, ST_PAIRS_APART, ST_CONFIDENCE_95, &random, &pair.found);
    return r == 0 ? add_pair(result, &pair) : r;
}

static int judge(struct st_compare_result *result)
{
    const size_t n = result->pairs_n * ST_FIGURES;
    struct st_figure **figures = calloc(n + 1, sizeof(struct st_figure *));
    if (figures == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++)
        figures[i] = &result->pairs[i / ST_FIGURES].found.figures[i % ST_FIGURES];
    result->tests_n = st_verdict_judge(figures, n);
    for (size_t i = 0; i < n; i++)
        result->shown_n += st_verdict_shows(figures[i]);
    free(figures);
    return 0;
}

int st_compare_make(struct st_compare_result *result)
{
    const struct st_compare_file *a = &result->files[0];
    int r = 0;
    for (size_t i = 1; i < result->files_n && r == 0; i++) {
        const struct st_compare_file *b = &result->files[i];
        r = st_test_conditions_compare(a->conditions, b->conditions, &result->differ[i],
                                       &result->differ_n[i]);
        if (strcmp(a->source, b->source) !=
            0) /* each kind of file has conditions that others do not record */
            st_test_conditions_keep_known(result->differ[i], &result->differ_n[i]);
        if (r == 0)
            r = a->has_values ? pair_values(result, a, b) : pair_rows(result, a, b);
    }
    return r == 0 ? judge(result) : r;
}
