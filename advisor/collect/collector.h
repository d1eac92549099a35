/* Helpers that the sources of facts share: where facts go, and how one reading becomes one fact. */
#pragma once

#include "advisor/facts/facts.h"
#include "core/text/pattern.h"
#include "platform/tree.h"

struct st_collector {
    struct st_platform *p;
    struct st_facts *facts;
    bool live;
    char *buf; /* a buffer for files too large for the stack: kernel configuration, timer_list */
    size_t buf_bytes;
    char user[256]; /* name of the user who runs this process; "": not known, or a captured
                     * machine */
    char home[512]; /* home folder of the judged user, without a final slash; "": not known */
};

/** Reads a whole file of at most bytes - 1. @return 0 or -errno; -EFBIG: the buffer has its
 * beginning. */
ST_NODISCARD int st_collector_text(const struct st_collector *c, const char *path, char *buf,
                                   size_t bytes);
/** As st_collector_text, but returns 0 also if the buffer has only the beginning. */
ST_NODISCARD int st_collector_begin(const struct st_collector *c, const char *path, char *buf,
                                    size_t bytes);

/** Puts a fact that was read, or the failure to read it: st_facts_put_failure(). */
static inline void st_collector_put_text(struct st_collector *c, const char *key, const char *value,
                                         const char *source)
{
    st_facts_put_text(c->facts, key, value, source);
}
static inline void st_collector_put_int(struct st_collector *c, const char *key, int64_t value,
                                        const char *source)
{
    st_facts_put_int(c->facts, key, value, source);
}
static inline void st_collector_put_failure(struct st_collector *c, const char *key, int r,
                                            const char *source)
{
    st_facts_put_failure(c->facts, key, r, source);
}
/** Puts the number, or the failure r. */
static inline void st_collector_put_result(struct st_collector *c, const char *key, int r,
                                           int64_t value, const char *source)
{
    if (r == 0)
        st_collector_put_int(c, key, value, source);
    else
        st_collector_put_failure(c, key, r, source);
}

/** Lists a folder through the machine's list(). */
static inline int st_collector_list(const struct st_collector *c, const char *path, st_name_fn fn,
                                    void *ctx)
{
    return c->p->list(c->p, path, fn, ctx);
}

enum st_value_kind {
    ST_VALUE_TEXT,
    ST_VALUE_INT,
    ST_VALUE_LIMIT, /* a number from 0 on, or "unlimited", which becomes ST_UNLIMITED */
    ST_VALUE_LEAST, /* the smallest of the numbers in a file's lines */
};

/** Reads one file (an absolute path) or sysctl of at most 4 KiB into one fact. An empty or
 * non-numeric ST_VALUE_INT is malformed. */
void st_collector_read(struct st_collector *c, const char *key, const char *name,
                       enum st_value_kind kind);

/** Finds the first line of a file that matches the pattern (core/text/pattern.h). What its first
 * %s, %d, %v or %l stands for becomes the fact. Reads the file into c->buf. */
void st_collector_line(struct st_collector *c, const char *key, const char *path,
                       const char *pattern, enum st_value_kind kind);

#define ST_COLLECTOR_GROUPS_MAX 1024

/** Puts the names of these groups; a group without a name is put as its number. */
void st_collector_put_groups(struct st_facts *facts, const char *key, const gid_t *gids, int n,
                             const char *source);

/* --- the sources of facts: each has a file, and a row in collect.c --- */

void st_linux_kernel_collect(struct st_collector *c); /* version, configuration, timers, settings */
void st_linux_machine_collect(struct st_collector *c); /* CPUs, hypervisor, PM QoS, swap */
void st_linux_sound_collect(struct st_collector *c);   /* streams, cards, USB devices, interrupts */
void st_linux_process_collect(
    struct st_collector *c); /* daemons, real-time threads, limits, cgroups */
void st_linux_files_collect(struct st_collector *c); /* configuration files, also of servers */
void st_freebsd_collect(struct st_collector *c);     /* sysctls and files */
/** Rights and limits of this process and its user; only for a live machine. */
void st_live_collect(struct st_collector *c);
