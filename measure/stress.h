/* Artificial load like that of other programs: a machine that keeps a period while it is idle may
 * miss it when a browser opens. */
#pragma once

#include "core/base.h"

enum st_stress_phase {
    ST_STRESS_IDLE, /* no additional load, for comparison with the other phases */
    ST_STRESS_CPU,
    ST_STRESS_MEMORY,
    ST_STRESS_DISK,
    ST_STRESS_PROGRAMS,
    ST_STRESS_PHASES
};

struct st_stress;

const char *st_stress_name(enum st_stress_phase phase); /* name for the command line: "cpu" */
const char *
st_stress_says(enum st_stress_phase phase); /* what runs: "a program that computes on each CPU" */
/** The phase with this name. @return 0 or -ENOENT. */
ST_NODISCARD int st_stress_find(const char *name, enum st_stress_phase *ret);

/** Starts the load: normal processes, which end together with this process in any case. They use
 * CPU time, at most 64 MiB of memory for each CPU, and an unlinked file of at most 64 MiB in
 * $TMPDIR or /var/tmp. Forks, so call before threads are started. @return 0, -ENOMEM, -EAGAIN (no
 * more processes), or the error of making the file. */
ST_NODISCARD int st_stress_start(enum st_stress_phase phase, struct st_stress **ret);
/** Ends the load and waits for its processes. NULL: does nothing. @return 0; -ECHILD: a process had
 * ended earlier (full disk, out of memory), so the load was less than it should have been. */
int st_stress_stop(struct st_stress *stress);
