/* Built without SQLite or zlib. */
#include "daemon/history/history.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/http/http.h"

struct st_keeper {
    struct st_keeper_view view;
};

int st_keeper_start(struct st_platform *platform, const struct st_config *config, struct st_events *events,
                    struct st_keeper **ret)
{
    (void)platform;
    (void)config;
    (void)events;
    struct st_keeper *keeper = calloc(1, sizeof(*keeper));
    if (keeper == NULL)
        return -ENOMEM;
    keeper->view.bytes = INT64_MIN;
    snprintf(keeper->view.why, sizeof(keeper->view.why),
             "no history is kept: this sleeptuned was built without SQLite");
    *ret = keeper;
    return 0;
}

void st_keeper_set(struct st_keeper *keeper, const struct st_config *config)
{
    (void)keeper;
    (void)config;
}

void st_keeper_minute(struct st_keeper *keeper, const struct st_minute *minute,
                      const struct st_hist *lateness, const struct st_causes_minute *causes,
                      const struct st_result *result)
{
    (void)keeper;
    (void)minute;
    (void)lateness;
    (void)causes;
    (void)result;
}

void st_keeper_stop(struct st_keeper *keeper)
{
    free(keeper);
}

void st_keeper_look(struct st_keeper *keeper, struct st_keeper_view *ret)
{
    *ret = keeper->view;
}

static char *nothing(const struct st_keeper *keeper, unsigned *http_status)
{
    *http_status = 503;
    return st_route_error_text(keeper->view.why);
}

char *st_keeper_history(struct st_keeper *keeper, const struct st_query *query, unsigned *http_status)
{
    (void)query;
    return nothing(keeper, http_status);
}

char *st_keeper_events(struct st_keeper *keeper, const struct st_query *query, unsigned *http_status)
{
    (void)query;
    return nothing(keeper, http_status);
}
