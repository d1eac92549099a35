/* Which buffer sizes hold on this computer, by the minutes of the loop since the daemon started. */
#pragma once

#include "evidence/predict.h"
#include "store/history/history.h"

#define ST_FORECAST_MAX 8 /* 16, 32 .. 2048 frames */

struct st_forecast_view {
    struct st_predict_row rows[ST_FORECAST_MAX]; /* ascending; none below the loop's own size */
    size_t n;                                    /* 0: no minute yet */
    double measured_s;
};

/** Begins with zeros. Threads: one. */
struct st_forecast {
    struct st_predict_run run;
    struct st_history_conditions settings; /* of the run */
    bool changed;                          /* since `view` was made */
    struct st_forecast_view view;
};

/** Adds a minute of the loop in which sleeptuned was not stopped. Other settings of the loop begin anew. When
 * much was late, the older half is forgotten. */
void st_forecast_add(struct st_forecast *forecast, const struct st_history_minute *minute,
                     const struct st_hist *lateness, const struct st_cause_sums *causes);

/** The rows as of the last minute, until the next call: computed only for who asks, once a minute. */
const struct st_forecast_view *st_forecast_look(struct st_forecast *forecast);
