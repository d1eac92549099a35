/* A client of PipeWire with two ports, in_1 and in_2, that report a latency of 200 ms behind them,
 * as a Bluetooth sink does. */
#include <pipewire/filter.h>
#include <pipewire/pipewire.h>
#include <spa/param/latency-utils.h>

static void on_process(void *ctx, struct spa_io_position *position)
{
    (void)ctx;
    (void)position;
}

static const struct pw_filter_events events = {PW_VERSION_FILTER_EVENTS, .process = on_process};

int main(int argc, char **argv)
{
    const struct spa_latency_info late = {
        .direction = SPA_DIRECTION_INPUT, .min_ns = 200000000, .max_ns = 200000000};
    pw_init(&argc, &argv);
    struct pw_main_loop *loop = pw_main_loop_new(NULL);
    if (loop == NULL)
        return 1;
    struct pw_filter *filter =
        pw_filter_new_simple(pw_main_loop_get_loop(loop), "late-sink",
                             pw_properties_new(PW_KEY_NODE_NAME, "late-sink", NULL), &events, NULL);
    for (int i = 1; filter != NULL && i <= 2; i++) {
        uint8_t bytes[512];
        struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(bytes, sizeof(bytes));
        const struct spa_pod *latency = spa_latency_build(&builder, SPA_PARAM_Latency, &late);
        struct pw_properties *props =
            pw_properties_new(PW_KEY_FORMAT_DSP, "32 bit float mono audio", NULL);
        pw_properties_setf(props, PW_KEY_PORT_NAME, "in_%d", i);
        if (pw_filter_add_port(filter, PW_DIRECTION_INPUT, PW_FILTER_PORT_FLAG_MAP_BUFFERS,
                               sizeof(void *), props, &latency, 1) == NULL)
            return 1;
    }
    if (filter == NULL || pw_filter_connect(filter, PW_FILTER_FLAG_RT_PROCESS, NULL, 0) < 0)
        return 1;
    return pw_main_loop_run(loop) < 0;
}
