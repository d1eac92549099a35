/* Writes the pages that consist of the rules' texts: man/sleeptune-rules.7 and docs/setup-*.md. Run it with
 * `ninja -C build generate`; tests/unit/test_guide.c checks that the pages are up to date. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "docs/generate/guide.h"
#include "docs/generate/rules_page.h"

static int print_rules_page(FILE *out)
{
    st_rules_page_print(out);
    return ferror(out) == 0 ? 0 : -EIO;
}

static int print_linux_guide(FILE *out)
{
    return st_guide_print(ST_OS_LINUX, out);
}

static int print_freebsd_guide(FILE *out)
{
    return st_guide_print(ST_OS_FREEBSD, out);
}

static const struct {
    const char *path; /* below the source tree */
    int (*print)(FILE *out);
} pages[] = {
    {"man/sleeptune-rules.7", print_rules_page},
    {"docs/setup-linux.md", print_linux_guide},
    {"docs/setup-freebsd.md", print_freebsd_guide},
};

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: generate SOURCE_TREE\n", stderr);
        return EXIT_FAILURE;
    }
    for (size_t i = 0; i < ST_ARRAY_LEN(pages); i++) {
        char path[4096];
        snprintf(path, sizeof(path), "%s/%s", argv[1], pages[i].path);
        FILE *out = fopen(path, "we");
        if (out == NULL) {
            fprintf(stderr, "generate: cannot open %s: %s\n", path, strerror(errno));
            return EXIT_FAILURE;
        }
        const int r = pages[i].print(out);
        if (fclose(out) != 0 || r != 0) {
            fprintf(stderr, "generate: cannot write %s: %s\n", path, strerror(r != 0 ? -r : errno));
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}
