/* What servers answer, and what becomes of it: the fake prints what the clients print. */
#include <unistd.h>

#include "advisor/collect/collect.h"
#include "tests/fake/fake.h"
#include "tests/unit/shown_facts.h"

#define PW        "pw-metadata -n settings"
#define PW_DUMP   "pw-dump --no-colors"
#define PACTL     "pactl list short modules"
#define RTKIT_LOG "journalctl -b -q -u rtkit-daemon -o cat -n 200"

static struct st_platform *p;
static struct st_facts *facts;

static int setup(void **state)
{
    unsetenv("XDG_RUNTIME_DIR");
    p = st_fake_new(ST_OS_LINUX, 0);
    facts = st_facts_new(ST_OS_LINUX);
    return p != NULL && facts != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    st_facts_free(facts);
    st_fake_free(p);
    return 0;
}

static void answer(const char *command, const char *text, int error)
{
    assert_int_equal(st_fake_set_answer(p, command, text, error), 0);
}

static void fact(const char *key, const char *value)
{
    assert_int_equal(st_facts_put_text(facts, key, value, "a file"), 0);
}

static void ask(void)
{
    const struct st_ask how = {0};
    assert_int_equal(st_ask_servers(p, &how, facts), 0);
}

static void show_answers(void)
{
    const char *mine = st_text("%lu", (unsigned long)geteuid());
    ST_FACTS_EACH (user, facts, "linux.daemon_user.", "") {
        if (st_fact_is(user, mine))
            fact(user->key, "who runs this test");
    }
    show_facts(facts);
    show("--");
}

static void look(void)
{
    ask();
    show_answers();
}

static const char settings[] =
    "Found \"settings\" metadata 30\n"
    "update: id:0 key:'log.level' value:'2' type:''\n"
    "update: id:0 key:'clock.rate' value:'48000' type:''\n"
    "update: id:0 key:'clock.allowed-rates' value:'[ 44100, 48000 ]' type:''\n"
    "update: id:0 key:'clock.quantum' value:'256' type:''\n"
    "update: id:0 key:'clock.min-quantum' value:'16' type:''\n"
    "update: id:0 key:'clock.max-quantum' value:'2048' type:''\n"
    "update: id:0 key:'clock.force-quantum' value:'0' type:''\n";

static void a_running_value_wins_over_a_file(void **state)
{
    fact("linux.daemon.pipewire", "700");
    fact("linux.pipewire.quantum", "1024");
    fact("linux.pipewire.vm_min_quantum", "1024");
    answer(PW, settings, 0);
    look();
}

/* pw-dump of PipeWire 0.3.65, less most properties and objects. It prints a list for what changes
 * meanwhile, too. */
static const char nodes[] =
    "[\n  {\n    \"id\": 46,\n    \"info\": null\n  }\n]\n"
    "[\n  {\n    \"id\": 0,\n    \"type\": \"PipeWire:Interface:Core\",\n    \"version\": 3,\n"
    "    \"info\": {\n      \"cookie\": 2667560484,\n      \"version\": \"0.3.65\",\n"
    "      \"name\": \"pipewire-0\"\n    }\n  },\n  {\n    \"id\": 45,\n    \"type\": "
    "\"PipeWire:Interface:Node\",\n    \"version\": 3,\n"
    "    \"permissions\": [ \"r\", \"w\", \"x\", \"m\" ],\n"
    "    \"info\": {\n      \"max-input-ports\": 0,\n      \"state\": \"running\",\n      "
    "\"error\": null,\n"
    "      \"props\": {\n        \"application.name\": \"pw-cat\",\n        \"client.id\": 40,\n"
    "        \"node.force-quantum\": 128,\n        \"node.latency\": \"360/48000\",\n"
    "        \"node.name\": \"pw-cat\",\n        \"node.rate\": \"1/48000\",\n        "
    "\"stream.is-live\": "
    "true\n"
    "      }\n    }\n  },\n"
    "  {\n    \"id\": 40,\n    \"type\": \"PipeWire:Interface:Client\",\n    \"info\": {\n"
    "      \"props\": {\n        \"application.name\": \"pw-cat\"\n      }\n    }\n  },\n"
    /* a null sink with audio.rate = 44100 */
    "  {\n    \"id\": 33,\n    \"type\": \"PipeWire:Interface:Node\",\n    \"info\": {\n"
    "      \"state\": \"running\",\n      \"props\": {\n        \"media.class\": \"Audio/Sink\",\n"
    "        \"node.driver\": true\n      },\n      \"params\": {\n        \"Format\": [\n         "
    " {\n"
    "            \"mediaType\": \"audio\",\n            \"format\": \"F32P\",\n            "
    "\"rate\": 44100\n"
    "          }\n        ]\n      }\n    }\n  },\n"
    /* a device, as quoted in issue 5242 of thesofproject/linux */
    "  {\n    \"id\": 58,\n    \"type\": \"PipeWire:Interface:Node\",\n    \"info\": {\n      "
    "\"props\": {\n"
    "        \"api.alsa.headroom\": 1024,\n        \"api.alsa.open.ucm\": true,\n"
    "        \"api.alsa.path\": \"hw:sofhdadsp\"\n      }\n    }\n  }\n]\n";

