/* sleeptuned: options and signals. It never forks: helper programs share its memory until execve
 * (start_posix.c). */
#include <getopt.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/ns.h"
#include "daemon/causes/tracer.h"
#include "daemon/service.h"
#include "platform/posix/posix.h"
#include "platform/standard_files.h"
#include "platform/trusted.h"
#include "st_config.h"

#define LOG_MODULE "main"
#include "core/text/safe.h"

/* the exit statuses of all programs of sleeptune */
enum { EXIT_DONE = 0, EXIT_USAGE = 3, EXIT_FAILED = 4 };

/* open files that are needed at least: 36 for each HTTP server; the rest for xrun sources and
 * history */
#define DESCRIPTORS_MIN 128

static void usage(FILE *out)
{
    fputs("Usage: sleeptuned [-adfn] [-c FILE]\n"
          "       sleeptuned -h | -V\n"
          "Test the timing of this computer while music plays, count the dropouts of sound\n"
          "servers and programs, and serve the figures.\n"
          "\n"
          "  -a       test the timing also while nothing plays, unless the configuration\n"
          "           sets loop.when\n"
          "  -c FILE  read this configuration instead of\n"
          "           " ST_SERVICE_CONFIG "\n"
          "  -d       log debug messages too\n"
          "  -f       log to standard error instead of the system's log\n"
          "  -n       check the configuration and exit\n"
          "  -h       this help\n"
          "  -V       version\n\n"
          "sleeptuned stays in the foreground. SIGHUP reads the configuration again,\n"
          "SIGTERM and SIGINT end it.\n"
          "'sleeptune status' shows the figures. Manual: man sleeptuned\n",
          out);
}

static void print_error(ST_UNUSED void *ctx, const char *message)
{
    fputs("sleeptuned: ", stderr);
    st_safe_print(stderr, message, ST_TEXT_TO_NUL);
    fputc('\n', stderr);
}

struct options {
    const char *config; /* NULL: ST_SERVICE_CONFIG */
    bool check, to_stderr, debug;
};

static int printed(void)
{
    if (fflush(stdout) == 0 && ferror(stdout) == 0)
        return EXIT_DONE;
    fputs("sleeptuned: writing to standard output failed\n", stderr);
    return EXIT_FAILED;
}

/* Parses the command line. @return -1: the daemon goes on; otherwise the exit status. */
static int read_options(int argc, char **argv, struct options *ret)
{
    static const struct option longs[] = {
        {"help", no_argument, NULL, 'h'}, {"version", no_argument, NULL, 'V'}, {0}};
    int option;
    while ((option = getopt_long(argc, argv, "ac:dfnhV", longs, NULL)) != -1) {
        switch (option) {
        case 'a':
            st_config_always();
            break;
        case 'c':
            ret->config = optarg;
            break;
        case 'd':
            ret->debug = true;
            break;
        case 'f':
            ret->to_stderr = true;
            break;
        case 'n':
            ret->check = true;
            break;
        case 'h':
            usage(stdout);
            return printed();
        case 'V':
            puts("sleeptuned " ST_VERSION);
            return printed();
        default:
            fputs("Try 'sleeptuned -h'.\n", stderr);
            return EXIT_USAGE;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "sleeptuned: unexpected argument '%s'. Try 'sleeptuned -h'.\n",
                argv[optind]);
        return EXIT_USAGE;
    }
    return -1;
}

/* Reads the configuration. A file that -c names must exist; the default file may be missing.
 * @return 0, or EXIT_USAGE after the errors were printed. */
static int read_config(struct st_platform *machine, const struct options *options,
                       struct st_config *ret, const char **ret_path)
{
    *ret_path = options->config;
    if (options->config == NULL) {
        if (access(ST_SERVICE_CONFIG, F_OK) != 0 && errno == ENOENT) {
            st_config_defaults(ret);
            return 0;
        }
        *ret_path = ST_SERVICE_CONFIG;
    }
    return st_config_load(machine, *ret_path, ret, print_error, NULL) == 0 ? 0 : EXIT_USAGE;
}

static volatile sig_atomic_t ends_by, reloads, ran_too_long;

/* Handles SIGHUP, SIGTERM and SIGINT, which arrive only while the main thread waits
 * (daemon/wait.h). */
static void on_signal(int number)
{
    if (number == SIGHUP)
        reloads = 1;
    else
        ends_by = number;
}

/* Handles SIGXCPU, which the kernel sends to a real-time thread that ran longer than RLIMIT_RTTIME
 * allows. The thread gives up its priority here, because an ordinary thread might never get a CPU
 * to take it away. The main thread then reports this and demotes the loop. */
static void on_rttime(ST_UNUSED int number)
{
    const int error = errno;
    struct st_platform *platform = st_platform_native();
    (void)platform->set_policy(platform, ST_POLICY_OTHER, 0);
    ran_too_long = 1;
    errno = error;
}

