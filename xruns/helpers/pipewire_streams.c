#include "xruns/helpers/pipewire_streams.h"

#include <strings.h>

#include <pipewire/pipewire.h>
#include <spa/param/audio/format-utils.h>
#include <spa/param/props.h>

#include "core/ns.h"
#include "core/text/number.h"
#include "platform/posix/posix.h"
#include "xruns/helpers/standing.h"

#define STREAMS_MAX 64   /* further streams are not watched */
#define CLIENTS_MAX 1024 /* a server has no file descriptors for more clients */

struct stream {
    bool used, playing, refused; /* refused: the stream's program cannot be watched, since it is
                                    unknown, has ended, or access was denied */
    bool mute, excepted, heard, deaf; /* deaf: the listener gets no sound from this stream */
    struct st_pipewire_streams *all;
    uint32_t id, client;
    pid_t pid; /* 0: not known */
    clockid_t clock;
    int64_t buffer_bytes, bytes_per_s;
    struct st_client_buffer buffer;
    struct st_listened listened;
    /* NULL: the node is not watched, since its client does not fill a buffer, or is not known yet
     */
    struct pw_proxy *proxy;
    struct spa_hook removed_listener, node_listener;
};

struct client {
    uint32_t id;
    bool is_pulse; /* true: a client of pipewire-pulse; false: of the ALSA plug-in */
};

struct st_pipewire_streams {
    struct stream streams[STREAMS_MAX];
    struct client clients[CLIENTS_MAX]; /* clients whose programs fill a buffer */
    size_t clients_n;
    struct st_pipewire_streams_hearing hearing;
    bool wanted; /* a listener runs, which can hear streams */
};

