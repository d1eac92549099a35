/* Lines of helper programs: any bytes, ended by '\0'. What is taken can be written and read again. */
#include "xruns/xrun_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int ok)
{
    if (!ok)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (text == NULL)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    struct st_xrun_line line, again;
    if (st_xrun_line_parse(text, &line) == 0 && line.kind == ST_XRUN_LINE_SEEN) {
        check(line.seen.event.count_n >= 0);
        char buf[ST_XRUN_LINE_BYTES];
        st_xrun_line_format(&line.seen, buf, sizeof(buf));
        const size_t len = strlen(buf);
        check(len > 0 && buf[len - 1] == '\n');
        buf[len - 1] = '\0';
        check(st_xrun_line_parse(buf, &again) == 0);
        check(memcmp(&again.seen, &line.seen, sizeof(line.seen)) == 0);
    }
    free(text);
    return 0;
}
