/* Reads posted texts about threads and their priorities: output of ps and chrt, and the journal of
 * rtkit. */
#include <ctype.h>

#include "advisor/post/post.h"

/* --- rows of ps -eLo pid,tid,class,rtprio,comm; procps ps(1) --- */

static const char *const classes[] = {"TS", "FF", "RR", "B", "IDL", "DLN", "ISO", NULL};
static const char *const servers[] = {"pipewire", "pipewire-pulse", "wireplumber", "pulseaudio",
                                      "jackd",    "jackdbus",       NULL};

enum column {
    PID,
    TID,
    CLASS,
    PRIORITY,
    COMMAND,
    NICE,
    OF_LONG_PRIORITY, /* PRI of ps -l */
    OF_LONG,          /* a column that only ps -l has */
};
_Static_assert(OF_LONG + 1 == ST_POST_PS_COLUMNS, "a place in struct st_post for each");

static const char *const headings[ST_POST_PS_COLUMNS][6] = {
    [PID] = {"PID"},
    [TID] = {"TID", "LWP", "SPID"},
    [CLASS] = {"CLS", "POL", "CLASS", "POLICY"},
    [PRIORITY] = {"RTPRIO"},
    [COMMAND] = {"COMMAND", "CMD", "COMM", "ARGS", "UCMD"},
    [NICE] = {"NI"},
    [OF_LONG_PRIORITY] = {"PRI"},
    [OF_LONG] = {"ADDR"},
};

static bool ps_header(struct st_post *post, char *const *words, size_t n)
{
    int at[ST_POST_PS_COLUMNS];
    memset(at, -1, sizeof(at));
    for (int i = 0; i < (int)n; i++) {
        for (size_t column = 0; column < ST_POST_PS_COLUMNS; column++) {
            if (st_text_is_among(words[i], headings[column]))
                at[column] = i;
        }
    }
    if (n < 3 || (at[COMMAND] != 0 && at[COMMAND] != (int)n - 1))
        return false;
    if (at[PRIORITY] < 0 && at[OF_LONG] >= 0)
        at[PRIORITY] = at[OF_LONG_PRIORITY];
    else
        at[NICE] = -1;
    if (at[PRIORITY] < 0 || (at[CLASS] < 0 && at[NICE] < 0 && !st_text_is(post->section, "ps")))
        return false;
    memcpy(post->ps.at, at, sizeof(at));
    post->ps.columns_n = n;
    post->ps.header = true;
    return true;
}

void st_post_ps_columns(struct st_post *post, char *const *words, size_t n)
{
    char copy[256] = "", *columns[ST_POST_WORDS_MAX];
    for (size_t i = 0; i + 1 < n; i++) {
        if (words[i][strlen(words[i]) - 1] == 'o')
            ST_PRINT(copy, "%s", words[i + 1]);
    }
    for (char *at = st_text_swap(copy, ',', ' '); *at != '\0'; at++)
        *at = (char)toupper((unsigned char)*at);
    (void)ps_header(post, columns, st_post_words(copy, columns));
}

static void put_thread(struct st_post *post, const char *kind, int64_t tid, const char *leaf,
                       const char *text)
{
    st_post_text(post, st_text("linux.%s.%jd.%s", kind, tid, leaf), text);
}

/** Puts the facts of a thread with real-time priority, or of a loop of PipeWire's library without
 * it. If ps shows no process ids, the loop belongs to the last server above it. */
