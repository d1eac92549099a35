#include "core/stats/random.h"

uint64_t st_random_u64(struct st_random *random)
{
    random->state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t bits = random->state;
    bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
    return bits ^ (bits >> 31);
}

double st_random_unit(struct st_random *random)
{
    return (double)(st_random_u64(random) >> 11) * 0x1p-53;
}

uint64_t st_random_below(struct st_random *random, uint64_t n)
{
    return (st_random_u64(random) >> 32) * n >> 32;
}
