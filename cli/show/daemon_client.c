#include "cli/show/daemon_client.h"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "core/text/json.h"
#include "core/text/number.h"
#include "core/text/safe.h"
#include "core/text/text.h"
#include "platform/child_env.h"
#include "platform/local_http.h"
#include "platform/platform.h"
#include "st_config.h"

#define BODY_BYTES (4 * 1024 * 1024) /* a status is some kilobytes */

/* One question. */
struct asking {
    const char *method, *target, *schema;
    int timeout_ms;
    struct st_daemon_answer *answer;
    bool chosen; /* no socket was named */
};

static int ST_PRINTF(2, 3) fail(const struct asking *asking, const char *format, ...)
{
    ST_PRINT_REST(asking->answer->error, sizeof(asking->answer->error), format);
    return ST_EXIT_FAILURE;
}

#define USER_SOCKET ST_RUN_DIR "/user/%lu/sleeptune/sleeptuned.sock"

static bool is_socket_of(const char *path, uid_t uid)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISSOCK(info.st_mode) && info.st_uid == uid;
}

/* Where the caller's own daemon listens if it runs. @return false: the path is too long. */
static bool own_path(char *buf, size_t buf_bytes)
{
    const char *folder = getenv("XDG_RUNTIME_DIR");
    const int n = folder != NULL && folder[0] == '/'
                      ? snprintf(buf, buf_bytes, "%s/sleeptune/sleeptuned.sock", folder)
                      : snprintf(buf, buf_bytes, USER_SOCKET, (unsigned long)geteuid());
    return n > 0 && (size_t)n < buf_bytes;
}

/* The socket of the daemon that the caller runs. @return false: there is none, or it does not listen. */
static bool find_own(char *buf, size_t buf_bytes)
{
    return own_path(buf, buf_bytes) && is_socket_of(buf, geteuid()) && st_local_http_listens(buf);
}

const char *st_daemon_client_of_sudo(void)
{
    int64_t uid;
    const char *text = getenv("SUDO_UID");
    if (geteuid() != 0 || text == NULL || st_number_i64(text, 1, UINT32_MAX - 1, &uid) != 0 ||
        !is_socket_of(st_text(USER_SOCKET, (unsigned long)uid), (uid_t)uid))
        return NULL;
    const struct passwd *entry = getpwuid((uid_t)uid);
    if (entry == NULL)
        return NULL;
    return st_safe_text(st_text("%.40s has a sleeptuned: run this without sudo", entry->pw_name));
}

static const char *named(const char *wish)
{
    if (wish == NULL)
        wish = getenv("SLEEPTUNE_SOCKET");
    return wish != NULL && wish[0] != '\0' ? wish : NULL;
}

/* The socket that was named, else the caller's own daemon if it listens, else the system's. @return as
 * fail. */
static int choose_socket(struct asking *asking, const char *wish)
{
    char *path = asking->answer->socket;
    wish = named(wish);
    if (wish != NULL && strlen(wish) >= ST_DAEMON_PATH_BYTES)
        return fail(asking, "the socket path has %zu bytes, and this system takes at most %zu: %s",
                    strlen(wish), ST_DAEMON_PATH_BYTES - 1, wish);
    asking->chosen = wish == NULL;
    if (!asking->chosen || !find_own(path, ST_DAEMON_PATH_BYTES))
        snprintf(path, ST_DAEMON_PATH_BYTES, "%s", asking->chosen ? ST_DAEMON_SYSTEM_SOCKET : wish);
    return 0;
}

bool st_daemon_client_listens(const char *socket_wish)
{
    char path[ST_DAEMON_PATH_BYTES];
    return named(socket_wish) != NULL || find_own(path, sizeof(path)) ||
           st_local_http_listens(ST_DAEMON_SYSTEM_SOCKET);
}

static const struct st_os_row *here(void)
{
    return &st_os_rows[st_platform_native()->os];
}

/* @return NULL: a user has no service here. */
static const char *own_start(void)
{
    return geteuid() != 0 ? here()->own_start : NULL;
}

