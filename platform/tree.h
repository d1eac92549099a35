/* Facts about a machine from its tunables, read through read_text, list and read_sysctl of struct
 * st_platform only, so that the code is the same for this machine, a captured tree and a test's
 * fake machine, on any host. */
#pragma once

#include "platform/platform.h"

int st_tree_read_sysctl_linux(struct st_platform *machine, const char *name, char *buf,
                              size_t buf_bytes, size_t *ret_len);
int st_tree_write_sysctl_linux(struct st_platform *platform, const char *name, const char *text);

/** Reads the conditions of the system that machine->os names. FreeBSD's are sysctls:
 * kern.timecounter.*, hw.model and others. Keys that Linux and FreeBSD have in common share a
 * name. */
void st_tree_conditions(struct st_platform *machine, int cpu, st_condition_fn fn, void *ctx);
/** Does the machine run below a hypervisor? @return 0; -ENODATA: unknown. */
int st_tree_virtualised(struct st_platform *machine, bool *ret);

/** The first 8 kB of a text file, as a text of st_text; "": it cannot be read. */
const char *st_tree_text(struct st_platform *machine, const char *path);
/** The first line of a file without blanks around it. NULL: it is not readable, or empty. */
const char *st_tree_first_line(struct st_platform *machine, const char *path);
/** The first line of a sysctl of at most 255 bytes, without blanks around it. NULL: it is not
 * readable, or empty. */
const char *st_tree_sysctl_line(struct st_platform *machine, const char *name);
