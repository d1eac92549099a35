#include "lab/word_list.h"

#include "core/ns.h"
#include "core/period.h"
#include "platform/program/options.h"

int st_word_list_each(const char *option, const char *text, int (*put)(void *ctx, const char *word),
                      void *ctx)
{
    for (const char *at = text;;) {
        const size_t bytes = strcspn(at, ",");
        char word[64];
        if (bytes == 0 || bytes >= sizeof(word))
            return st_failure_usage("%s: '%s' is not a list of words separated by commas", option,
                                    text);
        memcpy(word, at, bytes);
        word[bytes] = '\0';
        const int r = put(ctx, word);
        if (r != 0)
            return r;
        if (at[bytes] == '\0')
            return 0;
        at += bytes + 1;
    }
}

int st_word_list_add(const char *option, void *items, size_t item_bytes, size_t most, size_t *n,
                     const void *item)
{
    char *const at = items;
    for (size_t i = 0; i < *n; i++) {
        if (memcmp(at + i * item_bytes, item, item_bytes) == 0)
            return 0;
    }
    if (*n == most)
        return st_failure_usage("%s: at most %zu values are possible", option, most);
    memcpy(at + (*n)++ * item_bytes, item, item_bytes);
    return 0;
}

struct rows {
    const char *option;
    st_lab_table *table;
    void *rows;
    size_t most, *n;
};

static int put_row(void *ctx, const char *name)
{
    const struct rows *r = ctx;
    const void *row = st_lab_find(st_lab_native(), r->table, name);
    if (row == NULL)
        return st_failure_usage("%s: %s is unknown (--list shows all)", r->option, name);
    return st_word_list_add(r->option, r->rows, sizeof(row), r->most, r->n, &row);
}

int st_word_list_rows(const char *option, const char *text, st_lab_table *table, void *rows,
                      size_t most, size_t *n)
{
    struct rows put = {option, table, rows, most, n};
    const char *const *row;
    int r = 0;
    if (text != NULL)
        return st_word_list_each(option, text, put_row, &put);
    for (size_t i = 0; (row = table(st_lab_native(), i)) != NULL && r == 0; i++)
        r = put_row(&put, *row);
    return r;
}

int st_word_list_time(const char *option, const char *word, int64_t *ret_ns)
{
    const int r = st_ns_parse(word, ret_ns);
    if (r == -ERANGE)
        *ret_ns = INT64_MAX;
    else if (r != 0)
        return st_failure_usage("%s: '%s' is not a time such as 5ms", option, word);
    if (*ret_ns != 0 && word[strspn(word, "0123456789.")] == '\0')
        return st_failure_usage("%s: '%s' has no unit: in a list each time needs one, such as %sms",
                                option, word, word);
    return 0;
}

/* --- the option --durations --- */

#define DURATION_MIN_NS (10 * ST_NS_PER_US)
#define DURATION_MAX_NS (10 * ST_NS_PER_S)

/* Parses a duration: a time such as "5ms", or "64f" for 64 frames at 48 kHz. */
static int parse_duration(const char *word, int64_t *ret_ns)
{
    char *end;
    errno = 0;
    const long frames = strtol(word, &end, 10);
    if (end == word || strcmp(end, "f") != 0)
        return st_word_list_time("--durations", word, ret_ns);
    struct st_period period;
    if (errno != 0 || frames < 1 || frames > 1 << 20 ||
        st_period_init(&period, (uint32_t)frames, 48000) != 0)
        return st_failure_usage("--durations: %s is out of range: 1f .. %df", word, 1 << 20);
    *ret_ns = st_period_ns(&period);
    return 0;
}

static int put_duration(void *ctx, const char *word)
{
    struct st_durations *durations = ctx;
    int64_t ns;
    const int r = parse_duration(word, &ns);
    if (r != 0)
        return r;
    if (ns < DURATION_MIN_NS || ns > DURATION_MAX_NS)
        return st_failure_usage("--durations: %s is out of range: 10us .. 10s", word);
    return ST_WORD_LIST_ADD("--durations", durations->ns, &durations->n, &ns);
}

int st_word_list_durations(const char *text, struct st_durations *durations)
{
    return st_word_list_each("--durations", text, put_duration, durations);
}
