#include "lab/compare/test_conditions.h"

#include "core/text/number.h"

#define LINE_BYTES 4096
/* load averages that differ by less count as equal; the limit is our own choice */
#define LOAD_CLOSE 0.5

/* Parses one line of "key: value" text. @return the next line; NULL: `text` is at its end. */
static const char *next_line(const char *text, char *key, size_t key_bytes, char *value,
                             size_t value_bytes)
{
    const size_t len = strcspn(text, "\n");
    const char *colon = memchr(text, ':', len);
    const size_t key_len = colon != NULL ? (size_t)(colon - text) : len;
    if (len == 0 && *text == '\0')
        return NULL;
    snprintf(key, key_bytes, "%.*s", (int)key_len, text);
    const char *from = colon != NULL ? colon + 1 : text + len;
    from += *from == ' ';
    snprintf(value, value_bytes, "%.*s", (int)(text + len - from), from);
    return text + len + (text[len] == '\n');
}

bool st_test_conditions_value(const char *text, const char *wanted, char *ret, size_t ret_bytes)
{
    char key[64];
    ret[0] = '\0';
    while ((text = next_line(text, key, sizeof(key), ret, ret_bytes)) != NULL) {
        if (strcmp(key, wanted) == 0)
            return true;
    }
    ret[0] = '\0';
    return false;
}

static int add(struct st_test_condition_pair **list, size_t *n, const char *key, const char *before,
               const char *now)
{
    struct st_test_condition_pair *grown = reallocarray(*list, *n + 1, sizeof(*grown));
    if (grown == NULL)
        return -ENOMEM;
    *list = grown;
    struct st_test_condition_pair *last = &grown[(*n)++];
    *last = (struct st_test_condition_pair){strdup(key), strdup(before), strdup(now)};
    return last->key != NULL && last->before != NULL && last->now != NULL ? 0 : -ENOMEM;
}

/* Compares two values. Values from JSON have '-' where those from text have ' ': both count as
 * equal. */
static bool same_words(const char *a, const char *b)
{
    for (; *a != '\0' && *b != '\0'; a++, b++) {
        if ((*a == '-' ? ' ' : *a) != (*b == '-' ? ' ' : *b))
            return false;
    }
    return *a == *b;
}

static bool is_same(const char *key, const char *before, const char *now)
{
    char *end_before, *end_now;
    double a, b;
    if (strcmp(key, ST_LOAD_KEY) != 0)
        return same_words(before, now) ||
               (st_number_double(before, &a) == 0 && st_number_double(now, &b) == 0 && a == b);
    a = strtod(before, &end_before);
    b = strtod(now, &end_now);
    return end_before != before && end_now != now && fabs(a - b) < LOAD_CLOSE;
}

int st_test_conditions_compare(const char *before, const char *now, bool known_only,
                               struct st_test_condition_pair **ret, size_t *ret_n)
{
    char key[64], value[LINE_BYTES], other[LINE_BYTES];
    const char *at = now;
    int r = 0;
    while (r == 0 && (at = next_line(at, key, sizeof(key), value, sizeof(value))) != NULL) {
        (void)st_test_conditions_value(before, key, other, sizeof(other));
        const bool known = other[0] != '\0' && value[0] != '\0';
        if ((known || !known_only) && !is_same(key, other, value))
            r = add(ret, ret_n, key, other, value);
    }
    at = before;
    while (r == 0 && !known_only &&
           (at = next_line(at, key, sizeof(key), value, sizeof(value))) != NULL) {
        if (!st_test_conditions_value(now, key, other, sizeof(other)))
            r = add(ret, ret_n, key, value, "");
    }
    return r;
}

void st_test_conditions_free(struct st_test_condition_pair *list, size_t n)
{
    ST_EACH_OF (condition, list, n) {
        free(condition->key);
        free(condition->before);
        free(condition->now);
    }
    free(list);
}

const char *st_test_conditions_text(const struct st_test_condition_pair *pair, char *buf,
                                    size_t buf_bytes)
{
    snprintf(buf, buf_bytes, "%s: %.500s -> %.500s", pair->key,
             pair->before[0] != '\0' ? pair->before : "unknown",
             pair->now[0] != '\0' ? pair->now : "unknown");
    return buf;
}
