/* The wire format, byte by byte; tests/integration/history-trace.sh reads a whole trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/perfetto.h"

static char *text;
static size_t bytes;

static void expect(const char *wanted, size_t wanted_bytes)
{
    assert_int_equal(bytes, wanted_bytes);
    assert_memory_equal(text, wanted, wanted_bytes);
    free(text);
}

#define EXPECT(wanted) expect(wanted, sizeof(wanted) - 1)

static void an_event_is_a_packet(void **state)
{
    (void)state;
    FILE *out = open_memstream(&text, &bytes);
    st_perfetto_event(out, ST_PERFETTO_BEGIN, 300, 1000, "ab", 0);
    fclose(out);
    /* packet of 20 bytes: time 1000, sequence 1, clock 3, event of 10: type 1, track 300, name */
    EXPECT("\x0a\x14\x40\xe8\x07\x50\x01\xd0\x03\x03\x5a\x0a\x48\x01\x58\xac\x02\xba\x01\x02"
           "ab");
}

static void a_track_has_its_parent(void **state)
{
    (void)state;
    FILE *out = open_memstream(&text, &bytes);
    st_perfetto_track(out, 16, 1, "Amp");
    fclose(out);
    EXPECT("\x0a\x0e\x50\x01\xe2\x03\x09\x08\x10\x28\x01\x12\x03"
           "Amp");
}

static void a_counter_has_values_in_ns(void **state)
{
    (void)state;
    FILE *out = open_memstream(&text, &bytes);
    st_perfetto_counter(out, 16, 1, "left");
    st_perfetto_event(out, ST_PERFETTO_VALUE, 16, 1000, NULL, 300);
    fclose(out);
    EXPECT("\x0a\x13\x50\x01\xe2\x03\x0e\x08\x10\x28\x01\x12\x04"
           "left"
           "\x42\x02\x18\x01"
           "\x0a\x12\x40\xe8\x07\x50\x01\xd0\x03\x03\x5a\x08\x48\x04\x58\x10\xf0\x01\xac\x02");
}

static void a_long_name_is_cut_after_a_whole_character(void **state)
{
    (void)state;
    char name[400];
    FILE *out = open_memstream(&text, &bytes);
    memset(name, 'x', sizeof(name));
    memcpy(&name[ST_PERFETTO_NAME_BYTES - 2], "\xc3\xa4", 2);
    name[sizeof(name) - 1] = '\0';
    st_perfetto_event(out, ST_PERFETTO_INSTANT, 2, 1, name, 0);
    fclose(out);
    assert_true(bytes < 300);
    assert_int_equal(text[bytes - 1], 'x');
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_is_a_packet),
        cmocka_unit_test(a_track_has_its_parent),
        cmocka_unit_test(a_counter_has_values_in_ns),
        cmocka_unit_test(a_long_name_is_cut_after_a_whole_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
