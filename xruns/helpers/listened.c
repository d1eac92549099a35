#include "xruns/helpers/listened.h"

#include "core/ns.h"
#include "core/text/number.h"

/* a group of silences is judged this long after the last one: more may follow, and it may become
 * known what the program did */
#define HOLD_NS (700 * ST_NS_PER_MS)
/* a group of silences is judged this long after its beginning, even if more follow. A standstill of
 * the program that is longer is reported without a silence: st_silence takes so long a silence for
 * a pause */
#define LONG_NS (5 * ST_NS_PER_S)
/* a silence this near to a change of the stream is no loss */
#define NEAR_NS (300 * ST_NS_PER_MS)
/* a standstill of the program becomes known this much later */
#define STOOD_NS (500 * ST_NS_PER_MS)
/* this number of silences, each within HOLD_NS after another, shows that the program writes too
 * slowly; two are enough if one of them counts alone */
#define MANY 4
#define MANY_CUT                                                                                   \
    8 /* as MANY, if none of the silences is ST_LISTENED_RARE: the program may cut off its own     \
         sound */
#define TIME_MAX (INT64_MAX / 4)

static void add(struct st_listened_sum *sum, int64_t lost_ns)
{
    sum->n++;
    sum->lost_ns += lost_ns;
    sum->longest_ns = ST_MAX(lost_ns, sum->longest_ns);
}

void st_listened_find(struct st_listened *listened, int64_t begin_ns, int64_t lost_ns,
                      unsigned signs)
{
    const bool alone =
        (signs & ST_LISTENED_RARE) != 0 && ((signs & ST_LISTENED_WHOLE) != 0 || listened->plug_in);
    if (listened->all.n == 0)
        listened->begin_ns = begin_ns;
    listened->end_ns = begin_ns + lost_ns;
    listened->rare = listened->rare || (signs & ST_LISTENED_RARE) != 0;
    listened->own_n += (signs & ST_LISTENED_OWN) != 0;
    add(&listened->all, lost_ns);
    if (alone)
        add(&listened->alone, lost_ns);
}

void st_listened_change(struct st_listened *listened, int64_t now_ns)
{
    listened->changed_ns = now_ns;
}

void st_listened_stand(struct st_listened *listened, const struct st_client_buffer_loss *loss,
                       int64_t now_ns)
{
    listened->stood = *loss;
    listened->stood_ns = now_ns;
}

/* Does a standstill of the program explain these silences? */
static bool explains(const struct st_listened *listened)
{
    return listened->stood.lost_ns > 0 && listened->stood_ns >= listened->begin_ns &&
           listened->stood_ns - listened->stood.lost_ns <= listened->end_ns + STOOD_NS;
}

struct st_listened_loss st_listened_of_buffer(const struct st_client_buffer_loss *loss,
                                              int64_t end_ns)
{
    return (struct st_listened_loss){.n = 1,
                                     .begin_ns = end_ns - loss->lost_ns,
                                     .end_ns = end_ns,
                                     .lost_ns = loss->lost_ns,
                                     .longest_ns = loss->lost_ns,
                                     .certainty = ST_CERTAINTY_EXACT,
                                     .reason = loss->reason};
}

/* Takes a standstill of the program that was too long to be heard as a silence. It is only
 * probable, since it is not known whether the program played sound before. */
static bool take_stood(struct st_listened *listened, int64_t now_ns, struct st_listened_loss *ret)
{
    if (listened->stood.lost_ns == 0 || now_ns - listened->stood_ns < HOLD_NS)
        return false;
    *ret = st_listened_of_buffer(&listened->stood, listened->stood_ns);
    ret->certainty = ST_CERTAINTY_PROBABLE;
    listened->stood.lost_ns = 0;
    return ret->lost_ns > LONG_NS;
}

bool st_listened_take(struct st_listened *listened, int64_t now_ns, struct st_listened_loss *ret)
{
    const struct st_listened group = *listened;
    if (group.all.n == 0)
        return take_stood(listened, now_ns, ret);
    if (now_ns - group.end_ns < HOLD_NS && now_ns - group.begin_ns < LONG_NS)
        return false;
    const int64_t many = group.rare ? MANY : MANY_CUT;
    struct st_listened_sum sum = group.all;
    *ret = (struct st_listened_loss){.begin_ns = group.begin_ns,
                                     .end_ns = group.end_ns,
                                     .certainty = ST_CERTAINTY_EXACT,
                                     .reason = ST_DROPOUT_WRITES_SLOWLY};
    *listened = (struct st_listened){.plug_in = group.plug_in, .changed_ns = group.changed_ns};
    if (explains(&group)) {
        ret->reason = group.stood.reason;
    } else {
        listened->stood = group.stood;
        listened->stood_ns = group.stood_ns;
        if ((group.all.n < many || 2 * group.own_n >= group.all.n) &&
            (group.all.n < 2 || group.alone.n == 0)) {
            sum = group.alone;
            ret->certainty = ST_CERTAINTY_PROBABLE;
            ret->reason = ST_DROPOUT_UNKNOWN;
        }
    }
    ret->n = sum.n;
    ret->lost_ns = sum.lost_ns;
    ret->longest_ns = sum.longest_ns;
    /* a busy server reports a change late, so a change after an uncertain loss counts as well */
    const bool changed =
        group.changed_ns > group.begin_ns - NEAR_NS &&
        (group.changed_ns < group.end_ns + NEAR_NS || ret->certainty != ST_CERTAINTY_EXACT);
    return ret->n > 0 && !changed;
}

bool st_listened_end(struct st_listened *listened, struct st_listened_loss *ret)
{
    return st_listened_take(listened, TIME_MAX, ret) && ret->certainty == ST_CERTAINTY_EXACT;
}

bool st_listened_parse(const char *line, uint32_t *ret_id, int64_t *ret_begin_ns,
                       int64_t *ret_lost_ns, unsigned *ret_signs)
{
    static const int64_t most[] = {UINT32_MAX, TIME_MAX, TIME_MAX, 7};
    char words[4][24];
    int64_t n[4];
    int end = 0;
    if (sscanf(line, "lost %23s %23s %23s %23s%n", words[0], words[1], words[2], words[3], &end) !=
            4 ||
        line[end] != '\0')
        return false;
    for (size_t i = 0; i < 4; i++) {
        if (st_number_i64(words[i], 0, most[i], &n[i]) != 0)
            return false;
    }
    *ret_id = (uint32_t)n[0];
    *ret_begin_ns = n[1];
    *ret_lost_ns = n[2];
    *ret_signs = (unsigned)n[3];
    return true;
}
