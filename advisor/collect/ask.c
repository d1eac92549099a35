/* Asks running servers for their settings, through their client programs. A table has one row for
 * each question. */
#include "advisor/collect/collect.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "advisor/facts/owner.h"
#include "advisor/parse/answer.h"
#include "core/text/pattern.h"
#include "platform/child_env.h"

/* bytes; pw-dump of a desktop has some 100 KiB; unused pages cost nothing */
#define ANSWER_BYTES (4 * 1024 * 1024)

struct asker {
    struct st_facts *facts;
    const struct question *question;
    uid_t uid; /* the user whose servers are asked */
};

struct question {
    const char *key;    /* the fact that says whether the server answered: "linux.ask.pipewire" */
    const char *daemon; /* the fact that shows that the server runs */
    const char *or_daemon; /* a second fact that is enough to ask: the server runs under another
                              name, or D-Bus starts it when it is needed; NULL: none */
    bool of_user;          /* the server belongs to a user's session, not to the system */
    const char *in_files;  /* the answer's only fact, if configuration files may contain it, too;
                              NULL: they cannot, or the answer has several facts */
    const char *command;   /* the client program and its arguments, separated by single blanks */
    int (*parse)(struct asker *asker, char *text);
    const char *const *patterns; /* for parse_one: patterns of the answer; NULL-terminated */
    const char *const
        *facts; /* facts of the answer, unknown if the server does not answer; NULL-terminated */
};

#define WORDS(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

/* --- putting facts --- */

static void put_text(struct asker *asker, const char *key, const char *value)
{
    st_facts_put_text(asker->facts, key, value, asker->question->command);
}

static void put_failure(struct asker *asker, const char *key, int r)
{
    st_facts_put_failure(asker->facts, key, r, asker->question->command);
}

/* --- parsing answers --- */

static int parse_pipewire(struct asker *asker, char *text)
{
    struct st_pattern_parts parts;
    int r = -EBADMSG;
    /* the minimum that PipeWire reports already includes the minimum for virtual machines */
    put_failure(asker, ST_KEY_PIPEWIRE_VM_MIN_QUANTUM, -ENOENT);
    for (const char *at = text; st_pattern_next(&at, "*key:'%l' value:'%l'", &parts); r = 0) {
        const char *key = st_answer_pipewire_key(parts.text[0]), *value = parts.text[1];
        if (key != NULL && value[0] == '[')
            put_text(asker, key, value);
        else if (key != NULL)
            st_facts_put_number(asker->facts, key, value, asker->question->command);
    }
    return r;
}

static int parse_nodes(struct asker *asker, char *text)
{
    return st_answer_pw_dump(text, asker->facts, asker->question->command);
}

/** Reads the modules that open cards. tsched counts as off if one module has it off. */
static int parse_pulse(struct asker *asker, char *text)
{
    static const char *const modules[] = {"alsa-card", "alsa-sink", "udev-detect", "detect", NULL},
                             *const off[] = {"tsched=0", "tsched=no", "tsched=\"0\"", NULL};
    struct st_pattern_parts parts;
    int r = -EBADMSG;
    bool is_open = false, is_off = false;
    ST_TEXT_EACH (line, text, "\r\n") {
        if (!st_pattern_match(line, "%d module-%s", &parts))
            continue;
        r = 0;
        if (st_text_is_among(parts.text[1], modules)) {
            is_open = true;
            is_off = is_off || st_text_has_among(line, off);
        }
    }
    if (is_open)
        st_facts_put_int(asker->facts, ST_KEY_PULSE_TSCHED, !is_off, asker->question->command);
    else
        put_failure(asker, ST_KEY_PULSE_TSCHED, -ENOENT); /* no module opens a card */
    return r;
}

/** Takes the question's only fact (a number or a version) from the first line that matches one of
 * its patterns. An answer of 0 is malformed, since JACK has no rate or size of 0. */
static int parse_one(struct asker *asker, char *text)
{
    struct st_pattern_parts parts;
    for (const char *const *pattern = asker->question->patterns; *pattern != NULL && text[0] != '0';
         pattern++) {
        const char *at = text;
        if (st_pattern_next(&at, *pattern, &parts)) {
            put_text(asker, asker->question->facts[0], parts.text[0]);
            return 0;
        }
    }
    return -EBADMSG;
}

/** The fact that counts this line of a log; NULL: none. A refusal of rtkit counts only if the line
 * has the name or number of the user who is judged. A fault of a USB device counts as a fault of a
 * card if the device is an audio interface. */
