/* The state of the daemon in words, and the list of its degraded parts. */
#include "daemon/status/view.h"

#include "core/ns.h"

const char *const st_degraded_parts[] = {"loop",  "memory",  "books",   "watchdog",
                                         "audio", "observe", "config",  "socket",
                                         "http",  "trace",   "history", NULL};

/* Adds an entry. In a full list the new entry replaces the last one. */
static struct st_degraded *ST_PRINTF(4, 5)
    add(struct st_degraded *list, size_t *n, const char *what, const char *format, ...)
{
    struct st_degraded *entry = &list[*n - (*n == ST_VIEW_DEGRADED_MAX)];
    *n = (size_t)(entry - list) + 1;
    entry->what = what;
    entry->counts = entry->rights = false;
    ST_PRINT_REST(entry->why, sizeof(entry->why), format);
    return entry;
}

const char *st_view_overdue_text(const struct st_view *view)
{
    const struct st_hog *hog = &view->overdue.hog;
    const char *text = st_text("has not run for %jd s", view->overdue.ns / ST_NS_PER_S);
    if (hog->looks < ST_HOG_LOOKS)
        return text;
    return st_text("%s: %s/%d with real-time priority %d keeps CPU %d busy", text, hog->name,
                   (int)hog->tid, hog->priority, hog->cpu);
}

size_t st_view_degraded(const struct st_view *view, struct st_degraded ret[ST_VIEW_DEGRADED_MAX])
{
    size_t n = 0;
    const struct st_result *loop = view->loop;
    if (loop != NULL && loop->degraded[0] != '\0')
        add(ret, &n, "loop", "%s", st_text_joined(loop->degraded, "; ", view->rtkit))->rights =
            true;
    if (view->overdue.ns > 0)
        add(ret, &n, "loop", "the test loop %s", st_view_overdue_text(view))->counts = true;
    if (loop != NULL && loop->lock == ST_LOCK_NONE && strstr(loop->degraded, "memory") == NULL)
        add(ret, &n, "memory",
            "memory is not locked: reading it back from disk can delay the test loop")
            ->rights = true;
    if (loop != NULL && !loop->books_balance)
        add(ret, &n, "books",
            "the counts of the test loop contradict each other: do not trust these figures");
    if (view->watchdog.reason[0] != '\0')
        add(ret, &n, "watchdog", "%s", view->watchdog.reason);
    /* Does not warn if rtkit granted the loop's priority: then rtkit's own watchdog watches the
     * loop as well.
     */
    else if (view->watchdog.running && !view->watchdog.above_loop && loop != NULL &&
             loop->policy != ST_POLICY_OTHER && view->rtkit[0] == '\0')
        add(ret, &n, "watchdog",
            "the watchdog got no higher priority than the test loop, so it may not notice if that "
            "loop never sleeps")
            ->rights = true;
    if (view->audio.state == ST_AUDIO_WAITING || view->audio.error[0] != '\0')
        add(ret, &n, "audio", "%s", view->audio.error);
    ST_EACH_OF (source, view->observe.sources, view->observe.n) {
        if (source->mode == ST_OBSERVED_ON && source->state == ST_OBSERVED_ABSENT)
            add(ret, &n, "observe", "dropouts of %s are not watched: %s", source->source,
                source->why);
    }
    if (view->config.error[0] != '\0')
        add(ret, &n, "config", "the old settings stay in force: %s", view->config.error);
    if (view->failed.socket[0] != '\0')
        add(ret, &n, "socket", "%s", view->failed.socket);
    if (view->failed.http[0] != '\0')
        add(ret, &n, "http", "%s", view->failed.http);
    if (view->failed.trace[0] != '\0')
        add(ret, &n, "trace", "sleeptuned cannot name the culprits of late wake-ups: %s",
            view->failed.trace);
    if (view->history.state == ST_HISTORY_WRITER_FAILING)
        add(ret, &n, "history", "the history is kept in memory for now: %s", view->history.why);
    else if (view->history.missing)
        add(ret, &n, "history", "enabled, but %s", view->history.why);
    return n;
}

const char *st_view_state(const struct st_view *view)
{
    struct st_degraded degraded[ST_VIEW_DEGRADED_MAX];
    if (view->ended && view->loop != NULL && view->loop->error != 0)
        return "failed";
    if (view->ended)
        return "ended";
    if (view->loop == NULL && !view->rests)
        return "starting";
    for (size_t i = st_view_degraded(view, degraded); i > 0; i--) {
        if (!degraded[i - 1].rights)
            return "degraded";
    }
    return view->rests ? "idle" : "running";
}

const char *st_view_history_state(const struct st_view *view)
{
    static const char *const names[] = {[ST_HISTORY_WRITER_OFF] = "off",
                                        [ST_HISTORY_WRITER_OPENING] = "opening",
                                        [ST_HISTORY_WRITER_WRITING] = "writing",
                                        [ST_HISTORY_WRITER_FAILING] = "failing"};
    return names[view->history.state];
}
