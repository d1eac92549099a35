/* Real-time priority that rtkit took away. */
#ifndef ST_ADVISOR_RULES_LINUX_RT_LOST_H
#define ST_ADVISOR_RULES_LINUX_RT_LOST_H

#include "advisor/facts/facts.h"

/* What st_linux_rt_lost() reads. */
#define ST_RT_LOST_KEYS "linux.daemon.rtkit-daemon", "linux.rtkit.command", "linux.rtkit.demoted_n"

/** Does linux-rt-lost report that rtkit took the priority of this server away, as its log says? key:
 * "linux.daemon.pipewire" or "linux.daemon.pulseaudio", which has no priority. Of two that run it is about
 * PipeWire only. */
bool st_linux_rt_lost(const struct st_facts *facts, const char *key);

#endif
