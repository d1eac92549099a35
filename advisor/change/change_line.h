/* What single lines of other people's settings set: one function a syntax. */
#ifndef ST_ADVISOR_CHANGE_CHANGE_LINE_H
#define ST_ADVISOR_CHANGE_CHANGE_LINE_H

#include "advisor/change/change.h"

/** One name and value of a change: "power_save", "0" of a module's options "power_save=0 beep_mode=0". */
struct st_pair {
    char name[ST_CHANGE_VALUE_BYTES];
    char value[ST_CHANGE_VALUE_BYTES];
};

/** The i-th pair of a change. @return false: there is none. */
bool st_change_pair(const struct st_change *change, size_t i, struct st_pair *ret);

/** What a line sets `name` to: text within the line, which is changed, or static; NULL: it says nothing. */
typedef const char *(*st_line_fn)(const struct st_change *change, const char *name, char *line);

const char *st_line_sysctl(const struct st_change *change, const char *name, char *line);
const char *st_line_assigned(const struct st_change *change, const char *name, char *line);
const char *st_line_tmpfiles(const struct st_change *change, const char *name, char *line);
const char *st_line_modprobe(const struct st_change *change, const char *name, char *line);
const char *st_line_udev(const struct st_change *change, const char *name, char *line);
const char *st_line_limits(const struct st_change *change, const char *name, char *line);
const char *st_line_systemd(const struct st_change *change, const char *name, char *line);
const char *st_line_grub(const struct st_change *change, const char *name, char *line);
const char *st_line_cmdline(const struct st_change *change, const char *name, char *line);
const char *st_line_login(const struct st_change *change, const char *name, char *line);

#endif
