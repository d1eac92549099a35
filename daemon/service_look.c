/* What HTTP threads and the main thread see of the parts. */
#include "daemon/service_private.h"

#include <stdio.h>
#include <string.h>

int64_t st_service_wall_ns(struct st_service *service)
{
    return service->platform->wall_ns(service->platform);
}

int64_t st_service_overdue_ns(struct st_service *service)
{
    if (service->session == NULL || (service->view.ended && !service->loop_hangs))
        return 0;
    return st_overdue_ns(&service->stall, st_session_heartbeat(service->session, 0),
                         st_live_due_ns(&service->live), service->platform->now_ns(service->platform));
}

/* Fills a view. *result holds what view->loop points to: finish it when has_result. */
bool st_service_look(struct st_service *service, struct st_view *view, struct st_result *result)
{
    pthread_mutex_lock(&service->mutex);
    *view = service->view;
    const bool has_result = service->session != NULL && st_session_result(service->session, 0, result) == 0;
    for (size_t i = 0; i < ST_AUDIO_DIRECTIONS; i++) {
        if (service->audio[i] != NULL)
            st_audio_look(service->audio[i], &view->audio[i]);
        view->audio[i].xruns_n += service->own_xruns_before[i];
    }
    if (service->watchdog != NULL)
        st_watchdog_look(service->watchdog, &view->watchdog);
    if (service->observe != NULL)
        st_observe_look(service->observe, &view->observe);
    st_history_writer_look(service->keeper, &view->history);
    view->overdue_ns = st_service_overdue_ns(service);
    pthread_mutex_unlock(&service->mutex);
    view->loop = has_result ? result : NULL;
    view->now_wall_ns = st_service_wall_ns(service);
    view->uptime_ns = service->platform->now_ns(service->platform) - service->started_ns;
    return has_result;
}

json_t *st_service_document(struct st_service *service)
{
    struct st_view view;
    struct st_result result;
    struct st_live_look seconds;
    const bool has_result = st_service_look(service, &view, &result);
    st_live_take(&service->live, service->platform->now_ns(service->platform), &seconds);
    view.seconds = &seconds;
    view.events = st_events_json(&service->events);
    json_t *document = st_view_json(&view);
    json_decref(view.events);
    if (has_result)
        st_result_finish(&result);
    return document;
}

void st_service_set_text(struct st_service *service, char *to, const char *text)
{
    pthread_mutex_lock(&service->mutex);
    snprintf(to, ST_VIEW_TEXT_BYTES, "%s", text);
    pthread_mutex_unlock(&service->mutex);
}
