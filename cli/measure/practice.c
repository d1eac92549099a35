#include "cli/measure/practice.h"

#include "core/stats/stats.h"

#define RATE        ST_PRACTICE_RATE_HZ
#define HOLE_FRAMES (RATE / 200) /* 5 ms */
#define FADE_FRAMES (RATE / 2)
#define FIRST_S     4
#define LAST_S      4
#define APART_S     4
#define MORE_S      5
#define TONE_HZ     440
#define LOUDNESS    3000.0 /* of 32767: -21 dB */

struct st_practice_sound st_practice_sound_make(struct st_random *random)
{
    struct st_practice_sound sound;
    int64_t at = FIRST_S * RATE;
    ST_EACH (hole, sound.holes) {
        at += (int64_t)st_random_below(random, MORE_S * RATE);
        *hole = at;
        at += APART_S * RATE;
    }
    sound.frames_n = at - APART_S * RATE + LAST_S * RATE;
    return sound;
}

static bool is_hole(const struct st_practice_sound *sound, int64_t frame)
{
    ST_EACH (hole, sound->holes) {
        if (frame >= *hole && frame < *hole + HOLE_FRAMES)
            return true;
    }
    return false;
}

void st_practice_sound_fill(const struct st_practice_sound *sound, int64_t from_frame, size_t frames_n,
                            unsigned char *bytes)
{
    for (size_t i = 0; i < frames_n; i++) {
        const int64_t frame = from_frame + (int64_t)i, left = sound->frames_n - frame;
        const double fade = fmin(fmin((double)frame, (double)left) / FADE_FRAMES, 1);
        const double value =
            is_hole(sound, frame) ? 0 : LOUDNESS * fade * sin(2 * M_PI * TONE_HZ * (double)frame / RATE);
        const unsigned steps = (unsigned)(int)round(value);
        bytes[4 * i] = bytes[4 * i + 2] = (unsigned char)steps;
        bytes[4 * i + 1] = bytes[4 * i + 3] = (unsigned char)(steps >> 8);
    }
}

struct st_practice_result st_practice_judge(const int64_t *hole_ns, size_t holes_n, const int64_t *press_ns,
                                            size_t presses_n)
{
    struct st_practice_result result = {0};
    int64_t reactions[ST_PRACTICE_HOLES];
    size_t hole = 0;
    ST_EACH_OF (press, press_ns, presses_n) {
        while (hole < holes_n && st_ns_sub(*press, hole_ns[hole]) > ST_PRACTICE_WINDOW_NS)
            hole++;
        if (hole == holes_n || st_ns_sub(*press, hole_ns[hole]) < ST_PRACTICE_LEAST_NS) {
            result.false_n++;
            continue;
        }
        reactions[result.heard_n++] = st_ns_sub(*press, hole_ns[hole++]);
    }
    if (result.heard_n == 0)
        return result;
    st_stats_sort_i64(reactions, result.heard_n);
    result.least_ns = reactions[0];
    result.most_ns = reactions[result.heard_n - 1];
    result.median_ns = (reactions[(result.heard_n - 1) / 2] + reactions[result.heard_n / 2]) / 2;
    if (2 * result.heard_n >= holes_n)
        result.window_ns = result.most_ns + result.median_ns < ST_PRACTICE_WINDOW_NS
                               ? result.most_ns + result.median_ns
                               : ST_PRACTICE_WINDOW_NS;
    return result;
}
