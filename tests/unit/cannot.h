/* A test that cannot run here says why and passes: cmocka's skip() is "not ok" to meson. */
#ifndef ST_TESTS_UNIT_CANNOT_H
#define ST_TESTS_UNIT_CANNOT_H

#define ST_CANNOT(why)                                                                                       \
    do {                                                                                                     \
        print_message("# not run here: %s\n", why);                                                          \
        return;                                                                                              \
    } while (0)

#endif
