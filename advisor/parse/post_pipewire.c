/* Posted texts of PipeWire: pw-metadata, pw-top, the journal of PipeWire and rtkit. */
#include "advisor/facts/text.h"
#include "advisor/parse/answer.h"
#include "advisor/parse/post.h"
#include "core/text/text.h"

#define KEY_BYTES 128

/* --- pw-metadata -n settings --- */

static void put_setting(void *ctx, ST_UNUSED const char *section, const char *name, const char *value)
{
    struct st_post *post = ctx;
    const char *key = st_answer_pipewire_key(name);
    if (key == NULL)
        return;
    if (value[0] == '[')
        st_post_text(post, key, value);
    else
        st_facts_put_number(post->facts, key, value, value, post->source);
    st_post_int(post, ST_KEY_DAEMON_PIPEWIRE, 1); /* it answered */
}

static bool metadata_line(struct st_post *post, char *line)
{
    if (st_text_begins(line, "Found \"settings\" metadata"))
        return true;
    return strstr(line, " key:'") != NULL && st_answer_pw_metadata(line, put_setting, post) == 0;
}

const struct st_post_format st_post_metadata = {"pw-metadata", "pw-metadata -n settings", metadata_line,
                                                NULL};

/* --- pw-top: S ID QUANT RATE WAIT BUSY W/Q B/Q ERR [FORMAT] NAME; PipeWire src/tools/pw-top.c --- */

enum { TOP_STATE, TOP_ID, TOP_FRAMES, TOP_RATE, TOP_WAIT, TOP_BUSY, TOP_WAIT_Q, TOP_BUSY_Q, TOP_ERRORS };

/** "168.7us", "0.0µs", "1.2ms", "---" */
static bool is_time(const char *word)
{
    const size_t digits = strspn(word, "0123456789.");
    return st_text_is(word, "---") || st_text_is(word, "+++") ||
           (digits > 0 && word[strlen(word) - 1] == 's');
}

static void put_node(struct st_post *post, const char *id, const char *leaf, const char *value)
{
    const char *key = ST_TEXT(KEY_BYTES, ST_KEYS_PIPEWIRE_NODE "%.20s.%s", id, leaf);
    st_post_text(post, key, value);
}

static bool top_line(struct st_post *post, char *line)
{
    char *words[ST_POST_WORDS_MAX], running[] = "R";
    int64_t id, frames, hz, errors_n;
    size_t n = st_post_words(line, words);
    if (n >= 9 && n < ST_POST_WORDS_MAX && words[0][strspn(words[0], "0123456789")] == '\0') {
        /* older ones leave the state blank while a node runs */
        memmove(words + 1, words, n++ * sizeof(words[0]));
        words[TOP_STATE] = running;
    }
    if (n >= 10 && st_text_is(words[TOP_ID], "ID") && st_text_is(words[TOP_FRAMES], "QUANT")) {
        post->top.seen = true;
        post->top.errors_n = 0; /* the last screen counts */
        return true;
    }
    if (n < 10 || strlen(words[TOP_STATE]) != 1 || strchr("RISC!E", words[TOP_STATE][0]) == NULL ||
        st_text_int(words[TOP_ID], &id) != 0 || st_text_int(words[TOP_FRAMES], &frames) != 0 ||
        st_text_int(words[TOP_RATE], &hz) != 0 || !is_time(words[TOP_WAIT]) || !is_time(words[TOP_BUSY]) ||
        st_text_int(words[TOP_ERRORS], &errors_n) != 0)
        return false;
    post->top.seen = true;
    /* who follows a driver has a '+' before its name */
    const bool follows = st_text_is(words[n - 2], "+"), runs = words[TOP_STATE][0] == 'R';
    if (errors_n > post->top.errors_n)
        post->top.errors_n = errors_n;
    if (!runs || frames <= 0)
        return true;
    if (!follows) {
        post->top.driver_hz = hz;
        st_post_int(post, ST_KEY_DAEMON_PIPEWIRE, 1);
        st_post_int(post, ST_KEY_PIPEWIRE_RUNNING_FRAMES, frames);
        st_post_int(post, ST_KEY_PIPEWIRE_RUNNING_RATE_HZ, hz);
        return true;
    }
    const char *latency = ST_TEXT(64, "%" PRId64 "/%" PRId64, frames, hz > 0 ? hz : post->top.driver_hz);
    put_node(post, words[TOP_ID], "state", "running");
    put_node(post, words[TOP_ID], "name", words[n - 1]);
    put_node(post, words[TOP_ID], "latency", latency);
    return true;
}

