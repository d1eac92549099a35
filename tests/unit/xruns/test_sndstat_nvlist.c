/* Packed nvlists of SNDSTIOC_GET_DEVS, written here as nvlist_pack(9) does. */
#include "tests/unit/cannot.h"
#include "tests/unit/unit.h"
#include "xruns/sndstat.h"

enum {
    BOOL = 2,
    NUMBER = 3,
    STRING = 4,
    LIST = 5,
    LIST_ARRAY = 11,
    ARRAY_NEXT = 254,
    LIST_UP = 255
};

static unsigned char bytes[4096];
static size_t n;
static struct st_snd_channel seen[8];
static size_t seen_n;

static void put(const void *from, size_t len)
{
    assert_true(n + len <= sizeof(bytes));
    memcpy(bytes + n, from, len);
    n += len;
}

static void put_u64(uint64_t value)
{
    put(&value, sizeof(value));
}

static void put_header(void)
{
    const union {
        uint16_t number;
        unsigned char first;
    } order = {.number = 1};
    const unsigned char start[3] = {0x6c, 0, order.first == 1 ? 0 : 0x80};
    put(start, sizeof(start));
    put_u64(0);
    put_u64(0); /* of the outermost, read_all sets it; of others the reader goes by the pairs */
}

static void put_pair(unsigned char type, const char *name, uint64_t data_bytes, uint64_t items)
{
    const uint16_t name_bytes = (uint16_t)(strlen(name) + 1);
    put(&type, 1);
    put(&name_bytes, sizeof(name_bytes));
    put_u64(data_bytes);
    put_u64(items);
    put(name, name_bytes);
}

static void put_number(const char *name, uint64_t value)
{
    put_pair(NUMBER, name, 8, 0);
    put_u64(value);
}

static void put_string(const char *name, const char *value)
{
    put_pair(STRING, name, strlen(value) + 1, 0);
    put(value, strlen(value) + 1);
}

static void put_list(const char *name)
{
    put_pair(LIST, name, 77, 0); /* the size of what is inside: not to be skipped */
    put_header();
}

static void put_array(const char *name, uint64_t items)
{
    put_pair(LIST_ARRAY, name, 0, items);
    put_header();
}

static void put_next(bool last)
{
    put_pair(ARRAY_NEXT, "", 0, 0);
    if (!last)
        put_header();
}

static void put_channel(const char *name, uint64_t pid, const char *comm, uint64_t xruns)
{
    put_string("name", name);
    put_string("parentchan", "");
    put_number("unit", 0);
    put_number("pid", pid);
    put_string("comm", comm);
    put_number("interrupts", 11);
    put_number("feedcount", 12);
    put_number("xruns", xruns);
    put_number("swbuf_free", 0);
    put_number("swbuf_ready", 8192 - 8192 * (xruns > 0));
    put_string("feederchain", "[userland -> hardware]");
}

/* Two devices; the first has two channels, the second comes from a program. */
static void put_devices(void)
{
    n = 0;
    put_header();
    put_array("dsps", 2);
    put_string("nameunit", "pcm0");
    put_pair(BOOL, "from_user", 1, 0);
    put("", 1);
    put_list("provider_info");
    put_number("unit", 0);
    put_array("channel_info", 2);
    put_channel("dsp0.play.0", UINT64_MAX, "", 0);
    put_next(false);
    put_channel("dsp0.virtual_play.0", 2067, "mpv", 28);
    put_next(true);
    put_pair(LIST_UP, "", 0, 0);
    put_string("provider", "sound(4)");
    put_next(false);
    put_string("nameunit", "");
    put_string("name", "no channel");
    put_number("xruns", 99);
    put_next(true);
}

static void on_channel(void *ctx, const struct st_snd_channel *channel)
{
    assert_true(seen_n < ST_ARRAY_LEN(seen));
    seen[seen_n++] = *channel;
}

static int64_t read_again(size_t len)
{
    seen_n = 0;
    return st_sndstat_nvlist(bytes, len, on_channel, NULL);
}

static int64_t read_all(size_t len)
{
    const uint64_t size = n - 19;
    memcpy(bytes + 11, &size, sizeof(size));
    return read_again(len);
}

