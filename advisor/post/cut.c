/* Splits a posted text into the outputs of commands, the contents of files, and sysctls. Passes all
 * other lines to the functions of post.h that read one kind of output each (the readers). */
#include "advisor/post/post.h"

#include <ctype.h>

#include "advisor/parse/linux_text.h"

#define SHORT_BYTES 4 /* bytes; no line of a log or table is shorter, except in JSON */
#define LINES_MAX   300000
#define FILES_MAX   64 /* most files that one command prints */

/** What the next lines belong to: a command, its files, or the file that is open. */
struct cut {
    struct st_post *post;
    char command[ST_POST_LINE_BYTES]; /* without its prompt; "": none yet */
    char files[FILES_MAX][256];
    size_t files_n, file; /* file: index of the next file with a single line */
    bool is_part; /* a filter such as grep follows the command, so its output is not complete */
    struct st_post_answer *open; /* the file to which the next lines are added; NULL: none */
    bool fenced;
    const char *next;   /* the line after the one that is read */
    size_t first_other; /* first line of the current range that no reader understood; 0: none */
};

/* --- commands --- */

/** Finds the command behind a prompt such as "$ ", "me@host:~ % ", "host:~ # " or "[me@host ~]$ ",
 * or behind '#', which may also begin a comment. @return NULL: the line has no prompt. */
static const char *behind_prompt(const char *line)
{
    static const char *const arrows[] = {"\xe2\x9d\xaf ", "\xe2\x9e\x9c ", NULL};
    const size_t first = strcspn(line, " "), mark = strcspn(line, "$#%>");
    const bool is_host = (memchr(line, '@', first) != NULL && mark < 80) || mark < first ||
                         (mark == first + 1 && line[mark - 2] == '~');
    if (st_text_begins_among(line, arrows))
        return line + strlen(arrows[0]);
    if (line[mark] == '\0' || (line[mark] == '>' && memchr(line, '@', first) == NULL) ||
        (line[mark + 1] != ' ' && line[mark + 1] != '\0') || !(mark == 0 || is_host))
        return NULL;
    return line + mark + 1 + strspn(line + mark + 1, " ");
}

static const char *const readers[] = {"cat", "head", "tail",    "less", "more",
                                      "bat", "zcat", "strings", NULL};

/** Is the line a command without its prompt that prints a file? */
static bool is_bare(const char *line)
{
    static const char *const others[] = {"grep . /",  "grep -r . /", "uname -",  "sysctl -n ",
                                         "cpupower ", "ps -",        "ulimit -", NULL};
    const char *at = line + strlen("sudo ") * st_text_begins(line, "sudo ");
    const size_t len = strcspn(at, " ");
    const char *name = st_text("%.*s", (int)len, at);
    return (st_text_is_among(name, readers) &&
            (at[len] == ' ' && (at[len + 1] == '/' || at[len + 1] == '~'))) ||
           st_text_is(at, "groups") || st_text_begins_among(at, others);
}

/** Does this file have only one line? Nearly all files below /sys and /proc/sys do. A text without
 * '/' or '~' at the beginning is no path, but the name of a value of one line. */
static bool has_one_line(const char *path)
{
    static const char *const folders[] = {"/sys/", "/proc/sys/", NULL};
    static const char *const files[] = {"/proc/cmdline", "/proc/version", "/proc/uptime",
                                        "/proc/self/timerslack_ns", NULL};
    return (path[0] != '/' && path[0] != '~') || st_text_is_among(path, files) ||
           (st_text_begins_among(path, folders) && strstr(path, "uevent") == NULL);
}

#define THEIR_NAME                                                                                 \
    "user" /* the user who posted the text; collectors take the only home folder, whatever its     \
              name */

/** The path under which the collectors look for a file: "~/" becomes the home folder of THEIR_NAME,
 * and a CPU's cpufreq folder becomes the folder of the policy with the same number. */
