/* Texts that people post: their lines are recognised one by one. */
#include "advisor/parse/posted.h"

#include "advisor/facts/text.h"
#include "advisor/parse/freebsd_text.h"
#include "advisor/parse/linux_text.h"
#include "advisor/parse/post.h"
#include "advisor/parse/sysctl_text.h"
#include "core/text/text.h"
#include "core/text/text_buffer.h"

#define LINE_BYTES  4096
#define LOOK_BYTES  65536 /* for the marks of alsa-info.sh and of a whole sysctl -a */
#define OTHERS_MAX  50    /* lines that were not understood, of one text */
#define OTHER_BYTES 80    /* of such a line */

const char st_posted_kinds[] =
    "sysctl, uname -a, alsa-info.sh, pw-top, pw-metadata, journalctl, ps, ulimit, /proc/asound, "
    "/proc/interrupts, lsusb -t, rtcqs, inxi, dmesg, sleeptune listen --json or /dev/sndstat";

/* --- lines as people post them --- */

/** A mark at the start of a line of the beginning. */
static bool has_line(const char *text, size_t bytes, const char *begin)
{
    char line[LINE_BYTES];
    const char *at = text, *end = text + bytes;
    while (st_text_line(&at, end, line, sizeof(line))) {
        if (st_text_begins(line, begin))
            return true;
    }
    return false;
}

static bool is_alsa_info(const char *text, size_t bytes)
{
    bytes = bytes < LOOK_BYTES ? bytes : LOOK_BYTES;
    return has_line(text, bytes, "!!ALSA Information Script") ||
           has_line(text, bytes, "!!Linux Distribution") || has_line(text, bytes, "!!Kernel Information");
}

/** "> quoted", "> > twice". */
static char *unquoted(char *line)
{
    while (line[0] == '>')
        line += line[1] == ' ' ? 2 : 1;
    return line;
}

/** "$ sysctl kern.hz", "me@host:~ % uname -a", "[me@host ~]$ ..."; also comments. */
static bool is_command(const char *line)
{
    const size_t first = strcspn(line, " "), mark = strcspn(line, "$#%");
    const bool is_host = (memchr(line, '@', first) != NULL && mark < 80) || mark < first;
    return line[mark] != '\0' && line[mark + 1] == ' ' && (mark == 0 || is_host);
}

static bool is_one_of(const char *name, const char *const *tops)
{
    const size_t len = strcspn(name, ".");
    for (; *tops != NULL; tops++) {
        if (strlen(*tops) == len && strncmp(name, *tops, len) == 0)
            return true;
    }
    return false;
}

enum line_kind { LINE_FREEBSD, LINE_LINUX, LINE_OTHER };

/** "name: value" of FreeBSD, "name = value" of Linux, "name=value" of both, where the name decides. A quoted
 * value is kenv's or loader.conf's. */
static enum line_kind sysctl_kind(const char *line)
{
    static const char *const freebsd[] = {"kern", "hw", "machdep", "vfs", "security", "compat", "dev", NULL};
    static const char *const linux_only[] = {"kernel", "fs", "abi", NULL};
    static const char *const both[] = {"vm", "net", "debug", "user", "dev", NULL};
    char name[128];
    const size_t len = strcspn(line, ":= ");
    const char mark = line[len], next = mark != '\0' ? line[len + 1] : '\0';
    ST_PRINT(name, "%.*s", len < sizeof(name) ? (int)len : 0, line);
    if (mark == '\0' || strchr(name, '.') == NULL || !st_sysctl_text_is_name(name) ||
        (mark == '=' && next == '"') || (mark == ' ' && next != '=') ||
        (mark == ':' && next != ' ' && next != '\0'))
        return LINE_OTHER;
    if (mark != ' ' && is_one_of(name, freebsd))
        return LINE_FREEBSD;
    if (is_one_of(name, both))
        return mark == ':' ? LINE_FREEBSD : LINE_LINUX;
    return mark != ':' && is_one_of(name, linux_only) ? LINE_LINUX : LINE_OTHER;
}

/** Files of one line that people print. */
static const struct {
    const char *path, *key;
} files[] = {{"/proc/cmdline", ST_KEY_CMDLINE},
             {"/sched/preempt", ST_KEY_PREEMPT_DEBUGFS},
             {"/transparent_hugepage/enabled", ST_KEY_THP_ENABLED},
             {"/transparent_hugepage/defrag", ST_KEY_THP_DEFRAG}};

