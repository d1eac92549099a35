/* Makes the page "GET /" from the status document. It is complete without scripts, except for the
 * time line and the sizes, which a script reads from /v1/events and /v1/sizes; a script also
 * reloads the page every other second. */
#pragma once

#include "core/base.h"

#include <jansson.h>

/** page/page.html with its style and script, as embed.py writes it. Each {{NAME}} in it is replaced
 * by text.
 */
extern const char st_page_template[];

/** The Content-Security-Policy of the page: allows only its own style and script, by hash. */
extern const char st_page_policy[];

/** Bodies of GET /icon.svg and /manifest.webmanifest, by which browsers can install the page as a
 * program. */
extern const char st_page_icon[], st_page_manifest[];

enum st_page_form {
    ST_PAGE_SERVED,
    /* the page without figures: its script requests them with the token after "#" in the address */
    ST_PAGE_SHELL,
    ST_PAGE_CYCLE, /* only the picture of the last dropout's cycle, as SVG; "" if the document has
                      no such cycle */
};

/** The page of a document sleeptune-status/1; NULL: no document. Missing members are left out; text
 * is escaped. @return to be freed; NULL: out of memory. Threads: any. */
char *st_page_text(const json_t *document, enum st_page_form form);
