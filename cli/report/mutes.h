/* mute = ( { id = "..."; reason = "..."; until = "2027-01-01"; } ) in sleeptuned.conf. */
#ifndef ST_CLI_REPORT_MUTES_H
#define ST_CLI_REPORT_MUTES_H

#include "advisor/report/report.h"

struct st_mutes {
    struct st_mute *rows;
    size_t n;
};

/**
 * Reads the mutes of a configuration; a plain text instead of a group is an id. What else the file holds is
 * the service's business. path NULL: the installed configuration, which may be missing, unreadable or,
 * after a message, wrong.
 * @return an st_exit, after a message. Free with st_mutes_free.
 */
ST_NODISCARD int st_mutes_load(const char *command, const char *path, struct st_mutes *ret);
void st_mutes_free(struct st_mutes *mutes);

#endif
