/* The parts of sleeptuned put together: start, one tick a second, reload, end. */
#pragma once

#include <signal.h>

#include "daemon/config/config.h"
#include "platform/platform.h"
#include "st_config.h"

/* read where no other file is named; may be missing */
#define ST_SERVICE_CONFIG ST_SYSCONF_DIR "/sleeptuned.conf"

#define ST_SERVICE_TICK_NS    INT64_C(1000000000)
#define ST_SERVICE_REST_TICKS 15 /* a tick is this many times longer while nothing plays */

struct st_service;

/**
 * Starts everything. What can fail without being the daemon's purpose (audio, TCP, real-time rights) makes it
 * degraded; the rest is an error, which is logged.
 * @param config_path  read again at reload, must stay; NULL: there was no file, and reload looks whether
 * ST_SERVICE_CONFIG is there by then.
 * @return 0 or a negative errno value (-EADDRINUSE: another daemon). Threads: main; signals are blocked
 * already. */
ST_NODISCARD int st_service_start(struct st_platform *platform, const struct st_config *config,
                                  const char *config_path, struct st_service **ret);

/** How long until the next st_service_tick: ST_SERVICE_TICK_NS, or ST_SERVICE_REST_TICKS of them. */
int64_t st_service_tick_ns(const struct st_service *service);

/** Waits until until_ns (CLOCK_MONOTONIC), or for a signal that is not in `blocked`; serves requests and
 * takes what the sources of xruns see. @return as st_service_tick. */
int st_service_wait(struct st_service *service, int64_t until_ns, const sigset_t *blocked);

/** Looks after the parts; call every st_service_tick_ns. @return 0, or -EIO when the loop ended by itself. */
int st_service_tick(struct st_service *service);

/** SIGXCPU: a real-time thread of ours ran too long without a sleep (RLIMIT_RTTIME). */
void st_service_too_long(struct st_service *service);

/** SIGHUP. A bad file keeps the old settings and says so. @return as st_service_tick. */
int st_service_reload(struct st_service *service);

/** Ends the loop, stores and logs the last minute, closes all, frees. @return 0, or -ETIMEDOUT when the loop
 * did not end: its thread has the rest until the process ends. */
ST_NODISCARD int st_service_stop(struct st_service *service);
