/* The rights of another user. On a live machine root starts a login of that user, which reports
 * them; in a saved tree, files such as limits.conf say what a login gives. */
#include "advisor/collect/collect.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include "advisor/collect/collector.h"
#include "advisor/facts/snapshot.h"
#include "advisor/rules/machine.h"
#include "core/ns.h"
#include "core/text/safe.h"
#include "platform/child_env.h"
#include "platform/proc.h"
#include "platform/trusted.h"

#define FILE_BYTES   (256 * 1024)
#define ANSWER_BYTES (1024 * 1024)
#define LIMIT_NS     (10 * ST_NS_PER_S)
#define MARK_BYTES   16
#define GROUPS_BYTES 2048

/* --- /etc/passwd and /etc/group --- */

struct user {
    const char *name;
    /* name, uid, gid, and the class in master.passwd; if only the name, the line is malformed */
    struct st_pattern_parts parts;
    char groups[GROUPS_BYTES]; /* names with blanks between them: "audio video" */
};

/** Calls fn with each line of a file, then erases the file's text from memory, since it may contain
 * passwords. @return 0, -ENODATA (no such file), -ENOMEM, or the error of reading. */
static int each_line(struct st_platform *machine, const char *path,
                     void (*fn)(struct user *user, const char *line), struct user *user)
{
    size_t bytes;
    char *buf = calloc(1, FILE_BYTES);
    if (buf == NULL)
        return -ENOMEM;
    int r = machine->read_text(machine, path, buf, FILE_BYTES, &bytes);
    if (r == -EFBIG)
        r = 0;
    if (r == -ENOENT)
        r = -ENODATA;
    if (r == 0) {
        ST_TEXT_EACH (line, buf, "\n")
            fn(user, line);
    }
    explicit_bzero(buf, FILE_BYTES);
    free(buf);
    return r;
}

static void see_user(struct user *user, const char *line)
{
    struct st_pattern_parts parts;
    if (user->parts.n > 0 || !st_pattern_match(line, "%l:", &parts) ||
        !st_text_is(parts.text[0], user->name))
        return;
    if (!st_pattern_match(line, "%l:*:%d:%d:%l:", &parts) &&
        !st_pattern_match(line, "%l:*:%d:%d:", &parts))
        parts.n = 1;
    user->parts = parts;
}

static void see_group(struct user *user, const char *line)
{
    struct st_pattern_parts parts;
    if (st_pattern_match(line, "%l:*:%d:", &parts) &&
        (st_text_is(parts.text[1], user->parts.text[2]) ||
         st_proc_has_word(strrchr(line, ':') + 1, user->name)))
        st_text_join(user->groups, sizeof(user->groups), " ", "%s", parts.text[0]);
}

/* --- a login of the user --- */

/** Facts that the output of a login may set, and the range of each. The output is untrusted. */
static const struct claim {
    const char *key;
    int64_t least, most;
} claims[] = {
    {ST_KEY_RT_FIFO_ERRNO, 0, 4095},
    {ST_KEY_RT_FIFO_PRIORITY, 1, 99},
    {ST_KEY_RT_RTPRIO_LIMIT, ST_UNLIMITED, INT64_MAX},
    {ST_KEY_RT_MEMLOCK_LIMIT_BYTES, ST_UNLIMITED, INT64_MAX},
    {ST_KEY_RT_IPC_LOCK, 0, 1},
    {ST_KEY_FREEBSD_RT_FIFO_ERRNO, 0, 4095},
    {ST_KEY_FREEBSD_LIMITS_MEMORYLOCKED_BYTES, ST_UNLIMITED, INT64_MAX},
};

/** Runs this program's command `snapshot` as the user. @param mark is printed on a line of its own
 * before and after the output. @return 0 or a negative errno value; the output is in buf. */
