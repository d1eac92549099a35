/* Turns a text that people post into a machine whose files and sysctls are those shown in the text,
 * so that the collectors can read it like a live machine. Lines that belong to no file or sysctl go
 * to the readers that are declared below. Internal to advisor/post. */
#pragma once

#include "advisor/facts/facts.h"
#include "core/text/pattern.h"
#include "core/text/text_buffer.h"

#define ST_POST_LINE_BYTES  4096
#define ST_POST_WORDS_MAX   24
#define ST_POST_ROWS_MAX    4096 /* most rows of a table, such as ps */
#define ST_POST_ANSWERS_MAX 65536
#define ST_POST_SAID_MAX    24 /* most sentences about a text */

/** Splits the line into words. @return their number; further words than ST_POST_WORDS_MAX are left
 * out. */
size_t st_post_words(char *line, char *ret[ST_POST_WORDS_MAX]);

/* --- the text, and what was found in it --- */

/** What the text shows of a file (its path) or a sysctl (its name). */
struct st_post_answer {
    char *name;
    struct st_text_buffer text;
    int result; /* 0, -ENOENT or -EACCES, as shown in the text */
    bool whole; /* the whole file is shown, and the text continues after it */
    size_t order;
};

/** What the lines of a posted text that matched one row of the log table (logs.c) have in
 * common. */
struct st_post_seen {
    int64_t n, suppressed_n;
    double most;
    double first_s,
        last_s; /* s: time of day in a journal, or time since boot; < 0: the lines have no time */
    char subjects[3][80];
    size_t subjects_n;
    struct st_pattern_parts parts; /* of the last of these lines */
};
#define ST_POST_SEEN_MAX 208

struct st_post_node {
    int64_t id, frames, hz, errors_n;
    double busy;
    char name[120];
    bool follows, runs, async;
    size_t line_n;
};
#define ST_POST_NODES_MAX  256
#define ST_POST_PS_COLUMNS 8

struct st_post {
    struct st_facts *facts;         /* facts that the readers found outside of files */
    struct st_post_answer *answers; /* room for ST_POST_ANSWERS_MAX; unused pages cost nothing */
    size_t answers_n;
    bool failed; /* out of memory */
    const char *name;
    size_t line_n;
    size_t votes[ST_OS_N]; /* number of lines that only that system has */
    /* hashes of the pairs of adjacent bytes in a line, one bit each. They rule out most patterns
     * quickly: a pattern cannot match if the line lacks a pair of its literal text */
    uint64_t pairs[64];
    char section[32], unit[120]; /* for rows.c: the output that the lines belong to ("cpupower"),
                                    and what they are about ("policy3") */
    char kinds[512];             /* kinds of text found so far: "pw-top, ps" */
    char release[100],
        host[64]; /* release: of the first kernel in the text; host: the first in a journal */
    char uname_host[64]; /* not compared with `host`: people replace names in only one of them */
    bool names_freebsd;  /* has "FreeBSD 14" or the like, which prose about Linux may have, too */
    size_t sysctls_n, known_n; /* lines that were understood */
    bool all_sysctls;          /* the text has the whole `sysctl -a` of FreeBSD */
    int freebsd_version;       /* kern.osreldate by the version in the text, 1302000; 0: none; -1:
                                * several */
    struct st_text_buffer others; /* ranges of lines that no reader understood */
    size_t second_line; /* where a second kernel or computer begins; 0: none. The rest is ignored */
    struct st_post_seen seen[ST_POST_SEEN_MAX];
    char words[400]; /* versions and settings that the text says in words */

    /* state of the readers */
    struct {
        int at[ST_POST_PS_COLUMNS]; /* index of each column of ps in a row; -1: ps did not print
                                     * it */
        size_t columns_n;
        bool header, kernel;
        int64_t rows_n, process;
        char process_name[32];
        char normal[80], top_name[96]; /* for sentences: a loop without real-time priority, the
                                          thread with the highest priority */
        int64_t top, pipewire_n, pipewire_real_time_n;
        int64_t chrt_n, chrt_real_time_n;
        char chrt_now[16], chrt_best[24];
        struct st_pattern_parts
            granted[64]; /* thread id, process id and priority that rtkit gave */
        size_t granted_n;
        char tags[8][16]; /* process id of each server, from a journal */
    } ps;
    struct {
        size_t n;
        bool begins; /* a heading was read, but no row below it yet */
        struct st_post_node nodes[ST_POST_NODES_MAX];
    } top;
    struct {
        int bus, depth, ports[8];
        size_t indent; /* indentation of lsusb's tree, in characters */
        bool software;
    } usb;
    size_t said_n;
};

