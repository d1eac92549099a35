/* The first line of a small file. */
#include "platform/first_line.h"

#include <errno.h>
#include <string.h>

int st_first_line_read(struct st_platform *p, const char *path, char *buf, size_t buf_bytes)
{
    size_t len;
    const int r = p->read_text(p, path, buf, buf_bytes, &len);
    if (r < 0 && r != -EFBIG)
        return r;
    char *start = buf + strspn(buf, " \t");
    size_t n = strcspn(start, "\r\n");
    while (n > 0 && (start[n - 1] == ' ' || start[n - 1] == '\t'))
        n--;
    memmove(buf, start, n);
    buf[n] = '\0';
    return n > 0 ? 0 : -ENODATA;
}
