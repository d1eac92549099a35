#include "lab/durations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/ns.h"
#include "core/period.h"
#include "lab/word_list.h"
#include "platform/program/options.h"

#define DURATION_MIN_NS (10 * ST_NS_PER_US)
#define DURATION_MAX_NS (10 * ST_NS_PER_S)

struct parse {
    const char *command;
    struct st_durations *durations;
};

/* "5ms", or "64f": frames at 48 kHz. */
static int parse_duration(const char *command, const char *word, int64_t *ret_ns)
{
    char *end;
    errno = 0;
    const long frames = strtol(word, &end, 10);
    if (end == word || strcmp(end, "f") != 0)
        return st_word_list_time(command, "--durations", word, ret_ns);
    struct st_period period;
    if (errno != 0 || frames < 1 || frames > 1 << 20 || st_period_init(&period, (uint32_t)frames, 48000) != 0)
        return st_failure_usage(command, "--durations: %s is out of range: 1f .. %df", word, 1 << 20);
    *ret_ns = st_period_ns(&period);
    return 0;
}

static int put_duration(void *ctx, const char *word)
{
    struct parse *parse = ctx;
    int64_t ns;
    const int r = parse_duration(parse->command, word, &ns);
    if (r != 0)
        return r;
    if (ns < DURATION_MIN_NS || ns > DURATION_MAX_NS)
        return st_failure_usage(parse->command, "--durations: %s is out of range: 10us .. 10s", word);
    return ST_WORD_LIST_ADD(parse->command, "--durations", parse->durations->ns, &parse->durations->n, &ns);
}

int st_durations_parse(const char *command, const char *text, struct st_durations *durations)
{
    struct parse parse = {command, durations};
    return st_word_list_each(command, "--durations", text, put_duration, &parse);
}
