/* Lists of CPUs as the kernel writes them: "0-3,8". */
#include "core/cpu_list.h"

#include "core/text/number.h"

static int parse_number(const char **at, uint64_t *ret)
{
    const int r = st_number_take(at, ret);
    if (r < 0)
        return r == -EINVAL ? -EBADMSG : r;
    return *ret < ST_CPU_LIST_MAX ? 0 : -ERANGE;
}

int st_cpu_list_parse(const char *text, struct st_cpu_list *ret)
{
    struct st_cpu_list list = {0};
    const char *at = text;
    if (strcmp(text, "(null)") == 0)
        at = "";
    while (*at != '\0') {
        uint64_t first, last;
        int r = parse_number(&at, &first);
        last = first;
        if (r == 0 && *at == '-') {
            at++;
            r = parse_number(&at, &last);
        }
        if (r != 0 || last < first || (*at != ',' && *at != '\0'))
            return r != 0 ? r : -EBADMSG;
        if (*at == ',' && *++at == '\0')
            return -EBADMSG;
        for (uint64_t cpu = first; cpu <= last; cpu++) {
            list.n += !st_cpu_list_has(&list, (size_t)cpu);
            list.has[cpu / 8] |= (unsigned char)(1u << cpu % 8);
        }
    }
    *ret = list;
    return 0;
}

bool st_cpu_list_has(const struct st_cpu_list *list, size_t cpu)
{
    return cpu < ST_CPU_LIST_MAX && (list->has[cpu / 8] >> cpu % 8 & 1) != 0;
}
