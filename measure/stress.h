/* Load of other programs, made on purpose: a machine that holds a period at rest may miss it when a browser
 * opens. */
#pragma once

#include "core/base.h"

enum st_stress_phase {
    ST_STRESS_IDLE, /* no load: what the others are compared with */
    ST_STRESS_CPU,
    ST_STRESS_MEMORY,
    ST_STRESS_DISK,
    ST_STRESS_PROGRAMS,
    ST_STRESS_PHASES
};

struct st_stress;

const char *st_stress_name(enum st_stress_phase phase); /* "cpu" */
const char *st_stress_says(enum st_stress_phase phase); /* "a program that computes on each CPU" */
/** The phase of that name. @return 0 or -ENOENT. */
ST_NODISCARD int st_stress_find(const char *name, enum st_stress_phase *ret);

/**
 * Starts the load: normal processes, which end with this one, however it ends. They use CPU time, at most 64
 * MiB of memory a CPU and a file of at most 64 MiB in $TMPDIR or /var/tmp that has no name any more. Call
 * before threads are started: it forks.
 * @return 0, -ENOMEM, -EAGAIN (no more processes), or what making the file said. */
ST_NODISCARD int st_stress_start(enum st_stress_phase phase, struct st_stress **ret);
/** Ends it and waits for its end. NULL: does nothing. @return 0; -ECHILD: a part of it had ended before (a
 * full disk, no memory), so the load was less than asked for. */
int st_stress_stop(struct st_stress *stress);
