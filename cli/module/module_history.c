/* Reads the history from the running daemon or from its file. */
#include <unistd.h>

#include "cli/command.h"
#include "cli/module/module_history.h"
#include "cli/show/daemon_client.h"
#include "core/text/json.h"
#include "core/text/safe.h"
#include "platform/user_folder.h"
#include "st_config.h"

#define USUAL_PATH ST_STATE_DIR "/sleeptune/history.db"

/* Adds a parameter of the query: "?key=value" or "&key=value". @return the new target. */
static const char *with(const char *target, const char *key, const char *value)
{
    return st_text("%s%c%s=%s", target, strchr(target, '?') != NULL ? '&' : '?', key, value);
}

/* Adds a time in seconds, with nine decimals. INT64_MIN: adds nothing. */
static const char *with_moment(const char *target, const char *key, int64_t wall_ns)
{
    if (wall_ns == INT64_MIN)
        return target;
    return with(target, key, st_text("%jd.%09jd", wall_ns / ST_NS_PER_S, wall_ns % ST_NS_PER_S));
}

static int ask_daemon(const struct st_history_wish *wish, json_t **ret)
{
    static const char *const documents[] = {[ST_HISTORY_OF_STEPS] = "history",
                                            [ST_HISTORY_OF_EVENTS] = "events",
                                            [ST_HISTORY_OF_CAUSES] = "causes",
                                            [ST_HISTORY_OF_HEARD] = "heard"};
    struct st_daemon_answer answer;
    const struct st_history_asked *asked = &wish->asked;
    const char *target = with_moment(documents[asked->document], "since", asked->since_ns);
    target = with_moment(target, "until", asked->until_ns);
    if (asked->limit != INT64_MIN)
        target = with(target, "limit", st_text("%jd", asked->limit));
    if (asked->step_ns != INT64_MIN)
        target = with(target, "step", st_text("%jds", asked->step_ns / ST_NS_PER_S));
    if (asked->kind[0] != '\0')
        target = with(target, "kind", asked->kind);
    int status = st_daemon_client_try(wish->socket, target, ST_DAEMON_TIMEOUT_MS, &answer);
    bool current;
    if (status == 0) {
        *wish->whose = st_daemon_client_whose(wish->socket, &answer, &current);
        *ret = json_incref(answer.document);
    } else
        status = st_failure("%s", answer.error);
    st_daemon_client_finish(&answer);
    return status;
}

static int read_file(const char *path, const struct st_history_wish *wish, json_t **ret)
{
    struct st_history_reader *reader;
    const char *error;
    char *text = NULL;
    int r = st_history_read_open(path, &reader, &error);
    if (r < 0)
        return st_failure("%s: %s", path, error);
    r = st_history_document_text(reader, &wish->asked, NULL, NULL, &text);
    if (r == 0)
        r = st_json_written(text, ret);
    const int status = r == 0 ? ST_EXIT_DONE
                       : r == -E2BIG
                           ? st_failure("%s", st_history_document_error(reader, r))
                           : st_failure("%s: %s", path, st_history_document_error(reader, r));
    st_history_read_close(reader);
    return status;
}

/* Chooses a history file: that of the user's own daemon, whose folder depends on the version of
 * systemd, else that of the system's daemon. For root it is always the system's file, since no user
 * may choose what root reads. */
static const char *choose_file(void)
{
    static const char *const places[][2] = {{ST_USER_STATE}, {"XDG_CONFIG_HOME", "/.config"}};
    for (size_t i = 0; geteuid() != 0 && i < ST_ARRAY_LEN(places); i++) {
        const char *path = st_user_folder(places[i][0], places[i][1], "/sleeptune/history.db");
        if (path != NULL && access(path, R_OK) == 0)
            return path;
    }
    return USUAL_PATH;
}

/* The history file that the running daemon names; if no daemon answers, the file of one that ran
 * before. */
static const char *file_of(const char *socket)
{
    struct st_daemon_answer answer;
    const char *path = NULL;
    if (!st_daemon_client_listens(socket))
        return choose_file();
    if (st_daemon_client_try(socket, "status", ST_DAEMON_TIMEOUT_MS, &answer) == 0)
        path = st_json_text(json_object_get(answer.document, "history"), "path");
    path = path != NULL ? st_text("%s", path) : choose_file();
    st_daemon_client_finish(&answer);
    return path;
}

int st_module_history_trace(const char *command, const struct st_history_wish *wish,
                            int64_t wall_ns, struct st_trace_copy *ret)
{
    char path[PATH_MAX];
    st_program_command = command;
    const int r = st_trace_copy_read(wish->db != NULL ? wish->db : file_of(wish->socket), wall_ns,
                                     path, sizeof(path), ret);
    if (r == -ENOENT)
        return st_failure("%s has no record of that moment: sleeptuned keeps only the newest "
                          "dropouts and marks (history.traces_mb)",
                          path);
    if (r < 0)
        return st_failure("cannot read %s: %s", path,
                          r == -EBADMSG ? "not a record of sleeptuned" : strerror(-r));
    return ST_EXIT_DONE;
}

int st_module_history_predict(const char *db, struct st_module_history_predict *ret)
{
    struct st_history_reader *reader;
    const char *error;
    *ret = (struct st_module_history_predict){.path = ""};
    if (db == NULL)
        db = file_of(NULL);
    st_safe_copy(ret->path, sizeof(ret->path), db, ST_TEXT_TO_NUL);
    int r = st_history_read_open(db, &reader, &error);
    if (r < 0) {
        ST_PRINT(ret->error, "cannot read %.200s: %s%s", ret->path, error,
                 r == -EACCES ? ". Run as root"
                 : r == -ENOENT
                     ? ". Start sleeptuned ('sleeptune status' says how), or name another file"
                     : "");
        return r;
    }
    r = st_history_predict(reader, &ret->run, &ret->read);
    if (r == -ENODATA)
        ST_PRINT(
            ret->error,
            "%.200s has no minute whose buffer size is known. Let sleeptuned run for some minutes",
            ret->path);
    else if (r < 0)
        ST_PRINT(ret->error, "cannot read %.200s: %s", ret->path, st_history_read_error(reader, r));
    st_history_read_close(reader);
    return r;
}

int st_module_history_ask(const char *command, const struct st_history_wish *wish, json_t **ret)
{
    st_program_command = command;
    if (wish->db != NULL)
        return read_file(wish->db, wish, ret);
    if (st_daemon_client_listens(wish->socket))
        return ask_daemon(wish, ret);
    const char *path = choose_file();
    const char *of_sudo = wish->socket == NULL ? st_daemon_client_of_sudo() : NULL;
    if (of_sudo != NULL && access(path, F_OK) != 0)
        return st_failure("no sleeptuned is listening on " ST_DAEMON_SYSTEM_SOCKET ". %s", of_sudo);
    if (access(path, F_OK) != 0)
        return st_failure(
            "no sleeptuned is listening, and the history cannot be read: %s: %s%s. Start "
            "sleeptuned ('sleeptune status' says how), or name a file with --db",
            path, strerror(errno),
            geteuid() != 0 ? "; there is no history in ~/.local/state/sleeptune either" : "");
    *wish->whose = st_text("%s; %s", path, st_text_or(of_sudo, "no sleeptuned runs"));
    return read_file(path, wish, ret);
}
