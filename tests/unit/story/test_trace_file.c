/* What a trace has of the kernel's events: tests/integration/history-trace.sh reads whole ones. */
#include "core/text/text.h"
#include "story/trace_file.h"
#include "tests/unit/unit.h"

#define MS     INT64_C(1000000)
#define START  (1000 * MS)
#define CLIENT 7
#define HOG    8
#define MISSED "\"ph\":\"i\",\"pid\":1,\"tid\":901,"

static struct st_cycle_ring *ring;
static char *text;
static size_t bytes;

/* A client's cycle of 5 ms that ends 10 ms after its begin. */
static int begin(void **state)
{
    ring = calloc(1, sizeof(*ring));
    assert_non_null(ring);
    memcpy(ring->magic, "sleeptune-cycle", sizeof(ring->magic));
    ST_PRINT(ring->kernel, "Linux 6");
    const uint16_t amp = st_cycle_ring_name(ring, "Amp");
    st_cycle_ring_put(ring, &(struct st_cycle_row){.cycle_ns = START,
                                                   .signal_ns = START,
                                                   .wait_ns = 9 * MS,
                                                   .busy_ns = MS,
                                                   .period_ns = 5 * MS,
                                                   .name = amp});
    return 0;
}

static int end(void **state)
{
    free(ring);
    free(text);
    text = NULL;
    return 0;
}

static struct st_trace_event at(int64_t ms, int cpu, enum st_trace_kind kind, int number,
                                const char *name)
{
    struct st_trace_event event = {
        .at_ns = START + ms * MS, .cpu = cpu, .kind = kind, .number = number, .pid = number};
    ST_PRINT(event.name, "%s", name);
    return event;
}

static struct st_trace_event switched(int64_t ms, int cpu, int prev, const char *prev_name,
                                      int next, const char *next_name)
{
    struct st_trace_event event = at(ms, cpu, ST_TRACE_SWITCH, 0, next_name);
    event.pid = next;
    event.prev_pid = prev;
    ST_PRINT(event.prev_name, "%s", prev_name);
    return event;
}

static void written(struct st_trace_event *events, size_t n)
{
    struct st_trace_file file = {.copy = {.wall_ns = START + 20 * MS,
                                          .before_ns = 20 * MS,
                                          .ring = ring,
                                          .events = events,
                                          .events_n = n}};
    free(text);
    FILE *out = open_memstream(&text, &bytes);
    assert_non_null(out);
    assert_int_equal(st_trace_file_write(out, &file), 0);
    assert_int_equal(fclose(out), 0);
}

static size_t count(const char *name)
{
    size_t n = 0;
    for (const char *found = text;
         (found = memmem(found, bytes - (size_t)(found - text), name, strlen(name))) != NULL;
         found++)
        n++;
    return n;
}

static void who_had_a_cpu_has_its_name(void **state)
{
    struct st_trace_event events[] = {
        switched(-1, 0, 0, "swapper/0", HOG, "hog\n"),
        at(0, 0, ST_TRACE_WAKING, CLIENT, ""),
        switched(1, 1, 0, "swapper/1", 9, "mail"),
        switched(2, 1, 9, "mail", 0, "swapper/1"),
        switched(9, 0, HOG, "hog\n", CLIENT, "amp"),
        switched(10, 0, CLIENT, "amp", 0, "swapper/0"),
    };
    written(events, 6);
    assert_int_equal(count("computes"), 1);
    assert_int_equal(count(MISSED), 1);
    assert_int_equal(count("hog?/8"), 1);
    assert_int_equal(count("{\"ph\":\"X\",\"pid\":3,\"tid\":4,\"name\":\"mail/"
                           "9\",\"ts\":1000.000,\"dur\":1000.000}"),
                     1);
    assert_int_equal(count("swapper"), 0);
}

/* It held the CPU from 11 to 29 ms, and was reported behind its next cycle. */
static void cycle_that_was_known_later_is_in_its_place(void **state)
{
    const struct st_cycle_row next = {.cycle_ns = START + 30 * MS,
                                      .signal_ns = START + 30 * MS,
                                      .busy_ns = MS,
                                      .period_ns = 5 * MS};
    st_cycle_ring_put(ring, &next);
    st_cycle_ring_put(ring, &(struct st_cycle_row){.cycle_ns = START + 11 * MS,
                                                   .signal_ns = START + 11 * MS,
                                                   .busy_ns = 18 * MS,
                                                   .period_ns = 5 * MS});
    st_cycle_ring_put(ring, &next);
    written(NULL, 0);
    assert_int_equal(count(MISSED), 2);
    assert_int_equal(count("computes"), 3);
}

