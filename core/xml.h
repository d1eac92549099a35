/* Foreign text in XML and HTML. */
#ifndef ST_CORE_XML_H
#define ST_CORE_XML_H

#include <stdio.h>

/** As text or within an attribute: one line, made safe (core/safe.h) and escaped.
 * @param text NULL: nothing. */
void st_xml_put(FILE *out, const char *text);

/** The same, but each '\n' stays. */
void st_xml_put_lines(FILE *out, const char *text);

#endif
