/* What another user would get: groups, and the limits that pam_limits or a login class would set at login. */
#include "advisor/collect/collect.h"

#include <ctype.h>
#include <fcntl.h>
#include <grp.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "advisor/collect/layers.h"
#include "advisor/facts/text.h"
#include "advisor/parse/linux_text.h"
#include "core/text/text.h"

#define FILE_BYTES    (256 * 1024)
#define FILES_MAX     64 /* of a folder */
#define NAME_BYTES    65
#define GROUPS_BYTES  2048
#define MEMBERS_BYTES 4096
#define LIMITS_CONF   "/etc/security/limits.conf"
#define LIMITS_DIR    "/etc/security/limits.d"
#define REQUEST_PATH  "/dev/cpu_dma_latency"

/** Which line of limits.conf counts: the more special one, of equals the later. */
enum special { SPECIAL_NONE, SPECIAL_ALL, SPECIAL_GROUP, SPECIAL_USER };

struct limit {
    enum special special;
    int64_t value;
    char source[200];
};

struct user {
    struct st_machine *machine;
    char *buf; /* FILE_BYTES */
    const char *name;
    int64_t uid, gid;
    char groups[GROUPS_BYTES]; /* " audio video " */
    struct limit rtprio, memlock;
    struct limit manager;   /* rtprio of the user's manager */
    char class[NAME_BYTES]; /* FreeBSD's login class */
    bool by_manager;        /* that one counts */
    const char *path;       /* of the limits file that is read */
    int unread;             /* errno of a limits file that could not be read */
    bool uses_pam_limits;
    bool reads_usual; /* pam_limits, without its option conf= */
    char conf[256];   /* its option conf=: a file that it reads alone, as on NixOS; "": none */
    size_t files_n;
};

/* --- /etc/passwd and /etc/group --- */

/** Field i of a line with colons, as a copy. @return false: no such field, or too long. */
static bool field(const char *line, int i, char *ret, size_t bytes)
{
    for (; i > 0; i--) {
        line += strcspn(line, ":");
        if (*line++ == '\0')
            return false;
    }
    return st_text_copy(ret, bytes, line, strcspn(line, ":"));
}

/** Is the name among "ann,bob"? */
static bool is_member(const char *members, const char *name)
{
    const char *all = ST_TEXT(MEMBERS_BYTES + 2, ",%s,", members);
    return strstr(all, ST_TEXT(NAME_BYTES + 2, ",%s,", name)) != NULL;
}

static int read_file(struct user *user, const char *path)
{
    size_t bytes;
    const int r = user->machine->read_text(user->machine, path, user->buf, FILE_BYTES, &bytes);
    return r == -EFBIG ? 0 : r;
}

/** ret_field: field i of the line, "": there is none. */
static int find_user(struct user *user, const char *path, int i, char ret_field[NAME_BYTES])
{
    char name[NAME_BYTES], number[24];
    const int r = read_file(user, path);
    ret_field[0] = '\0';
    if (r != 0)
        return r == -ENOENT ? -ENODATA : r;
    ST_TEXT_EACH (line, user->buf, "\n") {
        if (!field(line, 0, name, sizeof(name)) || !st_text_is(name, user->name))
            continue;
        if (!field(line, 2, number, sizeof(number)) || st_text_int(number, &user->uid) != 0 ||
            !field(line, 3, number, sizeof(number)) || st_text_int(number, &user->gid) != 0)
            return -EBADMSG;
        (void)field(line, i, ret_field, NAME_BYTES);
        return 0;
    }
    return -ENOENT;
}

static int find_groups(struct user *user)
{
    char name[NAME_BYTES], number[24], members[MEMBERS_BYTES];
    int64_t gid;
    ST_PRINT(user->groups, " ");
    const int r = read_file(user, "/etc/group");
    if (r != 0)
        return r == -ENOENT ? -ENODATA : r;
    ST_TEXT_EACH (line, user->buf, "\n") {
        if (!field(line, 0, name, sizeof(name)) || !field(line, 2, number, sizeof(number)) ||
            st_text_int(number, &gid) != 0)
            continue;
        const bool listed = field(line, 3, members, sizeof(members)) && is_member(members, user->name);
        if (listed || gid == user->gid)
            ST_APPEND(user->groups, "%s ", name); /* a name that is cut ends without a blank, and is none */
    }
    return 0;
}

/* --- limits.conf --- */

static enum special special_of(const struct user *user, const char *domain)
{
    char word[NAME_BYTES + 2];
    if (st_text_is(domain, user->name))
        return SPECIAL_USER;
    if (domain[0] == '@' && strlen(domain) <= NAME_BYTES) {
        ST_PRINT(word, " %.*s ", NAME_BYTES - 1, domain + 1);
        return strstr(user->groups, word) != NULL ? SPECIAL_GROUP : SPECIAL_NONE;
    }
    /* neither '*' nor a group's limit is for root */
    return st_text_is(domain, "*") && user->uid != 0 ? SPECIAL_ALL : SPECIAL_NONE;
}

