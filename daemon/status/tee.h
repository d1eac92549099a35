/* One sink for a session that gives all it hears to several. */
#ifndef ST_DAEMON_STATUS_TEE_H
#define ST_DAEMON_STATUS_TEE_H

#include "measure/session.h"

#define ST_TEE_MAX 4

struct st_tee {
    struct st_sink sinks[ST_TEE_MAX];
    size_t n;
};

/** In this order for each sample. @return 0 or -ENOSPC. Before the session starts. */
ST_NODISCARD int st_tee_add(struct st_tee *tee, const struct st_sink *sink);

/** To be given to a session; tee must stay. */
struct st_sink st_tee_sink(struct st_tee *tee);

#endif
