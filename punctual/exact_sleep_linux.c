#include "platform/posix/posix.h"
#include "punctual/exact_sleep.h"

int st_exact_sleep_until_ns(struct st_platform *platform, int64_t due_ns) ST_NONBLOCKING
{
    return st_posix_sleep_until_ns(platform, due_ns);
}
