#include "platform/platform.h"

const char *st_platform_policy_name(enum st_policy policy)
{
    switch (policy) {
    case ST_POLICY_OTHER:
        return "other";
    case ST_POLICY_FIFO:
        return "fifo";
    case ST_POLICY_RR:
        return "rr";
    }
    return "?";
}
