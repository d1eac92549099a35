/* Compares the test conditions of two runs, which are text of "key: value" lines. */
#pragma once

#include "core/base.h"

#define ST_LOAD_KEY "load_average" /* load average, whose small differences are ignored */

/** A condition that differs between both runs. */
struct st_test_condition_pair {
    char *key;
    char *before; /* "": unknown */
    char *now;
};

/** Copies the value of the key `wanted` from the text to ret, cut to ret_bytes; "" if the text does
 * not have the key. @return whether it has the key. */
bool st_test_conditions_value(const char *text, const char *wanted, char *ret, size_t ret_bytes);

/** Finds the conditions that differ: in the order of `now`, then those that only `before` has.
 * @param known_only leaves out conditions that one side does not record. Appends to *ret, which is
 * NULL or a list. @return 0, -ENOMEM. Free with st_test_conditions_free. */
ST_NODISCARD int st_test_conditions_compare(const char *before, const char *now, bool known_only,
                                            struct st_test_condition_pair **ret, size_t *ret_n);
void st_test_conditions_free(struct st_test_condition_pair *list, size_t n);
/** "key: 1 -> 2". @return buf. */
const char *st_test_conditions_text(const struct st_test_condition_pair *pair, char *buf,
                                    size_t buf_bytes);
