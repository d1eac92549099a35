/* The fake laboratory's state. */
#ifndef ST_LAB_FAKE_PRIVATE_H
#define ST_LAB_FAKE_PRIVATE_H

#include "lab/fake/lab_fake.h"
#include "lab/syscall/call_method.h"
#include "lab/wake/wake_method.h"

/* How long programs run: "true", and any other. */
struct st_lab_fake_program {
    const int64_t *wall_ns;
    size_t n, next;
    int status;
};

#define ST_LAB_FAKE_CALLS_N 4

/* What a call costs. */
struct st_lab_fake_call {
    int64_t *cost_ns;
    size_t cost_n, next;
    int64_t raw_ns;
    int open_error;
};

#define ST_LAB_FAKE_WAKES_N 4

/* How long a sleeper takes to wake. */
struct st_lab_fake_wake {
    int64_t *delay_ns;
    size_t delay_n, next;
    int64_t send_ns;
    int open_error;
};

struct st_lab_fake {
    struct st_lab row; /* first: a row's functions get a pointer to it */
    struct st_lab_fake_program programs[2];
    int program_error;
    struct st_lab_fake_call calls[ST_LAB_FAKE_CALLS_N];
    struct st_lab_fake_wake wakes[ST_LAB_FAKE_WAKES_N];
};

static inline struct st_lab_fake *st_lab_fake_of(struct st_lab *lab)
{
    return (struct st_lab_fake *)lab;
}

/* members of the row: fake_call.c, fake_wake.c */
const struct st_call_method *st_lab_fake_call_method(struct st_lab *lab, size_t i);
void st_lab_fake_call_finish(struct st_lab_fake *fake);
const struct st_wake_method *st_lab_fake_wake_method(struct st_lab *lab, size_t i);
int st_lab_fake_wake_open(struct st_wake *w, const struct st_wake_setting *setting);
int st_lab_fake_wake_round(struct st_wake *w, int64_t slice_ns, bool interrupted, struct st_wake_stamps *ret);
void st_lab_fake_wake_close(struct st_wake *w);
void st_lab_fake_wake_finish(struct st_lab_fake *fake);

#endif
