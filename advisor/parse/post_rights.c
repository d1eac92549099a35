/* Posted texts about rights and priorities: ulimit, ps. */
#include "advisor/facts/text.h"
#include "advisor/parse/post.h"
#include "advisor/parse/posted.h"
#include "core/text/text.h"

#define KEY_BYTES 128

/* --- ulimit -a, ulimit -r -l; builtins/ulimit.def of bash --- */

void st_posted_rights(struct st_facts *facts, int64_t limit, const char *from, const char *source)
{
    const bool granted = limit == ST_UNLIMITED || limit >= ST_TRIED_PRIORITY;
    st_facts_put_int(facts, ST_KEY_RT_FIFO_ERRNO, granted ? 0 : EPERM, NULL, source);
    st_facts_put_int(facts, ST_KEY_RT_FIFO_PRIORITY, ST_TRIED_PRIORITY, NULL, source);
    st_facts_put_text(facts, ST_KEY_USER_LIMITS_FROM, from, NULL, source);
}

static bool limit_of(char *line, const char *bash, const char *zsh, int64_t *ret)
{
    char *words[ST_POST_WORDS_MAX];
    if (strstr(line, bash) == NULL && !st_text_begins(line, zsh))
        return false;
    const size_t n = st_post_words(line, words);
    const char *value = n > 1 ? words[n - 1] : "";
    if (st_text_is(value, "unlimited"))
        *ret = ST_UNLIMITED;
    else if (st_text_int(value, ret) != 0 || *ret < 0)
        return false;
    return true;
}

static bool ulimit_line(struct st_post *post, char *line)
{
    static const char *const others[] = {
        "(blocks, -", "(kbytes, -", "(bytes, -", "(seconds, -", "bytes, -p)", "(microseconds, -R)",
        "(-e)",       "(-i)",       "(-n)",      "(-u)",        "(-x)",       NULL};
    int64_t limit;
    if (strstr(line, "real-time priority") != NULL && limit_of(line, "(-r) ", "-r: ", &limit)) {
        st_post_int(post, ST_KEY_RT_RTPRIO_LIMIT, limit);
        st_posted_rights(post->facts, limit, "ulimit", post->source);
        return true;
    }
    if (strstr(line, "locked") != NULL && limit_of(line, "(kbytes, -l) ", "-l: ", &limit) &&
        limit < INT64_MAX / 1024) {
        st_post_int(post, ST_KEY_RT_MEMLOCK_LIMIT_BYTES, limit == ST_UNLIMITED ? ST_UNLIMITED : limit * 1024);
        return true;
    }
    return st_text_has_among(line, others);
}

const struct st_post_format st_post_ulimit = {"ulimit", "ulimit -r -l", ulimit_line, NULL};

/* --- ps -eLo pid,tid,class,rtprio,comm; procps ps(1) --- */

static const char *const classes[] = {"TS", "FF", "RR", "B", "IDL", "DLN", "ISO", NULL};
static const char *const servers[] = {"pipewire", "pipewire-pulse", "wireplumber", "pulseaudio",
                                      "jackd",    "jackdbus",       NULL};

static bool ps_header(struct st_post *post, char *const *words, size_t n)
{
    static const char *const of_thread[] = {"TID", "LWP", "SPID", NULL},
                             *const of_class[] = {"CLS", "POL", NULL},
                             *const of_command[] = {"COMMAND", "CMD", NULL};
    if (n < 3 || !st_text_is_among(words[n - 1], of_command))
        return false;
    int pid = -1, tid = -1, class = -1, priority = -1;
    for (int i = 0; i < (int)n; i++) {
        pid = st_text_is(words[i], "PID") ? i : pid;
        tid = st_text_is_among(words[i], of_thread) ? i : tid;
        class = st_text_is_among(words[i], of_class) ? i : class;
        priority = st_text_is(words[i], "RTPRIO") ? i : priority;
    }
    if (class < 0 || priority < 0)
        return false;
    post->ps.pid = pid;
    post->ps.tid = tid;
    post->ps.class = class;
    post->ps.priority = priority;
    post->ps.command = (int)n - 1;
    post->ps.header = post->ps.seen = true;
    return true;
}

