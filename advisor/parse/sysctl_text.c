/* The text of `sysctl -a` of FreeBSD. */
#include "advisor/parse/sysctl_text.h"

#include "advisor/facts/text.h"
#include "core/text/text.h"

#define NAMES_MAX       262144
#define NAME_MAX_BYTES  255
#define VALUE_MAX_BYTES (64 * 1024)
#define SMALL_BYTES     1024 /* nearly all values */
#define SOURCE_BYTES    300

/* --- of FreeBSD --- */

struct entry {
    const char *name;
    size_t name_len;
    const char *value;
    size_t value_len; /* with the lines that it goes on over */
};

static bool is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

/** Length of the sysctl name that the line begins with, 0 if it does not: letters, digits, ". _ % -", at
 * least one dot, then ':' or '='. */
static size_t name_length(const char *line, size_t len)
{
    size_t n = 0;
    bool dot = false;
    while (n < len && (is_letter(line[n]) || (line[n] >= '0' && line[n] <= '9') || line[n] == '.' ||
                       line[n] == '_' || line[n] == '%' || line[n] == '-'))
        dot = line[n++] == '.' || dot;
    if (n == 0 || !is_letter(line[0]) || !dot || n == len || n > NAME_MAX_BYTES || line[n - 1] == '.')
        return 0;
    if (line[n] == '=')
        return n;
    return line[n] == ':' && (n + 1 == len || strchr(" \t\r", line[n + 1]) != NULL) ? n : 0;
}

static int by_name(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    const size_t n = a->name_len < b->name_len ? a->name_len : b->name_len;
    const int order = memcmp(a->name, b->name, n);
    if (order != 0)
        return order;
    if (a->name_len != b->name_len)
        return a->name_len < b->name_len ? -1 : 1;
    return a->name < b->name ? -1 : 1; /* the later of two wins */
}

/** Finds the lines that begin with a name; what follows belongs to the one before. @return how many, or
 * -E2BIG, -ENOMEM. */
static long find_entries(const char *text, size_t bytes, struct entry **ret)
{
    struct entry *entries = NULL;
    size_t n = 0, room = 0;
    const char *end = text + bytes;
    for (const char *line = text; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const size_t len = (size_t)((newline != NULL ? newline : end) - line);
        const size_t name_len = name_length(line, len);
        if (name_len > 0) {
            if (n == room) {
                room = room == 0 ? 1024 : room * 2;
                struct entry *more = reallocarray(entries, room, sizeof(*entries));
                if (more == NULL || n == NAMES_MAX) {
                    free(more != NULL ? more : entries);
                    return more == NULL ? -ENOMEM : -E2BIG;
                }
                entries = more;
            }
            entries[n++] = (struct entry){line, name_len, line + name_len + 1, len - name_len - 1};
        } else if (n > 0) {
            entries[n - 1].value_len = (size_t)(line + len - entries[n - 1].value);
        }
        line = newline != NULL ? newline + 1 : end;
    }
    *ret = entries;
    return (long)n;
}

/** before, name, behind: there are thousands of them, and printf would take a third of the time. */
static void join(char *to, size_t bytes, const char *before, const struct entry *entry, const char *behind)
{
    const size_t before_len = strlen(before),
                 behind_len = strnlen(behind, bytes - before_len - entry->name_len - 1);
    memcpy(to, before, before_len);
    memcpy(to + before_len, entry->name, entry->name_len);
    memcpy(to + before_len + entry->name_len, behind, behind_len);
    to[before_len + entry->name_len + behind_len] = '\0';
}

/** behind: " (<source>)" */
static int put_entry(struct st_facts *facts, const struct entry *entry, const char *behind)
{
    char key[NAME_MAX_BYTES + 16], from[NAME_MAX_BYTES + SOURCE_BYTES + 16], small[SMALL_BYTES];
    join(key, sizeof(key), ST_KEYS_FREEBSD, entry, "");
    join(from, sizeof(from), "sysctl ", entry, behind);
    if (entry->value_len > VALUE_MAX_BYTES)
        return st_facts_put_state(facts, key, ST_FACT_UNREADABLE, EFBIG, NULL, from);
    if (memchr(entry->value, '\0', entry->value_len) != NULL)
        return st_facts_put_state(facts, key, ST_FACT_MALFORMED, 0, NULL, from);
    const bool is_small = entry->value_len < sizeof(small);
    char *value = is_small ? small : malloc(entry->value_len + 1);
    if (value == NULL)
        return -ENOMEM;
    memcpy(value, entry->value, entry->value_len);
    value[entry->value_len] = '\0';
    const int r = st_facts_put_text(facts, key, value, value, from);
    if (!is_small)
        free(value);
    return r;
}

int st_sysctl_text_freebsd(struct st_facts *facts, const char *text, size_t bytes, const char *source)
{
    struct entry *entries = NULL;
    const long n = find_entries(text, bytes, &entries);
    int r = n < 0 ? (int)n : n == 0 ? -EBADMSG : 0;
    if (n > 0)
        qsort(entries, (size_t)n, sizeof(*entries), by_name);
    const char *behind = ST_TEXT(SOURCE_BYTES, " (%s)", source);
    for (long i = 0; i < n && r == 0; i++)
        r = put_entry(facts, &entries[i], behind);
    free(entries);
    return r;
}
