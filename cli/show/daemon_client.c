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
    return is_socket_of(path, geteuid()) && st_local_http_listens(path);
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
    const char *version = st_json_text_of(answer->document, "version"),
               *restart = here()->own_restart;
    const bool is_named = named(socket_wish) != NULL,
               is_system = st_text_is(answer->socket, ST_DAEMON_SYSTEM_SOCKET);
    *ret_current = version[0] == '\0' || st_text_is(version, ST_VERSION);
    if (is_system || restart == NULL)
        restart = here()->restart;
    else if (is_named)
        restart = NULL;
    if (!*ret_current)
        return st_text(
            "the running sleeptuned has version %.40s, this command has %s. Restart sleeptuned%s",
            version, ST_VERSION, st_text_with(": ", restart));
    if (is_system && own_listens())
        return "the system's sleeptuned. Your own sleeptuned runs, too. To see your own, leave out "
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

/* @return how to get the right to a socket, and what to do without that right. */
static const char *forbidden(const char *path)
{
    struct stat info;
    const struct group *group = stat(path, &info) == 0 ? getgrgid(info.st_gid) : NULL;
    const char *name = group != NULL && info.st_gid != 0 ? group->gr_name : "sleeptune";
    return st_text("cannot connect to %s: permission denied. %s%s%s, then log in again%s.", path,
                   here()->join_group[0], name, here()->join_group[1],
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

/* @param chosen this program chose the socket, since the user named none. */
static const char *not_running(const char *path, bool chosen)
{
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISSOCK(info.st_mode))
        return st_text("%s is not a socket. Name the socket of sleeptuned, or leave out --socket.",
                       path);
    if (!chosen && st_text_is(path, ST_DAEMON_SYSTEM_SOCKET))
        return st_text("no sleeptuned is listening on %s. As root, run '%s'.", path, here()->start);
    const char *of_sudo = chosen ? st_daemon_client_of_sudo() : NULL, *user = "";
    if (of_sudo != NULL)
        return st_text("no sleeptuned is listening on %s. %s.", path, of_sudo);
    if (chosen && geteuid() == 0)
        user = "; if a user's own sleeptuned runs, run this command as that user";
    else if (chosen)
        path = st_text("%s or %s", own_path(), path);
    return st_text("no sleeptuned is listening on %s. Run '%s' or '%s -f'%s.", path,
                   st_text_or(own_start(), here()->start), daemon_program(), user);
}

/* @return what an error of st_local_http_ask means, and what to do. */
static const char *explain(const char *path, bool chosen, int error)
{
    switch (error) {
    case -ENAMETOOLONG:
        return st_text("the socket path has %zu bytes, and this system takes at most %zu: %s",
                       strlen(path), ST_DAEMON_PATH_BYTES - 1, path);
    case -ETIMEDOUT:
        return st_text("sleeptuned on %s does not answer", path);
    case -EBADMSG:
        return st_text("the answer of %s is not from sleeptuned: it is too long, or not HTTP",
                       path);
    case -EACCES:
    case -EPERM:
        return forbidden(path);
    case -EAGAIN: /* the queue of connections, which all users share, is full; the daemon empties it
                     within milliseconds */
        return st_text("sleeptuned on %s has too many clients. Try again later.", path);
    case -ENOENT:
    case -ECONNREFUSED:
    case -ENOTDIR:
    case -ENOTSOCK:
        return not_running(path, chosen);
    default:
        return st_text("%s: %s", path, strerror(-error));
    }
}

/* Takes the answer: the document, or the error that the daemon answered, a sleeptune-error/1
 * document. @return why there is no document, or not the wanted one; NULL: it is. */
static const char *take(struct st_daemon_answer *answer, int http_status, const char *schema)
{
    json_error_t error;
    answer->document = json_loads(answer->text, 0, &error);
    const char *refused = st_json_text(answer->document, "error");
    if (http_status != 200 && http_status != 404 && refused != NULL)
        return refused;
    if (http_status != 200)
        return st_text("sleeptuned on %s has another version than this command (HTTP %d). Restart "
                       "sleeptuned.",
                       answer->socket, http_status);
    if (answer->document == NULL)
        return st_text("the answer on %s is not JSON: %s", answer->socket, error.text);
    if (st_text_is(st_json_text_of(answer->document, "schema"), schema))
        return NULL;
    return st_text("the answer of %s is not %s: the running sleeptuned has another version. "
                   "Restart sleeptuned.",
                   answer->socket, schema);
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

/* Asks on the socket that was named, else on that of the caller's own daemon if it listens, else on
 * the system's. */
int st_daemon_client_try(const char *socket_wish, const char *target, int timeout_ms,
                         struct st_daemon_answer *answer)
{
    const bool post = st_text_begins(target, "heard?by=");
    const char *wish = named(socket_wish), *path = wish, *why;
    if (wish == NULL)
        path = own_listens() ? own_path() : ST_DAEMON_SYSTEM_SOCKET;
    *answer = (struct st_daemon_answer){0};
    ST_PRINT(answer->socket, "%s", path);
    const int http = st_local_http_ask(path, post ? "POST" : "GET", st_text("/v1/%s", target),
                                       timeout_ms, BODY_BYTES, &answer->text);
    if (http < 0)
        why = explain(path, wish == NULL, http);
    else
        why = take(answer, http, st_text("sleeptune-%.*s/1", (int)strcspn(target, "?"), target));
    json_t *screen = json_object_get(answer->document, "screen");
    const char *next = st_json_text_of(screen, "next");
    if (next[0] != '\0')
        st_json_add(screen, "next:t", st_daemon_client_again(next, socket_wish, NULL));
    if (why == NULL)
        return 0;
    ST_PRINT(answer->error, "%s", why);
    return post && http == -ETIMEDOUT ? ST_EXIT_UNKNOWN : ST_EXIT_FAILURE;
}

void st_daemon_client_finish(struct st_daemon_answer *answer)
{
    json_decref(answer->document);
    free(answer->text);
    *answer = (struct st_daemon_answer){0};
}