static void set_limit(struct limit *limit, const struct user *user, enum special special, const char *text,
                      int64_t unit)
{
    int64_t value;
    if (special == SPECIAL_NONE || special < limit->special)
        return;
    if (st_text_is(text, "unlimited") || st_text_is(text, "infinity") || st_text_is(text, "-1"))
        value = ST_UNLIMITED;
    else if (st_text_int(text, &value) != 0 || value < 0 || value > INT64_MAX / unit)
        return;
    else
        value *= unit;
    limit->special = special;
    limit->value = value;
    ST_PRINT(limit->source, "%.190s", user->path);
}

static void see_limit(void *ctx, const char *domain, const char *item, const char *value)
{
    struct user *user = ctx;
    const enum special special = special_of(user, domain);
    if (user->uid == 0 && special == SPECIAL_GROUP)
        return;
    if (st_text_is(item, "rtprio"))
        set_limit(&user->rtprio, user, special, value, 1);
    else if (st_text_is(item, "memlock"))
        set_limit(&user->memlock, user, special, value, 1024);
}

static void read_limits(struct user *user, const char *path)
{
    const int r = read_file(user, path);
    user->path = path;
    if (r == 0)
        st_linux_text_limits(user->buf, see_limit, user);
    else if (r != -ENOENT && r != -ENOTDIR)
        user->unread = -r;
}

static int limits_file(void *ctx, const char *name)
{
    struct user *user = ctx;
    if (st_text_ends(name, ".conf"))
        read_limits(user, ST_TEXT(300, LIMITS_DIR "/%s", name));
    return ++user->files_n >= FILES_MAX;
}

/** A service whose sessions get the limits: a line that is not a comment names pam_limits. */
static int pam_file(void *ctx, const char *name)
{
    struct user *user = ctx;
    if (read_file(user, ST_TEXT(300, "/etc/pam.d/%s", name)) == 0) {
        ST_TEXT_EACH (line, user->buf, "\n") {
            line += strspn(line, " \t");
            const char *file = line[0] != '#' ? strstr(line, "pam_limits.so") : NULL;
            user->uses_pam_limits = user->uses_pam_limits || file != NULL;
            user->reads_usual = user->reads_usual || (file != NULL && strstr(file, " conf=") == NULL);
            file = file != NULL ? strstr(file, " conf=") : NULL;
            if (file != NULL)
                ST_PRINT(user->conf, "%.*s", (int)strcspn(file + 6, " \t\r"), file + 6);
        }
    }
    return user->reads_usual || ++user->files_n >= FILES_MAX;
}

static void find_limits(struct user *user, const struct st_facts *facts)
{
    user->files_n = 0;
    const int r = user->machine->list(user->machine, "/etc/pam.d", pam_file, user);
    /* who cannot look does not know better */
    user->uses_pam_limits = user->uses_pam_limits || user->files_n >= FILES_MAX ||
                            (r != 0 && !st_facts_has_int(facts, ST_KEY_PAM_MISSING));
    if (!user->uses_pam_limits)
        return;
    user->files_n = 0;
    if (user->conf[0] != '\0') /* NixOS: this file alone */
        read_limits(user, user->conf);
    if (user->conf[0] != '\0' && !user->reads_usual)
        return;
    read_limits(user, LIMITS_CONF);
    const int listed = user->machine->list(user->machine, LIMITS_DIR, limits_file, user);
    if (listed != 0 && listed != -ENOENT && listed != -ENOTDIR)
        user->unread = -listed;
}

/* --- the user's manager, whose programs get the limits of its unit where pam_limits sets none: systemd
 * calls PAM after it has set them (src/core/exec-invoke.c: "so that pam_limits wins") --- */

static void unit_setting(void *ctx, const char *section, const char *name, const char *value)
{
    struct user *user = ctx;
    int64_t soft;
    const bool own = st_text_is(section, "Service") && st_text_is(name, "LimitRTPRIO");
    if ((!own && !st_text_is(name, "DefaultLimitRTPRIO")) || !st_text_unit_limit(value, &soft))
        return;
    user->manager = (struct limit){.special = SPECIAL_USER, .value = soft == INT64_MAX ? ST_UNLIMITED : soft};
    ST_PRINT(user->manager.source, "%.190s", user->path);
}

static void unit_file(void *ctx, const char *path, char *text)
{
    struct user *user = ctx;
    user->path = path;
    st_linux_text_settings(text, '=', "#;", unit_setting, user);
}

