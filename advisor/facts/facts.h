/* Facts: each is one reading of a machine, with its state. The four states are never merged. */
#pragma once

#include "advisor/facts/fact_keys.h"
#include "advisor/facts/text.h"
#include "platform/platform.h"

enum st_fact_state {
    ST_FACT_ABSENT, /* the file or sysctl does not exist here */
    ST_FACT_OK,
    ST_FACT_UNREADABLE, /* exists, but reading failed: error has the errno */
    ST_FACT_MALFORMED,  /* read, but the text is malformed */
};

/** One reading. Its key is "linux.<subsystem>.<name>", "freebsd.<sysctl name>",
 * "linux.sysctl.<name>", "user.<name>" or "system.<name>". Units are in the last part (_ns, _us,
 * _hz, _bytes, _pct). Each CPU or policy has a key: "linux.cpufreq.policy0.governor". */
struct st_fact {
    const struct st_facts *facts; /* the set that this fact belongs to */
    char *key;
    enum st_fact_state state;
    int error;    /* errno (positive) if unreadable, else 0 */
    char *text;   /* trimmed: the value if ok, the text that was read if malformed; else NULL */
    bool is_int;  /* the value is a whole number, in i64 */
    int64_t i64;  /* the number if is_int, else 0 */
    char *source; /* where it was read: a path, "sysctl NAME", a system call */
};

/** All facts of one machine. The code that fills the set checks `error` at the end. */
struct st_facts {
    enum st_os os;
    int64_t time_ns;       /* when they were read: wall clock, ns since 1970; 0: not known */
    struct st_fact **rows; /* sorted by key; a row keeps its address until it is freed */
    size_t n;
    int error;    /* -ENOMEM: some facts are missing; else 0 */
    bool partial; /* from a posted text: a fact that is not in the set may exist on that machine */
};

struct st_facts *st_facts_new(enum st_os os); /* NULL: out of memory */
void st_facts_free(struct st_facts *facts);

/** Adds or replaces a fact. Strings are copied and made valid UTF-8. @return facts->error. */
int st_facts_put_text(struct st_facts *facts, const char *key, const char *value,
                      const char *source);
int st_facts_put_int(struct st_facts *facts, const char *key, int64_t value, const char *source);
/** Puts a number from text; text that is no integer becomes malformed. */
int st_facts_put_number(struct st_facts *facts, const char *key, const char *text,
                        const char *source);
/** Puts a fact in this state. @param error positive errno if unreadable, else 0. @param text the
 * value if ok, the text that was read if malformed, else NULL. */
int st_facts_put_state(struct st_facts *facts, const char *key, enum st_fact_state state, int error,
                       const char *text, const char *source);
/** Puts a reading that failed with r < 0: -ENOENT, -ENOTDIR and -ENOTSUP become absent, -EBADMSG
 * malformed, other errors unreadable. -ENOMSG (not shown in a posted text) puts nothing. */
int st_facts_put_failure(struct st_facts *facts, const char *key, int r, const char *source);

/** Copies a fact of another set, with this source. */
int st_facts_add(struct st_facts *facts, const struct st_fact *fact, const char *source);

/** Names of the states: "absent", "ok", "unreadable", "malformed"; index: enum st_fact_state. */
#define ST_FACT_STATES_N 4
extern const char *const st_fact_state_names[ST_FACT_STATES_N];

/** Finds a fact by key. NULL: no collector looked for it; a rule treats it as absent, unless the
 * facts are partial. */
const struct st_fact *st_facts_find(const struct st_facts *facts, const char *key);

/** Is there such a fact, in any state: did a collector look for it? */
bool st_facts_has(const struct st_facts *facts, const char *key);

/** Reads the value of a fact. @return 0; -ENOENT absent; -ENOMSG not shown in a posted text;
 * -EACCES unreadable; -EBADMSG malformed or of another type. Output is written on success only. */
ST_NODISCARD int st_facts_int(const struct st_facts *facts, const char *key, int64_t *ret);
ST_NODISCARD int st_facts_text(const struct st_facts *facts, const char *key, const char **ret);

/** Is the fact ok, with a number? For a daemon, whose fact is its process id: does it run? */
bool st_facts_has_int(const struct st_facts *facts, const char *key);

/** The number of a fact; `fallback` if there is none. */
int64_t st_facts_int_or(const struct st_facts *facts, const char *key, int64_t fallback);

/** As st_facts_int_or, for numbers in 1 .. 1000000, as in settings of sound servers. */
int64_t st_facts_positive_or(const struct st_facts *facts, const char *key, int64_t fallback);

/** The text of a fact; `fallback` if there is none or the text is empty. */
const char *st_facts_text_or(const struct st_facts *facts, const char *key, const char *fallback);

/** Is the fact ok, with this text? */
bool st_facts_is(const struct st_facts *facts, const char *key, const char *text);

/** Is the fact ok, with this text? false for NULL. */
bool st_fact_is(const struct st_fact *fact, const char *text);

/** The fact whose key differs in the last part only: `leaf` "driver" beside
 * "linux.cpufreq.policy0.governor" is "linux.cpufreq.policy0.driver". NULL: none. The next
 * functions read its value. */
const struct st_fact *st_fact_beside(const struct st_fact *fact, const char *leaf);
ST_NODISCARD int st_fact_beside_int(const struct st_fact *fact, const char *leaf, int64_t *ret);
ST_NODISCARD int st_fact_beside_text(const struct st_fact *fact, const char *leaf,
                                     const char **ret);
/** The value beside `fact`, or `fallback`; an empty text is a value. */
int64_t st_fact_beside_int_or(const struct st_fact *fact, const char *leaf, int64_t fallback);
const char *st_fact_beside_text_or(const struct st_fact *fact, const char *leaf,
                                   const char *fallback);
bool st_fact_beside_is(const struct st_fact *fact, const char *leaf, const char *text);

/** st_fact_or: `fact` unless it is NULL, then `other`. st_fact_larger: the one with the larger
 * number. Both arguments may be NULL. */
const struct st_fact *st_fact_or(const struct st_fact *fact, const struct st_fact *other);
const struct st_fact *st_fact_larger(const struct st_fact *fact, const struct st_fact *other);

/** The text between `prefix` and the last part of the key: "1-2.3" of
 * "linux.usb_audio.1-2.3.control". */
const char *st_fact_part(const struct st_fact *fact, const char *prefix);

/** The next fact that is not absent, sorted by key, whose key starts with prefix and ends with
 * suffix ("": any). @param after the previous one; NULL: start with the first. @return NULL: no
 * more facts. */
const struct st_fact *st_facts_next(const struct st_facts *facts, const char *prefix,
                                    const char *suffix, const struct st_fact *after);
/** Loops over the facts of st_facts_next. */
#define ST_FACTS_EACH(fact, facts, prefix, suffix)                                                 \
    for (const struct st_fact *fact = NULL;                                                        \
         (fact = st_facts_next(facts, prefix, suffix, fact)) != NULL;)

/** Is one of these facts ok, with this text (NULL: any text)? */
bool st_facts_any(const struct st_facts *facts, const char *prefix, const char *suffix,
                  const char *text);

/** Is the fact unreadable or malformed? false for NULL. */
bool st_fact_is_unread(const struct st_fact *fact);
/** Number of facts that are unreadable or malformed. */
size_t st_facts_unreadable(const struct st_facts *facts);