static void top_end(struct st_post *post)
{
    if (post->top.errors_n == 0)
        return;
    const char *text = ST_TEXT(80, "pw-top counted up to %" PRId64 " dropout%s (ERR) at a node",
                               post->top.errors_n, ST_PLURAL(post->top.errors_n));
    st_post_text(post, ST_KEY_SYSTEM_INPUT_DROPOUTS, text);
}

const struct st_post_format st_post_top = {"pw-top", "pw-top -b -n 2   # while music plays", top_line,
                                           top_end};

/* --- the journal of PipeWire, WirePlumber and rtkit --- */

/** A server runs; of its threads only some are known. */
static void put_server(struct st_post *post, bool is_pipewire)
{
    st_post_int(post, ST_KEY_PROCESSES_N, 1);
    st_post_int(post, ST_KEY_THREADS_PART, 1);
    if (is_pipewire)
        st_post_int(post, ST_KEY_DAEMON_PIPEWIRE, 1);
}

/** What rtkit says of its canary: rtkit-daemon.c, demote_all(). */
static void rtkit_line(struct st_post *post, const char *message)
{
    static const char demoted[] = "Demoted ";
    if (st_text_begins(message, demoted)) {
        post->journal.demoted = strtol(message + strlen(demoted), NULL, 10) > 0;
        st_post_int(post, ST_KEY_RTKIT_DEMOTED_N, post->journal.demoted);
        st_post_int(post, ST_KEY_DAEMON_RTKIT_DAEMON, 1);
    }
    /* "Successfully demoted thread 1851 of process 1843 (/usr/bin/pipewire)." */
    if (strstr(message, "demoted thread") == NULL)
        return;
    post->journal.demoted = true;
    st_post_int(post, ST_KEY_RTKIT_DEMOTED_N, 1);
    st_post_int(post, ST_KEY_DAEMON_RTKIT_DAEMON, 1);
    put_server(post, strstr(message, "/pipewire)") != NULL);
}

/** module-rt.c asks rtkit only where the limits do not allow what it wants, so without rtkit its loops stay
 * normal. */
static void missing_rtkit(struct st_post *post, bool is_pipewire)
{
    post->journal.missing = true;
    if (!is_pipewire)
        return;
    put_server(post, true);
    st_post_text(post, ST_KEYS_NORMAL_THREAD "0.process", "pipewire");
}

static bool journal_line(struct st_post *post, char *line)
{
    static const char *const servers[] = {"pipewire[", "pipewire-pulse[", "wireplumber[", "pulseaudio[",
                                          "jackd["};
    char *at = strstr(line, "rtkit-daemon[");
    const char *message = at != NULL ? strstr(at, "]: ") : NULL;
    if (message != NULL) {
        post->journal.seen = true;
        rtkit_line(post, message + 3);
        return true;
    }
    for (size_t i = 0; i < ST_ARRAY_LEN(servers) && message == NULL; i++) {
        at = strstr(line, servers[i]);
        message = at != NULL ? strstr(at, "]: ") : NULL;
    }
    if (message == NULL)
        message = strstr(line, "mod.rt") != NULL ? line : NULL;
    if (message == NULL)
        return false;
    post->journal.seen = true;
    post->journal.dropouts_n += strcasestr(message, "xrun") != NULL;
    if (strstr(message, "RTKit error: org.freedesktop.DBus.Error.ServiceUnknown") != NULL)
        missing_rtkit(post, strstr(line, "pipewire[") != NULL);
    post->journal.refused = post->journal.refused || strstr(message, "RTKit error: ") != NULL ||
                            strstr(message, "could not make thread") != NULL;
    return true;
}

static void journal_end(struct st_post *post)
{
    char text[160] = "";
    const char *plural = ST_PLURAL(post->journal.dropouts_n), *joint;
    if (post->journal.demoted)
        ST_APPEND(text, "rtkit took real-time priority away from programs");
    joint = text[0] != '\0' ? ", " : "";
    if (post->journal.missing)
        ST_APPEND(text, "%sa server asked for rtkit, which is not installed", joint);
    else if (post->journal.refused)
        ST_APPEND(text, "%srtkit gave a server no real-time priority", joint);
    joint = text[0] != '\0' ? ", " : "";
    if (post->journal.dropouts_n > 0)
        ST_APPEND(text, "%s%" PRId64 " line%s of the journal name%s xruns", joint, post->journal.dropouts_n,
                  plural, plural[0] == '\0' ? "s" : "");
    if (text[0] != '\0')
        st_post_text(post, ST_KEY_SYSTEM_INPUT_DROPOUTS, text);
}

const struct st_post_format st_post_journal = {
    "journal", "journalctl -b -u rtkit-daemon; journalctl --user -b -u pipewire", journal_line, journal_end};
