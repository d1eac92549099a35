/* GET /: the live document as a page, complete without scripts, kept up to date by one where it may run. */
#ifndef ST_DAEMON_PAGE_PAGE_H
#define ST_DAEMON_PAGE_PAGE_H

#include <jansson.h>

/** Of page/page.html with its style and script, made by page/embed.py: {{NAME}} stands for what page.c puts
 * there.
 */
extern const char st_page_template[];

/** The Content-Security-Policy that goes with it: this style and this script, by hash, and nothing else. */
extern const char st_page_policy[];

/** The page of a document sleeptune-live/1. What is missing in it is left out; text is escaped.
 * @return to be freed; NULL when out of memory. Threads: any. */
char *st_page_text(const json_t *live);

#endif