static void put_thread(struct st_post *post, const char *kind, int64_t tid, const char *leaf,
                       const char *text)
{
    const char *key = ST_TEXT(KEY_BYTES, "linux.%s.%lld.%s", kind, (long long)tid, leaf);
    st_post_text(post, key, text);
}

/** A thread with a real-time priority, or a loop of PipeWire's library without one. */
static void put_row(struct st_post *post, int64_t tid, const char *name, const char *priority,
                    const char *pid)
{
    const bool is_interrupt = st_text_begins(name, "irq/"), is_real_time = !st_text_is(priority, "-");
    const char *process = pid != NULL ? post->ps.process_name : st_text_is_among(name, servers) ? name : "";
    const char *kind = is_interrupt ? "irq_thread" : is_real_time ? "rt_thread" : "normal_thread";
    if (is_interrupt ? !is_real_time : process[0] == '\0')
        return;
    if (!is_real_time && strstr(name, "data-loop") == NULL)
        return;
    put_thread(post, kind, tid, "name", name);
    put_thread(post, kind, tid, "priority", is_real_time ? priority : "0");
    if (is_interrupt)
        return;
    put_thread(post, kind, tid, "process", process);
    if (pid != NULL)
        put_thread(post, kind, tid, "pid", pid);
}

static bool ps_line(struct st_post *post, char *line)
{
    char *words[ST_POST_WORDS_MAX], key[KEY_BYTES];
    int64_t pid = 0, tid, number;
    const size_t n = st_post_words(line, words);
    if (ps_header(post, words, n))
        return true;
    if (!post->ps.header) { /* cut off by grep: class, rtprio, comm, as the rules print the command */
        post->ps.pid = post->ps.tid = -1;
        post->ps.class = 0;
        post->ps.priority = 1;
        post->ps.command = 2;
    }
    if (n <= (size_t)post->ps.command || !st_text_is_among(words[post->ps.class], classes))
        return false;
    const char *priority = words[post->ps.priority], *name = words[post->ps.command];
    if ((!st_text_is(priority, "-") && (st_text_int(priority, &number) != 0 || number < 0 || number > 99)) ||
        (post->ps.pid >= 0 && st_text_int(words[post->ps.pid], &pid) != 0))
        return false;
    tid = ++post->ps.rows_n;
    if (post->ps.tid >= 0 && st_text_int(words[post->ps.tid], &tid) != 0)
        return false;
    post->ps.seen = true;
    post->ps.kernel = post->ps.kernel || st_text_is(name, "kthreadd");
    if (post->ps.pid >= 0 && pid != post->ps.process) {
        post->ps.process = pid; /* its own thread comes first; without it its name is not known */
        ST_PRINT(post->ps.process_name, "%.31s", post->ps.tid < 0 || tid == pid ? name : "");
    }
    if (st_text_is_among(name, servers)) {
        ST_PRINT(key, ST_KEYS_DAEMON "%s", name);
        st_post_int(post, key, pid > 0 ? pid : 1);
    }
    put_row(post, tid, name, st_text_is(priority, "0") ? "-" : priority,
            post->ps.pid >= 0 ? words[post->ps.pid] : NULL);
    return true;
}

/** Without heading, kernel threads and thread ids it is what grep left of it. */
static void ps_end(struct st_post *post)
{
    const bool whole = post->ps.header && post->ps.kernel && post->ps.pid >= 0 && post->ps.tid >= 0;
    if (!post->ps.seen || post->ps.rows_n == 0)
        return;
    st_post_int(post, ST_KEY_PROCESSES_N, post->ps.rows_n);
    if (whole)
        st_post_int(post, ST_KEY_THREADS_COMPLETE, 1);
    else
        st_post_int(post, ST_KEY_THREADS_PART, 1);
}

const struct st_post_format st_post_ps = {"ps", "ps -eLo pid,tid,class,rtprio,comm", ps_line, ps_end};
