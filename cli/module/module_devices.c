/* sleeptune status --devices: what libsoundio finds, backend by backend. */
#include "cli/module.h"

#include <jansson.h>
#include <math.h>
#include <soundio/soundio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "core/ns.h"
#include "core/text/safe.h"
#include "platform/program/output.h"

#define COMMAND "status"
#define SCHEMA  "sleeptune-devices/1"

static const struct {
    const char *name;
    enum SoundIoBackend backend;
} backends[] = {
    {"jack", SoundIoBackendJack},
    {"pulseaudio", SoundIoBackendPulseAudio},
    {"alsa", SoundIoBackendAlsa},
    {"dummy", SoundIoBackendDummy},
};

/* libsoundio's own callbacks abort the process or print */
static void on_disconnect(struct SoundIo *soundio, int error)
{
    (void)soundio;
    (void)error;
}

static void on_devices_change(struct SoundIo *soundio)
{
    (void)soundio;
}

static void on_jack_message(const char *message)
{
    (void)message;
}

static json_t *ns(double seconds)
{
    return json_integer((json_int_t)llround(seconds * (double)ST_NS_PER_S));
}

/* Names come from drivers and servers. */
static json_t *text(const char *name)
{
    json_t *string = name != NULL ? json_string(name) : json_string("");
    return string != NULL ? string : json_string("(not UTF-8)");
}

static json_t *device_json(const struct SoundIoDevice *device, bool is_default)
{
    json_t *object = json_object(), *formats = json_array(), *rates = json_array();
    json_object_set_new(object, "id", text(device->id));
    json_object_set_new(object, "name", text(device->name));
    json_object_set_new(object, "direction",
                        json_string(device->aim == SoundIoDeviceAimOutput ? "output" : "input"));
    json_object_set_new(object, "default", json_boolean(is_default));
    json_object_set_new(object, "raw", json_boolean(device->is_raw));
    json_object_set_new(object, "error",
                        device->probe_error != 0 ? json_string(soundio_strerror(device->probe_error))
                                                 : json_null());
    for (int i = 0; device->probe_error == 0 && i < device->format_count; i++)
        json_array_append_new(formats, json_string(soundio_format_string(device->formats[i])));
    for (int i = 0; device->probe_error == 0 && i < device->sample_rate_count; i++)
        json_array_append_new(rates, json_pack("{s:i, s:i}", "min_hz", device->sample_rates[i].min, "max_hz",
                                               device->sample_rates[i].max));
    json_object_set_new(object, "formats", formats);
    json_object_set_new(object, "rates", rates);
    json_object_set_new(object, "latency_min_ns", ns(device->software_latency_min));
    json_object_set_new(object, "latency_max_ns", ns(device->software_latency_max));
    return object;
}

static json_t *devices_json(struct SoundIo *soundio)
{
    json_t *list = json_array();
    const int outputs = soundio_output_device_count(soundio), inputs = soundio_input_device_count(soundio);
    for (int i = 0; i < outputs + inputs; i++) {
        const bool output = i < outputs;
        const int index = output ? i : i - outputs;
        struct SoundIoDevice *device =
            output ? soundio_get_output_device(soundio, index) : soundio_get_input_device(soundio, index);
        const int first = output ? soundio_default_output_device_index(soundio)
                                 : soundio_default_input_device_index(soundio);
        json_array_append_new(list, device_json(device, index == first));
        soundio_device_unref(device);
    }
    return list;
}

