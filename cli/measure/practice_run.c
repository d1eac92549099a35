#include "cli/measure/practice_run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include "cli/command.h"
#include "core/ns.h"
#include "core/text/number.h"
#include "core/text/text.h"
#include "ears/wav.h"
#include "platform/child_env.h"
#include "platform/platform.h"
#include "platform/posix/posix.h"
#include "platform/program/stop.h"
#include "platform/program/terminal.h"
#include "platform/user_folder.h"

#define CHUNK_FRAMES 480               /* 10 ms */
#define PIPE_BYTES   16384             /* 85 ms of sound */
#define START_NS     (5 * ST_NS_PER_S) /* a player that takes nothing for so long does not play */
#define FILE_NAME    "/heard-window-ms"

/* Programs that play a WAV file from their input, in the user's sound system, the first that does so. The
 * native one of PipeWire first: in what others play sleeptuned may look for silence (observe.listen). */
static const char *const players[][5] = {{"pw-play", "--latency=50ms", "-"},
                                         {"paplay", "--latency-msec=50"},
                                         {"aplay", "-q", "--buffer-time=100000", "-"}};

struct run {
    struct st_practice_sound sound;
    int64_t frame; /* the next one to be played */
    int64_t hole_ns[ST_PRACTICE_HOLES], press_ns[ST_PRACTICE_PRESS_MAX];
    size_t holes_n, presses_n;
    bool quit;
};

/* --- the window --- */

static bool folder_of(char *buf, size_t buf_bytes)
{
    return geteuid() != 0 && st_user_folder(ST_USER_STATE, "/sleeptune", buf, buf_bytes);
}

int64_t st_practice_run_window_ns(void)
{
    struct st_machine *machine = &st_platform_native()->machine;
    char folder[400], text[32];
    size_t len;
    int64_t ms;
    if (!folder_of(folder, sizeof(folder)) ||
        machine->read_text(machine, ST_TEXT(440, "%s" FILE_NAME, folder), text, sizeof(text), &len) != 0)
        return 0;
    text[strcspn(text, "\n")] = '\0';
    return st_number_i64(text, ST_PRACTICE_LEAST_NS / ST_NS_PER_MS, ST_PRACTICE_WINDOW_NS / ST_NS_PER_MS,
                         &ms) == 0
               ? ms * ST_NS_PER_MS
               : 0;
}

static int keep_window(int64_t window_ns)
{
    struct st_writer *writer = &st_platform_native()->writer;
    char folder[400], text[32];
    const int r = folder_of(folder, sizeof(folder)) ? st_user_folder_make(folder) : -ENOENT;
    ST_PRINT(text, "%lld\n", (long long)(window_ns / ST_NS_PER_MS));
    return r == 0
               ? writer->replace_file(writer, ST_TEXT(440, "%s" FILE_NAME, folder), text, strlen(text), 0600)
               : r;
}

/* --- playing --- */

/* Starts a player, which reads from ret->in. @return 0 or a negative errno value. */
static int start(const char *const *argv, struct st_posix_piped *ret)
{
    struct st_child_env env;
    char path[PATH_MAX];
    int r = st_child_env_open(&env, geteuid(), NULL);
    const struct st_run_as as = {.env = (const char *const *)env.vars};
    if (r == 0)
        r = st_child_env_find(as.env, argv[0], path, sizeof(path));
    if (r == 0)
        r = st_posix_piped_start(ret, path, argv, &as);
    st_child_env_close(&env);
    if (r < 0)
        return r;
#ifdef F_SETPIPE_SZ
    (void)fcntl(ret->in, F_SETPIPE_SZ, PIPE_BYTES);
#endif
    (void)fcntl(ret->in, F_SETFL, O_NONBLOCK);
    return 0;
}

/* The next 10 ms, if there is room for them: a pipe takes all of PIPE_BUF bytes or none. @return 0, -EPIPE.
 */
static int feed(struct run *run, int fd)
{
    unsigned char bytes[4 * CHUNK_FRAMES];
    const int64_t left = run->sound.frames_n - run->frame;
    const size_t n = left < CHUNK_FRAMES ? (size_t)left : CHUNK_FRAMES;
    st_practice_sound_fill(&run->sound, run->frame, n, bytes);
    const ssize_t took = write(fd, bytes, 4 * n);
    if (took < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -errno;
    run->frame += took / 4;
    while (run->holes_n < ST_PRACTICE_HOLES && run->sound.holes[run->holes_n] < run->frame)
        run->hole_ns[run->holes_n++] = st_posix_now_ns(NULL);
    return 0;
}

static void read_keys(struct run *run)
{
    char keys[32];
    const ssize_t n = read(STDIN_FILENO, keys, sizeof(keys));
    for (ssize_t i = 0; i < n; i++) {
        run->quit = run->quit || keys[i] == 'q' || keys[i] == '\004';
        if (run->presses_n < ST_PRACTICE_PRESS_MAX)
            run->press_ns[run->presses_n++] = st_posix_now_ns(NULL);
    }
    run->quit = run->quit || n == 0 || (n < 0 && errno != EINTR);
}

/* Until all of it was played and the last hole may have been heard. @return 0; -EPIPE: the player has ended.
 */
static int play(struct run *run, int fd)
{
    int64_t taken_ns = st_posix_now_ns(NULL);
    int r = 0;
    while (r == 0 && run->frame < run->sound.frames_n && !run->quit && !st_stop_asked()) {
        struct pollfd waits[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = fd, .events = POLLOUT}};
        const int64_t before = run->frame, now_ns = st_posix_now_ns(NULL);
        if (poll(waits, 2, 100) > 0 && waits[0].revents != 0)
            read_keys(run);
        if ((waits[1].revents & POLLOUT) != 0)
            r = feed(run, fd);
        else if (waits[1].revents != 0)
            r = -EPIPE;
        taken_ns = run->frame != before ? now_ns : taken_ns;
        if (st_ns_sub(now_ns, taken_ns) > START_NS)
            r = -EPIPE;
    }
    return r;
}

