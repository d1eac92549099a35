/* Built without SQLite or zlib. */
#include "daemon/history/history_writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "daemon/http/http.h"

struct st_history_writer {
    struct st_history_writer_view view;
};

int st_history_writer_start(struct st_platform *platform, const struct st_config *config,
                            struct st_events *events, struct st_history_writer **ret)
{
    (void)platform;
    (void)config;
    (void)events;
    struct st_history_writer *keeper = calloc(1, sizeof(*keeper));
    if (keeper == NULL)
        return -ENOMEM;
    keeper->view.bytes = INT64_MIN;
    snprintf(keeper->view.why, sizeof(keeper->view.why),
             "no history is kept: this sleeptuned was built without SQLite");
    *ret = keeper;
    return 0;
}

void st_history_writer_set(struct st_history_writer *keeper, const struct st_config *config)
{
    (void)keeper;
    (void)config;
}

void st_history_writer_add_minute(struct st_history_writer *keeper, const struct st_minute *minute,
                                  const struct st_hist *lateness, const struct st_causes_minute *causes,
                                  const struct st_result *result)
{
    (void)keeper;
    (void)minute;
    (void)lateness;
    (void)causes;
    (void)result;
}

void st_history_writer_stop(struct st_history_writer *keeper)
{
    free(keeper);
}

void st_history_writer_look(struct st_history_writer *keeper, struct st_history_writer_view *ret)
{
    *ret = keeper->view;
}

static char *nothing(const struct st_history_writer *keeper, unsigned *http_status)
{
    *http_status = 503;
    return st_route_error_text(keeper->view.why);
}

char *st_history_writer_answer_history(struct st_history_writer *keeper, const struct st_query *query,
                                       unsigned *http_status)
{
    (void)query;
    return nothing(keeper, http_status);
}

char *st_history_writer_answer_events(struct st_history_writer *keeper, const struct st_query *query,
                                      unsigned *http_status)
{
    (void)query;
    return nothing(keeper, http_status);
}
