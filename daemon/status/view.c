/* The status in words: state, verdict, and what is degraded. */
#include "daemon/status/view.h"

#include "core/ns.h"
#include "core/text/text.h"

const char *const st_degraded_parts[] = {"loop",   "memory", "books", "watchdog", "audio",   "observe",
                                         "config", "socket", "http",  "trace",    "history", NULL};

static void ST_PRINTF(4, 5)
    add(struct st_degraded *list, size_t *n, const char *what, const char *format, ...)
{
    if (*n == ST_VIEW_DEGRADED_MAX)
        return;
    struct st_degraded *entry = &list[(*n)++];
    entry->what = what;
    entry->counts = entry->rights = false;
    ST_PRINT_REST(entry->why, sizeof(entry->why), format);
}

const char *st_view_overdue_text(const struct st_view *view)
{
    const char *text = "";
    const int64_t seconds = view->overdue.ns / ST_NS_PER_S;
    const int64_t period_ns = view->loop != NULL ? st_period_ns(&view->loop->period) : 0;
    if (view->loop != NULL && view->loop->elapsed_periods > 0 && period_ns > 0)
        text = st_text("has not run for %jd s (about %jd periods overdue)", seconds,
                       view->overdue.ns / period_ns);
    else
        text = st_text("has not run for %jd s and has not counted a period yet", seconds);
    if (view->overdue.hog.looks >= ST_HOG_LOOKS)
        text = st_text("%s: %s/%d with real-time priority %d keeps CPU %d busy", text, view->overdue.hog.name,
                       (int)view->overdue.hog.tid, view->overdue.hog.priority, view->overdue.hog.cpu);
    return text;
}

size_t st_view_degraded(const struct st_view *view, struct st_degraded ret[ST_VIEW_DEGRADED_MAX])
{
    size_t n = 0;
    if (view->loop != NULL && view->loop->degraded[0] != '\0') {
        add(ret, &n, "loop", "%s", st_text_joined(view->loop->degraded, "; ", view->rtkit));
        ret[n - 1].rights = true;
    }
    if (view->overdue.ns > 0) {
        add(ret, &n, "loop", "the test loop %s", st_view_overdue_text(view));
        ret[n - 1].counts = true;
    }
    if (view->loop != NULL && view->loop->lock == ST_LOCK_NONE &&
        strstr(view->loop->degraded, "memory") == NULL) {
        add(ret, &n, "memory", "memory is not locked: a page fault can delay the test loop");
        ret[n - 1].rights = true;
    }
    if (view->loop != NULL && !view->loop->books_balance)
        add(ret, &n, "books", "the counters of the test loop do not agree: these figures are not valid");
    if (view->watchdog.reason[0] != '\0')
        add(ret, &n, "watchdog", "%s", view->watchdog.reason);
    else if (view->watchdog.running && !view->watchdog.above_loop && view->loop != NULL &&
             view->loop->policy != ST_POLICY_OTHER && view->rtkit[0] == '\0') { /* rtkit watches it, too */
        add(ret, &n, "watchdog",
            "the watchdog got no higher priority than the test loop, so it may not notice if that loop never "
            "sleeps");
        ret[n - 1].rights = true;
    }
    if (view->audio.state == ST_AUDIO_WAITING || view->audio.error[0] != '\0')
        add(ret, &n, "audio", "%s", view->audio.error);
    ST_EACH_OF (source, view->observe.sources, view->observe.n) {
        if (source->mode == ST_OBSERVED_ON && source->state == ST_OBSERVED_ABSENT)
            add(ret, &n, "observe", "dropouts of %s are not watched: %s", source->source, source->why);
    }
    if (view->config.error[0] != '\0')
        add(ret, &n, "config", "the old settings are kept: %s", view->config.error);
    if (view->failed.socket[0] != '\0')
        add(ret, &n, "socket", "%s", view->failed.socket);
    if (view->failed.http[0] != '\0')
        add(ret, &n, "http", "%s", view->failed.http);
    if (view->failed.trace[0] != '\0')
        add(ret, &n, "trace", "late wake-ups are not traced: %s", view->failed.trace);
    if (view->history.state == ST_HISTORY_WRITER_FAILING)
        add(ret, &n, "history", "minutes and events are kept in memory for now: %s", view->history.why);
    else if (view->history.missing)
        add(ret, &n, "history", "enabled, but %s", view->history.why);
    return n;
}

const char *st_view_state(const struct st_view *view)
{
    struct st_degraded degraded[ST_VIEW_DEGRADED_MAX];
    bool worse = false;
    if (view->ended)
        return view->loop != NULL && view->loop->error != 0 ? "failed" : "ended";
    if (view->loop == NULL && !view->rests)
        return "starting";
    for (size_t i = st_view_degraded(view, degraded); i > 0; i--)
        worse = worse || !degraded[i - 1].rights;
    return worse ? "degraded" : view->rests ? "idle" : "running";
}

const char *st_view_history_state(const struct st_view *view)
{
    static const char *const names[] = {[ST_HISTORY_WRITER_OFF] = "off",
                                        [ST_HISTORY_WRITER_OPENING] = "opening",
                                        [ST_HISTORY_WRITER_WRITING] = "writing",
                                        [ST_HISTORY_WRITER_FAILING] = "failing"};
    return names[view->history.state];
}
