#include "cli/bench_text.h"

#include <string.h>

#include "cli/text.h"

#define LINE_BYTES 600

static void circumstance(void *ctx, const char *key, const char *value)
{
    static const char *const shown[] = {
        "kernel_release", "cpu_model",  "hypervisor",           "clocksource",       "governor",
        "idle_governor",  "eventtimer", "alloweddeviation_pct", "nanosleep_precise", "timer_slack_ns"};
    char *line = ctx;
    const size_t used = strlen(line);
    for (size_t i = 0; i < ST_ARRAY_LEN(shown); i++) {
        if (strcmp(key, shown[i]) == 0)
            snprintf(line + used, LINE_BYTES - used, "%s%s %s", used > 0 ? ", " : "", key, value);
    }
}

void st_bench_circumstances(struct st_platform *p, FILE *out, int width)
{
    char line[LINE_BYTES] = "";
    p->circumstances(p, -1, circumstance, line);
    st_text_wrap(out, line, 0, width);
}
