/* Makes a plan from findings: what `apply` would write. Reads only. */
#include "advisor/change/plan.h"

#include <fnmatch.h>
#include <libgen.h>

#define NO_ROOM "out of memory, or too many changes at once: apply one ID at a time"

struct adder {
    struct st_journal *plan;
    struct st_platform *machine;
    const struct st_finding *finding;
    /* the change that is added now */
    const struct st_change *change;
    struct st_entry form;
    /* for a path with '*': the folder above the component with the '*', and the rest of the path
     * after that component */
    const char *folder, *rest;
    const char *why;
};

/* --- adding running values --- */

static const char missing[] = "not there";

/* Adds the write of one running value to the plan. @return NULL: added, or nothing to write;
 * `missing`: this machine has no such value; else why it cannot be written. */
static const char *add_value(const struct adder *adder, const char *target)
{
    struct st_entry step = {.file = false};
    const char *old_value;
    const int r = st_change_value_read(adder->machine, target, &old_value);
    if (r == -ENOTSUP || (r < 0 && !adder->form.file))
        /* nothing to write: a capture has no running values, or another change sets this value at
         * the next boot */
        return NULL;
    if (r == -ENOENT || r == -ENOTDIR)
        return missing;
    if (r == -EBADMSG || (r == 0 && old_value[0] == '\0'))
        return st_text("%s was not changed, because revert could not restore its present value",
                       target);
    if (r < 0)
        return st_text("cannot read %s: %s", target, strerror(-r));
    if (st_text_is(old_value, adder->change->value))
        return NULL;
    ST_PRINT(step.rule, "%s", adder->finding->rule->id);
    ST_PRINT(step.target, "%s", target);
    ST_PRINT(step.old_value, "%s", old_value);
    ST_PRINT(step.new_value, "%s", adder->change->value);
    ST_PRINT(step.boot, "%s", st_journal_boot(adder->machine));
    return st_journal_add(adder->plan, &step) == 0 ? NULL : NO_ROOM;
}

/* Adds the write of the file in one folder that the '*' stands for. The folder may lack the file,
 * as a CPU without such a driver does. */
static int add_named(void *ctx, const char *name)
{
    struct adder *adder = ctx;
    const char *path = st_text("%s/%s%s", adder->folder, name, adder->rest);
    if (fnmatch(adder->change->key, path, FNM_PATHNAME | FNM_PERIOD) != 0)
        return 0;
    const char *why = add_value(adder, path);
    if (why != missing)
        adder->why = why;
    return why != missing && why != NULL;
}

static const char *add_running(struct adder *adder)
{
    const char *key = adder->change->key, *star = strchr(key, '*');
    adder->why = missing;
    if (star == NULL) {
        adder->why = add_value(adder, key);
    } else {
        adder->rest = star + strcspn(star, "/");
        adder->folder = dirname(st_text("%.*s", (int)(adder->rest - key), key));
        const int r = adder->machine->list(adder->machine, adder->folder, add_named, adder);
        if (r < 0 && r != -ENOENT && r != -ENOTDIR)
            return st_text("cannot read %s: %s", adder->folder, strerror(-r));
    }
    return adder->why == missing ? st_text("this machine does not have the setting %s", key)
                                 : adder->why;
}

/* --- adding files --- */

/* Can the change be written on this machine? Sets adder->form. @return NULL, or what to do by
 * hand. */
static const char *look_at(struct adder *adder, const char **ret_line)
{
    const struct st_change *change = adder->change;
    struct st_entry *form = &adder->form;
    const char *path, *where;
    if (change->kind == ST_CHANGE_BOOT) {
        where = st_change_boot_by_hand(adder->machine, &path);
        if (where == NULL || where[0] != '\0')
            return st_text("add %s to the kernel's command line by hand", change->value);
    }
    if (!st_change_form(adder->machine->os, adder->finding->rule->id, change, form, ret_line))
        return st_text("rule %s: sleeptune cannot write this change, make it by hand: %.60s",
                       adder->finding->rule->id, change->key);
    path = dirname(st_text("%s", form->target));
    if (form->file && st_change_folder_look(adder->machine, path) == -ENOTDIR)
        return st_text("add to %s by hand this line: %s", path, *ret_line);
    return NULL;
}

/* Adds the lines of a change to the text of its file, which may have lines of other changes. */
static const char *add_lines(const struct adder *adder, size_t i, const char *line)
{
    struct st_journal *plan = adder->plan;
    const struct st_entry *form = &adder->form;
    char *text;
    while (i < plan->entries_n && !st_text_is(plan->entries[i].target, form->target))
        i++;
    if (i == plan->entries_n && st_journal_add(plan, form) != 0)
        return NO_ROOM;
    struct st_entry *step = &plan->entries[i];
    if (asprintf(&text, "%s%s", st_text_or(step->text, ""), line) < 0)
        return NO_ROOM;
    free(step->text);
    step->text = text;
    if (strstr(step->names, form->names) == NULL)
        ST_APPEND(step->names, " %s", form->names);
    return NULL;
}

const char *st_plan_add(struct st_journal *plan, struct st_platform *machine,
                        const struct st_finding *finding, bool values_only)
{
    struct adder adder = {plan, machine, finding};
    const size_t first_n = plan->entries_n;
    const char *line, *why = finding->changes_n > 0 ? NULL : "make this change by hand";
    ST_EACH_OF (change, finding->changes, finding->changes_n) {
        const bool running = st_change_rows[change->kind].running;
        adder.change = change;
        if (why == NULL && (running || !values_only))
            why = look_at(&adder, &line);
        if (why == NULL && running)
            why = add_running(&adder);
        if (why == NULL && adder.form.file && !values_only)
            why = add_lines(&adder, first_n, line);
    }
    for (size_t i = first_n; why == NULL && i < plan->entries_n; i++)
        why = !plan->entries[i].file || st_change_finish(&plan->entries[i]) ? NULL : NO_ROOM;
    while (why != NULL && plan->entries_n > first_n)
        st_journal_remove(plan, plan->entries_n - 1);
    return why;
}
