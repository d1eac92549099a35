/* Findings -> what would be written. Reads only. */
#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/change/change.h"

#define STEPS_MAX 1024

struct adder {
    struct st_plan *plan;
    struct st_platform *p;
    const struct st_finding *finding;
    struct st_change *changes; /* the finding's, with this machine's kinds */
    char *message;
    size_t message_bytes;
    int error;
};

static int ST_PRINTF(3, 4) refuse(struct adder *adder, int error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(adder->message, adder->message_bytes, format, args);
    va_end(args);
    adder->error = error;
    return error;
}

static void step_finish(struct st_step *step)
{
    free(step->target);
    free(step->old_value);
    free(step->new_value);
}

void st_plan_finish(struct st_plan *plan)
{
    for (size_t i = 0; i < plan->steps_n; i++)
        step_finish(&plan->steps[i]);
    free(plan->steps);
    *plan = (struct st_plan){0};
}

static int add_step(struct adder *adder, enum st_entry_type type, enum st_change_kind kind,
                    const char *target, const char *old_value, const char *new_value)
{
    struct st_plan *plan = adder->plan;
    if (plan->steps_n == STEPS_MAX)
        return refuse(adder, -E2BIG, "more than %d writes", STEPS_MAX);
    struct st_step *grown = reallocarray(plan->steps, plan->steps_n + 1, sizeof(*plan->steps));
    if (grown == NULL)
        return refuse(adder, -ENOMEM, "out of memory");
    plan->steps = grown;
    struct st_step *step = &plan->steps[plan->steps_n++];
    *step = (struct st_step){
        .rule = adder->finding->rule,
        .type = type,
        .kind = kind,
        .target = strdup(target),
        .old_value = old_value != NULL ? strdup(old_value) : NULL,
        .new_value = strdup(new_value),
    };
    if (step->target == NULL || step->new_value == NULL || (old_value != NULL && step->old_value == NULL))
        return refuse(adder, -ENOMEM, "out of memory");
    return 0;
}

/* --- running values --- */

static int add_value(struct adder *adder, enum st_change_kind kind, const char *target, const char *value)
{
    const bool sysctl = kind == ST_CHANGE_SYSCTL || kind == ST_CHANGE_SYSCTL_NOW;
    const enum st_entry_type type = sysctl ? ST_ENTRY_SYSCTL : ST_ENTRY_SYSFS;
    char old_value[ST_CHANGE_VALUE_BYTES];
    for (size_t i = 0; i < adder->plan->steps_n; i++) {
        const struct st_step *step = &adder->plan->steps[i];
        if (step->type == type && strcmp(step->target, target) == 0)
            return strcmp(step->new_value, value) == 0
                       ? 0
                       : refuse(adder, -EEXIST, "%s sets %s to another value", step->rule->id, target);
    }
    const int r = st_change_value_read(adder->p, type, target, old_value, sizeof(old_value));
    if (r == -ENOTSUP || (r < 0 && st_change_is_running_only(kind)))
        return 0; /* a capture: there is nothing that runs; or it comes with the next boot only */
    if (r == -EBADMSG)
        return refuse(adder, r, "%s has a value that could not be restored", target);
    if (r < 0)
        return refuse(adder, r, "cannot read %s: %s", target, strerror(-r));
    return strcmp(old_value, value) == 0 ? 0 : add_step(adder, type, kind, target, old_value, value);
}

/* A pattern with '*' within components, followed folder by folder. */
struct glob {
    struct adder *adder;
    const struct st_change *change;
    const char *below; /* the folder, "" for the root */
    const char *part;  /* the component to match */
    const char *rest;  /* what follows it, "" or "/..." */
    size_t found_n;
};

static int glob_below(struct glob *glob, const char *below, const char *rest);

