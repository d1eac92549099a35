/* advisor/rules/buffer: which period a machine plays with, from its facts. */
#include "advisor/facts/text.h"
#include "advisor/report/report.h"
#include "advisor/rules/buffer.h"
#include "tests/unit/unit.h"

/* Facts as "key=value" lines; !ERRNO: could not be read. */
static struct st_facts *facts_of(const char *lines)
{
    struct st_facts *facts = st_facts_new(ST_OS_LINUX);
    assert_non_null(facts);
    while (*lines != '\0') {
        char key[128], value[128];
        int used;
        int64_t number;
        assert_int_equal(sscanf(lines, "%127[^=]=%127[^\n]\n%n", key, value, &used), 2);
        if (strcmp(value, "!refused") == 0)
            assert_int_equal(
                st_facts_put_state(facts, key, ST_FACT_UNREADABLE, ECONNREFUSED, NULL, "test"), 0);
        else if (strcmp(value, "!timeout") == 0)
            assert_int_equal(
                st_facts_put_state(facts, key, ST_FACT_UNREADABLE, ETIMEDOUT, NULL, "test"), 0);
        else if (st_text_int(value, &number) == 0)
            assert_int_equal(st_facts_put_int(facts, key, number, "test"), 0);
        else
            assert_int_equal(st_facts_put_text(facts, key, value, "test"), 0);
        lines += used;
    }
    return facts;
}

#define PIPEWIRE "linux.processes_n=90\nlinux.daemon.pipewire=700\nlinux.ask.pipewire=answered\n"
#define RING                                                                                       \
    "linux.alsa.card0.pcm0p.sub0.buffer_frames=512\nlinux.alsa.card0.pcm0p.sub0.rate_hz=48000\n"   \
    "linux.alsa.card0.pcm0p.sub0.owner=data-loop.0\n"
#define RATES "linux.pipewire.allowed_rates=[ 44100, 48000 ]\n"
#define DRIVER(hz)                                                                                 \
    "linux.pipewire.node.31.state=running\nlinux.pipewire.node.31.driver=true\n"                   \
    "linux.pipewire.node.31.media_class=Audio/Sink\nlinux.pipewire.node.31.format_rate_hz=" #hz    \
    "\n"
#define MPV                                                                                        \
    "linux.pipewire.node.45.state=running\nlinux.pipewire.node.45.name=mpv\nlinux.pipewire.node."  \
    "45.rate=1/"                                                                                   \
    "44100\n"
#define NODE46(latency)                                                                            \
    "linux.pipewire.node.46.state=running\nlinux.pipewire.node.46.name=game\n"                     \
    "linux.pipewire.node.46.latency=" latency "\n"
#define JACK                                                                                       \
    "linux.daemon.jackd=600\nlinux.jack.command=jackd -R -d alsa -r 96000 -p 256\n"                \
    "linux.ask.jack_bufsize=answered\nlinux.jack.buffer_frames=256\nlinux.jack.rate_hz=96000\n"
#define PULSE "linux.daemon.pulseaudio=800\nlinux.ask.pulseaudio=answered\n"
#define ARDOUR                                                                                     \
    "linux.alsa.card0.pcm0p.sub0.period_frames=64\nlinux.alsa.card0.pcm0p.sub0.rate_hz=44100\n"    \
    "linux.alsa.card0.pcm0p.sub0.owner=ardour-7\n"

