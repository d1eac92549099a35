/* One value of the configuration: what is allowed, and storing it. For config.c. */
#ifndef ST_DAEMON_CONFIG_CONFIG_VALUE_H
#define ST_DAEMON_CONFIG_CONFIG_VALUE_H

#include <libconfig.h>

#include "daemon/config/config.h"

/** Stores a setting at its place in *config. @return false when it is not allowed; nothing is written then.
 */
bool st_config_value_store(const struct st_config_key *key, const config_setting_t *setting,
                           struct st_config *config);

/** The same for the types that are text in the file. @param member the key's place in a struct st_config. */
bool st_config_value_store_text(const struct st_config_key *key, const char *text, void *member);

#endif
