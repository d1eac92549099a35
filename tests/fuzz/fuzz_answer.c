/* All parsers of servers' answers, on the same text. */
#include <stdlib.h>
#include <string.h>

#include "advisor/parse/answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t seen;

static void setting(void *ctx, const char *section, const char *key, const char *value)
{
    (void)ctx;
    seen += strlen(section) + strlen(key) + strlen(value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), name[16];
    if (text == NULL)
        return 0;
    for (int parser = 0; parser < 4; parser++) {
        memcpy(text, data, size);
        text[size] = '\0';
        switch (parser) {
        case 0:
            seen += st_answer_pw_metadata(text, setting, NULL) == 0;
            break;
        case 1:
            seen += st_answer_pactl_modules(text, setting, NULL) == 0;
            break;
        case 2:
            seen += st_answer_rtkit_line(text, name, sizeof(name)) != NULL;
            seen += st_answer_kernel_line(text, name, sizeof(name)) != NULL;
            break;
        default:
            seen += st_answer_pw_dump(text, setting, NULL) == 0;
            break;
        }
    }
    free(text);
    return 0;
}
