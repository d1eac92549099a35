/* A ring of chunks. */
#include "daemon/http/feed.h"

#include <stdlib.h>
#include <string.h>

void st_feed_finish(struct st_feed *feed)
{
    for (size_t i = 0; i < ST_FEED_CHUNKS; i++)
        free(feed->chunks[i].text);
    *feed = (struct st_feed){0};
}

void st_feed_put(struct st_feed *feed, char *text, size_t len)
{
    const size_t at = feed->next % ST_FEED_CHUNKS;
    free(feed->chunks[at].text);
    feed->chunks[at].text = text;
    feed->chunks[at].len = len;
    feed->next++;
}

struct st_feed_cursor st_feed_join(const struct st_feed *feed)
{
    return (struct st_feed_cursor){.chunk = feed->next};
}

bool st_feed_behind(const struct st_feed *feed, const struct st_feed_cursor *cursor)
{
    return feed->next - cursor->chunk > ST_FEED_CHUNKS;
}

ssize_t st_feed_read(const struct st_feed *feed, struct st_feed_cursor *cursor, char *buf, size_t buf_bytes)
{
    if (st_feed_behind(feed, cursor))
        return -EPIPE;
    size_t used = 0;
    while (cursor->chunk != feed->next && used < buf_bytes) {
        const size_t at = cursor->chunk % ST_FEED_CHUNKS, left = feed->chunks[at].len - cursor->offset;
        const size_t n = left < buf_bytes - used ? left : buf_bytes - used;
        memcpy(buf + used, feed->chunks[at].text + cursor->offset, n);
        used += n;
        cursor->offset += n;
        if (cursor->offset == feed->chunks[at].len)
            *cursor = (struct st_feed_cursor){.chunk = cursor->chunk + 1};
    }
    return (ssize_t)used;
}

void st_feed_event(FILE *out, const char *name, const char *json)
{
    fprintf(out, "event: %s\ndata: %s\n\n", name, json);
}
