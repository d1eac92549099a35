/* Lines of the helper programs that watch sound servers. */
#include "tests/unit/unit.h"
#include "xruns/xrun_line.h"

static void xrun_line_has_its_count_and_names(void **state)
{
    struct st_xrun_line line;
    assert_int_equal(
        st_xrun_line_parse(
            "device-dropout count_n=3 certainty=probable device=hw%3A0 client=A%20B%25", &line),
        0);
    assert_int_equal(line.kind, ST_XRUN_LINE_SEEN);
    assert_int_equal(line.seen.event.certainty, ST_CERTAINTY_PROBABLE);
    assert_int_equal(line.seen.event.count_n, 3);
    assert_int_equal(line.seen.event.kind, ST_EVENT_DEVICE_DROPOUT);
    assert_string_equal(line.seen.event.device, "hw:0");
    assert_string_equal(line.seen.event.client, "A B%");
}

static void names_may_be_missing(void **state)
{
    struct st_xrun_line line;
    assert_int_equal(st_xrun_line_parse("device-dropout count_n=1 certainty=exact", &line), 0);
    assert_string_equal(line.seen.event.device, "");
    assert_string_equal(line.seen.event.client, "");
}

static void other_kinds_have_their_text(void **state)
{
    struct st_xrun_line line;
    assert_int_equal(st_xrun_line_parse("ready JACK server \"default\"", &line), 0);
    assert_int_equal(line.kind, ST_XRUN_LINE_READY);
    assert_string_equal(line.text, "JACK server \"default\"");
    assert_int_equal(line.facts, 0);
    assert_int_equal(line.listens_n, 0);
    assert_int_equal(st_xrun_line_parse("ready facts=2 listens=3 profiler", &line), 0);
    assert_string_equal(line.text, "profiler");
    assert_int_equal(line.facts, ST_XRUN_FACT_NO_RESYNCS);
    assert_int_equal(line.listens_n, 3);
    assert_int_equal(st_xrun_line_parse("absent no\tserver", &line), 0);
    assert_int_equal(line.kind, ST_XRUN_LINE_ABSENT);
    assert_string_equal(line.text, "no server");
    assert_int_equal(st_xrun_line_parse("absent facts=1 no server", &line), 0);
    assert_string_equal(line.text, "no server");
    assert_int_equal(line.facts, ST_XRUN_FACT_NOT_RUNNING);
    assert_int_equal(st_xrun_line_parse("alive", &line), 0);
    assert_int_equal(line.kind, ST_XRUN_LINE_ALIVE);
    assert_int_equal(line.late_ns, 0);
    assert_int_equal(st_xrun_line_parse("alive late=950000000", &line), 0);
    assert_int_equal(line.kind, ST_XRUN_LINE_ALIVE);
    assert_int_equal(line.late_ns, 950000000);
}