static void nodes_say_what_programs_ask_for(void **state)
{
    fact("linux.daemon.pipewire", "700");
    answer(PW_DUMP, nodes, 0);
    look();
    answer(PW_DUMP, "{}", 0);
    look();
}

/* Captured from PipeWire 0.3.65, less most properties: pw-play through a null sink. Added in the
 * same form: a filter behind pw-play, a meter, a screen cast, a program of pipewire-pulse (PipeWire
 * src/modules/module-protocol-pulse: client.api, stream.monitor) */
#define CLIENT(id, props)                                                                          \
    "{\"id\":" id ",\"type\":\"PipeWire:Interface:Client\",\"info\":{\"props\":{" props "}}},"
#define NODE(id, client, props)                                                                    \
    "{\"id\":" id                                                                                  \
    ",\"type\":\"PipeWire:Interface:Node\",\"info\":{\"state\":\"running\",\"props\":"             \
    "{\"client.id\":" client "," props "}}},"
#define LINK(id, output, input)                                                                    \
    "{\"id\":" id ",\"type\":\"PipeWire:Interface:Link\",\"info\":{\"output-node-id\":" output     \
    ",\"input-node-id\":" input ",\"state\":\"active\"}},"

static const char graph[] =
    "[" CLIENT("31", "\"application.name\":\"WirePlumber\",\"pipewire.sec.pid\":29101") NODE(
        "36", "31", "\"media.class\":\"Audio/Sink\",\"node.driver\":true,\"node.name\":\"nul\"")
        CLIENT("40", "\"application.name\":\"pw-cat\",\"application.process.id\":2,\"pipewire.sec."
                     "pid\":29649")
            NODE("41", "40", "\"media.class\":\"Stream/Output/Audio\",\"node.name\":\"pw-play\"")
                LINK("44", "41", "50") CLIENT("49", "\"pipewire.sec.pid\":3200") NODE(
                    "50", "49", "\"node.name\":\"a filter, JACK programs have no class\"")
                    LINK("45", "50", "36") CLIENT("51", "\"pipewire.sec.pid\":3400") NODE(
                        "52", "51",
                        "\"media.class\":\"Stream/Input/Audio\",\"stream.monitor\":\"true\"")
                        LINK("53", "36", "52") CLIENT("54", "\"pipewire.sec.pid\":2400") NODE(
                            "55", "54", "\"media.class\":\"Stream/Input/Video\"")
                            CLIENT("56", "\"pipewire.sec.pid\":1900") NODE(
                                "57", "56", "\"media.class\":\"Stream/Output/Video\"")
                                LINK("58", "57", "55") CLIENT(
                                    "59",
                                    "\"client.api\":\"pipewire-pulse\",\"application.process.id\":"
                                    "\"3000\",\"pipewire.sec.pid\":701")
                                    NODE("60", "59",
                                         "\"client.api\":\"pipewire-pulse\",\"media.class\":"
                                         "\"Stream/Output/Audio\"")
                                        LINK("61", "60", "36") "{\"id\":62,\"type\":\"PipeWire:"
                                                               "Interface:Link\",\"info\":null}]";

static void who_is_linked_with_a_device_plays(void **state)
{
    fact("linux.daemon.pipewire", "700");
    answer(PW_DUMP, graph, 0);
    look();
}

static void who_does_not_run_is_not_asked(void **state)
{
    fact("linux.pipewire.quantum", "1024");
    answer(PW, settings, 0);
    look();
}

static void no_answer_in_time_makes_the_files_doubtful(void **state)
{
    fact("linux.daemon.pipewire", "700");
    fact("linux.pipewire.quantum", "1024");
    answer(PW, "", -ETIMEDOUT);
    look();
}

static void so_do_a_flood_and_nonsense(void **state)
{
    fact("linux.daemon.pipewire", "700");
    fact("linux.daemon.jackd", "701");
    fact("linux.daemon.pulseaudio", "702");
    answer(PW, "", -EFBIG);
    answer("jack_bufsize", "\033[2J", 0);
    answer("jack_samplerate", "0", 0);
    answer(PACTL, "it works\n", 0);
    look();
}

