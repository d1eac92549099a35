#include "daemon/loop/playing.h"

#include "core/ns.h"

enum st_playing_answer st_playing_judge(struct st_playing *playing, const struct st_playing_facts *facts,
                                        int64_t now_ns)
{
    if (facts->telling_n > 0 && facts->blind == NULL)
        playing->told_ns = now_ns;
    if (facts->own_stream ||
        (facts->played_ns != INT64_MIN && st_ns_sub(now_ns, facts->played_ns) < ST_PLAYING_KEEP_NS))
        return ST_PLAYING_YES;
    return st_ns_sub(now_ns, playing->told_ns) >= ST_PLAYING_PATIENCE_NS ? ST_PLAYING_UNKNOWN : ST_PLAYING_NO;
}
