/* The environment of this process, if it hides settings: container, sandbox, virtual machine, WSL,
 * jail. */
#pragma once

#include "advisor/facts/facts.h"

/** The container of this process ("docker", "lxc", "flatpak" ...). NULL: none, or not known. */
const char *st_place_container(const struct st_facts *facts);

/** Notes, one sentence on each line, about what hides the machine's settings from the report, also
 * in a report that judges another user. Valid until st_text_forget(). */
const char *st_place_notes(const struct st_facts *facts);
