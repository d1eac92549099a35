/* One sink for a session that gives all it hears to several. */
#ifndef ST_DAEMON_STATUS_FAN_H
#define ST_DAEMON_STATUS_FAN_H

#include "measure/session.h"

#define ST_FAN_MAX 4

struct st_fan {
    struct st_sink sinks[ST_FAN_MAX];
    size_t n;
};

/** In this order for each sample. @return 0 or -ENOSPC. Before the session starts. */
ST_NODISCARD int st_fan_add(struct st_fan *fan, const struct st_sink *sink);

/** To be given to a session; fan must stay. */
struct st_sink st_fan_sink(struct st_fan *fan);

#endif
