/* What HTTP serves: status, metrics, causes, history, the live document, the page, the streams. */
#include "daemon/page/page.h"
#include "daemon/service_private.h"
#include "daemon/status/live_json.h"

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

static char *live_text(struct st_service *service)
{
    return st_broadcast_document(&service->broadcast, service->platform->now_ns(service->platform),
                                 make_document, service);
}

static char *page_text(struct st_service *service)
{
    char *text = live_text(service);
    json_t *document = text != NULL ? json_loads(text, 0, NULL) : NULL;
    char *page = document != NULL ? st_page_text(document) : NULL;
    json_decref(document);
    free(text);
    return page;
}

static char *status_text(struct st_service *service)
{
    json_t *document = st_service_document(service);
    char *text = document != NULL ? json_dumps(document, JSON_INDENT(2)) : NULL;
    json_decref(document);
    return text;
}

static char *metrics_text(struct st_service *service)
{
    struct st_view view;
    struct st_result result;
    const bool has_result = st_service_look(service, &view, &result);
    char *text = st_view_metrics(&view);
    if (has_result)
        st_result_finish(&result);
    return text;
}

static char *causes_text(struct st_service *service, const struct st_query *query)
{
    json_t *document = st_causes_json(service->causes, query->since_wall_ns, query->until_wall_ns);
    char *text = document != NULL ? json_dumps(document, JSON_INDENT(2)) : NULL;
    json_decref(document);
    return text;
}

static char *body(void *ctx, enum st_route_body which, const struct st_query *query, unsigned *http_status)
{
    const struct st_service *service = ctx;
    switch (which) {
    case ST_ROUTE_CAUSES:
        return causes_text(ctx, query);
    case ST_ROUTE_HISTORY:
        return st_keeper_history(service->keeper, query, http_status);
    case ST_ROUTE_EVENTS:
        return st_keeper_events(service->keeper, query, http_status);
    case ST_ROUTE_STATUS:
        return status_text(ctx);
    case ST_ROUTE_METRICS:
        return metrics_text(ctx);
    case ST_ROUTE_LIVE:
        return live_text(ctx);
    case ST_ROUTE_PAGE:
        return page_text(ctx);
    case ST_ROUTE_STREAM: /* the server's own */
    case ST_ROUTE_ERROR:
        break;
    }
    return NULL;
}

struct st_http_source st_service_source(struct st_service *service)
{
    return (struct st_http_source){.body = body, .ctx = service};
}

void st_service_tick_streams(struct st_service *service)
{
    char *chunk = NULL;
    size_t len = 0;
    if (st_http_streams_open_n(service->http) + st_http_streams_open_n(service->http_tcp) > 0) {
        char *document = live_text(service);
        chunk = st_broadcast_chunk(&service->broadcast, document, &len);
        free(document);
    } else {
        st_broadcast_forget(&service->broadcast);
    }
    st_http_tick(service->http, chunk, len);
    st_http_tick(service->http_tcp, chunk, len);
    free(chunk);
}
