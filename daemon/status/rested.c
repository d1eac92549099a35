/* Tables without their zeros. */
#include "daemon/status/rested.h"

#include <errno.h>
#include <stdlib.h>

static int pack(const struct st_hist *hist, struct st_rested_hist *ret)
{
    const uint64_t *tables[] = {hist->late, hist->early};
    *ret = (struct st_rested_hist){.hist = *hist};
    for (int filling = 0; filling < 2; filling++) {
        size_t n = 0;
        for (uint32_t i = 0; i < 2 * hist->counts_len; i++) {
            const uint64_t count = tables[i / hist->counts_len][i % hist->counts_len];
            if (count != 0 && filling != 0)
                ret->counts[n] = (struct st_rested_count){count, i};
            n += count != 0;
        }
        ret->counts_n = n;
        if (filling == 0)
            ret->counts = calloc(n + 1, sizeof(ret->counts[0]));
        if (ret->counts == NULL)
            return -ENOMEM;
    }
    return 0;
}

static int unpack(const struct st_rested_hist *packed, struct st_hist *ret)
{
    struct st_hist empty;
    const int r = st_hist_init(&empty, packed->hist.digits);
    if (r < 0)
        return r;
    *ret = packed->hist;
    ret->late = empty.late;
    ret->early = empty.early;
    for (size_t i = 0; i < packed->counts_n; i++) {
        const uint32_t place = packed->counts[i].place, len = ret->counts_len;
        (place < len ? ret->late : ret->early)[place % len] = packed->counts[i].n;
    }
    return 0;
}

int st_rested_keep(struct st_rested *rested, const struct st_result *result)
{
    st_rested_forget(rested);
    if (pack(&result->lateness, &rested->lateness) < 0 || pack(&result->response, &rested->response) < 0) {
        st_rested_forget(rested);
        return -ENOMEM;
    }
    rested->result = *result;
    rested->known = true;
    return 0;
}

int st_rested_result(const struct st_rested *rested, struct st_result *ret)
{
    struct st_hist lateness = {0}, response = {0};
    if (!rested->known)
        return -ENOENT;
    int r = unpack(&rested->lateness, &lateness);
    if (r == 0)
        r = unpack(&rested->response, &response);
    if (r < 0) {
        st_hist_finish(&lateness);
        return r;
    }
    *ret = rested->result;
    ret->lateness = lateness;
    ret->response = response;
    return 0;
}

void st_rested_forget(struct st_rested *rested)
{
    free(rested->lateness.counts);
    free(rested->response.counts);
    *rested = (struct st_rested){.known = false};
}
