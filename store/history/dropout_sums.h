/* Dropouts of other programs in a minute, summed by device, client and reason. */
#ifndef ST_STORE_HISTORY_DROPOUT_SUMS_H
#define ST_STORE_HISTORY_DROPOUT_SUMS_H

#include <stdbool.h>

#include "core/base.h"
#include "xruns/dropout_reason.h"

#define ST_DROPOUT_SUMS_MAX 16

struct st_dropout_sum {
    char source[16];               /* name of an xrun_source */
    char device[64], client[64];   /* "": unknown; bytes of others */
    char culprit[64];              /* of the worst cycle; "": unknown */
    bool device_xrun;              /* the device had no data in time: there is no reason then */
    enum st_dropout_reason reason; /* why the client was not ready */
    uint64_t n;
    int64_t busy_ns, wait_ns, period_ns; /* of the worst cycle; 0: unknown */
    int64_t error_ns;                    /* to which busy_ns is known, up or down */
};

struct st_dropout_sums {
    struct st_dropout_sum rows[ST_DROPOUT_SUMS_MAX];
    size_t n;
    uint64_t others_n; /* dropouts that are in no row */
};

/** Adds to the row of the same source, device, client and reason. If the table is full, the row with the
 * fewest dropouts of the source with the most rows makes room, and its dropouts go to others_n. Pure. */
void st_dropout_sums_add(struct st_dropout_sums *sums, const struct st_dropout_sum *row);

/** Adds all rows and the others. Pure. */
void st_dropout_sums_merge(struct st_dropout_sums *sums, const struct st_dropout_sums *from);

#endif
