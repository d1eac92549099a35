/* Turns a posted text into facts: cleans it, passes it to the readers (post.h), collects facts from
 * it. */
#include "advisor/post/posted.h"

#include <iconv.h>

#include "advisor/collect/collect.h"
#include "advisor/parse/share_text.h"
#include "advisor/post/post.h"

/* Converts UTF-16 with a byte order mark, as Windows' editor saves it, to UTF-8; invalid characters
 * become
 * '?'. @return the number of bytes. */
static size_t from_utf16(const char *text, size_t bytes, char *to, size_t room)
{
    char *in = (char *)(uintptr_t)text, *end = to;
    const iconv_t converter = iconv_open("UTF-8", "UTF-16");
    if (converter == (iconv_t)-1)
        return 0;
    for (; iconv(converter, &in, &bytes, &end, &room) == (size_t)-1 && errno == EILSEQ && bytes > 1;
         in += 2, bytes -= 2, room--)
        *end++ = '?';
    (void)iconv_close(converter);
    return (size_t)(end - to);
}

/* Finds an entity of HTML, a special blank, or a control sequence of a terminal at the beginning of
 * `text`.
 * @param ret what replaces it. @return its length in bytes; 0: there is none. */
static size_t special(const char *text, const char **ret)
{
    static const struct {
        const char *from, *to;
    } rows[] = {
        {"&gt;", ">"},        {"&lt;", "<"},         {"&amp;", "&"},        {"&quot;", "\""},
        {"&#39;", "'"},       {"&apos;", "'"},       {"&#x27;", "'"},       {"&nbsp;", " "},
        {"\xc2\xa0", " "},    {"\xe2\x80\xaf", " "}, {"\xef\xbb\xbf", ""},  {"\xe2\x80\x8b", ""},
        {"\r", ""},           {"\xe2\x80\x99", "'"}, {"\xe2\x80\x98", "'"}, {"\xe2\x97\x8f", ""},
        {"\xe2\x97\x8b", ""}, {"\xc3\x97", ""},      {"<pre>", ""},         {"</pre>", ""},
        {"<code>", ""},       {"</code>", ""}};
    ST_EACH (row, rows) {
        if (st_text_begins(text, row->from)) {
            *ret = row->to;
            return strlen(row->from);
        }
    }
    *ret = "";
    if (text[0] != '\033' || text[1] != '[')
        return 0;
    const size_t len = 2 + strspn(text + 2, "0123456789;?");
    return len + (text[len] != '\0' && text[len] != '\n');
}

/* Removes quote marks ("> > ") at the beginning of a line, blanks and '`' at its end. @return the
 * new end of the line. */
static char *unquote(char *line, char *end)
{
    char *from = line;
    while (from < end && *from == '>')
        from += 1 + (from + 1 < end && from[1] == ' ');
    memmove(line, from, (size_t)(end - from));
    end -= from - line;
    while (end > line && (end[-1] == ' ' || end[-1] == '`'))
        end--;
    return end;
}

/* Restores the text as it was before someone pasted it: UTF-8 without control sequences, entities
 * of HTML, and marks of quotes and code. The number of lines stays. @param ret_bytes length without
 * the final NUL.
 * @return NULL: out of memory. */
static char *clean_text(const char *text, size_t bytes, size_t *ret_bytes)
{
    const bool wide =
        bytes > 1 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0);
    char *to = malloc(2 * bytes + 1);
    if (to == NULL)
        return NULL;
    size_t n = bytes;
    if (wide)
        n = from_utf16(text, bytes, to, 2 * bytes);
    else
        memcpy(to, text, bytes);
    to[n] = '\0';
    char *out = to, *line = to;
    for (size_t i = 0; i < n;) {
        const char *with;
        const size_t len = strchr("&<\xc2\xc3\xe2\xef\r\033", to[i]) != NULL && to[i] != '\0'
                               ? special(to + i, &with)
                               : 0;
        if (len > 0) {
            i += len;
            for (; *with != '\0'; with++)
                *out++ = *with;
        } else if (to[i] == '\n') {
            out = unquote(line, out);
            *out++ = to[i++];
            line = out;
        } else {
            *out++ = to[i] == '\0' ? '?' : to[i];
            i++;
        }
    }
    out = unquote(line, out);
    *out = '\0';
    *ret_bytes = (size_t)(out - to);
    return to;
}

