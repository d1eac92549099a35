/* Reads the words of the ring and counts them. */
#include "measure/drain.h"

#include "core/ns.h"

#define CAUSE_WORDS (sizeof(struct st_cause_record) / sizeof(int32_t))

void st_drain_init(struct st_drain *drain, struct st_loop *loop, struct st_result *result,
                   const struct st_sink *sink, const struct st_cause_machine *machine)
{
    memset(drain, 0, sizeof(*drain));
    drain->loop = loop;
    drain->result = result;
    if (sink != NULL)
        drain->sink = *sink;
    st_late_judge_init(&drain->late, loop, &drain->sink, result, machine);
    drain->first.at_ns = drain->suspended_ns = INT64_MIN;
}

static int64_t due_ns_of(const struct st_drain *drain, uint64_t k)
{
    return st_period_due_ns(&drain->loop->period, drain->t0_ns, k);
}

static void cycle(struct st_drain *drain, int64_t lateness_ns, int64_t callback_ns)
{
    drain->late.seen++;
    if (!drain->counting) {
        drain->late.late_ns = st_ns_add(drain->late.late_ns, ST_MAX(lateness_ns, 0));
        return;
    }
    struct st_result *result = drain->result;
    const int64_t due_ns = due_ns_of(drain, drain->k);
    const int64_t response_ns = st_ns_add(lateness_ns, callback_ns);
    const int64_t done_ns = st_ns_add(due_ns, response_ns);

    st_hist_add(&result->lateness, lateness_ns);
    st_hist_add(&result->response, response_ns);
    if (done_ns > due_ns_of(drain, drain->k + 1)) {
        result->misses++;
        st_miss_events_add(&result->miss_events, due_ns, due_ns);
    }
    const struct st_late_judge_cycle now = {.due_ns = due_ns,
                                            .lateness_ns = lateness_ns,
                                            .last_done_ns = drain->last_done_ns,
                                            .last_callback_ns = drain->last_callback_ns};
    st_late_judge_cycle(&drain->late, &now);
    if (drain->sink.cycle != NULL)
        drain->sink.cycle(drain->sink.ctx, drain->k, lateness_ns, callback_ns);

    drain->last_callback_ns = callback_ns;
    drain->last_done_ns = done_ns;
    drain->k++;
    result->cycles++;
}

/* Counts the next n periods as missed. */
static void missed(struct st_drain *drain, uint64_t n)
{
    drain->result->misses += n;
    st_miss_events_add(&drain->result->miss_events, due_ns_of(drain, drain->k),
                       due_ns_of(drain, drain->k + n - 1));
}

/* Counts n skipped periods. Each one is a missed deadline, with the response time that it would
 * have had: from its due time to the end of the cycle before it. */
static void skipped(struct st_drain *drain, uint64_t n)
{
    if (!drain->counting || n == 0)
        return;
    struct st_result *result = drain->result;
    const uint64_t first = drain->k;
    const int64_t first_ns = st_ns_sub(drain->last_done_ns, due_ns_of(drain, first));
    uint64_t i = 0;
    /* add all response times beyond the histogram's range in one step */
    if (first_ns > ST_HIST_HIGHEST_NS) {
        i = ST_MIN(n, st_period_index_at(&drain->loop->period, 0, first_ns - ST_HIST_HIGHEST_NS));
        st_hist_add_n(&result->response, first_ns, i);
    }
    for (; i < n; i++)
        st_hist_add(&result->response, st_ns_sub(drain->last_done_ns, due_ns_of(drain, first + i)));
    missed(drain, n);
    result->skipped_periods += n;
    drain->k += n;
    if (drain->sink.skipped != NULL)
        drain->sink.skipped(drain->sink.ctx, first, n, first_ns);
}