static void what_is_no_line_of_ours_is_refused(void **state)
{
    static const char *const bad[] = {
        "",
        " ",
        "ready",
        "ready ",
        "ready facts=2",           /* says nothing */
        "ready facts= 2 profiler", /* no number */
        "ready facts=2x profiler", /* rubbish behind it */
        "ready listens=-1 profiler",
        "absent facts=4 no server", /* no such fact */
        "absent",
        "aliveness",
        "alive late=0",
        "alive late=-1",
        "alive late=2s",
        "alive since=1",
        "epoch",
        "client-dropout",
        "device-dropout certainty=exact",                          /* counts nothing */
        "client-dropout count_n=0 certainty=exact",                /* the same */
        "device-dropout count_n=1",                                /* how sure? */
        "device-dropout certainty=sure count_n=1",                 /* no such certainty */
        "device-dropout certainty=exactly count_n=1",              /* the same */
        "device-dropout count_n=1 certainty=exact place=cellar",   /* no such place */
        "load cycles_n=1 between=4",                               /* no such thing between */
        "load cycles_n=1 drift_ppb=--3",                           /* no number */
        "load cycles_n=1 drift_ppb=-10000001",                     /* no card is so far off */
        "device-dropout certainty=exact count_n=-1",               /* no count */
        "device-dropout certainty=exact count_n=",                 /* no count */
        "device-dropout certainty=exact count_n= 1",               /* no count */
        "device-dropout count_n=1000000001 certainty=exact",       /* more than a count */
        "device-dropout count_n=1 certainty=exactx",               /* rubbish behind it */
        "device-dropout count_n=1 certainty=exact device=%4",      /* half an escape */
        "device-dropout count_n=1 certainty=exact device=%zz",     /* no escape */
        "device-dropout count_n=1 certainty=exact colour=red",     /* unknown field */
        "client-dropout certainty=exact  count_n=1",               /* two blanks */
        "client-dropout certainty=exact",                          /* no number */
        "client-dropout count_n=1 certainty=exact kind=late-wake", /* what a helper program may not
                                                                      say */
        "client-dropout count_n=1 certainty=exact source=jack",    /* the same */
        "client-dropout count_n=1 certainty=exact wall_ns=1",      /* the same */
        "client-dropout count_n=1 certainty=exact detail=x",       /* the same */
        "late-wake certainty=exact count_n=1",                     /* the same */
        "device-dropout count_n=1 certainty=exact cycles_n=1",     /* the same */
        "device-dropouts certainty=exact count_n=1",
        "device-dropout count_n=1 certainty=exact deadline_ns=9", /* of another line */
        "client-dropout count_n=1 certainty=exact reason=late",   /* no such reason */
        "client-dropout count_n=1 certainty=exact reason=woken",  /* part of one */
        "client-dropout count_n=1 certainty=exact busy_ns=1,2",   /* one time */
        "client-dropout count_n=1 certainty=exact frames=3",      /* of another line */
        "load",
        "load cycles_n=0",                         /* measured nothing */
        "load cycles_n=4 busy_ns=1",               /* of another line */
        "load cycles_n=4 wait_max_ns=x",           /* no time */
        "load cycles_n=4 period_ns=1000000000001", /* longer than a cycle can be */
        "load cycles_n=4 count_n=1",               /* of another line */
    };
    ST_EACH (text, bad) {
        struct st_xrun_line line = {.kind = ST_XRUN_LINE_ALIVE, .text = "kept"};
        if (st_xrun_line_parse(*text, &line) != -EBADMSG)
            fail_msg("taken: \"%s\"", *text);
        assert_string_equal(line.text, "kept");
    }
}

static void long_and_hostile_names_are_cut_and_made_printable(void **state)
{
    char text[512] = "device-dropout count_n=1 certainty=exact client=%0a%1b[2J";
    memset(text + strlen(text), 'x', 300);
    struct st_xrun_line line;
    assert_int_equal(st_xrun_line_parse(text, &line), 0);
    assert_int_equal(strlen(line.seen.event.client), ST_XRUN_NAME_BYTES - 1);
    assert_memory_equal(line.seen.event.client, "??[2Jxxx", 8);
}

static void what_is_written_is_read_back(void **state)
{
    struct st_xrun_seen seen = {.event = {.kind = ST_EVENT_DEVICE_DROPOUT,
                                          .device = "alsa output",
                                          .client = "50%\x01=x",
                                          .certainty = ST_CERTAINTY_EXACT,
                                          .count_n = 7}};
    char buf[ST_XRUN_LINE_BYTES];
    assert_string_equal(
        st_xrun_line_format(&seen, buf, sizeof(buf)),
        "device-dropout count_n=7 certainty=exact device=alsa%20output client=50%25%01=x\n");
    struct st_xrun_line line;
    buf[strlen(buf) - 1] = '\0';
    assert_int_equal(st_xrun_line_parse(buf, &line), 0);
    assert_string_equal(line.seen.event.device, seen.event.device);
    assert_string_equal(line.seen.event.client,
                        "50%?=x"); /* a control character does not come through */
    assert_int_equal(line.seen.event.count_n, 7);
}

