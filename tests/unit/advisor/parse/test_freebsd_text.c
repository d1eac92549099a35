/* Captured texts of FreeBSD. */
#include "advisor/parse/freebsd_text.h"
#include "tests/unit/unit.h"

static struct st_facts *facts;

static int setup(void **state)
{
    facts = st_facts_new(ST_OS_FREEBSD);
    return facts != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    st_facts_free(facts);
    return 0;
}

static const char *value(const char *key)
{
    const char *text = "(none)";
    (void)!st_facts_text(facts, key, &text);
    return text;
}

static void check(const char *key, const char *expected)
{
    if (strcmp(value(key), expected) != 0)
        fail_msg("%s is %s, not %s", key, value(key), expected);
}

/* --- assignments --- */

static const char *const wanted[] = {"kern.", "powerd", "dev.pcm.", NULL};

static void assign(const char *text)
{
    assert_int_equal(st_freebsd_text_assignments(facts, "x.", wanted, text, "file"), 0);
}

static void quotes_comments_and_blanks_are_understood(void **state)
{
    assign("kern.a=\"1 2\" # why\n"
           "  kern.b = 2   # comment\r\n"
           "kern.c='x\"y'\n"
           "#kern.d=1\n"
           "kern.e=\n"
           "kern.f=1;kern.g=2\n"
           "dev.pcm.0.%x=7\n"
           "powerd_flags+=\"-a\"\n"
           "secret=1\n"
           "kern.last=9");
    check("x.kern.a", "1 2");
    check("x.kern.b", "2");
    check("x.kern.c", "x\"y");
    check("x.kern.e", "");
    check("x.kern.f", "1");
    check("x.dev.pcm.0.%x", "7");
    check("x.kern.last", "9");
    assert_int_equal(facts->n, 7);
}

static void the_later_of_two_values_counts(void **state)
{
    assign("kern.hz=100\nkern.hz=1000\n");
    check("x.kern.hz", "1000");
}

static void an_open_quote_goes_on_over_lines(void **state)
{
    assign("powerd_flags=\"-a maximum \\\n  -b adaptive\"\nkern.a='1\n2'\nkern.b=3\n");
    check("x.powerd_flags", "-a maximum    -b adaptive");
    check("x.kern.a", "1 2");
    check("x.kern.b", "3");
    assign("kern.c=\"\\");
    assert_int_equal(st_facts_find(facts, "x.kern.c")->state, ST_FACT_MALFORMED);
}

static void what_only_a_shell_can_evaluate_is_malformed(void **state)
{
    assign("kern.a=\"$x\"\nkern.b=`date`\nkern.c=\"open\n");
    assert_int_equal(st_facts_find(facts, "x.kern.a")->state, ST_FACT_MALFORMED);
    assert_int_equal(st_facts_find(facts, "x.kern.b")->state, ST_FACT_MALFORMED);
    assert_int_equal(st_facts_find(facts, "x.kern.c")->state, ST_FACT_MALFORMED);
}

/* --- sndstat --- */

static void sndstat(const char *text)
{
    assert_int_equal(st_freebsd_text_sndstat(facts, text, "sndstat"), 0);
}

static void a_channel_of_13_is_on_one_line(void **state)
{
    sndstat("FreeBSD Audio Driver (64bit 2009061500/amd64)\n"
            "Installed devices:\n"
            "pcm0: <USB audio> at ? kld snd_uaudio (1p:1v/0r:0v) default\n"
            "\tsnddev flags=0x2e3<SIMPLEX,AUTOVCHAN,BUSY,MPSAFE,REGISTERED,VPC>\n"
            "\t[pcm0:play:dsp0.p0]: spd 48000, fmt 0x00200010, flags 0x00002108, 0x00000004\n"
            "\t interrupts 267, underruns 2, feed 266, ready 0 [b:3072/1536/2|bs:4096/2048/2]\n"
            "\tchannel flags=0x2108<TRIGGERED,BUSY,HAS_VCHAN>\n"
            "\tpcm0:play:dsp0.p0[pcm0:virtual:dsp0.vp0]: spd 48000, fmt 0x00200010, flags 0x1, "
            "0x0, pid 62 "
            "(dsp)\n"
            "\t interrupts 0, underruns 16, feed 266, ready 0 [b:0/0/0|bs:8192/1024/8]\n"
            "No devices installed from userspace.\n");
    check("freebsd.sndstat.pcm0.parent", "snd_uaudio");
    check("freebsd.sndstat.pcm0.play.block_us", "8000"); /* buffer_ms = 8 */
}

