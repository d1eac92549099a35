/* Line patterns in posted texts that hold one value each, and what is said in words. */
#include "advisor/parse/answer.h"
#include "advisor/post/post.h"

#define OSRELEASE "/proc/sys/kernel/osrelease"
#define CPUFREQ   "/sys/devices/system/cpu/cpufreq/"

/* A line that matches `pattern` sets `target` to `value` (NULL: "$1"): a file ("/..."; '+': a
 * further line of it), a setting of PipeWire ('^'), a sentence ('!'), the section ('@'), the
 * computer's name ('?'), else a fact; NULL: nothing. "$1": a part of the pattern; "$u": what the
 * section is about. `kind`: source of the line, NULL: that of the row above; '=': the row applies
 * only within that section. */
static const struct value_row {
    const char *pattern, *target, *value, *kind;
} values[] = {
    {"uname -r: %s", OSRELEASE, "$1", "uname"},
    {"*Linux %s %v #%d", "?"},
    {"*Linux %s %v #%d", OSRELEASE, "$2"},
    {"*Linux %s %v #%l", "/proc/sys/kernel/version", "#$3"},
    {"*#1-NixOS", "/etc/NIXOS", "1"},
    {"*ExecStart=/nix/store/", "/etc/NIXOS", "1"},
    {"*Linux %v x86_64", OSRELEASE},
    {"*Linux %v aarch64", OSRELEASE},
    {"*Linux %v #%l", OSRELEASE},
    {"*Linux %v #%l", "/proc/sys/kernel/version", "#$2"},
    {"*Linux version %v (%l) #%l", OSRELEASE},
    {"*Linux version %v (%l) #%l", "/proc/sys/kernel/version", "#$3"},
    /* a warning of the kernel: "Not tainted 6.1.0 #1" */
    {"*ainted*%v #%d", OSRELEASE},
    {"*grep %l /boot/config-%v", OSRELEASE, "$2"},
    {"ii pipewire %v", ST_KEY_PIPEWIRE_VERSION, "$1", "versions"}, /* dpkg -l */
    {"ii pipewire:%s %v", ST_KEY_PIPEWIRE_VERSION, "$2"},
    /* apt policy */
    {"Installed: %v", ST_KEY_PIPEWIRE_VERSION, "$1", "=apt"},
    {"%s:", "@"},
    {"pipewire:", "@apt", NULL, "apt"},
    {"*Server-%d: PipeWire v: %s *status: active", ST_KEY_DAEMON_PIPEWIRE, "1", "inxi"},
    {"*Server-%d: PipeWire v: %v status: active", ST_KEY_PIPEWIRE_VERSION, "$2"},
    {"*Server-%d: JACK v: %s *status: active", ST_KEY_DAEMON_JACKD, "1"},
    {"*Server-%d: PulseAudio v: %s *status: active", ST_KEY_DAEMON_PULSEAUDIO, "1"},
    {"[*ommand line: %l", "/proc/cmdline", "$1", "dmesg"},
    {"*kernel: *ommand line: %l", "/proc/cmdline"},
    {"*Switched to clocksource %s",
     "/sys/devices/system/clocksource/clocksource0/current_clocksource"},
    {"*Marking clocksource 'tsc' as unstable", ST_KEY_CLOCKSOURCE_UNSTABLE, "1"},
    {"*Marking TSC unstable", ST_KEY_CLOCKSOURCE_UNSTABLE, "1"},
    {"*Dynamic Preempt: %s", "/sys/kernel/debug/sched/preempt", "($1)"},

    {"CONFIG_%s=%l", ST_KEYS_CONFIG "$1", "$2", "kernel config"},
    {"CONFIG_%s is not set", ST_KEYS_CONFIG "$1", "n"},
    {"CONFIG_PREEMPT_RT_FULL=y", "/sys/kernel/realtime",
     "1"}, /* patched kernels up to 4.19 have both */

    {"!!Kernel Information", "@alsa-info", NULL, "alsa-info"},
    {"!!Sound Servers on this system", "@alsa-servers"},
    {"!!Loaded sound module options", "@alsa-modules"},
    {"PipeWire:", "@alsa-servers", "pipewire", "=alsa-servers"},
    {"Pulseaudio:", "@alsa-servers", "pulseaudio"},
    {"Jack:", "@alsa-servers", "jackd"},
    {"Jack2:", "@alsa-servers", "jackdbus"},
    {"Running - Yes", ST_KEYS_DAEMON "$u", "1"},
    {"!!Module: %s", "@alsa-modules", "$1", "=alsa-modules"},
    {"%s : %l", "/sys/module/$u/parameters/$1", "$2"},
    {"!!%l", .kind = "alsa-info"},

    {"analyzing CPU %d:", "@cpupower", "policy$1", "cpupower"},
    {"driver: %s", CPUFREQ "$u/scaling_driver", "$1", "=cpupower"},
    {"*The governor \"%l\" may decide", CPUFREQ "$u/scaling_governor"},
    {"energy performance preference: %s", CPUFREQ "$u/energy_performance_preference"},
    {"available cpufreq governors: %l", CPUFREQ "$u/scaling_available_governors"},

    {"*real-time priority *(-r) %s", ST_KEY_RT_RTPRIO_LIMIT, "$1", "ulimit"},
    {"ulimit -r: %s", ST_KEY_RT_RTPRIO_LIMIT},
    {"ulimit -l: %s", ST_KEY_RT_MEMLOCK_LIMIT_BYTES, "$1 KiB"},
    {"-r: *priority %s", ST_KEY_RT_RTPRIO_LIMIT},
    {"*locked *(kbytes, -l) %s", ST_KEY_RT_MEMLOCK_LIMIT_BYTES, "$1 KiB"},
    {"-l: *(kbytes) %s", ST_KEY_RT_MEMLOCK_LIMIT_BYTES, "$1 KiB"},
    {"*s, -%s) "}, /* (kbytes, -m) and the like */
    {"*(-%l) "},
    {"RTPRIO * priority %s", ST_KEY_RT_RTPRIO_LIMIT, "$1", "=prlimit"},
    {"MEMLOCK * space %s", ST_KEY_RT_MEMLOCK_LIMIT_BYTES},
    {"uid=%d(%l) gid=*groups=%l", ST_KEY_USER_UID, "$1", "id"},
    {"uid=%d(%l) gid=*groups=%l", ST_KEY_USER_NAME, "$2"},
    {"uid=%d(%l) gid=*groups=%l", ST_KEY_USER_GROUPS, "$3"},
    {"%l", ST_KEY_USER_GROUPS, "$1", "=groups"},

    {"\"schema\": \"sleeptune-listen/1\"", "@listen", NULL, "sleeptune listen"},
    /* "back": null means that `listen` read the recording from a file: the lines below then do not
     * describe this machine's card */
    {"\"back\": null", "@json", NULL, "=listen"},
    {"\"kernel\": \"FreeBSD", "@json"},
    {"\"drift_ppm\": %s", ST_KEY_LISTEN_INVALID},
    {"\"rate_ppm\": %s", ST_KEY_LISTEN_RATE_PPM},
    {"\"valid\": true", "@listened"},
    {"\"drift_ppm\": %s", ST_KEY_LISTEN_DRIFT_PPM, "$1", "=listened"},
    {"\"rate_ppm\": %s", ST_KEY_LISTEN_RATE_PPM},

    /* output of the script realtimeconfigquickscan */
    {"CPU %d: '%l'", CPUFREQ "policy$1/scaling_governor", "$2", "quickscan"},
    {"Checking swappiness... %d", "/proc/sys/vm/swappiness"},
    {"Checking filesystem 'noatime' parameter... %v kernel", OSRELEASE},
    {"Checking the ability to prioritize processes with chrt... yes", ST_KEY_RT_FIFO_ERRNO, "0"},
    {"Checking the ability to prioritize processes with chrt... no", ST_KEY_RT_FIFO_ERRNO,
     "1"}, /* EPERM */
    {"Checking kernel support for high resolution timers... found",
     ST_KEYS_CONFIG "HIGH_RES_TIMERS", "y"},
    {"Kernel with Real-Time Preemption... found", ST_KEYS_CONFIG "PREEMPT_RT", "y"},
    {"Checking %l... "},

    {"rtcqs - version", "@rtcqs", NULL, "rtcqs"},
    {"*Soundcard %s with IRQ %d does not share", ST_KEYS_IRQ "$2.actions", "$1", "=rtcqs"},
    {"*Soundcard %s with IRQ %d does not share", ST_KEY_IRQ_READABLE, "1"},
    {"*Soundcard %s with IRQ %d shares * other devices %l", ST_KEYS_IRQ "$2.actions", "$3"},
    {"*Soundcard %s with IRQ %d shares * other devices %l", ST_KEY_IRQ_READABLE, "1"},
    {"*] User %s is *rtprio (%d) and memlock (%d)", ST_KEY_USER_NAME},
    {"*rtprio (%d) and memlock (%d)", ST_KEY_RT_RTPRIO_LIMIT},
    {"*rtprio (%d) and memlock (%d)", ST_KEY_RT_MEMLOCK_LIMIT_BYTES, "$2"},
    {"*wappiness is set %s %d", "/proc/sys/vm/swappiness", "$2"},
    {"*configured without swap", "/proc/swaps", "Filename"},
    {"*] Kernel %v", OSRELEASE},
    {"NAME TYPE", "/proc/swaps", "Filename", "=swapon"},
    {"/%s %s %s %s %d", "+/proc/swaps", "/$1 $2 0 0 $5"},
    {"Swap: 0 0 0", "/proc/swaps", "Filename", "free"},
    {"Swap: 0B 0B 0B", "/proc/swaps", "Filename"},
    {"Mem: %v %v %v"},
    {"total used free shared"},

    {"* key:'clock.%l' value:'%l'", "^clock.$1", "$2", "pw-metadata"},
    {"* key:'%l' value:'%l'"},
    {"Found \"settings\" metadata"},
    {"*update-props = {", "@condition", NULL, "pipewire.conf"},
    {"*.overrides = {", "@condition"},
    {"*s = { %l", "@"},
    {"}", "@", NULL, "=condition"},
    {"*default.clock.%l = \"%d\"", "^clock.$1", "$2", "pw-cli"},
    {"version: \"%v\"", ST_KEY_PIPEWIRE_VERSION, "$1", "=pw-cli"},
    {"*version: \"%v\"", ST_KEY_PIPEWIRE_VERSION, "$1", "=pw-mon"},
    {"\"default.clock.%l\": %d", "^clock.$1", "$2", "pw-dump"},
    {"\"version\": \"%v\"", ST_KEY_PIPEWIRE_VERSION, "$1", "=pw-dump"},
    {"PipeWire '%l' [%v, ", "@wpctl", NULL, "wpctl"},
    {"PipeWire '%l' [%v, ", ST_KEY_PIPEWIRE_VERSION, "$2"},
    {"PipeWire '%l' [%v, ", ST_KEY_DAEMON_PIPEWIRE, "1"},
    {"*Server Name: PulseAudio (on PipeWire %l)", ST_KEY_PIPEWIRE_VERSION, "$1", "pactl"},
    {"*Server Name: PulseAudio (on PipeWire %l)", ST_KEY_DAEMON_PIPEWIRE, "1"},
    {"*Server Name: PulseAudio (on PipeWire %l)", ST_KEY_DAEMON_PIPEWIRE_PULSE, "1"},
    {"Driver: PipeWire", ST_KEY_DAEMON_PIPEWIRE, "1"},
    {"*Server Name: pulseaudio", ST_KEY_DAEMON_PULSEAUDIO, "1"},
    {"%s.service - ", "@systemctl", "$1", "systemctl"},
    {"%s.socket - ", "@systemctl"},
    {"Active: active (running)", ST_KEYS_DAEMON "$u", "1", "=systemctl"},
    {"Active: failed (Result: %l)", "!", "$u failed ($1)"},
    {"*inked with libwireplumber %v", ST_KEY_WIREPLUMBER_VERSION, "$1", "wireplumber"},
    {"*inked with libpipewire %v", ST_KEY_PIPEWIRE_VERSION, "$1", "pipewire"},

    {"*jackd -%l", ST_KEY_JACK_COMMAND, "jackd -$1", "JACK"},
    {"-%l -d alsa %l", ST_KEY_JACK_COMMAND, "jackd -$1 -d alsa $2"}, /* only the options */
    {"-%l -dalsa %l", ST_KEY_JACK_COMMAND, "jackd -$1 -d alsa $2"},
    {"*creating alsa driver ... %l|%l|%d|%d|%d|", ST_KEY_JACK_BUFFER_FRAMES, "$3"},
    {"*creating alsa driver ... %l|%l|%d|%d|%d|", ST_KEY_JACK_RATE_HZ, "$5"},
    {"*creating alsa driver ... %l|%l|%d|%d|%d|", ST_KEY_DAEMON_JACKD, "1"},
    {"*Hardware PCM card %d '%l' device %d subdevice %d", "@aplay", "card$1/pcm$3p/sub$4", "aplay"},
    {"*buffer_size%l: %d", "+/proc/asound/$u/hw_params", "buffer_size: $2", "=aplay"},
    {"*period_size%l: %d", "+/proc/asound/$u/hw_params", "period_size: $2"},
    {"*rate%l: %d", "+/proc/asound/$u/hw_params", "rate: $2"},

    {"buffer size = %d sample rate = %d", ST_KEY_JACK_BUFFER_FRAMES, "$1", "JACK"},
    {"buffer size = %d sample rate = %d", ST_KEY_JACK_RATE_HZ, "$2"},
    /* settings of QjackCtl */
    {"Frame*/Period: %d", ST_KEY_JACK_BUFFER_FRAMES},
    {"Frame*/Period: %d", ST_KEY_DAEMON_JACKD, "1"},
    {"Sample Rate: %d", "@JACK"},
    {"Frame*/Period: %d", ST_KEY_JACK_RATE_HZ, "$u", "=JACK"},
    {"interrupt total rate", "@vmstat", NULL, "vmstat"},
    {"%d %d 0x%s %s mac_priority.ko", ST_KEY_FREEBSD_KLDSTAT_MAC_PRIORITY, "1", "kldstat"},
    {"%d %d 0x%s %s kernel", ST_KEY_FREEBSD_KLDSTAT_ASKED, "mac_priority"},
    {"%d %d 0x%s %s %s"},
    {"Id Refs Address Size Name"},
    {"RTTimeUSecMax: x %d", ST_KEY_PORTAL_RT_TIME_US, "$1", "portal"},
    {"RTTimeUSecMax: (<int64 %d>",
     ST_KEY_PORTAL_RT_TIME_US}, /* gdbus prints the property in this form */
    {"powerd is running", ST_KEY_FREEBSD_POWERD_RUNNING, "1", "powerd"},
    {"powerd is not running", ST_KEY_FREEBSD_POWERD_RUNNING, "0"},
    {"*pcm%d: *play interrupt timeout, channel dead", ST_KEY_FREEBSD_DEAD_CHANNEL, "pcm$1",
     "dmesg"},

#define NO_RT(kind, pattern)                                                                       \
    {pattern, ST_KEY_PROCESSES_N, "1", kind}, {pattern, ST_KEY_THREADS_PART, "1"},                 \
        {pattern, ST_KEY_DAEMON_PIPEWIRE, "1"},                                                    \
    {                                                                                              \
        pattern, ST_KEYS_NORMAL_THREAD "0.process", "pipewire"                                     \
    }
    NO_RT("journal", "* pipewire[%d]: *RTKit error: org.freedesktop.DBus.Error.ServiceUnknown"),
    NO_RT("=pipewire", "*RTKit error: org.freedesktop.DBus.Error.ServiceUnknown"),
    NO_RT("journal", "* pipewire[%d]: *could not make thread"),
    {"*rtkit-daemon[*uccessfully demoted thread*/pipewire)", ST_KEY_DAEMON_PIPEWIRE, "1"},
};

