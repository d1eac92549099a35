/* Foreign text in XML and HTML. */
#ifndef ST_CORE_TEXT_XML_H
#define ST_CORE_TEXT_XML_H

#include <stdio.h>

/** As text or within an attribute: one line, made safe (core/text/safe.h) and escaped.
 * @param text NULL: nothing. */
void st_xml_put(FILE *out, const char *text);

#endif