const char *st_daemon_client_whose(const char *socket_wish, const struct st_daemon_answer *answer,
                                   bool *ret_current)
{
    char own[ST_DAEMON_PATH_BYTES];
    const char *version = st_json_text_of(answer->document, "version"), *restart = NULL;
    const bool own_runs = find_own(own, sizeof(own)), is_named = named(socket_wish) != NULL,
               is_system = st_text_is(answer->socket, ST_DAEMON_SYSTEM_SOCKET);
    *ret_current = version[0] == '\0' || st_text_is(version, ST_VERSION);
    if (is_system || here()->own_restart == NULL)
        restart = here()->restart;
    else if (!is_named)
        restart = here()->own_restart;
    if (!*ret_current)
        return st_text("sleeptuned still has version %.40s, this command has %s. Restart it%s%s", version,
                       ST_VERSION, restart != NULL ? ": " : "", restart != NULL ? restart : "");
    if (is_system && own_runs)
        return "the system's sleeptuned. Your own sleeptuned runs, too. To see it, leave out --system";
    if (is_system)
        return own_start() != NULL
                   ? st_text("the system's sleeptuned. To watch your own sound server: %s", own_start())
                   : "the system's sleeptuned";
    if (is_named)
        return "";
    return st_local_http_listens(ST_DAEMON_SYSTEM_SOCKET)
               ? "your own sleeptuned. The system's runs, too: add --system"
               : "your own sleeptuned";
}

/* The error of the daemon, a sleeptune-error/1 document. @return as fail. */
static int refused(const struct asking *asking, int http_status)
{
    json_t *document = json_loads(asking->answer->text, 0, NULL);
    const char *error = st_json_text(document, "error");
    const int status =
        error != NULL
            ? fail(asking, "%s", error)
            : fail(asking,
                   "%s answers HTTP %d: sleeptuned and sleeptune have different versions. Install the same.",
                   asking->answer->socket, http_status);
    json_decref(document);
    return status;
}

/* How to get the right to a socket, and what needs none. */
static int forbidden(const struct asking *asking)
{
    const char *path = asking->answer->socket;
    struct stat info;
    const struct group *group = stat(path, &info) == 0 ? getgrgid(info.st_gid) : NULL;
    const char *name = group != NULL && info.st_gid != 0 ? group->gr_name : "sleeptune";
    return fail(asking, "cannot connect to %s: permission denied. %s%s%s, then log in again%s%s.", path,
                here()->join_group[0], name, here()->join_group[1],
                own_start() != NULL ? ". Or start your own: " : "", own_start() != NULL ? own_start() : "");
}

/* A user's PATH may lack its folder. */
static const char *daemon_program(void)
{
    const char *dirs = getenv("PATH");
    const char *const env[] = {st_text("PATH=%s", dirs != NULL ? dirs : ""), NULL};
    return st_child_env_find(env, "sleeptuned", ST_ROOM(PATH_MAX)) == 0 ? "sleeptuned"
                                                                        : ST_SBIN_DIR "/sleeptuned";
}

static int not_running(const struct asking *asking)
{
    const char *path = asking->answer->socket;
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISSOCK(info.st_mode))
        return fail(asking, "%s is not a socket. Name the socket of sleeptuned, or leave out --socket.",
                    path);
    char own[ST_DAEMON_PATH_BYTES];
    const char *of_sudo = asking->chosen ? st_daemon_client_of_sudo() : NULL;
    if (of_sudo != NULL)
        return fail(asking, "no sleeptuned is listening on %s. %s.", path, of_sudo);
    const bool both = asking->chosen && geteuid() != 0 && own_path(own, sizeof(own));
    return fail(asking, "no sleeptuned is listening on %s%s%s. Run '%s' or '%s -f'%s.", both ? own : path,
                both ? " or " : "", both ? path : "", own_start() != NULL ? own_start() : here()->start,
                daemon_program(),
                asking->chosen && geteuid() == 0 ? "; if a user's own runs, run this as that user" : "");
}

