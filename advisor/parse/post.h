/* Formats of the texts that people post about a Linux machine: each is one row of st_post_formats and looks
 * at one line after the other. Internal to advisor/parse. */
#pragma once

#include "advisor/facts/facts.h"
#include "core/text/text_buffer.h"

#define ST_POST_WORDS_MAX 24

struct st_post {
    struct st_facts *facts; /* of Linux */
    char source[256];       /* "FILE:LINE" of this line */
    const char *command;    /* the prompt above, "$ cat /proc/cmdline"; "": none */

    /* what the formats remember */
    struct {
        int pid, tid, class, priority, command; /* columns of ps; -1: not there */
        bool seen, header, kernel;
        int64_t rows_n, process;
        char process_name[32];
    } ps;
    struct {
        bool seen;
        int64_t errors_n; /* of the node with most */
        int64_t driver_hz;
    } top;
    struct {
        bool seen;
        int64_t dropouts_n;
        bool refused, demoted; /* by rtkit */
        bool missing;          /* rtkit */
    } journal;
    struct {
        char name[80]; /* "card0.pcm0p.sub0" */
        struct st_text_buffer status;
    } pcm;
    struct {
        int bus, depth, ports[8];
        bool software;
    } usb;
    struct {
        bool seen, live, valid;
    } listen;
    bool interrupts, rtcqs;
};

struct st_post_format {
    const char *name;                               /* "pw-top" */
    const char *command;                            /* that prints it best */
    bool (*line)(struct st_post *post, char *line); /* is it one of this format? May cut it into pieces. */
    void (*end)(struct st_post *post);              /* NULL: nothing to do after the last line */
};

extern const struct st_post_format st_post_metadata, st_post_top, st_post_journal, st_post_ps, st_post_ulimit,
    st_post_pcm, st_post_interrupts, st_post_usb, st_post_rtcqs, st_post_inxi, st_post_dmesg, st_post_listen;

extern const struct st_post_format *const st_post_formats[];
extern const size_t st_post_formats_n;

/** Facts with this line as their source. */
void st_post_text(struct st_post *post, const char *key, const char *value);
void st_post_int(struct st_post *post, const char *key, int64_t value);

/** Cuts the line into words. @return how many; what is behind ST_POST_WORDS_MAX words belongs to the last. */
size_t st_post_words(char *line, char *ret[ST_POST_WORDS_MAX]);
