/* A connection to PipeWire's server. */
#pragma once

#include "core/base.h"

struct pw_context;
struct pw_core_events;
struct pw_proxy;
struct pw_registry_events;

struct st_pipewire_connection {
    struct pw_core *core;
    struct pw_registry *registry;
    int sync; /* sequence number whose answer comes after all existing objects were announced */
};

/** A sentence that says, by errno, why libpipewire does not start: for example, PipeWire is not
 * installed. */
const char *st_pipewire_connection_no_start(void);

/** Connects, once in a program, and asks for all objects. @param context may be NULL. @param
 * modules further modules besides the protocol; ends with NULL. @return NULL, or a sentence that
 * says why not; errno is EHOSTDOWN if no server runs. */
const char *st_pipewire_connection_open(struct st_pipewire_connection *connection,
                                        struct pw_context *context, const char *const *modules,
                                        const struct pw_core_events *core_events,
                                        const struct pw_registry_events *registry_events,
                                        void *ctx);

/** Links a port of one node to a port of another, until this connection ends. @param from, to the
 * node and its port. @return NULL: it failed. */
struct pw_proxy *st_pipewire_connection_link(const struct st_pipewire_connection *connection,
                                             const uint32_t from[2], const uint32_t to[2],
                                             bool passive, size_t user_bytes);