static const char *usual_name(const char *path)
{
    struct st_pattern_parts parts;
    if (path[0] == '~' && path[1] == '/')
        return st_text("/home/%s%s", THEIR_NAME, path + 1);
    if (st_pattern_match(path, "/sys/devices/system/cpu/cpu%d/cpufreq/%s", &parts))
        return st_text("/sys/devices/system/cpu/cpufreq/policy%.8s/%.60s", parts.text[0],
                       parts.text[1]);
    return st_text("%s", path);
}

static struct st_post_answer *open_file(struct cut *cut, const char *path)
{
    struct st_post *post = cut->post;
    static const char *const of_linux[] = {"/sys/", "/proc/", NULL}, *const of_freebsd[] = {
                                                                         "/dev/sndstat",
                                                                         "/boot/loader",
                                                                         "/etc/rc.conf", NULL};
    post->votes[ST_OS_LINUX] += st_text_begins_among(path, of_linux);
    post->votes[ST_OS_FREEBSD] += st_text_begins_among(path, of_freebsd);
    st_post_kind(post, st_text("%s", path));
    return st_post_answer_new(post, usual_name(path));
}

/** Adds a file that the command prints. A '*' may stand for any number of files: adds "cpu0",
 * "cpu1" ... up to FILES_MAX, and the lines that follow decide how many exist. */
static void add_file(struct cut *cut, const char *word)
{
    const char *star = strchr(word, '*');
    if (star == NULL && cut->files_n < FILES_MAX)
        ST_PRINT(cut->files[cut->files_n++], "%s", word);
    for (size_t i = 0; star != NULL && cut->files_n < FILES_MAX; i++)
        ST_PRINT(cut->files[cut->files_n++], "%.*s%zu%s", (int)(star - word), word, i, star + 1);
}

static void begin_command(struct cut *cut, const char *command)
{
    char copy[ST_POST_LINE_BYTES], none[] = "", *words[ST_POST_WORDS_MAX + 2], *filter;
    cut->open = NULL;
    cut->files_n = cut->file = 0;
    ST_PRINT(cut->command, "%s", command);
    ST_PRINT(copy, "%s", command);
    filter = strpbrk(copy, "|;&");
    cut->is_part = filter != NULL && *filter == '|';
    if (filter != NULL)
        *filter = '\0';
    if (st_text_ends(copy, ":")) /* a heading such as "cat FILE:" */
        copy[strlen(copy) - 1] = '\0';
    size_t n = st_post_words(copy, words), i = 0;
    words[n] = words[n + 1] = none;
    while (i < n && (st_text_is(words[i], "sudo") || strchr(words[i], '=') != NULL))
        i++;
    const char *option = words[i + (i < n)], *name = st_text_base(words[i]);
    ST_PRINT(cut->post->section, "%.31s", name);
    cut->post->votes[ST_OS_FREEBSD] += st_text_is(name, "sndctl") || st_text_is(name, "kldstat");
    if (st_text_is(name, "id") && strchr(option, 'G') != NULL)
        ST_PRINT(cut->post->section, "groups");
    cut->post->unit[0] = '\0';
    cut->is_part = cut->is_part || st_text_is(name, "grep");
    const bool reads = st_text_is_among(name, readers),
               of_sysctl = st_text_is(name, "sysctl") && n > i + 2 && st_text_is(option, "-n");
    const bool of_bus = (st_text_is(name, "busctl") && strstr(command, " get-property ") != NULL) ||
                        (st_text_is(name, "gdbus") && strstr(command, ".Get ") != NULL);
    if (st_text_is(name, "prlimit") && strstr(command, " -p") == NULL &&
        strstr(command, " --pid") == NULL)
        ST_PRINT(cut->post->unit, "shell");
    cut->post->ps.header = cut->post->ps.header && !st_text_is(name, "ps");
    if (st_text_is(name, "ps"))
        st_post_ps_columns(cut->post, words, n);
    if (st_text_is(name, "uname") && n == i + 2 &&
        (st_text_is(option, "-r") || st_text_is(option, "-v")))
        add_file(cut, option[1] == 'r' ? "uname -r" : "/proc/sys/kernel/version");
    if (st_text_is(name, "ulimit") && n == i + 2)
        add_file(cut, st_text("ulimit %.8s", option));
    for (i++; i < n; i++) {
        if ((reads || cut->is_part) && (words[i][0] == '/' || words[i][0] == '~'))
            add_file(cut, words[i]);
        else if ((of_sysctl && words[i][0] != '-') ||
                 (of_bus && isupper((unsigned char)words[i][0])))
            add_file(cut, words[i]);
    }
    if (cut->is_part &&
        (strstr(cut->files[0], "/interrupts") != NULL || strstr(cut->files[0], "/config") != NULL))
        cut->files_n = 0; /* each line begins with the name of its interrupt or option, so the
                             readers understand it without the file */
    if (cut->files_n == 1 && !has_one_line(cut->files[0])) {
        cut->open = open_file(cut, cut->files[0]);
        cut->files_n = 0;
    }
    /* grep prints nothing if the module is missing, so a fact says which module the command looked
     * for */
    const char *asked = strrchr(cut->command, ' ');
    if (st_text_begins(cut->command, "kldstat") && cut->is_part && asked != NULL)
        st_post_text(cut->post, ST_KEY_FREEBSD_KLDSTAT_ASKED, asked + 1);
}

