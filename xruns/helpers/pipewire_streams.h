/* The streams of a PipeWire server that programs fill through a further buffer: streams of
 * pipewire-pulse (browsers, games, most players), whose programs are no clients of the graph, and
 * of the ALSA plug-in. While such a stream plays, its program is watched (client_buffer.h; the
 * plug-in's buffer is not known) and, if wanted, its sound is listened to (listened.h). One
 * thread. */
#pragma once

#include "xruns/helpers/listened.h"
#include "xruns/xrun.h"

struct pw_registry;
struct spa_dict;

/* "client.api" of the streams that are watched */
#define ST_PIPEWIRE_STREAMS_API "pipewire-pulse"

struct st_pipewire_streams;

/** How streams are listened to. */
struct st_pipewire_streams_hearing {
    int64_t period_min_ns; /* do not listen to streams with shorter cycles */
    const char *except;    /* programs not to listen to, separated by commas; must stay valid */
    void (*order)(void *ctx, uint32_t id, bool listen); /* orders the listener to begin or end
                                                           listening to a stream */
    int64_t (*period_ns)(void *ctx, uint32_t id); /* length of the stream's cycles; 0: not known */
    /* the node's stream lost sound; called from st_pipewire_streams_look, and before listening
     * ends */
    void (*lost)(void *ctx, uint32_t id, const struct st_listened_loss *loss);
    void *ctx;
};

/** Makes a list without any stream, which does not listen. @return NULL: no memory. */
struct st_pipewire_streams *
st_pipewire_streams_new(const struct st_pipewire_streams_hearing *hearing);

/** Starts or ends listening. */
void st_pipewire_streams_hear(struct st_pipewire_streams *streams, bool wanted);

/** As spa_dict_lookup, but safe for a property without a name, which a server may send. */
const char *st_pipewire_streams_property(const struct spa_dict *props, const char *key);

/** A node that plays a stream has appeared. */
void st_pipewire_streams_add(struct st_pipewire_streams *streams, struct pw_registry *registry,
                             uint32_t id, uint32_t client);

/** A client has appeared. @param api its "client.api"; may be NULL. */
void st_pipewire_streams_client(struct st_pipewire_streams *streams, struct pw_registry *registry,
                                uint32_t client, const char *api);

/** A node or client has gone. */
void st_pipewire_streams_remove(struct st_pipewire_streams *streams, uint32_t id);

/** Does pipewire-pulse play for that client? */
bool st_pipewire_streams_is_pulse(const struct st_pipewire_streams *streams, uint32_t client);

/** Says whether there is a buffer between a client's program and the server, and how much of what
 * is lost in that buffer can be seen. @param ret_buffer_ns the smallest buffer that a stream of the
 * client asked for; 0: not known. */
enum st_xrun_between st_pipewire_streams_between(const struct st_pipewire_streams *streams,
                                                 uint32_t client, int64_t *ret_buffer_ns);

/** The node's stream was silent. st_pipewire_streams_look reports the result. */
void st_pipewire_streams_silent(struct st_pipewire_streams *streams, uint32_t id, int64_t begin_ns,
                                int64_t lost_ns, unsigned signs);

/** Checks all streams, and reports the losses that were found. Call some 25 times a second while a
 * stream plays. */
void st_pipewire_streams_look(struct st_pipewire_streams *streams);
