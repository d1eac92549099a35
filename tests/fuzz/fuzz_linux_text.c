/* All parsers of Linux' text files, on the same text. */
#include <stdlib.h>
#include <string.h>

#include "advisor/parse/linux_text.h"
#include "platform/proc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t seen;

static void setting(void *ctx, const char *section, const char *key, const char *value)
{
    (void)ctx;
    seen += strlen(section) + strlen(key) + strlen(value);
}

static void interrupt(void *ctx, unsigned number, const char *actions, const char *pci)
{
    (void)ctx;
    seen += number + strlen(actions) + strlen(pci);
}

static void card(void *ctx, const struct st_sound_card *one)
{
    (void)ctx;
    seen += one->number + strlen(one->driver) + strlen(one->name) + strlen(one->where);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct st_proc_stat stat;
    struct st_swaps swaps;
    if (text == NULL)
        return 0;
    for (int parser = 0; parser < 7; parser++) {
        memcpy(text, data, size);
        text[size] = '\0';
        switch (parser) {
        case 0:
            st_linux_text_settings(text, '=', "#;", setting, NULL);
            break;
        case 1:
            st_linux_text_limits(text, setting, NULL);
            break;
        case 2:
            st_linux_text_spa(text, setting, NULL);
            break;
        case 3:
            seen += st_proc_stat(text, &stat) == 0;
            break;
        case 4:
            seen += st_linux_text_interrupts(text, interrupt, NULL) == 0;
            break;
        case 5:
            st_linux_text_cards(text, card, NULL);
            break;
        default:
            seen += st_linux_text_swaps(text, &swaps) == 0;
            break;
        }
    }
    free(text);
    return 0;
}