/** Takes an error message of a command: "cat: FILE: No such file or directory", "sysctl: unknown
 * oid 'kern.x'". The file or sysctl then fails with this error. */
static bool take_error(struct cut *cut, const char *line)
{
    static const struct {
        const char *pattern;
        int result;
    } rows[] = {{"%s: %s: No such file or directory", -ENOENT},
                {"%s: %s: Permission denied", -EACCES},
                {"%s: can* '%l'*No such file", -ENOENT},
                {"%s: cannot open '%l' for reading: Permission denied", -EACCES},
                {"sysctl: %s stat %l: No such file or directory", -ENOENT},
                {"sysctl: %s oid '%l'", -ENOENT}};
    struct st_pattern_parts parts;
    ST_EACH (row, rows) {
        if (!st_pattern_match(line, row->pattern, &parts))
            continue;
        const char *name = parts.text[1];
        struct st_post_answer *answer =
            open_file(cut, name + strlen("file ") * st_text_begins(name, "file "));
        if (answer != NULL)
            answer->result = row->result;
        cut->file += cut->file < cut->files_n;
        cut->open = NULL;
        return true;
    }
    return false;
}

/* --- lines that set a sysctl --- */

/** Takes a line that shows a sysctl: "name: value" (FreeBSD), "name = value" (Linux), or
 * "name=value", where the name decides which of the two it is. Quoted values are those of kenv and
 * loader.conf, for which other readers exist. In FreeBSD's "kern.hz: 100 -> 1000" the second value
 * counts. */
static bool take_sysctl(struct cut *cut, const char *line)
{
    static const char *const freebsd[] = {"kern.",     "hw.",     "machdep.", "vfs.",
                                          "security.", "compat.", "dev.",     NULL};
    static const char *const linux_only[] = {"kernel.", "fs.", "abi.", NULL};
    static const char *const both[] = {"vm.", "net.", "debug.", "user.", "dev.", NULL};
    const size_t len = strcspn(line, ":= ");
    const char mark = line[len], next = line[len + (mark != '\0')];
    const char *name = st_text("%.*s", (int)len * (len < 100), line);
    if (mark == '\0' || strchr(name, '.') == NULL || !st_text_is_of(name, "._%-") ||
        (mark == '=' && next == '"') || (mark == ' ' && next != '=') || strchr(line, '{') != NULL ||
        (mark == ':' && next != ' ' && next != '\0'))
        return false;
    const bool is_freebsd = (mark != ' ' && st_text_begins_among(name, freebsd)) ||
                            (mark == ':' && st_text_begins_among(name, both));
    if (!is_freebsd && (mark == ':' || !(st_text_begins_among(name, linux_only) ||
                                         st_text_begins_among(name, both))))
        return false;
    const char *value = line + len + strspn(line + len, ":= "), *arrow = strstr(value, " -> ");
    if (!is_freebsd)
        name = st_text("/proc/sys/%s", st_text_swap(st_text("%s", name), '.', '/'));
    else if (arrow != NULL)
        value = arrow + 4;
    st_post_answer_add(st_post_answer_new(cut->post, name), value);
    cut->post->votes[is_freebsd ? ST_OS_FREEBSD : ST_OS_LINUX]++;
    cut->post->sysctls_n++;
    return true;
}

