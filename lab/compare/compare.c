/* Compares two runs: their test conditions and their figures. */
#include "lab/compare/compare.h"

#include "lab/commands.h"
#include "lab/compare/verdict.h"

#define SEED 1 /* fixed, so that the same files give the same result */

static void judge(struct st_compare_result *result)
{
    struct st_figure *figures[ST_FIGURES];
    for (int id = 0; id < ST_FIGURES; id++)
        figures[id] = &result->figures[id];
    result->tests_n = st_verdict_judge(figures, ST_FIGURES);
    for (int id = 0; id < ST_FIGURES; id++)
        result->shown_n += st_verdict_shows(figures[id]);
}

static const char *conditions_of(const struct st_compare_file *file)
{
    return file->input.conditions != NULL ? file->input.conditions : "";
}

int st_compare_make(struct st_compare_result *result)
{
    const struct st_compare_file *a = &result->files[0], *b = &result->files[1];
    struct st_random random = {.state = SEED};
    /* files of different kinds record different conditions: only those that both record are
     * compared */
    const bool known_only = strcmp(a->input.source, b->input.source) != 0;
    int r = st_test_conditions_compare(conditions_of(a), conditions_of(b), known_only,
                                       &result->differ, &result->differ_n);
    if (r == 0)
        r = st_pairs_compare(&a->input.series, &b->input.series, &random, result->figures);
    if (r != 0)
        return st_failure("cannot compare: %s", strerror(-r));
    judge(result);
    return ST_EXIT_DONE;
}

void st_compare_finish(struct st_compare_result *result)
{
    st_test_conditions_free(result->differ, result->differ_n);
    st_series_input_finish(&result->files[0].input);
    st_series_input_finish(&result->files[1].input);
}
