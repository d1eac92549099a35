/* Lines of helper programs: any bytes, ended by '\0'. What is taken can be written and read
 * again. */
#include "tests/fuzz/fuzz.h"
#include "xruns/xrun_line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = text_of(data, size);
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
