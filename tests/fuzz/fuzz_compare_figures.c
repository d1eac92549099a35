/* JSON that is to be compared: rows have names of their own, intervals hold their figure, and a comparison
 * with itself, row by row, shows nothing. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/compare.h"
#include "evidence/missed.h"
#include "evidence/verdict.h"

#define NAME "fuzz"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_row(const struct st_compare_row *row)
{
    struct st_figure figure[ST_FIGURES] = {0}, *figures[ST_FIGURES];
    if (memchr(row->label, '\0', sizeof(row->label)) == NULL || row->missed_n > row->periods_n)
        abort();
    for (int id = 0; id < ST_FIGURES; id++) {
        const double *value = row->value[id];
        figures[id] = &figure[id];
        if (row->interval_known[id] && (!row->known[id] || !(value[1] <= value[0] && value[0] <= value[2])))
            abort();
        if (row->interval_known[id])
            figure[id] = st_figure_of_intervals(value, value);
        else if (id == ST_FIGURE_MISSED && st_missed_compare(row->missed_n, row->periods_n, row->missed_n,
                                                             row->periods_n, &figure[id]) != 0)
            abort();
        if (figure[id].difference.value != 0 || !(figure[id].p_value >= 0 && figure[id].p_value <= 1))
            abort();
    }
    (void)st_verdict_judge(figures, ST_FIGURES);
    for (int id = 0; id < ST_FIGURES; id++) {
        if (st_verdict_shows(&figure[id]))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct st_compare_file file = {.path = "input"};
    json_error_t error;
    json_t *document = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, &error);
    if (document == NULL)
        return 0;
    if (st_compare_read_figures(NAME, document, &file) == 0) {
        for (size_t i = 0; i < file.rows_n; i++) {
            check_row(&file.rows[i]);
            for (size_t k = 0; k < i; k++) {
                if (strcmp(file.rows[i].label, file.rows[k].label) == 0)
                    abort();
            }
        }
    }
    json_decref(document);
    st_compare_file_finish(&file);
    return 0;
}
