/* How much of the answers is kept for those who have not read them yet. */
#include "daemon/http_held.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

struct answer {
    struct st_http_held *held;
    char *text;
    size_t bytes;
};

bool st_http_held_begin(struct st_http_held *held)
{
    pthread_mutex_lock(&making);
    if (atomic_load(&held->bytes) <= ST_HTTP_HELD_MAX_BYTES)
        return true;
    pthread_mutex_unlock(&making);
    return false;
}

void st_http_held_end(void)
{
    pthread_mutex_unlock(&making);
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
