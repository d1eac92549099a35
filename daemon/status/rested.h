/* The figures of a loop that rests, in little memory: of the 67584 places of a histogram a loop fills some hundred. */
#ifndef ST_DAEMON_STATUS_RESTED_H
#define ST_DAEMON_STATUS_RESTED_H

#include "measure/result.h"

struct st_rested_hist {
    struct st_hist hist; /* without its tables */
    struct st_rested_count {
        uint64_t n;
        uint32_t place; /* those of the early table behind those of the late one */
    } * counts;
    size_t counts_n;
};

/** All zero: none. Threads: the owner's lock. */
struct st_rested {
    bool known;
    struct st_result result; /* without histograms */
    struct st_rested_hist lateness, response;
};

/** Keeps a result of plain mode, which stays the caller's. @return 0 or -ENOMEM: nothing is kept. */
ST_NODISCARD int st_rested_keep(struct st_rested *rested, const struct st_result *result);

/** As it was kept. @return 0 (free with st_result_finish), -ENOENT (none), -ENOMEM. */
ST_NODISCARD int st_rested_result(const struct st_rested *rested, struct st_result *ret);

void st_rested_forget(struct st_rested *rested);

#endif
