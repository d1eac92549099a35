#include "lab/lab.h"

#include <string.h>

const void *st_lab_find(struct st_lab *lab, st_lab_table *table, const char *name)
{
    const char *const *row;
    for (size_t i = 0; (row = table(lab, i)) != NULL; i++) {
        if (strcmp(*row, name) == 0)
            return row;
    }
    return NULL;
}

const struct st_sleep_method *st_lab_sleep_of_tables(struct st_lab *lab, const struct st_sleep_method *own,
                                                     size_t own_n, size_t i)
{
    struct st_platform *p = lab->platform;
    const struct st_sleep_method *method;
    size_t platform_n = 0;
    while ((method = p->sleep_method(p, platform_n)) != NULL) {
        if (platform_n++ == i)
            return method;
    }
    return i - platform_n < own_n ? &own[i - platform_n] : NULL;
}
