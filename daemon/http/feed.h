/* Server-sent events: text that many readers read, each at its own speed, without a copy for each. Pure. */
#ifndef ST_DAEMON_HTTP_FEED_H
#define ST_DAEMON_HTTP_FEED_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "core/base.h"

#define ST_FEED_CHUNKS 8 /* who is further behind is dropped */

/** The last chunks. Zeroed to begin. Threads: as its owner's lock says. */
struct st_feed {
    struct {
        char *text;
        size_t len;
    } chunks[ST_FEED_CHUNKS];
    uint64_t next; /* number of the chunk to come */
};

/** Where a reader is. */
struct st_feed_cursor {
    uint64_t chunk;
    size_t offset; /* bytes of it that were read */
};

void st_feed_finish(struct st_feed *feed);

/** Takes text (malloc'ed, len >= 1 bytes); the oldest chunk is freed. */
void st_feed_put(struct st_feed *feed, char *text, size_t len);

/** A reader that begins with the chunk to come. */
struct st_feed_cursor st_feed_join(const struct st_feed *feed);

/** True for a reader whose next bytes are gone. */
bool st_feed_behind(const struct st_feed *feed, const struct st_feed_cursor *cursor);

/** @return bytes put into buf, 0 when there is nothing new, -EPIPE for a reader that is behind. */
ST_NODISCARD ssize_t st_feed_read(const struct st_feed *feed, struct st_feed_cursor *cursor, char *buf,
                                  size_t buf_bytes);

/** Writes one event in the format of text/event-stream. json is one line. Source: HTML standard, 9.2.5. */
void st_feed_event(FILE *out, const char *name, const char *json);

#endif
