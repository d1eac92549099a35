#include "xruns/helpers/pipewire_streams.h"

#include <stdlib.h>
#include <string.h>

#include <pipewire/pipewire.h>
#include <spa/param/audio/format-utils.h>

#include "core/ns.h"
#include "core/text/number.h"
#include "platform/posix/posix.h"
#include "xruns/helpers/standing.h"

#define STREAMS_MAX 64 /* further ones, and clients, are not watched */
#define CLIENTS_MAX 64

struct stream {
    bool used, playing, refused; /* refused: its program cannot be looked at */
    uint32_t id, client;
    pid_t pid; /* 0: not known */
    clockid_t clock;
    int64_t buffer_bytes, bytes_per_s;
    struct st_client_buffer buffer;
    struct pw_proxy *proxy; /* NULL: it is no such stream, as far as is known */
    struct spa_hook removed_listener, node_listener;
};

struct client {
    uint32_t id;
    bool is_pulse; /* else the ALSA plug-in's */
};

struct st_pipewire_streams {
    struct stream streams[STREAMS_MAX];
    struct client clients[CLIENTS_MAX]; /* whose programs fill a buffer */
    size_t clients_n;
};

struct st_pipewire_streams *st_pipewire_streams_new(void)
{
    return calloc(1, sizeof(struct st_pipewire_streams));
}

const char *st_pipewire_streams_property(const struct spa_dict *props, const char *key)
{
    for (size_t i = 0; props != NULL && i < props->n_items; i++) {
        if (spa_streq(props->items[i].key, key))
            return props->items[i].value;
    }
    return NULL;
}

/* --- one stream --- */

static int64_t number_of(const struct spa_dict *props, const char *key, int64_t max)
{
    const char *text = st_pipewire_streams_property(props, key);
    int64_t number;
    return text != NULL && st_number_i64(text, 1, max, &number) == 0 ? number : 0;
}

static void set_playing(struct stream *stream, bool playing)
{
    if (playing && !stream->playing)
        stream->buffer = (struct st_client_buffer){0};
    stream->playing = playing;
    stream->buffer.buffer_ns =
        stream->bytes_per_s > 0 ? stream->buffer_bytes * ST_NS_PER_S / stream->bytes_per_s : 0;
}

static void on_info(void *ctx, const struct pw_node_info *info)
{
    struct stream *stream = ctx;
    if ((info->change_mask & PW_NODE_CHANGE_MASK_PROPS) != 0 && info->props != NULL) {
        const char *binary = st_pipewire_streams_property(info->props, PW_KEY_APP_PROCESS_BINARY);
        const pid_t pid = (pid_t)number_of(info->props, PW_KEY_APP_PROCESS_ID, INT32_MAX);
        stream->buffer_bytes = number_of(info->props, "pulse.attr.tlength", INT32_MAX);
        if (pid != stream->pid) {
            stream->pid = pid;
            stream->refused = pid == 0 || binary == NULL || st_standing_open(pid, binary, &stream->clock) < 0;
        }
    }
    const char *corked =
        info->props != NULL ? st_pipewire_streams_property(info->props, "pulse.corked") : NULL;
    set_playing(stream, info->state == PW_NODE_STATE_RUNNING && !spa_streq(corked, "true"));
}

/* The formats that PulseAudio has. @return 0: another one. */
static int64_t sample_bytes(enum spa_audio_format format)
{
    static const struct {
        enum spa_audio_format format;
        int64_t bytes;
    } formats[] = {
        {SPA_AUDIO_FORMAT_U8, 1},     {SPA_AUDIO_FORMAT_ULAW, 1},      {SPA_AUDIO_FORMAT_ALAW, 1},
        {SPA_AUDIO_FORMAT_S16_LE, 2}, {SPA_AUDIO_FORMAT_S16_BE, 2},    {SPA_AUDIO_FORMAT_S24_LE, 3},
        {SPA_AUDIO_FORMAT_S24_BE, 3}, {SPA_AUDIO_FORMAT_S24_32_LE, 4}, {SPA_AUDIO_FORMAT_S24_32_BE, 4},
        {SPA_AUDIO_FORMAT_S32_LE, 4}, {SPA_AUDIO_FORMAT_S32_BE, 4},    {SPA_AUDIO_FORMAT_F32_LE, 4},
        {SPA_AUDIO_FORMAT_F32_BE, 4}};
    size_t i = 0;
    while (i < ST_ARRAY_LEN(formats) && formats[i].format != format)
        i++;
    return i < ST_ARRAY_LEN(formats) ? formats[i].bytes : 0;
}

/* The parser of PipeWire 0.3.65 looks into a choice without asking whether what it holds is inside. */
static bool is_whole(const struct spa_pod *pod)
{
    const struct spa_pod_prop *prop;
    if (pod == NULL || !spa_pod_is_object(pod))
        return false;
    SPA_POD_OBJECT_FOREACH((const struct spa_pod_object *)pod, prop)
    {
        const struct spa_pod *value = &prop->value;
        const struct spa_pod_choice *choice = (const struct spa_pod_choice *)value;
        if (SPA_POD_TYPE(value) == SPA_TYPE_Choice &&
            (SPA_POD_BODY_SIZE(value) < sizeof(choice->body) ||
             SPA_POD_BODY_SIZE(value) - sizeof(choice->body) < choice->body.child.size))
            return false;
    }
    return true;
}