static int glob_name(void *ctx, const char *name)
{
    struct glob *glob = ctx;
    char path[512];
    if (fnmatch(glob->part, name, FNM_PERIOD) != 0)
        return 0;
    const int n = snprintf(path, sizeof(path), "%s/%s", glob->below, name);
    if (n < 0 || (size_t)n >= sizeof(path))
        return refuse(glob->adder, -ENAMETOOLONG, "the path of %s is too long", name);
    struct glob next = *glob;
    const int r = glob_below(&next, path, glob->rest);
    glob->found_n = next.found_n;
    return r;
}

static int glob_below(struct glob *glob, const char *below, const char *rest)
{
    char part[256], path[512];
    if (rest[0] == '\0') {
        const int r = add_value(glob->adder, glob->change->kind, below, glob->change->value);
        glob->found_n++;
        /* a folder that matches need not have the file: a CPU without such a driver */
        if (r != -ENOENT && r != -ENOTDIR)
            return r;
        glob->found_n--;
        glob->adder->error = 0;
        return 0;
    }
    const size_t len = strcspn(rest + 1, "/");
    if (len == 0 || len >= sizeof(part))
        return refuse(glob->adder, -EINVAL, "not a path: %s", rest);
    memcpy(part, rest + 1, len);
    part[len] = '\0';
    if (strchr(part, '*') == NULL) {
        const int n = snprintf(path, sizeof(path), "%s/%s", below, part);
        return n < 0 || (size_t)n >= sizeof(path)
                   ? refuse(glob->adder, -ENAMETOOLONG, "the path of %s is too long", part)
                   : glob_below(glob, path, rest + 1 + len);
    }
    struct glob here = *glob;
    here.below = below;
    here.part = part;
    here.rest = rest + 1 + len;
    const int r = glob->adder->p->list(glob->adder->p, below, glob_name, &here);
    glob->found_n = here.found_n;
    if (glob->adder->error != 0)
        return glob->adder->error;
    return r == 0 || r == -ENOENT || r == -ENOTDIR
               ? 0
               : refuse(glob->adder, r, "cannot list %s: %s", below, strerror(-r));
}

static int add_running(struct adder *adder, const struct st_change *change)
{
    if (change->kind == ST_CHANGE_SYSCTL || change->kind == ST_CHANGE_SYSCTL_NOW)
        return add_value(adder, change->kind, change->key, change->value);
    if (change->kind != ST_CHANGE_SYSFS && change->kind != ST_CHANGE_SYSFS_NOW)
        return 0;
    struct glob glob = {.adder = adder, .change = change};
    const int r = glob_below(&glob, "", change->key);
    if (r == 0 && glob.found_n == 0)
        return refuse(adder, -ENOENT, "this machine has no %s", change->key);
    return r;
}

/* --- files --- */

static int check(struct adder *adder, const struct st_change *change)
{
    const int r = st_change_check(adder->p->os, change);
    return r == 0 ? 0
                  : refuse(adder, r, "rule %s asks for something that cannot be written: %.60s",
                           adder->finding->rule->id, change->key);
}

/* The changes with the kinds of this machine, for free(). */
static int resolve(struct adder *adder)
{
    const size_t n = adder->finding->changes_n;
    char why[256];
    adder->changes = reallocarray(NULL, n, sizeof(*adder->changes));
    if (adder->changes == NULL)
        return refuse(adder, -ENOMEM, "out of memory");
    memcpy(adder->changes, adder->finding->changes, n * sizeof(*adder->changes));
    int r = 0;
    for (size_t i = 0; r == 0 && i < n; i++) {
        r = st_change_resolve(adder->p, &adder->changes[i], why, sizeof(why));
        r = r < 0 ? refuse(adder, r, "%s", why) : check(adder, &adder->changes[i]);
    }
    return r;
}