/* @return 0, -ENOENT: no program plays here. */
static int play_by_any(struct run *run)
{
    unsigned char head[ST_WAV_HEAD_BYTES];
    int r = -ENOENT;
    st_wav_head(head, ST_PRACTICE_RATE_HZ, 2, (uint64_t)run->sound.frames_n);
    for (size_t i = 0; i < ST_ARRAY_LEN(players) && r < 0 && !run->quit && !st_stop_asked(); i++) {
        struct st_posix_piped player = ST_POSIX_PIPED_NONE;
        if (start(players[i], &player) < 0)
            continue;
        run->frame = 0;
        run->holes_n = run->presses_n = 0;
        r = write(player.in, head, sizeof(head)) == (ssize_t)sizeof(head) ? play(run, player.in) : -EPIPE;
        st_posix_piped_close(&player, r < 0 || run->quit || st_stop_asked());
        if (run->holes_n > 0 && r < 0)
            break; /* it did play, and was ended */
    }
    return r;
}

static int say(const struct run *run)
{
    const struct st_practice_result result =
        st_practice_judge(run->hole_ns, run->holes_n, run->press_ns, run->presses_n);
    const int columns = st_terminal_width(STDOUT_FILENO);
    const char *after =
        result.heard_n == 0
            ? ""
            : ST_TEXT(100, ", after %.2f to %.2f s (median %.2f s)", st_ns_seconds(result.least_ns),
                      st_ns_seconds(result.most_ns), st_ns_seconds(result.median_ns));
    st_text_say(stdout, columns, "You heard %zu of %d dropouts%s; %zu press%s without one.", result.heard_n,
                ST_PRACTICE_HOLES, after, result.false_n, result.false_n == 1 ? "" : "es");
    if (result.window_ns == 0) {
        st_text_say(stdout, columns,
                    "That is fewer than half: nothing is set. Use headphones or make the sound "
                    "louder, and try again.");
        return ST_EXIT_UNKNOWN;
    }
    const int r = keep_window(result.window_ns);
    if (r < 0)
        return st_failure("cannot keep your window: %s", strerror(-r));
    printf("A mark by a key now means the last %.2f s (the default is %.1f s).\n"
           "Next: a key of your desktop: sleeptune heard --bind\n",
           st_ns_seconds(result.window_ns), st_ns_seconds(ST_PRACTICE_WINDOW_NS));
    return ST_EXIT_DONE;
}

int st_practice_run(void)
{
    struct termios before, raw;
    struct st_random random = {.state = (uint64_t)st_posix_wall_ns(NULL) ^ (uint64_t)getpid()};
    struct run run = {.sound = st_practice_sound_make(&random)};
    if (geteuid() == 0)
        return st_failure("--practice plays in your sound system: run it as the user who plays, not as root");
    if (tcgetattr(STDIN_FILENO, &before) != 0)
        return st_failure_usage("--practice needs a terminal for its keys");
    (void)signal(SIGPIPE, SIG_IGN);
    st_stop_catch(NULL);
    raw = before;
    raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO);     /* Ctrl-C still ends it */
    (void)tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw); /* drops earlier keys: before the keys are named */
    st_text_say(
        stdout, st_terminal_width(STDOUT_FILENO),
        "A steady tone of %d s with %d short dropouts. Press the space bar when you hear one. q ends it.",
        (int)(run.sound.frames_n / ST_PRACTICE_RATE_HZ), ST_PRACTICE_HOLES);
    (void)fflush(stdout);
    const int r = play_by_any(&run);
    (void)tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
    if (run.quit || st_stop_asked()) {
        puts("Ended early: nothing is set.");
        return ST_EXIT_UNKNOWN;
    }
    if (r < 0)
        return st_failure(
            "no program could play the sound: install pw-play (PipeWire), paplay (PulseAudio) or aplay "
            "(ALSA), and check that sound plays");
    return say(&run);
}