/** Names of sections: each is the output of one program or, as "json", one document. Lines of a
 * section that match no pattern of the table above count as understood, since the report does not
 * need them. */
static const char *const sections[] = {
    "cpupower",  "prlimit", "rtcqs",  "pw-cli", "pw-mon", "pw-dump",  "wpctl", "pactl",
    "systemctl", "aplay",   "vmstat", "sndctl", "listen", "listened", "json",  NULL};
/** Reads a limit: "8192 KiB", "unlimited". @return false: the value is no limit. */
static bool take_limit(struct st_post *post, const char *key, char *value)
{
    int64_t number = ST_UNLIMITED;
    const bool kib = st_text_ends(value, " KiB");
    value[strcspn(value, " ")] = '\0';
    if (!st_text_is(value, "unlimited") &&
        (st_text_int(value, &number) != 0 || number < 0 || number > INT64_MAX / 1024))
        return false;
    if (kib && number != ST_UNLIMITED)
        number *= 1024;
    st_post_int(post, key, number);
    return true;
}

#define PPM_MAX 1e6
/* `listen` marks a run with a larger value as invalid (remark "clocks") */
#define CLOCKS_PPM 1000

/** Reads a clock difference in ppm that `listen` printed: a number or null. */
static void take_ppm(struct st_post *post, const char *key, const char *value)
{
    char *end;
    const double ppm = strtod(value, &end);
    if (st_text_is(key, ST_KEY_LISTEN_INVALID)) {
        if (fabs(ppm) <= CLOCKS_PPM) {
            st_post_int(post, key, 1);
            return;
        }
        key = ST_KEY_LISTEN_DRIFT_PPM;
    }
    if (end != value && fabs(ppm) < PPM_MAX)
        st_post_int(post, key, llround(ppm));
    else if (!st_text_begins(value, "null"))
        st_facts_put_state(post->facts, key, ST_FACT_MALFORMED, 0, value, post->name);
}