/** Finds "13.2-RELEASE-p4" anywhere in the line; only FreeBSD has such versions. The version gives
 * the first digits of kern.osreldate (sys/sys/param.h: major * 100000 + minor * 1000 at a
 * release). */
static bool take_freebsd_version(struct st_post *post, const char *line)
{
    static const char *const behind[] = {"-RELEASE", "-STABLE", "-CURRENT",
                                         "-BETA",    "-RC",     "-PRERELEASE"};
    const char *name = strstr(line, "FreeBSD ");
    post->names_freebsd =
        post->names_freebsd || (name != NULL && isdigit((unsigned char)name[strlen("FreeBSD ")]));
    ST_EACH (word, behind) {
        const char *mark = strstr(line, *word), *at = mark;
        int major, minor;
        while (at != NULL && at > line && strchr("0123456789.", at[-1]) != NULL)
            at--;
        if (mark == NULL || sscanf(at, "%2d.%2d-", &major, &minor) != 2 || major < 5)
            continue;
        const int version = major * 100000 + minor * 1000;
        post->freebsd_version =
            post->freebsd_version == 0 || post->freebsd_version == version ? version : -1;
        post->votes[ST_OS_FREEBSD]++;
        return true;
    }
    return false;
}

/* --- lines of files --- */

/** Reads "PATH: VALUE", as the kernel, the shell and grep print it, as a line of the file PATH. */
static bool take_path_line(struct cut *cut, const char *line)
{
    static const char *const roots[] = {"/proc/", "/sys/", "/etc/",  "/boot/",
                                        "/usr/",  "/run/", "/home/", NULL};
    const size_t len = strcspn(line, ": ");
    if (!st_text_begins_among(line, roots) || line[len] != ':' || line[len + 1] == '/')
        return false;
    const char *path = st_text("%.*s", (int)len, line);
    cut->open = NULL;
    cut->files_n = 0; /* the lines name their files, so the files of the command are not needed */
    struct st_post *post = cut->post;
    const char *name = usual_name(path);
    struct st_post_answer *answer =
        st_post_answer_is_last(post, name) ? st_post_answer_last(post, name) : open_file(cut, path);
    st_post_answer_add(answer, line + len + 1 + strspn(line + len + 1, " "));
    return true;
}

/** Recognises a file by its first line, or by "==> FILE <==", which head and tail print above each
 * file. */
static bool begins_file(struct cut *cut, const char *line)
{
    static const struct {
        const char *begin, *path;
    } rows[] = {{"FreeBSD Audio Driver", "/dev/sndstat"},
                {"Installed devices:", "/dev/sndstat"},
                {"No devices installed", "/dev/sndstat"},
                {"access: ", "/proc/asound/card/pcm/sub/hw_params"},
                {"state: ", "/proc/asound/card/pcm/sub/status"},
                {"CPU0 ", "/proc/interrupts"},
                {"[", "pw-dump"},
                {"Filename Type ", "/proc/swaps"}};
    struct st_pattern_parts parts;
    ST_EACH (row, rows) {
        const bool is_of = cut->open != NULL && (strstr(cut->open->name, "hw_params") == NULL ||
                                                 strstr(row->path, "/status") == NULL);
        const char *inner = line + strspn(line, " \t");
        if (is_of || !st_pattern_match(inner, row->begin, &parts) ||
            (inner[0] == '[' &&
             (inner[1] != '\0' || cut->next[strspn(cut->next, "> \t\r\n")] != '{')))
            continue;
        cut->open = open_file(cut, row->path);
        st_post_answer_add(cut->open, line);
        return true;
    }
    if (!st_pattern_match(line, "==> %s <==", &parts))
        return false;
    cut->open = open_file(cut, parts.text[0]);
    return true;
}

/** Reads a line of /proc/interrupts that grep printed: "  5:   0   0 XT-PIC   i801_smbus,
 * snd_hdspm". */