/** Does the posted text show what this fact says? The fact that something is absent counts only if
 * the text shows that it is absent. */
static bool is_shown(const struct st_post *post, const struct st_fact *fact)
{
    if (fact->state != ST_FACT_ABSENT)
        return true;
    const char *source = st_text_or(fact->source, ""),
               *name = source + strlen("sysctl ") * st_text_begins(source, "sysctl ");
    const struct st_post_answer *answer = st_post_answer_find(post, name);
    return answer != NULL ? answer->result != 0 || answer->whole
                          : post->all_sysctls && name != source;
}

/** Copies the facts that belong to the system of `to`; they replace facts of the same key. */
static void add_all(const struct st_post *post, const struct st_facts *from, struct st_facts *to)
{
    const char *other = to->os == ST_OS_LINUX ? "freebsd." : "linux.";
    ST_EACH_OF (row, from->rows, from->n) {
        const struct st_fact *fact = *row;
        const bool is_own = from == post->facts;
        if (!st_text_begins(fact->key, other) && is_shown(post, fact))
            st_facts_add(to, fact,
                         is_own || fact->source == NULL
                             ? fact->source
                             : st_text("%.100s (%.200s)", fact->source, post->name));
    }
}

static void put_input(const struct st_post *post, struct st_facts *facts)
{
    const char *text = post->kinds;
    if (post->all_sysctls)
        text = st_text_joined(ST_POSTED_ALL, ", ", text);
    else if (post->sysctls_n > 0)
        text = st_text_joined(st_text("%zu sysctl%s", post->sysctls_n, ST_PLURAL(post->sysctls_n)),
                              ", ", text);
    text = st_text_joined(st_facts_text_or(facts, ST_KEY_SYSTEM_INPUT, ""), ", ", text);
    st_facts_put_text(facts, ST_KEY_SYSTEM_INPUT, text, post->name);
    if (post->others.bytes > 0)
        st_facts_put_text(facts, ST_KEY_SYSTEM_INPUT_OTHERS, post->others.text, post->name);
}

/** Adds a sentence for each open stream of a sound card. */
static void say_streams(struct st_post *post, const struct st_facts *facts)
{
    ST_FACTS_EACH (buffer, facts, ST_KEYS_ALSA, ".buffer_frames") {
        const int64_t frames = st_fact_beside_int_or(buffer, "period_frames", 0),
                      hz = st_fact_beside_int_or(buffer, "rate_hz", 0);
        if (frames > 0 && hz > 0 && buffer->is_int)
            st_post_say(post,
                        "%s runs with periods of %jd frames (%.2f ms) and a buffer of %jd frames",
                        st_fact_part(buffer, ST_KEYS_ALSA), frames,
                        (double)frames * 1e3 / (double)hz, buffer->i64);
    }
}

/** Adds sentences about sound buffers of FreeBSD that someone has set very short. */
static void say_short_buffers(struct st_post *post, const struct st_facts *facts)
{
    const int64_t latency = st_facts_int_or(facts, ST_KEYS_FREEBSD "hw.snd.latency", 2),
                  usb_ms = st_facts_int_or(facts, ST_KEYS_FREEBSD "hw.usb.uaudio.buffer_ms", 8);
    if (latency < 2)
        st_post_say(
            post,
            "hw.snd.latency is %jd, less than the default 2: a small buffer runs empty sooner",
            latency);
    if (usb_ms <= 2)
        st_post_say(post,
                    "hw.usb.uaudio.buffer_ms is %jd ms: the driver keeps so little USB sound ready "
                    "that a short delay loses some",
                    usb_ms);
}

/** Puts what the text shows in other ways than by sysctl: the version of FreeBSD, and a module that
 * is not loaded. */
