/* Calls whose cost a test scripts: each moves the fake clock. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/ns.h"
#include "lab/fake/private.h"

static int fake_open(struct st_call *c);
static int fake_call(struct st_call *c);
static int fake_raw(struct st_call *c);

static const struct st_call_method calls[ST_LAB_FAKE_CALLS_N + 2] = {
    {.name = "clock_gettime-monotonic",
     .summary = "scripted",
     .tells_time = true,
     .open = fake_open,
     .call = fake_call,
     .raw = fake_raw},
    {.name = "getppid", .summary = "scripted", .open = fake_open, .call = fake_call, .raw = fake_raw},
    {.name = "sysconf", .summary = "scripted", .open = fake_open, .call = fake_call},
    {.name = "nanosleep-1ns",
     .summary = "scripted",
     .blocks = true,
     .open = fake_open,
     .call = fake_call,
     .raw = fake_raw},
    ST_CALL_EMPTY,
    ST_CALL_ABSENT("umtx-wake", "only FreeBSD has it"),
};

const struct st_call_method *st_lab_fake_call_method(struct st_lab *lab, size_t i)
{
    (void)lab;
    return i < ST_ARRAY_LEN(calls) ? &calls[i] : NULL;
}

static struct st_lab_fake_call *script_of(struct st_lab *lab, const struct st_call_method *method)
{
    return &st_lab_fake_of(lab)->calls[method - calls];
}

static int fake_open(struct st_call *c)
{
    return script_of(c->lab, c->method)->open_error;
}

static int fake_call(struct st_call *c)
{
    struct st_lab_fake_call *script = script_of(c->lab, c->method);
    const size_t i = script->next < script->cost_n ? script->next++ : script->cost_n - 1;
    if (script->cost_n > 0)
        st_fake_advance(c->platform, script->cost_ns[i]);
    return 0;
}

static int fake_raw(struct st_call *c)
{
    st_fake_advance(c->platform, script_of(c->lab, c->method)->raw_ns);
    return 0;
}

int st_lab_fake_script_call(struct st_lab *lab, const char *name, const int64_t *cost_ns, size_t n,
                            int64_t raw_ns)
{
    const struct st_call_method *method = st_call_find(lab, name);
    if (method == NULL || method->open != fake_open)
        return -ENOENT;
    struct st_lab_fake_call *script = script_of(lab, method);
    int64_t *copy = calloc(n > 0 ? n : 1, sizeof(*copy));
    if (copy == NULL)
        return -ENOMEM;
    if (n > 0)
        memcpy(copy, cost_ns, n * sizeof(*copy));
    free(script->cost_ns);
    *script = (struct st_lab_fake_call){
        .cost_ns = copy, .cost_n = n, .raw_ns = raw_ns, .open_error = script->open_error};
    return 0;
}

int st_lab_fake_fail_call(struct st_lab *lab, const char *name, int error)
{
    const struct st_call_method *method = st_call_find(lab, name);
    if (method == NULL || method->open != fake_open || error >= 0)
        return -EINVAL;
    script_of(lab, method)->open_error = error;
    return 0;
}

void st_lab_fake_call_finish(struct st_lab_fake *fake)
{
    for (size_t i = 0; i < ST_ARRAY_LEN(fake->calls); i++)
        free(fake->calls[i].cost_ns);
}
