/* Evidence that may be looked at after every pair of blocks: does a setting make late wake-ups rarer? The
 * unit is the pair, never the event: all events of a noisy block are in one arm, so that counting each of
 * them would keep settings without effect. */
#pragma once

#include "core/base.h"

/** A setting without effect is kept in at most this share of all sessions. */
#define ST_SEQUENTIAL_LEVEL 0.01

enum st_sequential_side {
    ST_SEQUENTIAL_FEWER, /* B has fewer late wake-ups than A */
    ST_SEQUENTIAL_MORE,  /* B has more */
    ST_SEQUENTIAL_SIDES
};

#define ST_SEQUENTIAL_BETS 5

/** Begins with st_sequential_init. */
struct st_sequential {
    double product[ST_SEQUENTIAL_SIDES][ST_SEQUENTIAL_BETS];
    uint32_t pairs_n;
};

void st_sequential_init(struct st_sequential *s);

/** Adds a pair: how many wake-ups were late in a block of A and in one of B. Which of the two ran first must
 * have been drawn at random: then D = (a - b) / (a + b) is as likely as -D if B has no effect, whatever the
 * machine does. @return D. */
double st_sequential_add(struct st_sequential *s, uint64_t a_n, uint64_t b_n);

/**
 * The e-value: mean over five bets of the product of (1 + bet * D). Without an effect it is ever at least x
 * in 1 / x of all sessions at most, whenever one looks. Source: Ville 1939; Johari et al., "Always valid
 * inference", 2022. @return >= 0. */
double st_sequential_e(const struct st_sequential *s, enum st_sequential_side side);

/** The e-value that setting number kept_n + 1 of tests_n needs: e-Benjamini-Hochberg, at any dependence.
 * Source: Wang and Ramdas, "False discovery rate control with e-values", 2022. */
double st_sequential_needed(size_t tests_n, size_t kept_n);

/**
 * The smallest effect that pairs_n pairs usually show: the e-value of the best bet grows to `needed`, if all
 * pairs of these blocks, in which nothing was changed, come equally often. @param late_n n of them. @return
 * 1.25, 1.5, 2, 2.5, 3; INFINITY: not even 3-fold. */
double st_sequential_detectable(const uint64_t *late_n, size_t n, uint32_t pairs_n, double needed);