/** What was found in one text. */
struct found {
    struct st_text_buffer lines[LINE_OTHER], sndstat, others; /* lines: sysctls, by system */
    size_t lines_n[LINE_OTHER], others_n;
    char linux_release[100], linux_version[160];
    int freebsd_version;                    /* 1302000; 0: none; -1: more than one */
    char answers[ST_ARRAY_LEN(files)][160]; /* what `cat FILE` printed; "": it was not asked */
    struct st_post post;
    uint32_t formats, seen; /* bits of st_post_formats: with facts; with lines */
};

/** "13.2-RELEASE-p4" anywhere: of FreeBSD only. kern.osreldate begins with it (sys/sys/param.h: major *
 * 100000 + minor * 1000 at a release). */
static bool take_freebsd_version(struct found *found, const char *line)
{
    static const char *const behind[] = {"-RELEASE", "-STABLE", "-CURRENT", "-BETA", "-RC", "-PRERELEASE"};
    ST_EACH (word, behind) {
        const char *mark = strstr(line, *word), *at = mark;
        int major, minor;
        while (at != NULL && at > line && strchr("0123456789.", at[-1]) != NULL)
            at--;
        if (mark == NULL || sscanf(at, "%2d.%2d-", &major, &minor) != 2 || major < 5)
            continue;
        const int version = major * 100000 + minor * 1000;
        found->freebsd_version =
            found->freebsd_version == 0 || found->freebsd_version == version ? version : -1;
        return true;
    }
    return false;
}

/** "Linux HOST 6.1.0-37-amd64 #1 SMP PREEMPT_DYNAMIC ...", or /proc/version, with which dmesg begins. */
static bool take_linux_uname(struct found *found, const char *line)
{
    char release[sizeof(found->linux_release)];
    int end = 0;
    if (st_linux_text_version(line, found->linux_release, sizeof(found->linux_release), found->linux_version,
                              sizeof(found->linux_version)) == 0)
        return true;
    if (sscanf(line, "Linux %*64s %99s %n", release, &end) != 1 || line[end] != '#')
        return false;
    ST_PRINT(found->linux_release, "%s", release);
    ST_PRINT(found->linux_version, "%.150s", line + end);
    return true;
}

/** As sysctl prints it. One of FreeBSD that was set prints "kern.hz: 100 -> 1000": the new value counts. */
static bool take_sysctl(struct found *found, const char *line)
{
    const enum line_kind kind = sysctl_kind(line);
    const size_t len = strcspn(line, ":= ");
    const char *value = line + len + strspn(line + len, ":= "), *arrow = strstr(value, " -> ");
    if (kind == LINE_OTHER)
        return false;
    st_text_buffer_printf(&found->lines[kind], "%.*s%s%s\n", (int)len, line,
                          kind == LINE_LINUX ? " = " : ": ",
                          arrow != NULL && kind == LINE_FREEBSD ? arrow + 4 : value);
    found->lines_n[kind]++;
    return true;
}

/** Without the marks of code and without colours, but still indented, which lsusb -t needs. */
static char *line_of_post(char *line)
{
    char *to = line, *from = line;
    line[strcspn(line, "`\r")] = '\0';
    while (*from != '\0') {
        if (from[0] == '\033' && from[1] == '[')
            from += 2 + strcspn(from + 2, "m") + (strchr(from, 'm') != NULL);
        else
            *to++ = *from++;
    }
    *to = '\0';
    while (to > line && to[-1] == ' ')
        *--to = '\0';
    return line;
}

/** A line of one of the formats, and whether it told something. */
static bool take_post(struct found *found, const char *line)
{
    char copy[LINE_BYTES];
    for (size_t i = 0; i < st_post_formats_n; i++) {
        const size_t n = found->post.facts->n;
        ST_PRINT(copy, "%s", line);
        if (!st_post_formats[i]->line(&found->post, copy))
            continue;
        found->seen |= 1U << i;
        found->formats |= found->post.facts->n > n ? 1U << i : 0;
        return true;
    }
    return false;
}

static void end_posts(struct found *found, const char *source)
{
    ST_PRINT(found->post.source, "%.200s", source);
    for (size_t i = 0; i < st_post_formats_n; i++) {
        const size_t n = found->post.facts->n;
        if (st_post_formats[i]->end != NULL)
            st_post_formats[i]->end(&found->post);
        found->formats |= found->post.facts->n > n ? 1U << i : 0;
    }
}

