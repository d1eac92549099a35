#include "lab/lab.h"

const void *st_lab_find(struct st_lab *lab, st_lab_table *table, const char *name)
{
    const char *const *row;
    for (size_t i = 0; (row = table(lab, i)) != NULL; i++) {
        if (strcmp(*row, name) == 0)
            return row;
    }
    return NULL;
}
