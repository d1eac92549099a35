/* Watches the music that plays while `sleeptune check` measures: which program makes dropouts, and
 * why. */
#pragma once

#include <jansson.h>

#include "advisor/facts/facts.h"
#include "xruns/xrun.h"

struct st_music;

/** Starts the helper programs among `sources` (ends with NULL) whose sound servers run according to
 * `facts`, in the same way as sleeptuned; as root, those of the user who ran sudo; without such a
 * user, none. One thread for all functions. @return NULL: out of memory. */
struct st_music *st_music_start(struct st_platform *p, const struct st_xrun_source *const *sources,
                                const struct st_facts *facts, bool as_root);

/** Reads the programs' output; never waits. Call about once a second. music may be NULL. */
void st_music_poll(struct st_music *music);

/** Dropouts of all servers so far; 0 if music is NULL. */
uint64_t st_music_dropouts(const struct st_music *music);

/** Ends the programs, puts what was seen into facts as "music.*" (advisor/facts/fact_keys.h), and
 * frees music, which may be NULL. @param ask also ask a daemon that watched the same server.
 * @return clients that lost sound, as "dropouts" of sleeptune-history/1; NULL: out of memory. */
ST_NODISCARD json_t *st_music_finish(struct st_music *music, bool ask, struct st_facts *facts);
