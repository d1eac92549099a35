#include "platform/tree.h"

#include <errno.h>
#include <string.h>

int st_tree_line(struct st_platform *p, const char *path, char *buf, size_t buf_bytes)
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

void st_tree_circumstances(struct st_platform *p, int cpu, st_circumstance_fn fn, void *ctx)
{
    switch (p->os) {
    case ST_OS_LINUX:
        st_tree_circumstances_linux(p, cpu, NULL, fn, ctx);
        break;
    case ST_OS_FREEBSD:
        st_tree_circumstances_freebsd(p, cpu, fn, ctx);
        break;
    }
}

int st_tree_virtualised(struct st_platform *p, bool *ret)
{
    return p->os == ST_OS_LINUX ? st_tree_virtualised_linux(p, ret) : st_tree_virtualised_freebsd(p, ret);
}
