#include "core/event.h"

#include <string.h>

bool st_event_is_name(const char *text)
{
    const size_t n = strlen(text);
    for (const char *at = ST_EVENT_NAMES;; at += 2) {
        const size_t len = strcspn(at, ",");
        if (len == n && strncmp(at, text, n) == 0)
            return true;
        at += len;
        if (*at == '\0')
            return false;
    }
}

const char *st_event_certainty(enum st_certainty certainty)
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
