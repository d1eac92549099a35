/* Sources of xruns, which are the test's. */
#include "platform/fake/private.h"
#include "platform/xrun/xrun_source.h"

void st_fake_set_xrun_sources(struct st_platform *p, const struct st_xrun_source *sources, size_t n)
{
    struct st_fake *fake = st_fake_of(p);
    fake->xrun_sources = sources;
    fake->xrun_sources_n = n;
}

const struct st_xrun_source *st_fake_xrun_source(struct st_platform *p, size_t i)
{
    const struct st_fake *fake = st_fake_of(p);
    return i < fake->xrun_sources_n ? &fake->xrun_sources[i] : NULL;
}
