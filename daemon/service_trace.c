/* The tracer, as long as there is a loop to trace. */
#include "daemon/service_private.h"

#include <errno.h>
#include <string.h>

#define LOG_MODULE "trace"
#include "daemon/log.h"

void st_service_trace(struct st_service *service)
{
    const pid_t tid = st_session_tid(service->session, 0);
    if (service->tracer_tried || tid == 0)
        return;
    service->tracer_tried = true;
    if (strcmp(service->config.trace.enabled, "on") != 0) {
        st_late_trace_by(&service->late, NULL, "trace.enabled is off");
        st_service_set_text(service, service->view.trace_error, "");
        return;
    }
    char why[200] = "";
    const int r = st_tracer_start(&service->config, tid, service->causes, &service->tracer, why, sizeof(why));
    st_late_trace_by(&service->late, service->tracer, why);
    st_service_set_text(service, service->view.trace_error, why);
    if (r == 0)
        ST_INFO("late wake-ups are traced");
}

void st_service_stop_trace(struct st_service *service)
{
    st_late_trace_by(&service->late, NULL, "no loop runs");
    st_tracer_stop(service->tracer);
    service->tracer = NULL;
    service->tracer_tried = false;
}
