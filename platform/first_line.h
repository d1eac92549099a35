/* The first line of a small file, read through the seam. */
#ifndef ST_PLATFORM_FIRST_LINE_H
#define ST_PLATFORM_FIRST_LINE_H

#include "platform/platform.h"

/** The first line of a file without blanks around it. @return 0, -ENODATA (empty), or what read_text said. */
int st_first_line_read(struct st_platform *p, const char *path, char *buf, size_t buf_bytes);

#endif
