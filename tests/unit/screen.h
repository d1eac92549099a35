/* A whole screen, as in tests/screens/ (tests/tap.sh has the same for programs): the file
 * FOLDER/NAME.txt is what is printed. TAP_SCREENS=write writes it anew (scripts/test --screens).
 * Needs SLEEPTUNE_SRC. */
#pragma once

#include "tests/unit/unit.h"

/** @param text as it is printed; nothing in it may be of this machine, or of this moment. */
static void screen_is(const char *name, const char *text)
{
    const char *src = getenv("SLEEPTUNE_SRC"), *how = getenv("TAP_SCREENS");
    char path[4096], wanted[16384];
    assert_non_null(src);
    ST_PRINT(path, "%s/tests/screens/%s.txt", src, name);
    const bool writes = how != NULL && strcmp(how, "write") == 0;
    FILE *file = fopen(path, writes ? "w+" : "r");
    assert_non_null(file);
    if (writes) {
        assert_true(fputs(text, file) >= 0);
        rewind(file);
    }
    wanted[fread(wanted, 1, sizeof(wanted) - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    assert_string_equal(text, wanted);
}
