/* Writes a history like that of a machine that measured: make_history FILE END_S HOURS MINUTES
 * [SEED]
 *
 * HOURS whole hours, then MINUTES minutes, up to END_S (seconds since 1970), 375 cycles a second,
 * lateness as of a desktop: two humps and a tail. Each hour one is late and each night from 3 to 4
 * nothing is measured. An event goes with each late wake-up. */
#include "core/ns.h"
#include "core/stats/random.h"
#include "store/history/hist_deflate.h"
#include "store/history/history.h"

#define CYCLES_A_MINUTE 22500
#define TEMPLATES       48
#define FRESH           400 /* values that are a minute's own */
#define COMMIT_EVERY    500

static struct st_random chance;

static double uniform(void)
{
    return 1 - st_random_unit(&chance); /* never 0 */
}

static int64_t one_lateness_ns(void)
{
    const double normal = sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
    const double which = uniform();
    if (which < 0.02)
        return (int64_t)(30000 * exp(normal));
    return (int64_t)((which < 0.7 ? 4200 : 9000) * exp(0.18 * normal));
}

static void die(const char *what, int r)
{
    fprintf(stderr, "make_history: %s: %s\n", what, strerror(-r));
    exit(1);
}

static void make_templates(struct st_hist templates[TEMPLATES])
{
    for (int i = 0; i < TEMPLATES; i++) {
        if (st_hist_init(&templates[i], ST_HISTORY_DIGITS) != 0)
            die("templates", -ENOMEM);
        for (int n = 0; n < CYCLES_A_MINUTE - FRESH; n++)
            st_hist_add(&templates[i], one_lateness_ns());
    }
}

/* A stretch of `minutes` minutes as one row. */
static void add(struct st_history *history, const struct st_hist templates[TEMPLATES],
                int64_t from_s, int64_t minutes)
{
    struct st_hist hist;
    if (from_s / 3600 % 24 == 3)
        return;
    if (st_hist_init(&hist, ST_HISTORY_DIGITS) != 0)
        die("histogram", -ENOMEM);
    for (int64_t i = 0; i < minutes; i++) {
        if (st_hist_merge(&hist, &templates[st_random_below(&chance, TEMPLATES)]) != 0)
            die("histogram", -EINVAL);
        for (int n = 0; n < FRESH; n++)
            st_hist_add(&hist, one_lateness_ns());
    }
    const bool late = from_s % 3600 == 0;
    if (late)
        st_hist_add(&hist, 3100000 + (int64_t)(uniform() * 1e6));
    struct st_history_minute row = {
        .from_wall_ns = from_s * ST_NS_PER_S,
        .to_wall_ns = (from_s + minutes * 60) * ST_NS_PER_S,
        .measured_ns = minutes * 60 * ST_NS_PER_S,
        .cycles = hist.total_n,
        .misses = late,
        .miss_events = late,
        .late_wakes = late,
        .lateness_max_ns = hist.max_ns,
        .conditions = {"Linux 6.1.0-18-rt-amd64", "performance", "fifo", 70, -1, 128, 48000, 0}};
    row.lateness = st_hist_deflate(&hist, &row.lateness_bytes);
    if (row.lateness == NULL)
        die("deflate", -ENOMEM);
    st_history_add_minute(history, &row);
    if (late) {
        struct st_event event =
            st_event_make(row.from_wall_ns + ST_NS_PER_S, ST_EVENT_LATE_WAKE, "%s", "");
        ST_PRINT(event.source, "loop");
        event.cause = ST_CAUSE_RUN_QUEUE;
        event.lateness_ns = hist.max_ns;
        event.explained_ns = hist.max_ns / 10 * 9;
        st_history_add_event(history, &event);
    }
    free(row.lateness);
    st_hist_finish(&hist);
}

int main(int argc, char **argv)
{
    static struct st_hist templates[TEMPLATES];
    struct st_history *history;
    const char *error;
    if (argc < 5) {
        fprintf(stderr, "usage: make_history FILE END_S HOURS MINUTES [SEED]\n");
        return 3;
    }
    const int64_t end_s = atoll(argv[2]), hours = atoll(argv[3]), minutes = atoll(argv[4]);
    chance.state = argc > 5 ? strtoull(argv[5], NULL, 10) : 1;
    make_templates(templates);
    int r = st_history_open(argv[1], &history, &error);
    if (r < 0) {
        fprintf(stderr, "make_history: %s: %s\n", argv[1], error);
        return 1;
    }
    int64_t at_s = end_s - minutes * 60 - hours * 3600;
    for (int64_t i = 0; i < hours + minutes; i++) {
        if (i % COMMIT_EVERY == 0)
            st_history_begin(history);
        add(history, templates, at_s, i < hours ? 60 : 1);
        at_s += i < hours ? 3600 : 60;
        if ((i % COMMIT_EVERY == COMMIT_EVERY - 1 || i == hours + minutes - 1) &&
            (r = st_history_commit(history)) < 0)
            die(st_history_error(history, r), r);
    }
    for (int64_t day = 0; day <= hours / 24; day++) { /* a call removes a day's worth */
        r = st_history_retain(history, end_s * ST_NS_PER_S, 400, INT64_C(1) << 40);
        if (r < 0)
            die("retain", r);
    }
    printf("%lld bytes in use\n", (long long)st_history_bytes(history));
    st_history_close(history);
    for (int i = 0; i < TEMPLATES; i++)
        st_hist_finish(&templates[i]);
    return 0;
}
