/* Did events come at one rate all the time? By their number in ten equal parts of a run. */
#pragma once

#include "core/base.h"

#define ST_STEADY_PARTS 10

struct st_steady {
    double scatter;    /* how many times as much as chance the parts differ; 1: not shown to */
    bool changed;      /* more than chance: busier was the time ... */
    size_t first, end; /* ... from one part up to another, which is excluded; else all of it */
};

/** Each test is wrong in 1 % of the runs with one rate. Threads: any. */
struct st_steady st_steady_of(const uint64_t n[ST_STEADY_PARTS]);