static void put_freebsd(struct st_post *post)
{
    if (post->freebsd_version > 0) {
        struct st_post_answer *first = st_post_answer_new(post, "kern.osreldate");
        st_post_answer_add(first, st_text("%d", post->freebsd_version));
        if (first != NULL)
            first->order = 0; /* a value that sysctl printed takes precedence */
        st_post_kind(post, "uname");
    }
    if (!st_facts_is(post->facts, ST_KEY_FREEBSD_KLDSTAT_ASKED, "mac_priority") ||
        st_facts_has(post->facts, ST_KEY_FREEBSD_KLDSTAT_MAC_PRIORITY))
        return;
    struct st_post_answer *none = st_post_answer_new(post, "security.mac.priority.realtime");
    if (none != NULL)
        none->result = -ENOENT;
}

static int add_post(struct st_post *post, struct st_facts **facts)
{
    struct st_facts *collected = NULL, *into = *facts;
    /* FreeBSD, if the text has more lines that only FreeBSD has than lines that only Linux has, or
     * as many and names FreeBSD */
    const enum st_os os =
        post->votes[ST_OS_FREEBSD] + post->names_freebsd > post->votes[ST_OS_LINUX] ? ST_OS_FREEBSD
                                                                                    : ST_OS_LINUX;
    if (into != NULL && into->os != os)
        return -EXDEV;
    put_freebsd(post);
    int r = st_post_collect(post, os, &collected);
    if (r != 0)
        return r;
    if (into == NULL)
        into = st_facts_new(os);
    if (into == NULL)
        r = -ENOMEM;
    if (r == 0) {
        const size_t n = into->n;
        say_streams(post, collected);
        if (os == ST_OS_FREEBSD)
            say_short_buffers(post, collected);
        add_all(post, collected, into);
        add_all(post, post->facts, into);
        const char *from = st_facts_text_or(into, ST_KEY_USER_LIMITS_FROM, ST_LIMITS_FROM_FILES);
        st_collect_rights(into, st_text("%.60s", from), post->name);
        if (into->n == n && *facts == NULL && post->sysctls_n == 0)
            r = post->known_n > 0 ? -ENODATA : -EBADMSG;
    }
    if (r == 0) {
        into->partial = true;
        put_input(post, into);
        r = into->error;
    }
    st_facts_free(collected);
    if (r != 0 && *facts == NULL)
        st_facts_free(into);
    else if (r == 0)
        *facts = into;
    return r;
}

static int read_post(struct st_post *post, const char *text, size_t bytes, struct st_facts **facts)
{
    post->facts = st_facts_new(ST_OS_LINUX);
    post->answers = calloc(ST_POST_ANSWERS_MAX, sizeof(*post->answers));
    if (post->facts == NULL || post->answers == NULL)
        return -ENOMEM;
    if (*facts != NULL) {
        ST_FACTS_EACH (said, *facts, ST_KEYS_SYSTEM_SEEN, "")
            post->said_n++;
    }
    st_post_read(post, text, bytes);
    if (post->second_line != 0) /* facts of two computers must not be mixed */
        st_post_say(post,
                    "This text shows more than one kernel or computer (a second one from line %zu "
                    "on): only what is above that line was judged",
                    post->second_line);
    st_post_top_end(post);
    st_post_ps_end(post);
    st_post_logs_end(post);
    st_post_rows_end(post);
    const char *version = st_facts_text_or(post->facts, ST_KEY_PIPEWIRE_VERSION, "");
    if (version[0] != '\0')
        st_post_say(post, "This text is about PipeWire %s", version);
    return post->failed ? -ENOMEM : add_post(post, facts);
}

int st_posted_add(const char *text, size_t bytes, const char *source, struct st_facts **facts)
{
    struct st_post *post = calloc(1, sizeof(*post));
    if (post == NULL)
        return -ENOMEM;
    char *clean = clean_text(text, bytes, &bytes);
    int r = -ENOMEM;
    if (clean != NULL)
        r = st_share_text_add(clean, bytes, source, facts);
    if (r == -ENODATA) {
        post->name = source;
        r = read_post(post, clean, bytes, facts);
        for (size_t i = 0; i < post->answers_n; i++) {
            free(post->answers[i].name);
            free(post->answers[i].text.text);
        }
        free(post->answers);
        free(post->others.text);
        st_facts_free(post->facts);
    }
    free(clean);
    free(post);
    return r;
}
