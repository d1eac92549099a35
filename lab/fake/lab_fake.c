#include "lab/fake/private.h"

#include <stdlib.h>
#include <string.h>

/* The platform's fake has the ways of sleeping. */
static const struct st_sleep_method *fake_sleep_method(struct st_lab *lab, size_t i)
{
    return lab->platform->sleep_method(lab->platform, i);
}

/* Takes as long as scripted. */
static int fake_time_program(struct st_lab *lab, char *const argv[], struct st_program_time *ret)
{
    struct st_lab_fake *fake = st_lab_fake_of(lab);
    if (fake->program_error != 0)
        return fake->program_error;
    struct st_lab_fake_program *script =
        strcmp(argv[0], "true") == 0 ? &fake->programs[0] : &fake->programs[1];
    const int64_t wall_ns = script->n > 0 ? script->wall_ns[script->next++ % script->n] : 0;
    st_fake_advance(lab->platform, wall_ns);
    *ret = (struct st_program_time){.wall_ns = wall_ns, .cpu_ns = wall_ns / 10, .status = script->status};
    return 0;
}

/* Its programs have ended before a signal can reach them. */
static void fake_signal_program(struct st_lab *lab, int signal_number)
{
    (void)lab;
    (void)signal_number;
}

struct st_lab *st_lab_fake_new(enum st_os os, int64_t start_ns)
{
    struct st_lab_fake *fake = calloc(1, sizeof(*fake));
    if (fake == NULL)
        return NULL;
    fake->row = (struct st_lab){
        .platform = st_fake_new(os, start_ns),
        .sleep_method = fake_sleep_method,
        .call_method = st_lab_fake_call_method,
        .wake_method = st_lab_fake_wake_method,
        .wake_open = st_lab_fake_wake_open,
        .wake_round = st_lab_fake_wake_round,
        .wake_close = st_lab_fake_wake_close,
        .time_program = fake_time_program,
        .signal_program = fake_signal_program,
    };
    if (fake->row.platform == NULL) {
        free(fake);
        return NULL;
    }
    return &fake->row;
}

void st_lab_fake_free(struct st_lab *lab)
{
    if (lab == NULL)
        return;
    struct st_lab_fake *fake = st_lab_fake_of(lab);
    st_fake_free(lab->platform);
    st_lab_fake_call_finish(fake);
    st_lab_fake_wake_finish(fake);
    free(fake);
}

void st_lab_fake_script_programs(struct st_lab *lab, bool of_true, const int64_t *wall_ns, size_t n,
                                 int status)
{
    st_lab_fake_of(lab)->programs[of_true ? 0 : 1] =
        (struct st_lab_fake_program){.wall_ns = wall_ns, .n = n, .status = status};
}

void st_lab_fake_fail_programs(struct st_lab *lab, int error)
{
    st_lab_fake_of(lab)->program_error = error;
}
