/* All parsers of servers' answers, on the same text. */
#include "advisor/parse/answer.h"
#include "tests/fuzz/fuzz.h"

static size_t seen;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = strndup((const char *)data, size), name[16];
    struct st_facts *facts = st_facts_new(ST_OS_LINUX);
    if (text == NULL || facts == NULL)
        abort();
    seen += st_answer_log_key(text, name, sizeof(name)) != NULL;
    seen += st_answer_pw_dump(text, facts, "pw-dump") == 0;
    st_facts_free(facts);
    free(text);
    return 0;
}