static const char *count_of(const struct asker *asker, const char *line)
{
    char about[80];
    const char *key = st_answer_log_key(line, about, sizeof(about));
    if (key == NULL || about[0] == '\0')
        return key;
    if (st_text_begins(key, ST_KEYS_RTKIT) && !st_facts_is(asker->facts, ST_KEY_USER_NAME, about) &&
        !st_text_is(about, st_text("%lu", (unsigned long)asker->uid)))
        return NULL;
    if (st_text_is(key, ST_KEY_KERNEL_LOG_USB_N) &&
        st_facts_has(asker->facts, st_text(ST_KEYS_USB_AUDIO "%s.control", about)))
        return ST_KEY_KERNEL_LOG_CARD_N;
    return key;
}

#define JOURNAL ST_KEYS_KERNEL_LOG "journal"

/** Counts the lines of a log for each of the question's facts. An empty log means that this user
 * may not read the system's journal, since the kernel always logs something; for root, rtkit's log
 * may be empty. The kernel's buffer (dmesg) has less than its journal: old lines are overwritten.
 * @return -EFBIG: the first lines since boot are missing, so a count of 0 proves nothing. */
static int parse_log(struct asker *asker, char *text)
{
    const bool of_rtkit = st_text_begins(asker->question->key, ST_KEYS_RTKIT),
               is_whole = of_rtkit || strstr(text, "Linux version ") != NULL;
    if (text[0] == '\0')
        return asker->uid == 0 && of_rtkit ? -ENOENT : -EACCES;
    if (st_facts_is(asker->facts, JOURNAL, "answered"))
        return 0;
    for (const char *const *key = asker->question->facts; *key != NULL && is_whole; key++)
        put_text(asker, *key, "0");
    ST_TEXT_EACH (line, text, "\n") {
        const char *key = count_of(asker, line);
        if (key != NULL && st_text_is_among(key, asker->question->facts))
            st_facts_put_int(asker->facts, key, st_facts_int_or(asker->facts, key, 0) + 1,
                             asker->question->command);
    }
    return is_whole ? 0 : -EFBIG;
}

/* --- the questions --- */

/** what jack_bufsize and jack_samplerate print; some versions print a label before the number */
#define JACK_NUMBER WORDS("buffer size = %d", "%d")
#define KERNEL_LOG_FACTS                                                                           \
    WORDS(ST_KEY_KERNEL_LOG_CARD_N, ST_KEY_KERNEL_LOG_USB_N, ST_KEYS_KERNEL_LOG "clock_n",         \
          ST_KEYS_KERNEL_LOG "heat_n", ST_KEY_KERNEL_LOG_MEMORY_N, ST_KEY_KERNEL_LOG_RT_TIME_N)

static const struct question questions[] = {
    {.key = ST_KEY_ASK_PIPEWIRE,
     .daemon = ST_KEY_DAEMON_PIPEWIRE,
     .of_user = true,
     .command = "pw-metadata -n settings",
     .parse = parse_pipewire,
     .facts = WORDS(ST_KEY_PIPEWIRE_ALLOWED_RATES, ST_KEY_PIPEWIRE_FORCE_QUANTUM,
                    ST_KEY_PIPEWIRE_MAX_QUANTUM, ST_KEY_PIPEWIRE_MIN_QUANTUM,
                    ST_KEY_PIPEWIRE_QUANTUM, ST_KEY_PIPEWIRE_RATE_HZ)},
    {.key = "linux.ask.pipewire_nodes",
     .daemon = ST_KEY_DAEMON_PIPEWIRE,
     .of_user = true,
     .command = "pw-dump --no-colors",
     .parse = parse_nodes,
     .facts = WORDS("linux.pipewire.node.any.state")},
    {.key = ST_KEY_ASK_PULSEAUDIO,
     .daemon = ST_KEY_DAEMON_PULSEAUDIO,
     .of_user = true,
     .in_files = ST_KEY_PULSE_TSCHED,
     .command = "pactl list short modules",
     .parse = parse_pulse,
     .facts = WORDS(ST_KEY_PULSE_TSCHED)},
    {.key = ST_KEY_ASK_JACK_BUFSIZE,
     .daemon = ST_KEY_DAEMON_JACKD,
     .or_daemon = ST_KEY_DAEMON_JACKDBUS,
     .of_user = true,
     .command = "jack_bufsize",
     .parse = parse_one,
     .patterns = JACK_NUMBER,
     .facts = WORDS(ST_KEY_JACK_BUFFER_FRAMES)},
    {.key = "linux.ask.jack_samplerate",
     .daemon = ST_KEY_DAEMON_JACKD,
     .or_daemon = ST_KEY_DAEMON_JACKDBUS,
     .of_user = true,
     .command = "jack_samplerate",
     .parse = parse_one,
     .patterns = JACK_NUMBER,
     .facts = WORDS(ST_KEY_JACK_RATE_HZ)},
    {.key = "linux.rtkit.log",
     .daemon = ST_KEY_DAEMON_RTKIT_DAEMON,
     .or_daemon = ST_KEY_RTKIT_INSTALLED,
     .command = "journalctl -b -q -u rtkit-daemon -o cat -n 200",
     .parse = parse_log,
     .facts = WORDS(ST_KEY_RTKIT_DEMOTED_N, ST_KEY_RTKIT_FAILED_N, ST_KEY_RTKIT_REFUSED_N)},
    {.key = JOURNAL,
     .daemon = ST_KEY_THREADS_COMPLETE,
     .command = "journalctl -k -b -q -o cat",
     .parse = parse_log,
     .facts = KERNEL_LOG_FACTS},
    /* asks dmesg too, in case there is no systemd journal, or no right to read it */
    {.key = ST_KEYS_KERNEL_LOG "dmesg",
     .daemon = ST_KEY_THREADS_COMPLETE,
     .command = "dmesg",
     .parse = parse_log,
     .facts = KERNEL_LOG_FACTS},
    {.key = "linux.ask.wireplumber",
     .daemon = "linux.daemon.wireplumber",
     .command = "wireplumber --version",
     .parse = parse_one,
     .patterns = WORDS("*inked with libwireplumber %v"),
     .facts = WORDS(ST_KEY_WIREPLUMBER_VERSION)},
    {.key = "linux.ask.portal",
     .daemon = ST_KEY_DAEMON_PIPEWIRE,
     .of_user = true,
     .command = "busctl --user --auto-start=no get-property org.freedesktop.portal.Desktop "
                "/org/freedesktop/portal/desktop org.freedesktop.portal.Realtime RTTimeUSecMax",
     .parse = parse_one,
     .patterns = WORDS("x %d"),
     .facts = WORDS(ST_KEY_PORTAL_RT_TIME_US)},
};