static void lost(struct st_drain *drain, uint64_t cycles, uint64_t periods)
{
    drain->late.seen += cycles;
    if (!drain->counting || cycles + periods == 0)
        return;
    /* An upper bound, since the lateness of lost cycles is unknown. */
    drain->late.late_ns =
        st_ns_add(drain->late.late_ns, st_period_due_ns(&drain->loop->period, 0, cycles + periods));
    drain->seen_lost += cycles;
    drain->seen_lost_skipped += periods;
    drain->result->cycles += cycles;
    drain->result->records_lost += cycles;
    drain->result->skipped_periods += periods;
    if (periods > 0)
        missed(drain, periods);
    if (drain->sink.lost != NULL)
        drain->sink.lost(drain->sink.ctx, drain->k, cycles + periods);
    drain->k += cycles + periods;
}

static void start(struct st_drain *drain, int64_t t0_ns)
{
    drain->counting = true;
    drain->t0_ns = t0_ns;
    drain->result->t0_ns = t0_ns;
    drain->k = 0;
    drain->late.seen = drain->loop->warmup_cycles;
    drain->last_done_ns = INT64_MIN;
    drain->late.last_late = false;
    drain->half = false;
    if (drain->sink.start != NULL)
        drain->sink.start(drain->sink.ctx, t0_ns);
}

static void cause(struct st_drain *drain, const int32_t *words)
{
    struct st_cause_record record;
    memcpy(&record, words, sizeof(record));
    st_late_judge_record(&drain->late, &record);
}

static uint64_t payload(const int32_t *words)
{
    return (uint64_t)(uint32_t)words[1] | (uint64_t)(uint32_t)words[2] << 32;
}

static void lateness(struct st_drain *drain, int64_t lateness_ns)
{
    if (drain->loop->callback == NULL) {
        cycle(drain, lateness_ns, 0);
        return;
    }
    drain->half = true;
    drain->half_lateness_ns = lateness_ns;
}

static void callback(struct st_drain *drain, int64_t callback_ns)
{
    drain->half = false;
    cycle(drain, drain->half_lateness_ns, callback_ns);
}

/* Takes a record: counts the cycle, or whatever else the record at words[0] reports. @param n
 * number of words that are available from words[0] on.
 * @return number of words of the record; 0: the record is incomplete. */
static size_t record(struct st_drain *drain, const int32_t *words, size_t n)
{
    if (words[0] > ST_RECORD_LAST) {
        if (drain->half)
            callback(drain, words[0]);
        else
            lateness(drain, words[0]);
        return 1;
    }
    if (n < ST_RECORD_WORDS)
        return 0;
    const uint64_t value = payload(words);
    switch (words[0]) {
    case ST_RECORD_WIDE:
        lateness(drain, (int64_t)value);
        break;
    case ST_RECORD_WIDE_CB:
        callback(drain, (int64_t)value);
        break;
    case ST_RECORD_SKIPPED:
        skipped(drain, value);
        break;
    case ST_RECORD_LOST:
        lost(drain, value, 0);
        break;
    case ST_RECORD_LOST_SKIPPED:
        lost(drain, 0, value);
        break;
    case ST_RECORD_START:
        start(drain, (int64_t)value);
        break;
    case ST_RECORD_CAUSE:
        if (n < ST_RECORD_WORDS + CAUSE_WORDS)
            return 0;
        cause(drain, words + ST_RECORD_WORDS);
        return ST_RECORD_WORDS + CAUSE_WORDS;
    default:
        break;
    }
    return ST_RECORD_WORDS;
}

static void look_at_suspend(struct st_drain *drain)
{
    struct st_platform *platform = drain->loop->platform;
    int64_t suspended_ns;
    if (platform->suspended_ns(platform, &suspended_ns) != 0)
        return;
    if (drain->suspended_ns != INT64_MIN &&
        suspended_ns - drain->suspended_ns > ST_CAUSE_SUSPEND_MIN_NS && drain->counting)
        drain->result->suspends++;
    drain->suspended_ns = suspended_ns;
}

