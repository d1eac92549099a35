/* GET /: the screen of the status document as a page, complete without
 * scripts but for the time line and the sizes that ran, which are read from /v1/events and /v1/sizes; where
 * scripts run, one reads the page again every other second. */
#pragma once

#include "core/base.h"

#include <jansson.h>

/** page/page.html with its style and script, made by page/embed.py. Text replaces each {{NAME}}. */
extern const char st_page_template[];

/** The Content-Security-Policy of the page: this style and this script, by hash, and nothing else. */
extern const char st_page_policy[];

/** GET /icon.svg and /manifest.webmanifest: browsers can install the page as a program. */
extern const char st_page_icon[], st_page_manifest[];

enum st_page_form {
    ST_PAGE_SERVED,
    ST_PAGE_SHELL, /* without figures: its script asks for them with the token behind "#" */
    ST_PAGE_CYCLE, /* the picture of the last dropout's cycle alone, as SVG; "" if the document has none */
};

/** The page of a document sleeptune-status/1; NULL: of none. What is missing in it is left out; text is
 * escaped.
 * @return to be freed; NULL when out of memory. Threads: any. */
char *st_page_text(const json_t *document, enum st_page_form form);