#define QUESTIONS_N   ST_ARRAY_LEN(questions)
#define COMMAND_BYTES 256
#define WORDS_MAX     15

/* --- the user as whom the client programs run --- */

struct whom {
    struct st_run_as as;
    struct st_child_env env;
    int refused; /* errno: why the servers of this user are not asked; 0: they are asked */
};

/** Finds the user whose servers are asked; name NULL: the user of this process. @return false: no
 * such user, or this process cannot become that user. */
static bool find_user(struct whom *whom, const char *name)
{
    whom->as.uid = geteuid();
    if (name == NULL)
        return true;
    const struct passwd *entry = getpwnam(name);
    if (entry == NULL || (geteuid() != 0 && entry->pw_uid != geteuid()))
        return false;
    whom->as.switch_user = entry->pw_uid != geteuid();
    whom->as.uid = entry->pw_uid;
    whom->as.gid = entry->pw_gid;
    return true;
}

/** Finds the user and the environment for the client programs. @return 0 or -ENOMEM. */
static int find_whom(struct whom *whom, const char *user)
{
    /* environment variables that client programs need; root passes none of them */
    static const char *const kept[] = {"PATH",
                                       "HOME",
                                       "XDG_RUNTIME_DIR",
                                       "PIPEWIRE_REMOTE",
                                       "PULSE_SERVER",
                                       "PIPEWIRE_RUNTIME_DIR",
                                       "PULSE_RUNTIME_PATH",
                                       "JACK_DEFAULT_SERVER",
                                       NULL};
    if (!find_user(whom, user))
        whom->refused = EPERM;
    int r = st_child_env_open(&whom->env, whom->as.uid, kept);
    /* -ENOENT: the user is not in the user database, so only servers of the system can be asked */
    if (r == -ENOENT) {
        whom->refused = EPERM;
        r = 0;
    }
    const char *runtime = st_child_env_get(&whom->env, "XDG_RUNTIME_DIR");
    struct stat info;
    int other = 0;
    /* a client trusts whoever owns its socket, so the folder of the sockets must belong to the
     * user */
    if (runtime != NULL && lstat(runtime, &info) != 0)
        other = ENOENT;
    else if (runtime != NULL && (!S_ISDIR(info.st_mode) || info.st_uid != whom->as.uid))
        other = EPERM;
    if (whom->refused == 0 && (other == EPERM || whom->as.switch_user))
        whom->refused = other;
    if (r == 0)
        r = st_child_env_set(&whom->env, "LC_ALL", "C");
    if (r == 0)
        r = st_child_env_set(&whom->env, "JACK_NO_START_SERVER", "1");
    whom->as.env = (const char *const *)whom->env.vars;
    return r;
}

