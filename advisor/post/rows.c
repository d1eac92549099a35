/* Lines that are one value each, and lines of logs: tables. */
#include "advisor/post/post.h"

#include "advisor/facts/text.h"
#include "core/text/text.h"

/* --- values --- */

#define CPUFREQ    "/sys/devices/system/cpu/cpufreq/"
#define EPERM_TEXT "1"

/* A line of that kind: `pattern`, what it sets (a file: its path, with '+' a line more of it; "@": the
 * section that begins; else a fact; "": nothing) and to what. "$1": a part of the pattern; "$u": what the
 * section is about. own: only in the section of this name, which also a command begins. */
static const struct value_row {
    const char *kind;
    bool own;
    const char *pattern, *target, *value;
} values[] = {
    {"uname", false, "uname -r: %s", "/proc/sys/kernel/osrelease", "$1"},
    {"uname", false, "Linux %s %v #%l", "/proc/sys/kernel/osrelease", "$2"},
    {"uname", false, "Linux %s %v #%l", "/proc/sys/kernel/version", "#$3"},
    {"uname", false, "Linux %v x86_64", "/proc/sys/kernel/osrelease", "$1"},
    {"uname", false, "Linux %v aarch64", "/proc/sys/kernel/osrelease", "$1"},
    {"uname", false, "*Linux version %v (%l) #%l", "/proc/sys/kernel/osrelease", "$1"},
    {"uname", false, "*Linux version %v (%l) #%l", "/proc/sys/kernel/version", "#$3"},
    {"inxi", false, "*Kernel: %v arch: ", "/proc/sys/kernel/osrelease", "$1"},
    {"inxi", false, "*Kernel: %v bits: ", "/proc/sys/kernel/osrelease", "$1"},
    {"inxi", false, "Kernel Version: %v (", "/proc/sys/kernel/osrelease", "$1"},
    {"inxi", false, "*Server-%d: PipeWire v: %s *status: active", ST_KEY_DAEMON_PIPEWIRE, "1"},
    {"inxi", false, "*Server-%d: PipeWire v: %v status: active", ST_KEY_PIPEWIRE_VERSION, "$2"},
    {"inxi", false, "*Server-%d: JACK v: %s *status: active", ST_KEY_DAEMON_JACKD, "1"},
    {"inxi", false, "*Server-%d: PulseAudio v: %s *status: active", ST_KEY_DAEMON_PULSEAUDIO, "1"},
    {"dmesg", false, "[*ommand line: %l", "/proc/cmdline", "$1"},
    {"dmesg", false, "*kernel: *ommand line: %l", "/proc/cmdline", "$1"},
    {"dmesg", false, "*Switched to clocksource %s",
     "/sys/devices/system/clocksource/clocksource0/current_clocksource", "$1"},
    {"dmesg", false, "*Marking clocksource 'tsc' as unstable", ST_KEY_CLOCKSOURCE_UNSTABLE, "1"},
    {"dmesg", false, "*Marking TSC unstable", ST_KEY_CLOCKSOURCE_UNSTABLE, "1"},
    {"dmesg", false, "*Dynamic Preempt: %s", "/sys/kernel/debug/sched/preempt", "($1)"},

    {"alsa-info", false, "!!Kernel Information", "@alsa-info", ""},
    {"alsa-info", false, "!!Sound Servers on this system", "@alsa-servers", ""},
    {"alsa-info", false, "!!Loaded sound module options", "@alsa-modules", ""},
    {"alsa-info", true, "Kernel release: %v", "/proc/sys/kernel/osrelease", "$1"},
    {"alsa-servers", true, "PipeWire:", "@alsa-servers", "pipewire"},
    {"alsa-servers", true, "Pulseaudio:", "@alsa-servers", "pulseaudio"},
    {"alsa-servers", true, "Jack:", "@alsa-servers", "jackd"},
    {"alsa-servers", true, "Jack2:", "@alsa-servers", "jackdbus"},
    {"alsa-servers", true, "Running - Yes", ST_KEYS_DAEMON "$u", "1"},
    {"alsa-modules", true, "!!Module: %s", "@alsa-modules", "$1"},
    {"alsa-modules", true, "%s : %l", "/sys/module/$u/parameters/$1", "$2"},
    {"alsa-info", false, "!!%l", "", ""},

    {"cpupower", false, "analyzing CPU %d:", "@cpupower", "policy$1"},
    {"cpupower", true, "driver: %s", CPUFREQ "$u/scaling_driver", "$1"},
    {"cpupower", true, "*The governor \"%l\" may decide", CPUFREQ "$u/scaling_governor", "$1"},
    {"cpupower", true, "energy performance preference: %s", CPUFREQ "$u/energy_performance_preference", "$1"},
    {"cpupower", true, "available cpufreq governors: %l", CPUFREQ "$u/scaling_available_governors", "$1"},
    {"cpupower", true, "%l", "", ""},

    {"ulimit", false, "*real-time priority *(-r) %s", ST_KEY_RT_RTPRIO_LIMIT, "$1"},
    {"ulimit", false, "-r: *priority %s", ST_KEY_RT_RTPRIO_LIMIT, "$1"},
    {"ulimit", false, "*locked *(kbytes, -l) %s", ST_KEY_RT_MEMLOCK_LIMIT_BYTES, "$1 KiB"},
    {"ulimit", false, "-l: *(kbytes) %s", ST_KEY_RT_MEMLOCK_LIMIT_BYTES, "$1 KiB"},
    {"ulimit", false, "*(blocks, -", "", ""},
    {"ulimit", false, "*(kbytes, -", "", ""},
    {"ulimit", false, "*bytes, -", "", ""},
    {"ulimit", false, "*seconds, -", "", ""},
    {"ulimit", false, "*(-e)", "", ""},
    {"ulimit", false, "*(-i)", "", ""},
    {"ulimit", false, "*(-n)", "", ""},
    {"ulimit", false, "*(-u)", "", ""},
    {"ulimit", false, "*(-x)", "", ""},
    {"prlimit", true, "RTPRIO * priority %s", ST_KEY_RT_RTPRIO_LIMIT, "$1"},
    {"prlimit", true, "MEMLOCK * space %s", ST_KEY_RT_MEMLOCK_LIMIT_BYTES, "$1"},
    {"prlimit", true, "%l", "", ""},
    {"id", false, "uid=%d(%l) gid=*groups=%l", ST_KEY_USER_UID, "$1"},
    {"id", false, "uid=%d(%l) gid=*groups=%l", ST_KEY_USER_NAME, "$2"},
    {"id", false, "uid=%d(%l) gid=*groups=%l", ST_KEY_USER_GROUPS, "$3"},
    {"groups", true, "%l", ST_KEY_USER_GROUPS, "$1"},

    {"rtcqs", false, "rtcqs - version", "@rtcqs", ""},
    {"rtcqs", true, "*Soundcard %s with IRQ %d does not share", ST_KEYS_IRQ "$2.actions", "$1"},
    {"rtcqs", true, "*Soundcard %s with IRQ %d does not share", ST_KEY_IRQ_READABLE, "1"},
    {"rtcqs", true, "*Soundcard %s with IRQ %d shares * other devices %l", ST_KEYS_IRQ "$2.actions", "$3"},
    {"rtcqs", true, "*Soundcard %s with IRQ %d shares * other devices %l", ST_KEY_IRQ_READABLE, "1"},
    {"rtcqs", true, "*] User %s is *rtprio (%d) and memlock (%d)", ST_KEY_USER_NAME, "$1"},
    {"rtcqs", true, "*rtprio (%d) and memlock (%d)", ST_KEY_RT_RTPRIO_LIMIT, "$1"},
    {"rtcqs", true, "*rtprio (%d) and memlock (%d)", ST_KEY_RT_MEMLOCK_LIMIT_BYTES, "$2"},
    {"rtcqs", true, "*vm.swappiness is set to %d", "/proc/sys/vm/swappiness", "$1"},
    {"rtcqs", true, "*Swappiness is set at %d", "/proc/sys/vm/swappiness", "$1"},
    {"rtcqs", true, "*configured without swap", "/proc/swaps", "Filename"},
    {"rtcqs", true, "*] Kernel %v", "/proc/sys/kernel/osrelease", "$1"},
    {"rtcqs", true, "%l", "", ""},
    {"swapon", true, "NAME TYPE", "/proc/swaps", "Filename"},
    {"swapon", true, "/%s %s %s %s %d", "+/proc/swaps", "/$1 $5"},
    {"free", false, "Swap: 0 0 0", "/proc/swaps", "Filename"},
    {"free", false, "Swap: 0B 0B 0B", "/proc/swaps", "Filename"},
    {"free", false, "Swap: %v %v %v", "", ""},
    {"free", false, "Mem: %v %v %v", "", ""},
    {"free", false, "total used free shared", "", ""},

    {"pw-cli", false, "default.clock.rate = \"%d\"", ST_KEY_PIPEWIRE_RATE_HZ, "$1"},
    {"pw-cli", false, "default.clock.quantum = \"%d\"", ST_KEY_PIPEWIRE_QUANTUM, "$1"},
    {"pw-cli", false, "default.clock.min-quantum = \"%d\"", ST_KEY_PIPEWIRE_MIN_QUANTUM, "$1"},
    {"pw-cli", false, "default.clock.max-quantum = \"%d\"", ST_KEY_PIPEWIRE_MAX_QUANTUM, "$1"},
    {"pw-cli", false, "default.clock.quantum = \"%d\"", ST_KEY_DAEMON_PIPEWIRE, "1"},
    {"pw-cli", true, "version: \"%v\"", ST_KEY_PIPEWIRE_VERSION, "$1"},
    {"pw-cli", true, "%l", "", ""},
    {"pw-dump", false, "\"default.clock.rate\": %d", ST_KEY_PIPEWIRE_RATE_HZ, "$1"},
    {"pw-dump", false, "\"default.clock.quantum\": %d", ST_KEY_PIPEWIRE_QUANTUM, "$1"},
    {"pw-dump", false, "\"default.clock.min-quantum\": %d", ST_KEY_PIPEWIRE_MIN_QUANTUM, "$1"},
    {"pw-dump", false, "\"default.clock.max-quantum\": %d", ST_KEY_PIPEWIRE_MAX_QUANTUM, "$1"},
    {"pw-dump", false, "\"default.clock.rate\": %d", ST_KEY_DAEMON_PIPEWIRE, "1"},
    {"pw-dump", true, "\"version\": \"%v\"", ST_KEY_PIPEWIRE_VERSION, "$1"},
    {"pw-dump", true, "%l", "", ""},
    {"wpctl", false, "PipeWire '%l' [%v, ", ST_KEY_PIPEWIRE_VERSION, "$2"},
    {"wpctl", false, "PipeWire '%l' [%v, ", ST_KEY_DAEMON_PIPEWIRE, "1"},
    {"wpctl", true, "%l", "", ""},
    {"pactl", false, "Server Name: PulseAudio (on PipeWire %l)", ST_KEY_PIPEWIRE_VERSION, "$1"},
    {"pactl", false, "Server Name: PulseAudio (on PipeWire %l)", ST_KEY_DAEMON_PIPEWIRE, "1"},
    {"pactl", false, "Server Name: PulseAudio (on PipeWire %l)", ST_KEY_DAEMON_PIPEWIRE_PULSE, "1"},
    {"pactl", false, "Server Name: pulseaudio", ST_KEY_DAEMON_PULSEAUDIO, "1"},
    {"pactl", true, "%l", "", ""},
    {"pipewire", false, "*inked with libpipewire %v", ST_KEY_PIPEWIRE_VERSION, "$1"},

    {"JACK", false, "*jackd -%l", ST_KEY_JACK_COMMAND, "jackd -$1"},
    {"JACK", false, "*jackd -%l", ST_KEY_DAEMON_JACKD, "1"},
    {"JACK", false, "*creating alsa driver ... %l|%l|%d|%d|%d|", ST_KEY_JACK_BUFFER_FRAMES, "$3"},
    {"JACK", false, "*creating alsa driver ... %l|%l|%d|%d|%d|", ST_KEY_JACK_RATE_HZ, "$5"},
    {"JACK", false, "*creating alsa driver ... %l|%l|%d|%d|%d|", ST_KEY_DAEMON_JACKD, "1"},
    {"JACK", false, "*Cannot use real-time scheduling (%l)*(%d: Operation not permitted)",
     ST_KEY_RT_FIFO_ERRNO, EPERM_TEXT},
    {"JACK", false, "*Cannot use real-time scheduling (%l)*(%d: Operation not permitted)",
     ST_KEY_FREEBSD_RT_FIFO_ERRNO, EPERM_TEXT},
    {"aplay", false, "Hardware PCM card %d '%l' device %d subdevice %d", "@aplay", "card$1/pcm$3p/sub$4"},
    {"aplay", true, "buffer_size : %d", "+/proc/asound/$u/hw_params", "buffer_size: $1"},
    {"aplay", true, "period_size : %d", "+/proc/asound/$u/hw_params", "period_size: $1"},
    {"aplay", true, "rate : %d", "+/proc/asound/$u/hw_params", "rate: $1"},
    {"aplay", true, "%l", "", ""},

    {"kldstat", false, "%d %d 0x%s %s mac_priority.ko", ST_KEY_FREEBSD_KLDSTAT_MAC_PRIORITY, "1"},
    {"kldstat", false, "%d %d 0x%s %s kernel", ST_KEY_FREEBSD_KLDSTAT_ASKED, "mac_priority"},
    {"kldstat", false, "%d %d 0x%s %s %s", "", ""},
    {"kldstat", false, "Id Refs Address Size Name", "", ""},
    {"portal", false, "RTTimeUSecMax: x %d", ST_KEY_PORTAL_RT_TIME_US, "$1"},
    {"powerd", false, "powerd is running", ST_KEY_FREEBSD_POWERD_RUNNING, "1"},
    {"powerd", false, "powerd is not running", ST_KEY_FREEBSD_POWERD_RUNNING, "0"},
    {"dmesg", false, "*pcm%d: *play interrupt timeout, channel dead", ST_KEY_FREEBSD_DEAD_CHANNEL, "pcm$1"},

#define SERVER(pattern, fact, value)                                                                         \
    {                                                                                                        \
        "journal", false, pattern, fact, value                                                               \
    }
#define NO_RT(pattern)                                                                                       \
    SERVER(pattern, ST_KEY_PROCESSES_N, "1"), SERVER(pattern, ST_KEY_THREADS_PART, "1"),                     \
        SERVER(pattern, ST_KEY_DAEMON_PIPEWIRE, "1"),                                                        \
        SERVER(pattern, ST_KEYS_NORMAL_THREAD "0.process", "pipewire")
    NO_RT("* pipewire[%d]: *RTKit error: org.freedesktop.DBus.Error.ServiceUnknown"),
    NO_RT("* pipewire[%d]: *could not make thread"),
    SERVER("*rtkit-daemon[*Demoted %d threads", ST_KEY_RTKIT_DEMOTED_N, "$1"),
    SERVER("*rtkit-daemon[*Demoted %d threads", ST_KEY_DAEMON_RTKIT_DAEMON, "1"),
    SERVER("*rtkit-daemon[*uccessfully demoted thread", ST_KEY_RTKIT_DEMOTED_N, "1"),
    SERVER("*rtkit-daemon[*uccessfully demoted thread", ST_KEY_DAEMON_RTKIT_DAEMON, "1"),
    SERVER("*rtkit-daemon[*uccessfully demoted thread", ST_KEY_PROCESSES_N, "1"),
    SERVER("*rtkit-daemon[*uccessfully demoted thread", ST_KEY_THREADS_PART, "1"),
    SERVER("*rtkit-daemon[*uccessfully demoted thread*/pipewire)", ST_KEY_DAEMON_PIPEWIRE, "1"),
};

