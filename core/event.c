#include "core/event.h"

const char *st_event_kind_name(enum st_event_kind kind)
{
#define NAME(id, name) [ST_EVENT_##id] = (name),
    static const char *const names[ST_EVENT_KINDS] = {ST_EVENT_KIND_LIST(NAME, NAME)};
#undef NAME
    return names[kind];
}

enum st_event_kind st_event_kind_of(const char *name)
{
    enum st_event_kind kind = 0;
    while (kind < ST_EVENT_KINDS && strcmp(st_event_kind_name(kind), name) != 0)
        kind++;
    return kind;
}

bool st_event_kind_is_dropout(enum st_event_kind kind)
{
    return kind == ST_EVENT_DEVICE_DROPOUT || kind == ST_EVENT_CLIENT_DROPOUT ||
           kind == ST_EVENT_OWN_DROPOUT;
}
