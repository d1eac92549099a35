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
    int sync; /* answered behind all objects that the server has */
};

/** Why libpipewire does not start, by errno: without the files of its package it finds nothing. */
const char *st_pipewire_connection_no_start(void);

/** Connects, once in a program, and asks for all objects. @param context may be NULL. @param modules besides
 * the protocol; end with NULL. @return NULL, or a sentence: why not; errno is EHOSTDOWN where no server runs.
 */
const char *st_pipewire_connection_open(struct st_pipewire_connection *connection, struct pw_context *context,
                                        const char *const *modules, const struct pw_core_events *core_events,
                                        const struct pw_registry_events *registry_events, void *ctx);

/** Links a port of one node to one of another, as long as this connection lasts. @param from, to the node and
 * its port. @return NULL: it failed. */
struct pw_proxy *st_pipewire_connection_link(const struct st_pipewire_connection *connection,
                                             const uint32_t from[2], const uint32_t to[2], bool passive,
                                             size_t user_bytes);
