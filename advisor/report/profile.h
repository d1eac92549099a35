/* What a machine is used for decides which costs are worth paying. */
#ifndef ST_ADVISOR_REPORT_PROFILE_H
#define ST_ADVISOR_REPORT_PROFILE_H

#include "core/base.h"

enum st_profile { ST_PROFILE_DESKTOP, ST_PROFILE_STUDIO, ST_PROFILE_LAPTOP, ST_PROFILE_SERVER };

/** "desktop", "studio", "laptop", "server". */
const char *st_profile_name(enum st_profile profile);
ST_NODISCARD int st_profile_parse(const char *text, enum st_profile *ret); /* 0 or -EINVAL */

/**
 * The first cost in a rule's cost text ("power, heat: several watts") that the profile does not accept; NULL:
 * it accepts all. Static.
 */
const char *st_profile_refuses(enum st_profile profile, const char *cost);

#endif
