#include "xruns/helpers/profile_losses.h"

#include "xruns/helpers/pipewire_profile.h"

struct st_event st_profile_losses_event(const struct st_profile_node *node, enum st_event_kind kind,
                                        enum st_dropout_place place)
{
    struct st_event event = st_event_make(0, kind, "%s", "");
    event.certainty = ST_CERTAINTY_EXACT;
    event.place = place;
    event.count_n = 1;
    memcpy(event.device, node->driver, sizeof(event.device));
    memcpy(event.client, node->name, sizeof(event.client));
    return event;
}

void st_profile_losses_add(struct st_pipewire_profile *profile, const struct st_event *event)
{
    ST_EACH_OF (same, profile->unreported, profile->unreported_n) {
        if (same->kind != event->kind || same->reason != event->reason ||
            same->place != event->place || !st_text_is(same->client, event->client) ||
            !st_text_is(same->device, event->device))
            continue;
        st_event_add(same, event);
        same->end_ns = event->end_ns;
        return;
    }
    if (profile->unreported_n < ST_ARRAY_LEN(profile->unreported))
        profile->unreported[profile->unreported_n++] = *event;
    else
        st_event_add(&profile->unreported[profile->unreported_n - 1], event);
}

void st_profile_losses_dry(struct st_pipewire_profile *profile, const struct st_profile_node *node,
                           int64_t n, int64_t lost_ns, int64_t longest_ns)
{
    if (n == 0)
        return;
    struct st_event event =
        st_profile_losses_event(node, ST_EVENT_DEVICE_DROPOUT, ST_DROPOUT_AT_DEVICE_BUFFER);
    event.count_n = n;
    event.lost_ns = lost_ns;
    event.longest_ns = longest_ns;
    memcpy(event.device, node->name, sizeof(event.device));
    memset(event.client, 0, sizeof(event.client));
    st_profile_losses_add(profile, &event);
}

int64_t st_profile_losses_spare_ns(const struct st_profile_node *node)
{
    if (node->usual.busy_ns <= 0 || node->drives)
        return 0;
    return ST_MAX(node->period_ns - node->usual.busy_ns, 0);
}
