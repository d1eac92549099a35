/* All parsers of Linux' text files, on the same text. */
#include "advisor/parse/linux_text.h"
#include "platform/proc.h"
#include "tests/fuzz/fuzz.h"

static size_t seen;

static void setting(void *ctx, const char *section, const char *key, const char *value)
{
    (void)ctx;
    seen += strlen(section) + strlen(key) + strlen(value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct st_proc_stat stat;
    if (text == NULL)
        return 0;
    for (int parser = 0; parser < 3; parser++) {
        memcpy(text, data, size);
        text[size] = '\0';
        switch (parser) {
        case 0:
            st_linux_text_settings(text, setting, NULL);
            break;
        case 1:
            st_linux_text_spa(text, setting, NULL);
            break;
        default:
            seen += st_proc_stat(text, &stat) == 0;
            break;
        }
    }
    free(text);
    return 0;
}