static void find_manager(struct user *user)
{
    const char *unit = ST_TEXT(64, "user@%" PRId64 ".service", user->uid);
    st_layers_conf(user->machine, "system.conf", user->buf, FILE_BYTES, unit_file, user);
    st_layers_unit(user->machine, unit, user->buf, FILE_BYTES, unit_file, user);
    user->by_manager =
        user->rtprio.special == SPECIAL_NONE && user->manager.special != SPECIAL_NONE && user->uid != 0;
    if (user->by_manager)
        user->rtprio = user->manager;
}

/* --- facts --- */

static const char unknown[] = "not known for another user", none[] = "no limits file sets this limit";

static void put_rtprio(const struct user *user, struct st_facts *facts)
{
    static const char fifo_key[] = ST_KEY_RT_FIFO_ERRNO, rtprio_key[] = ST_KEY_RT_RTPRIO_LIMIT;
    const bool root = user->uid == 0, set = user->rtprio.special != SPECIAL_NONE;
    const int64_t limit = set ? user->rtprio.value : 0;
    const char *source = set ? user->rtprio.source : none;
    const bool granted = root || limit == ST_UNLIMITED || limit >= ST_TRIED_PRIORITY;
    if (user->unread != 0 && !granted) {
        st_facts_put_state(facts, fifo_key, ST_FACT_UNREADABLE, user->unread, NULL, LIMITS_DIR);
        st_facts_put_state(facts, rtprio_key, ST_FACT_UNREADABLE, user->unread, NULL, LIMITS_DIR);
        return;
    }
    st_facts_put_int(facts, fifo_key, granted ? 0 : EPERM, NULL, root ? ST_KEY_USER_UID : source);
    st_facts_put_int(facts, rtprio_key, limit, NULL, source);
}

/** By the owner, the group and the mode of the device. A saved tree has a copy of it, with others. */
static void put_request(const struct user *user, struct st_facts *facts)
{
    struct stat info;
    const int fd = user->machine->open_path(user->machine, REQUEST_PATH, O_RDONLY);
    const bool is_device =
        fd >= 0 && fstat(fd, &info) == 0 && st_facts_find(facts, ST_KEY_SYSTEM_LACKS) == NULL;
    if (fd >= 0)
        close(fd);
    if (!is_device)
        return;
    const struct group *group = getgrgid(info.st_gid);
    const char *domain = ST_TEXT(80, "@%s", group != NULL ? group->gr_name : "");
    const mode_t bit = user->uid == (int64_t)info.st_uid           ? S_IWUSR
                       : special_of(user, domain) == SPECIAL_GROUP ? S_IWGRP
                                                                   : S_IWOTH;
    st_facts_put_int(facts, ST_KEY_PMQOS_USER_MAY_OPEN, user->uid == 0 || (info.st_mode & bit) != 0, NULL,
                     REQUEST_PATH);
}

static void put_linux(const struct user *user, struct st_facts *facts)
{
    static const char memlock_key[] = ST_KEY_RT_MEMLOCK_LIMIT_BYTES;
    st_facts_put_int(facts, ST_KEY_RT_IPC_LOCK, user->uid == 0, NULL, ST_KEY_USER_UID);
    st_facts_put_int(facts, ST_KEY_RT_FIFO_PRIORITY, ST_TRIED_PRIORITY, NULL, "not tried");
    put_rtprio(user, facts);
    put_request(user, facts);
    if (user->memlock.special != SPECIAL_NONE)
        st_facts_put_int(facts, memlock_key, user->memlock.value, NULL, user->memlock.source);
    else if (user->unread != 0)
        st_facts_put_state(facts, memlock_key, ST_FACT_UNREADABLE, user->unread, NULL, LIMITS_DIR);
    else if (st_facts_find(facts, ST_KEY_SYSTEM_LACKS) != NULL || !st_facts_has_int(facts, memlock_key))
        st_facts_put_failure(facts, memlock_key, -ENOENT, none); /* else all have what this process has */
    /* set at login by other means, or by the process itself */
    st_facts_put_text(facts, ST_KEY_USER_LIMITS_FROM,
                      user->by_manager        ? "user@.service"
                      : user->uses_pam_limits ? "limits.d"
                                              : "the system's defaults (no PAM file uses pam_limits)",
                      NULL, LIMITS_DIR);
}

/* --- FreeBSD: the login class (passwd(5), login.conf(5)) --- */

static const char login_conf[] = "/etc/login.conf";

