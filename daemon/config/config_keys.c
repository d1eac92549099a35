/* The table of configuration keys. */
#include "daemon/config/config.h"

#include <stddef.h>

#define AT(member) offsetof(struct st_config, member)

const struct st_config_key st_config_keys[] = {
    {"loop.rate_hz", ST_CONFIG_INT, "Hz", "48000", 8000, 768000, NULL, AT(loop.rate_hz),
     ST_CONFIG_APPLIES_LOOP, "Sample rate. A period is frames / rate_hz seconds, kept as an exact fraction."},
    {"loop.frames", ST_CONFIG_INT, "frames", "128", 16, 16384, NULL, AT(loop.frames), ST_CONFIG_APPLIES_LOOP,
     "Frames in a period: the buffer size you set in an audio program."},
    {"loop.periods", ST_CONFIG_INT, "periods", "2", 2, 64, NULL, AT(loop.periods), ST_CONFIG_APPLIES_LOOP,
     "Periods in the ring of the modelled sound device; decides when a late cycle is a simulated xrun."},
    {"loop.priority", ST_CONFIG_INT, "", "70", 1, 97, NULL, AT(loop.priority), ST_CONFIG_APPLIES_LOOP,
     "SCHED_FIFO priority of the loop. The watchdog that can demote it runs one above."},
    {"loop.cpu", ST_CONFIG_INT, "", "-1", -1, 4095, NULL, AT(loop.cpu), ST_CONFIG_APPLIES_LOOP,
     "CPU to pin the loop to; -1 leaves it to the scheduler."},
    {"loop.wait", ST_CONFIG_CHOICE, "", "\"plain\"", 0, 0, "plain precise", AT(loop.wait),
     ST_CONFIG_APPLIES_LOOP,
     "How the loop sleeps: plain is clock_nanosleep, which is what audio programs get; precise is a timed "
     "wait that "
     "FreeBSD does not stretch. Where the plain sleep is exact already (Linux), precise is the same."},
    {"loop.load_percent", ST_CONFIG_FLOAT, "percent", "0.0", 0, 50, NULL, AT(loop.load_percent),
     ST_CONFIG_APPLIES_LOOP, "Synthetic signal processing in each cycle, as a share of the period."},
    {"loop.timer_slack_ns", ST_CONFIG_INT, "ns", "-1", -1, 1000000000, NULL, AT(loop.timer_slack_ns),
     ST_CONFIG_APPLIES_LOOP,
     "Timer slack of the loop thread; -1 leaves it as found. It does not touch SCHED_FIFO threads, and "
     "FreeBSD has "
     "none."},
    {"audio.backend", ST_CONFIG_CHOICE, "", "\"dummy\"", 0, 0, "dummy alsa pulseaudio jack none",
     AT(audio.backend), ST_CONFIG_APPLIES_AUDIO,
     "Sound system for the stream that the daemon itself holds (it plays silence and counts underflows). "
     "dummy needs "
     "no sound card; none opens no stream."},
    {"audio.device", ST_CONFIG_TEXT, "", "\"\"", 0, 0, NULL, AT(audio.device), ST_CONFIG_APPLIES_AUDIO,
     "Output device by id, as \"sleeptune devices\" prints it; empty is the default device. For ALSA choose "
     "a raw one "
     "(hw:N,M): the default goes through dmix, which underflows by itself."},
    {"audio.latency_ms", ST_CONFIG_INT, "ms", "0", 0, 5000, NULL, AT(audio.latency_ms),
     ST_CONFIG_APPLIES_AUDIO,
     "Buffer to ask for; what was got is in the status. 0 is what fits the backend: as long as that of the "
     "modelled device (loop.frames times loop.periods), but at least 50 ms on pulseaudio, whose clients "
     "commonly "
     "take that (with less they run dry on a busy machine), and on dummy, which feeds no device and would "
     "only "
     "wake as often as the loop. jack has its server's."},
    {"audio.capture", ST_CONFIG_CHOICE, "", "\"off\"", 0, 0, "on off", AT(audio.capture),
     ST_CONFIG_APPLIES_AUDIO,
     "A recording stream on the same backend, whose overflows are counted. What it records is thrown away at "
     "once, never looked at or stored; but a desktop may show that the microphone is in use."},
    {"audio.capture_device", ST_CONFIG_TEXT, "", "\"\"", 0, 0, NULL, AT(audio.capture_device),
     ST_CONFIG_APPLIES_AUDIO,
     "Input device by id, as \"sleeptune devices\" prints it; empty is the default device."},
    {"socket.path", ST_CONFIG_PATH, "", "\"\"", 0, 0, NULL, AT(socket.path), ST_CONFIG_APPLIES_START,
     "Unix socket that serves status and metrics. Empty: sleeptuned.sock in the system's run folder, without "
     "the right "
     "to write there in $XDG_RUNTIME_DIR/sleeptune. $SLEEPTUNE_SOCKET wins over this key."},
    {"socket.mode", ST_CONFIG_MODE, "", "\"0660\"", 0, 0777, NULL, AT(socket.mode), ST_CONFIG_APPLIES_SOCKET,
     "Rights of the socket, octal."},
    {"socket.group", ST_CONFIG_TEXT, "", "\"\"", 0, 0, NULL, AT(socket.group), ST_CONFIG_APPLIES_SOCKET,
     "Group of the socket, by name; empty leaves the group that the daemon runs as."},
    {"http.listen", ST_CONFIG_LISTEN, "", "\"\"", 0, 0, NULL, AT(http.listen), ST_CONFIG_APPLIES_HTTP,
     "Serve over TCP too, on an IP address and port such as 127.0.0.1:9733 or [::1]:9733: a page for the "
     "browser at /, "
     "live, and what the socket has. There is no password and no encryption: everybody who reaches the "
     "address can read. Empty: no TCP."},
    {"http.names", ST_CONFIG_TEXT, "", "\"\"", 0, 0, NULL, AT(http.names), ST_CONFIG_APPLIES_HTTP,
     "Names by which it may be asked for over TCP, with spaces between them, such as \"studio.lan "
     "studio.example.org\". IP addresses, localhost and this machine's own name always are; others are "
     "refused, "
     "so that a web page cannot read it under a name of its own (DNS rebinding)."},
    {"observe.alsa", ST_CONFIG_CHOICE, "", "\"auto\"", 0, 0, "auto on off", AT(observe.alsa),
     ST_CONFIG_APPLIES_OBSERVE,
     "Xruns of other programs on ALSA devices (Linux), read from /proc/asound four times a second: a program "
     "that recovers between two looks is seen as one probable xrun. For this key and the next five: auto "
     "watches "
     "where there is something to watch, on calls it degraded where there is not."},
    {"observe.alsa_trace", ST_CONFIG_CHOICE, "", "\"auto\"", 0, 0, "auto on off", AT(observe.alsa_trace),
     ST_CONFIG_APPLIES_OBSERVE,
     "The same xruns, each one and exact, from the kernel's event snd_pcm:xrun (Linux): while it can be "
     "read, "
     "observe.alsa rests. Needs the right to write to /sys/kernel/tracing and a kernel built with "
     "CONFIG_SND_PCM_XRUN_DEBUG, which those of distributions are not; each switch between threads costs a "
     "little "
     "more while it is on."},
    {"observe.pipewire", ST_CONFIG_CHOICE, "", "\"auto\"", 0, 0, "auto on off", AT(observe.pipewire),
     ST_CONFIG_APPLIES_OBSERVE,
     "Xruns of the devices of a PipeWire server, and cycles that a client missed, as its profiler tells: "
     "while "
     "something plays the server tells of each cycle, which costs both some CPU time."},
    {"observe.jack", ST_CONFIG_CHOICE, "", "\"auto\"", 0, 0, "auto on off", AT(observe.jack),
     ST_CONFIG_APPLIES_OBSERVE,
     "Xruns that a JACK server tells its clients; which client was late it does not tell."},
    {"observe.pulseaudio", ST_CONFIG_CHOICE, "", "\"auto\"", 0, 0, "auto on off", AT(observe.pulseaudio),
     ST_CONFIG_APPLIES_OBSERVE,
     "Streams of a PulseAudio server that ran empty: while something plays, their queues are looked at four "
     "times a second, as the server tells nobody else of underruns."},
    {"observe.sound4", ST_CONFIG_CHOICE, "", "\"auto\"", 0, 0, "auto on off", AT(observe.sound4),
     ST_CONFIG_APPLIES_OBSERVE, "Xruns that sound(4) counts for each channel (FreeBSD)."},
    {"observe.pipewire_server", ST_CONFIG_TEXT, "", "\"\"", 0, 0, NULL, AT(observe.pipewire_server),
     ST_CONFIG_APPLIES_OBSERVE,
     "Which PipeWire server: PIPEWIRE_REMOTE of the program that watches it, such as "
     "/run/user/1000/pipewire-0. "
     "Empty: as in the daemon's environment."},
    {"observe.jack_server", ST_CONFIG_TEXT, "", "\"\"", 0, 0, NULL, AT(observe.jack_server),
     ST_CONFIG_APPLIES_OBSERVE,
     "Which JACK server: JACK_DEFAULT_SERVER of the program that watches it. Empty: as in the daemon's "
     "environment."},
    {"observe.pulseaudio_server", ST_CONFIG_TEXT, "", "\"\"", 0, 0, NULL, AT(observe.pulseaudio_server),
     ST_CONFIG_APPLIES_OBSERVE,
     "Which PulseAudio server: PULSE_SERVER of the program that watches it, such as "
     "unix:/run/user/1000/pulse/native. Empty: as in the daemon's environment."},
    {"history.enabled", ST_CONFIG_CHOICE, "", "\"on\"", 0, 0, "on off", AT(history.enabled),
     ST_CONFIG_APPLIES_HISTORY,
     "Keep what was measured, a row a minute, and events in a file, for \"sleeptune history\" and "
     "\"sleeptune history --events\"."},
    {"history.path", ST_CONFIG_PATH, "", "\"\"", 0, 0, NULL, AT(history.path), ST_CONFIG_APPLIES_HISTORY,
     "File of the history. Empty: history.db in the state folder, where there is one that can be written. A "
     "file that is named here and is no history of sleeptune is left alone."},
    {"history.keep_days", ST_CONFIG_INT, "days", "400", 1, 36500, NULL, AT(history.keep_days),
     ST_CONFIG_APPLIES_HISTORY,
     "What is older is removed, a day of it an hour at most: the clock may be wrong. Minutes are kept for 30 "
     "days at most, hours and days of them longer."},
    {"history.max_mb", ST_CONFIG_INT, "MB", "200", 4, 1000000, NULL, AT(history.max_mb),
     ST_CONFIG_APPLIES_HISTORY,
     "When the file and its log would use more, the oldest minutes are removed, then the oldest hours. This "
     "is checked with each write, which may exceed it by what it adds: some kB, or up to 8 MB after a day "
     "without a write. Events take at most half of it; of these, the most frequent kind loses its oldest."},
    {"trace.enabled", ST_CONFIG_CHOICE, "", "\"off\"", 0, 0, "on off", AT(trace.enabled),
     ST_CONFIG_APPLIES_TRACE,
     "Name the thread, interrupt or softirq that had the CPU when the loop woke late, from the kernel's "
     "trace (Linux, "
     "tracefs). Needs the right to write to /sys/kernel/tracing. Each switch between threads on the traced "
     "CPUs costs "
     "more while it is on: a cycle of the loop takes some 6000 instructions instead of 4000."},
    {"trace.buffer_kb", ST_CONFIG_INT, "kB", "1024", 64, 65536, NULL, AT(trace.buffer_kb),
     ST_CONFIG_APPLIES_TRACE,
     "Memory of the kernel for that trace, for each CPU. It has to hold about half a second of events."},
    {"mute", ST_CONFIG_LIST, "", "()", 0, 0, NULL, 0, ST_CONFIG_APPLIES_NEVER,
     "Rules that \"sleeptune report\" shall not count, each with a reason and the day from which it counts "
     "again; it says how many these are. A text alone is an id without either."},
};
const size_t st_config_keys_n = ST_ARRAY_LEN(st_config_keys);
