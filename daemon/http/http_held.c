/* How much of the answers is kept for those who have not read them yet. */
#include "daemon/http/http_held.h"

#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>

struct answer {
    struct st_http_held *held;
    char *text;
    size_t bytes;
};

bool st_http_held_is_full(struct st_http_held *held)
{
    return atomic_load(&held->bytes) > ST_HTTP_HELD_MAX_BYTES;
}

static void let_go(void *ctx)
{
    struct answer *answer = ctx;
    atomic_fetch_sub(&answer->held->bytes, answer->bytes);
    free(answer->text);
    free(answer);
}

struct MHD_Response *st_http_held_response(struct st_http_held *held, char *text)
{
    struct answer *answer = malloc(sizeof(*answer));
    if (answer == NULL)
        return NULL;
    *answer = (struct answer){held, text, strlen(text) + 1};
    struct MHD_Response *response =
        MHD_create_response_from_buffer_with_free_callback_cls(answer->bytes - 1, text, let_go, answer);
    if (response == NULL)
        free(answer);
    else
        atomic_fetch_add(&held->bytes, answer->bytes);
    return response;
}
