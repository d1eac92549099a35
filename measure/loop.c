/* The cycle loop. Whatever is added here costs time in every period: see the rules in
 * HACKING.md. */
#include "measure/loop.h"

#include "measure/cause.h"

/* lowest lateness (ns) that is written as one word; lower values of a word begin a record
 * (ring.h) */
#define PLAIN_LOWEST (INT32_MIN + 16)

#define CAUSE_WORDS (sizeof(struct st_cause_record) / sizeof(int32_t))

/* Limits how often counters are read: at most 8 records a second, and 64 in a row. Reading them
 * must not make a machine that is always late even later. */
#define CAUSE_BURST     64
#define CAUSE_REFILL_NS INT64_C(125000000)

/* State of the loop between cycles, besides struct st_loop. */
struct state {
    struct st_ring *ring;
    /* losses that are not reported through the ring yet, because it is full */
    uint64_t lost_pending, lost_skipped_pending;
    int cause_tokens;
    int64_t cause_refilled_ns;
    uint64_t k; /* period of the next cycle */
    /* end of the last cycle; before the first cycle a time that is earlier than its due time */
    int64_t done_ns;
};

static void put_record(struct st_ring *ring, int32_t mark, uint64_t payload) ST_NONBLOCKING
{
    st_ring_put(ring, mark);
    st_ring_put(ring, (int32_t)(uint32_t)payload);
    st_ring_put(ring, (int32_t)(uint32_t)(payload >> 32));
}

static inline bool is_plain(int64_t value) ST_NONBLOCKING
{
    return value >= PLAIN_LOWEST && value <= INT32_MAX;
}

/* Writes a cycle for which one word of lateness is not enough: a value has more than 32 bits,
 * losses must be reported, or periods were skipped. */
static void put_slow(struct st_loop *loop, struct state *state, int64_t lateness_ns,
                     int64_t callback_ns, uint64_t skipped) ST_NONBLOCKING
{
    struct st_ring *ring = state->ring;
    /* The most that this call writes: two records of losses, lateness, callback, skipped
     * periods. */
    if (!st_ring_has_room(ring, 5 * ST_RECORD_WORDS)) {
        loop->lost_cycles++;
        loop->lost_skipped += skipped;
        state->lost_pending++;
        state->lost_skipped_pending += skipped;
        return;
    }
    if (state->lost_pending != 0)
        put_record(ring, ST_RECORD_LOST, state->lost_pending);
    if (state->lost_skipped_pending != 0)
        put_record(ring, ST_RECORD_LOST_SKIPPED, state->lost_skipped_pending);
    state->lost_pending = state->lost_skipped_pending = 0;

    if (is_plain(lateness_ns))
        st_ring_put(ring, (int32_t)lateness_ns);
    else
        put_record(ring, ST_RECORD_WIDE, (uint64_t)lateness_ns);
    if (loop->callback != NULL) {
        if (is_plain(callback_ns))
            st_ring_put(ring, (int32_t)callback_ns);
        else
            put_record(ring, ST_RECORD_WIDE_CB, (uint64_t)callback_ns);
    }
    if (skipped != 0)
        put_record(ring, ST_RECORD_SKIPPED, skipped);
    st_ring_publish(ring);
}

/* Writes a record with the thread's counters after a wake-up beyond the threshold (three system
 * calls, some 2 us). */