struct st_pipewire_streams *
st_pipewire_streams_new(const struct st_pipewire_streams_hearing *hearing)
{
    struct st_pipewire_streams *streams = calloc(1, sizeof(*streams));
    if (streams != NULL)
        streams->hearing = *hearing;
    return streams;
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

static const struct client *find_client(const struct st_pipewire_streams *streams, uint32_t id)
{
    ST_EACH_OF (client, streams->clients, streams->clients_n) {
        if (client->id == id)
            return client;
    }
    return NULL;
}

bool st_pipewire_streams_is_pulse(const struct st_pipewire_streams *streams, uint32_t id)
{
    const struct client *client = find_client(streams, id);
    return client != NULL && client->is_pulse;
}

static bool is_pulse(const struct stream *stream)
{
    return st_pipewire_streams_is_pulse(stream->all, stream->client);
}

/* Decides whether the listener must hear this stream, and orders that. */
static void decide(struct stream *stream)
{
    const struct st_pipewire_streams_hearing *hearing = &stream->all->hearing;
    size_t heard_n = 0;
    ST_EACH (one, stream->all->streams)
        heard_n += one->used && one->heard;
    const int64_t period_ns = hearing->period_ns(hearing->ctx, stream->id);
    const bool hear = stream->all->wanted && stream->playing && !stream->mute &&
                      !stream->excepted && !stream->deaf &&
                      (stream->heard || heard_n < ST_LISTENED_MAX) &&
                      (period_ns == 0 ? stream->heard : period_ns >= hearing->period_min_ns);
    stream->buffer.period_ns = period_ns;
    if (hear == stream->heard)
        return;
    struct st_listened_loss last;
    if (stream->heard && st_listened_end(&stream->listened, &last))
        hearing->lost(hearing->ctx, stream->id, &last);
    stream->heard = hear;
    stream->listened =
        (struct st_listened){.plug_in = !is_pulse(stream), .changed_ns = st_posix_now_ns(NULL)};
    hearing->order(hearing->ctx, stream->id, hear);
}

/* Is the name in a list such as "firefox, Zoom Workplace"? */
static bool is_among(const char *name, const char *names)
{
    while (name != NULL && *names != '\0') {
        names += strspn(names, ", ");
        const size_t len = strcspn(names, ",");
        size_t end = len;
        while (end > 0 && names[end - 1] == ' ')
            end--;
        if (end > 0 && strlen(name) == end && strncasecmp(name, names, end) == 0)
            return true;
        names += len;
    }
    return false;
}

static int64_t number_of(const struct spa_dict *props, const char *key)
{
    int64_t number = 0;
    (void)!st_number_i64(st_text_or(st_pipewire_streams_property(props, key), ""), 1, INT32_MAX,
                         &number);
    return number;
}

static void set_playing(struct stream *stream, bool playing)
{
    if (playing && !stream->playing)
        st_client_buffer_begin(&stream->buffer, st_posix_now_ns(NULL));
    stream->playing = playing;
    stream->buffer.buffer_ns = 0;
    if (stream->bytes_per_s > 0)
        stream->buffer.buffer_ns = stream->buffer_bytes * ST_NS_PER_S / stream->bytes_per_s;
    decide(stream);
}

static void on_info(void *ctx, const struct pw_node_info *info)
{
    struct stream *stream = ctx;
    stream->deaf = false; /* the stream may have got ports, so that the listener can hear it now */
    if ((info->change_mask & PW_NODE_CHANGE_MASK_PROPS) != 0 && info->props != NULL) {
        const char *binary = st_pipewire_streams_property(info->props, PW_KEY_APP_PROCESS_BINARY);
        const pid_t pid = (pid_t)number_of(info->props, PW_KEY_APP_PROCESS_ID);
        const char *except = stream->all->hearing.except;
        stream->buffer_bytes = number_of(info->props, "pulse.attr.tlength");
        stream->excepted =
            is_among(binary, except) ||
            is_among(st_pipewire_streams_property(info->props, PW_KEY_APP_NAME), except) ||
            is_among(st_pipewire_streams_property(info->props, PW_KEY_NODE_NAME), except);
        if (pid != stream->pid) {
            stream->pid = pid;
            stream->refused =
                pid == 0 || binary == NULL || st_standing_open(pid, binary, &stream->clock) < 0;
        }
    }
    const char *corked = st_pipewire_streams_property(info->props, "pulse.corked");
    set_playing(stream, info->state == PW_NODE_STATE_RUNNING && !spa_streq(corked, "true"));
    /* note each change, since a busy server may report only the end of a short pause (cork) */
    if ((info->change_mask & (PW_NODE_CHANGE_MASK_STATE | PW_NODE_CHANGE_MASK_PROPS)) != 0)
        st_listened_change(&stream->listened, st_posix_now_ns(NULL));
}

/* @return the bytes of a sample in one of PulseAudio's formats; 0: another format. */
static int64_t sample_bytes(enum spa_audio_format format)
{
    static const struct {
        enum spa_audio_format format;
        int64_t bytes;
    } formats[] = {{SPA_AUDIO_FORMAT_U8, 1},        {SPA_AUDIO_FORMAT_ULAW, 1},
                   {SPA_AUDIO_FORMAT_ALAW, 1},      {SPA_AUDIO_FORMAT_S16_LE, 2},
                   {SPA_AUDIO_FORMAT_S16_BE, 2},    {SPA_AUDIO_FORMAT_S24_LE, 3},
                   {SPA_AUDIO_FORMAT_S24_BE, 3},    {SPA_AUDIO_FORMAT_S24_32_LE, 4},
                   {SPA_AUDIO_FORMAT_S24_32_BE, 4}, {SPA_AUDIO_FORMAT_S32_LE, 4},
                   {SPA_AUDIO_FORMAT_S32_BE, 4},    {SPA_AUDIO_FORMAT_F32_LE, 4},
                   {SPA_AUDIO_FORMAT_F32_BE, 4}};
    ST_EACH (row, formats) {
        if (row->format == format)
            return row->bytes;
    }
    return 0;
}

/* Is each choice in the parameters complete? The parser of PipeWire 0.3.65 reads a choice without a
 * check of its size. */
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

/* Notes that the volume has changed, and whether the stream is mute. */
static void take_volume(struct stream *stream, const struct spa_pod *param)
{
    float volumes[SPA_AUDIO_MAX_CHANNELS], loudest = 0;
    bool mute = false;
    const struct spa_pod_prop *prop = spa_pod_find_prop(param, NULL, SPA_PROP_mute);
    if (prop != NULL)
        (void)spa_pod_get_bool(&prop->value, &mute);
    prop = spa_pod_find_prop(param, NULL, SPA_PROP_channelVolumes);
    const struct spa_pod_array *array =
        prop != NULL ? (const struct spa_pod_array *)&prop->value : NULL;
    const bool floats = array != NULL && SPA_POD_BODY_SIZE(array) >= sizeof(array->body) &&
                        array->body.child.size == sizeof(volumes[0]);
    const uint32_t n =
        floats ? spa_pod_copy_array(&array->pod, SPA_TYPE_Float, volumes, SPA_AUDIO_MAX_CHANNELS)
               : 0;
    for (uint32_t i = 0; i < n; i++)
        loudest = ST_MAX(volumes[i], loudest);
    stream->mute = mute || (n > 0 && loudest <= 0);
    st_listened_change(&stream->listened, st_posix_now_ns(NULL));
    decide(stream);
}

static void on_param(void *ctx, int seq, uint32_t id, uint32_t index, uint32_t next,
                     const struct spa_pod *param)
{
    struct stream *stream = ctx;
    struct spa_audio_info_raw info = {0};
    (void)seq, (void)index, (void)next;
    if (id == SPA_PARAM_Props && is_whole(param))
        take_volume(stream, param);
    if (id != SPA_PARAM_Format || !is_whole(param) || spa_format_audio_raw_parse(param, &info) < 0)
        return;
    stream->bytes_per_s = sample_bytes(info.format) * info.rate * info.channels;
    set_playing(stream, stream->playing);
}

static const struct pw_node_events node_events = {PW_VERSION_NODE_EVENTS, .info = on_info,
                                                  .param = on_param};

static void on_removed(void *ctx)
{
    struct stream *stream = ctx;
    spa_hook_remove(&stream->removed_listener);
    spa_hook_remove(&stream->node_listener);
    pw_proxy_destroy(stream->proxy);
    *stream = (struct stream){0};
}

static const struct pw_proxy_events removed_events = {PW_VERSION_PROXY_EVENTS,
                                                      .removed = on_removed};

/* --- all streams --- */

/* Subscribes to the format and properties of a stream if a buffer is between the stream and its
 * program. */
static void ask(struct st_pipewire_streams *streams, struct pw_registry *registry,
                struct stream *stream)
{
    const struct client *client = find_client(streams, stream->client);
    uint32_t params[] = {SPA_PARAM_Format, SPA_PARAM_Props};
    if (!stream->used || stream->proxy != NULL || client == NULL)
        return;
    stream->proxy =
        pw_registry_bind(registry, stream->id, PW_TYPE_INTERFACE_Node, PW_VERSION_NODE, 0);
    if (stream->proxy == NULL)
        return;
    pw_proxy_add_listener(stream->proxy, &stream->removed_listener, &removed_events, stream);
    pw_proxy_add_object_listener(stream->proxy, &stream->node_listener, &node_events, stream);
    pw_node_subscribe_params((struct pw_node *)stream->proxy, params, ST_ARRAY_LEN(params));
}

void st_pipewire_streams_add(struct st_pipewire_streams *streams, struct pw_registry *registry,
                             uint32_t id, uint32_t client)
{
    struct stream *stream = streams->streams;
    while (stream < streams->streams + STREAMS_MAX && stream->used)
        stream++;
    if (stream == streams->streams + STREAMS_MAX)
        return;
    *stream =
        (struct stream){.used = true, .refused = true, .all = streams, .id = id, .client = client};
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
    ST_EACH (stream, streams->streams)
        ask(streams, registry, stream);
}

void st_pipewire_streams_remove(struct st_pipewire_streams *streams, uint32_t id)
{
    for (size_t i = 0; i < streams->clients_n; i++) {
        if (streams->clients[i].id == id)
            streams->clients[i--] = streams->clients[--streams->clients_n];
    }
    ST_EACH (stream, streams->streams) {
        if (!stream->used || stream->id != id)
            continue;
        stream->playing = false;
        decide(stream);
        if (stream->proxy == NULL) /* a stream with a proxy is freed by on_removed */
            stream->used = false;
    }
}

enum st_xrun_between st_pipewire_streams_between(const struct st_pipewire_streams *streams,
                                                 uint32_t client, int64_t *ret_buffer_ns)
{
    enum st_xrun_between between = ST_XRUN_BETWEEN_NOTHING;
    if (find_client(streams, client) != NULL)
        between = ST_XRUN_BETWEEN_UNSEEN;
    *ret_buffer_ns = 0;
    ST_EACH (stream, streams->streams) {
        const int64_t buffer_ns = stream->buffer.buffer_ns;
        if (!stream->used || stream->client != client)
            continue;
        if (buffer_ns > 0 && (*ret_buffer_ns == 0 || buffer_ns < *ret_buffer_ns))
            *ret_buffer_ns = buffer_ns;
        if (stream->heard)
            between = ST_XRUN_BETWEEN_HEARD;
        else if (between != ST_XRUN_BETWEEN_HEARD && !stream->refused && buffer_ns > 0)
            between = ST_XRUN_BETWEEN_STOPS;
    }
    return between;
}

void st_pipewire_streams_hear(struct st_pipewire_streams *streams, bool wanted)
{
    streams->wanted = wanted;
    ST_EACH (stream, streams->streams) {
        if (stream->used)
            decide(stream);
    }
}

void st_pipewire_streams_silent(struct st_pipewire_streams *streams, uint32_t id, int64_t begin_ns,
                                int64_t lost_ns, unsigned signs)
{
    ST_EACH (stream, streams->streams) {
        if (!stream->used || !stream->heard || stream->id != id)
            continue;
        stream->deaf = lost_ns == 0;
        if (!stream->deaf)
            st_listened_find(&stream->listened, begin_ns, lost_ns, signs);
        else
            decide(stream);
    }
}

/* Checks whether the stream's program stood still for longer than its buffer lasts. */
static void look_at_program(struct stream *stream)
{
    const struct st_pipewire_streams_hearing *hearing = &stream->all->hearing;
    struct st_client_buffer_loss loss;
    const int64_t now_ns = st_posix_now_ns(NULL), used_ns = st_posix_clock_ns(stream->clock);
    if (used_ns < 0) {
        stream->refused = true; /* the program has ended */
        return;
    }
    if (st_client_buffer_look(&stream->buffer, now_ns, used_ns))
        st_client_buffer_stands(&stream->buffer, st_standing_ask(stream->pid));
    if (!st_client_buffer_loss(&stream->buffer, &loss))
        return;
    if (stream->heard) {
        st_listened_stand(&stream->listened, &loss, now_ns);
        return;
    }
    const struct st_listened_loss one = st_listened_of_buffer(&loss, now_ns);
    hearing->lost(hearing->ctx, stream->id, &one);
}

void st_pipewire_streams_look(struct st_pipewire_streams *streams)
{
    ST_EACH (stream, streams->streams) {
        struct st_listened_loss loss;
        if (!stream->used)
            continue;
        decide(stream);
        if (stream->playing && !stream->refused && stream->buffer.buffer_ns > 0)
            look_at_program(stream);
        if (stream->heard && st_listened_take(&stream->listened, st_posix_now_ns(NULL), &loss))
            streams->hearing.lost(streams->hearing.ctx, stream->id, &loss);
    }
}
