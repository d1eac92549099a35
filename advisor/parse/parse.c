/* Parsers of whole files; pure, so that they can be fuzzed. */
#include "advisor/parse/parse.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int st_parse_kernel_config(const char *text, const char *name, char *ret, size_t ret_bytes)
{
    static const char unset[] = "# CONFIG_";
    const size_t name_len = strlen(name);
    for (const char *line = text; line != NULL && *line != '\0';) {
        const char *end = strchr(line, '\n');
        if (strncmp(line, "CONFIG_", 7) == 0 && strncmp(line + 7, name, name_len) == 0 &&
            line[7 + name_len] == '=') {
            const char *value = line + 7 + name_len + 1;
            const size_t len = strcspn(value, "\r\n");
            if (len == 0 || len >= ret_bytes)
                return -EBADMSG;
            memcpy(ret, value, len);
            ret[len] = '\0';
            return 0;
        }
        if (strncmp(line, unset, sizeof(unset) - 1) == 0 &&
            strncmp(line + sizeof(unset) - 1, name, name_len) == 0 &&
            strncmp(line + sizeof(unset) - 1 + name_len, " is not set", 11) == 0) {
            snprintf(ret, ret_bytes, "n");
            return 0;
        }
        line = end != NULL ? end + 1 : NULL;
    }
    return -ENOENT;
}

/** The number behind "name", blanks and a colon, at the beginning of a line. @return 0, -ENOENT, -EBADMSG. */
static int line_number(const char *line, const char *name, int64_t *ret)
{
    line += strspn(line, " \t");
    if (strncmp(line, name, strlen(name)) != 0)
        return -ENOENT;
    line += strlen(name);
    line += strspn(line, " \t");
    if (*line != ':')
        return -ENOENT;
    line++;
    line += strspn(line, " \t");
    char *end;
    errno = 0;
    const long long value = strtoll(line, &end, 10);
    if (*line < '0' || *line > '9' || errno == ERANGE || strchr(" \t\r\n", *end) == NULL)
        return -EBADMSG;
    *ret = value;
    return 0;
}

int st_parse_timer_list(const char *text, struct st_timer_list *ret)
{
    struct st_timer_list list = {0};
    for (const char *line = text; line != NULL && *line != '\0';) {
        int64_t value;
        const char *end = strchr(line, '\n');
        int r = line_number(line, ".hres_active", &value);
        if (r == 0) {
            list.hres_active = !list.has_hres_active || value < list.hres_active ? value : list.hres_active;
            list.has_hres_active = true;
        } else if (r == -ENOENT) {
            r = line_number(line, ".resolution", &value);
            if (r == 0) {
                list.resolution_ns =
                    !list.has_resolution || value > list.resolution_ns ? value : list.resolution_ns;
                list.has_resolution = true;
            }
        }
        if (r == -EBADMSG && end != NULL) /* the last line may be cut */
            return r;
        line = end != NULL ? end + 1 : NULL;
    }
    *ret = list;
    return 0;
}
