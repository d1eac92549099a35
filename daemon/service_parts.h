/* Starts and stops the parts of the service: loop, stream, socket, TCP, tracer. Main thread. */
#pragma once

#include "daemon/service_state.h"

int st_service_parts_start_loop(struct st_service *service);
/** Asks the loop to end and waits about 10 s at most. @return true: the loop has ended and its
 * counts are final; false: it gets no CPU, so its threads and the memory that they use must
 * stay. */
bool st_service_parts_end_loop(struct st_service *service);
void st_service_parts_stop_loop(struct st_service *service);
int st_service_parts_start_audio(struct st_service *service);
void st_service_parts_stop_audio(struct st_service *service);
void st_service_parts_restart_tcp(struct st_service *service);
/** Sets mode and group of the socket; an error goes into view.failed.socket. */
void st_service_parts_set_rights(struct st_service *service);
int st_service_parts_open_socket(struct st_service *service);

/** Starts the tracer once the loop runs, if trace.enabled is on, or if the system's sleeptuned,
 * which traces already, can be asked for culprits. Call each tick. */
void st_service_parts_trace(struct st_service *service);
/** Stops the tracer. Call after the loop has ended, or before the tracer starts with other
 * settings. */
void st_service_parts_stop_trace(struct st_service *service);
