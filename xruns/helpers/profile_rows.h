/* Writes cycles of PipeWire's graph as rows of the ring (xruns/cycle_ring.h), if there is a
 * ring. */
#pragma once

#include "xruns/helpers/pipewire_profile.h"

void st_profile_row_put(struct st_pipewire_profile *profile, const struct st_pipewire_cycle *cycle,
                        const struct st_pipewire_block *block, bool is_driver);

/** Writes the unreported cycle of the client that held the CPU. */
void st_profile_row_put_held(struct st_pipewire_profile *profile,
                             const struct st_profile_node *driver,
                             const struct st_profile_node *holder);
