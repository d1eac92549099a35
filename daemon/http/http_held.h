/* Answers that are still being read: a reader who takes his time keeps them in memory, which is locked. */
#ifndef ST_DAEMON_HTTP_HTTP_HELD_H
#define ST_DAEMON_HTTP_HTTP_HELD_H

#include <stdatomic.h>
#include <stdbool.h>

struct MHD_Response;

#define ST_HTTP_HELD_MAX_BYTES (1024 * 1024)

/** Of one server: who reads slowly over TCP takes nothing from the socket. Zeroed at first; to live longer
 * than its responses. */
struct st_http_held {
    atomic_size_t bytes;
};

/** Have more than ST_HTTP_HELD_MAX_BYTES of this server's answers not been read? Threads: any. */
bool st_http_held_is_full(struct st_http_held *held);

/** A response that frees its text, which counts as held until then. @return NULL: out of memory, the text
 * stays. Threads: any. */
struct MHD_Response *st_http_held_response(struct st_http_held *held, char *text);

#endif