static void read_lines(struct found *found, const char *text, size_t bytes, const char *source)
{
    char buf[LINE_BYTES], command[LINE_BYTES] = "";
    size_t line_n = 0;
    const char *at = text, *end = text + bytes;
    bool in_sndstat = false;
    char *answer = NULL; /* where the line below a command belongs */
    while (st_text_line(&at, end, buf, sizeof(buf))) {
        char *quoted = unquoted(buf), *line = quoted + strspn(quoted, " \t`*-");
        ST_PRINT(found->post.source, "%.200s:%zu", source, ++line_n);
        line[strcspn(line, "`\r")] = '\0';
        size_t len = strlen(line);
        while (len > 0 && line[len - 1] == ' ')
            line[--len] = '\0';
        const bool begins = st_text_begins(line, "FreeBSD Audio Driver") ||
                            st_text_begins(line, "Installed devices:") ||
                            st_text_begins(line, "No devices installed");
        const bool ends = len == 0 || is_command(line) || take_sysctl(found, line) ||
                          take_linux_uname(found, line) || take_freebsd_version(found, line);
        if (answer != NULL && !ends) {
            snprintf(answer, sizeof(found->answers[0]), "%.150s", line);
            answer = NULL;
            continue;
        }
        answer = NULL;
        for (size_t i = 0; i < ST_ARRAY_LEN(files) && is_command(line); i++) {
            if (strstr(line, "cat ") != NULL && strstr(line, files[i].path) != NULL)
                answer = found->answers[i];
        }
        if (is_command(line))
            ST_PRINT(command, "%s", line);
        found->post.command = command;
        if (!begins && !ends && !in_sndstat && take_post(found, line_of_post(quoted)))
            continue;
        in_sndstat = begins || (in_sndstat && !ends);
        if (in_sndstat)
            st_text_buffer_printf(&found->sndstat, "%s\n", quoted);
        else if (!ends && !st_text_is(line, "{") && ++found->others_n <= OTHERS_MAX)
            st_text_buffer_printf(&found->others, "%.*s\n", OTHER_BYTES, line);
    }
    end_posts(found, source);
}

/* --- facts of them --- */

/** Notes a kind of text that was read. r: 0 if it was. */
static int put_kind(struct st_facts *facts, int r, const char *kind, const char *source)
{
    const char *before = st_facts_text_or(facts, ST_KEY_SYSTEM_INPUT, NULL);
    const char *text =
        ST_TEXT(256, "%.180s%s%s", before != NULL ? before : "", before != NULL ? ", " : "", kind);
    return r != 0 ? r : st_facts_put_text(facts, ST_KEY_SYSTEM_INPUT, text, NULL, source);
}

static enum st_os os_of(const struct found *found)
{
    const size_t linux_n =
        found->lines_n[LINE_LINUX] + (found->linux_release[0] != '\0') + (found->post.facts->n > 0);
    const size_t freebsd_n =
        found->lines_n[LINE_FREEBSD] + (found->freebsd_version != 0) + (found->sndstat.text != NULL);
    return linux_n > freebsd_n ? ST_OS_LINUX : ST_OS_FREEBSD;
}

