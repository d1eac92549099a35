/* The source of the kernel's event snd_pcm:xrun over a tree of files that a test writes as the kernel would;
 * trace_pipe is a FIFO. What the real one says here is the last test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>

#include "alsa_tree.h"

#define TRACEFS  "sys/kernel/tracing"
#define INSTANCE TRACEFS "/instances/sleeptune-xruns"
#define EVENT    "/events/snd_pcm/xrun/enable"
#define LINE                                                                                                 \
    "           <...>-629     [001] d.h2.  1.5: xrun: pcmC0D0p/sub0: XRUN: old=1, base=0, period=1, buf=2\n"

static int pipe_fd = -1; /* the kernel's end */

static int setup(void **state)
{
    (void)state;
    return set_up_source("alsa_trace");
}

static int open_source(void)
{
    return open_source_in(root);
}

static const char *in_root(const char *name)
{
    static char path[256];
    snprintf(path, sizeof(path), "%s/%s", root, name);
    return path;
}

static void say(const char *text)
{
    assert_int_equal(write(pipe_fd, text, strlen(text)), strlen(text));
}

/** A kernel that has the event, and an instance as it makes one. */
static void kernel_has_the_event(void)
{
    put(TRACEFS EVENT, "0\n");
    put(INSTANCE EVENT, "0\n");
    put(INSTANCE "/buffer_size_kb", "1410\n");
    assert_int_equal(mkfifo(in_root(INSTANCE "/trace_pipe"), 0600), 0);
    put("proc/629/status", "Name:\taplay\nTgid:\t600\nPid:\t629\n");
    put("proc/600/comm", "my player\n");
    put_status_in("proc/asound/card0/pcm0p/sub0/status", "RUNNING", 629, "10.0", 5000);
    assert_int_equal(open_source(), 0);
    pipe_fd = open(in_root(INSTANCE "/trace_pipe"), O_WRONLY | O_NONBLOCK);
    assert_true(pipe_fd >= 0);
}

static void kernel_ends(void)
{
    st_xrun_close(&watch);
    close(pipe_fd);
}

static void assert_text(const char *name, const char *text)
{
    char found[64] = "";
    FILE *file = fopen(in_root(name), "r");
    assert_non_null(file);
    (void)!fgets(found, sizeof(found), file);
    (void)fclose(file);
    assert_string_equal(found, text);
}

static void event_is_turned_on_in_an_instance_of_our_own(void **state)
{
    (void)state;
    kernel_has_the_event();
    assert_text(INSTANCE EVENT, "1");
    assert_text(INSTANCE "/buffer_size_kb", "64");
    assert_text(TRACEFS EVENT, "0\n"); /* that of others stays */
    assert_int_equal(look(), 0);
    kernel_ends();
}

static void each_xrun_is_told_exactly_with_device_and_client(void **state)
{
    (void)state;
    kernel_has_the_event();
    say(LINE);
    assert_int_equal(look(), 1);
    assert_int_equal(last.device_xruns_n, 1);
    assert_int_equal(last.certainty, ST_CERTAINTY_EXACT);
    assert_string_equal(last.device, "hw:0,0,0 playback");
    assert_string_equal(last.client, "my player");
    assert_int_equal(look(), 0);
    say(LINE LINE LINE);
    assert_int_equal(look(), 3);
    put("proc/asound/card0/pcm0p/sub0/status", "closed\n");
    say(LINE);
    assert_int_equal(look(), 1);
    assert_string_equal(last.client, "");
    kernel_ends();
}

static void text_of_the_kernel_s_form_is_understood(void **state)
{
    (void)state;
    char path[512], text[2048];
    snprintf(path, sizeof(path), "%s/tests/fixtures/traces/alsa-xruns", getenv("SLEEPTUNE_SRC"));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    (void)fclose(file);
    kernel_has_the_event();
    say(text);
    assert_int_equal(look(), 6);
    assert_int_equal(last.certainty,
                     ST_CERTAINTY_PROBABLE); /* its last line: how many were lost is not said */
    assert_string_equal(last.device, "");
    kernel_ends();
}

static void line_may_come_in_two_halves(void **state)
{
    (void)state;
    kernel_has_the_event();
    say("           <...>-629     [001] d.h2.  1.5: xrun: pcmC0D0p");
    assert_int_equal(look(), 0);
    say("/sub0: XRUN: old=1, base=0, period=1, buf=2\n           <...>-62");
    assert_int_equal(look(), 1);
    say("9     [001] d.h2.  1.5: xrun: pcmC0D0c/sub0: XRUN: old=1, base=0, period=1, buf=2\n");
    assert_int_equal(look(), 1);
    assert_string_equal(last.device, "hw:0,0,0 capture");
    kernel_ends();
}

static void flood_loses_nothing(void **state)
{
    (void)state;
    kernel_has_the_event();
    int told = 0;
    for (int i = 0; i < 400; i++)
        say(LINE);
    for (int i = 0; i < 4; i++)
        told += look();
    assert_int_equal(told, 400);
    kernel_ends();
}

static void our_own_stream_is_left_to_own_xruns(void **state)
{
    (void)state;
    char name[32], text[64];
    snprintf(name, sizeof(name), "proc/%d/status", (int)getpid());
    snprintf(text, sizeof(text), "Tgid:\t%d\n", (int)getpid());
    kernel_has_the_event();
    put(name, text);
    put_status_in("proc/asound/card0/pcm0p/sub0/status", "XRUN", getpid(), "10.0", 5000);
    say(LINE);
    assert_int_equal(look(), 0);
    kernel_ends();
}