static void a_malformed_setting_is_one(void **state)
{
    fact("linux.daemon.pipewire", "700");
    answer(PW, "update: id:0 key:'clock.quantum' value:'many' type:''\n", 0);
    look();
}

static void without_the_client_or_the_right_the_files_count(void **state)
{
    fact("linux.daemon.pipewire", "700");
    fact("linux.daemon.jackd", "701");
    fact("linux.pipewire.quantum", "1024");
    answer("jack_bufsize", "", -EIO); /* the server is of another user */
    look();
}

static void nobody_is_asked_on_wish(void **state)
{
    const struct st_ask how = {.skip = true};
    fact("linux.daemon.pipewire", "700");
    fact("linux.pipewire.quantum", "1024");
    answer(PW, settings, 0);
    assert_int_equal(st_ask_servers(p, &how, facts), 0);
    show_answers();
}

static void a_socket_in_a_folder_of_others_is_not_used(void **state)
{
    fact("linux.daemon.pipewire", "700");
    answer(PW, settings, 0);
    setenv("XDG_RUNTIME_DIR", geteuid() == 0 ? "/proc/self" : "/", 1);
    ask();
    unsetenv("XDG_RUNTIME_DIR");
    if (geteuid() == 0) { /* root takes no folder from its environment */
        assert_true(st_facts_is(facts, "linux.ask.pipewire", "answered"));
        return;
    }
    assert_int_equal(st_facts_find(facts, "linux.ask.pipewire")->error, EPERM);
    assert_null(st_facts_find(facts, "linux.pipewire.quantum"));
}

static void a_user_who_is_not_there_has_no_servers(void **state)
{
    const struct st_ask how = {.user = "sleeptune-nobody-of-this-name"};
    fact("linux.daemon.pipewire", "700");
    answer(PW, settings, 0);
    assert_int_equal(st_ask_servers(p, &how, facts), 0);
    show_answers();
}

static void jack_tells_what_runs(void **state)
{
    fact("linux.daemon.jackd", "701");
    answer("jack_bufsize", "buffer size = 128  sample rate = 44100\n", 0);
    answer("jack_samplerate", "44100\n", 0);
    look();
}

static void one_module_without_timers_is_enough(void **state)
{
    fact("linux.daemon.pulseaudio", "702");
    fact("linux.pulse.tsched", "0");
    answer(PACTL, "0\tmodule-null-sink\tsink_name=n\t\n", 0);
    look();
    answer(PACTL,
           "1\tmodule-alsa-card\tdevice_id=\"0\" tsched=\"0\"\t\n2\tmodule-udev-detect\t\t\n", 0);
    look();
    answer(PACTL, "1\tmodule-alsa-card\tdevice_id=\"0\" tsched=yes\t\n", 0);
    look();
}

static void log_of_rtkit_tells_that_it_demoted(void **state)
{
    fact("linux.daemon.rtkit-daemon", "501");
    answer(RTKIT_LOG, "Supervising 8 threads of 3 processes of 1 users.\n", 0);
    look();
    answer(RTKIT_LOG,
           "The canary thread is apparently starving. Taking action.\nDemoting known real-time "
           "threads.\n"
           "Demoted 0 threads.\n", /* it had none */
           0);
    look();
    answer(RTKIT_LOG,
           "Demoting known real-time threads.\nDemoted 0 threads.\nDemoted 12 threads.\n", 0);
    look();
}

/** Lines of rtkit-daemon.c; 112 is the login screen. */
static void refusals_of_rtkit_are_those_of_this_user(void **state)
{
    char *mine = NULL;
    fact("linux.rtkit.installed", "1");
    answer(RTKIT_LOG,
           "Warning: Reached burst limit for user '112', denying request.\n"
           "Failed to look up client: No such file or directory\n"
           "rtkit-daemon.service: Failed with result 'exit-code'.\n",
           0);
    look();
    assert_true(
        asprintf(
            &mine,
            "Warning: Reached burst limit for user '%lu', denying request.\n"
            "Warning: Reached maximum concurrent threads limit for user 'ann', denying request.\n"
            "Supervising 8 threads of 3 processes of 1 users.\n",
            (unsigned long)geteuid()) > 0);
    fact("user.name", "ann");
    answer(RTKIT_LOG, mine, 0);
    free(mine);
    look();
}

