/* cli/measure/music: what check says of the music that plays, from what helper programs print, and
 * a daemon recorded. */
#include <sys/types.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "advisor/facts/fact_keys.h"
#include "cli/measure/music.h"
#include "core/ns.h"
#include "tests/fake/fake.h"
#include "tests/unit/unit.h"
#include "xruns/xrun.h"

#define NOTHING                                                                                    \
    "Nothing played on PipeWire: play, and run this again. For dropouts before that: sleeptune "   \
    "history."
#define BEGIN_S    100
#define WATCHED_NS (11 * ST_NS_PER_S)

/* A helper program: prints its lines once, and goes on or ends. */
static struct {
    const struct st_xrun_seen *lines;
    size_t lines_n;
    int end;           /* what the poll behind them returns */
    int last;          /* and what the one at the end does, which finds nothing to read */
    int64_t silent_ns; /* it did not run for so long */
    int opened, closed;
    uid_t user;  /* as whom root runs it */
    int pipe[2]; /* readable as long as there is something to poll */
} program;

static bool asks;         /* the next ones ask the daemon */
static bool stopped;      /* the next ones are, before the end */
static int64_t silent_ns; /* the next ones do not run for so long */

static int open_it(struct st_xrun_watch *w)
{
    program.opened++;
    program.user = w->setting.user;
    ST_PRINT(w->why, "it is not installed");
    assert_int_equal(pipe2(program.pipe, O_CLOEXEC | O_NONBLOCK), 0);
    w->fd = program.pipe[0];
    assert_int_equal(write(program.pipe[1], "x", 1), 1);
    return 0;
}

static int poll_it(struct st_xrun_watch *w)
{
    char byte;
    for (size_t i = 0; i < program.lines_n; i++)
        w->seen(w->ctx, &program.lines[i]);
    program.lines_n = 0;
    w->silent_ns = program.silent_ns;
    if (program.end == 0 && read(program.pipe[0], &byte, 1) != 1)
        return st_xrun_because(w, program.last, "it was stopped");
    return program.end;
}

static void close_it(struct st_xrun_watch *w)
{
    program.closed++;
    close(program.pipe[0]);
    close(program.pipe[1]);
}

static const struct st_xrun_ops ops = {.open = open_it, .poll = poll_it, .close = close_it};

static bool right_set_up; /* for the next login */
static struct st_xrun_source server;

static struct st_xrun_seen load(const char *client, int64_t frames)
{
    struct st_xrun_seen seen = {.kind = ST_XRUN_SEEN_LOAD,
                                .load = {.cycles_n = 469,
                                         .busy_median_ns = ST_NS_PER_MS,
                                         .period_ns = 21333333,
                                         .frames = frames}};
    ST_PRINT(seen.event.client, "%s", client);
    return seen;
}

static struct st_xrun_seen missed(const char *client, int64_t n, enum st_dropout_reason reason)
{
    struct st_xrun_seen seen = {
        .event = {.kind = ST_EVENT_CLIENT_DROPOUT, .count_n = n, .reason = reason}};
    ST_PRINT(seen.event.client, "%s", client);
    return seen;
}

/* What is said after 11 s, with music at 1024 frames measured. */
static struct st_facts *watch_as(int64_t uid, const char *source, const struct st_xrun_seen *lines,
                                 size_t lines_n, int end, bool as_root)
{
    struct st_platform *p = st_fake_new(ST_OS_LINUX, BEGIN_S * ST_NS_PER_S);
    struct st_facts *facts = st_facts_new(ST_OS_LINUX);
    assert_non_null(p);
    assert_non_null(facts);
    memset(&program, 0, sizeof(program));
    program.lines = lines;
    program.lines_n = lines_n;
    program.end = end;
    program.silent_ns = silent_ns;
    const struct st_xrun_source *const sources[] = {&server, NULL};
    server = *st_xrun_sources_find(source);
    server.ops = &ops;
    assert_int_equal(st_facts_put_int(facts, "linux.daemon.pipewire", 700, "test"), 0);
    assert_int_equal(st_facts_put_int(facts, "linux.daemon.jackd", 701, "test"), 0);
    if (uid >= 0)
        assert_int_equal(st_facts_put_int(facts, "user.uid", uid, "test"), 0);
    if (right_set_up) {
        assert_int_equal(st_facts_put_text(facts, "user.name", "ann", "test"), 0);
        assert_int_equal(st_facts_put_int(facts, "linux.limits.ann.rtprio", 90, "test"), 0);
    }
    struct st_music *music = st_music_start(p, sources, facts, as_root);
    assert_non_null(music);
    st_music_poll(music);
    st_fake_advance(p, WATCHED_NS);
    program.last = stopped ? -EPIPE : 0;
    json_decref(st_music_finish(music, asks, facts));
    assert_int_equal(program.opened, program.closed);
    st_fake_free(p);
    return facts;
}

