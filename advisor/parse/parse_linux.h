/* Parsers of Linux' text files; pure, so that they can be fuzzed. Internal to advisor/. */
#ifndef ST_ADVISOR_PARSE_PARSE_LINUX_H
#define ST_ADVISOR_PARSE_PARSE_LINUX_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base.h"

/** Called for each setting that a parser finds; section is "" where there is none. */
typedef void (*st_setting_fn)(void *ctx, const char *section, const char *key, const char *value);

/**
 * Lines "key <separator> value" below lines "[section]": sysctl.conf, daemon.conf, units, hw_params. Lines
 * that begin with one of `comments` are left out, as are lines without separator. Both sides are trimmed.
 * Cuts `text` into pieces.
 */
void st_parse_settings(char *text, char separator, const char *comments, st_setting_fn fn, void *ctx);

/** limits.conf(5): "domain type item value". section: the domain; key: the item. Only what sets the soft
 * limit (types "-" and "soft"). Cuts `text` into pieces. */
void st_parse_limits(char *text, st_setting_fn fn, void *ctx);

/** modprobe.d(5): "options module name=value ...". section: the module, '-' as '_'. Cuts `text` into pieces.
 */
void st_parse_modprobe(char *text, st_setting_fn fn, void *ctx);

/**
 * PipeWire's relaxed JSON: names and values of objects; '=' ':' ',' are white space, '#' begins a comment.
 * section: the name of the object that holds the setting, "" at the top; values that are objects or arrays
 * are walked, not given. Names and values longer than 127 bytes are left out, as is what lies deeper than 32.
 */
void st_parse_spa(const char *text, st_setting_fn fn, void *ctx);

/** Called for each interrupt line with a number. actions: "a, b" as the kernel says (the chip, if nobody uses
 * the line). */
typedef void (*st_interrupt_fn)(void *ctx, unsigned number, const char *actions);

/** /proc/interrupts, whole or its beginning. Cuts `text` into pieces. @return 0, -EBADMSG (no heading). */
ST_NODISCARD int st_parse_interrupts(char *text, st_interrupt_fn fn, void *ctx);

struct st_swaps {
    size_t zram_n;
    size_t other_n;  /* on disks and in files */
    bool zram_first; /* zram has the higher priority than all others; false also without one of both */
};

/** /proc/swaps. Cuts `text` into pieces. @return 0, -EBADMSG (no heading). */
ST_NODISCARD int st_parse_swaps(char *text, struct st_swaps *ret);

/**
 * /proc/mounts: the type of the file system that `path` lies on (the longest mount point that is above it; of
 * two equal ones the later, which hides the earlier). Cuts `text` into pieces. @return 0, -ENOENT.
 */
ST_NODISCARD int st_parse_mounts(char *text, const char *path, char *ret_type, size_t bytes);

#endif
