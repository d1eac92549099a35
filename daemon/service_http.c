/* What HTTP serves: status, metrics, causes, history, the live document, the page, the streams. */
#include "daemon/page/page.h"
#include "daemon/service_private.h"

#include <stdlib.h>

static char *page_text(struct st_service *service)
{
    json_t *document = st_service_document(service);
    char *page = document != NULL ? st_page_text(document) : NULL;
    json_decref(document);
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
        return st_history_writer_answer_history(service->keeper, query, http_status);
    case ST_ROUTE_EVENTS:
        return st_history_writer_answer_events(service->keeper, query, http_status);
    case ST_ROUTE_STATUS:
        return status_text(ctx);
    case ST_ROUTE_METRICS:
        return metrics_text(ctx);
    case ST_ROUTE_PAGE:
        return page_text(ctx);
    case ST_ROUTE_ERROR:
        break;
    }
    return NULL;
}

struct st_http_source st_service_source(struct st_service *service)
{
    return (struct st_http_source){.body = body, .ctx = service};
}
