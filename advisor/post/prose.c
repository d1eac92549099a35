/* Reads the versions and settings that a text names in words: "kernel 6.14, I set the quantum to
 * 1024". A version alone in its line, as in lists and forms, is a fact. All others may be wishes,
 * advice or the past: they become parts of one sentence, never facts. */
#include <ctype.h>

#include "advisor/post/post.h"

#define GAP_MAX    5 /* most words between a name and its value */
#define PLAIN_MAX  (4 * ST_POST_LINE_BYTES)
#define OSRELEASE  "/proc/sys/kernel/osrelease"
#define MAX_FRAMES 16384

static const struct name_row {
    const char *names[5], *label; /* names: the last one is NULL */
    int64_t least, most; /* of a number; of a version's first part; both 0: a word of `words` */
    const char *target;  /* only a version has one: what st_post_set() sets */
    const char *rule;    /* the setting's; NULL: none */
} rows[] = {
    {{"kernel", "linux"}, "kernel", 2, 9, OSRELEASE},
    {{"pipewire", "libpipewire"}, "PipeWire", 0, 1, ST_KEY_PIPEWIRE_VERSION},
    {{"wireplumber"}, "WirePlumber", 0, 1, ST_KEY_WIREPLUMBER_VERSION},
    {{"quantum", "quant", "force-quantum"}, "quantum", 16, MAX_FRAMES},
    {{"min-quantum"}, "shortest quantum", 16, MAX_FRAMES},
    {{"buffer size", "period size", "frames period"}, "buffer size", 16, MAX_FRAMES},
    {{"sample rate", "rate"}, "rate", 8000, 768000},
    {{"rtprio", "rt prio"}, "rtprio", 1, 99, .rule = "linux-rt-permission"},
    {{"governor", "scaling_governor"}, "governor", .rule = "linux-cpu-frequency"},
    {{"swappiness"}, "swappiness", 1, 200, .rule = "linux-swap"},
    {{"power_save"}, "power_save", 0, 3600, .rule = "linux-hda-power-save"},
    {{"headroom"}, "headroom", 1, 65536, .rule = "linux-device-headroom"},
};
_Static_assert(ST_ARRAY_LEN(rows) == ST_POST_NAMED_MAX, "a place in struct st_post for each");

/** Copies the line as words with one blank between them: without marks, URLs and the folders of
 * paths; ':' stands for '=', too, and '.' for the end of a sentence. */
static void simplify(const char *line, char ret[PLAIN_MAX])
{
    char copy[ST_POST_LINE_BYTES], *to = ret;
    ST_PRINT(copy, "%s", line);
    ST_TEXT_EACH (word, copy, " \t") {
        if (strstr(word, "://") != NULL)
            continue;
        const char *at = strchr("/~", *word) != NULL ? st_text_base(word) : word;
        for (; *at != '\0'; at++) {
            const bool ends = at[1] == '\0' || strchr("\"')*`", at[1]) != NULL;
            if (strchr(":=", *at) != NULL || (ends && strchr(".!?", *at) != NULL))
                to += sprintf(to, " %c ", *at == ':' || *at == '=' ? ':' : '.');
            else
                *to++ = strchr("*`\"'()[]{},;<>|/", *at) != NULL ? ' ' : *at;
        }
        *to++ = ' ';
    }
    *to = '\0';
}

/** What the words so far say. */
struct reading {
    const struct name_row *row;  /* the name that still has no value; NULL: none */
    size_t words_n, name_at;     /* number of words that begin with a letter; that of the name */
    size_t gap, others_n;        /* words since the name or its last value; those with a meaning */
    bool is_label, is_installed; /* "NAME: "; the name of a package, which may not run */
    char last[ST_POST_NAMED_BYTES];
};

/** Finds a name at the beginning of the words. A version may follow behind '-', and a name may have
 * further parts: "linux-zen 6.6.2", "pipewire-1.0.5". @return the length; 0: no name. */
static size_t name_length(struct reading *reading, const char *at)
{
    static const char *const distributions[] = {"rocky",  "alpine",     "oracle",
                                                "redhat", "enterprise", NULL};
    const size_t prefix = strlen("default.") * st_text_begins(at, "default."),
                 more = strlen("clock.") * st_text_begins(at + prefix, "clock.");
    ST_EACH (row, rows) {
        for (const char *const *name = row->names; *name != NULL; name++) {
            size_t len = prefix + more + strlen(*name);
            if (strncasecmp(at + prefix + more, *name, strlen(*name)) != 0 ||
                strchr(row->target != NULL ? " -" : " ", at[len]) == NULL ||
                st_text_is_among(reading->last, distributions))
                continue;
            while (at[len] == '-' && !isdigit((unsigned char)at[len + 1]))
                len += 1 + strcspn(at + len + 1, "- ");
            if (reading->row != row)
                reading->name_at = reading->words_n;
            reading->row = row;
            reading->gap = reading->others_n = 0;
            reading->is_installed = memmem(at, len, "-image", strlen("-image")) != NULL;
            return len + (at[len] == '-');
        }
    }
    return 0;
}

