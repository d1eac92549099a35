/* cmocka, and before it the headers that it needs and does not include. */
#pragma once

#include "core/base.h"

#include <setjmp.h>

#include <cmocka.h>

/* Of a file whose tests all begin and end alike. */
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

/* Is this part in the text? */
static inline void assert_has(const char *text, const char *part)
{
    if (text == NULL || strstr(text, part) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", part, text != NULL ? text : "");
}

static inline void assert_lacks(const char *text, const char *part)
{
    if (strstr(text, part) != NULL)
        fail_msg("\"%s\" is in \"%s\"", part, text);
}
