/* Shared documents and the events in between. */
#include "daemon/http/broadcast.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/http/feed.h"

/* In the thread of the event, which may be the drain thread: a copy, nothing else. */
static void hear(void *ctx, const struct st_event *event)
{
    struct st_broadcast *broadcast = ctx;
    pthread_mutex_lock(&broadcast->heard_mutex);
    broadcast->heard[broadcast->heard_n++ % ST_BROADCAST_EVENTS] = *event;
    pthread_mutex_unlock(&broadcast->heard_mutex);
}

int st_broadcast_init(struct st_broadcast *broadcast, struct st_events *events)
{
    *broadcast = (struct st_broadcast){.made_ns = INT64_MIN};
    int r = pthread_mutex_init(&broadcast->heard_mutex, NULL);
    if (r != 0)
        return -r;
    r = pthread_mutex_init(&broadcast->text_mutex, NULL);
    if (r != 0) {
        pthread_mutex_destroy(&broadcast->heard_mutex);
        return -r;
    }
    r = st_events_listen(events, hear, broadcast);
    if (r < 0)
        st_broadcast_finish(broadcast);
    return r;
}

void st_broadcast_finish(struct st_broadcast *broadcast)
{
    free(broadcast->text);
    pthread_mutex_destroy(&broadcast->text_mutex);
    pthread_mutex_destroy(&broadcast->heard_mutex);
}

char *st_broadcast_document(struct st_broadcast *broadcast, int64_t now_ns, json_t *(*make)(void *ctx),
                            void *ctx)
{
    pthread_mutex_lock(&broadcast->text_mutex);
    if (broadcast->text == NULL || now_ns - broadcast->made_ns > ST_BROADCAST_KEEP_NS) {
        free(broadcast->text);
        json_t *document = make(ctx);
        broadcast->text = document != NULL ? json_dumps(document, JSON_COMPACT) : NULL;
        broadcast->made_ns = now_ns;
        json_decref(document);
    }
    char *copy = broadcast->text != NULL ? strdup(broadcast->text) : NULL;
    pthread_mutex_unlock(&broadcast->text_mutex);
    return copy;
}

/* Takes one event that was heard. @return false when there is none. */
static bool take(struct st_broadcast *broadcast, struct st_event *ret, uint64_t *ret_missed)
{
    pthread_mutex_lock(&broadcast->heard_mutex);
    *ret_missed = 0;
    if (broadcast->heard_n - broadcast->told_n > ST_BROADCAST_EVENTS) {
        *ret_missed = broadcast->heard_n - broadcast->told_n - ST_BROADCAST_EVENTS;
        broadcast->told_n += *ret_missed;
    }
    const bool is = broadcast->told_n < broadcast->heard_n;
    if (is)
        *ret = broadcast->heard[broadcast->told_n++ % ST_BROADCAST_EVENTS];
    pthread_mutex_unlock(&broadcast->heard_mutex);
    return is;
}

static void put_events(FILE *out, struct st_broadcast *broadcast)
{
    struct st_event event;
    uint64_t missed;
    while (take(broadcast, &event, &missed)) {
        if (missed > 0)
            fprintf(out, ": %" PRIu64 " events more\n\n", missed);
        json_t *document = st_event_json(&event);
        char *text = document != NULL ? json_dumps(document, JSON_COMPACT) : NULL;
        if (text != NULL)
            st_feed_event(out, "event", text);
        free(text);
        json_decref(document);
    }
}

char *st_broadcast_chunk(struct st_broadcast *broadcast, const char *document, size_t *ret_len)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    if (out == NULL)
        return NULL;
    put_events(out, broadcast);
    if (document != NULL)
        st_feed_event(out, "status", document);
    else
        fputs(": no document\n\n", out);
    const int failed = ferror(out);
    if (fclose(out) != 0 || failed != 0) {
        free(text);
        return NULL;
    }
    *ret_len = len;
    return text;
}

void st_broadcast_forget(struct st_broadcast *broadcast)
{
    pthread_mutex_lock(&broadcast->heard_mutex);
    broadcast->told_n = broadcast->heard_n;
    pthread_mutex_unlock(&broadcast->heard_mutex);
}
