/* State of this computer that can influence dropouts: kernel, firmware, packages, settings, files. */
#pragma once

#include "platform/platform.h"
#include "store/history/history.h"

#define ST_FINGERPRINT_MAX 300

struct st_fingerprint {
    struct st_history_fact facts[ST_FINGERPRINT_MAX]; /* names and values of malloc */
    size_t n;
};

/** Reads the state of the computer: some hundred small files and, on Debian and Ubuntu, the list of
 * installed packages; runs no program. Only hashes of files are kept; unreadable values are left out.
 * Linux: kernel and the test conditions (st_platform.conditions), kernel parameters (a hash), microcode,
 * firmware, versions of the packages of dpkg or pacman, else of the servers' libraries, settings of the
 * power saving of cards, memory and real-time limits. FreeBSD: the same without firmware, with sysctls of
 * sound(4). @param home of the user whose files count; NULL: none. Free with st_fingerprint_finish.
 * Threads: any that may wait for a disk. */
void st_fingerprint_take(struct st_platform *machine, const char *home, struct st_fingerprint *ret);
void st_fingerprint_finish(struct st_fingerprint *fingerprint);
