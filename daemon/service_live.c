/* Who watches: the live document, the page, the streams. */
#include "daemon/live_json.h"
#include "daemon/page.h"
#include "daemon/service_private.h"

#include <stdlib.h>

static json_t *make_document(void *ctx)
{
    struct st_service *service = ctx;
    struct st_view view;
    struct st_result result;
    struct st_live_look look;
    const bool has_result = st_service_look(service, &view, &result);
    st_live_take(&service->live, service->platform->now_ns(service->platform), &look);
    view.events = st_events_json(&service->events);
    json_t *document = st_live_json(&view, &look);
    json_decref(view.events);
    if (has_result)
        st_result_finish(&result);
    return document;
}

char *st_service_live_text(struct st_service *service)
{
    return st_broadcast_document(&service->broadcast, service->platform->now_ns(service->platform),
                                 make_document, service);
}

char *st_service_page_text(struct st_service *service)
{
    char *text = st_service_live_text(service);
    json_t *document = text != NULL ? json_loads(text, 0, NULL) : NULL;
    char *page = document != NULL ? st_page_text(document) : NULL;
    json_decref(document);
    free(text);
    return page;
}

void st_service_tick_streams(struct st_service *service)
{
    char *chunk = NULL;
    size_t len = 0;
    if (st_http_streams_open_n(service->http) + st_http_streams_open_n(service->http_tcp) > 0) {
        char *document = st_service_live_text(service);
        chunk = st_broadcast_chunk(&service->broadcast, document, &len);
        free(document);
    } else {
        st_broadcast_forget(&service->broadcast);
    }
    st_http_tick(service->http, chunk, len);
    st_http_tick(service->http_tcp, chunk, len);
    free(chunk);
}