static struct st_facts *watch(const char *source, const struct st_xrun_seen *lines, size_t lines_n,
                              int end, bool as_root)
{
    return watch_as(-1, source, lines, lines_n, end, as_root);
}

static void says(struct st_facts *facts, const char *wanted)
{
    char both[1600];
    const char *answer, *next;
    assert_int_equal(st_facts_text(facts, ST_MUSIC_ANSWER, &answer), 0);
    const bool has_next = st_facts_text(facts, ST_MUSIC_NEXT, &next) == 0;
    ST_PRINT(both, "%s%s%s%s", answer, has_next ? " Next: " : "", has_next ? next : "",
             has_next ? "." : "");
    assert_string_equal(both, wanted);
    st_facts_free(facts);
}

static void the_program_with_most_dropouts_is_named(void **state)
{
    struct st_xrun_seen lines[] = {load("", 1024),
                                   load("HeavyReverb", 1024),
                                   load("GoodSynth", 1024),
                                   missed("HeavyReverb", 20, ST_DROPOUT_TOO_SLOW),
                                   missed("HeavyReverb", 3, ST_DROPOUT_TOO_SLOW),
                                   missed("GoodSynth", 1, ST_DROPOUT_WOKEN_LATE)};
    lines[3].event.cycle.busy_ns = 25 * ST_NS_PER_MS;
    lines[3].event.cycle.wait_ns = 100 * ST_NS_PER_US;
    lines[3].event.cycle.period_ns = 21333333;
    struct st_facts *facts = watch("pipewire", lines, ST_ARRAY_LEN(lines), 0, false);
    int64_t n;
    const char *text;
    assert_int_equal(st_facts_int(facts, ST_MUSIC_DROPOUTS, &n), 0);
    assert_int_equal(n, 24);
    assert_int_equal(st_facts_int(facts, ST_MUSIC_CLIENT_DROPOUTS, &n), 0);
    assert_int_equal(n, 23);
    assert_int_equal(st_facts_text(facts, ST_MUSIC_REASON, &text), 0);
    assert_string_equal(text, "too-slow");
    says(facts, "In 11 s: HeavyReverb lost sound 23 times: it computed too long, 25.0 ms in a "
                "buffer of 21.3 ms. "
                "Next: pw-metadata -n settings 0 clock.force-quantum 2048 (this sets a buffer that "
                "lasts longer than the program's worst cycle, "
                "25.0 ms; 21.3 ms more delay; to undo: the same command with 0 (PipeWire chooses); "
                "to keep it: "
                "sleeptune apply "
                "linux-pipewire-quantum=2048).");
}

static void whose_work_grows_with_the_buffer_is_to_be_frozen(void **state)
{
    struct st_xrun_seen lines[] = {load("", 1024), load("Heavy", 1024),
                                   missed("Heavy", 2, ST_DROPOUT_TOO_SLOW)};
    lines[1].load.busy_median_ns = 17 * ST_NS_PER_MS; /* 34 ms of 42.7 at 2048 frames, and 11 */
    lines[2].event.cycle.busy_ns = 28 * ST_NS_PER_MS;
    lines[2].event.cycle.period_ns = 21333333;
    says(watch("pipewire", lines, ST_ARRAY_LEN(lines), 0, false),
         "In 11 s: Heavy lost sound 2 times: it computed too long, 28.0 ms in a "
         "buffer of 21.3 ms. "
         "Next: the program's worst cycle took 28.0 ms: no buffer of up to 2048 frames would be "
         "enough; freeze tracks or use fewer effects in Heavy.");
}

