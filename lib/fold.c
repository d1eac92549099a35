#include "lib/fold.h"

#include <errno.h>

#define FEW_PHASES 1000 /* more of them blur anyway */
#define FOLD_NS    (INT64_C(3600) * 1000000000)

__extension__ typedef unsigned __int128 st_u128;

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b > 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Is num / den periods, rounded, fold_ns? */
static bool rounds_to(const struct st_period *period, uint64_t num, uint64_t den, int64_t fold_ns)
{
    const st_u128 whole = (st_u128)num * period->num, unit = (st_u128)den * period->den;
    const st_u128 fold = (st_u128)fold_ns * unit, off = whole > fold ? whole - fold : fold - whole;
    return 2 * off <= unit;
}

int st_fold_init(const struct st_period *period, int64_t fold_ns, struct st_fold *ret)
{
    uint64_t num, den = period->num;
    if (fold_ns <= 0 || fold_ns > FOLD_NS || __builtin_mul_overflow((uint64_t)fold_ns, period->den, &num))
        return -ERANGE;
    const uint64_t common = gcd(num, den);
    *ret = (struct st_fold){num / common, den / common};
    /* convergents of the continued fraction: each is nearer than all of smaller terms */
    uint64_t rest_num = ret->num, rest_den = ret->den, p = 1, p_before = 0, q = 0, q_before = 1;
    while (rest_den > 0) {
        const uint64_t whole = rest_num / rest_den, rest = rest_num % rest_den;
        uint64_t next_p, next_q;
        if (__builtin_mul_overflow(whole, p, &next_p) || __builtin_add_overflow(next_p, p_before, &next_p) ||
            next_p > FEW_PHASES || __builtin_mul_overflow(whole, q, &next_q) ||
            __builtin_add_overflow(next_q, q_before, &next_q))
            break;
        p_before = p;
        q_before = q;
        p = next_p;
        q = next_q;
        if (p > 0 && q <= FEW_PHASES && rounds_to(period, p, q, fold_ns)) {
            *ret = (struct st_fold){p, q};
            break;
        }
        rest_num = rest_den;
        rest_den = rest;
    }
    return 0;
}

size_t st_fold_part(const struct st_fold *fold, uint64_t k, size_t parts_n)
{
    const uint64_t phase = (uint64_t)((st_u128)k * fold->den % fold->num);
    return (size_t)((st_u128)phase * parts_n / fold->num);
}

size_t st_fold_parts(const struct st_fold *fold, size_t most_n)
{
    return fold->num <= most_n && fold->num >= (most_n + 1) / 2 ? (size_t)fold->num : most_n;
}