/** Which pairs of bytes a line has: most patterns are ruled out by their first one. */
struct pairs {
    uint64_t bits[64];
};

static unsigned pair_at(const char *at)
{
    return ((unsigned char)at[0] * 31U + (unsigned char)at[1]) % 4096;
}

static bool may_match(const struct pairs *pairs, const char *pattern)
{
    const unsigned pair = pair_at(pattern + 1);
    return pattern[0] != '*' || strcspn(pattern + 1, "*%") < 2 ||
           (pairs->bits[pair / 64] >> pair % 64 & 1) != 0;
}

/** "$1", "$u". */
static void fill(char *to, size_t bytes, const char *with, const struct st_post_parts *parts,
                 const char *unit)
{
    to[0] = '\0';
    for (; *with != '\0'; with++) {
        const size_t i = with[0] == '$' ? (size_t)(with[1] - '1') : SIZE_MAX;
        if (i < parts->n)
            st_text_append(to, bytes, "%s", parts->text[i]);
        else if (with[0] == '$' && with[1] == 'u')
            st_text_append(to, bytes, "%s", unit);
        else
            st_text_append(to, bytes, "%c", with[0]);
        with += with[0] == '$' && with[1] != '\0';
    }
}

/** "8192 KiB", "unlimited". @return false: it is none. */
static bool take_limit(struct st_post *post, const char *key, char *value)
{
    int64_t number = ST_UNLIMITED;
    const int64_t factor = st_text_ends(value, " KiB") ? 1024 : 1;
    value[strcspn(value, " ")] = '\0';
    if (!st_text_is(value, "unlimited") &&
        (st_text_int(value, &number) != 0 || number < 0 || number > INT64_MAX / 1024))
        return false;
    st_post_int(post, key, number == ST_UNLIMITED ? number : number * factor);
    return true;
}

