/* A text that people post becomes a machine whose files and sysctls are what the text shows of them, so that
 * the collectors read it as they read a live one; what is no file is read by the readers below. Internal to
 * advisor/post. */
#pragma once

#include "advisor/facts/facts.h"
#include "core/text/pattern.h"
#include "core/text/text_buffer.h"

#define ST_POST_LINE_BYTES  4096
#define ST_POST_WORDS_MAX   24
#define ST_POST_ROWS_MAX    4096 /* of one kind */
#define ST_POST_ANSWERS_MAX 65536
#define ST_POST_SAID_MAX    24 /* sentences */

/** Cuts the line into words. @return how many; what is behind ST_POST_WORDS_MAX words belongs to the last. */
size_t st_post_words(char *line, char *ret[ST_POST_WORDS_MAX]);

/* --- the text that is read --- */

/** What the text shows of a file (a path) or of a sysctl (its name). */
struct st_post_answer {
    char *name;
    struct st_text_buffer text;
    int result; /* 0, -ENOENT, -EACCES, as the text says */
    bool whole; /* all of the file, and the text goes on behind it */
    size_t order;
};

/** What a kind of line says, of all such lines. */
struct st_post_seen {
    int64_t n, suppressed_n;
    double most;
    double first_s, last_s; /* of the day or since boot; < 0: without time */
    char subjects[3][80];
    size_t subjects_n;
    struct st_pattern_parts parts; /* of the last one */
};
#define ST_POST_SEEN_MAX 192

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
    struct st_facts *facts;         /* of both systems, what is no file */
    struct st_post_answer *answers; /* room for ST_POST_ANSWERS_MAX: pages that nothing fills cost nothing */
    size_t answers_n;
    bool failed; /* out of memory */
    const char *name;
    size_t line_n;
    size_t votes[ST_OS_N];        /* what only that system has */
    char section[32], unit[120];  /* of rows.c: whose lines these are; "policy3" */
    char kinds[512];              /* "pw-top, ps" */
    char release[100], host[64];  /* of the first kernel, of the first line of a journal */
    size_t sysctls_n, known_n;    /* lines that were understood */
    bool all_sysctls;             /* of FreeBSD: it has no others */
    int freebsd_version;          /* 1302000; 0: none; -1: more than one */
    struct st_text_buffer others; /* ranges of the lines that no one understood */
    size_t second_line;           /* where a second one begins; 0: there is none */
    struct st_post_seen seen[ST_POST_SEEN_MAX];

    /* what the readers remember */
    struct {
        int at[ST_POST_PS_COLUMNS]; /* columns of ps; -1: not there */
        size_t columns_n;
        bool header, kernel;
        int64_t rows_n, process;
        char process_name[32];
        char normal[80], top_name[96]; /* what a sentence says */
        int64_t top, pipewire_n, pipewire_real_time_n;
        int64_t chrt_n, chrt_real_time_n;
        char chrt_now[16], chrt_best[24];
        struct st_pattern_parts granted[64]; /* thread, process, priority */
        size_t granted_n;
        char tags[8][16]; /* the process of each server in a journal */
    } ps;
    struct {
        size_t n;
        bool begins; /* a heading was read, and no row below it */
        struct st_post_node nodes[ST_POST_NODES_MAX];
    } top;
    struct {
        int bus, depth, ports[8];
        size_t indent; /* of the tree */
        bool software;
    } usb;
    size_t said_n;
};

/** Notes that the text has something of this kind. */
void st_post_kind(struct st_post *post, const char *kind);
/** Facts with this line as their source. */
void st_post_text(struct st_post *post, const char *key, const char *value);
void st_post_int(struct st_post *post, const char *key, int64_t value);
/** A sentence of what the text shows, the most important one first. */
void st_post_say(struct st_post *post, const char *format, ...) ST_PRINTF(2, 3);

/* --- machine.c --- */

/** A new answer; of two of one name the later one counts. @return NULL: out of memory, or one too many. */
struct st_post_answer *st_post_answer_new(struct st_post *post, const char *name);
bool st_post_answer_is_last(const struct st_post *post, const char *name);
/** The last one if it has this name, else a new one. */
struct st_post_answer *st_post_answer_last(struct st_post *post, const char *name);
const struct st_post_answer *st_post_answer_find(const struct st_post *post, const char *name);
/** A line more of a file. */
void st_post_answer_add(struct st_post_answer *answer, const char *line);
/** The collectors read the machine of these answers, which says -ENOMSG for what they do not show. From here
 * on the answers can be found, and none can be added. @return as st_collect. */
ST_NODISCARD int st_post_collect(struct st_post *post, enum st_os os, struct st_facts **ret);

/* --- the readers: each looks at one line after the other and says whether it is one of its own --- */

/** Lines that are one value each, and lines of logs. */
bool st_post_rows(struct st_post *post, const char *line);
void st_post_rows_end(struct st_post *post);
bool st_post_top(struct st_post *post, char *line);
void st_post_top_end(struct st_post *post);
bool st_post_ps(struct st_post *post, char *line);
/** The columns that a command of ps asks for ("-eLo tid,cls,rtprio,comm"), whose heading a filter took. */
void st_post_ps_columns(struct st_post *post, char *const *words, size_t n);
void st_post_ps_end(struct st_post *post);
/** What a line of a journal says of processes, whatever else it says. */
void st_post_journal(struct st_post *post, const char *line);
bool st_post_usb(struct st_post *post, char *line);

/** Takes the whole text apart. */
void st_post_read(struct st_post *post, const char *text, size_t bytes);
