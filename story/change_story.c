#include "story/change_story.h"

#include <unistd.h>

#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/safe.h"
#include "core/when.h"
#include "evidence/miss_events.h"

#define NAME_LEN 120 /* bytes of a name that a screen shows */

const char *st_change_story_what(const json_t *what)
{
    const char *kind = st_json_text_of(what, "kind"), *now = st_json_text_of(what, "now"),
               *name = st_json_text_of(what, "name");
    const bool file = st_text_is(kind, "file"), gone = json_is_null(json_object_get(what, "now")),
               came = json_is_null(json_object_get(what, "before"));
    const char *the = file || st_text_is(kind, "package") ? "" : "the ",
               *verb = st_text("became %.*s", NAME_LEN, now);
    if (file)
        verb = "changed";
    if (came)
        verb = "came";
    if (gone)
        verb = "was removed";
    return st_safe_text(st_text("%s%.*s %s", the, NAME_LEN, name, verb));
}

size_t st_change_story_more_n(const json_t *list)
{
    size_t n = 0;
    for (size_t i = 1; i < json_array_size(list); i++)
        n += !st_text_is(st_json_text_of(json_array_get(list, i), "kind"), "kernel");
    return n;
}

/* "Tuesday" in the last six days, "2026-11-24" before. */
static const char *day_text(int64_t wall_ns, int64_t now_wall_ns)
{
    static const char *const days[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                       "Thursday", "Friday", "Saturday"};
    const time_t s = (time_t)(wall_ns / ST_NS_PER_S);
    struct tm local;
    if (st_ns_sub(now_wall_ns, wall_ns) < 6 * ST_NS_PER_DAY && localtime_r(&s, &local) != NULL)
        return days[local.tm_wday];
    return st_text("%.10s", st_when_text(wall_ns));
}

static const char *rate_text(const json_t *side)
{
    const double hours = st_ns_seconds(st_json_integer(side, "playing_ns")) / 3600;
    return st_miss_events_seen_text(hours > 0 ? (double)st_json_integer(side, "dropouts") / hours
                                              : 0);
}

const char *st_change_story_kernel(const json_t *what, const char *modules)
{
    size_t i;
    const json_t *one;
    json_array_foreach(what, i, one)
    {
        const char *before = st_json_text_of(one, "before");
        if (!st_text_is(st_json_text_of(one, "name"), "kernel") || before[0] == '.' ||
            strchr(before, '/') != NULL)
            continue;
        if (access(st_text("%s/%s", modules, before), F_OK) == 0)
            return st_text(" Kernel %s is still installed: boot it to compare.",
                           st_safe_text(st_text("%.*s", NAME_LEN, before)));
    }
    return "";
}

const char *st_change_story_text(const json_t *changes, int64_t now_wall_ns, bool *ret_worse)
{
    const json_t *change, *last = NULL;
    size_t i;
    json_array_foreach(changes, i, change)
    {
        const char *verdict = st_json_text_of(change, "verdict");
        if (st_text_is(verdict, "worse") || st_text_is(verdict, "better"))
            last = change;
    }
    const json_t *list = json_object_get(last, "what");
    const size_t more_n = st_change_story_more_n(list);
    const char *more = "";
    *ret_worse = st_text_is(st_json_text_of(last, "verdict"), "worse");
    if (last == NULL)
        return "";
    if (more_n > 0)
        more = st_text(" and %zu more thing%s changed", more_n, ST_PLURAL(more_n));
    return st_text(
        "%s dropouts since %s, when %s%s: %s an hour, before %s.%s", *ret_worse ? "More" : "Fewer",
        day_text(st_json_integer(last, "at_ns"), now_wall_ns),
        st_change_story_what(json_array_get(list, 0)), more,
        rate_text(json_object_get(last, "since")), rate_text(json_object_get(last, "before")),
        *ret_worse ? st_change_story_kernel(list, "/lib/modules") : "");
}
