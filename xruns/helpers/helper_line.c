#include "xruns/helpers/helper_line.h"

#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/ns.h"
#include "core/text/number.h"
#include "core/text/safe.h"
#include "platform/child_env.h"
#include "platform/posix/posix.h"
#include "platform/standard_files.h"
#include "platform/trusted.h"
#include "st_config.h"

#define LATE_NS (500 * ST_NS_PER_MS)
#define NICE    10

/* --- options --- */

/* Becomes another user for good, with that user's environment, as st_posix_start does it. @return
 * whether it worked. */
static bool becomes(const char *text)
{
    int64_t uid;
    const struct passwd *user;
    struct st_child_env env;
    if (st_number_i64(text, 1, UINT32_MAX - 1, &uid) != 0 ||
        (user = getpwuid((uid_t)uid)) == NULL || st_child_env_open(&env, user->pw_uid, NULL) != 0 ||
        setgroups(1, &user->pw_gid) != 0 || setgid(user->pw_gid) != 0 ||
        setuid(user->pw_uid) != 0 || setuid(0) == 0)
        return false;
    st_child_env_enter(&env);
    st_posix_child_alone(false, true);
    return true;
}

/* @return the process id in the text; 0: the text is no process id. */
static pid_t process_of(const char *text)
{
    int64_t pid = 0;
    (void)!st_number_i64(text, 1, INT_MAX, &pid);
    return (pid_t)pid;
}

bool st_helper_line_is_process(const char *text, pid_t pid)
{
    return text != NULL && pid != 0 && process_of(text) == pid;
}

struct st_helper_line_options st_helper_line_options(int argc, char **argv)
{
    int option;
    struct st_helper_line_options options = {.listen = "", .except = "", .cycles = ""};
    char *server = NULL;
    st_standard_files_open();
    st_trusted_environment(); /* the address of a server comes with option -e */
    while ((option = getopt(argc, argv, "c:e:l:p:u:V:x:")) != -1) {
        if (option == 'V' && !st_text_is(optarg, ST_VERSION))
            exit(st_helper_line_absent(
                "%s has version %s, but the program that started it has %s. Restart sleeptuned.",
                argv[0], ST_VERSION, optarg));
        else if (option == 'l')
            options.listen = optarg;
        else if (option == 'c')
            options.cycles = optarg;
        else if (option == 'x')
            options.except = optarg;
        else if (option == 'e')
            server = optarg;
        else if (option == 'u' && !becomes(optarg))
            exit(st_helper_line_absent("%s cannot become user %s", argv[0], optarg));
        else if (option == 'p' && (options.own = process_of(optarg)) == 0)
            fprintf(stderr, "%s: -p: '%s' is not a process id\n", argv[0], optarg);
        if (option == '?' || (option == 'p' && options.own == 0)) /* the reason was printed */
            exit(ST_HELPER_LINE_USAGE);
    }
    if (optind < argc) {
        fprintf(stderr, "%s: takes no argument: %s\n", argv[0], argv[optind]);
        exit(ST_HELPER_LINE_USAGE);
    }
    if (server != NULL)
        (void)putenv(server);
    return options;
}

void st_helper_line_give_way(void)
{
    st_posix_give_way(); /* a filter of system calls may forbid this: also set the nice value */
    (void)setpriority(PRIO_PROCESS, 0, NICE);
}

/* --- lines --- */

static void put(const char *line)
{
    if (fputs(line, stdout) == EOF || fflush(stdout) == EOF) {
        perror("standard output");
        exit(ST_HELPER_LINE_FAILED);
    }
}

static ST_PRINTF(2, 0) void put_text(const char *word, const char *format, va_list args)
{
    char text[ST_XRUN_WHY_BYTES + 32]; /* room for the text and two numbers */
    vsnprintf(text, sizeof(text), format, args);
    put(st_text("%s %s\n", word, st_safe_text(text)));
}

void st_helper_line_ready(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put_text("ready", format, args);
    va_end(args);
}

void st_helper_line_alive(void)
{
    put("alive\n");
    st_text_forget(); /* a round of the main loop ends here, and the texts that it made are no
                         longer used */
}

void st_helper_line_due(int64_t due_ns)
{
    const int64_t late_ns = st_posix_now_ns(NULL) - due_ns;
    if (late_ns < LATE_NS)
        return;
    put(st_text("alive late=%jd\n", late_ns));
}

int st_helper_line_absent(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    put_text("absent", format, args);
    va_end(args);
    return ST_HELPER_LINE_ABSENT;
}

void st_helper_line_xrun(const struct st_xrun_seen *seen)
{
    put(st_xrun_line_format(seen, ST_ROOM(ST_XRUN_LINE_BYTES)));
}

void st_helper_line_left(const char *device, const char *client, int64_t left_ns)
{
    struct st_xrun_seen seen = {.kind = ST_XRUN_SEEN_LEVEL,
                                .load = {.reserve_ns = ST_MAX(left_ns, 1)}};
    ST_PRINT(seen.event.device, "%s", device);
    ST_PRINT(seen.event.client, "%s", client);
    st_helper_line_xrun(&seen);
}

/* --- beginning and end --- */

bool st_helper_line_input_ended(void)
{
    char ignored[256];
    const ssize_t n = read(STDIN_FILENO, ignored, sizeof(ignored));
    return n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
}

static char deadline_line[ST_XRUN_LINE_BYTES];

static void on_deadline(ST_UNUSED int number)
{
    const ssize_t n = write(STDOUT_FILENO, deadline_line, strlen(deadline_line));
    _exit(n < 0 ? ST_HELPER_LINE_FAILED : ST_HELPER_LINE_ABSENT);
}

void st_helper_line_deadline(unsigned seconds, const char *why)
{
    const struct sigaction action = {.sa_handler = on_deadline};
    alarm(0);
    if (seconds == 0)
        return;
    ST_PRINT(deadline_line, "absent %s\n", why);
    sigaction(SIGALRM, &action, NULL);
    alarm(seconds);
}