/** What was understood of a text of this system, and the lines that were not. */
static int put_found(struct st_facts *facts, const struct found *found, const char *source)
{
    const bool is_linux = facts->os == ST_OS_LINUX;
    const enum line_kind kind = is_linux ? LINE_LINUX : LINE_FREEBSD;
    const struct st_text_buffer *lines = &found->lines[kind], *sndstat = &found->sndstat;
    int r = 0;
    const char *words =
        ST_TEXT(64, "%zu sysctl%s", found->lines_n[kind], found->lines_n[kind] == 1 ? "" : "s");
    if (lines->text != NULL)
        r = put_kind(facts,
                     is_linux ? st_sysctl_text_linux(facts, lines->text, lines->bytes, source)
                              : st_sysctl_text_freebsd(facts, lines->text, lines->bytes, source),
                     words, source);
    if (r == 0 && is_linux && found->linux_release[0] != '\0') {
        st_facts_put_text(facts, ST_KEY_KERNEL_VERSION, found->linux_version, found->linux_version, source);
        r = put_kind(facts,
                     st_facts_put_text(facts, ST_KEY_KERNEL_RELEASE, found->linux_release,
                                       found->linux_release, source),
                     "uname", source);
    }
    if (r == 0 && !is_linux && found->freebsd_version > 0 &&
        st_facts_find(facts, ST_KEY_FREEBSD_KERN_OSRELDATE) == NULL)
        r = put_kind(
            facts,
            st_facts_put_int(facts, ST_KEY_FREEBSD_KERN_OSRELDATE, found->freebsd_version, NULL, source),
            "uname", source);
    /* that it was read is a fact, too, as the collector of captures has it, for the rules that ask */
    if (r == 0 && !is_linux && sndstat->text != NULL &&
        st_freebsd_text_sndstat(facts, sndstat->text, sndstat->bytes, source) == 0)
        r = put_kind(facts, st_facts_put_text(facts, ST_KEY_FREEBSD_FILE_SNDSTAT, "read", NULL, source),
                     "sndstat", source);
    for (size_t i = 0; i < ST_ARRAY_LEN(files) && r == 0 && is_linux; i++) {
        if (found->answers[i][0] != '\0')
            r = put_kind(facts,
                         st_facts_put_text(facts, files[i].key, found->answers[i], found->answers[i], source),
                         files[i].path, source);
    }
    for (size_t i = 0; i < found->post.facts->n && r == 0 && is_linux; i++) {
        const struct st_fact *fact = found->post.facts->rows[i];
        r = fact->state == ST_FACT_OK
                ? st_facts_put_text(facts, fact->key, fact->text, fact->raw, fact->source)
                : st_facts_put_state(facts, fact->key, fact->state, fact->error, fact->raw, fact->source);
    }
    for (size_t i = 0; i < st_post_formats_n && r == 0 && is_linux; i++) {
        if ((found->formats & 1U << i) != 0)
            r = put_kind(facts, 0, st_post_formats[i]->name, source);
    }
    if (r == 0 && found->others.text != NULL)
        r = st_facts_put_text(facts, ST_KEY_SYSTEM_INPUT_OTHERS, found->others.text, NULL, source);
    return r;
}

/** Of a text in which none of its formats told something. */
static const char *better_command(const struct found *found)
{
    size_t i = 0;
    while (i < st_post_formats_n && (found->seen & 1U << i) == 0)
        i++;
    return i < st_post_formats_n ? st_post_formats[i]->command : NULL;
}

int st_posted_add(const char *text, size_t bytes, const char *source, struct st_facts **facts,
                  const char **ret_command)
{
    struct found found = {.post.facts = st_facts_new(ST_OS_LINUX)};
    if (found.post.facts == NULL)
        return -ENOMEM;
    const bool alsa = is_alsa_info(text, bytes);
    const bool whole =
        has_line(text, bytes, "kern.osreldate") && has_line(text, bytes, "security.jail.jailed");
    if (!alsa && !whole)
        read_lines(&found, text, bytes, source);
    const enum st_os os = alsa ? ST_OS_LINUX : whole ? ST_OS_FREEBSD : os_of(&found);
    const bool any = alsa || whole || found.lines_n[LINE_FREEBSD] + found.lines_n[LINE_LINUX] > 0 ||
                     found.linux_release[0] != '\0' || found.freebsd_version > 0 ||
                     found.sndstat.text != NULL || found.post.facts->n > 0;
    struct st_facts *into = any && *facts == NULL ? st_facts_new(os) : *facts;
    int r = !any ? -EBADMSG : into == NULL ? -ENOMEM : into->os != os ? -EXDEV : 0;
    if (r == 0 && alsa)
        r = put_kind(into, st_posted_alsa_info(into, text, bytes, source), "alsa-info", source);
    else if (r == 0 && whole)
        r = put_kind(into, st_sysctl_text_freebsd(into, text, bytes, source), ST_POSTED_ALL, source);
    else if (r == 0)
        r = put_found(into, &found, source);
    if (r == 0 && found.post.facts->error != 0)
        r = found.post.facts->error;
    *ret_command = better_command(&found);
    if (r != 0 && *facts == NULL)
        st_facts_free(into);
    else if (r == 0)
        *facts = into;
    free(found.lines[LINE_FREEBSD].text);
    free(found.lines[LINE_LINUX].text);
    free(found.sndstat.text);
    free(found.others.text);
    st_facts_free(found.post.facts);
    return r;
}

/* --- alsa-info.sh: kernel, sound modules, sound servers --- */

#define FACTS_MAX 4096 /* of one alsa-info.sh */
#define KEY_BYTES 300

