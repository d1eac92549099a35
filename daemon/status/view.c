/* The state of the daemon in words, and the list of its degraded parts. */
#include "daemon/status/view.h"

#include "core/ns.h"

/* Adds a part, unless `why` is "": then it works. */
static struct st_degraded *add(struct st_degraded_list *list, const char *what, const char *why)
{
    struct st_degraded *part = &list->parts[list->n];
    *part = (struct st_degraded){what, why, false, false};
    list->n += why[0] != '\0';
    return part;
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

struct st_degraded_list st_view_degraded(const struct st_view *view)
{
    struct st_degraded_list list = {.n = 0};
    const struct st_result *loop = view->loop;
    const struct st_watchdog_view *watchdog = &view->watchdog;
    if (loop != NULL && loop->degraded[0] != '\0')
        add(&list, "loop", st_text_joined(loop->degraded, "; ", view->rtkit))->rights = true;
    if (view->overdue.ns > 0)
        add(&list, "loop", st_text("the timing test %s", st_view_overdue_text(view)))->counts =
            true;
    if (loop != NULL && loop->lock == ST_LOCK_NONE && strstr(loop->degraded, "memory") == NULL)
        add(&list, "memory",
            "sleeptuned's memory is not locked: reading it back from disk can delay the timing "
            "test")
            ->rights = true;
    if (loop != NULL && !loop->books_balance)
        add(&list, "books",
            "the counts of the timing test contradict each other: do not trust these figures");
    add(&list, "watchdog", watchdog->reason);
    /* Does not warn if rtkit granted the loop's priority: then rtkit's own watchdog watches the
     * loop as well. */
    if (watchdog->reason[0] == '\0' && watchdog->running && !watchdog->above_loop && loop != NULL &&
        loop->policy != ST_POLICY_OTHER && view->rtkit[0] == '\0')
        add(&list, "watchdog",
            "the watchdog got no higher priority than the timing test, so it may miss that the "
            "test never sleeps")
            ->rights = true;
    add(&list, "audio", view->audio.error);
    ST_EACH_OF (source, view->observe.sources, view->observe.n) {
        if (source->mode == ST_OBSERVED_ON && source->state == ST_OBSERVED_ABSENT)
            add(&list, "observe",
                st_text("sleeptuned does not watch the dropouts of %s: %s", source->source,
                        source->why));
    }
    add(&list, "config", st_text_with("the old settings stay in force: ", view->config.error));
    add(&list, "socket", view->failed.socket);
    add(&list, "http", view->failed.http);
    add(&list, "trace",
        st_text_with("sleeptuned cannot name the culprits of late wake-ups: ", view->failed.trace));
    if (view->history.state == ST_HISTORY_WRITER_FAILING)
        add(&list, "history",
            st_text("the history cannot be written and is kept in memory for now: %s",
                    view->history.why));
    else if (view->history.missing)
        add(&list, "history", st_text("the history is enabled, but %s", view->history.why));
    return list;
}

const char *st_view_state(const struct st_view *view)
{
    const struct st_degraded_list list = st_view_degraded(view);
    if (view->ended)
        return view->loop != NULL && view->loop->error != 0 ? "failed" : "ended";
    if (view->loop == NULL && !view->rests)
        return "starting";
    ST_EACH_OF (part, list.parts, list.n) {
        if (!part->rights)
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