static void who_always_computes_too_long_needs_no_larger_buffer(void **state)
{
    struct st_xrun_seen lines[] = {load("", 1024), load("Heavy", 1024),
                                   missed("Heavy", 2, ST_DROPOUT_TOO_SLOW)};
    lines[1].load.busy_median_ns = 21 * ST_NS_PER_MS;
    says(watch("pipewire", lines, ST_ARRAY_LEN(lines), 0, false),
         "In 11 s: Heavy lost sound 2 times: it computed too long. "
         "Next: Heavy needs 98 % of each period, so no buffer size helps; freeze tracks or use "
         "fewer effects "
         "in Heavy.");
}

static void who_took_the_cpu_is_named_beside_the_victim(void **state)
{
    struct st_xrun_seen lines[] = {load("", 1024), load("Guitar", 1024),
                                   missed("Guitar", 9, ST_DROPOUT_CPU_TAKEN)};
    ST_PRINT(lines[2].event.culprit, "ffmpeg");
    says(watch("pipewire", lines, ST_ARRAY_LEN(lines), 0, false),
         "In 11 s: Guitar lost sound 9 times: it lost the CPU to ffmpeg. Next: sleeptune report "
         "(this finds the settings that make programs lose the CPU or wake up late).");
    lines[0].load.priority = 20;
    lines[1].load.priority = ST_XRUN_NORMAL;
    says(watch("pipewire", lines, ST_ARRAY_LEN(lines), 0, false),
         "In 11 s: Guitar lost sound 9 times: it lost the CPU to ffmpeg. Next: sleeptune report "
         "linux-client-priority (this shows how Guitar gets real-time priority, which the sound "
         "server "
         "has).");
    lines[1].load.priority = 20;
    says(watch("pipewire", lines, ST_ARRAY_LEN(lines), 0, false),
         "In 11 s: Guitar lost sound 9 times: it lost the CPU to ffmpeg. Next: sudo chrt --other "
         "--all-tasks --pid 0 $(pidof -s ffmpeg) (this takes real-time priority from ffmpeg, whose "
         "priority is at least that of Guitar; or end that program).");
    lines[2].event.culprit_plays = 1; /* it has its priority for that */
    says(watch("pipewire", lines, ST_ARRAY_LEN(lines), 0, false),
         "In 11 s: Guitar lost sound 9 times: it lost the CPU to ffmpeg. Next: sleeptune report "
         "(this finds the settings that make programs lose the CPU or wake up late).");
    lines[0].load.priority = lines[1].load.priority = ST_XRUN_NORMAL;
    says(watch("pipewire", lines, ST_ARRAY_LEN(lines), 0, false),
         "In 11 s: Guitar lost sound 9 times: it lost the CPU to ffmpeg. No program that plays has "
         "real-time priority. Next: sudo sleeptune apply linux-rt-permission (this gives programs "
         "that play priority over others; then log out and in again).");
    right_set_up = true;
    says(watch("pipewire", lines, ST_ARRAY_LEN(lines), 0, false),
         "In 11 s: Guitar lost sound 9 times: it lost the CPU to ffmpeg. No program that plays has "
         "real-time priority. Next: log out and in again (then your programs get the right to "
         "real-time priority); if you did that already: sleeptune report.");
    right_set_up = false;
}

static void what_no_setting_helps_against_has_no_command(void **state)
{
    struct st_xrun_seen lines[] = {load("", 256), load("Synth", 256),
                                   missed("Synth", 9, ST_DROPOUT_BLOCKED)};
    says(watch("pipewire", lines, ST_ARRAY_LEN(lines), 0, false),
         "In 11 s: Synth lost sound 9 times: it waited for a lock, disk or program. Next: look for "
         "a setting of Synth, such as reading sounds ahead from the disk; else report the dropouts "
         "to its authors.");
    lines[2].event.reason = ST_DROPOUT_SWAPPED_OUT;
    says(watch("pipewire", lines, ST_ARRAY_LEN(lines), 0, false),
         "In 11 s: Synth lost sound 9 times: it waited for its memory, which had to be read from "
         "disk. Next: sleeptune report (close programs that use much memory, and let a sampler "
         "load its "
         "sounds "
         "before you play; the settings of swap and locked memory are in the report).");
}

