/* Text of others in XML and HTML. */
#ifndef ST_LIB_XML_TEXT_H
#define ST_LIB_XML_TEXT_H

#include <stdio.h>

/** As text or within an attribute. What XML cannot hold (control characters, bytes that are no UTF-8) becomes
 * '?'.
 * @param text NULL: nothing. */
void st_xml_put(FILE *out, const char *text);

#endif
