#include "daemon/loop/witness.h"

#include "core/ns.h"

enum st_playing_answer st_witness_plays(struct st_playing *playing,
                                        const struct st_playing_facts *facts, int64_t now_ns)
{
    if (facts->telling_n > 0 && facts->blind == NULL)
        playing->told_ns = now_ns;
    if (facts->own_stream ||
        (facts->played_ns != INT64_MIN && st_ns_sub(now_ns, facts->played_ns) < ST_PLAYING_KEEP_NS))
        return ST_PLAYING_YES;
    return st_ns_sub(now_ns, playing->told_ns) >= ST_PLAYING_PATIENCE_NS ? ST_PLAYING_UNKNOWN
                                                                         : ST_PLAYING_NO;
}

static int64_t period_ns(int64_t frames, int64_t rate_hz)
{
    return frames * ST_NS_PER_S / rate_hz;
}

static bool is_known(const struct st_playing_facts *facts)
{
    return facts != NULL && facts->frames > 0 && facts->rate_hz > 0 &&
           period_ns(facts->frames, facts->rate_hz) <= ST_CONFIG_PERIOD_MAX_NS;
}

struct st_witness st_witness_choose(const struct st_config *config,
                                    const struct st_playing_facts *facts)
{
    struct st_witness ret = {.frames = config->loop.frames,
                             .rate_hz = config->loop.rate_hz,
                             .policy = ST_POLICY_FIFO,
                             .priority = (int)config->loop.priority};
    ret.settled = (ret.frames > 0 || is_known(facts)) &&
                  (ret.priority > 0 || (facts != NULL && facts->priority >= 0));
    if (ret.frames == 0 && is_known(facts)) {
        ret.music = true;
        ret.rate_hz = facts->rate_hz;
        ret.frames = facts->frames;
        while (period_ns(ret.frames, ret.rate_hz) < ST_WITNESS_PERIOD_MIN_NS)
            ret.frames *= 2;
    } else if (ret.frames == 0) {
        ret.frames = ST_WITNESS_FRAMES;
    }
    if (ret.priority == 0) {
        const int priority = facts != NULL ? facts->priority : -1;
        ret.priority =
            priority < 0 ? ST_WITNESS_PRIORITY : ST_MIN(priority, ST_CONFIG_PRIORITY_MAX);
        ret.policy = priority == 0 ? ST_POLICY_OTHER : ST_POLICY_FIFO;
    }
    return ret;
}

bool st_witness_differs(const struct st_witness *now, const struct st_witness *wished)
{
    return now->frames != wished->frames || now->rate_hz != wished->rate_hz ||
           now->policy != wished->policy || now->priority != wished->priority;
}
