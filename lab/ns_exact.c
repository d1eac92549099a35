#include "lab/ns_exact.h"

#include "core/ns.h"

const char *st_ns_exact(int64_t ns)
{
    const double us = (double)ns / 1e3, size = us < 0 ? -us : us;
    if (size < 1 || size >= 999.95)
        return st_ns_text(ns);
    return st_text("%.*f \xc2\xb5s", size < 10 ? 3 : size < 99.995 ? 2 : 1, us);
}