static void a_time_in_which_the_program_did_not_run_is_not_watched(void **state)
{
    const struct st_xrun_seen lines[] = {load("", 256), load("Synth", 256)};
    silent_ns = 5 * ST_NS_PER_S;
    says(watch("pipewire", lines, ST_ARRAY_LEN(lines), 0, false),
         "No dropout in 6.0 s on PipeWire.");
    silent_ns = 0;
}

static void a_server_that_names_no_one_is_not_made_to(void **state)
{
    const struct st_xrun_seen lines[] = {missed("", 5, ST_DROPOUT_UNKNOWN)};
    struct st_facts *facts = watch("jack", lines, 1, 0, false);
    assert_null(st_facts_find(facts, ST_MUSIC_CLIENT));
    says(facts, "In 11 s: 5 dropouts happened on JACK: a program was not ready, reason unknown; "
                "JACK does not say "
                "which one.");
}

static void quiet_music_and_silence(void **state)
{
    const struct st_xrun_seen plays[] = {load("", 1024), load("GoodSynth", 1024)};
    int64_t frames;
    struct st_facts *facts = watch("pipewire", plays, 2, 0, false);
    assert_int_equal(st_facts_int(facts, ST_MUSIC_FRAMES, &frames), 0);
    assert_int_equal(frames, 1024);
    assert_null(st_facts_find(facts, ST_MUSIC_CLIENT));
    says(facts, "No dropout in 11 s on PipeWire.");
    says(watch("pipewire", NULL, 0, 0, false), NOTHING);
    silent_ns = 6 * ST_NS_PER_S; /* 5 s are left, as with -d 5s */
    says(watch("pipewire", NULL, 0, 0, false), NOTHING);
    silent_ns = 0;
}

static void a_buffer_that_no_one_listens_behind_is_named(void **state)
{
    struct st_xrun_seen plays[] = {load("", 1024), load("mpv", 1024)};
    plays[1].load.between = ST_XRUN_BETWEEN_STOPS;
    says(watch("pipewire", plays, 2, 0, false), "No dropout in 11 s on PipeWire; 'sleeptune check' "
                                                "does not notice sound that mpv sends too late.");
    plays[1].load.between = ST_XRUN_BETWEEN_HEARD;
    says(watch("pipewire", plays, 2, 0, false), "No dropout in 11 s on PipeWire.");
}

static void who_is_not_watched_is_said(void **state)
{
    struct st_facts *facts = watch("pipewire", NULL, 0, -ENOENT, false);
    assert_null(st_facts_find(facts, ST_MUSIC_DROPOUTS));
    says(facts, "sleeptune watched no sound server: it is not installed.");
    says(watch("pulseaudio", NULL, 0, 0, false),
         "sleeptune watched no sound server: no sound server is running for this user.");
    says(watch("pipewire", NULL, 0, 0, true),
         "sleeptune watched no sound server: run this command as the user who plays.");
    assert_int_equal(program.opened, 0);
    says(watch_as(0, "pipewire", NULL, 0, 0, true),
         "sleeptune watched no sound server: run this command as the user who plays.");
    assert_int_equal(program.opened, 0);
}

static void who_was_stopped_has_not_watched(void **state)
{
    const struct st_xrun_seen plays[] = {load("", 1024), load("GoodSynth", 1024)};
    const struct st_xrun_seen dropout[] = {missed("", 5, ST_DROPOUT_UNKNOWN)};
    stopped = true;
    says(watch("pipewire", NULL, 0, 0, false),
         "sleeptune watched no sound server: it was stopped.");
    says(watch("pipewire", plays, 2, 0, false),
         "sleeptune watched no sound server: it was stopped.");
    says(watch("jack", dropout, 1, 0, false),
         "In 11 s: 5 dropouts happened on JACK: a program was not ready, reason "
         "unknown; JACK does not say which one.");
    stopped = false;
}

