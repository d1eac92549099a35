/* Sentences about changes of this computer, and since when dropouts are more frequent. Pure, except
 * for st_change_story_kernel and st_change_story_text, which look into the folder of kernel
 * modules. Threads: any; reads TZ. */
#pragma once

#include <jansson.h>

#include "core/base.h"

/** What changed: "the kernel became 6.12.48", "/etc/asound.conf changed". @param what an item of
 * "what" in "changes" of sleeptune-history/1; not trusted. @return safe text. */
const char *st_change_story_what(const json_t *what);

/** Counts the other things that changed together with the first one in the list. Does not count
 * further facts about the kernel. @param list "what" of a change. */
size_t st_change_story_more_n(const json_t *list);

/** A hint if the kernel changed: " 6.12.47 is still installed: boot it once."; "": it did not
 * change, or the previous kernel has no folder in `modules` any more. @param what as list of
 * st_change_story_more_n. @return safe text. */
const char *st_change_story_kernel(const json_t *what, const char *modules);

/** A sentence about the last change after which dropouts became more frequent or rarer: "More
 * dropouts since Tuesday, when the kernel became 6.12.48: 14 an hour, before 0.2."; if more
 * frequent, followed by st_change_story_kernel. @param ret_worse dropouts are more frequent.
 * @return "": there is none. */
const char *st_change_story_text(const json_t *changes, int64_t now_wall_ns, bool *ret_worse);