/** Reads the group names from "1001(ann),0(wheel)". */
static void take_groups(struct st_post *post, char *value)
{
    const char *names = "";
    int64_t number;
    ST_TEXT_EACH (name, value, ", ()") {
        if (st_text_int(name, &number) != 0)
            names = st_text_joined(names, " ", name);
    }
    st_post_text(post, ST_KEY_USER_GROUPS, names);
}

/** May both texts be the release of one kernel, because `longer` begins with `shorter`? "6.1" is
 * not a shortened "6.12". */
static bool is_same_release(const char *shorter, const char *longer)
{
    const size_t n = strlen(shorter);
    return strncmp(longer, shorter, n) == 0 && !(longer[n] >= '0' && longer[n] <= '9');
}

/** Remembers the text's first kernel release. A line with another release belongs to another
 * computer or boot: the text is ignored from that line on. */
static void see_release(struct st_post *post, const char *release)
{
    if (post->release[0] == '\0')
        ST_PRINT(post->release, "%.99s", release);
    else if (post->second_line == 0 && !is_same_release(release, post->release) &&
             !is_same_release(post->release, release))
        post->second_line = post->line_n;
}

static void set(struct st_post *post, const char *kind, const char *target, char *value)
{
    if (target[0] == '?') {
        st_post_host(post, post->uname_host, value);
        return;
    }
    if (target[0] == '@') {
        ST_PRINT(post->section, "%.31s", target + 1);
        /* what the section is about (`unit`) becomes part of a key, so it may have only these
         * characters */
        ST_PRINT(post->unit, "%.119s", st_text_is_of(value, "-_./@") ? value : "");
        return;
    }
    if (target[0] == '!') {
        st_post_say(post, "%s", value);
        st_post_kind(post, kind);
        return;
    }
    if (st_text_is(target, OSRELEASE))
        see_release(post, value);
    if (st_text_is(target, ST_KEY_JACK_COMMAND)) {
        /* a command without a driver, such as "jackd -V", starts no server; one with a network
         * driver (netone) runs with the period of another computer */
        if (strstr(value, " -d") == NULL && strstr(value, " --driver") == NULL)
            return;
        st_post_int(post, ST_KEY_DAEMON_JACKD, 1);
        if (strstr(value, " -d net") != NULL)
            return;
        post->votes[ST_OS_FREEBSD] +=
            strstr(value, " -doss") != NULL || strstr(value, " -d oss") != NULL;
    }
    /* "...": someone shortened the value by hand */
    if (strstr(value, "...") != NULL || post->second_line != 0 ||
        !st_text_is_of(target + strspn(target, "+^"), "-_./@"))
        return;
    st_post_kind(post, st_text_begins(kind, "alsa-")    ? "alsa-info"
                       : st_text_begins(kind, "listen") ? "sleeptune listen"
                                                        : kind);
    if (target[0] == '/') {
        st_post_answer_add(st_post_answer_new(post, target), value);
        post->votes[ST_OS_LINUX]++;
    } else if (target[0] == '^') {
        const char *key = st_answer_pipewire_key(target + 1);
        if (key != NULL)
            st_post_text(post, key, value);
        st_post_int(post, ST_KEY_DAEMON_PIPEWIRE, 1); /* the server answered, so it runs */
    } else if (target[0] == '+') {
        st_post_answer_add(st_post_answer_last(post, target + 1), value);
    } else if (st_text_is(target, ST_KEY_RT_RTPRIO_LIMIT) ||
               st_text_is(target, ST_KEY_RT_MEMLOCK_LIMIT_BYTES)) {
        if (take_limit(post, target, value))
            st_post_text(post, ST_KEY_USER_LIMITS_FROM,
                         st_text_is(post->unit, "shell") ? "ulimit" : kind);
    } else if (st_text_is(target, ST_KEY_USER_GROUPS)) {
        take_groups(post, value);
    } else if (st_text_begins(target, "linux.listen.")) {
        take_ppm(post, target, value);
    } else {
        post->votes[ST_OS_FREEBSD] +=
            st_text_begins(target, "freebsd.kld") || st_text_begins(target, "freebsd.dead");
        st_post_text(post, target, value);
    }
}

