/* Dropouts of PipeWire's graph that were seen and are not reported yet. */
#pragma once

#include "xruns/event.h"

struct st_pipewire_profile;
struct st_profile_node;

/** One dropout of that node, or of its driver, of which nothing is known but the names. */
struct st_event st_profile_losses_event(const struct st_profile_node *node, enum st_event_kind kind,
                                        enum st_dropout_place place);

/** Adds it to those of the same device, client, reason and place; where there is no room for more, to the
 * last ones. */
void st_profile_losses_add(struct st_pipewire_profile *profile, const struct st_event *event);

/** A device ran dry n times. @param lost_ns of all together; 0: not known. @param longest_ns of one; 0: not
 * known. */
void st_profile_losses_dry(struct st_pipewire_profile *profile, const struct st_profile_node *node, int64_t n,
                           int64_t lost_ns, int64_t longest_ns);

/** What the node usually leaves of its period; 0: not known. */
int64_t st_profile_losses_spare_ns(const struct st_profile_node *node);
