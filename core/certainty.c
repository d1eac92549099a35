/* Names of certainties. */
#include "core/certainty.h"

const char *st_certainty_name(enum st_certainty certainty)
{
    switch (certainty) {
    case ST_CERTAINTY_EXACT:
        return "exact";
    case ST_CERTAINTY_PROBABLE:
        return "probable";
    case ST_CERTAINTY_NONE:
        break;
    }
    return "";
}