static void put_row(struct st_post *post, int64_t tid, const char *name, const char *class,
                    const char *priority, const char *pid)
{
    const bool is_interrupt = st_text_begins(name, "irq/"),
               is_real_time = !st_text_is(priority, "-");
    const char *process = pid == NULL && is_real_time && strstr(name, "data-loop") == NULL
                              ? name
                              : post->ps.process_name;
    const char *kind = is_interrupt ? "irq_thread" : is_real_time ? "rt_thread" : "normal_thread";
    if ((is_interrupt ? !is_real_time : process[0] == '\0') ||
        (!is_real_time && strstr(name, "data-loop") == NULL))
        return;
    put_thread(post, kind, tid, "name", name);
    put_thread(post, kind, tid, "priority", is_real_time ? priority : "0");
    if (is_interrupt)
        return;
    put_thread(post, kind, tid, "process", process);
    if (pid != NULL)
        put_thread(post, kind, tid, "pid", pid);
    if (!is_real_time && post->ps.normal[0] == '\0')
        ST_PRINT(post->ps.normal, "%.30s of %.30s", name, process);
    const int64_t number = is_real_time ? strtol(priority, NULL, 10) : 0;
    if (number > post->ps.top) {
        post->ps.top = number;
        ST_PRINT(post->ps.top_name, "%.40s has real-time priority %s", name,
                 st_text_joined(class, " ", priority));
    }
}

/** Is this a row of `ps -l` or `ps -lL` whose heading is missing? If so, sets the columns. */
static bool guess_long(struct st_post *post, char *const *words, size_t n)
{
    char *columns[ST_POST_WORDS_MAX];
    const int thread = n >= 15 && st_text_is(words[9], "-");
    char *heading = st_text("F S UID PID PPID %sC PRI NI ADDR SZ WCHAN TTY TIME CMD",
                            thread != 0 ? "LWP " : "");
    return n >= 14 && strlen(words[1]) == 1 && isdigit((unsigned char)words[0][0]) &&
           st_text_is(words[8 + thread], "-") && strchr(words[12 + thread], ':') != NULL &&
           ps_header(post, columns, st_post_words(heading, columns));
}

/** Guesses the columns of a row whose heading grep removed: ids stand before the class, the
 * priority after it, and then the first word that is no number is the name. */
static bool guess_columns(struct st_post *post, char *const *words, size_t n)
{
    int class = 0;
    while (class < 3 && class + 2 < (int)n && !st_text_is_among(words[class], classes))
        class ++;
    int command = class + 2;
    while (command < (int)n - 1 && strspn(words[command], "-0123456789") == strlen(words[command]))
        command++;
    if (class == 3 || command >= (int)n)
        return false;
    memset(post->ps.at, -1, sizeof(post->ps.at));
    post->ps.at[PID] = ST_MAX(class - 2, -1);
    post->ps.at[TID] = class - 1;
    post->ps.at[CLASS] = class;
    post->ps.at[PRIORITY] = class + 1;
    post->ps.at[COMMAND] = command;
    return true;
}

/** Reads chrt's "pid 10576's current scheduling policy: SCHED_RR", and the priority in the next
 * line. */
static bool chrt(struct st_post *post, const char *line)
{
    struct st_pattern_parts parts;
    if (st_pattern_match(line, "pid %d's current scheduling policy: %s", &parts)) {
        post->ps.chrt_n++;
        ST_PRINT(post->ps.chrt_now, "%.*s", (int)ST_MIN(strcspn(parts.text[1], "|"), 15),
                 parts.text[1]);
        return true;
    }
    if (!st_pattern_match(line, "pid %d's current scheduling priority: %d", &parts))
        return false;
    if (!st_text_is(parts.text[1], "0")) {
        post->ps.chrt_real_time_n++;
        ST_PRINT(post->ps.chrt_best, "%.15s %.4s", post->ps.chrt_now, parts.text[1]);
    }
    return true;
}

/* The name of a program from its path, "/usr/bin/NAME", or from "[NAME]", which ps prints for a
 * kernel thread, because it has no command line. Changes the text. */
static const char *name_of(char *command)
{
    if (command[0] == '/')
        command = strrchr(command, '/') + 1;
    command += command[0] == '[';
    command[strcspn(command, "]")] = '\0';
    return command;
}