static bool take_values(struct st_post *post, const char *line)
{
    struct st_pattern_parts parts;
    const char *unit = post->unit, *kind = NULL;
    bool any = false;
    ST_EACH (row, values) {
        kind = st_text_or(row->kind, kind);
        const bool is_own = kind[0] == '=';
        if (!st_post_may_match(post, line, row->pattern) ||
            (is_own && !st_text_is(kind + 1, post->section)) ||
            !st_pattern_match(line, row->pattern, &parts))
            continue;
        any = true;
        if (row->target != NULL)
            set(post, kind + is_own, st_post_fill(row->target, &parts, "u", &unit),
                st_post_fill(st_text_or(row->value, "$1"), &parts, "u", &unit));
    }
    return any || st_text_is_among(post->section, sections);
}

/* --- versions and settings in words --- */

/* Patterns of what stands behind the first letter of a word (people write it small or large), in a
 * line without marks. A version that is alone in its line or behind a label sets `target`. All
 * others, and settings, may be wishes, advice or the past: one sentence quotes them. */
static const struct said_row {
    const char *pattern, *target;
} said[] = {
    {"ernel %v", OSRELEASE},
    {"ernel %s %v", OSRELEASE}, /* version, release, is */
    {"ernel %s uname -r %v", OSRELEASE},
    {"inux-image-%v"}, /* a package, whose kernel may not run */
    {"inux-%s %v", OSRELEASE},
    {"inux %v"},
    {"ipe%sire %v", ST_KEY_PIPEWIRE_VERSION},
    {"ipe%sire %s pipewire --version %v", ST_KEY_PIPEWIRE_VERSION},
    {"ipe%sire %s %v", ST_KEY_PIPEWIRE_VERSION}, /* also "1:0.3.85", with the epoch */
    {"ipewire-%v", ST_KEY_PIPEWIRE_VERSION},     /* rpm -q */
    {"uantum *%d"},
    {"UANT *%d"},
    {"lock.%suantum *%d"},
    {"efault.clock.%suantum *%d"},
    {"lock.rate *%d"},
    {"uff%sr size *%d"},
    {"ower_save *%d"},
};

