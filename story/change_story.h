/* What changed on this computer, and since when dropouts are more frequent. Pure but for what it says of
 * itself; threads: any; TZ is read. */
#pragma once

#include <jansson.h>

#include "core/base.h"

/** "the kernel became 6.12.48", "/etc/asound.conf changed". @param what of "changes" of sleeptune-history/1;
 * not trusted. @return safe text. */
const char *st_change_story_what(const json_t *what);

/** How many more things changed with the first one, for a reader: what else the kernel says of itself is
 * none.
 * @param list  "what" of a change. */
size_t st_change_story_more_n(const json_t *list);

/** " 6.12.47 is still installed: boot it once." "": the kernel did not change, or that one has no folder in
 * `modules` any more, which is looked at. @param what as in st_change_story_more_n.
 * @return safe text. */
const char *st_change_story_kernel(const json_t *what, const char *modules);

/** The last change since which dropouts are more frequent, or rarer: "More dropouts since Tuesday, when the
 * kernel became 6.12.48: 14 an hour, before 0.2." If it is worse, with
 * st_change_story_kernel of /lib/modules. @param ret_worse it is. @return "": there is none. */
const char *st_change_story_text(const json_t *changes, int64_t now_wall_ns, bool *ret_worse);
