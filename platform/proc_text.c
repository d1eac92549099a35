#include "platform/proc_text.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#define CPU_LIST_MAX (1 << 20)

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

/* Cuts blanks at both ends and copies what fits. */
static void copy_trimmed(const char *from, size_t len, char *buf, size_t buf_bytes)
{
    while (len > 0 && is_blank(*from)) {
        from++;
        len--;
    }
    while (len > 0 && is_blank(from[len - 1]))
        len--;
    if (buf_bytes == 0)
        return;
    if (len > buf_bytes - 1)
        len = buf_bytes - 1;
    memcpy(buf, from, len);
    buf[len] = '\0';
}

int st_proc_u64(const char **text, uint64_t *ret)
{
    const char *s = *text;
    while (*s == ' ' || *s == '\t')
        s++;
    if (*s < '0' || *s > '9')
        return -EBADMSG;
    uint64_t value = 0;
    for (; *s >= '0' && *s <= '9'; s++) {
        if (__builtin_mul_overflow(value, UINT64_C(10), &value) ||
            __builtin_add_overflow(value, (uint64_t)(*s - '0'), &value))
            return -ERANGE;
    }
    *text = s;
    *ret = value;
    return 0;
}

int st_proc_schedstat(const char *text, int64_t *ret_cpu_ns, int64_t *ret_wait_ns)
{
    uint64_t value[3]; /* ns on CPU, ns waiting, times on a CPU */
    for (size_t i = 0; i < ST_ARRAY_LEN(value); i++) {
        if (st_proc_u64(&text, &value[i]) != 0 || value[i] > INT64_MAX)
            return -EBADMSG;
    }
    if (value[0] == 0 && value[1] == 0 && value[2] == 0)
        return -ENODATA;
    *ret_cpu_ns = (int64_t)value[0];
    *ret_wait_ns = (int64_t)value[1];
    return 0;
}

/* Moves over n blank-separated fields. NULL: there are not so many. */
static const char *skip_fields(const char *s, int n)
{
    for (int i = 0; i < n; i++) {
        while (is_blank(*s))
            s++;
        if (*s == '\0')
            return NULL;
        while (*s != '\0' && !is_blank(*s))
            s++;
    }
    return s;
}

int st_proc_stat(const char *text, struct st_proc_stat *ret)
{
    const char *s = strrchr(text, ')'); /* ends field 2 */
    if (s == NULL)
        return -EBADMSG;
    struct st_proc_stat stat;
    uint64_t cpu;
    s = skip_fields(s + 1, 7); /* 3 .. 9 */
    if (s == NULL || st_proc_u64(&s, &stat.faults_minor_n) != 0)
        return -EBADMSG;
    s = skip_fields(s, 1); /* 11 */
    if (s == NULL || st_proc_u64(&s, &stat.faults_major_n) != 0)
        return -EBADMSG;
    s = skip_fields(s, 26); /* 13 .. 38 */
    if (s == NULL || st_proc_u64(&s, &cpu) != 0 || cpu > INT_MAX)
        return -EBADMSG;
    stat.cpu = (int)cpu;
    *ret = stat;
    return 0;
}

/* Start of the value behind "key:" at the start of a line; NULL: none. */
static const char *find_field(const char *text, const char *key)
{
    const size_t key_len = strlen(key);
    for (const char *line = text; line != NULL && *line != '\0';) {
        if (strncmp(line, key, key_len) == 0) {
            const char *s = line + key_len;
            while (*s == ' ' || *s == '\t')
                s++;
            if (*s == ':')
                return s + 1;
        }
        line = strchr(line, '\n');
        if (line != NULL)
            line++;
    }
    return NULL;
}

int st_proc_status_u64(const char *text, const char *key, uint64_t *ret)
{
    const char *s = find_field(text, key);
    if (s == NULL)
        return -ENODATA;
    return st_proc_u64(&s, ret) == 0 ? 0 : -EBADMSG;
}