static void a_dropout_has_its_reason_and_its_times(void **state)
{
    const struct st_xrun_seen seen = {.event = {.kind = ST_EVENT_CLIENT_DROPOUT,
                                                .device = "studio",
                                                .client = "HeavyReverb",
                                                .certainty = ST_CERTAINTY_EXACT,
                                                .count_n = 24,
                                                .reason = ST_DROPOUT_CPU_TAKEN,
                                                .cycle.busy_ns = 25000000,
                                                .cycle.wait_ns = 90000,
                                                .cycle.period_ns = 21333333,
                                                .spare_ns = 900000,
                                                .culprit = "audio hog",
                                                .culprit_plays = 1}};
    char buf[ST_XRUN_LINE_BYTES];
    assert_string_equal(
        st_xrun_line_format(&seen, buf, sizeof(buf)),
        "client-dropout count_n=24 certainty=exact reason=cpu-taken busy_ns=25000000 wait_ns=90000 "
        "period_ns=21333333 spare_ns=900000 culprit=audio%20hog culprit_plays=1 device=studio "
        "client=HeavyReverb\n");
    struct st_xrun_line line;
    buf[strlen(buf) - 1] = '\0';
    assert_int_equal(st_xrun_line_parse(buf, &line), 0);
    assert_memory_equal(&line.seen, &seen, sizeof(seen));
}

static void a_place_and_a_length_are_read_back(void **state)
{
    const struct st_xrun_seen seen = {.event = {.kind = ST_EVENT_CLIENT_DROPOUT,
                                                .device = "studio",
                                                .client = "paplay",
                                                .certainty = ST_CERTAINTY_EXACT,
                                                .count_n = 1,
                                                .reason = ST_DROPOUT_STOPPED,
                                                .place = ST_DROPOUT_AT_CLIENT_BUFFER,
                                                .cycles_n = 44,
                                                .lost_ns = 469000000,
                                                .longest_ns = 469000000,
                                                .end_ns = 86400000000001}};
    char buf[ST_XRUN_LINE_BYTES];
    struct st_xrun_line line;
    assert_string_equal(
        st_xrun_line_format(&seen, buf, sizeof(buf)),
        "client-dropout count_n=1 certainty=exact reason=stopped place=client-buffer "
        "cycles_n=44 lost_ns=469000000 longest_ns=469000000 end_ns=86400000000001 "
        "device=studio client=paplay\n");
    buf[strlen(buf) - 1] = '\0';
    assert_int_equal(st_xrun_line_parse(buf, &line), 0);
    assert_memory_equal(&line.seen, &seen, sizeof(seen));
    /* of a dropout that goes on */
    assert_int_equal(
        st_xrun_line_parse("client-dropout count_n=0 certainty=exact cycles_n=3 client=A", &line),
        0);
}

/* A program that was stopped for 20 min: of a line that is refused, nothing is known. */
static void a_time_that_is_too_long_is_written_as_the_longest(void **state)
{
    const struct st_xrun_seen seen = {.event = {.kind = ST_EVENT_CLIENT_DROPOUT,
                                                .client = "paplay",
                                                .certainty = ST_CERTAINTY_PROBABLE,
                                                .count_n = 1,
                                                .spare_ns = INT64_C(1200000000000),
                                                .lost_ns = INT64_C(1200000000000),
                                                .longest_ns = INT64_C(1000000000001)}};
    char buf[ST_XRUN_LINE_BYTES];
    struct st_xrun_line line;
    assert_string_equal(st_xrun_line_format(&seen, buf, sizeof(buf)),
                        "client-dropout count_n=1 certainty=probable lost_ns=1000000000000 "
                        "longest_ns=1000000000000 spare_ns=1000000000000 client=paplay\n");
    buf[strlen(buf) - 1] = '\0';
    assert_int_equal(st_xrun_line_parse(buf, &line), 0);
    assert_int_equal(line.seen.event.lost_ns, INT64_C(1000000000000));
}

