/* Other programs' xruns: all sources. Threads: main. */
#pragma once

#include <jansson.h>

#include "daemon/config/config.h"
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

/** @param sources of them the first ST_XRUN_SOURCES_MAX; ends with NULL; must stay. They are opened by the
 * first turn. @param cycles  file in which PipeWire's last cycles are written (xruns/cycle_ring.h), must
 * stay; "": none.
 * @return 0, -ENOMEM. */
ST_NODISCARD int st_observe_new(struct st_platform *platform, const struct st_xrun_source *const *sources,
                                const struct st_config *config, struct st_events *events, const char *cycles,
                                struct st_observe **ret);

/** Closes all sources; helper programs have ended when it returns. NULL is fine. */
void st_observe_free(struct st_observe *observe);

/** What was left in buffers in the last minute, and what is watched. */
const struct st_cycle_levels *st_observe_levels(struct st_observe *observe);

/** Other settings, observe.*; counts go on. */
void st_observe_set(struct st_observe *observe, const struct st_config *config);

/** What the sources wait for, and what they do when that is ready. @return when something last played, as
 * played_ns. */
void st_observe_wait(const struct st_observe *observe, struct st_wait *wait);
int64_t st_observe_turn(struct st_observe *observe, const struct st_wait *wait);

/** What the sources know of what plays; own_stream is left alone. */
void st_observe_playing(const struct st_observe *observe, struct st_playing_facts *ret);

void st_observe_look(struct st_observe *observe, struct st_observe_view *ret);

/** A client that plays and whose buffer is not watched; "": there is none. observe may be NULL. */
const char *st_observe_unheard(const struct st_observe *observe);

/** What was observed in a minute. */
struct st_observe_minute {
    struct st_history_watched watched;
    int64_t dropouts_n; /* of other programs and devices; INT64_MIN: nothing was watched */
};

/** Since the last minute ended, or since the start, up to now. */
struct st_history_watched st_observe_minute_so_far(const struct st_observe *observe);

/** What was counted and is in no event yet. @param ret to be freed; NULL when out of memory, or none.
 * @return how many. */
size_t st_observe_open_events(const struct st_observe *observe, struct st_event **ret);

/** The same, and the minute ends; the times are the caller's. */
void st_observe_end_minute(struct st_observe *observe, struct st_observe_minute *ret);

/** Counts what waits, as far as all is known of it. */
void st_observe_count(struct st_observe *observe);

/** Makes events of what is in none: what comes is in others. observe may be NULL. */
void st_observe_cut(struct st_observe *observe);

/* --- observe_view.c: pure --- */

/** [{source, summary, mode, state, why, ...}] of the status document. New reference. */
json_t *st_observe_json(const struct st_observe_view *view);

/** The header of a metric; the help has no newline. */
void st_observe_metric(FILE *out, const char *name, const char *type, const char *help);

/** NAME="VALUE", made safe: a newline in the value would end the sample. */
void st_observe_label(FILE *out, const char *name, const char *value);

/** Metrics of the sources, first the rest of sleeptune_device_dropouts_total, whose header is written.
 * @param named  as of st_view_metrics. */
void st_observe_metrics(FILE *out, const struct st_observe_view *view, bool named);
