/* Changes of this computer, and since when dropouts are more frequent. Pure, except the functions that
 * name what they read; threads: any; reads TZ. */
#pragma once

#include <jansson.h>

#include "core/base.h"

/** "the kernel became 6.12.48", "/etc/asound.conf changed". @param what of "changes" of sleeptune-history/1;
 * not trusted. @return safe text. */
const char *st_change_story_what(const json_t *what);

/** How many further things changed with the first one, for a reader; further facts about the same kernel
 * do not count. @param list "what" of a change. */
size_t st_change_story_more_n(const json_t *list);

/** " 6.12.47 is still installed: boot it once."; "": the kernel did not change, or the earlier one has no
 * folder in `modules` any more (the function looks there). @param what as in st_change_story_more_n.
 * @return safe text. */
const char *st_change_story_kernel(const json_t *what, const char *modules);

/** The last change after which dropouts became more frequent or rarer: "More dropouts since Tuesday, when
 * the kernel became 6.12.48: 14 an hour, before 0.2."; if more frequent, followed by
 * st_change_story_kernel of /lib/modules. @param ret_worse dropouts are more frequent. @return "": no
 * such change. */
const char *st_change_story_text(const json_t *changes, int64_t now_wall_ns, bool *ret_worse);
