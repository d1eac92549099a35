#include "cli/show/daemon_client.h"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "core/text/json.h"
#include "core/text/number.h"
#include "core/text/safe.h"
#include "platform/child_env.h"
#include "platform/local_http.h"
#include "platform/platform.h"
#include "st_config.h"

#define BODY_BYTES (4 * 1024 * 1024) /* largest answer; a status has some kilobytes */

/* One request to the daemon. */
struct asking {
    const char *method, *target, *schema;
    int timeout_ms;
    struct st_daemon_answer *answer;
    bool chosen; /* this program chose the socket, since the user named none */
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

/* @return the socket on which the caller's own daemon listens if it runs. */
static const char *own_path(void)
{
    const char *folder = getenv("XDG_RUNTIME_DIR");
    if (folder != NULL && folder[0] == '/')
        return st_text("%s/sleeptune/sleeptuned.sock", folder);
    return st_text(USER_SOCKET, (unsigned long)geteuid());
}

/* Does the caller's own daemon listen? */
static bool own_listens(void)
{
    const char *path = own_path();
    return strlen(path) < ST_DAEMON_PATH_BYTES && is_socket_of(path, geteuid()) &&
           st_local_http_listens(path);
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
    return st_safe_text(
        st_text("%.40s has a sleeptuned of their own: run this without sudo", entry->pw_name));
}

static const char *named(const char *wish)
{
    return st_text_or(wish != NULL ? wish : getenv("SLEEPTUNE_SOCKET"), NULL);
}

/* Chooses the socket: the one that was named, else that of the caller's own daemon if it listens,
 * else the system's. @return 0, or ST_EXIT_FAILURE with the reason in the answer. */
static int choose_socket(struct asking *asking, const char *wish)
{
    wish = named(wish);
    asking->chosen = wish == NULL;
    if (wish == NULL)
        wish = own_listens() ? own_path() : ST_DAEMON_SYSTEM_SOCKET;
    if (strlen(wish) >= ST_DAEMON_PATH_BYTES)
        return fail(asking, "the socket path has %zu bytes, and this system takes at most %zu: %s",
                    strlen(wish), ST_DAEMON_PATH_BYTES - 1, wish);
    ST_PRINT(asking->answer->socket, "%s", wish);
    return 0;
}

bool st_daemon_client_listens(const char *socket_wish)
{
    return named(socket_wish) != NULL || own_listens() ||
           st_local_http_listens(ST_DAEMON_SYSTEM_SOCKET);
}

static const struct st_os_row *here(void)
{
    return &st_os_rows[st_platform_native()->os];
}

/* @return the command that starts the caller's own daemon; NULL: for root, or on a system without
 * services of users. */
static const char *own_start(void)
{
    return geteuid() != 0 ? here()->own_start : NULL;
}

const char *st_daemon_client_whose(const char *socket_wish, const struct st_daemon_answer *answer,
                                   bool *ret_current)
{
    const char *version = st_json_text_of(answer->document, "version"), *restart = NULL;
    const bool is_named = named(socket_wish) != NULL,
               is_system = st_text_is(answer->socket, ST_DAEMON_SYSTEM_SOCKET);
    *ret_current = version[0] == '\0' || st_text_is(version, ST_VERSION);
    if (is_system || here()->own_restart == NULL)
        restart = here()->restart;
    else if (!is_named)
        restart = here()->own_restart;
    if (!*ret_current)
        return st_text("sleeptuned still has version %.40s, this command has %s. Restart it%s",
                       version, ST_VERSION, st_text_with(": ", restart));
    if (is_system && own_listens())
        return "the system's sleeptuned. Your own sleeptuned runs, too. To see it, leave out "
               "--system";
    if (is_system)
        return st_text("the system's sleeptuned%s",
                       st_text_with(". To watch your own sound server: ", own_start()));
    if (is_named)
        return "";
    if (st_local_http_listens(ST_DAEMON_SYSTEM_SOCKET))
        return "your own sleeptuned. The system's runs, too: add --system";
    return "your own sleeptuned";
}

/* Takes the error that the daemon answered, a sleeptune-error/1 document, as the answer's error.
 * @return ST_EXIT_FAILURE. */
static int refused(const struct asking *asking, int http_status)
{
    json_t *document = json_loads(asking->answer->text, 0, NULL);
    const char *error = st_json_text(document, "error");
    if (error == NULL || http_status == 404)
        error = st_text(
            "sleeptuned on %s has another version than this command (HTTP %d). Restart sleeptuned.",
            asking->answer->socket, http_status);
    const int status = fail(asking, "%s", error);
    json_decref(document);
    return status;
}

/* Reports how to get the right to a socket, and what to do without that right. */
static int forbidden(const struct asking *asking)
{
    const char *path = asking->answer->socket;
    struct stat info;
    const struct group *group = stat(path, &info) == 0 ? getgrgid(info.st_gid) : NULL;
    const char *name = group != NULL && info.st_gid != 0 ? group->gr_name : "sleeptune";
    return fail(asking, "cannot connect to %s: permission denied. %s%s%s, then log in again%s.",
                path, here()->join_group[0], name, here()->join_group[1],
                st_text_with(". Or start your own: ", own_start()));
}

/* @return how to call sleeptuned: with its path if the caller's PATH lacks its folder. */
static const char *daemon_program(void)
{
    const char *const env[] = {st_text("PATH=%s", st_text_or(getenv("PATH"), "")), NULL};
    if (st_child_env_find(env, "sleeptuned", ST_ROOM(PATH_MAX)) == 0)
        return "sleeptuned";
    return ST_SBIN_DIR "/sleeptuned";
}

static int not_running(const struct asking *asking)
{
    const char *path = asking->answer->socket;
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISSOCK(info.st_mode))
        return fail(asking,
                    "%s is not a socket. Name the socket of sleeptuned, or leave out --socket.",
                    path);
    const char *of_sudo = asking->chosen ? st_daemon_client_of_sudo() : NULL, *user = "";
    if (of_sudo != NULL)
        return fail(asking, "no sleeptuned is listening on %s. %s.", path, of_sudo);
    if (asking->chosen && geteuid() == 0)
        user = "; if a user's own sleeptuned runs, run this command as that user";
    else if (asking->chosen)
        path = st_text("%s or %s", own_path(), path);
    return fail(asking, "no sleeptuned is listening on %s. Run '%s' or '%s -f'%s.", path,
                st_text_or(own_start(), here()->start), daemon_program(), user);
}

