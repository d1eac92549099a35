#include "advisor/parse/share_text.h"

#include "advisor/rules/rule.h"

#define SHARE_BYTES 16384 /* bytes; 40 lines of 76 columns, and more if quoted and wrapped */

struct reader {
    struct st_facts *facts;
    const char *source;
    const struct st_rule
        *rule;          /* rule whose numbers follow; NULL: none, or one that this version lacks */
    const char *status; /* status of the ids that follow; NULL: none */
    int64_t ids_n;
    bool in_programs; /* the list of programs that made dropouts follows, up to a '.' */
    /* text for a sentence: "mpv was woken late 8; a program computed too long 4" */
    char programs[ST_SHARE_LINE_BYTES];
};

static void put_id(struct reader *reader, const char *id)
{
    const char *key = st_text(ST_KEYS_SHARED "%s", id);
    reader->rule = st_rule_find(id);
    if (reader->rule == NULL || reader->status == NULL || st_facts_has(reader->facts, key))
        return;
    reader->ids_n++;
    st_facts_put_text(reader->facts, key, reader->status, reader->source);
}

bool st_share_text_may(const char *key, const char *pattern)
{
    return st_text_is(key, pattern) &&
           (st_text_begins(key, "linux.") || st_text_begins(key, ST_KEYS_FREEBSD));
}

/** Puts a number of the text as a fact. Within a finding, `name` is a fact that the rule reads,
 * such as "linux.timer_slack_ns", or "us", the effect; before all findings, one of the names in
 * `own`. */
static void put_number(struct reader *reader, const char *name, const char *text)
{
    static const char *const own[] = {"frames", "rate_hz", "dropouts", "ids", "rules", NULL};
    const char *const *pattern = reader->rule != NULL ? reader->rule->facts : own;
    const char *key = name;
    int64_t number;
    if (st_text_is_among(name, own))
        key = st_text(ST_KEYS_SHARED "%s", name);
    if (reader->rule != NULL && st_text_is(name, "us"))
        key = st_text(ST_KEYS_SHARED_EFFECT "%s", reader->rule->id);
    while (*pattern != NULL && !st_share_text_may(name, *pattern))
        pattern++;
    if (st_text_int(text, &number) == 0 && (key != name || *pattern != NULL))
        st_facts_put_int(reader->facts, key, number, reader->source);
}

static void take_word(struct reader *reader, const char *before, char *word)
{
    enum st_status status;
    const size_t len = strlen(word);
    if (reader->in_programs && !st_text_is(word, ST_SHARE_FINDING) && !st_text_is(word, "end") &&
        /* a word that is a status ends the list of programs, but "unknown" can also be the reason
         * of a program's dropouts */
        (st_finding_status_parse(word, &status) != 0 || status == ST_STATUS_UNKNOWN)) {
        reader->in_programs = word[len - 1] != '.';
        st_text_join(reader->programs, sizeof(reader->programs), " ", "%.*s",
                     (int)(len - !reader->in_programs), word);
        return;
    }
    if (reader->in_programs) /* the list of programs was cut off */
        reader->programs[0] = '\0';
    reader->in_programs = st_text_is(word, ST_SHARE_PROGRAMS);
    const bool is_whole = len > 0 && strchr(",.", word[len - 1]) != NULL;
    word[len - is_whole] = '\0';
    char *value = strchr(word, '=');
    if (st_finding_status_parse(word, &status) == 0) {
        reader->status = st_finding_statuses[status].name;
        if (is_whole) /* the id came before its status */
            put_id(reader, before);
    } else if (is_whole && value != NULL) {
        *value = '\0';
        put_number(reader, word, value + 1);
    } else if (is_whole) {
        put_id(reader, word);
    } else if (st_text_is(word, ST_SHARE_FINDING)) {
        reader->status = NULL;
    }
}

/** Notes whether the text has all findings: then a rule that is not in it is not applicable on that
 * computer, otherwise the rule is unknown. Puts a sentence about dropouts. */
static void put_rest(struct reader *reader)
{
    int64_t rules_n = 0;
    ST_EACH_OF (rule, st_rules, st_rules_n)
        rules_n += st_rule_os(*rule) == reader->facts->os;
    const bool is_whole =
        st_facts_int_or(reader->facts, ST_KEYS_SHARED "ids", -1) == reader->ids_n &&
        st_facts_int_or(reader->facts, ST_KEYS_SHARED "rules", -1) == rules_n;
    if (is_whole)
        st_facts_put_int(reader->facts, ST_KEY_SHARED_WHOLE, 1, reader->source);
    const int64_t dropouts_n = st_facts_int_or(reader->facts, ST_KEYS_SHARED "dropouts", -1);
    if (reader->in_programs || !st_text_is_of(reader->programs, " ,;_+.-"))
        reader->programs[0] = '\0';
    if (dropouts_n >= 0)
        st_facts_put_text(reader->facts, ST_KEYS_SYSTEM_SEEN "00",
                          st_text("That computer counted %jd dropout%s in the last day%s",
                                  dropouts_n, ST_PLURAL(dropouts_n),
                                  st_text_with(": ", reader->programs)),
                          reader->source);
    st_facts_put_text(reader->facts, ST_KEY_SYSTEM_INPUT,
                      is_whole ? "sleeptune share" : "a part of sleeptune share", reader->source);
}

int st_share_text_add(const char *text, size_t bytes, const char *source, struct st_facts **facts)
{
    const char *before = "";
    char *copy = memmem(text, bytes, ST_SHARE_BEGINS, strlen(ST_SHARE_BEGINS));
    if (copy == NULL)
        return -ENODATA;
    copy = strndup(copy, ST_MIN(bytes - (size_t)(copy - text), SHARE_BYTES));
    if (copy == NULL)
        return -ENOMEM;
    const bool is_linux = strstr(copy, "linux-") != NULL;
    const enum st_os os = is_linux ? ST_OS_LINUX : ST_OS_FREEBSD;
    struct st_facts *into = *facts;
    int r = 0;
    if (!is_linux && strstr(copy, "freebsd-") == NULL)
        r = -ENODATA;
    else if (into == NULL && (into = st_facts_new(os)) == NULL)
        r = -ENOMEM;
    else if (into->os != os)
        r = -EXDEV;
    struct reader reader = {.facts = into, .source = source};
    if (r == 0) {
        ST_TEXT_EACH (word, copy, " \t\r\n>|`") {
            take_word(&reader, before, word);
            before = word;
        }
        put_rest(&reader);
        *facts = into;
        r = into->error;
    }
    free(copy);
    return r;
}