static void take_cause(struct st_loop *loop, struct state *state, int64_t woke_ns,
                       int64_t lateness_ns) ST_NONBLOCKING
{
    const int64_t refill = (woke_ns - state->cause_refilled_ns) / CAUSE_REFILL_NS;
    if (refill > 0) {
        state->cause_refilled_ns += refill * CAUSE_REFILL_NS;
        state->cause_tokens = refill < CAUSE_BURST - state->cause_tokens
                                  ? state->cause_tokens + (int)refill
                                  : CAUSE_BURST;
    }
    if (state->cause_tokens == 0 || !st_ring_has_room(state->ring, ST_RECORD_WORDS + CAUSE_WORDS))
        return;
    struct st_cause_record record;
    memset(&record, 0, sizeof(record));
    record.at_ns = woke_ns;
    record.lateness_ns = lateness_ns;
    if (loop->platform->counters_self(loop->platform, loop->counters, &record.counters) != 0)
        return;
    state->cause_tokens--;
    int32_t words[CAUSE_WORDS];
    memcpy(words, &record, sizeof(words));
    put_record(state->ring, ST_RECORD_CAUSE, CAUSE_WORDS);
    ST_EACH_OF (word, words, CAUSE_WORDS)
        st_ring_put(state->ring, *word);
    st_ring_publish(state->ring);
}

/* Runs cycles from state->k until period `last` or stop. It is compiled twice, with and without a
 * callback, so that each cycle has fewer branches. */
static inline __attribute__((always_inline)) int span(struct st_loop *loop, struct state *state,
                                                      int64_t t0_ns, uint64_t last,
                                                      int64_t cause_above_ns,
                                                      const bool has_callback) ST_NONBLOCKING
{
    struct st_platform *const platform = loop->platform;
    struct st_ring *const ring = state->ring;
    int64_t (*const now_ns)(struct st_platform *) ST_NONBLOCKING = platform->now_ns;
    int (*const sleep_until_ns)(struct st_platform *, int64_t) ST_NONBLOCKING =
        loop->precise_wait ? platform->sleep_until_precise_ns : platform->sleep_until_ns;
    const struct st_period period = loop->period;
    uint64_t cycles = atomic_load_explicit(&loop->cycles_seen, memory_order_relaxed);
    uint64_t k = state->k;
    int64_t due_ns = st_period_due_ns(&period, t0_ns, k), done_ns = state->done_ns;
    int r = 0;

    while (k < last) {
        /* After the due time, a sleep would return at once, but still cost its system call. */
        const bool sleeps = done_ns < due_ns;
        while (sleeps && (r = sleep_until_ns(platform, due_ns)) != 0) {
            if (r != -EINTR)
                goto out;
            r = 0;
            if (atomic_load_explicit(&loop->stop, memory_order_relaxed))
                goto out;
        }
        const int64_t woke_ns = now_ns(platform);
        done_ns = woke_ns;
        if (has_callback) {
            loop->callback(loop->callback_ctx);
            done_ns = now_ns(platform);
        }
        const int64_t lateness_ns = woke_ns - due_ns, callback_ns = done_ns - woke_ns;

        /* The next cycle is k + 1. If its due time has passed, the next cycle is the period in
         * which done_ns is; the periods before that are skipped. */
        uint64_t skipped = 0;
        k++;
        due_ns = st_period_due_ns(&period, t0_ns, k);
        if (done_ns >= due_ns) {
            skipped = st_period_index_at(&period, t0_ns, done_ns) - k;
            k += skipped;
            due_ns = st_period_due_ns(&period, t0_ns, k);
        }
        if (is_plain(lateness_ns) && (!has_callback || is_plain(callback_ns)) && skipped == 0 &&
            state->lost_pending == 0 && st_ring_has_room(ring, has_callback ? 2 : 1)) {
            st_ring_put(ring, (int32_t)lateness_ns);
            if (has_callback)
                st_ring_put(ring, (int32_t)callback_ns);
            st_ring_publish(ring);
        } else {
            put_slow(loop, state, lateness_ns, callback_ns, skipped);
        }
        atomic_store_explicit(&loop->cycles_seen, ++cycles, memory_order_relaxed);
        if (lateness_ns > cause_above_ns && sleeps)
            take_cause(loop, state, woke_ns, lateness_ns);
        if (atomic_load_explicit(&loop->stop, memory_order_relaxed))
            break;
    }
out:
    state->k = k;
    state->done_ns = done_ns;
    return r;
}