/** Lines of raspberrypi/bookworm-feedback issue 288, EasyEffects, strawberry issue 640; a webcam's
 * at each start, the limit of a group, and a device that is no card count as no fault of a card. */
static void lines_of_the_kernel_are_counted(void **state)
{
    static const char log[] =
        "Linux version 6.1.0-37-amd64 (debian-kernel@lists.debian.org) #1 SMP\n"
        "usb 1-1.4.4: 1:3: cannot get freq (v2/v3): err -110\n"
        "usb 1-1.4.4: 1:3: cannot set freq 44100 (v2/v3): err -110\n"
        "usb 1-1.4.4: clock source 9 is not valid, cannot use\n"
        "usb 1-9: 3:1: cannot get freq at ep 0x84\n"
        "usb 1-7: device descriptor read/64, error -71\n"
        "snd_hda_intel 0000:00:1f.3: IRQ timing workaround is activated for card #0. "
        "Suggest a bigger bdl_pos_adj.\n"
        "clocksource: timekeeping watchdog on CPU1: Marking clocksource 'tsc' as "
        "unstable because the skew is too "
        "large:\n"
        "Memory cgroup out of memory: Killed process 8123 (java) total-vm:9106248kB\n"
        "Out of memory: Killed process 204467 (strawberry) total-vm:55853172kB\n";
    fact("linux.threads.complete", "1");
    fact("linux.usb_audio.1-1.4.4.control", "on");
    answer("journalctl -k -b -q -o cat", "", 0); /* no right to it */
    look();
    /* its first lines are overwritten */
    answer("dmesg", "usb 1-1.4.4: cannot set freq 44100 (v2/v3): err -110\n", 0);
    look();
    answer("dmesg", log, 0);
    look();
    answer("journalctl -k -b -q -o cat", log, 0);
    answer("dmesg", "Linux version 6.1.0\n", 0); /* the journal has more */
    look();
}

/* kernel.dmesg_restrict = 1: "dmesg: read kernel buffer failed: Operation not permitted", status 1
 */
static void a_log_that_this_user_may_not_read_is_no_server(void **state)
{
    fact("linux.threads.complete", "1");
    answer("dmesg", "", -EIO);
    ask();
    assert_int_equal(st_facts_find(facts, "linux.kernel_log.dmesg")->error, EPERM);
}

static void the_portal_says_how_long_threads_may_compute(void **state)
{
    static const char portal[] =
        "busctl --user --auto-start=no get-property org.freedesktop.portal.Desktop "
        "/org/freedesktop/portal/desktop org.freedesktop.portal.Realtime RTTimeUSecMax";
    fact("linux.daemon.pipewire", "700");
    answer(portal, "x 0\n", 0);
    look();
    answer(portal, "no such property\n", 0);
    look();
}

static void a_captured_machine_is_never_asked(void **state)
{
    struct st_platform *root;
    const struct st_ask how = {0};
    fact("linux.daemon.pipewire", "700");
    assert_int_equal(st_platform_root_new("/", &root), 0);
    assert_int_equal(st_ask_servers(root, &how, facts), 0);
    st_platform_root_free(root);
    assert_null(st_facts_find(facts, "linux.ask.pipewire"));
}

static void out_of_memory_is_told(void **state)
{
    const struct st_ask how = {0};
    fact("linux.daemon.pipewire", "700");
    assert_int_equal(st_fake_fail_at(p, "run", 1, -ENOMEM), 0);
    assert_int_equal(st_ask_servers(p, &how, facts), -ENOMEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_running_value_wins_over_a_file),
        TEST(nodes_say_what_programs_ask_for),
        TEST(who_is_linked_with_a_device_plays),
        TEST(who_does_not_run_is_not_asked),
        TEST(no_answer_in_time_makes_the_files_doubtful),
        TEST(so_do_a_flood_and_nonsense),
        TEST(a_malformed_setting_is_one),
        TEST(without_the_client_or_the_right_the_files_count),
        TEST(nobody_is_asked_on_wish),
        TEST(a_socket_in_a_folder_of_others_is_not_used),
        TEST(a_user_who_is_not_there_has_no_servers),
        TEST(jack_tells_what_runs),
        TEST(one_module_without_timers_is_enough),
        TEST(log_of_rtkit_tells_that_it_demoted),
        TEST(refusals_of_rtkit_are_those_of_this_user),
        TEST(lines_of_the_kernel_are_counted),
        TEST(a_log_that_this_user_may_not_read_is_no_server),
        TEST(the_portal_says_how_long_threads_may_compute),
        TEST(a_captured_machine_is_never_asked),
        TEST(out_of_memory_is_told),
    };
    return shown_run(tests);
}
