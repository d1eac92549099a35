/* Answers that are still being read: a reader who takes his time keeps them in memory, which is locked. */
#ifndef ST_DAEMON_HTTP_HELD_H
#define ST_DAEMON_HTTP_HELD_H

#include <stdatomic.h>
#include <stdbool.h>

struct MHD_Response;

#define ST_HTTP_HELD_MAX_BYTES (1024 * 1024)

/** Of one server: who reads slowly over TCP takes nothing from the socket. Zeroed at first; to live longer
 * than its responses. */
struct st_http_held {
    atomic_size_t bytes;
};

/**
 * Asks whether a long answer may be made: one at a time in this process, and none while more than
 * ST_HTTP_HELD_MAX_BYTES of this server's have not been read. Waits while another one is made (some 0.2 s).
 * @return true: call st_http_held_end when its response exists. Threads: any.
 */
bool st_http_held_begin(struct st_http_held *held);
void st_http_held_end(void);

/** A response that frees its text, which counts as held until then. @return NULL: out of memory, the text
 * stays. Threads: any. */
struct MHD_Response *st_http_held_response(struct st_http_held *held, char *text);

#endif
