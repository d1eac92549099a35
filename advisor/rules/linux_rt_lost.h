/* Real-time priority that rtkit took away. */
#pragma once

#include "advisor/facts/facts.h"

/* Keys that st_linux_rt_lost() reads. */
#define ST_RT_LOST_KEYS ST_KEY_DAEMON_RTKIT_DAEMON, ST_KEY_RTKIT_COMMAND, ST_KEY_RTKIT_DEMOTED_N

/** Does linux-rt-lost report, from rtkit's log, that this server lost its priority? If both servers
 * run, the rule is about PipeWire only. @param key "linux.daemon.pipewire" or
 * "linux.daemon.pulseaudio", the server without priority. */
bool st_linux_rt_lost(const struct st_facts *facts, const char *key);
