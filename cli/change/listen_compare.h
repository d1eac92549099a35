/* `verify --before FILE`: did sound get lost less often? FILE is what `listen --json` printed before; the run
 * is made again over the same way, and both are compared as other runs are (evidence/). A loss is an event.
 */
#pragma once

#include <jansson.h>

#include "core/base.h"
#include "evidence/figure.h"

struct st_listen_side {
    uint64_t losses_n;
    double heard_s;
};

struct st_listen_compare {
    bool compared; /* false: `why` says why not */
    char why[600];
    struct st_listen_side before, now;
    struct st_figure figure; /* ST_FIGURE_MISSED: losses, each in 20 ms of sound */
    char differs[400];       /* what else differs: "kernel, period_frames"; "": nothing */
};

/** A document of sleeptune-listen/1, of any origin: nothing but its schema is checked. New reference; NULL:
 * it is none. */
json_t *st_listen_compare_parse(const char *text, size_t bytes);
/** Reads a document of sleeptune-listen/1. "-" is standard input. @return an st_exit, after a message. */
int st_listen_compare_read(const char *path, json_t **ret);

/** Two documents of sleeptune-listen/1, of any origin. Pure. */
void st_listen_compare_documents(const json_t *before, const json_t *now, struct st_listen_compare *ret);

/** Listens as `before` says, and compares. @param duration_ns 0: as long as before. @return an st_exit; after
 * a message, ret->why says that it was not heard. */
int st_listen_compare_make(const json_t *before, int64_t duration_ns, struct st_listen_compare *ret);

bool st_listen_compare_is_worse(const struct st_listen_compare *compare);
void st_listen_compare_print(const struct st_listen_compare *compare);
/** "listen" of sleeptune-verify/1. New reference; NULL: out of memory. */
json_t *st_listen_compare_json(const struct st_listen_compare *compare);