static bool take_interrupt(struct cut *cut, const char *line)
{
    static const char path[] = "/proc/interrupts";
    struct st_pattern_parts parts;
    struct st_post *post = cut->post;
    if (!st_pattern_match(line, "%d: %d %l", &parts) ||
        parts.text[2][strspn(parts.text[2], "0123456789 ")] == '\0' || strstr(line, "  ") == NULL ||
        !st_linux_text_carries_sound(line))
        return false;
    const bool is_first = !st_post_answer_is_last(post, path);
    struct st_post_answer *answer =
        is_first ? open_file(cut, path) : st_post_answer_last(post, path);
    if (is_first)
        st_post_answer_add(answer, "CPU0");
    st_post_answer_add(answer, line);
    return true;
}

/** Can the open file contain blank lines? If not, a blank line ends it. */
static bool has_blank_lines(const struct cut *cut)
{
    const char *name = cut->open->name;
    return cut->fenced || st_text_begins(name, "/etc/") || strstr(name, "/stream") != NULL ||
           strstr(name, ".conf") != NULL;
}

/** Adds the line to the open file or, if the command prints several files of one line, to the next
 * one. */
static bool take_file_line(struct cut *cut, const char *line)
{
    static const char *const open_ended[] = {"/stream", "/limits", "pw-dump", "/dev/sndstat", NULL};
    struct st_post *post = cut->post;
    if (cut->open != NULL && (line[0] != '\0' || has_blank_lines(cut))) {
        const char *name = cut->open->name;
        st_post_answer_add(cut->open, line);
        /* files that may end without a blank line: the readers look at the line as well. So they do
         * if it may be the output of another command */
        if (st_text_has_among(name, open_ended) || strpbrk(cut->command, ";&") != NULL)
            (void)!st_post_rows(post, line + strspn(line, " \t"));
        /* lines of this file are sysctls with their values */
        if (st_text_is(name, "/etc/sysctl.conf"))
            (void)!take_sysctl(cut, line);
        return true;
    }
    if (cut->open != NULL)
        cut->open->whole = !cut->is_part;
    cut->open = NULL;
    if (line[0] == '\0' && cut->file > 0)
        cut->files_n = 0; /* '*' stood for fewer files than add_file assumed */
    if (line[0] == '\0' || cut->file >= cut->files_n ||
        (cut->files_n > 1 && !has_one_line(cut->files[cut->file])) ||
        (st_text_begins(cut->files[cut->file], "ulimit") &&
         strchr(line + strspn(line, " "), ' ') != NULL))
        return false;
    const char *file = cut->files[cut->file++], *value = line + strspn(line, " ");
    if (strstr(cut->command, "uniq") !=
        NULL) /* skips the count that uniq prints: "  16 powersave" */
        value += strspn(value, "0123456789 ");
    /* the command asked for a value without a path or sysctl: "uname -r", or a property */
    if (file[0] != '/' && file[0] != '~' && strchr(file, '.') == NULL)
        return st_post_rows(post, st_text("%s: %.100s", file, value));
    struct st_post_answer *answer = open_file(cut, file);
    st_post_answer_add(answer, value);
    if (answer != NULL)
        answer->whole = true;
    return true;
}

/* --- the text, line by line --- */

/** Ends the current range of lines that no reader understood, and adds it to the list: "3-5, 9". */
static void end_others(struct cut *cut, size_t line_n)
{
    struct st_text_buffer *others = &cut->post->others;
    if (cut->first_other != 0 && others->bytes < 400)
        st_text_buffer_printf(others, line_n - 1 > cut->first_other ? "%s%zu-%zu" : "%s%zu",
                              others->bytes > 0 ? ", " : "", cut->first_other, line_n - 1);
    cut->first_other = 0;
}

