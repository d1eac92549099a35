/* What the machine is under, second by second: kept beside events. */
#ifndef ST_DAEMON_CAUSES_SYSTEM_PRESSURE_H
#define ST_DAEMON_CAUSES_SYSTEM_PRESSURE_H

#include <pthread.h>

#include "platform/pressure.h"
#include "store/history/event.h"

struct st_system_pressure {
    pthread_mutex_t mutex; /* `now` */
    struct st_event_circumstances now;
    /* main thread */
    bool sampled;
    int64_t at_ns;
    struct st_pressure last;
};

int st_system_pressure_init(struct st_system_pressure *circumstances);
void st_system_pressure_finish(struct st_system_pressure *circumstances);

/** Takes a sample; what is known is the difference to the one before. cpu: of the loop, -1: any. Threads:
 * main, each second. */
void st_system_pressure_sample(struct st_system_pressure *circumstances, struct st_platform *platform,
                               int cpu);

/** As of the latest sample. Threads: any. */
struct st_event_circumstances st_system_pressure_now(struct st_system_pressure *circumstances);

#endif
