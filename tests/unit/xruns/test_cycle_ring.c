/* The last cycles in a file: what is written is read, and what is no such file is refused. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text/text.h"
#include "tests/unit/unit.h"
#include "xruns/cycle_ring.h"

static char folder[] = "/tmp/sleeptune-ring-XXXXXX";

static void the_newest_rows_stay(void **state)
{
    struct st_cycle_ring *ring;
    struct stat status;
    const char *path = st_text("%s/ring", folder);
    assert_int_equal(st_cycle_ring_open(path, &ring), 0);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    assert_true(ring->wall_ns > 0);
    const uint16_t amp = st_cycle_ring_name(ring, "Amp"), synth = st_cycle_ring_name(ring, "Synth");
    assert_int_equal(st_cycle_ring_name(ring, "Amp"), amp);
    assert_int_not_equal(amp, synth);
    for (int64_t i = 0; i < ST_CYCLE_RING_ROWS + 10; i++)
        st_cycle_ring_put(ring, &(struct st_cycle_row){.signal_ns = i, .name = synth});
    assert_true(st_cycle_ring_check(ring, sizeof(*ring)));
    assert_int_equal(st_cycle_ring_n(ring), ST_CYCLE_RING_ROWS);
    assert_int_equal(st_cycle_ring_at(ring, 0)->signal_ns, 10);
    assert_int_equal(st_cycle_ring_at(ring, ST_CYCLE_RING_ROWS - 1)->signal_ns,
                     ST_CYCLE_RING_ROWS + 9);
    munmap(ring, sizeof(*ring));
    assert_int_equal(unlink(path), 0);
}

static void who_has_no_name_of_his_own_is_no_one_else(void **state)
{
    struct st_cycle_ring *ring = calloc(1, sizeof(*ring));
    assert_non_null(ring);
    for (uint16_t i = 0; i < ST_CYCLE_RING_NAMES + 5; i++)
        assert_int_equal(st_cycle_ring_name(ring, st_text("client %d", i)),
                         i < ST_CYCLE_RING_NAMES ? i : ST_CYCLE_RING_NAMES - 1);
    assert_string_equal(ring->names[ST_CYCLE_RING_NAMES - 1], "other programs");
    free(ring);
}

static void a_link_is_not_followed(void **state)
{
    struct st_cycle_ring *ring;
    const char *link = st_text("%s/link", folder);
    assert_int_equal(symlink("/tmp/sleeptune-no-such-file", link), 0);
    assert_int_equal(st_cycle_ring_open(link, &ring), -ELOOP);
    assert_int_equal(unlink(link), 0);
}

static void what_cannot_be_is_refused(void **state)
{
    struct st_cycle_ring *ring = calloc(1, sizeof(*ring)), *good = calloc(1, sizeof(*ring));
    assert_non_null(ring);
    assert_non_null(good);
    memcpy(good->magic, "sleeptune-cycle", sizeof(good->magic));
    assert_true(st_cycle_ring_check(good, sizeof(*good)));
    assert_false(st_cycle_ring_check(good, sizeof(*good) - 1));
    assert_false(st_cycle_ring_check(ring, sizeof(*ring)));
    for (int i = 0; i < 5; i++) {
        memcpy(ring, good, sizeof(*ring));
        ring->rows[7].signal_ns = i == 0 ? -1 : 0;
        ring->rows[7].cycle_ns = i == 1 ? INT64_MAX : 0;
        ring->rows[7].name = i == 2 ? ST_CYCLE_RING_NAMES : 0;
        ring->rows[7].is_driver = i == 3 ? 2 : 0;
        ring->wall_ns = i == 4 ? INT64_MIN : 0;
        assert_false(st_cycle_ring_check(ring, sizeof(*ring)));
    }
    free(ring);
    free(good);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_rows_stay),
        cmocka_unit_test(who_has_no_name_of_his_own_is_no_one_else),
        cmocka_unit_test(a_link_is_not_followed),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    if (mkdtemp(folder) == NULL)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return rmdir(folder) != 0 ? 1 : failed;
}