/** Notes that the text has content of this kind. */
void st_post_kind(struct st_post *post, const char *kind);
/** Puts facts with the current line as their source. */
void st_post_text(struct st_post *post, const char *key, const char *value);
void st_post_int(struct st_post *post, const char *key, int64_t value);
/** Adds a sentence about the text. Callers add the most important sentence first. */
void st_post_say(struct st_post *post, const char *format, ...) ST_PRINTF(2, 3);

/* --- machine.c --- */

/** Begins a new answer (what the text shows of one file or sysctl). Of two answers with the same
 * name the later one counts. @return NULL: out of memory, or too many. */
struct st_post_answer *st_post_answer_new(struct st_post *post, const char *name);
bool st_post_answer_is_last(const struct st_post *post, const char *name);
/** The answer that was begun last, if it has this name, else a new one. */
struct st_post_answer *st_post_answer_last(struct st_post *post, const char *name);
const struct st_post_answer *st_post_answer_find(const struct st_post *post, const char *name);
/** Adds a line to the text of an answer. */
void st_post_answer_add(struct st_post_answer *answer, const char *line);
/** Collects facts from the answers as from a machine; reading a file that the text does not show
 * fails with -ENOMSG. Afterwards answers can be found, but not added. @return 0 or a negative errno
 * value. */
ST_NODISCARD int st_post_collect(struct st_post *post, enum st_os os, struct st_facts **ret);

/* --- patterns --- */

static inline unsigned st_post_pair_at(const char *at)
{
    return ((unsigned char)at[0] * 31U + (unsigned char)at[1]) % 4096;
}

/** May the pattern match this line, to which post->pairs belong? Only pairs of characters above '*'
 * count: the marks of a pattern are below, and a blank, which may be a tab in the line. */
static inline bool st_post_may_match(const struct st_post *post, const char *line,
                                     const char *pattern)
{
    if (pattern[0] != '*' && pattern[0] != '%' && pattern[0] != line[0])
        return false;
    for (; *pattern != '\0'; pattern++) {
        const unsigned pair = st_post_pair_at(pattern);
        if (*pattern == '%')
            pattern++;
        else if (pattern[0] > '*' && pattern[1] > '*' &&
                 (post->pairs[pair / 64] >> pair % 64 & 1) == 0)
            return false;
    }
    return true;
}

/** Copies `with`: "$1" becomes the first part of the match, "$2" the second; "$" and the n-th
 * letter of `letters` become texts[n]. */
char *st_post_fill(const char *with, const struct st_pattern_parts *parts, const char *letters,
                   const char *const *texts);

/* --- the readers: each gets one line after another, and returns true if it understands the line
 * --- */

/** Reads lines with one value each, and lines of logs. */
bool st_post_rows(struct st_post *post, const char *line);
void st_post_rows_end(struct st_post *post);
/** Reads a line of a log, to which post->pairs belong. */
bool st_post_logs(struct st_post *post, const char *line);
void st_post_logs_end(struct st_post *post);
/** Time of a line, s: time of day in a journal, or time since boot in dmesg. @return < 0: no
 * time. */
double st_post_time_of(const char *line);
bool st_post_top(struct st_post *post, char *line);
void st_post_top_end(struct st_post *post);
bool st_post_ps(struct st_post *post, char *line);
/** Takes the columns that a ps command asks for ("-eLo tid,cls,rtprio,comm"), in case a filter
 * removed the heading from its output. */
void st_post_ps_columns(struct st_post *post, char *const *words, size_t n);
void st_post_ps_end(struct st_post *post);
/** Compares the name of a computer with the one in `known`, if there is one. A second name is
 * another computer: the text is read up to that line only. */
void st_post_host(struct st_post *post, char known[64], const char *host);
/** Reads what a line of a journal says about processes. The log table (logs.c) reads the line as
 * well. */
void st_post_journal(struct st_post *post, const char *line);
bool st_post_usb(struct st_post *post, char *line);

/** Splits the whole text into lines and answers. */
void st_post_read(struct st_post *post, const char *text, size_t bytes);