static void on_param(void *ctx, int seq, uint32_t id, uint32_t index, uint32_t next,
                     const struct spa_pod *param)
{
    struct stream *stream = ctx;
    struct spa_audio_info_raw info = {0};
    (void)seq, (void)index, (void)next;
    if (id != SPA_PARAM_Format || !is_whole(param) || spa_format_audio_raw_parse(param, &info) < 0)
        return;
    stream->bytes_per_s = sample_bytes(info.format) * info.rate * info.channels;
    set_playing(stream, stream->playing);
}

static const struct pw_node_events node_events = {PW_VERSION_NODE_EVENTS, .info = on_info, .param = on_param};

static void on_removed(void *ctx)
{
    struct stream *stream = ctx;
    spa_hook_remove(&stream->removed_listener);
    spa_hook_remove(&stream->node_listener);
    pw_proxy_destroy(stream->proxy);
    *stream = (struct stream){0};
}

static const struct pw_proxy_events removed_events = {PW_VERSION_PROXY_EVENTS, .removed = on_removed};

/* --- all of them --- */

static const struct client *find_client(const struct st_pipewire_streams *streams, uint32_t id)
{
    for (size_t i = 0; i < streams->clients_n; i++) {
        if (streams->clients[i].id == id)
            return &streams->clients[i];
    }
    return NULL;
}

/* Asks for what is known of the stream, if it is one of pipewire-pulse. */
static void ask(struct st_pipewire_streams *streams, struct pw_registry *registry, struct stream *stream)
{
    const struct client *client = find_client(streams, stream->client);
    uint32_t format[] = {SPA_PARAM_Format};
    if (!stream->used || stream->proxy != NULL || client == NULL || !client->is_pulse)
        return;
    stream->proxy = pw_registry_bind(registry, stream->id, PW_TYPE_INTERFACE_Node, PW_VERSION_NODE, 0);
    if (stream->proxy == NULL)
        return;
    pw_proxy_add_listener(stream->proxy, &stream->removed_listener, &removed_events, stream);
    pw_proxy_add_object_listener(stream->proxy, &stream->node_listener, &node_events, stream);
    pw_node_subscribe_params((struct pw_node *)stream->proxy, format, ST_ARRAY_LEN(format));
}

void st_pipewire_streams_add(struct st_pipewire_streams *streams, struct pw_registry *registry, uint32_t id,
                             uint32_t client)
{
    struct stream *stream = streams->streams;
    while (stream < streams->streams + STREAMS_MAX && stream->used)
        stream++;
    if (stream == streams->streams + STREAMS_MAX)
        return;
    *stream = (struct stream){.used = true, .refused = true, .id = id, .client = client};
    ask(streams, registry, stream);
}

void st_pipewire_streams_client(struct st_pipewire_streams *streams, struct pw_registry *registry,
                                uint32_t client, const char *api)
{
    const bool is_pulse = spa_streq(api, ST_PIPEWIRE_STREAMS_API);
    if ((!is_pulse && !spa_streq(api, "alsa")) || find_client(streams, client) != NULL ||
        streams->clients_n == CLIENTS_MAX)
        return;
    streams->clients[streams->clients_n++] = (struct client){client, is_pulse};
    for (size_t i = 0; i < STREAMS_MAX; i++)
        ask(streams, registry, &streams->streams[i]);
}

void st_pipewire_streams_remove(struct st_pipewire_streams *streams, uint32_t id)
{
    for (size_t i = 0; i < streams->clients_n; i++) {
        if (streams->clients[i].id == id)
            streams->clients[i--] = streams->clients[--streams->clients_n];
    }
    for (size_t i = 0; i < STREAMS_MAX; i++) {
        struct stream *stream = &streams->streams[i];
        if (!stream->used || stream->id != id)
            continue;
        stream->playing = false;
        if (stream->proxy == NULL) /* else on_removed */
            stream->used = false;
    }
}

enum st_xrun_between st_pipewire_streams_between(const struct st_pipewire_streams *streams, uint32_t client)
{
    enum st_xrun_between between =
        find_client(streams, client) != NULL ? ST_XRUN_BETWEEN_UNSEEN : ST_XRUN_BETWEEN_NOTHING;
    for (size_t i = 0; i < STREAMS_MAX; i++) {
        const struct stream *stream = &streams->streams[i];
        if (stream->used && stream->client == client && !stream->refused && stream->buffer.buffer_ns > 0)
            between = ST_XRUN_BETWEEN_STOPS;
    }
    return between;
}

void st_pipewire_streams_look(struct st_pipewire_streams *streams, st_pipewire_streams_lost_fn lost,
                              void *ctx)
{
    for (size_t i = 0; i < STREAMS_MAX; i++) {
        struct stream *stream = &streams->streams[i];
        struct st_client_buffer_loss loss;
        struct timespec used;
        if (!stream->playing || stream->refused || stream->buffer.buffer_ns == 0)
            continue;
        if (clock_gettime(stream->clock, &used) != 0) {
            stream->refused = true; /* it has ended */
            continue;
        }
        if (st_client_buffer_look(&stream->buffer, st_posix_now_ns(NULL), st_ns_from_timespec(&used)))
            st_client_buffer_stands(&stream->buffer, st_standing_ask(stream->pid));
        if (st_client_buffer_loss(&stream->buffer, &loss))
            lost(ctx, stream->id, &loss);
    }
}
