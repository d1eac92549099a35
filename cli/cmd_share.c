/* sleeptune share: prints a short text about this machine, to paste where someone is asked for
 * help. A line has numbers, sleeptune's own words, and words from elsewhere that have a strict
 * form, so no name of a user, a host or a device gets into it. */
#include <ctype.h>
#include <unistd.h>

#include "advisor/parse/share_text.h"
#include "advisor/report/report.h"
#include "cli/command.h"
#include "cli/report/facts_input.h"
#include "cli/show/daemon_client.h"
#include "core/ns.h"
#include "core/text/json.h"
#include "platform/proc.h"
#include "st_config.h"
#include "xruns/dropout_reason.h"

#define COLUMNS      76
#define TEXT_BYTES   4096
#define FINDINGS_MAX 7 /* findings with a separate line; others are in a list */
#define PROGRAMS_MAX 4
#define HISTORY_MS   500
#define HOUR_S       3600.0

static const char help[] =
    "Usage: sleeptune share [OPTION...]\n"
    "Print at most 40 lines about this machine, to paste where you ask for help:\n"
    "versions, sound card, dropouts of the last day, and what the settings cost.\n"
    "They name no user, host or device, and nothing is sent. Whoever helps you runs\n"
    "'sleeptune report FILE' on what you pasted.\n\n"
    "  --root DIR         read a saved copy of a machine (or FreeBSD capture)\n" ST_NO_SERVERS_HELP
    "  -h, --help         this text\n\n"
    "Examples:\n"
    "  sleeptune share\n"
    "  sleeptune share | xclip\n\n"
    "Exit status: 0 done, 3 usage, 4 failure.\n";

/** Prints like printf(), and breaks the text into lines of COLUMNS. */
static void ST_PRINTF(1, 2) put(const char *format, ...)
{
    char text[TEXT_BYTES];
    ST_PRINT_REST(text, sizeof(text), format);
    st_text_wrap(stdout, text, 0, COLUMNS);
}

/* --- words from elsewhere --- */

/** Copies the numbers and common words of a name of a kernel, distribution, CPU, driver or program.
 * Other words are left out, since whoever built or named the thing may have written anything there.
 * @return whether all words were copied. */
static bool copy_known(const char *text, char *ret, size_t ret_bytes)
{
    static const char known[] =
        /* words of names of kernels, distributions, virtual machines and containers */
        "aarch aws amd arch arm asahi azure bpo cachyos cloud current deb el fc generic hardened "
        "lowlatency lqx lts manjaro microsoft neptune p pve raspi rc realtime release rpi rpt rt "
        "standard stable v valve wsl x xanmod zen linux alpine bazzite debian fedora gentoo kali "
        "linuxmint mx nixos nobara opensuse leap tumbleweed pop raspbian rhel rocky steamos ubuntu "
        "void docker flatpak lxc podman bhyve hyperv kvm oracle parallels qemu vmware xen "
        /* CPUs, governors, drivers */
        "apple athlon atom celeron core epyc gen gold i intel n pentium pro processor r ryzen "
        "silver st nd rd th threadripper tm ultra xeon conservative ondemand performance powersave "
        "schedutil userspace audio av bcm bebob cmi dice digi dsp dummy fireface hammerfall hd hda "
        "hdmi hdsp hdspm ice loopback motu oxfw oxygen pcm rme sof tascam usb via virtuoso "
        /* programs */
        "ableton alsa ardour audacity bitwig brave bristol capture carla chrome chromium data "
        "discord easyeffects element ffplay firefox fluidsynth google guitarix hydrogen jack kodi "
        "live loop lmms mixxx mpv mumble obs pipewire playback pulse pulseaudio pw qsynth qtractor "
        "reaper renoise rosegarden skype slack spotify steam studio supercollider teams telegram "
        "vlc voiceengine webrtc wine wireplumber zoom zynaddsubfx";
    static const char marks[] = " -+_~/()@";
    bool is_all = text[0] != '\0';
    ret[0] = '\0';
    for (size_t len; *text != '\0'; text += len) {
        const char *word = text + strspn(text, marks);
        char letters[16] = "";
        size_t n = 0;
        len = (size_t)(word - text) + strcspn(word, marks);
        for (; isalpha((unsigned char)word[n]) && n < sizeof(letters) - 1; n++)
            letters[n] = (char)tolower((unsigned char)word[n]);
        const size_t digits = strspn(word + n, "0123456789.x"),
                     rest = len - (size_t)(word - text) - n - digits;
        const bool is_known = digits <= 10 && rest <= (digits > 0 && n == 0) /* "5800X" */ &&
                              (n == 0 ? digits > 0 : st_proc_has_word(known, letters));
        is_all = is_all && is_known;
        if (is_known)
            st_text_append(ret, ret_bytes, "%.*s", (int)len, text);
    }
    if (ret[0] == '\0')
        st_text_append(ret, ret_bytes, "?");
    return is_all;
}

