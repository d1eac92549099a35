/* cmocka, and before it the headers that it needs and does not include. */
#pragma once

#include "core/base.h"

#include <setjmp.h>

#include <cmocka.h>

/* Of a file whose tests all begin and end alike. */
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