static bool take_line(struct cut *cut, char *line)
{
    static const char *const documents[] = {"listen", "listened", "json", NULL};
    struct st_post *post = cut->post;
    char *inner = line + strspn(line, " \t"), copy[ST_POST_LINE_BYTES];
    if (st_text_begins(inner, "```") || st_text_begins(inner, "~~~")) {
        begin_command(cut, "");
        cut->fenced = !cut->fenced;
        inner += strspn(inner, "`~");
        if (strchr(inner, ' ') == NULL) /* the name of a language, as in ```sh */
            return true;
        line = inner;
    }
    char clean[ST_POST_LINE_BYTES]; /* without the marks of lists, code and bold text */
    ST_PRINT(clean, "%s", inner);
    char *plain = st_text_swap(st_text_swap(clean, '*', ' '), '`', ' ');
    plain += strspn(plain, " \t");
    plain += strspn(plain, "- ") * st_text_begins(plain, "- ");
    const char *command = behind_prompt(inner);
    if (st_text_ends(cut->command, "\\")) { /* the command continues on the next line */
        ST_PRINT(copy, "%s %s", st_text_swap(cut->command, '\\', ' '), inner);
        begin_command(cut, copy);
        return true;
    }
    /* a command above a blank line is advice, and prose may follow it, which is no row of ps */
    if (command == NULL && is_bare(inner) &&
        (*cut->next != '\n' || st_text_ends(inner, ":") || st_text_begins(inner, "ps ")))
        command = inner;
    if (command != NULL && !(cut->open != NULL && inner[0] == '#')) {
        /* a command ends the section, which is the output of the previous command */
        post->section[0] = '\0';
        if (st_text_begins(inner + strspn(inner, "["), "root@") && st_text_begins(command, "jackd"))
            st_post_int(post, ST_KEY_USER_UID,
                        0); /* a limit cannot be the reason if JACK has no right */
        (void)!st_post_rows(post, command);
        begin_command(cut, command);
        return true;
    }
    if (take_error(cut, inner) || take_path_line(cut, inner) || begins_file(cut, inner) ||
        take_file_line(cut, inner))
        return true;
    if (inner[0] == '\0' && st_text_is(post->section, "systemctl"))
        post->section[0] =
            '\0'; /* a blank line ends the status of a unit; the unit's log follows */
    if (line[0] == '}' && st_text_is_among(post->section, documents)) {
        post->section[0] = '\0';
        return true;
    }
    if (inner[0] != '\0' && strlen(inner) < SHORT_BYTES && strchr("{}[]\"", inner[0]) == NULL)
        return false;
    if (inner[0] == '\0' || st_text_is(inner, "{") || take_sysctl(cut, plain) ||
        take_interrupt(cut, plain) || st_post_rows(post, plain) ||
        take_freebsd_version(post, inner))
        return true;
    bool (*const all[])(struct st_post *, char *) = {st_post_top, st_post_ps, st_post_usb};
    ST_EACH (reader, all) {
        ST_PRINT(copy, "%s", line);
        if ((*reader)(post, copy))
            return true;
    }
    return false;
}

void st_post_read(struct st_post *post, const char *text, size_t bytes)
{
    char line[ST_POST_LINE_BYTES], heading[64] = "";
    struct cut cut = {.post = post, .next = text};
    const char *end = text + bytes;
    while (post->second_line == 0 && post->line_n < LINES_MAX &&
           st_text_line(&cut.next, end, line, sizeof(line))) {
        post->line_n++;
        /* a value may stand below its heading, as in forms of issues: "### Kernel Version", "",
         * "6.1.0" */
        const char *inner = line + strspn(line, " \t*-#`");
        const bool is_known =
            take_line(&cut, line) || (isdigit((unsigned char)*inner) &&
                                      st_post_rows(post, st_text("%s: %s", heading, inner)));
        if (*inner != '\0')
            ST_PRINT(heading, "%.*s", (int)strcspn(inner, ":*") * !is_known,
                     st_text_swap(line, '`', ' ') + (inner - line));
        if (is_known) {
            /* a line that looks like a command does not count as understood */
            post->known_n += strpbrk(line, "$#%`") == NULL && line[0] != '\0';
            end_others(&cut, post->line_n);
        } else if (cut.first_other == 0) {
            cut.first_other = post->line_n;
        }
    }
    end_others(&cut, post->line_n + 1);
    if (post->line_n == LINES_MAX && cut.next < end)
        st_post_say(post, "Only the first %d lines of this text were read", LINES_MAX);
}