static void unknown_form_is_said_not_taken_for_quiet(void **state)
{
    (void)state;
    kernel_has_the_event();
    say(LINE " => snd_pcm_update_hw_ptr0\n"); /* a stack beside it is no harm */
    assert_int_equal(look(), 1);
    say("0101 0202\n");
    assert_int_equal(source->ops->poll(&watch, on_seen, NULL), -EBADMSG);
    assert_non_null(strstr(watch.why, "unknown format"));
    kernel_ends();
}

static void endless_line_is_in_no_known_form(void **state)
{
    (void)state;
    char text[5000];
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    kernel_has_the_event();
    say(text);
    assert_int_equal(source->ops->poll(&watch, on_seen, NULL), -EBADMSG);
    kernel_ends();
}

static void event_that_goes_with_its_module_is_not_taken_for_quiet(void **state)
{
    (void)state;
    kernel_has_the_event();
    assert_int_equal(unlink(in_root(INSTANCE EVENT)), 0);
    assert_int_equal(rmdir(in_root(INSTANCE "/events/snd_pcm/xrun")), 0);
    int r = 0;
    for (int i = 0; i < 9 && r == 0; i++)
        r = source->ops->poll(&watch, on_seen, NULL);
    assert_int_equal(r, -ENOENT);
    kernel_ends();
}

static void instance_is_removed(void **state)
{
    (void)state;
    kernel_has_the_event();
    char command[320]; /* the kernel's folder goes with what is in it */
    snprintf(command, sizeof(command), "rm -r '%s'/*", in_root(INSTANCE));
    assert_int_equal(system(command), 0);
    kernel_ends();
    assert_int_equal(access(in_root(INSTANCE), F_OK), -1);
    assert_int_equal(access(in_root(TRACEFS "/instances"), F_OK), 0);
}

static void instance_that_cannot_be_used_is_removed_too(void **state)
{
    (void)state;
    put(TRACEFS EVENT, "0\n");
    put(TRACEFS "/instances/other/tracing_on", "1\n");
    assert_int_equal(open_source(), -ENOENT); /* an instance without files */
    assert_non_null(strstr(watch.why, "cannot write"));
    assert_int_equal(access(in_root(INSTANCE), F_OK), -1);
    assert_int_equal(access(in_root(TRACEFS "/instances/other/tracing_on"), F_OK), 0);
}

static void what_is_missing_is_said(void **state)
{
    (void)state;
    assert_int_equal(open_source(), -ENOENT);
    assert_non_null(strstr(watch.why, "tracefs is not mounted on "));
    put(TRACEFS "/instances/other/tracing_on", "1\n");
    assert_int_equal(open_source(), -ENOENT);
    assert_non_null(strstr(watch.why, "no ALSA on this system"));
    put("proc/asound/pcm", "");
    assert_int_equal(open_source(), -ENOTSUP);
    assert_non_null(strstr(watch.why, "CONFIG_SND_PCM_XRUN_DEBUG is off"));
    if (geteuid() == 0)
        return; /* root may read it all */
    assert_int_equal(chmod(in_root(TRACEFS), 0), 0);
    assert_int_equal(open_source(), -EACCES);
    assert_non_null(strstr(watch.why, "no right to "));
    assert_int_equal(chmod(in_root(TRACEFS), 0700), 0);
}

/* The kernels that this runs on have no such event; on one that has, the instance is made and removed. */
static void real_one_is_absent_with_its_reason_or_watches(void **state)
{
    (void)state;
    const char *instance = "/" INSTANCE;
    const int r = open_source_in("");
    if (r == 0) {
        assert_int_equal(access("/" TRACEFS EVENT, F_OK), 0);
        assert_int_equal(look(), 0);
        st_xrun_close(&watch);
    } else if (access("/" TRACEFS, X_OK) != 0 || access("/" TRACEFS "/instances", F_OK) != 0) {
        assert_true(strstr(watch.why, "/sys/kernel/tracing") != NULL);
    } else if (access("/proc/asound/pcm", F_OK) != 0) {
        assert_int_equal(r, -ENOENT);
        assert_non_null(strstr(watch.why, "no ALSA on this system"));
    } else if (access("/" TRACEFS EVENT, F_OK) != 0) {
        assert_int_equal(r, -ENOTSUP);
        assert_non_null(strstr(watch.why, "CONFIG_SND_PCM_XRUN_DEBUG is off"));
    }
    print_message("# here: %s\n", watch.why);
    assert_true(r == -EBUSY || access(instance, F_OK) != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(event_is_turned_on_in_an_instance_of_our_own, setup, teardown),
        cmocka_unit_test_setup_teardown(each_xrun_is_told_exactly_with_device_and_client, setup, teardown),
        cmocka_unit_test_setup_teardown(text_of_the_kernel_s_form_is_understood, setup, teardown),
        cmocka_unit_test_setup_teardown(line_may_come_in_two_halves, setup, teardown),
        cmocka_unit_test_setup_teardown(flood_loses_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(our_own_stream_is_left_to_own_xruns, setup, teardown),
        cmocka_unit_test_setup_teardown(unknown_form_is_said_not_taken_for_quiet, setup, teardown),
        cmocka_unit_test_setup_teardown(endless_line_is_in_no_known_form, setup, teardown),
        cmocka_unit_test_setup_teardown(event_that_goes_with_its_module_is_not_taken_for_quiet, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(instance_is_removed, setup, teardown),
        cmocka_unit_test_setup_teardown(instance_that_cannot_be_used_is_removed_too, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_missing_is_said, setup, teardown),
        cmocka_unit_test_setup_teardown(real_one_is_absent_with_its_reason_or_watches, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
