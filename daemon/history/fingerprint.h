/* The state of this computer that can influence dropouts: kernel, firmware, packages, settings,
 * configuration files. The history stores it to show what changed. */
#pragma once

#include "platform/platform.h"
#include "store/history/history.h"

#define ST_FINGERPRINT_MAX 300

struct st_fingerprint {
    struct st_history_fact facts[ST_FINGERPRINT_MAX]; /* name and value are from malloc */
    size_t n;
};

/** Reads the state of the computer: some hundred small files and, on Debian and Ubuntu, the list of
 * installed packages; runs no program. Of files only hashes are kept; values that cannot be read
 * are left out. Linux: kernel and test conditions (st_platform.conditions), a hash of the kernel's
 * command line, microcode, firmware, versions of packages (dpkg or pacman, otherwise the libraries
 * of sound servers), settings of power saving, memory and real-time limits. FreeBSD: the same
 * without firmware, with sysctls of sound(4).
 * @param home home folder of the user whose files are read; NULL: none. Free with
 * st_fingerprint_finish. Threads: any that may wait for a disk. */
void st_fingerprint_take(struct st_platform *machine, const char *home, struct st_fingerprint *ret);
void st_fingerprint_finish(struct st_fingerprint *fingerprint);
