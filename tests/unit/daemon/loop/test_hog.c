/* The thread that keeps a CPU busy is found in a captured /proc, whose lines are those of
 * proc(5). */
#include <sys/stat.h>

#include "daemon/loop/hog.h"
#include "platform/platform.h"
#include "tests/unit/unit.h"

static char root[] = "/tmp/st_hog_XXXXXX";
static struct st_platform *tree;

/* A thread of a process, with its state, CPU and real-time priority; pid "self": the loop's. */
static void put(const char *pid, int tid, const char *name, char state, int cpu, int priority)
{
    char path[128];
    ST_PRINT(path, "%s/proc/%s/task/%d", root, pid, tid);
    for (char *slash = strchr(path + strlen(root) + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    (void)mkdir(path, 0700);
    ST_PRINT(path, "%s/proc/%s/task/%d/stat", root, pid, tid);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f,
            "%d (%s) %c 1 1 1 0 -1 4194304 0 0 0 0 0 0 0 0 -81 0 1 0 1 0 0 1 0 0 0 0 0 0 0 0 0 0 0 "
            "0 17 %d "
            "%d 1 0\n",
            tid, name, state, cpu, priority);
    assert_int_equal(fclose(f), 0);
}

static void thread_that_never_sleeps_is_named_at_the_second_look(void **state)
{
    struct st_hog hog = {0};
    put("self", 70, "st-loop", 'R', 0, 70);
    put("700", 70, "st-loop", 'R', 0, 70); /* the loop itself */
    put("482", 482, "hog", 'R', 0, 80);
    put("483", 483, "elsewhere", 'R', 1, 90); /* another CPU */
    put("484", 484, "sleeper", 'S', 0, 95);   /* it sleeps */
    put("485", 485, "lower", 'R', 0, 60);     /* the loop preempts it */
    st_hog_look(tree, 70, &hog);
    assert_int_equal(hog.looks, 1);
    st_hog_look(tree, 70, &hog);
    assert_int_equal(hog.looks, ST_HOG_LOOKS);
    assert_int_equal(hog.tid, 482);
    assert_int_equal(hog.priority, 80);
    assert_string_equal(hog.name, "hog");
    char path[128];
    put("482", 482, "qemu-system-x86", 'R', 0, 80);
    ST_PRINT(path, "%s/proc/482/cmdline", root);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "/usr/bin/qemu-system-x86_64%c-m%c512", 0, 0);
    assert_int_equal(fclose(f), 0);
    st_hog_look(tree, 70, &hog);
    assert_string_equal(hog.name, "qemu-system-x86_64"); /* the kernel cuts names */
    put("482", 482, "hog", 'S', 0, 80);
    st_hog_look(tree, 70, &hog);
    assert_int_equal(hog.looks, 0);
}

static int set_up(void **state)
{
    return mkdtemp(root) != NULL && st_platform_root_new(root, &tree) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    char command[64];
    st_platform_root_free(tree);
    ST_PRINT(command, "rm -r %s", root);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thread_that_never_sleeps_is_named_at_the_second_look),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