static void what_runs_decides(void **state)
{
    static const struct {
        const char *facts, *text;
    } rows[] = {
        {"linux.processes_n=90\n", "128 frames at 48 kHz: no sound server runs here"},
        {"linux.kernel.release=6.1\n", "128 frames at 48 kHz: the buffer size in use is unknown"},
        {PIPEWIRE, "1024 frames at 48 kHz, PipeWire's default buffer size (quantum)"},
        {PIPEWIRE "linux.pipewire.quantum=512\nlinux.pipewire.rate_hz=44100\n",
         "512 frames at 44.1 kHz, PipeWire's default buffer size (quantum)"},
        {PIPEWIRE "linux.pipewire.quantum=512\nlinux.pipewire.max_quantum=256\n",
         "256 frames at 48 kHz, PipeWire's default buffer size (quantum)"},
        {PIPEWIRE RING, "256 frames at 48 kHz, half the card's buffer, which is PipeWire's limit"},
        {PIPEWIRE "linux.alsa.card0.pcm0p.sub0.buffer_frames=1920\n"
                  "linux.alsa.card0.pcm0p.sub0.rate_hz=48000\nlinux.alsa.card0.pcm0p.sub0.owner="
                  "data-loop.0\n",
         "512 frames at 48 kHz, half the card's buffer, which is PipeWire's limit"},
        {PIPEWIRE RING "linux.pipewire.node.31.state=running\nlinux.pipewire.node.31.card=0\n"
                       "linux.pipewire.node.31.disable_tsched=true\n",
         "1024 frames at 48 kHz, PipeWire's default buffer size (quantum)"},
        {PIPEWIRE RING "linux.pipewire.force_quantum=1024\n",
         "1024 frames at 48 kHz, forced by PipeWire's setting clock.force-quantum"},
        {PIPEWIRE "linux.pipewire.quantum=512\nlinux.pipewire.force_quantum=1024\n",
         "1024 frames at 48 kHz, forced by PipeWire's setting clock.force-quantum"},
        {PIPEWIRE
         "linux.pipewire.node.45.state=running\nlinux.pipewire.node.45.application=Discord\n"
         "linux.pipewire.node.45.latency=360/48000\n",
         "256 frames at 48 kHz, Discord asked for 360 frames"},
        /* a driver at another rate that is allowed (PipeWire 0.3.65 then has this cycle); one that
           is not */
        {PIPEWIRE RATES DRIVER(
             44100) "linux.pipewire.node.45.state=running\nlinux.pipewire.node.45.name=mpv\n"
                    "linux.pipewire.node.45.rate=1/44100\n",
         "512 frames at 44.1 kHz, mpv asked for 44100 Hz"},
        /* a game that asks for 1024/48000 has less because of the other; one that asks for 300 has
           not */
        {PIPEWIRE RATES DRIVER(44100) MPV NODE46("1024/48000"),
         "512 frames at 44.1 kHz, mpv asked for 44100 Hz"},
        {PIPEWIRE RATES DRIVER(44100) MPV NODE46("300/48000"),
         "256 frames at 44.1 kHz, game asked for 300 frames"},
        {PIPEWIRE RATES DRIVER(44100)
             MPV NODE46("x") "linux.pipewire.node.46.force_quantum=9223372036854775807\n",
         "512 frames at 44.1 kHz, mpv asked for 44100 Hz"},
        {PIPEWIRE RATES DRIVER(44100), "512 frames at 44.1 kHz, PipeWire's buffer size now"},
        /* a null sink of 1.4.2 says 48000 while the graph runs at 44100 */
        {PIPEWIRE RATES DRIVER(48000) MPV,
         "1024 frames at 48 kHz, if PipeWire runs at that sample rate (pw-top shows it)"},
        {PIPEWIRE RATES DRIVER(48000) MPV
         "linux.pipewire.running_frames=512\nlinux.pipewire.running_rate_hz=44100\n",
         "512 frames at 44.1 kHz, mpv asked for 44100 Hz"},
        {PIPEWIRE DRIVER(48000) MPV,
         "1024 frames at 48 kHz, PipeWire's default buffer size (quantum)"},
        {PIPEWIRE RATES DRIVER(44100) "linux.pipewire.force_quantum=1024\n",
         "1024 frames at 44.1 kHz, PipeWire's buffer size now"},
        {PIPEWIRE RATES DRIVER(88200),
         "1024 frames at 48 kHz, PipeWire's default buffer size (quantum)"},
        {PIPEWIRE DRIVER(44100), "1024 frames at 48 kHz, PipeWire's default buffer size (quantum)"},
        {PIPEWIRE DRIVER(
             88200) "linux.pipewire.node.45.state=running\nlinux.pipewire.node.45.name=mpv\n"
                    "linux.pipewire.node.45.force_rate=88200\n",
         "1024 frames at 88.2 kHz, mpv forces 88200 Hz"},
        {PIPEWIRE "linux.pipewire.running_frames=256\nlinux.pipewire.running_rate_hz=44100\n",
         "256 frames at 44.1 kHz, PipeWire's buffer size now"},
        {PIPEWIRE "linux.pipewire.force_quantum=256\nlinux.pipewire.running_frames=256\n",
         "256 frames at 48 kHz, forced by PipeWire's setting clock.force-quantum"},
        {PIPEWIRE "linux.pipewire.force_quantum=0\nlinux.pipewire.force_rate_hz=96000\n",
         "2048 frames at 96 kHz, clock.force-rate forces 96000 Hz"}, /* its quantum is scaled with
                                                                        the rate */
        {"linux.daemon.pipewire=700\nlinux.ask.pipewire=!refused\n",
         "128 frames at 48 kHz: no sound server answers here"},
        {"linux.daemon.pipewire=700\nlinux.ask.pipewire=!timeout\nlinux.pipewire.quantum=!"
         "timeout\n",
         "128 frames at 48 kHz: no sound server answers here"},
        {JACK, "256 frames at 96 kHz, set by JACK's option -p 256"},
        {JACK "linux.jack.buffer_frames=128\n", "128 frames at 96 kHz, JACK's buffer size now"},
        {"linux.daemon.jackd=600\nlinux.jack.command=jackd -d alsa\n",
         "1024 frames at 48 kHz, JACK's buffer size now"},
        {"linux.daemon.jackdbus=600\nlinux.jack.buffer_frames=64\n",
         "64 frames at 48 kHz, JACK's buffer size now"},
        {JACK "linux.daemon_user.jackd=bob\nuser.uid=1000\nuser.name=ann\n",
         "128 frames at 48 kHz: the running sound server belongs to another user"},
        {JACK "linux.daemon_user.jackd=bob\nuser.uid=1000\nuser.name=ann\n" PIPEWIRE,
         "1024 frames at 48 kHz, PipeWire's default buffer size (quantum)"},
        {"linux.daemon.jackdbus=600\n", "128 frames at 48 kHz: no sound server answers here"},
        {PULSE, "882 frames at 44.1 kHz, PulseAudio must refill the card within 20 ms"},
        {PULSE "linux.pulse.tsched=0\nlinux.pulse.default-sample-rate=48000\n",
         "1200 frames at 48 kHz, the length of a part (fragment) of PulseAudio's buffer, 25 ms"},
        {PULSE "linux.pulse.tsched=0\nlinux.pulse.default-fragment-size-msec=5\n",
         "220 frames at 44.1 kHz, the length of a part (fragment) of PulseAudio's buffer, 5 ms"},
        /* several at once */
        {PIPEWIRE JACK, "256 frames at 96 kHz, set by JACK's option -p 256"},
        {PIPEWIRE PULSE, "882 frames at 44.1 kHz, PulseAudio must refill the card within 20 ms"},
        {PIPEWIRE JACK "linux.ask.jack_bufsize=!refused\n",
         "1024 frames at 48 kHz, PipeWire's default buffer size (quantum)"},
        {PIPEWIRE JACK ARDOUR, "64 frames at 44.1 kHz, the buffer size of ardour-7 on card0"},
        {PIPEWIRE ARDOUR "linux.alsa.card0.pcm0p.sub0.owner=data-loop.0\n",
         "1024 frames at 48 kHz, PipeWire's default buffer size (quantum)"},
        {PIPEWIRE ARDOUR
         "linux.alsa.card0.pcm0p.sub0.owner=wireplumber\n", /* it only tries what the card can */
         "1024 frames at 48 kHz, PipeWire's default buffer size (quantum)"},
        {ARDOUR
         "linux.alsa.card1.pcm0c.sub0.period_frames=32\nlinux.alsa.card1.pcm0c.sub0.rate_hz=48000\n"
         "linux.alsa.card1.pcm0c.sub0.owner=reaper\n",
         "32 frames at 48 kHz, the buffer size of reaper on card1"},
        /* what others write */
        {ARDOUR "linux.alsa.card0.pcm0p.sub0.owner=a\033[2J\n",
         "64 frames at 44.1 kHz, the buffer size of a?[2J on card0"},
        {PIPEWIRE "linux.pipewire.quantum=-5\nlinux.pipewire.force_quantum=99999999\n",
         "1024 frames at 48 kHz, PipeWire's default buffer size (quantum)"},
        {ARDOUR "linux.alsa.card0.pcm0p.sub0.rate_hz=0\n",
         "128 frames at 48 kHz: the buffer size in use is unknown"},
        {ARDOUR "linux.alsa.card0.pcm0p.sub0.period_frames=2\n",
         "128 frames at 48 kHz: the buffer size in use is unknown"},
    };
    ST_EACH (row, rows) {
        struct st_facts *facts = facts_of(row->facts);
        struct st_wish wish;
        assert_int_equal(st_buffer_choose(facts, 0, 0, &wish), 0);
        assert_string_equal(st_buffer_text(&wish), row->text);
        assert_int_equal(wish.in_use, strchr(row->text, ':') == NULL);
        st_facts_free(facts);
    }
}