static int serve(struct st_service *service, const sigset_t *blocked, struct st_platform *platform)
{
    int64_t next_ns = st_platform_now_ns(platform) + ST_SERVICE_TICK_NS;
    int r = 0;
    while (r == 0 && ends_by == 0) {
        const int64_t now_ns = st_platform_now_ns(platform);
        st_text_forget();
        if (now_ns >= next_ns) {
            r = st_service_tick(service);
            next_ns = now_ns + st_service_tick_ns(service);
            continue;
        }
        if (ran_too_long) {
            ran_too_long = 0;
            st_service_too_long(service);
        }
        r = st_service_wait(service, next_ns, blocked);
        if (r == 0 && reloads && ends_by == 0) {
            reloads = 0;
            r = st_service_reload(service);
        }
        if (next_ns >
            now_ns + st_service_tick_ns(
                         service)) /* the tick interval became shorter, since the loop runs again */
            next_ns = now_ns + st_service_tick_ns(service);
    }
    if (r == 0)
        ST_INFO("%s: ending", ends_by == SIGTERM ? "SIGTERM" : "SIGINT");
    return r;
}

/* Checks the limit of open files at the start. With too few descriptors, any part could fail later,
 * whichever opens the last one. */
static bool has_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return true;
    if (limit.rlim_cur > FD_SETSIZE) {
        /* pselect (daemon/wait.h) takes only descriptors below FD_SETSIZE */
        limit.rlim_cur = FD_SETSIZE;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
    if (limit.rlim_cur >= DESCRIPTORS_MIN)
        return true;
    limit.rlim_cur = ST_MIN(limit.rlim_max, DESCRIPTORS_MIN);
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur >= DESCRIPTORS_MIN)
        return true;
    ST_ERR("sleeptuned may open %llu files and needs %d. Raise its limit (\"ulimit -Hn\", or "
           "LimitNOFILE= in its unit).",
           (unsigned long long)limit.rlim_cur, DESCRIPTORS_MIN);
    return false;
}

static void limit_heap(void)
{
#ifdef M_ARENA_MAX
    /* Otherwise glibc reserves 64 MB of addresses for each thread, which count as locked memory. */
    (void)mallopt(M_ARENA_MAX, 1);
    /* The text of an HTTP answer can have megabytes. Above this size glibc maps it separately, and
     * unmaps it when it is freed. By default glibc would raise the threshold then and take the next
     * text from the heap, which cannot give back locked memory from its middle. The histograms that
     * are copied every few seconds are smaller and stay in the heap. */
    (void)mallopt(M_MMAP_THRESHOLD, 512 * 1024);
    (void)mallopt(M_TRIM_THRESHOLD, 512 * 1024);
#endif
}

/* Signals to the daemon: all threads block them, and the main thread takes them only while it
 * waits. */
static const int to_daemon[] = {SIGHUP, SIGTERM, SIGINT};

/* Sets what the main thread does at each signal. @param blocked the signals that it blocks while it
 * waits. */
static void handle_signals(sigset_t *blocked)
{
    /* Blocks SIGCONT in the main thread, because the thread that drains the loop's ring handles it
     * (measure/session.c). SIGCHLD is blocked, because the main thread sees the end of a helper
     * program by the end of its pipe. */
    sigemptyset(blocked);
    sigaddset(blocked, SIGCONT);
    sigaddset(blocked, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, blocked, NULL);
    signal(SIGPIPE, SIG_IGN);
    struct sigaction action = {.sa_handler = on_rttime, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGXCPU, &action, NULL);
    pthread_sigmask(SIG_BLOCK, NULL, blocked);
    action.sa_handler = on_signal;
    ST_EACH (number, to_daemon) {
        sigaction(*number, &action, NULL);
        sigdelset(blocked, *number);
    }
}

int main(int argc, char **argv)
{
    st_standard_files_open();
    st_trusted_environment();
    /* Blocks the signals before anything else: until here they end the process by default. No other
     * thread exists yet, so every thread inherits the blocked signals. */
    sigset_t signals, before;
    sigemptyset(&signals);
    ST_EACH (number, to_daemon)
        sigaddset(&signals, *number);
    pthread_sigmask(SIG_BLOCK, &signals, &before);
    /* lets programs that play come first; the thread of the cycle loop undoes this
     * (measure/session.c) */
    st_posix_give_way();
    struct options options = {0};
    int status = read_options(argc, argv, &options);
    if (status >= 0)
        return status;
    if (options.check) {
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    } else {
        st_log_init(options.to_stderr, options.debug ? ST_LOG_DBG : ST_LOG_INFO);
        /* Removes a trace that a killed sleeptuned left, because it slows the system down. Does so
         * before the configuration is read, which may turn out to be bad. */
        st_tracer_clear();
    }
    struct st_platform *platform = st_platform_native();
    struct st_config config;
    const char *config_path;
    status = read_config(platform, &options, &config, &config_path);
    if (status != 0)
        return status;
    if (options.check) {
        printf("configuration OK (%s)\n",
               config_path != NULL
                   ? config_path
                   : "the default settings, because there is no " ST_SERVICE_CONFIG);
        return EXIT_DONE;
    }
    limit_heap();
    sigset_t blocked;
    handle_signals(&blocked);
    struct st_service *service;
    if (!has_descriptors() || st_service_start(platform, &config, config_path, &service) < 0)
        return EXIT_FAILED;
    const int served = serve(service, &blocked, platform);
    const int stopped = st_service_stop(service);
    return served == 0 && stopped == 0 ? EXIT_DONE : EXIT_FAILED;
}