/* Runs cycles from due(0) = t0_ns on, until `periods` have passed (0: until stop). */
static int run_span(struct st_loop *loop, struct state *state, int64_t t0_ns, uint64_t periods,
                    int64_t cause_above_ns) ST_NONBLOCKING
{
    const uint64_t last = periods != 0 ? periods : UINT64_MAX;
    state->k = 0;
    state->done_ns = t0_ns - st_period_ns(&loop->period);
    const int r = loop->callback != NULL ? span(loop, state, t0_ns, last, cause_above_ns, true)
                                         : span(loop, state, t0_ns, last, cause_above_ns, false);
    loop->t0_ns = t0_ns;
    loop->end_ns = state->done_ns;
    loop->elapsed_periods = state->k;
    return r;
}

/* Sets the results if the loop ended, or failed with r, before the first counted period. @return
 * r. */
static int nothing_counted(struct st_loop *loop, int r)
{
    loop->elapsed_periods = 0;
    loop->end_ns = loop->t0_ns;
    return r;
}

int st_loop_run(struct st_loop *loop)
{
    struct st_platform *const p = loop->platform;
    struct state state = {.ring = loop->ring, .cause_tokens = CAUSE_BURST};
    const int64_t cause_above_ns = loop->counters != NULL ? loop->cause_above_ns : INT64_MAX;
    const int64_t period_ns = st_period_ns(&loop->period);

    loop->cycles = loop->lost_cycles = loop->lost_skipped = 0;
    atomic_store_explicit(&loop->cycles_seen, 0, memory_order_relaxed);
    state.cause_refilled_ns = p->now_ns(p);
    if (loop->warmup_cycles > 0) {
        if (loop->counters != NULL) /* gives a baseline before the first late wake-up */
            take_cause(loop, &state, p->now_ns(p), 0);
        const int r =
            run_span(loop, &state, p->now_ns(p) + period_ns, loop->warmup_cycles, cause_above_ns);
        if (r != 0)
            return nothing_counted(loop, r);
    }
    /* Writes the first baseline, and touches the pages that take_cause() uses before counting
     * starts. */
    if (loop->counters != NULL) {
        state.cause_tokens = CAUSE_BURST;
        take_cause(loop, &state, p->now_ns(p), 0);
        state.cause_tokens = CAUSE_BURST;
    }
    /* Losses in warm-up do not count. The record that starts counting must not be lost, so the loop
     * waits until the drain thread has made room. */
    state.lost_pending = state.lost_skipped_pending = 0;
    loop->lost_cycles = loop->lost_skipped = 0;
    bool room;
    while (!(room = st_ring_has_room(state.ring, ST_RECORD_WORDS)) &&
           !atomic_load_explicit(&loop->stop, memory_order_relaxed)) {
        const int r = p->sleep_until_ns(p, p->now_ns(p) + period_ns);
        if (r != 0 && r != -EINTR)
            return nothing_counted(loop, r);
    }
    if (!room || atomic_load_explicit(&loop->stop, memory_order_relaxed))
        return nothing_counted(loop, 0);
    const uint64_t warmup = atomic_load_explicit(&loop->cycles_seen, memory_order_relaxed);
    if (loop->counters != NULL)
        (void)p->counters_self(p, loop->counters, &loop->counters_start);
    const int64_t t0_ns = p->now_ns(p) + period_ns;
    put_record(state.ring, ST_RECORD_START, (uint64_t)t0_ns);
    st_ring_publish(state.ring);
    const int r = run_span(loop, &state, t0_ns, loop->max_periods, cause_above_ns);
    if (loop->counters != NULL)
        (void)p->counters_self(p, loop->counters, &loop->counters_end);
    loop->cycles = atomic_load_explicit(&loop->cycles_seen, memory_order_relaxed) - warmup;
    return r;
}
