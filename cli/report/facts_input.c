/* Loads the facts for report, apply and snapshot. */
#include "cli/report/facts_input.h"

#include <unistd.h>

#include "advisor/facts/snapshot.h"
#include "advisor/post/posted.h"
#include "advisor/rules/buffer.h"
#include "cli/command.h"
#include "cli/show/daemon_client.h"
#include "core/ns.h"
#include "core/text/json.h"
#include "platform/posix/posix.h"

#define ASK_MS 500
/* sleeptuned has watched for long enough to say that there is no dropout; a choice of the report */
#define WATCHED_NS         (600 * ST_NS_PER_S)
#define SNAPSHOT_MAX_BYTES (32 * 1024 * 1024)
#define USER_CHARS         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

/* The name of an input in messages. */
static const char *name_of(const char *path)
{
    return st_text_is(path, "-") ? "standard input" : path;
}

/* Reads a whole file, or standard input, into memory. @return an st_exit, after a message. The text
 * ends with a NUL. */
static int read_input(const char *path, size_t max_bytes, const char *what, char **ret_text,
                      size_t *ret_bytes)
{
    const char *name = name_of(path);
    FILE *stream = st_posix_input_open(path);
    if (stream == NULL)
        return st_failure("cannot read %s: %s%s", path, st_posix_input_error(errno),
                          errno == EISDIR ? ". To read a saved copy of a machine use --root." : "");
    char *text = malloc(max_bytes + 1); /* pages that are never written take no memory */
    const int r =
        text != NULL ? st_posix_read_fd(fileno(stream), text, max_bytes + 1, ret_bytes) : -ENOMEM;
    st_posix_input_close(stream);
    if (r == 0) {
        *ret_text = text;
        return ST_EXIT_DONE;
    }
    free(text);
    if (r == -EFBIG)
        return st_failure("%s is longer than %zu MiB: too long for %s", name, max_bytes >> 20,
                          what);
    return st_failure("cannot read %s: %s", name, st_posix_input_error(-r));
}

/* The following functions load facts. Each returns an st_exit, after a message. The caller frees
 * *ret, also after a failure. */

static int load_snapshot(const char *path, struct st_facts **ret)
{
    char *text;
    size_t bytes;
    int status = read_input(path, SNAPSHOT_MAX_BYTES, "a snapshot", &text, &bytes);
    if (status != ST_EXIT_DONE)
        return status;
    const char *why = st_snapshot_parse(text, bytes, ret);
    if (why != NULL)
        status = st_failure("%s: %s", name_of(path), why);
    free(text);
    return status;
}

static int load_root(const char *dir, struct st_facts **ret)
{
    const int r = st_collect_dir(dir, ret);
    switch (r) {
    case 0:
        return ST_EXIT_DONE;
    case -ENODATA:
        return st_failure("%s is neither a saved copy of a machine (a folder with proc/, sys/, "
                          "etc/ or boot/) nor a FreeBSD capture (a folder with sysctl-a.txt)",
                          dir);
    case -EBADMSG:
        return st_failure("%s/sysctl-a.txt has none of the settings that sleeptune reads", dir);
    case -EFBIG:
        return st_failure("%s/sysctl-a.txt is longer than 4 MiB", dir);
    default:
        return st_failure("cannot read %s: %s", dir, strerror(-r));
    }
}

/** @return what a file is if it cannot be a posted text, with what to do instead; NULL: it may be a
 * text. */
static const char *kind_of(const char *text, size_t bytes)
{
    static const struct {
        const char *kind, *begins[6];
    } rows[] = {
        {"a picture: sleeptune reads only text, so paste the text itself",
         {"\x89PNG", "\xff\xd8\xff", "GIF8"}},
        {"an archive: unpack it first",
         {"\x1f\x8b", "PK\x03\x04", "\3757zXZ", "BZh", "(\xb5/\xfd"}},
        {"a PDF document: paste the text itself", {"%PDF"}},
        {"a page of HTML: paste the text itself", {"<!DOCTYPE", "<!doctype", "<html"}},
    };
    ST_EACH (row, rows) {
        if (st_text_begins_among(text, row->begins))
            return row->kind;
    }
    const char first = text[strspn(text, " \t\r\n")];
    if (first == '{' && strstr(text, "\"sleeptune-listen/1\"") == NULL)
        return "JSON. To read a snapshot use --snapshot, and no other file.";
    if (strlen(text) < bytes)
        return "not text";
    return first == '\0' ? "empty" : NULL;
}

