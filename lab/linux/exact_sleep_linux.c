#include "lab/punctual/exact_sleep.h"
#include "platform/posix/posix.h"

int st_exact_sleep_until_ns(struct st_platform *p, int64_t due_ns) ST_NONBLOCKING
{
    return st_posix_sleep_until_ns(p, due_ns);
}
