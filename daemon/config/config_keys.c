/* The table of configuration keys. */
#include "daemon/config/config.h"

#define AT(member) offsetof(struct st_config, member)

/* The key of one source in ST_XRUN_SOURCES (xruns/xrun.h). */
#define SOURCE(name, help)                                                                         \
    {                                                                                              \
        "observe." #name, ST_CONFIG_CHOICE, "", "\"auto\"", 0, 0, "auto on off", AT(observe.name), \
            ST_CONFIG_APPLIES_OBSERVE, help                                                        \
    }
#define SERVER(name, title, variable, example)                                                     \
    {                                                                                              \
        "observe." #name "_server", ST_CONFIG_TEXT, "", "\"\"", 0, 0, NULL,                        \
            AT(observe.name##_server), ST_CONFIG_APPLIES_OBSERVE,                                  \
            "The " title " server to watch" example                                                \
            ". The helper program gets the name as " variable                                      \
            ". Empty: the server of the user who runs sleeptuned."                                 \
    }

const struct st_config_key st_config_keys[] = {
    {"loop.rate_hz", ST_CONFIG_INT, "Hz", "48000", 8000, 768000, NULL, AT(loop.rate_hz),
     ST_CONFIG_APPLIES_LOOP,
     "Sample rate, if loop.frames is set. A period takes frames / rate_hz seconds."},
    {"loop.frames", ST_CONFIG_INT, "frames", "0", 0, 16384, NULL, AT(loop.frames),
     ST_CONFIG_APPLIES_LOOP,
     "Buffer size for the timing test, in frames. 0: the timing test has the period of the sound "
     "server that plays, as it was when playback began, and 128 frames until one is known; a "
     "period below 4 ms is doubled until it is 4 ms or more. The history keeps the size with each "
     "row."},
    {"loop.priority", ST_CONFIG_INT, "", "0", 0, ST_CONFIG_PRIORITY_MAX, NULL, AT(loop.priority),
     ST_CONFIG_APPLIES_LOOP,
     "Real-time priority (SCHED_FIFO) of the timing test. 0: that of the threads that compute the "
     "music, none if they have none, and 70 until one is known. The watchdog, which can take this "
     "priority away from the timing test, runs one priority higher."},
    {"loop.cpu", ST_CONFIG_INT, "", "-1", -1, 4095, NULL, AT(loop.cpu), ST_CONFIG_APPLIES_LOOP,
     "CPU on which the timing test runs; -1: the kernel chooses one."},
    {"loop.when", ST_CONFIG_CHOICE, "", "\"playing\"", 0, 0, "playing always", AT(loop.when),
     ST_CONFIG_APPLIES_WHEN,
     "When the timing test runs. playing: while a program plays or records, and 30 to 40 s longer; "
     "else the test rests, and the daemon wakes up at most once per second. If no source can tell "
     "whether something plays, the test always runs, and the log says why. An audio.backend other "
     "than dummy and none counts as playing. always: the test never rests; this is the default of "
     "the system service, which runs sleeptuned -a."},
    {"audio.backend", ST_CONFIG_CHOICE, "", "\"none\"", 0, 0, "none dummy alsa pulseaudio jack oss",
     AT(audio.backend), ST_CONFIG_APPLIES_AUDIO,
     "Sound system on which sleeptuned plays a silent stream of its own and counts underflows: for "
     "a test of that sound system. none: no stream. dummy: a stream without a sound card. oss: "
     "FreeBSD's sound(4), by its own ioctls."},
    {"audio.device", ST_CONFIG_TEXT, "", "\"\"", 0, 0, NULL, AT(audio.device),
     ST_CONFIG_APPLIES_AUDIO,
     "Output device by id; empty is the default device. If there is no such device, \"sleeptune "
     "status\" names those that the backend has. For ALSA choose a raw device (hw:N,M): the "
     "default device uses dmix, which causes underflows of its own."},
    {"audio.latency_ms", ST_CONFIG_INT, "ms", "0", 0, 5000, NULL, AT(audio.latency_ms),
     ST_CONFIG_APPLIES_AUDIO,
     "Requested buffer size; \"sleeptune status\" shows the size that was granted. 0 lets the "
     "backend decide: twice loop.frames, but at least 50 ms on pulseaudio, where shorter buffers "
     "run dry on a busy machine, and on dummy. jack uses the buffer of its server."},
    {"socket.path", ST_CONFIG_PATH, "", "\"\"", 0, 0, NULL, AT(socket.path),
     ST_CONFIG_APPLIES_START,
     "Unix socket for status and metrics. Empty: sleeptuned.sock in the run folder of the system "
     "or, if that is not writable, in $XDG_RUNTIME_DIR/sleeptune. The variable SLEEPTUNE_SOCKET "
     "overrides this key."},
    {"socket.mode", ST_CONFIG_MODE, "", "\"0660\"", 0, 0777, NULL, AT(socket.mode),
     ST_CONFIG_APPLIES_SOCKET, "Who may use the socket: its permissions, as octal digits."},
    {"socket.group", ST_CONFIG_TEXT, "", "\"\"", 0, 0, NULL, AT(socket.group),
     ST_CONFIG_APPLIES_SOCKET,
     "Group whose members may use the socket, by name; empty: the group of the daemon."},
    {"http.listen", ST_CONFIG_LISTEN, "", "\"\"", 0, 0, NULL, AT(http.listen),
     ST_CONFIG_APPLIES_HTTP,
     "Also serve over TCP, on an IP address and port such as 127.0.0.1:9733 or [::1]:9733: a live "
     "page for browsers at /, and everything that the socket serves. Everyone on this machine can "
     "read it. An address that other machines can reach serves /metrics only, without names of "
     "programs, to everyone who reaches it. Nothing is encrypted. Empty: no TCP."},
    {"http.names", ST_CONFIG_TEXT, "", "\"\"", 0, 0, NULL, AT(http.names), ST_CONFIG_APPLIES_HTTP,
     "Host names for requests over TCP, separated by spaces, such as \"studio.lan "
     "studio.example.org\". IP addresses, localhost and the name of this machine are always "
     "accepted. Other names are refused, so that a web page cannot read the figures under a name "
     "of its own (DNS rebinding)."},
    SOURCE(alsa, "Dropouts of other programs on ALSA devices (Linux), read from /proc/asound four "
                 "times a second. A device that stops and starts again between two readings counts "
                 "as one probable dropout. For each source: auto watches it if it is available; on "
                 "also reports \"degraded\" if it is not."),
    SOURCE(pipewire, "Dropouts of the devices of a PipeWire server, and cycles in which a client "
                     "was not ready. Both come from the server's profiler, which reports every "
                     "cycle while something plays; this costs some CPU time."),
    SOURCE(jack, "Dropouts that a JACK server reports. sleeptuned names the late client if it can "
                 "read the log of the server."),
    SOURCE(pulseaudio, "Dropouts of PulseAudio: streams that ran empty. While something plays, "
                       "sleeptuned reads four times a second how full they are."),
    SOURCE(sound4, "Dropouts that sound(4) counts for each channel (FreeBSD)."),
    SOURCE(usb, "Losses of sound on the bus of a USB audio device (Linux), from the headers of USB "
                "packets, never what they carry. Only root can read them: run the daemon as root "
                "and load the module usbmon."),
    SERVER(pipewire, "PipeWire", "PIPEWIRE_REMOTE", ", such as /run/user/1000/pipewire-0"),
    SERVER(jack, "JACK", "JACK_DEFAULT_SERVER", ""),
    SERVER(pulseaudio, "PulseAudio", "PULSE_SERVER", ", such as unix:/run/user/1000/pulse/native"),
    {"observe.listen", ST_CONFIG_CHOICE, "", "\"auto\"", 0, 0, "auto on off", AT(observe.listen),
     ST_CONFIG_APPLIES_OBSERVE,
     "Listen for silence (Linux) in what programs of PulseAudio and ALSA play on PipeWire: a "
     "program that sends its sound too late loses sound before it reaches the server, and no "
     "counter shows it. Nothing is recorded, and only times and lengths leave the helper program. "
     "Never as root. auto: on PipeWire 1.2 and later, at 256 frames and more, and while it takes "
     "less than 1 % of a CPU. on: always; on older versions each cycle of the server then waits "
     "for the helper program, which can itself cause dropouts."},
    {"observe.listen_except", ST_CONFIG_TEXT, "", "\"\"", 0, 0, NULL, AT(observe.listen_except),
     ST_CONFIG_APPLIES_OBSERVE,
     "Programs to which observe.listen does not listen, by name or file name, with commas between "
     "them, such as \"zoom, Firefox\"."},
    {"history.enabled", ST_CONFIG_CHOICE, "", "\"on\"", 0, 0, "on off", AT(history.enabled),
     ST_CONFIG_APPLIES_HISTORY,
     "Record a row for each minute and each event in a file, for \"sleeptune history\"."},
    {"history.path", ST_CONFIG_PATH, "", "\"\"", 0, 0, NULL, AT(history.path),
     ST_CONFIG_APPLIES_HISTORY,
     "File of the history (\"sleeptune history\"). Empty: history.db in the state folder of the "
     "system or, if that is not writable, of the user (sleeptuned(8)). If this file exists and is "
     "not a history of sleeptune, the daemon does not change it."},
    {"history.keep_days", ST_CONFIG_INT, "days", "400", 1, 36500, NULL, AT(history.keep_days),
     ST_CONFIG_APPLIES_HISTORY,
     "How long the history keeps the rows of hours; it keeps the rows of minutes at most 30 days. "
     "Each hour at most one day of old rows is removed, so that a wrong clock cannot delete the "
     "whole history at once."},
    {"history.max_mb", ST_CONFIG_INT, "MB", "200", 4, 1000000, NULL, AT(history.max_mb),
     ST_CONFIG_APPLIES_HISTORY,
     "Largest size of the history. If the file and its log would use more, the oldest minutes are "
     "removed, then the oldest hours. This is checked with each write, which may add some kB "
     "beyond the limit, or up to 8 MB after a day without a write. Events use at most half of it; "
     "if there are too many, the most frequent kind loses its oldest events."},
    {"history.traces_mb", ST_CONFIG_INT, "MB", "64", 0, 10000, NULL, AT(history.traces_mb),
     ST_CONFIG_APPLIES_HISTORY,
     "Disk space for records of the seconds around a dropout or a mark of \"sleeptune heard\", for "
     "\"sleeptune history --trace\": 0.1 MB for a player, 2 MB for a mark with ten clients at 128 "
     "frames, and up to 1 MB more with what the kernel did (trace.enabled). If there are too many, "
     "the oldest are removed, the first of each reason and those of marks last. 0: no records."},
    {"trace.enabled", ST_CONFIG_CHOICE, "", "\"off\"", 0, 0, "on off", AT(trace.enabled),
     ST_CONFIG_APPLIES_TRACE,
     "Find out from the kernel's trace (Linux, tracefs) which program or interrupt had the CPU "
     "when the timing test woke up late, and record what the kernel did at a dropout. It needs the "
     "right to write to /sys/kernel/tracing. While it is on, each switch between programs takes "
     "about half a microsecond more."},
    {"trace.buffer_kb", ST_CONFIG_INT, "kB", "2048", 64, 65536, NULL, AT(trace.buffer_kb),
     ST_CONFIG_APPLIES_TRACE,
     "Kernel memory of the trace (trace.enabled), on each CPU, at most 64 MB in all. The record of "
     "a dropout reaches back as far as this memory: some seconds on a busy CPU."},
    {"notify.enabled", ST_CONFIG_CHOICE, "", "\"on\"", 0, 0, "on off", AT(notify.enabled),
     ST_CONFIG_APPLIES_NOTIFY,
     "Show a notification on your desktop when a program had three dropouts: once for each program "
     "and reason, at most one an hour, without a sound, and none while notifications are "
     "inhibited. Only a sleeptuned that you run yourself does so (Linux)."},
};
const size_t st_config_keys_n = ST_ARRAY_LEN(st_config_keys);
