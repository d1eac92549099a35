/* Parsers of whole files; pure, so that they can be fuzzed. Internal to advisor/. */
#ifndef ST_ADVISOR_PARSE_PARSE_H
#define ST_ADVISOR_PARSE_PARSE_H

#include <stdbool.h>

#include "core/base.h"

/**
 * One option of a kernel configuration: "CONFIG_<name>=value" or "# CONFIG_<name> is not set" ("n").
 * Quotes round a string stay. @return 0, -ENOENT (not mentioned), -EBADMSG (value empty or longer than the
 * buffer).
 */
ST_NODISCARD int st_parse_kernel_config(const char *text, const char *name, char *ret, size_t ret_bytes);

struct st_timer_list {
    bool has_hres_active;
    int64_t hres_active; /* smallest of all CPUs */
    bool has_resolution;
    int64_t resolution_ns; /* largest of all clocks */
};

/** /proc/timer_list, whole or its beginning: ".hres_active : 1", ".resolution: 1 nsecs".
 *  @return 0, -EBADMSG (one of the lines is there with something else than a number). */
ST_NODISCARD int st_parse_timer_list(const char *text, struct st_timer_list *ret);

#endif