/** A size as login_getcapsize(3) reads it, without sums and products. */
static int take_size(const char *text, int64_t *ret_bytes)
{
    static const char units[] = "bkmgt";
    char number[24];
    const size_t len = strspn(text, "0123456789");
    const char *unit = text[len] == '\0' ? NULL : strchr(units, tolower((unsigned char)text[len]));
    *ret_bytes = ST_UNLIMITED;
    if (strncasecmp(text, "inf", 3) == 0 || strncasecmp(text, "unlimit", 7) == 0)
        return 0;
    if (len >= sizeof(number) || (text[len] != '\0' && (unit == NULL || text[len + 1] != '\0')))
        return -EBADMSG;
    snprintf(number, sizeof(number), "%.*s", (int)len, text);
    const int64_t factor = unit == NULL ? 1 : unit == units ? 512 : INT64_C(1) << (10 * (unit - units));
    if (st_text_int(number, ret_bytes) != 0 || *ret_bytes > INT64_MAX / factor)
        return -EBADMSG;
    *ret_bytes *= factor;
    return 0;
}

/** The limit in this record or, *ret_limit -ENOENT, the class that it continues with ("": none). */
static void read_record(char *record, char class[NAME_BYTES], int *ret_result, int64_t *ret_bytes)
{
    static const char limit[] = "memorylocked=", now[] = "memorylocked-cur=", next[] = "tc=";
    class[0] = '\0';
    ST_TEXT_EACH (cap, record, ":") {
        st_text_trim(cap);
        if (st_text_begins(cap, limit) || st_text_begins(cap, now)) {
            *ret_result = take_size(strchr(cap, '=') + 1, ret_bytes);
            return;
        }
        if (st_text_begins(cap, next))
            snprintf(class, NAME_BYTES, "%s", cap + strlen(next));
    }
}

/** @return 0, -ENOENT: no such class, or it sets no limit; -EBADMSG; another error of reading. */
static int class_limit(struct user *user, int64_t *ret_bytes)
{
    char class[NAME_BYTES], *rest = NULL;
    int result = -ENOENT;
    snprintf(class, sizeof(class), "%s", user->class);
    for (int depth = 0; depth < 8 && class[0] != '\0' && result == -ENOENT; depth++) {
        const int r = read_file(user, login_conf);
        if (r != 0)
            return r;
        for (char *at = user->buf; (at = strstr(at, "\\\n")) != NULL;)
            memset(at, ' ', 2);
        char *line = strtok_r(user->buf, "\n", &rest);
        while (line != NULL &&
               (!st_text_begins(line, class) || (line[strlen(class)] != ':' && line[strlen(class)] != '|')))
            line = strtok_r(NULL, "\n", &rest);
        if (line == NULL)
            return -ENOENT;
        read_record(line, class, &result, ret_bytes);
    }
    return result;
}

static void put_freebsd(struct user *user, struct st_facts *facts)
{
    static const char passwords[] = "/etc/master.passwd"; /* has the classes; only root reads it */
    int64_t bytes;
    int r = find_user(user, passwords, 4, user->class);
    if (r == 0 && user->class[0] == '\0')
        snprintf(user->class, sizeof(user->class), "%s", user->uid == 0 ? "root" : "default");
    const char *source = r == 0 ? login_conf : passwords;
    if (r == 0) {
        st_facts_put_text(facts, ST_KEY_USER_CLASS, user->class, NULL, passwords);
        r = class_limit(user, &bytes);
    }
    if (r == -ENODATA)
        r = -ENOENT;
    memset(user->buf, 0, FILE_BYTES);
    if (r == 0)
        st_facts_put_int(facts, ST_KEY_FREEBSD_LIMITS_MEMORYLOCKED_BYTES, bytes, NULL, source);
    else
        st_facts_put_failure(facts, ST_KEY_FREEBSD_LIMITS_MEMORYLOCKED_BYTES, r, source);
    st_facts_put_failure(facts, ST_KEY_FREEBSD_RT_FIFO_ERRNO, -ENOENT, unknown);
    st_facts_put_text(facts, ST_KEY_USER_LIMITS_FROM, r == 0 ? "login.conf" : "groups", NULL, source);
}

static int put_user(struct user *user, struct st_facts *facts)
{
    st_facts_put_text(facts, ST_KEY_USER_NAME, user->name, NULL, "/etc/passwd");
    st_facts_put_int(facts, ST_KEY_USER_UID, user->uid, NULL, "/etc/passwd");
    st_facts_put_text(facts, ST_KEY_USER_GROUPS, user->groups, NULL, "/etc/group");
    if (facts->os == ST_OS_LINUX)
        put_linux(user, facts);
    else
        put_freebsd(user, facts);
    return facts->error;
}

int st_collect_user(struct st_machine *machine, const char *name, struct st_facts *facts)
{
    struct user user = {.machine = machine, .name = name, .buf = malloc(FILE_BYTES)};
    if (user.buf == NULL)
        return -ENOMEM;
    int r = find_user(&user, "/etc/passwd", 0, user.class);
    if (r == 0)
        r = find_groups(&user);
    if (r == 0 && facts->os == ST_OS_LINUX) {
        find_limits(&user, facts);
        find_manager(&user);
    }
    if (r == 0)
        r = put_user(&user, facts);
    free(user.buf);
    return r;
}
