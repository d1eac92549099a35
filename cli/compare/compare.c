/* Which results of two files belong together, and how they differ. */
#include "cli/compare/compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "evidence/verdict.h"

#define SEED 1 /* the same files give the same result */

static int compare(const struct st_blocks *a, const struct st_blocks *b, struct st_compare_pair *pair)
{
    struct st_random random = {.state = SEED};
    pair->n[0] = a->n;
    pair->n[1] = b->n;
    return st_pairs_compare(a, b, &random, pair->figures);
}

static int blocks_of(const struct st_compare_row *row, struct st_blocks *ret)
{
    int r = st_blocks_init(ret);
    for (size_t i = 0; i < row->values_n && r == 0; i++)
        r = st_blocks_add(ret, row->values_ns[i], false);
    return r == 0 ? st_blocks_end(ret) : r;
}

static int compare_rows(const struct st_compare_row *a, const struct st_compare_row *b,
                        struct st_compare_pair *pair)
{
    struct st_blocks blocks[2] = {0};
    int r = blocks_of(a, &blocks[0]);
    if (r == 0)
        r = blocks_of(b, &blocks[1]);
    if (r == 0)
        r = compare(&blocks[0], &blocks[1], pair);
    pair->figures[ST_FIGURE_MISSED] = (struct st_figure){0}; /* no period, none missed */
    st_blocks_finish(&blocks[0]);
    st_blocks_finish(&blocks[1]);
    return r;
}

static const struct st_compare_row *row_of(const struct st_compare_file *file, const char *label)
{
    for (size_t i = 0; i < file->rows_n; i++) {
        if (strcmp(file->rows[i].label, label) == 0)
            return &file->rows[i];
    }
    return NULL;
}

/* Row by row, in the order of the first file. */
static int pair_rows(struct st_compare_result *result)
{
    const struct st_compare_file *a = &result->files[0], *b = &result->files[1];
    int r = 0;
    for (size_t i = 0; i < a->rows_n && r == 0; i++) {
        const struct st_compare_row *row = &a->rows[i], *other = row_of(b, row->label);
        if (other == NULL)
            continue;
        struct st_compare_pair *pair = &result->pairs[result->pairs_n++];
        pair->label = row->label;
        r = compare_rows(row, other, pair);
    }
    result->left_out_n = a->rows_n + b->rows_n - 2 * result->pairs_n;
    return r;
}

static int judge(struct st_compare_result *result)
{
    const size_t n = result->pairs_n * ST_FIGURES;
    struct st_figure **figures = calloc(n + 1, sizeof(struct st_figure *));
    if (figures == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++)
        figures[i] = &result->pairs[i / ST_FIGURES].figures[i % ST_FIGURES];
    result->tests_n = st_verdict_judge(figures, n);
    for (size_t i = 0; i < n; i++)
        result->shown_n += st_verdict_shows(figures[i]);
    free(figures);
    return 0;
}

/* "a recording", "sleeptune-lab wake". */
static const char *kind_of(const struct st_compare_file *file)
{
    return file->kind != NULL ? file->kind->name : file->source;
}

int st_compare_make(const char *command, struct st_compare_result *result)
{
    const struct st_compare_file *a = &result->files[0], *b = &result->files[1];
    if (a->kind != b->kind)
        return st_failure(command, "cannot compare %s (%s) with %s (%s): the files have no figure in common",
                          b->path, kind_of(b), a->path, kind_of(a));
    /* each kind of file has conditions that others do not record */
    const bool known_only = strcmp(a->source, b->source) != 0;
    int r = st_test_conditions_compare(a->conditions, b->conditions, known_only, &result->differ,
                                       &result->differ_n);
    result->pairs = calloc(a->rows_n + 1, sizeof(*result->pairs));
    if (r == 0 && result->pairs == NULL)
        r = -ENOMEM;
    if (r == 0 && a->kind == NULL) {
        result->pairs[result->pairs_n++].label = "";
        r = compare(&a->blocks, &b->blocks, &result->pairs[0]);
    } else if (r == 0) {
        r = pair_rows(result);
    }
    if (r == 0)
        r = judge(result);
    if (r != 0)
        return st_failure(command, "cannot compare: %s", strerror(-r));
    return result->pairs_n > 0
               ? ST_EXIT_DONE
               : st_failure(command, "%s and %s have no result of the same kind", a->path, b->path);
}

void st_compare_finish(struct st_compare_result *result)
{
    st_test_conditions_free(result->differ, result->differ_n);
    free(result->pairs);
    st_compare_file_finish(&result->files[0]);
    st_compare_file_finish(&result->files[1]);
}