static void a_load_is_read_back(void **state)
{
    const struct st_xrun_seen seen = {.event = {.device = "studio", .client = "Organ"},
                                      .kind = ST_XRUN_SEEN_LOAD,
                                      .load = {.cycles_n = 469,
                                               .busy_median_ns = 1200000,
                                               .busy_p99_ns = 3000000,
                                               .busy_max_ns = 9000000,
                                               .wait_median_ns = 0,
                                               .wait_p99_ns = 40000,
                                               .wait_max_ns = 120000,
                                               .period_ns = 21333333,
                                               .frames = 1024,
                                               .rate_hz = 48000,
                                               .between = ST_XRUN_BETWEEN_STOPS,
                                               .buffer_ns = 50000000,
                                               .drift_ppb = -37000,
                                               .block_frames = 32768,
                                               .block_any = 1,
                                               .asked_frames = 1200,
                                               .asked_rate_hz = 44100,
                                               .priority = ST_XRUN_NORMAL,
                                               .streams_n = 1}};
    char buf[ST_XRUN_LINE_BYTES];
    assert_string_equal(
        st_xrun_line_format(&seen, buf, sizeof(buf)),
        "load cycles_n=469 busy_median_ns=1200000 busy_p99_ns=3000000 busy_max_ns=9000000 "
        "wait_median_ns=0 wait_p99_ns=40000 wait_max_ns=120000 period_ns=21333333 "
        "frames=1024 rate_hz=48000 asked_frames=1200 asked_rate_hz=44100 priority=100 "
        "between=1 buffer_ns=50000000 "
        "drift_ppb=-37000 "
        "block_frames=32768 block_any=1 streams_n=1 "
        "device=studio client=Organ\n");
    struct st_xrun_line line;
    buf[strlen(buf) - 1] = '\0';
    assert_int_equal(st_xrun_line_parse(buf, &line), 0);
    assert_memory_equal(&line.seen, &seen, sizeof(seen));
    assert_int_equal(st_xrun_line_parse("load cycles_n=1", &line), 0);
    assert_true(line.seen.load.busy_median_ns == INT64_MIN && line.seen.load.period_ns == 0);
}

static void what_is_left_is_read_back(void **state)
{
    struct st_xrun_line line;
    char buf[ST_XRUN_LINE_BYTES];
    assert_int_equal(st_xrun_line_parse("level reserve_ns=5000000 client=Organ", &line), 0);
    assert_int_equal(line.seen.kind, ST_XRUN_SEEN_LEVEL);
    assert_string_equal(st_xrun_line_format(&line.seen, buf, sizeof(buf)),
                        "level reserve_ns=5000000 client=Organ\n");
    assert_int_equal(st_xrun_line_parse("level client=Organ", &line), -EBADMSG);
}

static void the_end_of_a_client_is_read_back(void **state)
{
    struct st_xrun_line line;
    char buf[ST_XRUN_LINE_BYTES];
    assert_int_equal(st_xrun_line_parse("ended device=card client=Organ", &line), 0);
    assert_int_equal(line.seen.kind, ST_XRUN_SEEN_ENDED);
    assert_string_equal(st_xrun_line_format(&line.seen, buf, sizeof(buf)),
                        "ended device=card client=Organ\n");
    assert_int_equal(st_xrun_line_parse("ended device=card", &line), -EBADMSG);
}