/* The rest of the line that begins with key and a blank; NULL without one. */
static const char *find_line(const char *text, const char *key)
{
    const size_t len = strlen(key);
    for (const char *s = text; s != NULL && *s != '\0'; s = strchr(s, '\n'), s = s != NULL ? s + 1 : NULL) {
        if (strncmp(s, key, len) == 0 && s[len] == ' ')
            return s + len;
    }
    return NULL;
}

int st_proc_keyed_u64(const char *text, const char *key, uint64_t *ret)
{
    const char *s = find_line(text, key);
    if (s == NULL)
        return -ENODATA;
    return st_proc_u64(&s, ret) == 0 ? 0 : -EBADMSG;
}

int st_proc_cgroup_path(const char *text, char *buf, size_t buf_bytes)
{
    while (strncmp(text, "0::", 3) != 0) {
        text = strchr(text, '\n');
        if (text == NULL)
            return -ENODATA;
        text++;
    }
    text += 3;
    const size_t len = strcspn(text, "\n");
    if (*text != '/')
        return -EBADMSG;
    if (len >= buf_bytes)
        return -ERANGE;
    memcpy(buf, text, len);
    buf[len] = '\0';
    return 0;
}

int st_proc_pressure_us(const char *text, const char *line, uint64_t *ret)
{
    const char *s = find_line(text, line);
    if (s == NULL)
        return -ENODATA;
    const size_t len = strcspn(s, "\n");
    const char *total = strstr(s, " total=");
    if (total == NULL || total >= s + len)
        return -EBADMSG;
    total += strlen(" total=");
    return *total != ' ' && st_proc_u64(&total, ret) == 0 ? 0 : -EBADMSG;
}

int st_proc_field(const char *text, const char *key, char *buf, size_t buf_bytes)
{
    const char *s = find_field(text, key);
    if (s == NULL)
        return -ENODATA;
    copy_trimmed(s, strcspn(s, "\n"), buf, buf_bytes);
    return 0;
}

bool st_proc_has_word(const char *text, const char *word)
{
    const size_t word_len = strlen(word);
    for (const char *s = text; *s != '\0';) {
        while (is_blank(*s))
            s++;
        size_t len = 0;
        while (s[len] != '\0' && !is_blank(s[len]))
            len++;
        if (len > 0 && len == word_len && memcmp(s, word, len) == 0)
            return true;
        s += len;
    }
    return false;
}

int64_t st_proc_cpu_list_n(const char *text)
{
    const char *s = text;
    while (is_blank(*s))
        s++;
    int64_t n = 0;
    while (*s != '\0') {
        uint64_t first, last;
        int r = st_proc_u64(&s, &first);
        if (r != 0)
            return r;
        last = first;
        if (*s == '-') {
            s++;
            r = st_proc_u64(&s, &last);
            if (r != 0)
                return r;
        }
        if (last < first)
            return -EBADMSG;
        if (last >= CPU_LIST_MAX || n > CPU_LIST_MAX)
            return -ERANGE;
        n += (int64_t)(last - first) + 1;
        if (*s == ',') {
            s++;
            continue;
        }
        while (is_blank(*s))
            s++;
        if (*s != '\0')
            return -EBADMSG;
    }
    return n;
}

int st_proc_kernel_config(const char *text, const char *option, char *buf, size_t buf_bytes)
{
    const size_t option_len = strlen(option);
    for (const char *line = text; line != NULL && *line != '\0';) {
        if (strncmp(line, option, option_len) == 0 && line[option_len] == '=') {
            const char *value = line + option_len + 1;
            copy_trimmed(value, strcspn(value, "\n"), buf, buf_bytes);
            return 0;
        }
        line = strchr(line, '\n');
        if (line != NULL)
            line++;
    }
    return -ENODATA;
}

int st_proc_chosen(const char *text, char *buf, size_t buf_bytes)
{
    const char *open = strpbrk(text, "([");
    if (open == NULL)
        return -ENODATA;
    const size_t len = strcspn(open + 1, ")]");
    if (open[1 + len] == '\0')
        return -ENODATA;
    copy_trimmed(open + 1, len, buf, buf_bytes);
    return 0;
}