static int log_in(struct st_platform *machine, const char *name, const char *mark, char *buf)
{
    char program[PATH_MAX];
    struct st_child_env env = {0};
    int r = machine->program_path(machine, program, sizeof(program));
    if (r == 0 && !st_trusted_path(program, 0))
        r = -EPERM;
    if (r == 0)
        r = st_child_env_open(&env, 0, NULL);
    const char *quoted = r == 0 ? st_safe_shell_word(program, ST_ROOM(PATH_MAX)) : NULL;
    const char *line = st_text("echo %s; %s snapshot --no-servers; echo %s", mark,
                               st_text_or(quoted, "false"), mark);
    const char *const linux_su[] = {"su", "-l", "-s", "/bin/sh", "-c", line, "--", name, NULL};
    const char *const freebsd_su[] = {"su", "-l", "--", name, "-c", line, NULL};
    const struct st_run_as as = {.env = (const char *const *)env.vars};
    struct st_run run = {.argv = machine->os == ST_OS_FREEBSD ? freebsd_su : linux_su,
                         .buf = buf,
                         .buf_bytes = ANSWER_BYTES};
    if (r == 0)
        r = machine->run(machine, &run, 1, &as, LIMIT_NS);
    st_child_env_close(&env);
    return r != 0 ? r : run.result;
}

/** Finds out which rights a login of the user has. @return 0 with its facts, or a negative errno
 * value. */
static int ask_login(struct st_platform *machine, const char *name, uid_t uid,
                     struct st_facts **ret)
{
    unsigned char random[MARK_BYTES];
    char mark[2 * MARK_BYTES + 1] = "";
    int64_t its_uid;
    if (geteuid() != 0)
        return -EPERM;
    if (getentropy(random, sizeof(random)) != 0)
        return -errno;
    ST_EACH (byte, random)
        ST_APPEND(mark, "%02x", *byte);
    char *buf = calloc(1, ANSWER_BYTES);
    if (buf == NULL)
        return -ENOMEM;
    int r = log_in(machine, name, mark, buf);
    /* a daemon that the user's shell started may keep the pipe open: the output is complete if both
     * marks are there */
    const char *from = strstr(buf, mark),
               *text = st_text_or(from, "") + strlen(mark) * (from != NULL),
               *to = strstr(text, mark);
    if (to != NULL)
        r = 0;
    if (r == 0 && (to == NULL || st_snapshot_parse(text, (size_t)(to - text), ret) != NULL))
        r = -EBADMSG;
    free(buf);
    if (r == 0 && (st_facts_int(*ret, ST_KEY_USER_UID, &its_uid) != 0 || its_uid != (int64_t)uid)) {
        st_facts_free(*ret);
        *ret = NULL;
        r = -EBADMSG;
    }
    return r;
}

/** Replaces the facts about the rights of this process by the rights that the login reported.
 * @param r 0, or why the login reported nothing: the facts then become unreadable. */
static void put_claims(struct st_facts *facts, const struct st_facts *claimed, int r,
                       const char *source)
{
    int64_t value;
    int error = EBADMSG;
    if (r != 0)
        error = -r;
    ST_EACH (claim, claims) {
        if (!st_facts_has(facts, claim->key))
            continue;
        if (r != 0 || st_facts_int(claimed, claim->key, &value) != 0 || value < claim->least ||
            value > claim->most)
            st_facts_put_state(facts, claim->key, ST_FACT_UNREADABLE, error, NULL, source);
        else if (value != ST_RUN_LOCKED_BYTES)
            /* ST_RUN_LOCKED_BYTES is the limit with which sleeptune starts the login. If the login
             * reports this value, nothing set another limit, and the fact keeps the limit of this
             * process. */
            st_facts_put_int(facts, claim->key, value, source);
    }
    if (facts->os != ST_OS_LINUX)
        return;
    const struct st_fact *latency =
        r == 0 ? st_facts_find(claimed, ST_KEY_PMQOS_CPU_DMA_LATENCY_US) : NULL;
    if (latency != NULL && latency->state != ST_FACT_ABSENT)
        st_facts_put_int(facts, ST_KEY_PMQOS_USER_MAY_OPEN, latency->state == ST_FACT_OK, source);
    else
        st_facts_put_state(facts, ST_KEY_PMQOS_USER_MAY_OPEN, ST_FACT_UNREADABLE, error, NULL,
                           source);
}

