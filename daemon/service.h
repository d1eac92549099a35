/* Puts the parts of sleeptuned together: start, a tick each second, reload, end. */
#pragma once

#include <signal.h>

#include "daemon/config/config.h"
#include "st_config.h"

/* the configuration file, unless the command line names another one; may be missing */
#define ST_SERVICE_CONFIG ST_SYSCONF_DIR "/sleeptuned.conf"

#define ST_SERVICE_TICK_NS INT64_C(1000000000)
/* While nothing plays, ticks are this number of ST_SERVICE_TICK_NS apart. */
#define ST_SERVICE_REST_TICKS 15

struct st_service;

/** Starts everything. If a part fails that the daemon can do without (audio, TCP, real-time
 * rights), the daemon is degraded; other failures are logged and returned. @param config_path must
 * stay valid, since a reload reads it again; NULL: there was no file; a reload then looks for
 * ST_SERVICE_CONFIG. @return 0 or a negative errno value (-EIO: for example, another daemon uses
 * the socket). Threads: main, with signals blocked. */
ST_NODISCARD int st_service_start(struct st_platform *platform, const struct st_config *config,
                                  const char *config_path, struct st_service **ret);

/** Time until the next st_service_tick (ns): ST_SERVICE_TICK_NS; while nothing plays
 * ST_SERVICE_REST_TICKS times as long. */
int64_t st_service_tick_ns(const struct st_service *service);

/** Waits until until_ns (CLOCK_MONOTONIC), or for a signal that is not in `blocked`; meanwhile
 * serves requests and takes the xruns that helper programs report. @return as st_service_tick. */
int st_service_wait(struct st_service *service, int64_t until_ns, const sigset_t *blocked);

/** Checks all parts; call every st_service_tick_ns. @return 0, or a negative errno value: the loop
 * ended by itself, or could not be ended or started. */
int st_service_tick(struct st_service *service);

/** Call after SIGXCPU, which the kernel sends when a real-time thread of this process ran too long
 * without a sleep (RLIMIT_RTTIME): takes real-time priority from the loop. */
void st_service_too_long(struct st_service *service);

/** SIGHUP: reloads the configuration. With a bad file, keeps the old settings and reports that.
 * @return as st_service_tick. */
int st_service_reload(struct st_service *service);

/** Ends the loop, stores and logs the last minute, closes and frees all. @return 0, or -ETIMEDOUT
 * if the loop did not end: its memory stays until the process ends. */
ST_NODISCARD int st_service_stop(struct st_service *service);
