/* Writes cycles of PipeWire's graph as rows of the ring (xruns/cycle_ring.h), if there is a
 * ring. */
#pragma once

#include "xruns/helpers/pipewire_profile.h"

void st_profile_row_put(struct st_pipewire_profile *profile, const struct st_pipewire_cycle *cycle,
                        const struct st_pipewire_block *block, bool is_driver);

/** Writes the cycle, which PipeWire does not report, of the client that kept the server from its
 * CPU. */
void st_profile_row_put_held(struct st_pipewire_profile *profile,
                             const struct st_profile_node *driver,
                             const struct st_profile_node *holder);
