#include "lab/lab.h"

#include <string.h>

const struct st_sleep_method *st_lab_sleep_find(struct st_lab *lab, const char *name)
{
    const struct st_sleep_method *method;
    for (size_t i = 0; (method = lab->sleep_method(lab, i)) != NULL; i++) {
        if (strcmp(method->name, name) == 0)
            return method;
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