/* The second cycle began 2 ms before the first one had ended. */
static void cycle_that_overlaps_its_next_has_a_track_of_its_own(void **state)
{
    st_cycle_ring_put(ring, &(struct st_cycle_row){.cycle_ns = START + 5 * MS,
                                                   .signal_ns = START + 8 * MS + 12001,
                                                   .wait_ns = 0,
                                                   .busy_ns = 3 * MS,
                                                   .period_ns = 5 * MS});
    written(NULL, 0);
    assert_int_equal(count("\"tid\":256,\"name\":\"computes\",\"ts\":9000.000,\"dur\":1000.000}"),
                     1);
    assert_int_equal(count("\"tid\":512,\"name\":\"computes\",\"ts\":8012.001,\"dur\":3000.000}"),
                     1);
    assert_int_equal(count("Amp: cycles that overlap the next one"), 1);
}

static void text_of_others_is_a_string(void **state)
{
    ST_PRINT(ring->names[0], "a\"}\\\n");
    written(NULL, 0);
    assert_int_equal(count("\"a\\\"}\\\\?\""), 2); /* its track, and a deadline that it missed */
}

static void interrupts_have_their_names(void **state)
{
    struct st_trace_event events[] = {
        at(1, 3, ST_TRACE_SOFTIRQ_ENTRY, 3, ""), at(2, 3, ST_TRACE_IRQ_ENTRY, 27, "snd_hda"),
        at(3, 3, ST_TRACE_IRQ_EXIT, 27, ""),     at(4, 3, ST_TRACE_SOFTIRQ_EXIT, 3, ""),
        at(5, 3, ST_TRACE_SOFTIRQ_EXIT, 3, ""),
    };
    written(events, 5);
    assert_int_equal(count("softirq/NET_RX"), 1);
    assert_int_equal(count("irq/27-snd_hda"), 1);
    assert_int_equal(count("CPU 3: interrupts"), 1);
}

static void what_was_lost_is_no_ones(void **state)
{
    struct st_trace_event events[] = {
        switched(1, 0, 0, "swapper/0", HOG, "hog"),
        at(8, 0, ST_TRACE_LOST, 0, ""),
        at(8, 0, ST_TRACE_WAKING, 9, ""),
    };
    written(events, 3);
    assert_int_equal(count("hog"), 0);
    assert_int_equal(count("events before this moment are missing"), 1);
}

static void without_events_it_says_so(void **state)
{
    written(NULL, 0);
    assert_int_equal(count("Linux 6: this file has no kernel events"), 1);
    assert_int_equal(count("CPU 0"), 0);
    assert_int_equal(count("\"name\":\"\""), 0); /* no server, no note */
}

static void what_was_left_is_a_counter_of_each(void **state)
{
    for (int64_t i = 0; i < ST_LEVELS_MAX + 2; i++) { /* a ring, too */
        struct st_cycle_level *level = &ring->levels.rows[ring->levels.written++ % ST_LEVELS_MAX];
        *level = (struct st_cycle_level){.at_ns = START + i, .left_ns = 0x123456789};
        ST_PRINT(level->name, "%s", i % 2 == 0 ? "alsa: hw:0" : "jack\n: default");
    }
    ring->levels.rows[7].at_ns = 0; /* too old */
    ST_PRINT(ring->levels.about, "jack: JACK server");
    assert_true(st_cycle_ring_check(ring, sizeof(*ring)));
    written(NULL, 0);
    assert_int_equal(count("alsa: hw:0") + count("jack?: default"), ST_LEVELS_MAX - 1);
    assert_int_equal(count("jack: JACK server"), 1);
    assert_int_equal(count("\"ts\":0.007,\"args\":{\"ms\":4886.718345}}"), 0); /* too old */
    assert_int_equal(count("\"ts\":0.008,\"args\":{\"ms\":4886.718345}}"), 1);
    assert_int_equal(count("only PipeWire reports"), 0);
    ring->written = 0;
    written(NULL, 0);
    assert_int_equal(count("only PipeWire reports"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(who_had_a_cpu_has_its_name, begin, end),
        cmocka_unit_test_setup_teardown(cycle_that_was_known_later_is_in_its_place, begin, end),
        cmocka_unit_test_setup_teardown(cycle_that_overlaps_its_next_has_a_track_of_its_own, begin,
                                        end),
        cmocka_unit_test_setup_teardown(text_of_others_is_a_string, begin, end),
        cmocka_unit_test_setup_teardown(interrupts_have_their_names, begin, end),
        cmocka_unit_test_setup_teardown(what_was_lost_is_no_ones, begin, end),
        cmocka_unit_test_setup_teardown(without_events_it_says_so, begin, end),
        cmocka_unit_test_setup_teardown(what_was_left_is_a_counter_of_each, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
