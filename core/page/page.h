/* GET /: the screen of the status document as a page. Complete without scripts, except the time line and
 * the sizes, which a script reads from /v1/events and /v1/sizes; a script also reloads the page every
 * other second. */
#pragma once

#include "core/base.h"

#include <jansson.h>

/** page/page.html with its style and script, made by page/embed.py. Text replaces each {{NAME}}. */
extern const char st_page_template[];

/** The Content-Security-Policy of the page: only its style and its script, by hash. */
extern const char st_page_policy[];

/** GET /icon.svg and /manifest.webmanifest: browsers can install the page as a program. */
extern const char st_page_icon[], st_page_manifest[];

enum st_page_form {
    ST_PAGE_SERVED,
    ST_PAGE_SHELL, /* without figures: the page's script requests them with the token after "#" */
    ST_PAGE_CYCLE, /* only the picture of the last dropout's cycle, as SVG; "" if the document has no such
                      cycle */
};

/** The page of a document sleeptune-status/1; NULL: no document. Missing members are left out; text is
 * escaped. @return to be freed; NULL: out of memory. Threads: any. */
char *st_page_text(const json_t *document, enum st_page_form form);