static void list_that_libnv_packed_is_read(void **state)
{
    char path[512];
    const char *source = getenv("SLEEPTUNE_SRC");
    ST_PRINT(path, "%s/tests/fuzz/corpus/snd_nvlist/packed-by-libnv",
             source != NULL ? source : ".");
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    n = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
        ST_CANNOT("the capture has the low byte first");
    /* three devices: with three channels, with none, and one that a program made, which is not
     * believed */
    assert_int_equal(read_again(n), 3);
    assert_string_equal(seen[0].name, "dsp0.play.0");
    assert_int_equal(seen[0].pid, 0);
    assert_string_equal(seen[1].name, "dsp0.virtual_play.0");
    assert_true(seen[1].is_virtual);
    assert_int_equal(seen[1].pid, 62);
    assert_string_equal(seen[1].program, "dsp");
    assert_int_equal(seen[1].interrupts_n, 1182);
    assert_int_equal(seen[1].feeds_n, 1180);
    assert_int_equal(seen[1].xruns_n, 28);
    assert_string_equal(seen[2].name, "dsp0.record.0");
}

static void channels_are_found_with_their_counters(void **state)
{
    put_devices();
    assert_int_equal(read_all(n), 2);
    assert_int_equal(seen_n, 2);
    assert_string_equal(seen[0].name, "dsp0.play.0");
    assert_false(seen[0].is_virtual);
    assert_int_equal(seen[0].pid, 0); /* nobody has it */
    assert_string_equal(seen[1].name, "dsp0.virtual_play.0");
    assert_true(seen[1].is_virtual);
    assert_int_equal(seen[1].pid, 2067);
    assert_string_equal(seen[1].program, "mpv");
    assert_int_equal(seen[1].interrupts_n, 11);
    assert_int_equal(seen[1].feeds_n, 12);
    assert_int_equal(seen[1].xruns_n, 28);
    assert_false(seen[0].stuck); /* a full buffer matters to who records */
    assert_true(seen[1].stuck);
}

static void devices_without_channel_info_have_none(void **state)
{
    (void)state; /* 13 */
    n = 0;
    put_header();
    put_array("dsps", 1);
    put_string("nameunit", "pcm0");
    put_list("provider_info");
    put_number("unit", 0);
    put_pair(LIST_UP, "", 0, 0);
    put_next(true);
    assert_int_equal(read_all(n), 0);
}

static void cut_anywhere_it_is_malformed_or_shorter(void **state)
{
    put_devices();
    for (size_t len = 0; len < n; len++) {
        if (read_all(len) >= 0)
            fail_msg("taken with %zu of %zu bytes", len, n);
    }
}

static void other_byte_order_and_magic_are_refused(void **state)
{
    put_devices();
    bytes[2] ^= 0x80;
    assert_int_equal(read_all(n), -EBADMSG);
    bytes[2] ^= 0x80;
    bytes[0] = 0x6d;
    assert_int_equal(read_all(n), -EBADMSG);
}

static void lists_in_lists_without_end_are_refused(void **state)
{
    n = 0;
    put_header();
    for (int i = 0; i < 40; i++)
        put_list("a");
    assert_int_equal(read_all(n), -EBADMSG);
}

static void ends_that_do_not_fit_are_refused(void **state)
{
    n = 0;
    put_header();
    put_pair(LIST_UP, "", 0, 0);
    assert_int_equal(read_all(n), -EBADMSG);
    n = 0;
    put_header();
    put_list("a");
    put_pair(ARRAY_NEXT, "", 0, 0);
    assert_int_equal(read_all(n), -EBADMSG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(list_that_libnv_packed_is_read),
        cmocka_unit_test(channels_are_found_with_their_counters),
        cmocka_unit_test(devices_without_channel_info_have_none),
        cmocka_unit_test(cut_anywhere_it_is_malformed_or_shorter),
        cmocka_unit_test(other_byte_order_and_magic_are_refused),
        cmocka_unit_test(lists_in_lists_without_end_are_refused),
        cmocka_unit_test(ends_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
