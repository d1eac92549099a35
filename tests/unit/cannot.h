/* A test that cannot run here says why and passes: cmocka's skip() is "not ok" to meson. */
#pragma once

#include "tests/unit/unit.h"

#define ST_CANNOT(why)                                                                             \
    do {                                                                                           \
        print_message("# not run here: %s\n", why);                                                \
        return;                                                                                    \
    } while (0)
