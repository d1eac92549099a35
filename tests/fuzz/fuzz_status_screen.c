/* What a daemon, or a false one, answers to `sleeptune status`: never beyond the screen, never
 * raw. */
#include "cli/show/status_screen.h"

#include "core/text/safe.h"
#include "platform/program/locale.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A control character on the screen would reach the terminal, and a row that is too wide would push
 * others away. */
static void check(const struct st_screen *screen)
{
    ST_EACH_OF (row, screen->all, screen->rows) {
        const char *text = st_text_or(row->text, "");
        if (!st_safe_is(text) || st_text_columns(text) > screen->columns ||
            row->columns > screen->columns)
            abort();
        for (; *text != '\0' && !st_locale_utf8(); text++) {
            if ((unsigned char)*text >= 0x80)
                abort();
        }
    }
}

/* The first two bytes are rows and columns; the rest is the answer. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    json_t *document = json_loadb((const char *)data + 2, size - 2, 0, NULL);
    for (int unicode = 0; unicode < 2; unicode++) {
        struct st_screen screen = {.rows = 1 + data[0] % 64, .columns = 1 + data[1] % 200};
        (void)setenv("LC_ALL", unicode == 1 ? "C.UTF-8" : "C", 1);
        const struct st_status_screen how = {.live = data[0] % 2 == 0,
                                             .details = data[1] % 2 == 0,
                                             .alert = true,
                                             .socket = "/run/s",
                                             .message = document != NULL ? NULL : "waiting"};
        st_status_screen_draw(&screen, document, &how);
        check(&screen);
        st_text_forget();
    }
    json_decref(document);
    return 0;
}
