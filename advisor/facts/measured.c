/* A measurement of this machine, from its facts. */
#include "advisor/facts/measured.h"

bool st_measured_read(const struct st_facts *facts, const struct st_wish *wish, struct st_measured *ret)
{
    struct st_measured m;
    int64_t books_balance;
    const struct {
        const char *key;
        int64_t *value;
    } numbers[] = {
        {ST_MEASURED_FRAMES, &m.frames},
        {ST_MEASURED_RATE_HZ, &m.rate_hz},
        {ST_MEASURED_PERIODS, &m.periods_n},
        {ST_MEASURED_MISSES, &m.misses_n},
        {ST_MEASURED_DURATION_NS, &m.duration_ns},
        {ST_MEASURED_LATEST_NS, &m.latest_ns},
        {ST_MEASURED_BOOKS_BALANCE, &books_balance},
    };
    for (size_t i = 0; i < ST_ARRAY_LEN(numbers); i++) {
        if (st_facts_int(facts, numbers[i].key, numbers[i].value) != 0)
            return false;
    }
    m.of_this_period = m.frames == wish->frames && m.rate_hz == wish->rate_hz;
    if (st_facts_int(facts, ST_MEASURED_EVENTS, &m.events_n) != 0)
        m.events_n = m.misses_n == 0 ? 0 : -1;
    m.bound = st_facts_text_or(facts, ST_MEASURED_BOUND, NULL);
    m.policy = st_facts_text_or(facts, ST_MEASURED_POLICY, "an unknown policy");
    m.source = st_facts_text_or(facts, ST_MEASURED_SOURCE, "a measurement");
    m.degraded = st_facts_text_or(facts, ST_MEASURED_DEGRADED, NULL);
    m.valid = books_balance == 1 && m.periods_n > 0 && m.misses_n >= 0 && m.misses_n <= m.periods_n &&
              m.bound != NULL && st_facts_text_or(facts, ST_MEASURED_ERROR, NULL) == NULL;
    *ret = m;
    return true;
}
