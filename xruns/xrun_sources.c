/* The list of all sources of xruns, and texts about the source with a given name. */
#include "core/text/text.h"
#include "xruns/xrun.h"

const struct st_xrun_source *const st_xrun_sources[] = {
#define ROW(name) &st_xrun_##name,
    ST_XRUN_SOURCES(ROW) NULL
#undef ROW
};
_Static_assert(ST_ARRAY_LEN(st_xrun_sources) <= ST_XRUN_SOURCES_MAX + 1, "all are watched");

const struct st_xrun_source *st_xrun_sources_find(const char *name)
{
    static const struct st_xrun_source none = {0};
    const struct st_xrun_source *const *source = st_xrun_sources;
    while (*source != NULL && strcmp((*source)->name, name) != 0)
        source++;
    return *source != NULL ? *source : &none;
}

const char *st_xrun_sources_title(const char *name)
{
    return st_text_or(st_xrun_sources_find(name)->title, name);
}

const char *st_xrun_sources_set_frames(const char *name, int64_t frames)
{
    const char *command = st_xrun_sources_find(name)->set_frames;
    if (frames <= 0 || command == NULL)
        return "";
    return st_text("%s %jd", command, frames);
}

const char *st_xrun_sources_keep_frames(const char *name, int64_t frames)
{
    const char *setting = st_xrun_sources_find(name)->keep_frames;
    if (frames < 16 || (frames & (frames - 1)) != 0 || setting == NULL)
        return "";
    return st_text("to keep it: sleeptune apply %s=%jd", setting, frames);
}
