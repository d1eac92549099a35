/* GET / and `sleeptune status --html`: the screen of the status document as a page, complete without
 * scripts; where they run, one reads the page again every other second. */
#ifndef ST_CORE_PAGE_PAGE_H
#define ST_CORE_PAGE_PAGE_H

#include <jansson.h>
#include <stdbool.h>

/** page/page.html with its style and script, made by page/embed.py. Text replaces each {{NAME}}. */
extern const char st_page_template[];

/** The Content-Security-Policy of the page: this style and this script, by hash, and nothing else. */
extern const char st_page_policy[];

/** The page of a document sleeptune-status/1. What is missing in it is left out; text is escaped.
 * @param only_cycle the picture of the last dropout's cycle alone, as SVG; "" if the document has none.
 * @return to be freed; NULL when out of memory. Threads: any. */
char *st_page_text(const json_t *document, bool only_cycle);

#endif
