#include "daemon/status/forecast.h"
#include "core/text/text.h"

#define FIRST_FRAMES 16
#define KEPT_PART    4    /* of a period: a wake-up that is later than this part is kept */
#define LATE_MAX     4096 /* wake-ups that are kept; their rows take some milliseconds */
#define PERIODS      2    /* of the ring of the sound device */

static bool is_same(const struct st_history_conditions *a, const struct st_history_conditions *b)
{
    return a->frames == b->frames && a->rate_hz == b->rate_hz && a->priority == b->priority &&
           a->cpu == b->cpu && st_text_is(a->policy, b->policy) && st_text_is(a->governor, b->governor);
}

/* Also after an error: the run is empty then. */
static bool begin(struct st_forecast *forecast, const struct st_history_conditions *settings)
{
    struct st_predict_run *run = &forecast->run;
    st_predict_finish(run);
    *run = (struct st_predict_run){.frames = (uint32_t)settings->frames,
                                   .rate_hz = (uint32_t)settings->rate_hz}; /* checked by the configuration */
    forecast->settings = *settings;
    if (st_period_init(&run->period, run->frames, run->rate_hz) != 0) {
        run->frames = 0;
        return false;
    }
    run->kept_above_ns = st_period_ns(&run->period) / KEPT_PART;
    return true;
}

/* The minutes of the older half of what is kept, if that is too much. */
static void forget_oldest(struct st_predict_run *run)
{
    if (run->n <= LATE_MAX)
        return;
    size_t first = run->n / 2;
    while (first > 0 && run->late[first - 1].k == run->late[run->n / 2].k)
        first--;
    const uint64_t k = run->late[first].k;
    run->n -= first;
    memmove(run->late, run->late + first, run->n * sizeof(run->late[0]));
    ST_EACH_OF (late, run->late, run->n)
        late->k -= k;
    run->periods_n -= k;
}

void st_forecast_add(struct st_forecast *forecast, const struct st_history_minute *minute,
                     const struct st_hist *lateness, const struct st_cause_sums *causes)
{
    struct st_predict_run *run = &forecast->run;
    ST_EACH_OF (row, causes->rows, causes->n) {
        if (row->cause == ST_CAUSE_STOPPED)
            return;
    }
    if ((run->frames > 0 && is_same(&forecast->settings, &minute->conditions)) ||
        begin(forecast, &minute->conditions)) {
        const uint64_t periods_n = st_period_index_at(&run->period, 0, minute->measured_ns);
        if (st_predict_add_span(run, periods_n, minute->lateness_max_ns, lateness) != 0)
            (void)begin(forecast, &minute->conditions); /* a minute is missing: not a run any more */
        else
            forget_oldest(run);
        forecast->changed = true;
    }
}

static void make_rows(struct st_forecast *forecast)
{
    struct st_forecast_view *view = &forecast->view;
    *view = (struct st_forecast_view){.measured_s = st_predict_seconds(&forecast->run)};
    const struct st_predict_wish wish = {.periods = PERIODS};
    for (uint32_t i = 0; i < ST_FORECAST_MAX; i++) {
        const uint32_t frames = (uint32_t)FIRST_FRAMES << i;
        if (forecast->run.frames > 0 && frames >= forecast->run.frames)
            st_predict_row(&forecast->run, &wish, frames, &view->rows[view->n++]);
    }
}

const struct st_forecast_view *st_forecast_look(struct st_forecast *forecast)
{
    if (forecast->changed)
        make_rows(forecast);
    forecast->changed = false;
    return &forecast->view;
}