/* The lines of all changes of the finding that go into this file. */
static int write_block(struct adder *adder, const char *path, FILE *block)
{
    char other[512], line[512];
    bool section = false;
    for (size_t i = 0; i < adder->finding->changes_n; i++) {
        const struct st_change *change = &adder->changes[i];
        if (st_change_is_running_only(change->kind))
            continue;
        int r = st_change_path(adder->p->os, change, other, sizeof(other));
        if (r == 0 && strcmp(path, other) != 0)
            continue;
        if (r == 0)
            r = st_change_line(adder->p->os, change, line, sizeof(line));
        if (r < 0)
            return refuse(adder, r, "a line for %s is too long", path);
        /* the section of a unit's drop-in once */
        fputs(section ? strchr(line, '\n') + 1 : line, block);
        section = change->kind == ST_CHANGE_SYSTEMD;
    }
    return 0;
}

static bool is_first_in_file(const struct adder *adder, size_t i, const char *path)
{
    char other[512];
    for (size_t j = 0; j < i; j++) {
        if (!st_change_is_running_only(adder->changes[j].kind) &&
            st_change_path(adder->p->os, &adder->changes[j], other, sizeof(other)) == 0 &&
            strcmp(path, other) == 0)
            return false;
    }
    return true;
}

/* The block of all changes of the finding that go into the file of the i-th, if that is the first of them. */
static int add_file(struct adder *adder, size_t i)
{
    const enum st_change_kind kind = adder->changes[i].kind;
    char path[512], *block = NULL, *text;
    size_t block_bytes;
    if (st_change_is_running_only(kind))
        return 0;
    int r = st_change_path(adder->p->os, &adder->changes[i], path, sizeof(path));
    if (r < 0)
        return refuse(adder, r, "the path of a file is too long");
    if (!is_first_in_file(adder, i, path))
        return 0;
    r = st_change_file_read(adder->p, path, &text);
    if (r == 0)
        free(text);
    else if (r != -ENOENT)
        return refuse(adder, r, "cannot read %s: %s", path, strerror(-r));
    FILE *memory = open_memstream(&block, &block_bytes);
    if (memory == NULL)
        return refuse(adder, -ENOMEM, "out of memory");
    if (st_change_takes_comments(kind))
        fprintf(memory, "# %s: written by 'sleeptune apply', taken back by 'sleeptune revert'\n",
                adder->finding->rule->id);
    r = write_block(adder, path, memory);
    if (fclose(memory) != 0 && r == 0)
        r = refuse(adder, -ENOMEM, "out of memory");
    if (r == 0)
        r = add_step(adder, ST_ENTRY_FILE, kind, path, NULL, block);
    free(block);
    return r;
}

int st_plan_add(struct st_plan *plan, struct st_platform *p, const struct st_finding *finding, char *message,
                size_t message_bytes)
{
    struct adder adder = {
        .plan = plan, .p = p, .finding = finding, .message = message, .message_bytes = message_bytes};
    const size_t before_n = plan->steps_n;
    int r = finding->changes_n > 0 ? resolve(&adder) : refuse(&adder, -ENODATA, "it has to be done by hand");
    for (size_t i = 0; r == 0 && i < finding->changes_n; i++)
        r = add_running(&adder, &adder.changes[i]);
    for (size_t i = 0; r == 0 && i < finding->changes_n; i++)
        r = add_file(&adder, i);
    while (r < 0 && plan->steps_n > before_n)
        step_finish(&plan->steps[--plan->steps_n]);
    free(adder.changes);
    return r;
}

const char *st_change_refusal(struct st_platform *p)
{
    char buf[1];
    size_t len;
    /* one byte is enough: -EFBIG says that there is a file, too */
    const int nixos = p->read_text(p, "/etc/NIXOS", buf, sizeof(buf), &len);
    if (nixos == 0 || nixos == -EFBIG)
        return "this is NixOS, where /etc is generated: put it into configuration.nix";
    const int ostree = p->read_text(p, "/run/ostree-booted", buf, sizeof(buf), &len);
    if (ostree == 0 || ostree == -EFBIG)
        return "this is an ostree system, whose image decides: put it into the image or a layer of it";
    return NULL;
}