int st_collect_login(struct st_platform *machine, const char *name, struct st_facts *facts)
{
    static const char passwords[] = "/etc/master.passwd";
    gid_t gids[ST_COLLECTOR_GROUPS_MAX];
    int gids_n = ST_COLLECTOR_GROUPS_MAX;
    const struct passwd *entry = getpwnam(name);
    struct st_facts *claimed = NULL;
    if (entry == NULL)
        return -ENOENT;
    const uid_t uid = entry->pw_uid;
    if (uid == geteuid())
        return 0;
    st_facts_put_text(facts, ST_KEY_USER_NAME, name, "getpwnam");
    st_facts_put_int(facts, ST_KEY_USER_UID, (int64_t)uid, "getpwnam");
    if (getgrouplist(name, entry->pw_gid, gids, &gids_n) >= 0)
        st_collector_put_groups(facts, ST_KEY_USER_GROUPS, gids, gids_n, "getgrouplist");
    st_facts_put_text(facts, ST_KEY_USER_LIMITS_FROM, ST_LIMITS_FROM_LOGIN, "rights of the user");
    /* FreeBSD's login class is in master.passwd, which only root may read */
    struct user user = {.name = name};
    if (facts->os == ST_OS_FREEBSD && each_line(machine, passwords, see_user, &user) == 0 &&
        user.parts.n > 1)
        st_facts_put_text(facts, ST_KEY_USER_CLASS,
                          user.parts.n > 3 ? user.parts.text[3] : "default", passwords);
    const int r = ask_login(machine, name, uid, &claimed);
    put_claims(facts, claimed, r, st_text("rights of %s", name));
    st_facts_free(claimed);
    return facts->error != 0 ? facts->error : r;
}

/* --- a saved tree: limits from the lines of limits.d for the user and the user's groups --- */

static void put_limits(struct st_facts *facts, bool root)
{
    static const char source[] = "/etc/security/limits.d";
    const int64_t rtprio = st_machine_limit_at_login(facts, "rtprio"),
                  memlock = st_machine_limit_at_login(facts, "memlock");
    st_facts_put_int(facts, ST_KEY_RT_RTPRIO_LIMIT, rtprio == INT64_MAX ? ST_UNLIMITED : rtprio,
                     source);
    st_collect_rights(facts, "limits.d", source);
    const struct st_fact *any = st_facts_find(facts, ST_KEY_LIMITS_ANY_RTPRIO);
    if (root)
        st_facts_put_int(facts, ST_KEY_RT_FIFO_ERRNO, 0, source);
    else if (any != NULL) /* the files that could not be read may give another limit */
        st_facts_put_failure(facts, ST_KEY_RT_FIFO_ERRNO, -any->error, any->source);
    st_facts_put_int(facts, ST_KEY_RT_IPC_LOCK, root, source);
    if (memlock > 0)
        st_facts_put_int(facts, ST_KEY_RT_MEMLOCK_LIMIT_BYTES,
                         memlock > INT64_MAX / 1024 ? ST_UNLIMITED : memlock * 1024, source);
    else
        st_facts_put_failure(facts, ST_KEY_RT_MEMLOCK_LIMIT_BYTES, -ENOENT, source);
}

int st_collect_user(struct st_platform *machine, const char *name, struct st_facts *facts)
{
    struct user user = {.name = name};
    int64_t uid;
    int r = each_line(machine, "/etc/passwd", see_user, &user);
    if (r == 0 && user.parts.n == 0)
        r = -ENOENT;
    if (r == 0 && (user.parts.n == 1 || st_text_int(user.parts.text[1], &uid) != 0))
        r = -EBADMSG;
    if (r == 0)
        r = each_line(machine, "/etc/group", see_group, &user);
    if (r != 0)
        return r;
    st_facts_put_text(facts, ST_KEY_USER_NAME, name, "/etc/passwd");
    st_facts_put_int(facts, ST_KEY_USER_UID, uid, "/etc/passwd");
    st_facts_put_text(facts, ST_KEY_USER_GROUPS, user.groups, "/etc/group");
    if (facts->os == ST_OS_LINUX)
        put_limits(facts, uid == 0);
    return facts->error;
}
