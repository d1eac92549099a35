/* Puts the parts of sleeptuned together: start, a tick each second, reload, end. */
#pragma once

#include <signal.h>

#include "daemon/config/config.h"
#include "st_config.h"

/* used if no other file is named; may be missing */
#define ST_SERVICE_CONFIG ST_SYSCONF_DIR "/sleeptuned.conf"

#define ST_SERVICE_TICK_NS    INT64_C(1000000000)
#define ST_SERVICE_REST_TICKS 15 /* factor for the interval of ticks while nothing plays */

struct st_service;

/** Starts everything. If a part fails that is not the daemon's purpose (audio, TCP, real-time rights), the
 * daemon is degraded; other failures are logged and returned. @param config_path read again at reload,
 * must stay valid; NULL: there was no file; reload then looks for ST_SERVICE_CONFIG. @return 0 or a
 * negative errno value (-EADDRINUSE: another daemon). Threads: main, with signals blocked. */
ST_NODISCARD int st_service_start(struct st_platform *platform, const struct st_config *config,
                                  const char *config_path, struct st_service **ret);

/** Time until the next st_service_tick: ST_SERVICE_TICK_NS, or that times ST_SERVICE_REST_TICKS. */
int64_t st_service_tick_ns(const struct st_service *service);

/** Waits until until_ns (CLOCK_MONOTONIC), or for a signal that is not in `blocked`; serves requests and
 * takes sightings of xruns. @return as st_service_tick. */
int st_service_wait(struct st_service *service, int64_t until_ns, const sigset_t *blocked);

/** Checks all parts; call every st_service_tick_ns. @return 0, or -EIO if the loop ended by itself. */
int st_service_tick(struct st_service *service);

/** SIGXCPU: a real-time thread of ours ran too long without a sleep (RLIMIT_RTTIME). */
void st_service_too_long(struct st_service *service);

/** SIGHUP: reloads the configuration. With a bad file, keeps the old settings and reports that. @return as
 * st_service_tick. */
int st_service_reload(struct st_service *service);

/** Ends the loop, stores and logs the last minute, closes and frees all. @return 0, or -ETIMEDOUT if the
 * loop did not end: its memory stays until the process ends. */
ST_NODISCARD int st_service_stop(struct st_service *service);
