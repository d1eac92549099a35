/* Small captured texts: assignments, limits, ps. */
#include "advisor/parse/capture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/facts/text.h"

#define LINE_BYTES 2048
#define NAME_BYTES 128
#define LINES_MAX  65536

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

bool st_capture_line(const char **at, const char *end, char *line, size_t line_bytes)
{
    if (*at >= end)
        return false;
    const char *newline = memchr(*at, '\n', (size_t)(end - *at));
    size_t len = (size_t)((newline != NULL ? newline : end) - *at);
    const char *next = newline != NULL ? newline + 1 : end;
    len = len < line_bytes ? len : line_bytes - 1;
    for (size_t i = 0; i < len; i++)
        line[i] = (*at)[i] != '\0' ? (*at)[i] : '?';
    line[len] = '\0';
    if (len > 0 && line[len - 1] == '\r')
        line[len - 1] = '\0';
    *at = next;
    return true;
}

/* --- assignments --- */

static bool is_wanted(const char *name, const char *const *wanted)
{
    for (; *wanted != NULL; wanted++) {
        if (strncmp(name, *wanted, strlen(*wanted)) == 0)
            return true;
    }
    return false;
}

/** Cuts the value out, in place: quoted, or up to a blank, '#' or ';'. @return false without closing quote.
 */
static bool cut_value(char **value)
{
    char *at = *value + strspn(*value, " \t");
    if (*at == '"' || *at == '\'') {
        char *close = strchr(at + 1, *at);
        if (close == NULL)
            return false;
        *close = '\0';
        *value = at + 1;
        return true;
    }
    at[strcspn(at, " \t#;")] = '\0';
    *value = at;
    return true;
}

/** A value whose quote is still open goes on in the next lines, as in a shell; they are joined in `line`. */
static void join_lines(char *line, size_t line_bytes, size_t value_at, const char **text, const char *end)
{
    const char quote = line[value_at];
    if (quote != '"' && quote != '\'')
        return;
    size_t len = value_at + strlen(line + value_at);
    while (strchr(line + value_at + 1, quote) == NULL && len + 2 < line_bytes && *text < end) {
        if (line[len - 1] == '\\')
            len--;
        line[len++] = ' ';
        if (!st_capture_line(text, end, line + len, line_bytes - len))
            return;
        len += strlen(line + len);
    }
}

int st_capture_assignments(struct st_facts *facts, const char *prefix, const char *const *wanted,
                           const char *text, size_t bytes, const char *source)
{
    char line[LINE_BYTES], key[2 * NAME_BYTES];
    const char *end = text + bytes;
    int r = 0;
    for (int n = 0; r == 0 && n < LINES_MAX && st_capture_line(&text, end, line, sizeof(line)); n++) {
        char *name = line + strspn(line, " \t");
        const size_t len = strspn(name, LETTERS ".%-");
        char *value = name + len + strspn(name + len, " \t");
        if (len == 0 || len >= NAME_BYTES || *value != '=')
            continue;
        *value++ = '\0';
        name[len] = '\0';
        if (!is_wanted(name, wanted))
            continue;
        value += strspn(value, " \t");
        join_lines(line, sizeof(line), (size_t)(value - line), &text, end);
        snprintf(key, sizeof(key), "%s%s", prefix, name);
        if (!cut_value(&value) || strpbrk(value, "$`") != NULL)
            r = st_facts_put_state(facts, key, ST_FACT_MALFORMED, 0, value, source);
        else
            r = st_facts_put_text(facts, key, value, value, source);
    }
    return r;
}

/* --- limits --- */

/** The amount in a line like "memorylocked  131072 kB" or "locked memory  (kbytes, -l)  131072"; -1 without
 * limit. */
