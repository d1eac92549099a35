/* JSON documents of sleeptune that have results: where their figures are, and which keys
 * distinguish the results. */
#pragma once

#include <jansson.h>

#include "core/base.h"

#define ST_DOCUMENT_LABELS 2
#define ST_DOCUMENT_GROUPS 5

/** One kind of document. */
struct st_document {
    const char
        *schema; /* text of the key "schema" without the version, such as "sleeptune-series/" */
    const char *name; /* "sleeptune-lab exec" */
    const char
        *list; /* key of the array of results; NULL: the document itself is the only result */
    const char *figures; /* key of the object in a result that holds its figures: median ... */
    const char *quantity;
    /* keys that together identify a result; "conditions.cpu" is a key in an object */
    const char *label[ST_DOCUMENT_LABELS]; /* keys that name a result */
    const char
        *group[ST_DOCUMENT_GROUPS]; /* keys that group results, such as the length of the sleep */
    const char
        *x; /* key of the value on the x axis, which ends the text of the group; NULL: none */
    const char *drawn, *drawn_quantity; /* key that is drawn instead of `figures` if a result has
                                           it, and its quantity; NULL: none */
};

/** The kind of a document, by its schema and version. @return NULL: the document is unknown or has
 * no results. */
const struct st_document *st_document_of(const json_t *document);

/** Number of results in a document of this kind. */
size_t st_document_results_n(const struct st_document *kind, const json_t *document);
const json_t *st_document_result(const struct st_document *kind, const json_t *document, size_t i);

/** The label of a result, such as "nanosleep", or "". */
void st_document_label(const struct st_document *kind, const json_t *result, char *buf,
                       size_t buf_bytes);
/** The group of a result, such as "requested 5.000 ms, policy fifo", or "". */
void st_document_group(const struct st_document *kind, const json_t *result, char *buf,
                       size_t buf_bytes);
/** The group of a result without the value on the x axis. */
void st_document_panel(const struct st_document *kind, const json_t *result, char *buf,
                       size_t buf_bytes);