bool st_post_ps(struct st_post *post, char *line)
{
    char *words[ST_POST_WORDS_MAX];
    int64_t pid = 0, tid, number;
    if (chrt(post, line + strspn(line, " \t")))
        return true;
    const size_t n = st_post_words(line, words);
    if (ps_header(post, words, n))
        return true;
    if ((!post->ps.header && !guess_columns(post, words, n) && !guess_long(post, words, n)) ||
        post->ps.rows_n >= ST_POST_ROWS_MAX)
        return false;
    /* if the command is the first column, blanks in it make the row longer than the heading */
    const size_t more =
        post->ps.at[COMMAND] == 0 && n > post->ps.columns_n ? n - post->ps.columns_n : 0;
    const char *cells[ST_POST_PS_COLUMNS] = {NULL};
    for (size_t i = 0; i < ST_POST_PS_COLUMNS; i++) {
        if (post->ps.at[i] < 0)
            continue;
        if ((size_t)post->ps.at[i] + more >= n)
            return false;
        cells[i] = words[(size_t)post->ps.at[i] + more];
    }
    const char *class = cells[CLASS], *priority = cells[PRIORITY];
    if (class != NULL ? !st_text_is_among(class, classes)
                      : cells[NICE] == NULL && !st_text_is(post->section, "ps"))
        return false;
    /* ps -l prints 60 + the kernel's priority, which is -1 - rtprio (procps' pr_opri()) */
    const char *of_long = st_text("%ld", 59 - strtol(priority, NULL, 10));
    if (cells[NICE] != NULL)
        priority = st_text_is(cells[NICE], "-") ? of_long : "-";
    const char *name = name_of(words[post->ps.at[COMMAND]]);
    if ((!st_text_is(priority, "-") &&
         (st_text_int(priority, &number) != 0 || number < 0 || number > 99)) ||
        (cells[PID] != NULL && st_text_int(cells[PID], &pid) != 0))
        return false;
    tid = ++post->ps.rows_n;
    if (cells[TID] != NULL && st_text_int(cells[TID], &tid) != 0)
        return false;
    post->ps.kernel = post->ps.kernel || st_text_is(name, "kthreadd");
    const bool is_server = st_text_is_among(name, servers);
    if (st_text_is(name, "pipewire") && cells[TID] != NULL && cells[PID] != NULL) {
        post->ps.pipewire_n++;
        post->ps.pipewire_real_time_n += strspn(priority, "0-") != strlen(priority);
    }
    if (cells[PID] != NULL && pid != post->ps.process) {
        /* the main thread of a process comes first; if it is missing, the name of the process is
         * not known */
        post->ps.process = pid;
        ST_PRINT(post->ps.process_name, "%.31s",
                 cells[TID] == NULL || tid == pid || is_server ? name : "");
    } else if (cells[PID] == NULL && strstr(name, "data-loop") == NULL) {
        ST_PRINT(post->ps.process_name, "%.31s", is_server ? name : "");
    }
    if (is_server)
        st_post_int(post, st_text(ST_KEYS_DAEMON "%s", name), pid > 0 ? pid : 1);
    put_row(post, tid, name, st_text_or(class, ""), st_text_is(priority, "0") ? "-" : priority,
            cells[PID]);
    return true;
}

/* --- lines of a journal: threads to which rtkit gave priority, and the processes of servers --- */

void st_post_host(struct st_post *post, char known[64], const char *host)
{
    if (known[0] == '\0')
        snprintf(known, 64, "%.63s", host);
    else if (strncmp(known, host, 63) != 0 && post->second_line == 0)
        post->second_line = post->line_n;
}

/** Reads the host name in "Jul 05 20:10:49 HOST program[1]: " or "2024-10-20T12:07:35+0200 HOST
 * program[1]:
 * ". */