static int explain(const struct asking *asking, int error)
{
    const char *path = asking->answer->socket;
    switch (error) {
    case -ETIMEDOUT:
        (void)fail(asking, "sleeptuned on %s does not answer", path);
        return st_text_is(asking->method, "POST") ? ST_EXIT_UNKNOWN : ST_EXIT_FAILURE;
    case -EFBIG:
        return fail(asking, "the answer of %s is larger than %d bytes: it is not sleeptuned", path,
                    BODY_BYTES);
    case -EBADMSG:
        return fail(asking, "the answer of %s is not HTTP: it is not sleeptuned", path);
    case -EACCES:
    case -EPERM:
        return forbidden(asking);
    case -EAGAIN: /* the queue is one for all users; the daemon empties it within milliseconds */
        return fail(asking, "sleeptuned on %s has too many clients. Try again later.", path);
    case -ENOENT:
    case -ECONNREFUSED:
    case -ENOTDIR:
    case -ENOTSOCK:
        return not_running(asking);
    default:
        return fail(asking, "%s: %s", path, strerror(-error));
    }
}

/* @return as st_daemon_client_post. */
static int fetch(const struct asking *asking)
{
    struct st_daemon_answer *answer = asking->answer;
    const int status = st_local_http_ask(answer->socket, asking->method, asking->target, asking->timeout_ms,
                                         BODY_BYTES, &answer->text);
    if (status < 0)
        return explain(asking, status);
    if (status == 404)
        return fail(
            asking,
            "sleeptuned on %s has another version than this command, and no %.*s. Restart sleeptuned.",
            answer->socket, (int)strcspn(asking->target, "?"), asking->target);
    return status == 200 ? 0 : refused(asking, status);
}

/* @return as fail. */
static int check(const struct asking *asking)
{
    json_error_t error;
    struct st_daemon_answer *answer = asking->answer;
    answer->document = json_loads(answer->text, 0, &error);
    if (answer->document == NULL)
        return fail(asking, "the answer on %s is not JSON: %s", answer->socket, error.text);
    if (!st_text_is(st_json_text_of(answer->document, "schema"), asking->schema))
        return fail(asking, "the answer of %s is not %s: sleeptuned has another version. Restart sleeptuned.",
                    answer->socket, asking->schema);
    return 0;
}

const char *st_daemon_client_again(const char *command, const char *socket_wish, const char *db)
{
    char word[PATH_MAX];
    const bool history = st_text_begins(command, "sleeptune history"), of_file = history && db != NULL;
    const char *place = of_file ? db : socket_wish;
    if (place == NULL || !(history || st_text_begins(command, "sleeptune status")))
        return command;
    if (st_text_is(place, ST_DAEMON_SYSTEM_SOCKET))
        return st_text("%s --system", command);
    if (st_safe_shell_word(place, word, sizeof(word)) == NULL)
        return command;
    return st_text("%s --%s %s", command, of_file ? "db" : "socket", word);
}

static void repeat_place(json_t *screen, const char *socket_wish)
{
    const char *next = st_json_text_of(screen, "next");
    if (next[0] != '\0')
        st_json_set(screen, "next", json_string(st_daemon_client_again(next, socket_wish, NULL)));
}

static int ask(struct asking *asking, const char *socket_wish)
{
    struct st_daemon_answer *answer = asking->answer;
    *answer = (struct st_daemon_answer){0};
    int status = choose_socket(asking, socket_wish);
    if (status == 0)
        status = fetch(asking);
    if (status == 0 && asking->schema != NULL)
        status = check(asking);
    repeat_place(json_object_get(answer->document, "screen"), socket_wish);
    return status;
}

int st_daemon_client_try(const char *socket_wish, const char *target, const char *schema, int timeout_ms,
                         struct st_daemon_answer *ret)
{
    return ask(&(struct asking){"GET", target, schema, timeout_ms, ret}, socket_wish);
}

int st_daemon_client_post(const char *socket_wish, const char *target, struct st_daemon_answer *ret)
{
    return ask(&(struct asking){"POST", target, "sleeptune-heard/1", ST_DAEMON_TIMEOUT_MS, ret}, socket_wish);
}

void st_daemon_client_finish(struct st_daemon_answer *answer)
{
    json_decref(answer->document);
    free(answer->text);
    *answer = (struct st_daemon_answer){0};
}
