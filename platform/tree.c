/* What the tunables of a machine say about it, by the OS of its tunables. */
#include "platform/tree.h"

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
