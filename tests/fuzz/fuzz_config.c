/* sleeptuned.conf through our checks and libconfig. A file that is taken holds only values within
 * their ranges. */
#include "daemon/config/config.h"
#include "tests/fuzz/fuzz.h"

const char *__lsan_default_suppressions(void);

/* libconfig 1.5 loses the text it was reading when the file ends in the middle of it */
const char *__lsan_default_suppressions(void)
{
    return "leak:libconfig\n";
}

static void on_error(void *ctx, const char *message)
{
    (void)ctx;
    for (const char *p = message; *p != '\0'; p++) {
        if ((unsigned char)*p < 0x20)
            abort(); /* a message goes to terminals and logs */
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct st_config config;
    if (size > ST_CONFIG_FILE_BYTES)
        return 0;
    char *text = text_of(data, size);
    const int r = st_config_parse(text, size, "fuzz", &config, on_error, NULL);
    free(text);
    for (size_t i = 0; r == 0 && i < st_config_keys_n; i++) {
        const struct st_config_key *key = &st_config_keys[i];
        const void *member = (const char *)&config + key->offset;
        if (key->type == ST_CONFIG_INT &&
            (*(const int64_t *)member < key->min || *(const int64_t *)member > key->max))
            abort();
    }
    return 0;
}