static void take_over(struct st_drain *drain)
{
    struct st_result *result = drain->result;
    result->n = result->lateness.total_n;
    result->early = result->lateness.early_n;
    result->elapsed_periods = drain->k;
    result->books_balance = result->n + result->records_lost == result->cycles &&
                            result->cycles + result->skipped_periods == result->elapsed_periods;
}

void st_drain_step(struct st_drain *drain)
{
    look_at_suspend(drain);
    struct st_late_judge *late = &drain->late;
    struct st_platform *p = drain->loop->platform;
    const struct st_thread_counters *counters = &late->base[0].counters;
    p->pauses(p, &late->pauses);
    st_readings_read(p, counters->valid & ST_COUNTER_CPU_NUMBER ? counters->cpu : -1,
                     late->machine.virtualised > 0, late->pauses.smi_n, &late->readings);
    uint64_t taken;
    do {
        taken = st_ring_take(drain->loop->ring, drain->words + drain->words_n,
                             ST_DRAIN_WORDS - drain->words_n);
        drain->words_n += (size_t)taken;
        size_t used = 0;
        while (used < drain->words_n) {
            const size_t n = record(drain, drain->words + used, drain->words_n - used);
            if (n == 0)
                break;
            used += n;
        }
        drain->words_n -= used;
        memmove(drain->words, drain->words + used, drain->words_n * sizeof(drain->words[0]));
    } while (taken > 0);
    take_over(drain);
    if (drain->sink.flush != NULL)
        drain->sink.flush(drain->sink.ctx);
}

/* Sets CPU time and page faults of the loop from two readings of its counters, `cycles` apart. */
static void set_costs(struct st_result *result, const struct st_thread_counters *from,
                      const struct st_thread_counters *to, uint64_t cycles)
{
    const unsigned valid = from->valid & to->valid;
    if (valid & ST_COUNTER_CPU && cycles > 0)
        result->cpu_ns_per_cycle = (double)(to->cpu_ns - from->cpu_ns) / (double)cycles;
    if (valid & ST_COUNTER_FAULTS)
        result->faults_n = (int64_t)(to->faults_minor_n - from->faults_minor_n +
                                     to->faults_major_n - from->faults_major_n);
}

void st_drain_baseline(struct st_drain *drain)
{
    struct st_cause_baseline base;
    if (!st_late_judge_look(&drain->late, &base) || !drain->counting)
        return;
    if (drain->first.at_ns == INT64_MIN)
        drain->first = base;
    set_costs(drain->result, &drain->first.counters, &base.counters,
              base.cycle - drain->first.cycle);
}

/* Does the loop's count of periods agree with the clock? The period in which the last cycle ended
 * must be number elapsed_periods - 1; it is one less if the cycle ended a little early, and one
 * more if periods were skipped after it. */
static bool agrees_with_clock(const struct st_loop *loop)
{
    if (loop->elapsed_periods == 0)
        return true;
    const uint64_t by_clock = st_period_index_at(&loop->period, loop->t0_ns, loop->end_ns);
    return by_clock <= loop->elapsed_periods && by_clock + 2 >= loop->elapsed_periods;
}

void st_drain_finish(struct st_drain *drain)
{
    struct st_loop *loop = drain->loop;
    struct st_result *result = drain->result;
    lost(drain, loop->lost_cycles - drain->seen_lost,
         loop->lost_skipped - drain->seen_lost_skipped);
    st_late_judge_finish(&drain->late);
    take_over(drain);
    /* Compares the loop's own counts and the clock with what came through the ring. */
    result->elapsed_periods = loop->elapsed_periods;
    result->books_balance = agrees_with_clock(loop) &&
                            result->n + result->records_lost == loop->cycles &&
                            result->cycles == loop->cycles &&
                            loop->cycles + result->skipped_periods == loop->elapsed_periods;
    set_costs(result, &loop->counters_start, &loop->counters_end, loop->cycles);
    result->duration_ns = loop->end_ns > loop->t0_ns ? loop->end_ns - loop->t0_ns : 0;
}
