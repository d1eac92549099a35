/* How two runs differ. */
#include "lab/compare/compare.h"

#include "lab/commands.h"
#include "lab/compare/verdict.h"

#define SEED 1 /* the same files give the same result */

void st_compare_make_exact(const struct st_compare_file *files, struct st_figure *figures)
{
    for (int id = 0; id < ST_FIGURE_MISSED; id++) {
        struct st_figure *f = &figures[id];
        for (int i = 0; i < 2; i++) {
            if (!f->known[i] || files[i].sample.len == 0)
                continue;
            const double exact = (double)st_sample_quantile(&files[i].sample, st_figure_quantiles[id]);
            const double more = (exact - f->value[i]) * (i == 1 ? 1 : -1);
            f->value[i] = exact;
            f->difference.value += more;
            f->difference.low += more;
            f->difference.high += more;
        }
    }
}

static void judge(struct st_compare_result *result)
{
    struct st_figure *figures[ST_FIGURES];
    for (int id = 0; id < ST_FIGURES; id++)
        figures[id] = &result->figures[id];
    result->tests_n = st_verdict_judge(figures, ST_FIGURES);
    for (int id = 0; id < ST_FIGURES; id++)
        result->shown_n += st_verdict_shows(figures[id]);
}

int st_compare_make(struct st_compare_result *result)
{
    const struct st_compare_file *a = &result->files[0], *b = &result->files[1];
    struct st_random random = {.state = SEED};
    /* each kind of file has conditions that others do not record */
    const bool known_only = strcmp(a->source, b->source) != 0;
    int r = st_test_conditions_compare(a->conditions, b->conditions, known_only, &result->differ,
                                       &result->differ_n);
    if (r == 0)
        r = st_pairs_compare(&a->blocks, &b->blocks, &random, result->figures);
    if (r != 0)
        return st_failure("cannot compare: %s", strerror(-r));
    st_compare_make_exact(result->files, result->figures);
    if (a->untimed || b->untimed)
        result->figures[ST_FIGURE_MISSED] = (struct st_figure){.known = {false, false}};
    judge(result);
    return ST_EXIT_DONE;
}

void st_compare_finish(struct st_compare_result *result)
{
    st_test_conditions_free(result->differ, result->differ_n);
    st_compare_file_finish(&result->files[0]);
    st_compare_file_finish(&result->files[1]);
}