static int explain(const struct asking *asking, int error)
{
    const char *path = asking->answer->socket;
    switch (error) {
    case -ETIMEDOUT:
        (void)fail(asking, "sleeptuned on %s does not answer", path);
        return st_text_is(asking->method, "POST") ? ST_EXIT_UNKNOWN : ST_EXIT_FAILURE;
    case -EBADMSG:
        return fail(asking, "the answer of %s is not from sleeptuned: it is too long, or not HTTP",
                    path);
    case -EACCES:
    case -EPERM:
        return forbidden(asking);
    case -EAGAIN: /* the queue of connections, which all users share, is full; the daemon empties it
                     within milliseconds */
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
    const int status = st_local_http_ask(answer->socket, asking->method, asking->target,
                                         asking->timeout_ms, BODY_BYTES, &answer->text);
    if (status < 0)
        return explain(asking, status);
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
        return fail(
            asking,
            "the answer of %s is not %s: sleeptuned has another version. Restart sleeptuned.",
            answer->socket, asking->schema);
    return 0;
}

const char *st_daemon_client_again(const char *command, const char *socket_wish, const char *db)
{
    char word[PATH_MAX];
    const bool history = st_text_begins(command, "sleeptune history"),
               of_file = history && db != NULL;
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

static int ask(const char *method, const char *socket_wish, const char *target, int timeout_ms,
               struct st_daemon_answer *answer)
{
    struct asking asking = {method, st_text("/v1/%s", target),
                            st_text("sleeptune-%.*s/1", (int)strcspn(target, "?"), target),
                            timeout_ms, answer};
    *answer = (struct st_daemon_answer){0};
    int status = choose_socket(&asking, socket_wish);
    if (status == 0)
        status = fetch(&asking);
    if (status == 0)
        status = check(&asking);
    repeat_place(json_object_get(answer->document, "screen"), socket_wish);
    return status;
}

int st_daemon_client_try(const char *socket_wish, const char *target, int timeout_ms,
                         struct st_daemon_answer *ret)
{
    return ask("GET", socket_wish, target, timeout_ms, ret);
}

int st_daemon_client_post(const char *socket_wish, const char *target, struct st_daemon_answer *ret)
{
    return ask("POST", socket_wish, target, ST_DAEMON_TIMEOUT_MS, ret);
}

void st_daemon_client_finish(struct st_daemon_answer *answer)
{
    json_decref(answer->document);
    free(answer->text);
    *answer = (struct st_daemon_answer){0};
}
