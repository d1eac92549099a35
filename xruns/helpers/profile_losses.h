/* Dropouts of PipeWire's graph that are not reported yet. */
#pragma once

#include "xruns/event.h"

struct st_pipewire_profile;
struct st_profile_node;

/** @return an event for one dropout of the node; of the node and its driver it has only the names.
 */
struct st_event st_profile_losses_event(const struct st_profile_node *node, enum st_event_kind kind,
                                        enum st_dropout_place place);

/** Adds a dropout to the one with the same device, client, reason and place. If the list has no
 * room, the last dropout of the list takes it. */
void st_profile_losses_add(struct st_pipewire_profile *profile, const struct st_event *event);

/** A device ran dry n times. @param lost_ns total time without sound; 0: not known. @param
 * longest_ns of one time; 0: not known. */
void st_profile_losses_dry(struct st_pipewire_profile *profile, const struct st_profile_node *node,
                           int64_t n, int64_t lost_ns, int64_t longest_ns);

/** Time that the node usually leaves of its period; 0: not known. */
int64_t st_profile_losses_spare_ns(const struct st_profile_node *node);
