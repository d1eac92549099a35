#include "platform/proc.h"

#include "core/text/number.h"
#include "core/text/safe.h"
#include "core/text/text.h"

#define PF_KTHREAD 0x00200000 /* include/linux/sched.h */
#define COMM_MAX   15         /* TASK_COMM_LEN - 1 */

/* Copies the text up to a character of `ends`, without blanks at its beginning and end. NULL stays
 * NULL. */
static const char *trimmed(const char *from, const char *ends)
{
    if (from == NULL)
        return NULL;
    char *text = st_text("%.*s", (int)ST_MIN(strcspn(from, ends), ST_TEXT_MAX_BYTES), from);
    st_text_trim(text);
    return text;
}

int st_proc_u64(const char **text, uint64_t *ret)
{
    const char *s = *text;
    while (*s == ' ' || *s == '\t')
        s++;
    if (st_number_take(&s, ret) != 0)
        return -EBADMSG;
    *text = s;
    return 0;
}

int st_proc_schedstat(const char *text, int64_t *ret_cpu_ns, int64_t *ret_wait_ns)
{
    uint64_t value[3]; /* ns on CPU, ns waiting, times on a CPU */
    ST_EACH (row, value) {
        if (st_proc_u64(&text, row) != 0 || *row > INT64_MAX)
            return -EBADMSG;
    }
    if (value[0] == 0 && value[1] == 0 && value[2] == 0)
        return -ENODATA;
    *ret_cpu_ns = (int64_t)value[0];
    *ret_wait_ns = (int64_t)value[1];
    return 0;
}

/* Reads the number in a field. Fields are counted as in proc_pid_stat(5), 3 being the first after
 * the name.
 * @return false: there is no such number. */
static bool stat_field(const char *after_name, int field, int64_t *ret)
{
    const char *at = after_name;
    for (int i = 3; i < field; i++) {
        at = strchr(at, ' ');
        if (at == NULL)
            return false;
        at++;
    }
    char *end;
    errno = 0;
    const long long value = strtoll(at, &end, 10);
    if (end == at || errno != 0 || (*end != ' ' && *end != '\n' && *end != '\0'))
        return false;
    *ret = value;
    return true;
}

int st_proc_stat(const char *text, struct st_proc_stat *ret)
{
    const char *open = strchr(text, '('), *close = strrchr(text, ')');
    struct st_proc_stat stat = {0};
    int64_t flags, minor_n, major_n, cpu;
    if (open == NULL || close == NULL || close < open || close[1] != ' ' ||
        (size_t)(close - open - 1) >= sizeof(stat.name))
        return -EBADMSG;
    memcpy(stat.name, open + 1, (size_t)(close - open - 1));
    const char *rest = close + 2;
    stat.state = *rest;
    if (!stat_field(rest, 9, &flags) || !stat_field(rest, 10, &minor_n) ||
        !stat_field(rest, 12, &major_n) || !stat_field(rest, 20, &stat.threads_n) ||
        !stat_field(rest, 39, &cpu) || !stat_field(rest, 40, &stat.rt_priority) ||
        !stat_field(rest, 41, &stat.policy) || minor_n < 0 || major_n < 0 || cpu < 0 ||
        cpu > INT_MAX)
        return -EBADMSG;
    stat.kernel_thread = (flags & PF_KTHREAD) != 0;
    stat.faults_minor_n = (uint64_t)minor_n;
    stat.faults_major_n = (uint64_t)major_n;
    stat.cpu = (int)cpu;
    *ret = stat;
    return 0;
}

/* @return the rest of the first line that begins with `begins`; NULL: there is none. */
static const char *find_line(const char *text, const char *begins)
{
    const size_t len = strlen(begins);
    for (const char *line = text; *line != '\0'; line = st_text_next_line(line)) {
        if (strncmp(line, begins, len) == 0)
            return line + len;
    }
    return NULL;
}

void st_proc_name(const char *comm, const char *cmdline, char *buf, size_t buf_bytes)
{
    const size_t command = strcspn(cmdline, " "); /* some programs write all arguments into one */
    size_t len = strcspn(comm, "\n"), base = command;
    while (base > 0 && cmdline[base - 1] != '/')
        base--;
    if (len == COMM_MAX && strncmp(cmdline + base, comm, len) == 0) {
        comm = cmdline + base;
        len = command - base;
    }
    st_safe_copy(buf, buf_bytes, comm, len);
}

int st_proc_line_u64(const char *text, const char *begins, uint64_t *ret)
{
    const char *s = find_line(text, begins);
    if (s == NULL)
        return -ENODATA;
    return st_proc_u64(&s, ret);
}

const char *st_proc_line_text(const char *text, const char *begins)
{
    return trimmed(find_line(text, begins), "\n");
}

int st_proc_pressure_us(const char *text, const char *line, uint64_t *ret)
{
    const char *s = find_line(text, line);
    if (s == NULL || *s != ' ')
        return -ENODATA;
    const size_t len = strcspn(s, "\n");
    const char *total = strstr(s, " total=");
    if (total == NULL || total >= s + len)
        return -EBADMSG;
    total += strlen(" total=");
    return st_proc_u64(&total, ret);
}

const char *st_proc_field(const char *text, const char *key)
{
    for (const char *s = text; (s = find_line(s, key)) != NULL;) {
        s += strspn(s, " \t");
        if (*s == ':')
            return trimmed(s + 1, "\n");
        s = st_text_next_line(s);
    }
    return NULL;
}

bool st_proc_has_word(const char *text, const char *word)
{
    static const char between[] = " \t\n\r\v\f,(";
    const size_t word_len = strlen(word);
    for (const char *at = text + strspn(text, between); *at != '\0'; at += strspn(at, between)) {
        const size_t len = strcspn(at, between);
        if (len == word_len && memcmp(at, word, len) == 0)
            return true;
        at += len;
    }
    return false;
}

const char *st_proc_chosen(const char *text)
{
    const char *open = strpbrk(text, "([");
    if (open == NULL || strpbrk(open + 1, ")]") == NULL)
        return NULL;
    return st_text_or(trimmed(open + 1, ")]"), NULL);
}