static void a_channel_of_15_is_on_several_lines(void **state)
{
    sndstat("FreeBSD Audio Driver\n"
            "Installed devices:\n"
            "pcm0: <Generic (0x1af40022) (Analog)> on hdaa0 (1p:0v/1r:0v)\n"
            "\t[dsp0.record.0]: spd 48000, fmt 0x00200010, flags 0x00000000, 0x00000021\n"
            "\t\t interrupts 0, overruns 3, feed 0, hfree 512, sfree 32768\n"
            "\t\t[b:512/256/2|bs:32768/256/128]\n"
            "pcm1: <OKTO RESEARCH DAC8STEREO> on uaudio1 (1p:0v/1r:0v) default\n"
            "\t[dsp1.play.0]: spd 48000/192000, fmt 0x00200010/0x00201000, flags 0x2000110c, 0x1, "
            "pid 2067 (x)\n"
            "\t\t interrupts 840030, underruns 0, feed 840029, ready 82920\n"
            "\t\t[b:12288/6144/2|bs:131072/65536/2]\n"
            "Installed devices from userspace:\n"
            "dsp.play: <virtual_oss device> (play/rec)\n"
            "\t[dsp9.play.0]: spd 1, fmt 0x00200010, flags\n");
    check("freebsd.sndstat.pcm0.parent", "hdaa0");
    check("freebsd.sndstat.pcm0.play.block_us", "(none)");
    check("freebsd.sndstat.pcm1.play.block_us", "4000"); /* of the hardware's rate */
}

static void without_verbosity_there_are_names_only(void **state)
{
    sndstat("Installed devices:\npcm5: <A <b> c> (play) default\nNo devices installed from "
            "userspace.\n");
    check("freebsd.sndstat.pcm5.parent", "(none)");
}

static void hostile_sndstat_is_left_out(void **state)
{
    sndstat("Installed devices:\n"
            "pcm: <x> (play)\npcm999999999999999999999: <x> (play)\npcm3: >y< (play)\n"
            "\t[dsp3.play.0]: spd 0, fmt 0x00200010, flags\n\t[b:1/1/1|\n");
    assert_int_equal(facts->n, 0);
    sndstat(
        "Installed devices:\npcm0: <x> (play)\n"
        "\t[dsp0.play.0]: spd 48000, fmt 0x00000000, flags\n"
        "\t interrupts 0, underruns 99999999999999999999, feed 0\n\t[b:1024/1024/1|bs:1/1/1]\n");
    check("freebsd.sndstat.pcm0.play.block_us", "(none)");
    assert_int_equal(st_freebsd_text_sndstat(facts, "hello\n", "x"), -EBADMSG);
    assert_int_equal(st_freebsd_text_sndstat(facts, "", "x"), -EBADMSG);
}

#define WITH_FACTS(name) TEST(name)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FACTS(quotes_comments_and_blanks_are_understood),
        WITH_FACTS(the_later_of_two_values_counts),
        WITH_FACTS(an_open_quote_goes_on_over_lines),
        WITH_FACTS(what_only_a_shell_can_evaluate_is_malformed),
        WITH_FACTS(a_channel_of_13_is_on_one_line),
        WITH_FACTS(a_channel_of_15_is_on_several_lines),
        WITH_FACTS(without_verbosity_there_are_names_only),
        WITH_FACTS(hostile_sndstat_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