static int refuse_text(const char *name, const char *text, size_t bytes, int error)
{
    const char *kind = kind_of(text, bytes);
    if (kind != NULL && error != -ENOMEM)
        return st_failure("%s is %s", name, kind);
    switch (error) {
    case -ENODATA:
        return st_failure("%s shows no setting and no fault. On that computer, run "
                          "the command again while music plays, or: sleeptune snapshot",
                          name);
    case -EBADMSG:
        return st_failure("sleeptune understands nothing in %s; 'man sleeptune-report' lists "
                          "what it reads. On that computer, run: sleeptune share",
                          name);
    case -EXDEV:
        return st_failure("%s is from another operating system than the files before it", name);
    default:
        return st_failure("%s", strerror(-error));
    }
}

static int load_texts(const struct st_facts_input *input, struct st_facts **ret)
{
    ST_EACH_OF (path, input->texts, input->texts_n) {
        const char *name = name_of(*path);
        char *text;
        size_t bytes;
        int status = read_input(*path, ST_POSTED_MAX_BYTES, "a posted text", &text, &bytes);
        if (status != ST_EXIT_DONE)
            return status;
        int r = 0;
        if (input->texts_n > 1 || st_snapshot_parse(text, bytes, ret) != NULL)
            r = st_posted_add(text, bytes, name, ret);
        if (r != 0)
            status = refuse_text(name, text, bytes, r);
        free(text);
        if (status != ST_EXIT_DONE)
            return status;
    }
    return ST_EXIT_DONE;
}

static int no_such_user(const char *name)
{
    return st_failure("user %s is not in /etc/passwd. Run 'sleeptune report' as that user, or add "
                      "'--user root' for settings of the whole machine.",
                      name);
}

/** Loads the rights of input->user in a saved tree. */
static int load_user(const struct st_facts_input *input, struct st_platform *machine,
                     struct st_facts *facts)
{
    const int r = st_collect_user(machine, input->user, facts);
    switch (r) {
    case 0:
        return ST_EXIT_DONE;
    case -ENOENT:
        return no_such_user(input->user);
    case -ENODATA:
        return st_failure("--user needs /etc/passwd and /etc/group: one of them does not exist");
    case -EBADMSG:
        return st_failure("the line of %s in /etc/passwd is malformed", input->user);
    default:
        return st_failure("cannot find out the groups and limits of user %s: %s", input->user,
                          strerror(-r));
    }
}

/** Replaces the rights of this process in `facts` by those that input->user gets at login. */
static int load_login(const struct st_facts_input *input, struct st_facts *facts)
{
    const int r = st_collect_login(st_platform_native(), input->user, facts);
    if (r == -ENOENT)
        return no_such_user(input->user);
    if (r == -ENOMEM)
        return st_failure("out of memory");
    if (r != 0)
        st_failure_note("the rights of user %s are unknown (a test login failed: %s). As that "
                        "user, run: sleeptune report",
                        input->user, strerror(-r));
    return ST_EXIT_DONE;
}

/** Loads the facts of a captured machine, and the rights of input->user if a user is named. */
static int load_folder(const struct st_facts_input *input, struct st_facts **ret)
{
    struct st_platform *p;
    int status = load_root(input->root, ret);
    if (status != ST_EXIT_DONE)
        return status;
    if (input->user == NULL)
        return ST_EXIT_DONE;
    const int r = st_platform_root_new(input->root, &p);
    if (r != 0) {
        status = st_failure("cannot read %s: %s", input->root, strerror(-r));
    } else {
        status = load_user(input, p, *ret);
        st_platform_root_free(p);
    }
    return status;
}

/** Adds what the running servers of this machine answer. */
static int ask_servers(const struct st_facts_input *input, struct st_facts *facts)
{
    const struct st_ask ask = {.skip = input->no_servers, .user = input->user};
    const int r = st_ask_servers(st_platform_native(), &ask, facts);
    return r == 0 ? ST_EXIT_DONE : st_failure("cannot ask the servers: %s", strerror(-r));
}

