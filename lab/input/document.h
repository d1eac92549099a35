/* JSON documents of sleeptune with results: where the figures are, and which keys distinguish the results. */
#pragma once

#include <jansson.h>

#include "core/base.h"

#define ST_DOCUMENT_LABELS 2
#define ST_DOCUMENT_GROUPS 5

/** One kind. */
struct st_document {
    const char *schema;  /* up to the version */
    const char *name;    /* "sleeptune-lab exec" */
    const char *list;    /* NULL: the document is the result */
    const char *figures; /* the object in a result that has median ... */
    const char *quantity;
    /* keys that together identify a result; "conditions.cpu" is a key in an object */
    const char *label[ST_DOCUMENT_LABELS]; /* the name of a result */
    const char *group[ST_DOCUMENT_GROUPS]; /* under which conditions */
    const char *x;                         /* what it is drawn over, the last word of its group; NULL */
    const char *drawn, *drawn_quantity;    /* instead of figures, where a result has it; NULL */
};

/** The kind of a document of this version. @return NULL: none with results. */
const struct st_document *st_document_of(const json_t *document);

/** Results of a document of that kind. */
size_t st_document_results_n(const struct st_document *kind, const json_t *document);
const json_t *st_document_result(const struct st_document *kind, const json_t *document, size_t i);

/** The label of a result, such as "nanosleep", or "". */
void st_document_label(const struct st_document *kind, const json_t *result, char *buf, size_t buf_bytes);
/** The group of a result, such as "requested 5.000 ms, policy fifo", or "". */
void st_document_group(const struct st_document *kind, const json_t *result, char *buf, size_t buf_bytes);
/** The same without x. */
void st_document_panel(const struct st_document *kind, const json_t *result, char *buf, size_t buf_bytes);
