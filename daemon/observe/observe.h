/* Other programs' xruns, from all sources. Threads: main. */
#pragma once

#include <jansson.h>

#include "daemon/loop/witness.h"
#include "daemon/observe/observed.h"
#include "daemon/wait.h"
#include "store/history/history.h"

_Static_assert(ST_XRUN_SOURCES_MAX <= ST_HISTORY_WATCHES_MAX, "all are in the history");

struct st_observe_view {
    struct st_observed_view sources[ST_XRUN_SOURCES_MAX];
    size_t n;
};

struct st_observe;

/** The first turn opens the sources. @param sources the first ST_XRUN_SOURCES_MAX are used; ends with
 * NULL; must stay valid. @param cycles file for PipeWire's last cycles (xruns/cycle_ring.h), must stay
 * valid; "": none. @return 0, -ENOMEM. */
ST_NODISCARD int st_observe_new(struct st_platform *platform, const struct st_xrun_source *const *sources,
                                const struct st_config *config, struct st_events *events, const char *cycles,
                                struct st_observe **ret);

/** Closes all sources; waits for the end of helper programs. NULL is allowed. */
void st_observe_free(struct st_observe *observe);

/** Levels of buffers in the last minute, and what is watched. */
const struct st_cycle_levels *st_observe_levels(struct st_observe *observe);

/** Sets other settings (observe.*); counts continue. */
void st_observe_set(struct st_observe *observe, const struct st_config *config);

/** Adds what the sources wait for; st_observe_turn handles it. @return when something last played, as
 * played_ns. */
void st_observe_wait(const struct st_observe *observe, struct st_wait *wait);
int64_t st_observe_turn(struct st_observe *observe, const struct st_wait *wait);

/** Fills what the sources know about playing programs, except own_stream. */
void st_observe_playing(const struct st_observe *observe, struct st_playing_facts *ret);

void st_observe_look(struct st_observe *observe, struct st_observe_view *ret);

/** A client that plays and whose buffer is not watched; "": none. observe may be NULL. */
const char *st_observe_unheard(const struct st_observe *observe);

/** What was observed in a minute. */
struct st_observe_minute {
    struct st_history_watched watched;
    int64_t dropouts_n; /* of other programs and devices; INT64_MIN: nothing was watched */
};

/** What was watched from the end of the last minute, or the start, up to now. */
struct st_history_watched st_observe_minute_so_far(const struct st_observe *observe);

/** Events for what was counted but is in no event yet. @param ret to be freed; NULL: out of memory, or
 * none. @return their number. */
size_t st_observe_open_events(const struct st_observe *observe, struct st_event **ret);

/** Ends the minute and returns it; the caller sets the times. */
void st_observe_end_minute(struct st_observe *observe, struct st_observe_minute *ret);

/** Counts waiting sightings about which everything is known. */
void st_observe_count(struct st_observe *observe);

/** Puts events for everything counted so far; later sightings go into other events. observe may be NULL. */
void st_observe_cut(struct st_observe *observe);

/* --- observe_view.c: pure --- */

/** [{source, summary, mode, state, why, ...}] of the status document. New reference. */
json_t *st_observe_json(const struct st_observe_view *view);

/** Writes the header of a metric; the help has no newline. */
void st_observe_metric(FILE *out, const char *name, const char *type, const char *help);

/** Writes NAME="VALUE", made safe: a newline in the value would end the sample. */
void st_observe_label(FILE *out, const char *name, const char *value);

/** Writes metrics of the sources, first the rest of sleeptune_device_dropouts_total, whose header was
 * written already. @param named as of st_view_metrics. */
void st_observe_metrics(FILE *out, const struct st_observe_view *view, bool named);