static int limit_bytes(const char *amount, bool kilobytes, int64_t *ret)
{
    char number[32];
    int64_t value;
    if (strncmp(amount, "infinity", 8) == 0 || strncmp(amount, "unlimited", 9) == 0) {
        *ret = -1;
        return 0;
    }
    snprintf(number, sizeof(number), "%.*s", (int)strspn(amount, "0123456789"), amount);
    if (st_text_int(number, &value) != 0 || value > INT64_MAX / 1024)
        return -EBADMSG;
    *ret = kilobytes ? value * 1024 : value;
    return 0;
}

int st_capture_limits(struct st_facts *facts, const char *text, size_t bytes, const char *source)
{
    static const char key[] = "freebsd.limits.memorylocked_bytes";
    char line[LINE_BYTES];
    const char *end = text + bytes;
    for (int n = 0; n < LINES_MAX && st_capture_line(&text, end, line, sizeof(line)); n++) {
        const char *at = line + strspn(line, " \t");
        int64_t limit;
        bool kilobytes = strstr(at, "kB") != NULL;
        if (strncmp(at, "memorylocked", 12) == 0) {
            at += 12;
        } else if (strncmp(at, "locked memory", 13) == 0 || strncmp(at, "max locked memory", 17) == 0) {
            const char *unit = strchr(at, ')');
            kilobytes = strstr(at, "kbytes") != NULL;
            at = unit != NULL ? unit + 1 : at + strlen(at);
        } else {
            continue;
        }
        if (limit_bytes(at + strspn(at, " \t"), kilobytes, &limit) != 0)
            return st_facts_put_state(facts, key, ST_FACT_MALFORMED, 0, line, source);
        return st_facts_put_int(facts, key, limit, line, source);
    }
    return -EBADMSG;
}

/* --- ps --- */

/** Which column the command begins in, counted from 0; -1: the line is no header of ps. */
static int command_column(const char *header)
{
    static const char *const names[] = {"COMMAND", "CMD", "ARGS"};
    char copy[LINE_BYTES];
    char *rest = NULL;
    bool pid = false;
    int column = 0, command = -1;
    snprintf(copy, sizeof(copy), "%s", header);
    for (char *word = strtok_r(copy, " \t", &rest); word != NULL; word = strtok_r(NULL, " \t", &rest)) {
        command = -1;
        for (size_t i = 0; i < ST_ARRAY_LEN(names); i++)
            command = strcmp(word, names[i]) == 0 ? column : command;
        pid = pid || strcmp(word, "PID") == 0;
        column++;
    }
    return pid ? command : -1;
}

static const char *skip_columns(const char *line, int columns)
{
    line += strspn(line, " \t");
    for (; columns > 0 && *line != '\0'; columns--) {
        line += strcspn(line, " \t");
        line += strspn(line, " \t");
    }
    return line;
}

static int put_process(struct st_facts *facts, const char *command, const char *source)
{
    static const char *const wanted[] = {"powerd", "powerdxx", "virtual_oss"};
    const size_t len = strcspn(command, " \t");
    const char *name = command + len;
    while (name > command && name[-1] != '/')
        name--;
    const size_t name_len = (size_t)(command + len - name);
    for (size_t i = 0; i < ST_ARRAY_LEN(wanted); i++) {
        char key[2 * NAME_BYTES];
        if (name_len != strlen(wanted[i]) || strncmp(name, wanted[i], name_len) != 0)
            continue;
        snprintf(key, sizeof(key), "freebsd.process.%s.args", wanted[i]);
        return st_facts_put_text(facts, key, command + len + strspn(command + len, " \t"), command, source);
    }
    return 0;
}

int st_capture_ps(struct st_facts *facts, const char *text, size_t bytes, const char *source)
{
    char line[LINE_BYTES];
    const char *end = text + bytes;
    int column = -1, r = 0;
    for (int n = 0; r == 0 && n < LINES_MAX && st_capture_line(&text, end, line, sizeof(line)); n++) {
        if (column < 0)
            column = command_column(line);
        else
            r = put_process(facts, skip_columns(line, column), source);
    }
    return column < 0 ? -EBADMSG : r;
}
