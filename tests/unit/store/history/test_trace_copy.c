/* A copy of a moment is read as it was written; what is no copy, or not a whole one, is refused. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/ns.h"
#include "core/text/text.h"
#include "store/history/trace_copy.h"
#include "tests/unit/unit.h"

static char folder[] = "/tmp/sleeptune-copies-XXXXXX";
static struct st_trace_event events[ST_CPU_EVENTS_MAX + 3];
static struct st_cycle_ring *ring;
static char path[200];

static void write_copy(int64_t at_s, const char *cause, size_t events_n)
{
    char name[100];
    ST_PRINT(name, "%lld-%s.cycles", (long long)(at_s * ST_NS_PER_S), cause);
    ST_PRINT(path, "%s/traces/%s", folder, name);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(st_trace_copy_write(fd, name, ring, events, events_n), 0);
}

static int read_copy(int64_t at_s, struct st_trace_copy *ret)
{
    char found[200];
    const int r =
        st_trace_copy_read(st_text("%s/history.db", folder),
                           at_s == 0 ? INT64_MAX : at_s * ST_NS_PER_S, found, sizeof(found), ret);
    if (r == 0)
        assert_string_equal(found, path);
    return r;
}

static void the_nearest_that_has_the_moment_is_read(void **state)
{
    struct st_trace_copy copy;
    assert_int_equal(read_copy(0, &copy), -ENOENT);
    events[ST_CPU_EVENTS_MAX + 2] = (struct st_trace_event){.at_ns = 5, .name = "last"};
    write_copy(130, "heard", 0);
    assert_int_equal(read_copy(0, &copy), 0); /* the newest */
    assert_int_equal(copy.before_ns, 60 * ST_NS_PER_S);
    assert_int_equal(copy.events_n, 0);
    st_trace_copy_finish(&copy);
    assert_int_equal(read_copy(69, &copy), -ENOENT);
    assert_int_equal(read_copy(134, &copy), -ENOENT);
    assert_int_equal(read_copy(70, &copy), 0);
    st_trace_copy_finish(&copy);
    write_copy(100, "stopped", ST_CPU_EVENTS_MAX + 3);
    assert_int_equal(read_copy(90, &copy), 0);
    st_trace_copy_finish(&copy);
    assert_int_equal(read_copy(103, &copy), 0);
    assert_int_equal(copy.wall_ns, 100 * ST_NS_PER_S);
    assert_int_equal(copy.before_ns, 10 * ST_NS_PER_S);
    assert_memory_equal(copy.ring, ring, sizeof(*ring));
    assert_int_equal(copy.events_n, ST_CPU_EVENTS_MAX);
    assert_string_equal(copy.events[ST_CPU_EVENTS_MAX - 1].name, "last");
    st_trace_copy_finish(&copy);
    assert_int_equal(unlink(path), 0);
}

static void rows_of_its_trace_stay(void **state)
{
    struct st_trace_copy copy;
    for (int64_t i = 0; i < 100; i++)
        st_cycle_ring_put(ring, &(struct st_cycle_row){.signal_ns = i * ST_NS_PER_S});
    write_copy(100, "heard", 0);
    assert_int_equal(read_copy(100, &copy), 0);
    assert_int_equal(st_cycle_ring_at(copy.ring, 39)->signal_ns, 0);
    assert_int_equal(st_cycle_ring_at(copy.ring, 40)->signal_ns, 40 * ST_NS_PER_S);
    assert_int_equal(st_cycle_ring_at(copy.ring, 99)->signal_ns, 99 * ST_NS_PER_S);
    st_trace_copy_finish(&copy);
    assert_int_equal(unlink(path), 0);
    write_copy(100, "stopped", 0);
    assert_int_equal(read_copy(100, &copy), 0);
    assert_int_equal(st_cycle_ring_at(copy.ring, 89)->signal_ns, 0);
    assert_int_equal(st_cycle_ring_at(copy.ring, 90)->signal_ns, 90 * ST_NS_PER_S);
    st_trace_copy_finish(&copy);
    memset(ring->rows, 0, sizeof(ring->rows));
    ring->written = 0;
}

static void what_is_no_whole_copy_is_refused(void **state)
{
    struct st_trace_copy copy;
    struct stat status;
    write_copy(100, "stopped", 7);
    assert_int_equal(stat(path, &status), 0);
    assert_true(status.st_size < (off_t)sizeof(*ring) / 100); /* it is packed */
    assert_int_equal(truncate(path, status.st_size - 9), 0);
    assert_int_equal(read_copy(100, &copy), -EBADMSG);
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(read_copy(100, &copy), -EBADMSG);
    events[1].cpu = ST_CPU_EVENTS_CPUS;
    write_copy(100, "stopped", 7);
    assert_int_equal(read_copy(100, &copy), -EBADMSG);
    events[1].cpu = 0;
    ring->rows[5] =
        (struct st_cycle_row){.signal_ns = 95 * ST_NS_PER_S, .name = ST_CYCLE_RING_NAMES};
    write_copy(100, "stopped", 7);
    assert_int_equal(read_copy(100, &copy), -EBADMSG);
    memset(ring->rows, 0, sizeof(ring->rows));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("/dev/zero", path), 0);
    assert_int_equal(read_copy(100, &copy), -ELOOP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_that_has_the_moment_is_read),
        cmocka_unit_test(rows_of_its_trace_stay),
        cmocka_unit_test(what_is_no_whole_copy_is_refused),
    };
    ring = calloc(1, sizeof(*ring));
    if (ring == NULL || mkdtemp(folder) == NULL || mkdir(st_text("%s/traces", folder), 0700) != 0)
        return 1;
    st_cycle_ring_begin(ring);
    ring->wall_ns = 0;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(ring);
    return system(st_text("rm -r %s", folder)) != 0 ? 1 : failed;
}
