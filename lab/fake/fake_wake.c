/* Ways of waking whose delays a test scripts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/ns.h"
#include "lab/fake/private.h"

static const struct st_wake_method methods[ST_LAB_FAKE_WAKES_N + 1] = {
    {.name = "condvar", .summary = "scripted", .usual = true, .timed = true},
    {.name = "pipe", .summary = "scripted", .usual = true},
    {.name = "pthread_kill", .summary = "scripted", .usual = true, .timed = true, .threads_only = true},
    {.name = "spin", .summary = "scripted", .usual = true, .timed = true, .spins = true},
    ST_WAKE_ABSENT("kqueue-user", "only FreeBSD has it"),
};

const struct st_wake_method *st_lab_fake_wake_method(struct st_lab *lab, size_t i)
{
    (void)lab;
    return i < ST_ARRAY_LEN(methods) ? &methods[i] : NULL;
}

static struct st_lab_fake_wake *script_of(struct st_lab *lab, const struct st_wake_method *method)
{
    return &st_lab_fake_of(lab)->wakes[method - methods];
}

int st_lab_fake_wake_open(struct st_wake *w, const struct st_wake_setting *setting)
{
    struct st_platform *p = w->platform;
    const int r = p->pin(p, setting->sender_cpu);
    return r != 0 ? r : script_of(w->lab, w->method)->open_error;
}

int st_lab_fake_wake_round(struct st_wake *w, int64_t slice_ns, bool interrupted, struct st_wake_stamps *ret)
{
    struct st_platform *p = w->platform;
    struct st_lab_fake_wake *script = script_of(w->lab, w->method);
    const int64_t delay_ns = script->delay_n > 0 ? script->delay_ns[script->next++ % script->delay_n] : 0;
    if (delay_ns == INT64_MIN)
        return -ETIMEDOUT;
    st_fake_advance(p, slice_ns);
    const int64_t now_ns = p->now_ns(p);
    *ret = (struct st_wake_stamps){.woke_ns = now_ns + delay_ns};
    if (interrupted) {
        ret->signal_ns = now_ns;
        ret->sent_ns = now_ns + script->send_ns;
    } else {
        ret->due_ns = now_ns;
    }
    st_fake_advance(p, delay_ns > script->send_ns ? delay_ns : script->send_ns);
    return 0;
}

void st_lab_fake_wake_close(struct st_wake *w)
{
    (void)w;
}

int st_lab_fake_script_wake(struct st_lab *lab, const char *name, const int64_t *delay_ns, size_t n,
                            int64_t send_ns, int open_error)
{
    const struct st_wake_method *method = st_wake_find(lab, name);
    if (method == NULL || method->absent != NULL)
        return -ENOENT;
    struct st_lab_fake_wake *script = script_of(lab, method);
    int64_t *copy = calloc(n > 0 ? n : 1, sizeof(*copy));
    if (copy == NULL)
        return -ENOMEM;
    if (n > 0)
        memcpy(copy, delay_ns, n * sizeof(*copy));
    free(script->delay_ns);
    *script = (struct st_lab_fake_wake){
        .delay_ns = copy, .delay_n = n, .send_ns = send_ns, .open_error = open_error};
    return 0;
}

void st_lab_fake_wake_finish(struct st_lab_fake *fake)
{
    for (size_t i = 0; i < ST_ARRAY_LEN(fake->wakes); i++)
        free(fake->wakes[i].delay_ns);
}
