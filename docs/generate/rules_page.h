/* The manual page sleeptune-rules(7). */
#ifndef ST_DOCS_GENERATE_RULES_PAGE_H
#define ST_DOCS_GENERATE_RULES_PAGE_H

#include <stdio.h>

/** Prints the page as mdoc. Aborts when out of memory. */
void st_rules_page_print(FILE *out);

#endif