/** @return the name of a common program or of one in /usr/bin; "a program" instead of any other
 * name. */
static const char *program_of(const char *name)
{
    const bool is_file =
        st_text_is_of(name, "_+-") && access(st_text("/usr/bin/%.40s", name), X_OK) == 0;
    return is_file || (isalpha((unsigned char)name[0]) && copy_known(name, ST_ROOM(80)))
               ? name
               : "a program";
}

/* --- the machine --- */

enum form { VALUE, RUNS, COUNT, MOST, LIMIT, YES_NO, RIGHT };

static const struct row {
    /* label of a new line that begins with this row; NULL: the row continues the line before */
    const char *line;
    const char *name, *prefix, *suffix; /* prefix and suffix of the keys of the facts that the row
                                           shows; suffix NULL: "" */
    enum form form;
} rows[] = {
    {"system", "Linux", ST_KEY_KERNEL_RELEASE},
    {NULL, "FreeBSD", ST_KEY_FREEBSD_KERN_OSRELEASE},
    {NULL, "distribution", ST_KEY_DISTRIBUTION},
    {NULL, "PipeWire runs", ST_KEY_DAEMON_PIPEWIRE, "", RUNS},
    {NULL, "version", ST_KEY_PIPEWIRE_VERSION},
    {NULL, "WirePlumber", ST_KEY_WIREPLUMBER_VERSION},
    {NULL, "PulseAudio runs", ST_KEY_DAEMON_PULSEAUDIO, "", RUNS},
    {NULL, "JACK runs", ST_KEY_DAEMON_JACKD, "", RUNS},
    {"machine", "CPU", ST_KEY_CPU_MODEL},
    {NULL, "governor", ST_KEYS_CPUFREQ, ".governor"},
    {NULL, "virtual machine", ST_KEY_VIRTUAL, "", YES_NO},
    {NULL, "hypervisor", ST_KEY_SYSTEM_HYPERVISOR},
    {NULL, "hypervisor", ST_KEY_FREEBSD_KERN_VM_GUEST},
    {NULL, "container", ST_KEY_SYSTEM_CONTAINER},
    {"card", "driver", ST_KEYS_CARD, ".driver"},
    {NULL, "on USB", ST_KEYS_CARD, ".controller", RUNS},
    {NULL, "period", ST_KEYS_ALSA, ".period_frames"},
    {NULL, "buffer", ST_KEYS_ALSA, ".buffer_frames"},
    {NULL, "rate", ST_KEYS_ALSA, ".rate_hz"},
    {NULL, "block in microseconds", ST_KEYS_FREEBSD_SNDSTAT, ".block_us"},
    {"rights", "real-time priority", ST_KEY_RT_FIFO_ERRNO, "", RIGHT},
    {NULL, "real-time priority", ST_KEY_FREEBSD_RT_FIFO_ERRNO, "", RIGHT},
    {NULL, "limit rtprio", ST_KEY_RT_RTPRIO_LIMIT, "", LIMIT},
    {NULL, "rtkit runs", ST_KEY_DAEMON_RTKIT_DAEMON, "", RUNS},
    {NULL, "rtkit has failed", ST_KEY_RTKIT_FAILED_N, "", YES_NO},
    {NULL, "rtkit took priorities away", ST_KEY_RTKIT_DEMOTED_N, "", YES_NO},
    {NULL, "rtkit refusals", ST_KEY_RTKIT_REFUSED_N},
    {NULL, "threads with real-time priority", ST_KEYS_RT_THREAD, ".process", COUNT},
    {NULL, "highest priority", ST_KEYS_RT_THREAD, ".priority", MOST},
    {NULL, "audio threads without real-time priority", ST_KEYS_NORMAL_THREAD, ".process", COUNT},
    {NULL, "microseconds of computing allowed without a sleep", ST_KEYS_RT_TIME, ".limit_us",
     LIMIT},
    {"kernel-log", "card", ST_KEY_KERNEL_LOG_CARD_N},
    {NULL, "USB", ST_KEYS_KERNEL_LOG, "usb_n"},
    {NULL, "clock", ST_KEYS_KERNEL_LOG, "clock_n"},
    {NULL, "heat", ST_KEYS_KERNEL_LOG, "heat_n"},
    {NULL, "memory", ST_KEY_KERNEL_LOG_MEMORY_N},
    {NULL, "programs killed for not sleeping", ST_KEY_KERNEL_LOG_RT_TIME_N},
};

