/* What was seen of a node of PipeWire's graph and is not reported yet. */
#pragma once

#include "xruns/xrun.h"

/* Losses of one kind. */
struct st_profile_losses {
    int64_t n, lost_ns, longest_ns;
};

/* Cycles in which a client was not ready for one reason. */
struct st_profile_reason {
    int64_t n;
    int64_t dropouts_n;          /* that began with one of them */
    int64_t lost_ns, longest_ns; /* together, and of the longest dropout that they belong to, so far */
    int64_t end_ns;              /* of the last of them */
    struct st_dropout_cycle worst;
    char culprit[ST_XRUN_NAME_BYTES];
    bool culprit_plays; /* as in struct st_xrun_seen */
};

struct st_profile_unreported {
    struct st_profile_losses device;  /* it ran dry by itself */
    struct st_profile_losses resyncs; /* of a device that another one drives */
    struct st_profile_reason reasons[ST_DROPOUT_REASONS];
};

void st_profile_report_add(struct st_profile_losses *to, int64_t n, int64_t lost_ns);
