/* The streams of a PipeWire server that a program fills through a buffer of its own: those of pipewire-pulse
 * (browsers, games, most players), whose programs are no clients of the graph, and of the ALSA plug-in. While
 * one plays, its program is looked at (client_buffer.h; of the plug-in's the buffer is not known), and what
 * it plays is heard, if wanted (listened.h). One thread. */
#pragma once

#include "xruns/helpers/listened.h"
#include "xruns/xrun.h"

struct pw_registry;
struct spa_dict;

#define ST_PIPEWIRE_STREAMS_API "pipewire-pulse" /* "client.api" of the streams that are watched */

struct st_pipewire_streams;

/** How streams are heard. */
struct st_pipewire_streams_hearing {
    bool wanted;
    int64_t period_min_ns; /* not in shorter cycles */
    const char *except;    /* not these programs', with commas between them; is kept */
    void (*order)(void *ctx, uint32_t id, bool listen); /* NULL: who listened has ended */
    int64_t (*period_ns)(void *ctx, uint32_t id);       /* of its cycles; 0: not known */
    /* the stream of that node lost sound: from st_pipewire_streams_look, and before it is no longer heard */
    void (*lost)(void *ctx, uint32_t id, const struct st_listened_loss *loss);
    void *ctx;
};

/** @return NULL: no memory. */
struct st_pipewire_streams *st_pipewire_streams_new(void);

/** From now on; to be called before a stream is added. */
void st_pipewire_streams_hear(struct st_pipewire_streams *streams,
                              const struct st_pipewire_streams_hearing *hearing);

/** As spa_dict_lookup, but a server may send a property without a name. */
const char *st_pipewire_streams_property(const struct spa_dict *props, const char *key);

/** A node has come that plays a stream. */
void st_pipewire_streams_add(struct st_pipewire_streams *streams, struct pw_registry *registry, uint32_t id,
                             uint32_t client);

/** A client has come. @param api its "client.api"; may be NULL. */
void st_pipewire_streams_client(struct st_pipewire_streams *streams, struct pw_registry *registry,
                                uint32_t client, const char *api);

/** A node or client has gone. */
void st_pipewire_streams_remove(struct st_pipewire_streams *streams, uint32_t id);

/** Does PipeWire's server for PulseAudio play for that client? */
bool st_pipewire_streams_is_pulse(const struct st_pipewire_streams *streams, uint32_t client);

/** What is watched between the program of a client and the server. @param ret_buffer_ns the least that one of
 * its streams asked to have written ahead; 0: not known. */
enum st_xrun_between st_pipewire_streams_between(const struct st_pipewire_streams *streams, uint32_t client,
                                                 int64_t *ret_buffer_ns);

/** The stream of that node was silent; what is made of it, st_pipewire_streams_look reports. */
void st_pipewire_streams_silent(struct st_pipewire_streams *streams, uint32_t id, int64_t begin_ns,
                                int64_t lost_ns, unsigned signs);

/** To be called some 25 times a second while something plays. */
void st_pipewire_streams_look(struct st_pipewire_streams *streams);