/* --- asking and taking the answers --- */

/** Takes one server's answer. If the server runs and did not answer, its settings are unknown,
 * whatever its files say. Counts from the kernel's other log (journal or dmesg) are kept. */
static void take_answer(struct asker *asker, const struct st_run *run)
{
    /* -EIO means that the program ended with an error: one that reads a log has no right to it; the
     * client of a server found no socket, or only one of another user, which counts as a refused
     * connection */
    int r = run->result;
    if (r == -EIO)
        r = asker->question->parse == parse_log ? -EPERM : -ECONNREFUSED;
    const bool is_of_server = r == 0 || r == -ETIMEDOUT || r == -EFBIG;
    if (r == 0)
        r = asker->question->parse(asker, run->buf);
    const char *const daemons[] = {asker->question->daemon, asker->question->or_daemon};
    ST_EACH (daemon, daemons) { /* the daemon that answered runs for this user, even if the process
                                   collector found another user's first */
        if (r == 0 && *daemon != NULL && asker->question->of_user)
            put_text(asker, st_text(ST_KEYS_DAEMON_USER "%s", strrchr(*daemon, '.') + 1),
                     st_text("%lu", (unsigned long)asker->uid));
    }
    if (r == 0) {
        put_text(asker, asker->question->key, "answered");
        return;
    }
    for (const char *const *key = asker->question->facts; *key != NULL && is_of_server; key++) {
        if (asker->question->parse != parse_log || !st_facts_has_int(asker->facts, *key))
            put_failure(asker, *key, r);
    }
    put_failure(asker, asker->question->key, r);
}

/** Chooses the questions to ask: those whose servers run and may be asked. For the others, puts a
 * fact that says why not. @return the number of questions in *ret. */
static size_t choose(struct asker *asker, const struct st_ask *ask, const struct whom *whom,
                     const struct question **ret)
{
    size_t n = 0;
    for (const struct question *question = questions; question < questions + QUESTIONS_N;
         question++) {
        if ((!st_facts_has_int(asker->facts, question->daemon) &&
             (question->or_daemon == NULL ||
              !st_facts_has_int(asker->facts, question->or_daemon))) ||
            (question->of_user && !whom->as.switch_user &&
             st_owner_other(asker->facts, question->daemon) != NULL))
            continue;
        asker->question = question;
        const char *in_files = question->in_files;
        if (ask->skip) {
            put_text(asker, question->key, "not asked");
        } else if (whom->as.switch_user && in_files != NULL &&
                   st_facts_text_or(asker->facts, in_files, NULL) != NULL) {
            /* the user's files already have this fact: root then runs no program as that user */
            put_text(asker, question->key, "read from configuration files");
        } else if (question->of_user && whom->refused != 0) {
            st_facts_put_state(asker->facts, question->key, ST_FACT_UNREADABLE, whom->refused, NULL,
                               question->command);
        } else {
            ret[n++] = question;
        }
    }
    return n;
}

int st_ask_servers(struct st_platform *machine, const struct st_ask *ask, struct st_facts *facts)
{
    struct asker asker = {.facts = facts};
    struct whom whom = {0};
    const struct question *open[QUESTIONS_N];
    struct st_run runs[QUESTIONS_N] = {0};
    char commands[QUESTIONS_N][COMMAND_BYTES];
    const char *argvs[QUESTIONS_N][WORDS_MAX + 1] = {0};
    if (facts->os != ST_OS_LINUX)
        return 0;
    int r = find_whom(&whom, ask->user);
    asker.uid = whom.as.uid;
    size_t n = 0;
    if (r == 0)
        n = choose(&asker, ask, &whom, open);
    char *bufs = malloc(n * ANSWER_BYTES + 1);
    if (bufs == NULL)
        r = -ENOMEM;
    for (size_t i = 0; i < n && r == 0; i++) {
        size_t words_n = 0;
        ST_PRINT(commands[i], "%s", open[i]->command);
        ST_TEXT_EACH (word, commands[i], " ")
            argvs[i][words_n++] = word;
        runs[i] = (struct st_run){
            .argv = argvs[i], .buf = bufs + i * ANSWER_BYTES, .buf_bytes = ANSWER_BYTES};
    }
    if (n > 0 && r == 0)
        r = machine->run(machine, runs, n, &whom.as, ST_ASK_LIMIT_NS);
    for (size_t i = 0; i < n && r == 0; i++) {
        asker.question = open[i];
        take_answer(&asker, &runs[i]);
    }
    free(bufs);
    st_child_env_close(&whom.env);
    if (r == 0 || r == -ENOTSUP)
        r = facts->error;
    return r;
}
