/* Real-time priority that rtkit took away. */
#ifndef ST_ADVISOR_RULES_LINUX_RT_LOST_H
#define ST_ADVISOR_RULES_LINUX_RT_LOST_H

#include "advisor/facts/facts.h"

/* What st_linux_rt_lost() reads. */
#define ST_RT_LOST_KEYS "linux.daemon.rtkit-daemon", "linux.rtkit.command", "linux.rtkit.demoted_n"

/** Does rtkit's log say that it took priority away, and can it do so again? linux-rt-lost reports that of a PipeWire or PulseAudio
 * without priority. */
bool st_linux_rt_lost(const struct st_facts *facts);

#endif