static void what_is_asked_for_wins(void **state)
{
    struct st_facts *facts = facts_of(JACK);
    static const struct {
        int64_t frames, rate_hz;
        const char *text;
    } rows[] = {{64, 0, "64 frames at 96 kHz"},
                {0, 44100, "256 frames at 44.1 kHz"},
                {512, 22051, "512 frames at 22.051 kHz"}};
    ST_EACH (row, rows) {
        struct st_wish wish;
        assert_int_equal(st_buffer_choose(facts, row->frames, row->rate_hz, &wish), 0);
        assert_string_equal(st_buffer_text(&wish), row->text);
        assert_false(wish.in_use);
        assert_int_equal(wish.period_ns, st_period_ns(&wish.period));
    }
    struct st_wish wish;
    assert_int_equal(st_buffer_choose(facts, 1 << 22, 1, &wish), -ERANGE);
    st_facts_free(facts);
}

/* PipeWire is at 1024 frames, JACK plays with 256: no one asked PipeWire for less. */
static void no_rule_advises_against_a_buffer_in_use(void **state)
{
    struct st_facts *facts = facts_of(PIPEWIRE JACK "linux.pipewire.force_quantum=1024\n");
    struct st_report report;
    assert_int_equal(st_report_make(facts, 0, 0, &report), 0);
    assert_int_equal(st_report_find(&report, "linux-pipewire-quantum")->status, ST_STATUS_OK);
    st_report_finish(&report);
    assert_int_equal(st_report_make(facts, 256, 96000, &report), 0);
    assert_int_equal(st_report_find(&report, "linux-pipewire-quantum")->status, ST_STATUS_ADVICE);
    assert_string_equal(
        st_report_find(&report, "linux-pipewire-quantum")->fix_now,
        "pw-metadata -n settings 0 clock.force-quantum 128   # 0 lets programs choose");
    st_report_finish(&report);
    st_facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_runs_decides),
                                       cmocka_unit_test(what_is_asked_for_wins),
                                       cmocka_unit_test(no_rule_advises_against_a_buffer_in_use)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