/** Of "1001(ann),0(wheel)" the names. */
static void take_groups(struct st_post *post, char *value)
{
    char names[ST_POST_PART_SIZE] = "";
    ST_TEXT_EACH (group, value, ", ") {
        const char *name = strchr(group, '(');
        st_text_join(names, sizeof(names), " ", "%.*s", (int)strcspn(name != NULL ? name + 1 : group, ")"),
                     name != NULL ? name + 1 : group);
    }
    st_post_text(post, ST_KEY_USER_GROUPS, names);
}

/** A second kernel is another computer, or another start of this one: the text ends there. */
static void see_release(struct st_post *post, const char *release)
{
    if (post->release[0] == '\0')
        ST_PRINT(post->release, "%.99s", release);
    else if (!st_text_is(post->release, release) && post->second_line == 0)
        post->second_line = post->line_n;
}

static void set(struct st_post *post, const char *kind, char *target, char *value)
{
    if (target[0] == '@') {
        ST_PRINT(post->section, "%.31s", target + 1);
        ST_PRINT(post->unit, "%.119s", value);
        return;
    }
    if (st_text_is(target, "/proc/sys/kernel/osrelease"))
        see_release(post, value);
    if (target[0] == '\0' || strstr(value, "...") != NULL || post->second_line != 0) /* shortened by hand */
        return;
    st_post_kind(post, st_text_begins(kind, "alsa-") ? "alsa-info" : kind);
    if (target[0] == '/') {
        st_post_answer_add(st_post_answer_new(post, target), value);
        post->votes[ST_OS_LINUX]++;
    } else if (target[0] == '+') {
        st_post_answer_add(st_post_answer_last(post, target + 1), value);
    } else if (st_text_is(target, ST_KEY_RT_RTPRIO_LIMIT) ||
               st_text_is(target, ST_KEY_RT_MEMLOCK_LIMIT_BYTES)) {
        if (take_limit(post, target, value))
            st_post_text(post, ST_KEY_USER_LIMITS_FROM, kind);
    } else if (st_text_is(target, ST_KEY_USER_GROUPS)) {
        take_groups(post, value);
    } else {
        post->votes[ST_OS_FREEBSD] +=
            st_text_begins(target, "freebsd.kld") || st_text_begins(target, "freebsd.dead");
        st_post_text(post, target, value);
    }
}

