/* What a daemon, or a false one, answers to `sleeptune status`: never beyond the screen, never
 * raw. */
#include "cli/show/status_screen.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A control character on the screen, or a cell with more than one character, would reach the
 * terminal. */
static void check(const struct st_screen *screen)
{
    for (int row = 0; row < screen->rows; row++) {
        for (int column = 0; column < screen->columns; column++) {
            const struct st_cell *cell = st_screen_cell(screen, row, column);
            const unsigned char first = (unsigned char)cell->text[0];
            const int bytes = first < 0x80 ? first != 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
            if ((first > 0 && first < 0x20) || first == 0x7f || (first >= 0x80 && first < 0xc2) ||
                (first == 0xc2 && (unsigned char)cell->text[1] < 0xa0) ||
                (int)strnlen(cell->text, sizeof(cell->text)) != bytes ||
                (!screen->unicode && first >= 0x80))
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
        struct st_screen screen;
        if (st_screen_init(&screen, 1 + data[0] % 64, 1 + data[1] % 200, unicode == 1) != 0)
            continue;
        const struct st_status_screen how = {.live = data[0] % 2 == 0,
                                             .details = data[1] % 2 == 0,
                                             .alert = true,
                                             .socket = "/run/s",
                                             .message = document != NULL ? NULL : "waiting"};
        (void)st_status_screen_is_in(document);
        st_status_screen_draw(&screen, document, &how);
        check(&screen);
        st_screen_finish(&screen);
    }
    json_decref(document);
    return 0;
}