/** @return a word that is clearer than the fact's value; NULL: print the value. */
static const char *word_of(const struct st_fact *fact, enum form form)
{
    if (form == RIGHT)
        return fact->i64 == 0 ? "allowed" : "refused";
    if (form == YES_NO)
        return fact->i64 == 0 ? "no" : "yes";
    return form == LIMIT && fact->i64 < 0 ? "no limit" : NULL;
}

/** Adds a row to the line, such as "governor powersave,": the distinct values of the row's facts,
 * their number, or the highest one. Adds nothing if there is no fact. */
static void add_row(char *line, const struct st_facts *facts, const struct row *row)
{
    char values[160] = "/", value[80] = "not readable";
    int64_t n = 0, most = 0;
    ST_FACTS_EACH (fact, facts, row->prefix, st_text_or(row->suffix, "")) {
        const char *word = fact->state == ST_FACT_OK ? word_of(fact, row->form) : NULL;
        if (word != NULL)
            ST_PRINT(value, "%s", word);
        else if (fact->state == ST_FACT_OK)
            copy_known(fact->text, value, sizeof(value));
        else if (!st_fact_is_unread(fact))
            continue;
        n++;
        most = ST_MAX(most, fact->i64);
        if (strstr(values, st_text("/%s/", value)) == NULL)
            ST_APPEND(values, "%s/", value);
    }
    if (row->form == COUNT || row->form == MOST)
        ST_PRINT(values, "/%jd/", row->form == COUNT ? n : most);
    if (n > 0 && row->form == RUNS)
        st_text_append(line, ST_SHARE_LINE_BYTES, " %s,", row->name);
    else if (n > 0)
        st_text_append(line, ST_SHARE_LINE_BYTES, " %s %.*s,", row->name, (int)strlen(values) - 2,
                       values + 1);
}

static void put_machine(const struct st_facts *facts)
{
    char line[ST_SHARE_LINE_BYTES];
    for (size_t i = 0; i < ST_ARRAY_LEN(rows);) {
        const char *label = rows[i].line;
        ST_PRINT(line, "%s", label);
        do
            add_row(line, facts, &rows[i++]);
        while (i < ST_ARRAY_LEN(rows) && rows[i].line == NULL);
        put("%s%s", line, st_text_is(line, label) ? " not known" : "");
    }
}

/** Prints the buffer size and who set it. If one of `says` shows that the text names a program,
 * prints "set by a program" instead, since the text must not have names. */