static bool take_values(struct st_post *post, const char *line, const struct pairs *pairs)
{
    struct st_post_parts parts;
    bool any = false;
    ST_EACH (row, values) {
        char target[200], value[ST_POST_PART_SIZE + 16];
        if ((row->own && !st_text_is(row->kind, post->section)) || !may_match(pairs, row->pattern) ||
            !st_post_match(line, row->pattern, &parts) || (any && row->target[0] == '\0'))
            continue;
        fill(target, sizeof(target), row->target, &parts, post->unit);
        fill(value, sizeof(value), row->value, &parts, post->unit);
        set(post, row->kind, target, value);
        any = true;
    }
    return any;
}

/* --- logs --- */

#define NS_PER_US 1e3
#define NS_PER_MS 1e6
#define RIGHT_BY_LIMITS                                                                                      \
    "Give the right by limits instead: sudo usermod -aG GROUP USER, with the group of "                      \
    "/etc/security/limits.d that has rtprio (pipewire, realtime, audio), then log in again"

/* A line of a log, and what all such lines say. "$s": the parts number `subject`; "$f": that swap is full, if
 * so; "$n": " 5 times"; "$t": " in 11 s"; "$m": the largest last part, of `unit_ns`, in ms; "$k": the kernel;
 * "$1": of the last line. NULL: the row before says it. "": such a line means nothing here. The most
 * important ones first; the first that matches counts. */