/* sudo: the facts are of the user who ran it. */
static void root_watches_as_the_user_who_ran_sudo(void **state)
{
    says(watch_as(1000, "pipewire", NULL, 0, 0, true), NOTHING);
    assert_int_equal(program.opened, 1);
    assert_int_equal(program.user, 1000);
    says(watch_as(1000, "pipewire", NULL, 0, 0, false), NOTHING);
    assert_int_equal(program.user, 0); /* an ordinary user cannot become another one */
}

/* A daemon that is asked for the time that was watched, then for its status. */
static void be_daemon(int fd)
{
    static const char *const answers[] = {
        "{\"schema\": \"sleeptune-causes/1\", \"dropouts\": {\"count\": 7, \"text\": \"mpv lost "
        "sound.\","
        " \"sources\": [{\"source\": \"pipewire\"}]}}",
        "{\"schema\": \"sleeptune-status/1\", \"screen\": {\"next\": \"sleeptune tune\"}}"};
    ST_EACH (answer, answers) {
        char request[4096] = "";
        const int peer = accept(fd, NULL, NULL);
        if (read(peer, request, sizeof(request) - 1) < 0 ||
            (answer == answers && strstr(request, st_text("causes?since=%d ", BEGIN_S)) == NULL))
            return;
        dprintf(peer, "HTTP/1.1 200 OK\r\n\r\n%s", *answer);
        close(peer);
    }
}

static void what_a_daemon_recorded_meanwhile_counts(void **state)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct st_xrun_seen line = load("mpv", 1024);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ST_PRINT(address.sun_path, "/tmp/sleeptune-test-music-%d", (int)getpid());
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    listen(fd, 2);
    if (fork() == 0) {
        be_daemon(fd);
        _exit(0);
    }
    close(fd);
    assert_int_equal(setenv("SLEEPTUNE_SOCKET", address.sun_path, 1), 0);
    asks = true;
    struct st_facts *facts = watch("pipewire", &line, 1, 0, false);
    unlink(address.sun_path);
    asks = false;
    says(facts,
         "In the last 21 s at most, recorded by sleeptuned: mpv lost sound. Next: sleeptune tune.");
    wait(NULL);
}

static void names_of_others_are_made_safe(void **state)
{
    const struct st_xrun_seen lines[] = {missed("a\033[2Jb\xff", 1, ST_DROPOUT_STOPPED)};
    struct st_facts *facts = watch("pipewire", lines, 1, 0, false);
    const char *answer;
    assert_int_equal(st_facts_text(facts, ST_MUSIC_ANSWER, &answer), 0);
    assert_null(strchr(answer, '\033'));
    assert_null(strchr(answer, '\xff'));
    st_facts_free(facts);
    /* of more programs than have a place each dropout counts */
    struct st_xrun_seen many[40];
    for (size_t i = 0; i < ST_ARRAY_LEN(many); i++) {
        char name[16];
        ST_PRINT(name, "p%zu", i);
        many[i] = missed(name, i == 7 ? 2 : 1, ST_DROPOUT_STOPPED);
    }
    facts = watch("pipewire", many, ST_ARRAY_LEN(many), 0, false);
    assert_int_equal(st_facts_text(facts, ST_MUSIC_ANSWER, &answer), 0);
    assert_true(strncmp(answer, "In 11 s: p7 lost sound 2 times", 30) == 0);
    st_facts_free(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_program_with_most_dropouts_is_named),
        cmocka_unit_test(whose_work_grows_with_the_buffer_is_to_be_frozen),
        cmocka_unit_test(who_always_computes_too_long_needs_no_larger_buffer),
        cmocka_unit_test(who_took_the_cpu_is_named_beside_the_victim),
        cmocka_unit_test(what_no_setting_helps_against_has_no_command),
        cmocka_unit_test(a_time_in_which_the_program_did_not_run_is_not_watched),
        cmocka_unit_test(a_server_that_names_no_one_is_not_made_to),
        cmocka_unit_test(quiet_music_and_silence),
        cmocka_unit_test(a_buffer_that_no_one_listens_behind_is_named),
        cmocka_unit_test(who_is_not_watched_is_said),
        cmocka_unit_test(who_was_stopped_has_not_watched),
        cmocka_unit_test(root_watches_as_the_user_who_ran_sudo),
        cmocka_unit_test(what_a_daemon_recorded_meanwhile_counts),
        cmocka_unit_test(names_of_others_are_made_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
