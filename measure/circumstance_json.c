#include "measure/circumstance_json.h"

#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/number.h"

void st_circumstance_json(void *object, const char *key, const char *value)
{
    int64_t number;
    const bool whole = strlen(value) < 18 && st_number_i64(value, INT64_MIN, INT64_MAX, &number) == 0 &&
                       strcmp(key, "cpus_isolated") != 0; /* a list: "1-3", or one CPU */
    json_t *json = whole ? ST_JSON(number) : json_string(value);
    st_json_set(object, key, json != NULL ? json : json_null()); /* not UTF-8 */
}

json_t *st_circumstances_json(struct st_platform *p)
{
    json_t *o = json_object();
    p->circumstances(p, -1, st_circumstance_json, o);
    return o;
}