static const struct log_row {
    const char *pattern;
    int subject; /* 0: none */
    const char *sentence;
    double unit_ns;
} logs[] = {
    /* PipeWire: spa/plugins/alsa/alsa-pcm.c, src/pipewire/impl-node.c of 0.3.30 to 1.6 */
    {"*spa.alsa: %l: snd_pcm_%s error: No such device", 1,
     "$s went away$n$t: the kernel lost the device (cable, hub, power); no setting of PipeWire cures that",
     0},
    {"*spa.alsa: %l: snd_pcm_%s No such device", 1, NULL, 0},
    {"*spa.alsa: %l: (%d suppressed) snd_pcm_avail after recover:", 1,
     "$s ran dry$n$t (xrun): PipeWire came too late for the card's buffer", 0},
    {"*spa.alsa: %l: (%d missed) snd_pcm_avail after recover:", 1, NULL, 0},
    {"*spa.alsa: %l: snd_pcm_avail after recover:", 1, NULL, 0},
    {"*spa.alsa: %l: snd_pcm_mmap_commit error:", 1, NULL, 0},
    {"*spa.alsa: %l: snd_pcm_mmap_begin error:", 1, NULL, 0},
    {"*spa.alsa: %l: XRun! ", 1, NULL, 0},
    {"*get_avail()] %l: (%d suppressed) snd_pcm_avail after recover:", 1, NULL, 0},
    {"*snd_pcm_avail after recover:", 0, NULL, 0},
    {"*spa.alsa: %l: follower *resync", 1,
     "PipeWire put $s in step$n$t: such a card's clock is not the one that drives PipeWire. Use one card to "
     "play and to record, or give it a reserve (api.alsa.headroom = 1024)",
     0},
    {"*()] %l: follower *resync", 1, NULL, 0},
    {"*(alsa_%l) xrun state:", 1, "", 0},
    {"*pw.node: (%l) xrun state:", 1, "$s did not finish its part of PipeWire's cycle$n$t", 0},
    {"*(%l) xrun state:", 1, NULL, 0},
    {"*(%l) client missed %d wakeups", 1, NULL, 0},
    {"*pw.node: (%l) graph xrun ", 1, "PipeWire's cycle was not done in time$n$t", 0},
    {"*XRun! count:%d time:", 0, NULL, 0},
    {"*graph xrun ", 0, NULL, 0},
    /* programs that ended */
    {"*ANOM_ABEND*comm=\"%l\"*sig=%d", 1, "$s was ended by signal $2$t: a crash, not a late cycle", 0},
    {"*rocess %d (%l) of user %d terminated abnormally with signal %l,", 2,
     "$s ended with signal $4$t: a crash, not a late cycle", 0},
    {"*State 'stop-sigterm' timed out. Killing", 0,
     "systemd killed a service that did not stop in time, which is no dropout", 0},
    {"*Failed with result 'timeout'", 0, "", 0},
    {"Max realtime timeout 0 ", 0,
     "A program's limit RLIMIT_RTTIME is 0: as soon as one of its threads takes real-time priority the "
     "kernel kills it",
     0},
    {"RTTIME * tasks 0 ", 0, NULL, 0},
    {"RTTimeUSecMax: x %d", 0, "", 0},
    {"MaxRealtimePriority: i %d", 0, "", 0},
    {"MinNiceLevel: i %d", 0, "", 0},
    /* rtkit: rtkit-daemon.c; PipeWire's module-rt.c; xdg-desktop-portal's realtime.c */
    {"*rtkit-daemon[*Demoted %d threads", 0,
     "rtkit took real-time priority away from programs$t: its watchdog got no CPU", 0},
    {"*rtkit-daemon[*uccessfully demoted thread %d", 0, NULL, 0},
    {"*Reached burst limit for user '%l'", 1,
     "rtkit's burst limit was reached$n$t: it refused requests of user $s. " RIGHT_BY_LIMITS, 0},
    {"*Reached maximum concurrent threads limit for user '%l'", 1,
     "rtkit refused requests of user $s$n$t: too many concurrent threads. " RIGHT_BY_LIMITS, 0},
    {"*Reached maximum concurrent process limit for user '%l'", 1,
     "rtkit refused requests of user $s$n$t: too many processes. " RIGHT_BY_LIMITS, 0},
    {"*Realtime error: %l", 0,
     "The desktop portal refused real-time priority$n$t ($1), so programs run without it. " RIGHT_BY_LIMITS,
     0},
    {"*RTKit error: org.freedesktop.DBus.Error.ServiceUnknown", 0,
     "A server asked for rtkit, which is not installed or does not run", 0},
    {"*could not make thread %l realtime*: %l", 0,
     "A sound program asked for real-time priority and was refused$n$t", 0},
    {"*could not make thread realtime: %l", 0, NULL, 0},
    {"*RTKit does not give us MinNiceLevel", 0,
     "PipeWire could not ask rtkit for its nice level: that is no refusal of real-time priority", 0},
    /* JACK: jack2's common/JackEngine.cpp, posix/JackPosixThread.cpp, linux/alsa; QjackCtl */
    {"*JackEngine::XRun: client = %l was not finished", 1,
     "JACK did not wait for $s, which was not finished in time$n$t", 0},
    {"*JackEngine::XRun: client %l finished after current callback", 1, NULL, 0},
    {"*JackEngine::XRun: client = %l was not run", 1, NULL, 0},
    {"*alsa_pcm: xrun of at least %d msecs", 0, "JACK's card ran dry$n$t, for up to $m ms", NS_PER_MS},
    {"*ALSA XRun wait_status =", 0, NULL, 0},
    {"*Cannot use real-time scheduling (%l)", 0,
     "JACK asked for real-time priority ($1) and has no right to it", 0},
    {"*Cannot lock down %d byte memory area", 0,
     "JACK may not lock its memory ($1 bytes): the limit memlock is too low", 0},
    {"*configuring for %dHz, period = %d frames (%d ms), buffer = %d periods", 0,
     "JACK runs at $2 frames ($3 ms) with $4 periods, on Linux's ALSA", 0},
    {"*XRUN callback (%d)", 0, "QjackCtl's running total of xruns is $1", 0},
    /* PulseAudio: src/modules/alsa/alsa-util.c */
    {"*ALSA woke us up to write new data to the device, but there was actually nothing to write", 0,
     "The card's driver woke PulseAudio with nothing to write: too early, which is no dropout", 0},
    {"*ALSA woke us up to read new data from the device, but there was actually nothing to read", 0, NULL, 0},
    {"*alsa-sink.c: Underrun!", 0, "PulseAudio's card ran dry$n$t", 0},
    /* the kernel */
    {"*Out of memory: Killed process %d (%l)", 2,
     "The computer's memory ran out$t: the kernel killed $s. Until then it may stop any program that waits "
     "for "
     "memory: close programs, or add swap (zram)",
     0},
    {"*RT Watchdog Timeout (hard): %l[", 1,
     "The kernel killed $s$n: its real-time thread did not sleep for longer than its limit (RLIMIT_RTTIME)",
     0},
    {"*Memory cgroup out of memory: Killed process %d (%l)", 2,
     "$s reached the limit of its own group (a container or service) and was killed, which is not the "
     "computer's memory",
     0},
    {"*usb %l: clock source %d is not valid", 1,
     "The USB interface at $s has no valid clock: its link or its firmware fails (-71 is such an error), and "
     "no "
     "setting cures that. Another cable, port or clock source of the interface may",
     0},
    {"*usb %l: uac_clock_source_is_valid(): cannot get clock validity", 1, NULL, 0},
    {"*usb %l: *cannot set freq %d*err %d", 1,
     "The USB interface at $s did not take its rate (error $3): its link or its firmware fails. Try another "
     "cable and port",
     0},
    {"*snd-usb-audio %l: probe with driver snd-usb-audio failed with error %d", 1, NULL, 0},
    {"*usb %l: *cannot get freq at ep", 1, "", 0},
    {"*disabled by hub (EMI?), re-enabling", 0,
     "A hub switched a USB port off$n$t: electrical noise, a bad cable or too little power", 0},
    {"*usb %l: reset %s USB device number", 1, "The kernel reset the USB device at $s$n$t: its link failed",
     0},
    {"*xhci_hcd *WARN ", 0,
     "The USB controller complained$n$t (xhci_hcd): its driver or the device misbehaves", 0},
    {"*xhci_hcd *ERROR ", 0, NULL, 0},
    {"*retire_%s_urb: %d callbacks suppressed", 0, "USB lost packets of sound, $2 in the last such line$n$t",
     0},
    {"*cannot submit urb*err %d", 0, "The kernel could not send sound over USB$n$t (error $1)", 0},
    {"*USB disconnect, device number %d", 0, "A USB device went away$n$t", 0},
    {"Momentary freq = 0 Hz", 0,
     "The USB stream that runs has no rate (Momentary freq = 0 Hz): the driver gets no feedback of the "
     "interface. No setting cures that: try an older kernel than $k, another port and cable",
     0},
    {"Momentary freq = %d Hz", 0, "The USB stream runs at $1 Hz", 0},
    {"*Marking clocksource '%l' as unstable", 0,
     "The kernel found the clock $1 unstable and left it: each look at the clock is slow now (hpet, acpi_pm)",
     0},
    {"*Marking TSC unstable", 0, NULL, 0},
    {"*hrtimer: interrupt took %d ns", 0, "An interrupt of the kernel's timers took up to $m ms", 1},
    {"*sched: RT throttling activated", 0,
     "The kernel stopped real-time threads$n$t (RT throttling): one of them did not sleep", 0},
    {"*temperature above threshold, cpu clock*throttled", 0,
     "The processor was too hot$n$t and was slowed down", 0},
    {"*soft lockup - CPU#%d stuck for %d", 0, "A CPU was stuck in the kernel$n$t, for $2 s", 0},
    {"*IRQ timing workaround is activated for card #%d", 1,
     "The HDA card $s interrupts at other times than it says: the kernel works around that", 0},
    {"*Unstable LPIB", 0, "the HDA card reports a wrong position$n$t", 0},
    {"*, underruns 0,", 0, "", 0},
    {"*, underruns %d,", 0, "A FreeBSD channel counted $1 underruns$n (the card ran dry)", 0},
    {"xruns = 0", 0, "", 0},
    {"xruns = %d", 0, "A FreeBSD channel counted $1 underruns$n (the card ran dry)", 0},
    {"*pcm%d:*play interrupt timeout, channel dead", 1,
     "The interrupts of pcm$s did not arrive$n (channel dead)", 0},
    /* measurements */
    {"T:*P:%d *Max: %d", 0,
     "cyclictest: a thread of priority $1 woke up to $m ms late. That is the kernel, the firmware or "
     "interrupts, "
     "and no setting of a sound server",
     NS_PER_US},
    {"Swap: %v %v %v", 0, "$2 of $1 (swap, as free counts) are in use$f", 0},
    {"*uccessfully made thread %d of process %d *RT at priority %d", 0, "rtkit gave real-time priority $3$n",
     0},
    {"*inked with libpipewire %v", 0, "PipeWire $1 is installed", 0},
    {"PipeWire '%l' [%v, ", 0, "PipeWire $2 runs", 0},
    {"Server Name: PulseAudio (on PipeWire %v)", 0, "PipeWire $1 runs", 0},
    /* nothing here */
    {"*rtkit-daemon[%d]: ", 0, "", 0},
    {"*mod.rt: ", 0, "", 0},
    {"*pipewire[%d]: ", 0, "", 0},
    {"*pipewire-pulse[%d]: ", 0, "", 0},
    {"*wireplumber[%d]: ", 0, "", 0},
    {"*pulseaudio[%d]: ", 0, "", 0},
    {"*systemd[%d]: ", 0, "", 0},
    {"*audit[%d]: ", 0, "", 0},
    {"*kernel: ", 0, "", 0},
    {"[%d] ", 0, "", 0},
    {"[ %d] ", 0, "", 0},
    {"[%s %s %d %d:", 0, "", 0},
    {"*ERROR: ", 0, "", 0},
    {"*jackd ", 0, "", 0},
    {"JACK server starting", 0, "", 0},
    {"self-connect-mode is", 0, "", 0},
    {"ALSA: ", 0, "", 0},
    {"audio_reservation_init", 0, "", 0},
    {"Acquire audio card", 0, "", 0},
    {"jackdmp ", 0, "", 0},
    {"AcquireSelfRealTime error", 0, "", 0},
    {"policy: ", 0, "", 0},
    {"USER PID ", 0, "", 0},
};
_Static_assert(ST_ARRAY_LEN(logs) <= ST_POST_SEEN_MAX, "a row in struct st_post for each");

