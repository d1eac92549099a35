/* Captured texts of FreeBSD: all parsers on any text. */
#include "advisor/parse/freebsd_text.h"
#include "tests/fuzz/fuzz.h"

static void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const all[] = {"", NULL};
    char *text = strndup((const char *)data, size);
    struct st_facts *facts = st_facts_new(ST_OS_FREEBSD);
    require(facts != NULL && text != NULL, "out of memory");
    require(st_freebsd_text_assignments(facts, "x.", all, text, "fuzz") == 0, "assignments");
    (void)!st_freebsd_text_sndstat(facts, text, "fuzz");
    for (size_t i = 0; i < facts->n; i++)
        require(facts->rows[i]->key[0] != '\0', "a fact without a name");
    st_facts_free(facts);
    free(text);
    return 0;
}
