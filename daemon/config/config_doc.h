/* Documents written from the table of keys. */
#ifndef ST_DAEMON_CONFIG_CONFIG_DOC_H
#define ST_DAEMON_CONFIG_CONFIG_DOC_H

#include <stdio.h>

/** conf/sleeptuned.conf: every key at its default, commented out. */
void st_config_doc_example(FILE *out);

/** The key list of sleeptuned.conf(5), mdoc. */
void st_config_doc_mdoc(FILE *out);

#endif
