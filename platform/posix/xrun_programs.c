/* Rows of the sources that are helper programs, the same on all systems. */
#include "core/ns.h"
#include "platform/xrun/xrun_source.h"

#define LOOK_NS                                                                                              \
    (5 * ST_NS_PER_S) /* their lines are read when they come; this often it is asked whether they live */

const struct st_xrun_source st_xrun_pipewire = {
    .name = "pipewire",
    .summary = "the profiler of a PipeWire server: xruns of its drivers, cycles that a client missed",
    .poll_ns = LOOK_NS,
    .ops = &st_xrun_program_ops,
    .program = "sleeptune-observe-pipewire",
    .server_env = "PIPEWIRE_REMOTE",
};

const struct st_xrun_source st_xrun_jack = {
    .name = "jack",
    .summary = "the xrun callback of a JACK server; which client was late it does not tell",
    .poll_ns = LOOK_NS,
    .ops = &st_xrun_program_ops,
    .program = "sleeptune-observe-jack",
    .server_env = "JACK_DEFAULT_SERVER",
};

const struct st_xrun_source st_xrun_pulseaudio = {
    .name = "pulseaudio",
    .summary = "the queues of PulseAudio's streams, four looks a second: shorter gaps and the device's own "
               "are not seen",
    .poll_ns = LOOK_NS,
    .ops = &st_xrun_program_ops,
    .program = "sleeptune-observe-pulseaudio",
    .server_env = "PULSE_SERVER",
};
