/* Where this runs, when that hides settings: container, sandbox, virtual machine, WSL, jail. */
#pragma once

#include "advisor/facts/facts.h"

/** What this runs in ("docker", "lxc", "flatpak" ...). NULL: in none, or that is not known. */
const char *st_place_container(const struct st_facts *facts);

/** One sentence, a line each, for each thing that stands between the report and the machine's settings, also
 * for a report that judges for another user. For a turn. */
const char *st_place_notes(const struct st_facts *facts);