enum section { SECTION_OTHER, SECTION_KERNEL, SECTION_SERVERS, SECTION_OPTIONS };

struct reader {
    struct st_facts *facts;
    const char *source;
    enum section section;
    char module[104]; /* "!!Module: NAME" */
    char server[32];  /* "PipeWire:" */
    size_t n;
};

static void put(struct reader *reader, const char *key, const char *value, const char *raw)
{
    if (reader->n < FACTS_MAX)
        st_facts_put_text(reader->facts, key, value, raw, reader->source);
    reader->n++;
}

/** "!!Kernel Information" */
static void heading(struct reader *reader, const char *title)
{
    static const struct {
        const char *title;
        enum section section;
    } rows[] = {{"Kernel Information", SECTION_KERNEL},
                {"Sound Servers on this system", SECTION_SERVERS},
                {"Loaded sound module options", SECTION_OPTIONS}};
    static const char module[] = "Module: ";
    if (title[0] == '-' || title[0] == '#') /* the line below a title */
        return;
    reader->module[0] = reader->server[0] = '\0';
    if (reader->section == SECTION_OPTIONS && st_text_begins(title, module)) {
        const char *name = title + strlen(module);
        if (st_text_begins(name, "snd") && st_sysctl_text_is_name(name))
            ST_PRINT(reader->module, "%.100s", name);
        return;
    }
    reader->section = SECTION_OTHER;
    ST_EACH (row, rows) {
        if (st_text_is(title, row->title))
            reader->section = row->section;
    }
}

/** "Kernel release:    6.1.0-37-amd64"; very old scripts write "#1 SMP ..." behind it. */
static void kernel_line(struct reader *reader, const char *line)
{
    static const char label[] = "Kernel release:";
    char release[128];
    if (!st_text_begins(line, label))
        return;
    line += strlen(label);
    line += strspn(line, " \t");
    const size_t len = strcspn(line, " 	");
    ST_PRINT(release, "%.*s", len < sizeof(release) ? (int)len : 0, line);
    if (release[0] != '\0')
        put(reader, ST_KEY_KERNEL_RELEASE, release, line);
}

/** "PipeWire:", then "      Running - Yes". */
static void server_line(struct reader *reader, const char *line)
{
    static const struct {
        const char *name, *key;
    } servers[] = {{"PipeWire", ST_KEY_DAEMON_PIPEWIRE},
                   {"Pulseaudio", ST_KEY_DAEMON_PULSEAUDIO},
                   {"Jack", ST_KEY_DAEMON_JACKD},
                   {"Jack2", ST_KEY_DAEMON_JACKDBUS}};
    const size_t len = strlen(line);
    if (len > 1 && len <= sizeof(reader->server) && line[0] != ' ' && line[len - 1] == ':') {
        ST_PRINT(reader->server, "%.*s", (int)len - 1, line);
        return;
    }
    line += strspn(line, " \t");
    if (!st_text_is(line, "Running - Yes"))
        return;
    ST_EACH (server, servers) {
        if (st_text_is(reader->server, server->name))
            put(reader, server->key, "1", line);
    }
}

/** "\tpower_save : 1" below "!!Module: snd_hda_intel" */
static void option_line(struct reader *reader, char *line)
{
    char *value = strstr(line, " : "), key[KEY_BYTES];
    if (reader->module[0] == '\0' || value == NULL)
        return;
    *value = '\0';
    line += strspn(line, " \t");
    if (!st_sysctl_text_is_name(line))
        return;
    ST_PRINT(key, "linux.module.%.100s.%.100s", reader->module, line);
    put(reader, key, value + 3, value + 3);
}

int st_posted_alsa_info(struct st_facts *facts, const char *text, size_t bytes, const char *source)
{
    struct reader reader = {.facts = facts, .source = source};
    char line[LINE_BYTES];
    const char *at = text, *end = text + bytes;
    while (st_text_line(&at, end, line, sizeof(line))) {
        if (line[0] == '!' && line[1] == '!') {
            heading(&reader, line + 2);
            continue;
        }
        switch (reader.section) {
        case SECTION_KERNEL:
            kernel_line(&reader, line);
            break;
        case SECTION_SERVERS:
            server_line(&reader, line);
            break;
        case SECTION_OPTIONS:
            option_line(&reader, line);
            break;
        case SECTION_OTHER:
            break;
        }
    }
    return reader.n > 0 ? facts->error : -EBADMSG;
}
