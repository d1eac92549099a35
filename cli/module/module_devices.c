/* sleeptune status --devices: what libsoundio finds, backend by backend. */
#include "cli/module.h"

#include <math.h>
#include <soundio/soundio.h>

#include "cli/command.h"
#include "core/ns.h"
#include "core/text/safe.h"

#define COMMAND "status"

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
static void on_disconnect(ST_UNUSED struct SoundIo *soundio, ST_UNUSED int error) {}

static void on_devices_change(ST_UNUSED struct SoundIo *soundio) {}

static void on_jack_message(ST_UNUSED const char *message) {}

/* Names come from drivers and servers. */
static void print_safe(const char *text)
{
    st_safe_print(stdout, text != NULL ? text : "", ST_TEXT_TO_NUL);
}

static void print_device(const struct SoundIoDevice *device, bool is_default)
{
    char low[32], high[32];
    printf("  %-6s ", device->aim == SoundIoDeviceAimOutput ? "output" : "input");
    print_safe(device->id);
    printf("%s%s\n         ", device->is_raw ? " (raw)" : "", is_default ? " (default)" : "");
    print_safe(device->name);
    if (device->probe_error != 0) {
        printf(": cannot be probed: %s\n", soundio_strerror(device->probe_error));
        return;
    }
    if (device->software_latency_max > 0)
        printf("\n         buffer %s .. %s",
               st_ns_format(llround(device->software_latency_min * (double)ST_NS_PER_S), low, sizeof(low)),
               st_ns_format(llround(device->software_latency_max * (double)ST_NS_PER_S), high, sizeof(high)));
    for (int i = 0; i < device->sample_rate_count && i < 3; i++)
        printf("%s%d .. %d Hz", i == 0 ? "\n         " : ", ", device->sample_rates[i].min,
               device->sample_rates[i].max);
    if (device->sample_rate_count > 3)
        printf(" and %d more", device->sample_rate_count - 3);
    for (int i = 0; i < device->format_count; i++)
        printf("%s%s", i == 0 ? "\n         " : (i % 3 == 0 ? ",\n         " : ", "),
               soundio_format_string(device->formats[i]));
    putchar('\n');
}

static void print_devices(struct SoundIo *soundio, const char *backend)
{
    const int outputs = soundio_output_device_count(soundio), inputs = soundio_input_device_count(soundio);
    printf("%s: %d devices\n", backend, outputs + inputs);
    for (int i = 0; i < outputs + inputs; i++) {
        const bool output = i < outputs;
        const int index = output ? i : i - outputs;
        struct SoundIoDevice *device =
            output ? soundio_get_output_device(soundio, index) : soundio_get_input_device(soundio, index);
        const int first = output ? soundio_default_output_device_index(soundio)
                                 : soundio_default_input_device_index(soundio);
        print_device(device, index == first);
        soundio_device_unref(device);
    }
}

/* A backend that cannot be used is listed with the reason. @return an st_exit, after a message. */
static int print_backend(size_t index)
{
    const char *name = backends[index].name;
    struct SoundIo *soundio = soundio_create();
    if (soundio == NULL)
        return st_failure(COMMAND, "out of memory");
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
        print_devices(soundio, name);
    } else {
        printf("%s: %s\n", name,
               r == SoundIoErrorInitAudioBackend
                   ? "this sound system is not running, or this machine has no such hardware"
                   : soundio_strerror(r));
    }
    soundio_destroy(soundio);
    return ST_EXIT_DONE;
}

int st_module_run(ST_UNUSED const struct st_status_wish *wish)
{
    int status = ST_EXIT_DONE;
    for (size_t i = 0; i < ST_ARRAY_LEN(backends) && status == ST_EXIT_DONE; i++)
        status = print_backend(i);
    return status;
}