/* As sleeptune-observe-pipewire wrote it of a server 0.3.65. */
static void a_client_in_the_cycle_of_a_dropout_is_read_back(void **state)
{
    static const char *const text =
        "cycle busy_ns=5346260 wait_ns=18315653 client=good deadline_ns=21343519 left_n=1";
    struct st_xrun_line line;
    char buf[ST_XRUN_LINE_BYTES];
    assert_int_equal(st_xrun_line_parse(text, &line), 0);
    assert_true(line.seen.deadline_ns == 21343519 && line.seen.left_n == 1 &&
                line.seen.event.cycle.wait_ns == 18315653);
    st_xrun_line_format(&line.seen, buf, sizeof(buf));
    buf[strlen(buf) - 1] = '\0';
    assert_string_equal(buf, text);
    assert_int_equal(st_xrun_line_parse("cycle client=good left_n=1", &line), -EBADMSG);
}

static void the_longest_names_fit_a_line(void **state)
{
    struct st_xrun_seen seen = {.event = {.kind = ST_EVENT_CLIENT_DROPOUT,
                                          .certainty = ST_CERTAINTY_PROBABLE,
                                          .count_n = 1000000000,
                                          .reason = ST_DROPOUT_CPU_TAKEN_BY_ITSELF,
                                          .cycle.busy_ns = 1000000000000,
                                          .cycle.wait_ns = 1000000000000,
                                          .cycle.period_ns = 1000000000000,
                                          .end_ns = INT64_MAX / 4}};
    memset(seen.event.culprit, '\n', sizeof(seen.event.culprit) - 1);
    memset(seen.event.device, '%', sizeof(seen.event.device) - 1);
    memset(seen.event.client, ' ', sizeof(seen.event.client) - 1);
    char buf[ST_XRUN_LINE_BYTES];
    st_xrun_line_format(&seen, buf, sizeof(buf));
    assert_int_equal(buf[strlen(buf) - 1], '\n');
    buf[strlen(buf) - 1] = '\0';
    struct st_xrun_line line;
    assert_int_equal(st_xrun_line_parse(buf, &line), 0);
    assert_string_equal(line.seen.event.client, seen.event.client);
    const struct st_xrun_load largest = {.cycles_n = 1000000000,
                                         .busy_median_ns = 1000000000000,
                                         .busy_p99_ns = 1000000000000,
                                         .busy_max_ns = 1000000000000,
                                         .wait_median_ns = 1000000000000,
                                         .wait_p99_ns = 1000000000000,
                                         .wait_max_ns = 1000000000000,
                                         .period_ns = 1000000000000,
                                         .frames = 1000000000,
                                         .rate_hz = 1000000000,
                                         .asked_frames = 1000000000,
                                         .asked_rate_hz = 1000000000,
                                         .priority = ST_XRUN_NORMAL,
                                         .between = ST_XRUN_BETWEEN_HEARD,
                                         .buffer_ns = 1000000000000,
                                         .drift_ppb = -10000000,
                                         .block_frames = 1000000000,
                                         .block_any = 1,
                                         .streams_n = 1};
    seen.kind = ST_XRUN_SEEN_LOAD;
    seen.load = largest;
    st_xrun_line_format(&seen, buf, sizeof(buf));
    assert_int_equal(buf[strlen(buf) - 1], '\n');
    buf[strlen(buf) - 1] = '\0';
    assert_int_equal(st_xrun_line_parse(buf, &line), 0);
    assert_string_equal(line.seen.event.client, seen.event.client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(xrun_line_has_its_count_and_names),
        cmocka_unit_test(names_may_be_missing),
        cmocka_unit_test(other_kinds_have_their_text),
        cmocka_unit_test(what_is_no_line_of_ours_is_refused),
        cmocka_unit_test(long_and_hostile_names_are_cut_and_made_printable),
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(a_dropout_has_its_reason_and_its_times),
        cmocka_unit_test(a_place_and_a_length_are_read_back),
        cmocka_unit_test(a_time_that_is_too_long_is_written_as_the_longest),
        cmocka_unit_test(a_load_is_read_back),
        cmocka_unit_test(what_is_left_is_read_back),
        cmocka_unit_test(the_end_of_a_client_is_read_back),
        cmocka_unit_test(a_client_in_the_cycle_of_a_dropout_is_read_back),
        cmocka_unit_test(the_longest_names_fit_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