static void put_buffer(const struct st_wish *wish)
{
    static const char *const says[] = {" asked for ", " forces ", " uses "};
    const char *why = wish->why;
    ST_EACH (word, says)
        why = strstr(wish->why, *word) != NULL ? "set by a program" : why;
    if (wish->in_use)
        put("buffer frames=%u, rate_hz=%u, %s", (unsigned)wish->frames, (unsigned)wish->rate_hz,
            why);
    else
        put("buffer size in use not known, settings checked for %u frames at %u Hz",
            (unsigned)wish->frames, (unsigned)wish->rate_hz);
}

/* --- what sleeptuned recorded --- */

static const char *rate_of(const json_t *side)
{
    const double hours = st_ns_seconds(st_json_integer(side, "playing_ns")) / HOUR_S;
    const double n = (double)st_json_integer(side, "dropouts");
    return hours > 0 ? st_text("%.1f dropouts an hour in %.1f h", n / hours, hours)
                     : "not measured";
}

/** Prints the last change of the kernel, with the dropouts per hour before and since. */
static void put_kernel(const json_t *history)
{
    const char *line =
        history != NULL ? "not changed since sleeptuned began to record" : "changes not recorded";
    char before[80], now[80];
    ST_JSON_EACH (change, history, "changes") {
        ST_JSON_EACH (what, change, "what") {
            if (!st_text_is(st_json_text_of(what, "name"), "kernel"))
                continue;
            copy_known(st_json_text_of(what, "before"), before, sizeof(before));
            copy_known(st_json_text_of(what, "now"), now, sizeof(now));
            line = st_text("%s: %s; before, %s: %s", now, rate_of(json_object_get(change, "since")),
                           before, rate_of(json_object_get(change, "before")));
        }
    }
    put("kernel %s", line);
}

/** "computed too long 84"; "": the reason is not one that this version knows. */
static const char *reason_text(const json_t *row)
{
    for (enum st_dropout_reason reason = 0; reason < ST_DROPOUT_REASONS; reason++) {
        if (st_text_is(st_json_text_of(row, "reason"), st_dropout_reason_name(reason)))
            return st_text("%s %jd", st_dropout_reason_text(reason),
                           st_json_integer(row, "dropouts"));
    }
    return "";
}

static void put_dropouts(const json_t *history)
{
    char line[ST_SHARE_LINE_BYTES] = "";
    const json_t *dropouts = json_object_get(history, "dropouts");
    int64_t watched_ns = 0, programs_n = 0;
    ST_JSON_EACH (source, history, "watched")
        watched_ns = ST_MAX(watched_ns, st_json_integer(source, "watched_ns"));
    ST_JSON_EACH (source, dropouts, "sources") {
        ST_JSON_EACH (client, source, "clients") {
            if (st_json_integer(client, "dropouts") == 0 || programs_n++ >= PROGRAMS_MAX)
                continue;
            const char *reasons = "";
            ST_JSON_EACH (row, client, "rows") {
                if (st_json_integer(row, "dropouts") > 0)
                    reasons = st_text_joined(reasons, ", ", reason_text(row));
            }
            const char *part =
                st_text("%s %s%s", line[0] != '\0' ? ";" : "",
                        program_of(st_json_text_of(client, "name")), st_text_with(" ", reasons));
            /* add all of this program's text or nothing: a number must not be cut */
            if (strlen(line) + strlen(part) < sizeof(line) - 1)
                ST_APPEND(line, "%s", part);
        }
    }
    if (watched_ns > 0)
        put("dropouts dropouts=%jd, in a day of which %s were %s%s.",
            st_json_integer(dropouts, "count"), st_ns_long(watched_ns),
            line[0] != '\0' ? ST_SHARE_PROGRAMS : "watched", line);
    else
        put("dropouts not recorded");
}

/* --- findings --- */