/** Finds versions and settings in words. Of a configuration only the quotation matters: the file
 * that has it is unknown. */
static bool take_words(struct st_post *post, const char *line)
{
    char plain[1024]; /* work grows with the square of its length */
    struct st_pattern_parts parts;
    bool any = false;
    ST_PRINT(plain, " %s", line);
    for (char *mark = plain; (mark = strpbrk(mark, "*`\"'()[]{},;<>|=:/")) != NULL;)
        *mark = " \t"[*mark == ':']; /* patterns take a tab for a blank, and it shows a label */
    for (const char *at = plain; (at = strchr(at, ' ')) != NULL && at[1] != '\0'; at++) {
        ST_EACH (row, said) {
            if (strncmp(at + 2, row->pattern, 2) != 0 || strcspn(at + 2, "0123456789") > 40 ||
                !st_pattern_match(at + 2, row->pattern, &parts))
                continue;
            char *value = parts.text[parts.n - 1];
            const char *end = strstr(at, value) + strlen(value);
            end -= end[-1] == '.';
            const char *quote = st_text("%.*s", (int)(end - at - 1), at + 1);
            if (st_text_ends(row->pattern, "v") && value[1] != '.')
                continue;
            st_post_kind(post, "words");
            any = true;
            /* begins: behind a label's value ("Host: x Kernel: 6.5") or behind nothing but a
             * picture (fastfetch); "Last good kernel: 6.5" is not this one */
            const size_t before = (size_t)(at - plain);
            const bool begins = strcspn(plain, "\t") < before ||
                                strcspn(plain, "abcdefghijklmnopqrstuvwxyz") >= before;
            if (row->target != NULL &&
                ((at[1] < 'a' && begins && strcspn(at, "\t") < (size_t)(end - at)) ||
                 (at == plain && end[strspn(end, " ")] == '\0'))) {
                set(post, "words", row->target, value);
                return true;
            }
            if (strstr(post->words, quote) == NULL)
                st_text_join(post->words, sizeof(post->words), ", ", "%s", quote);
        }
    }
    return any;
}
bool st_post_rows(struct st_post *post, const char *line)
{
    st_post_journal(post, line);
    memset(post->pairs, 0, sizeof(post->pairs));
    for (const char *at = line; *at != '\0'; at++)
        post->pairs[st_post_pair_at(at) / 64] |= UINT64_C(1) << st_post_pair_at(at) % 64;
    const bool is_value = take_values(post, line), is_said = !is_value && line[0] != '#' &&
                                                             st_post_time_of(line) < 0 &&
                                                             take_words(post, line);
    /* quickscan prints all CPUs in one line */
    const char *cpu = st_text_begins(line, "Checking CPU ") ? line : "";
    while ((cpu = strstr(cpu, " CPU ")) != NULL)
        (void)take_values(post, ++cpu);
    return post->second_line != 0 || st_text_is(post->section, "condition") ||
           st_post_logs(post, line) || is_value || is_said;
}

void st_post_rows_end(struct st_post *post)
{
    if (post->words[0] != '\0' && post->line_n < 50)
        st_post_say(post,
                    "This text names: %s. These words may be wishes or advice: to have settings "
                    "judged, paste what pw-top, uname -a or 'sleeptune share' print",
                    post->words);
}