/* {backend, error, devices}: a backend that cannot be used is listed with the reason. */
static json_t *backend_json(size_t index)
{
    const char *error = NULL;
    json_t *devices = NULL;
    struct SoundIo *soundio = soundio_create();
    if (soundio == NULL)
        return NULL;
    soundio->app_name = "sleeptune";
    soundio->on_backend_disconnect = on_disconnect;
    soundio->on_devices_change = on_devices_change;
    soundio->jack_info_callback = on_jack_message;
    soundio->jack_error_callback = on_jack_message;
    const int r = soundio_have_backend(backends[index].backend)
                      ? soundio_connect_backend(soundio, backends[index].backend)
                      : SoundIoErrorBackendUnavailable;
    if (r == 0) {
        soundio_flush_events(soundio);
        devices = devices_json(soundio);
    } else {
        error = r == SoundIoErrorInitAudioBackend
                    ? "this sound system is not running, or this machine has no such hardware"
                    : soundio_strerror(r);
    }
    soundio_destroy(soundio);
    return json_pack("{s:s, s:o, s:o}", "backend", backends[index].name, "error",
                     error != NULL ? json_string(error) : json_null(), "devices",
                     devices != NULL ? devices : json_array());
}

/* Names come from drivers and servers. */
static void print_safe(const char *text)
{
    st_safe_print(stdout, text != NULL ? text : "", ST_TEXT_TO_NUL);
}

static void print_device(const json_t *device)
{
    char low[32], high[32];
    const char *error = json_string_value(json_object_get(device, "error"));
    printf("  %-6s ", json_string_value(json_object_get(device, "direction")));
    print_safe(json_string_value(json_object_get(device, "id")));
    printf("%s%s\n         ", json_is_true(json_object_get(device, "raw")) ? " (raw)" : "",
           json_is_true(json_object_get(device, "default")) ? " (default)" : "");
    print_safe(json_string_value(json_object_get(device, "name")));
    if (error != NULL) {
        printf(": cannot be probed: %s\n", error);
        return;
    }
    size_t i;
    const json_t *value;
    const int64_t low_ns = json_integer_value(json_object_get(device, "latency_min_ns"));
    const int64_t high_ns = json_integer_value(json_object_get(device, "latency_max_ns"));
    if (high_ns > 0)
        printf("\n         buffer %s .. %s", st_ns_format(low_ns, low, sizeof(low)),
               st_ns_format(high_ns, high, sizeof(high)));
    json_array_foreach(json_object_get(device, "rates"), i, value)
    {
        if (i < 3)
            printf("%s%lld .. %lld Hz", i == 0 ? "\n         " : ", ",
                   (long long)json_integer_value(json_object_get(value, "min_hz")),
                   (long long)json_integer_value(json_object_get(value, "max_hz")));
        else if (i == 3)
            printf(" and %zu more", json_array_size(json_object_get(device, "rates")) - 3);
    }
    json_array_foreach(json_object_get(device, "formats"), i, value) printf(
        "%s%s", i == 0 ? "\n         " : (i % 3 == 0 ? ",\n         " : ", "), json_string_value(value));
    putchar('\n');
}

static void print_text(const json_t *list)
{
    size_t i, j;
    const json_t *backend, *device;
    json_array_foreach(list, i, backend)
    {
        const char *error = json_string_value(json_object_get(backend, "error"));
        const json_t *devices = json_object_get(backend, "devices");
        const char *name = json_string_value(json_object_get(backend, "backend"));
        if (error != NULL)
            printf("%s: %s\n", name, error);
        else
            printf("%s: %zu devices\n", name, json_array_size(devices));
        json_array_foreach(devices, j, device) print_device(device);
    }
}

int st_module_run(const struct st_status_wish *wish)
{
    json_t *list = json_array();
    for (size_t i = 0; i < ST_ARRAY_LEN(backends); i++) {
        json_t *backend = backend_json(i);
        if (backend == NULL) {
            json_decref(list);
            return st_failure(COMMAND, "out of memory");
        }
        json_array_append_new(list, backend);
    }
    if (!wish->json) {
        print_text(list);
        json_decref(list);
        return ST_EXIT_DONE;
    }
    json_t *document = json_pack("{s:s, s:s, s:o}", "schema", SCHEMA, "libsoundio", soundio_version_string(),
                                 "backends", list);
    return st_output_json(COMMAND, document);
}