/** The time of day of a line of a journal, or of dmesg since the start, s. @return < 0: it has none. */
static double time_of(const char *line)
{
    unsigned hours, minutes;
    double seconds;
    for (size_t i = 0; i < 24 && line[i] != '\0'; i++) {
        if (line[i] >= '0' && line[i] <= '9' && (i == 0 || strchr(" T[", line[i - 1]) != NULL) &&
            sscanf(line + i, "%2u:%2u:%9lf", &hours, &minutes, &seconds) == 3)
            return 3600.0 * hours + 60.0 * minutes + seconds;
    }
    return line[0] == '[' && sscanf(line, "[%15lf]", &seconds) == 1 ? seconds : -1;
}

static int64_t suppressed(const char *line)
{
    const char *at = strstr(line, " suppressed)");
    if (at == NULL)
        at = strstr(line, " missed)");
    while (at != NULL && at > line && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return at != NULL && at > line && at[-1] == '(' ? strtol(at, NULL, 10) : 0;
}

static void see(struct st_post_seen *seen, const struct log_row *row, const char *line,
                const struct st_post_parts *parts)
{
    const double now_s = time_of(line), number = parts->n > 0 ? strtod(parts->text[parts->n - 1], NULL) : 0;
    if (seen->n++ == 0)
        seen->first_s = now_s;
    seen->last_s = now_s;
    seen->suppressed_n += suppressed(line);
    seen->most = fmax(seen->most, number);
    if (parts->n >= seen->parts.n)
        seen->parts = *parts;
    if (row->subject == 0)
        return;
    const char *subject = parts->text[row->subject - 1];
    ST_EACH_OF (known, seen->subjects, ST_MIN(seen->subjects_n, ST_ARRAY_LEN(seen->subjects))) {
        if (strncmp(*known, subject, sizeof(*known) - 1) == 0)
            return;
    }
    if (seen->subjects_n < ST_ARRAY_LEN(seen->subjects))
        ST_PRINT(seen->subjects[seen->subjects_n], "%.79s", subject);
    seen->subjects_n++;
}

static bool take_logs(struct st_post *post, const char *line, const struct pairs *pairs)
{
    struct st_post_parts parts;
    size_t first = 0;
    ST_EACH (row, logs) {
        const size_t i = (size_t)(row - logs);
        first = row->sentence != NULL ? i : first;
        if (!may_match(pairs, row->pattern) || !st_post_match(line, row->pattern, &parts))
            continue;
        if (logs[first].sentence[0] != '\0') {
            see(&post->seen[first], row, line, &parts);
            st_post_kind(post, "log");
        }
        return true;
    }
    return false;
}

/** "3.9Gi" */
static double size_of(const char *text)
{
    static const char units[] = "BKMGT";
    char *end;
    const double number = strtod(text, &end);
    const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
    return number * pow(1024, unit != NULL ? (double)(unit - units) : 0);
}

static void say(struct st_post *post, const struct log_row *row, const struct st_post_seen *seen)
{
    char subjects[256] = "", text[700] = "";
    const size_t n = ST_MIN(seen->subjects_n, ST_ARRAY_LEN(seen->subjects));
    for (size_t i = 0; i < n; i++)
        st_text_join(subjects, sizeof(subjects), i + 1 == n && seen->subjects_n == n ? " and " : ", ", "%s",
                     seen->subjects[i]);
    if (seen->subjects_n > n)
        ST_APPEND(subjects, " and %zu more", seen->subjects_n - n);
    for (const char *at = row->sentence; *at != '\0'; at++) {
        if (*at != '$') {
            ST_APPEND(text, "%c", *at);
            continue;
        }
        const size_t part = (size_t)(*++at - '1');
        if (part < seen->parts.n)
            ST_APPEND(text, "%s", seen->parts.text[part]);
        else if (*at == 's')
            ST_APPEND(text, "%s", subjects);
        else if (*at == 'k')
            ST_APPEND(text, "%s", post->release[0] != '\0' ? post->release : "this one");
        else if (*at == 'm')
            ST_APPEND(text, "%.1f", seen->most * row->unit_ns / NS_PER_MS);
        else if (*at == 'f' && size_of(seen->parts.text[1]) > 0.9 * size_of(seen->parts.text[0]))
            ST_APPEND(text, ": swap is nearly full, so memory runs out, and programs wait for the disk");
        else if (*at == 'n' && seen->n > 1)
            ST_APPEND(text, " %" PRId64 " times", seen->n);
        else if (*at == 't' && seen->n > 1 && seen->first_s >= 0 && seen->last_s > seen->first_s)
            ST_APPEND(text, " in %.0f s", seen->last_s - seen->first_s);
    }
    if (seen->suppressed_n > 0)
        ST_APPEND(text, " (at least: %" PRId64 " more lines were suppressed, which is no number of dropouts)",
                  seen->suppressed_n);
    st_post_say(post, "%s", text);
}

bool st_post_rows(struct st_post *post, const char *line)
{
    st_post_journal(post, line);
    struct pairs pairs = {0};
    for (const char *at = line; *at != '\0'; at++)
        pairs.bits[pair_at(at) / 64] |= UINT64_C(1) << pair_at(at) % 64;
    const bool is_value = take_values(post, line, &pairs);
    return take_logs(post, line, &pairs) || is_value;
}

void st_post_rows_end(struct st_post *post)
{
    ST_EACH (row, logs) {
        const struct st_post_seen *seen = &post->seen[row - logs];
        if (seen->n > 0)
            say(post, row, seen);
    }
}