/** Asks sleeptuned for PipeWire's quantum and rate in use, which no setting shows, since programs
 * choose them; and for the number of dropouts. */
static void put_running(struct st_facts *facts)
{
    static const char source[] = "sleeptuned";
    if (!st_facts_has_int(facts, ST_KEY_DAEMON_SLEEPTUNED))
        return;
    struct st_daemon_answer answer;
    const int asked = st_daemon_client_try(NULL, "status", ASK_MS, &answer);
    json_int_t counted_n = 0, watched_ns = 0;
    ST_JSON_EACH (value, answer.document, "observe") {
        const json_t *in_use = json_object_get(value, "in_use");
        const json_int_t frames = st_json_integer(in_use, "frames");
        watched_ns = ST_MAX(st_json_integer(value, "watched_ns"), watched_ns);
        counted_n +=
            st_json_integer(value, "device_dropouts") + st_json_integer(value, "client_dropouts");
        if (!st_text_is(st_json_text_of(value, "source"), "pipewire") || frames <= 0)
            continue;
        st_facts_put_int(facts, ST_KEY_PIPEWIRE_RUNNING_FRAMES, frames, source);
        st_facts_put_int(facts, ST_KEY_PIPEWIRE_RUNNING_RATE_HZ, st_json_integer(in_use, "rate_hz"),
                         source);
    }
    if (asked == 0 && (counted_n > 0 || watched_ns >= WATCHED_NS))
        st_facts_put_int(facts, ST_MUSIC_COUNTED, counted_n, source);
    else if (asked == 0)
        st_facts_put_state(facts, ST_MUSIC_COUNTED, ST_FACT_ABSENT, 0, NULL, source);
    st_daemon_client_finish(&answer);
}

/** Loads the facts of this machine, including what its servers answer. */
static int load_machine(const struct st_facts_input *input, struct st_facts **ret)
{
    struct st_platform *p = st_platform_native();
    int status = ST_EXIT_DONE;
    const int r = st_collect(p, true, ret);
    if (r != 0)
        status = st_failure("cannot read this machine: %s", strerror(-r));
    if (status == ST_EXIT_DONE && input->user != NULL)
        status = load_login(input, *ret);
    if (status == ST_EXIT_DONE)
        status = ask_servers(input, *ret);
    if (status == ST_EXIT_DONE && !input->no_servers)
        put_running(*ret);
    return status == ST_EXIT_DONE && (*ret)->error != 0 ? st_failure("out of memory") : status;
}

const char *st_facts_input_player(const struct st_facts_input *input)
{
    const char *user = input->user != NULL ? input->user : getenv("SUDO_USER");
    if (user == NULL && geteuid() == 0)
        user = getlogin(); /* under su: the user who logged in */
    return user != NULL && user[0] != '\0' && user[strspn(user, USER_CHARS)] == '\0' ? user : NULL;
}

void st_facts_input_of_player(struct st_facts_input *input)
{
    const char *player = st_facts_input_player(input);
    const bool own_machine = input->snapshot == NULL && input->root == NULL && input->texts_n == 0;
    if (geteuid() != 0 || !own_machine || input->user != NULL || player == NULL ||
        st_text_is(player, "root"))
        return;
    input->user = player;
    fprintf(stderr, "The rights shown are those of user %s, who %s, after a new login.\n", player,
            getenv("SUDO_USER") != NULL ? "ran sudo" : "logged in");
}

int st_facts_input_load(const struct st_facts_input *input, struct st_facts **ret)
{
    if ((input->snapshot != NULL) + (input->root != NULL) + (input->texts_n > 0) > 1)
        return st_failure_usage(
            "--snapshot, --root and --input cannot be used together: give only one");
    if (input->user != NULL && (input->snapshot != NULL || input->texts_n > 0))
        return st_failure_usage(
            "--user works only on this machine or with --root: it reads that user's rights");
    struct st_facts *facts = NULL;
    const int status = input->texts_n > 0        ? load_texts(input, &facts)
                       : input->snapshot != NULL ? load_snapshot(input->snapshot, &facts)
                       : input->root != NULL     ? load_folder(input, &facts)
                                                 : load_machine(input, &facts);
    if (status == ST_EXIT_DONE)
        *ret = facts;
    else
        st_facts_free(facts);
    return status;
}
