/* All sources of other programs' xruns. Threads: main. */
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

/** Makes the sources; the first st_observe_turn opens them. @param sources ends with NULL; the
 * first ST_XRUN_SOURCES_MAX are used; must stay valid. @param cycles path of the file for
 * PipeWire's last cycles (xruns/cycle_ring.h), must stay valid; "": none. @return 0, -ENOMEM. */
ST_NODISCARD int st_observe_new(struct st_platform *platform,
                                const struct st_xrun_source *const *sources,
                                const struct st_config *config, struct st_events *events,
                                const char *cycles, struct st_observe **ret);

/** Closes all sources; waits for the end of helper programs. NULL is allowed. */
void st_observe_free(struct st_observe *observe);

/** The levels of buffers in the last minute, with a text about what is watched. */
const struct st_cycle_levels *st_observe_levels(struct st_observe *observe);

/** Applies other settings (observe.*); counts continue. */
void st_observe_set(struct st_observe *observe, const struct st_config *config);

/** Adds to `wait` what the sources wait for; st_observe_turn handles it. @return (of
 * st_observe_turn) when something last played, as st_playing_facts.played_ns. */
void st_observe_wait(const struct st_observe *observe, struct st_wait *wait);
int64_t st_observe_turn(struct st_observe *observe, const struct st_wait *wait);

/** Fills in what the sources know about playing programs; leaves own_stream as it is. */
void st_observe_playing(const struct st_observe *observe, struct st_playing_facts *ret);

void st_observe_look(struct st_observe *observe, struct st_observe_view *ret);

/** The name of a client that plays through a buffer in which sleeptune does not see dropouts; "":
 * no such client. */
const char *st_observe_unheard(const struct st_observe *observe);

/** What the sources saw in a minute. */
struct st_observe_minute {
    struct st_history_watched watched;
    int64_t dropouts_n; /* dropouts of other programs and devices; INT64_MIN: nothing was watched */
};

/** What was watched since the end of the last minute, or since the start. */
struct st_history_watched st_observe_minute_so_far(const struct st_observe *observe);

/** Events for dropouts that were counted but are in no stored event yet. @param ret to be freed;
 * NULL: out of memory, or none. @return their number. */
size_t st_observe_open_events(const struct st_observe *observe, struct st_event **ret);

/** Ends the minute and returns what was seen in it; the caller sets its times. */
void st_observe_end_minute(struct st_observe *observe, struct st_observe_minute *ret);

/** Counts the dropouts whose reports have waited long enough for a cause or for other reports of
 * the same dropout (struct st_observed_waiting). */
void st_observe_count(struct st_observe *observe);

/** Adds events for everything counted so far, so that later dropouts are in other events. */
void st_observe_cut(struct st_observe *observe);

/* --- the next functions are in observe_view.c and pure --- */

/** The list of sources in the status document: [{source, summary, mode, state, why, ...}]. New
 * reference. */
json_t *st_observe_json(const struct st_observe_view *view);

/** Writes the header of a Prometheus metric. @param help must have no newline. */
void st_observe_metric(FILE *out, const char *name, const char *type, const char *help);

/** Writes a label NAME="VALUE" with unsafe bytes of the value replaced: a newline would end the
 * sample. */
void st_observe_label(FILE *out, const char *name, const char *value);

/** Writes the metrics of the sources. Begins with the samples of sleeptune_device_dropouts_total,
 * whose header the caller has written. @param named as in st_view_metrics. */
void st_observe_metrics(FILE *out, const struct st_observe_view *view, bool named);