/** Prints the finding with the numbers that its rule reads, as far as the line has room. */
static void put_finding(const struct st_finding *finding)
{
    char text[COLUMNS] = "", number[TEXT_BYTES];
    if (finding->effect_known)
        ST_PRINT(text, ", us=%.0f", fmin(finding->effect_us, INT32_MAX));
    for (const char *const *key = finding->rule->facts; *key != NULL; key++) {
        const struct st_fact *fact = st_facts_find(finding->facts, *key);
        if (fact == NULL || !fact->is_int || !st_share_text_may(fact->key, *key))
            continue;
        ST_PRINT(number, "%s, %s=%jd", text, *key, fact->i64);
        if (strlen(number) + strlen(finding->rule->id) <
            COLUMNS - sizeof(ST_SHARE_FINDING "  problem."))
            ST_PRINT(text, "%s", number);
    }
    put(ST_SHARE_FINDING " %s %s%s.", finding->rule->id, st_finding_statuses[finding->status].name,
        text);
}

static void put_findings(const struct st_report *report)
{
    static const enum st_status lists[] = {ST_STATUS_PROBLEM, ST_STATUS_ADVICE, ST_STATUS_OK,
                                           ST_STATUS_UNKNOWN};
    size_t first = 0, n = 0;
    while (first < FINDINGS_MAX && first < report->findings_n &&
           st_finding_has_fired(&report->findings[first]))
        put_finding(&report->findings[first++]);
    ST_EACH (status, lists) {
        char text[TEXT_BYTES] = "";
        for (size_t i = first; i < report->findings_n; i++) {
            if (report->findings[i].status == *status && ++n > 0)
                ST_APPEND(text, " %s,", report->findings[i].rule->id);
        }
        if (text[0] != '\0')
            put("%s%s", st_finding_statuses[*status].name, text);
    }
    put("end ids=%zu, rules=%zu, sleeptune " ST_VERSION, first + n, report->findings_n);
}

/** Asks sleeptuned what it recorded in the last day, but only if it has answered before, so as not
 * to wait twice for a daemon that hangs. @return NULL: not known. */
static json_t *ask_history(const struct st_facts *facts)
{
    struct st_daemon_answer answer;
    json_t *document = NULL;
    if (st_facts_find(facts, ST_MUSIC_COUNTED) == NULL)
        return NULL;
    if (st_daemon_client_try(NULL, "history?since=24h", HISTORY_MS, &answer) == 0)
        document = json_incref(answer.document);
    st_daemon_client_finish(&answer);
    return document;
}

static int print_share(const struct st_facts *facts)
{
    struct st_report report;
    char date[16];
    const time_t now = (time_t)(st_platform_wall_ns(st_platform_native()) / ST_NS_PER_S);
    struct tm utc;
    const int r = st_report_make(facts, 0, 0, &report);
    if (r != 0)
        return st_failure("%s", strerror(-r));
    json_t *history = ask_history(facts);
    strftime(date, sizeof(date), "%Y-%m-%d", gmtime_r(&now, &utc));
    put(ST_SHARE_BEGINS " %s", date);
    put_machine(facts);
    put_buffer(&report.wish);
    put_kernel(history);
    put_dropouts(history);
    put_findings(&report);
    json_decref(history);
    st_report_finish(&report);
    st_failure_note("sleeptune sent nothing. Paste these lines where you ask for help.");
    return ST_EXIT_DONE;
}

int st_cmd_share(int argc, char **argv)
{
    struct st_facts_input input = {0};
    const struct st_option options[] = {
        {"root", .text = &input.root},
        {"no-servers", .flag = &input.no_servers},
    };
    int status = st_options_only(options, ST_ARRAY_LEN(options), help, argc, argv);
    if (status >= 0)
        return status;
    struct st_facts *facts = NULL;
    st_facts_input_of_player(&input);
    status = st_facts_input_load(&input, &facts);
    if (status == ST_EXIT_DONE)
        status = print_share(facts);
    st_facts_free(facts);
    return status;
}