/** Reads the word as a value of the row. @return false: it is none. */
static bool value_of(const struct name_row *row, const char *word, char ret[ST_POST_NAMED_BYTES])
{
    static const char *const governors[] = {"performance", "powersave",    "schedutil",
                                            "ondemand",    "conservative", NULL};
    static const char *const units[] = {"", "hz", "khz", "k", NULL};
    char *end;
    const double number = strtod(word, &end);
    const char *dot = strchr(word, '.');
    snprintf(ret, ST_POST_NAMED_BYTES, "%s", word);
    if (row->most == 0)
        return st_text_is_among(word, governors);
    if (!isdigit((unsigned char)word[0]) || strlen(word) >= ST_POST_NAMED_BYTES)
        return false;
    if (row->target != NULL) /* of PipeWire, "0.3" is the version of its interface */
        return number >= (double)row->least && number < (double)row->most + 1 && dot != NULL &&
               isdigit((unsigned char)dot[1]) && (number >= 1 || strchr(dot + 1, '.') != NULL) &&
               strstr(word, "-RELEASE") == NULL;
    const double value = number * (1 + 999 * (tolower((unsigned char)*end) == 'k'));
    snprintf(ret, ST_POST_NAMED_BYTES, "%.0f", value);
    for (char *at = end; *at != '\0'; at++)
        *at = (char)tolower((unsigned char)*at);
    return st_text_is_among(end, units) && value >= (double)row->least &&
           value <= (double)row->most && value == floor(value);
}

/** Does the version stand alone in its line, behind its name or a label? @param rest the words
 * behind it. */
static bool is_alone(const struct reading *reading, const char *rest)
{
    static const char *const machines[] = {" x86_64", " aarch64", " armv", " arch :", NULL};
    const bool is_last = rest[strspn(rest, " ")] == '\0';
    return !reading->is_installed &&
           ((reading->name_at == 1 && (reading->is_label || is_last)) ||
            st_text_begins_among(rest, machines));
}

static void name(struct st_post *post, const struct name_row *row, const char *value)
{
    struct st_post_named *named = &post->named[row - rows];
    for (size_t i = 0; i < named->n; i++) {
        if (st_text_is(named->values[i], value))
            return;
    }
    if (named->n < ST_ARRAY_LEN(named->values))
        ST_PRINT(named->values[named->n++], "%s", value);
}

bool st_post_prose(struct st_post *post, const char *line)
{
    static const char *const again[] = {"to", "or", "at", "least", "even", "then", "from", NULL};
    static const char *const empty[] = {"version", "Version", "release", "is",        "v",
                                        "uname",   "-r",      "running", "--version", NULL};
    char plain[PLAIN_MAX], word[ST_POST_NAMED_BYTES], value[ST_POST_NAMED_BYTES];
    struct reading reading = {0};
    bool any = false, has_value = false;
    if (strchr("#;", line[0]) != NULL) /* a comment of a configuration; "" is in the set, too */
        return false;
    simplify(line, plain);
    size_t len = 0;
    for (const char *at = plain; *(at += len + strspn(at + len, " ")) != '\0';) {
        ST_PRINT(word, "%.*s", (int)strcspn(at, " "), at);
        reading.words_n += isalpha((unsigned char)*at) != 0 && !st_text_is(word, "ii");
        len = name_length(&reading, at);
        const bool is_name = len > 0, ends = st_text_is(word, ".");
        if (!is_name)
            len = strcspn(at, " ");
        if (is_name || st_text_is(word, ":")) {
            reading.is_label = !is_name;
            has_value = has_value && !is_name;
        } else if (reading.row != NULL && !ends && value_of(reading.row, word, value)) {
            const bool alone = !has_value && is_alone(&reading, at + len);
            reading.gap = 0;
            has_value = alone || reading.row->target == NULL || reading.others_n == 0;
            any = any || has_value;
            if (reading.row->target != NULL && alone)
                st_post_set(post, "versions", reading.row->target, value);
            else if (has_value)
                name(post, reading.row, value);
        } else if (ends || ++reading.gap > GAP_MAX ||
                   (has_value && !st_text_is_among(word, again))) {
            reading.row = NULL;
        } else {
            reading.others_n += !st_text_is_among(word, empty);
        }
        ST_PRINT(reading.last, "%s", word);
    }
    return any;
}

/** Does a command's output or a file in the text show the value? */
static bool is_shown(const struct st_post *post, const struct name_row *row)
{
    if (row->target != NULL)
        return row == rows ? post->release[0] != '\0' : st_facts_has(post->facts, row->target);
    ST_EACH_OF (answer, post->answers, post->answers_n) {
        if (st_text_is_among(st_text_base(answer->name), row->names))
            return true;
    }
    return false;
}

void st_post_prose_end(struct st_post *post)
{
    char all[400] = "";
    ST_EACH (row, rows) {
        const struct st_post_named *named = &post->named[row - rows];
        if (named->n == 0 || is_shown(post, row))
            continue;
        st_text_join(all, sizeof(all), ", ", "%s %s", row->label, named->values[0]);
        for (size_t i = 1; i < named->n; i++)
            ST_APPEND(all, " or %s", named->values[i]);
        if (row->rule != NULL)
            ST_APPEND(all, " (%s)", row->rule);
    }
    if (all[0] == '\0')
        return;
    st_post_say(post,
                "This text says in words: %s. sleeptune judges only what a command printed, such "
                "as pw-top, uname -a or 'sleeptune share'",
                all);
    st_post_kind(post, "words");
}
