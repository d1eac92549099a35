/* Lists of CPUs in the kernel's format: "0-3,8". */
#pragma once

#include "core/base.h"

#define ST_CPU_LIST_MAX 4096

struct st_cpu_list {
    unsigned char has[ST_CPU_LIST_MAX / 8];
    size_t n;
};

/** Parses a list. "" and "(null)" are the empty list; a CPU may be listed twice. @return 0,
 * -EBADMSG, -ERANGE (a CPU beyond ST_CPU_LIST_MAX). */
ST_NODISCARD int st_cpu_list_parse(const char *text, struct st_cpu_list *ret);

bool st_cpu_list_has(const struct st_cpu_list *list, size_t cpu);