static void see_host(struct st_post *post, const char *line)
{
    struct st_pattern_parts parts;
    if (!st_pattern_match(line, "%s %d %v %s %s[%d]: ", &parts) &&
        !st_pattern_match(line, "%v %s %s[%d]: ", &parts))
        return;
    const char *host = parts.text[parts.n - 3];
    if (!st_text_is(host, "localhost")) /* an initramfs does not know the computer's name yet */
        st_post_host(post, post->host, host);
}

void st_post_journal(struct st_post *post, const char *line)
{
    struct st_pattern_parts parts;
    if (strstr(line, "]: ") == NULL && strstr(line, " RT at ") == NULL)
        return;
    see_host(post, line);
    if (post->ps.granted_n < ST_ARRAY_LEN(post->ps.granted) &&
        st_pattern_match(line, "*uccessfully made thread %d of process %d *RT at priority %d",
                         &parts))
        post->ps.granted[post->ps.granted_n++] = parts;
    ST_EACH_OF (server, servers, ST_ARRAY_LEN(servers) - 1) {
        const char *at = strstr(line, st_text("%s[", *server));
        if (at != NULL && (at == line || at[-1] == ' ') && strstr(at, "]: ") != NULL)
            ST_PRINT(post->ps.tags[server - servers], "%.*s",
                     (int)(strspn(at + strlen(*server) + 1, "0123456789") % 16),
                     at + strlen(*server) + 1);
    }
}

static void put_granted(struct st_post *post, const struct st_pattern_parts *granted)
{
    const int64_t tid = strtol(granted->text[0], NULL, 10);
    ST_EACH_OF (server, servers, ST_ARRAY_LEN(servers) - 1) {
        if (!st_text_is(post->ps.tags[server - servers], granted->text[1]))
            continue;
        put_thread(post, "rt_thread", tid, "name", "data-loop");
        put_thread(post, "rt_thread", tid, "process", *server);
        put_thread(post, "rt_thread", tid, "pid", granted->text[1]);
        put_thread(post, "rt_thread", tid, "priority", granted->text[2]);
        st_post_text(post, st_text(ST_KEYS_DAEMON "%s", *server), granted->text[1]);
        post->ps.rows_n++;
    }
}

/** Puts the facts about all rows. If the heading, kernel threads or one of the ids is missing, grep
 * has filtered the rows, and threads may be missing. */
void st_post_ps_end(struct st_post *post)
{
    const bool whole =
        post->ps.header && post->ps.kernel && post->ps.at[PID] >= 0 && post->ps.at[TID] >= 0;
    if (post->ps.chrt_n > 0) {
        st_post_say(post, "%jd of the %jd threads in this text have real-time priority%s",
                    post->ps.chrt_real_time_n, post->ps.chrt_n,
                    st_text_with(": ", post->ps.chrt_best));
        st_post_kind(post, "chrt");
    }
    if (post->ps.rows_n > 0)
        st_post_kind(post, "ps");
    ST_EACH_OF (granted, post->ps.granted, post->ps.granted_n)
        put_granted(post, granted);
    if (post->ps.rows_n == 0)
        return;
    if (post->ps.normal[0] != '\0')
        st_post_say(post, "%s runs without real-time priority", post->ps.normal);
    if ((post->ps.normal[0] != '\0' || !post->ps.kernel) && post->ps.top_name[0] != '\0')
        st_post_say(post, "%s", post->ps.top_name);
    /* several rows are named "pipewire" if ps prints the command for each thread: then no thread of
     * PipeWire is missing */
    if (post->ps.pipewire_n > 1 && post->ps.pipewire_real_time_n == 0 && post->ps.normal[0] == '\0')
        st_post_say(post,
                    "None of PipeWire's %jd threads in this text runs with real-time priority",
                    post->ps.pipewire_n);
    st_post_int(post, ST_KEY_PROCESSES_N, post->ps.rows_n);
    st_post_int(post, whole ? ST_KEY_THREADS_COMPLETE : ST_KEY_THREADS_PART, 1);
}
