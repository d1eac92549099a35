/* Findings -> what would be written, also as a diff. Reads only. */
#include <fnmatch.h>

#include "advisor/change/plan.h"
#include "core/text/text.h"
#include "core/text/text_buffer.h"

#define STEPS_MAX 1024

/* A change with this machine's kind, and how that is written. */
struct item {
    struct st_change change;
    struct st_change_form form;
};

struct adder {
    struct st_plan *plan;
    struct st_machine *machine;
    const struct st_finding *finding;
    char *message;
    size_t message_bytes;
    struct item *items; /* the finding's changes */
    bool values_only;
    int error;
};

static int ST_PRINTF(3, 4) refuse(struct adder *adder, int error, const char *format, ...)
{
    ST_PRINT_REST(adder->message, adder->message_bytes, format);
    adder->error = error;
    return error;
}

void st_plan_finish(struct st_plan *plan)
{
    ST_EACH_OF (step, plan->steps, plan->steps_n)
        free(step->text);
    free(plan->steps);
    *plan = (struct st_plan){0};
}

/* @return the new step; NULL: refused. */
static struct st_entry *add_step(struct adder *adder, const struct item *item, const char *target)
{
    struct st_plan *plan = adder->plan;
    struct st_entry *grown =
        plan->steps_n < STEPS_MAX ? reallocarray(plan->steps, plan->steps_n + 1, sizeof(*plan->steps)) : NULL;
    if (grown == NULL) {
        (void)refuse(adder, plan->steps_n < STEPS_MAX ? -ENOMEM : -E2BIG,
                     "out of memory, or the change needs more than %d writes", STEPS_MAX);
        return NULL;
    }
    plan->steps = grown;
    struct st_entry *step = &grown[plan->steps_n++];
    *step = (struct st_entry){.kind = item->change.kind, .frames = plan->frames, .rate_hz = plan->rate_hz};
    ST_PRINT(step->rule, "%s", adder->finding->rule->id);
    ST_PRINT(step->target, "%s", target);
    return step;
}

/* --- running values --- */

static int add_value(struct adder *adder, const struct item *item, const char *target)
{
    const char *value = item->change.value;
    char old_value[ST_CHANGE_VALUE_BYTES];
    ST_EACH_OF (step, adder->plan->steps, adder->plan->steps_n) {
        if (!step->file && st_text_is(step->target, target))
            return st_text_is(step->new_value, value)
                       ? 0
                       : refuse(adder, -EEXIST,
                                "rule %s sets %s to a different value: give only one of the two rules",
                                step->rule, target);
    }
    const int r = st_change_value_read(adder->machine, target, old_value, sizeof(old_value));
    if (r == -ENOTSUP || (r < 0 && item->form.running_only))
        return 0; /* a capture: there is nothing that runs; or it comes with the next boot only */
    if (r == -EBADMSG || (r == 0 && old_value[0] == '\0'))
        return refuse(adder, -EBADMSG,
                      "%s was not changed, because revert could not restore its present value", target);
    if (r < 0)
        return refuse(adder, r, "cannot read %s: %s", target, strerror(-r));
    if (st_text_is(old_value, value))
        return 0;
    struct st_entry *step = add_step(adder, item, target);
    if (step == NULL)
        return adder->error;
    ST_PRINT(step->old_value, "%s", old_value);
    ST_PRINT(step->new_value, "%s", value);
    st_journal_boot(adder->machine, step->boot, sizeof(step->boot));
    return 0;
}

/* A path with '*' in one of its folders. */
struct glob {
    struct adder *adder;
    const struct item *item;
    int below_len;    /* of the path, above the folder that matches */
    char part[128];   /* what the folder's name matches */
    const char *rest; /* of the path, behind that folder */
    bool found;
};

static int glob_name(void *ctx, const char *name)
{
    struct glob *glob = ctx;
    char path[512];
    if (fnmatch(glob->part, name, FNM_PERIOD) != 0)
        return 0;
    const int n = ST_PRINT(path, "%.*s%s%s", glob->below_len, glob->item->change.key, name, glob->rest);
    if (n < 0 || (size_t)n >= sizeof(path))
        return refuse(glob->adder, -ENAMETOOLONG, "the path of %s is too long", name);
    const int r = add_value(glob->adder, glob->item, path);
    glob->found = glob->found || (r != -ENOENT && r != -ENOTDIR);
    if (r != -ENOENT && r != -ENOTDIR)
        return r;
    glob->adder->error = 0; /* a folder that matches need not have the file: a CPU without such a driver */
    return 0;
}

static int add_files(struct adder *adder, const struct item *item)
{
    const char *key = item->change.key, *star = strchr(key, '*');
    int r;
    if (star == NULL) {
        r = add_value(adder, item, key);
        return r == -ENOENT || r == -ENOTDIR ? refuse(adder, -ENOENT, "this machine has no %s", key) : r;
    }
    struct glob glob = {.adder = adder, .item = item, .rest = star + strcspn(star, "/")};
    while (star[-1] != '/')
        star--;
    glob.below_len = (int)(star - key);
    ST_PRINT(glob.part, "%.*s", (int)(glob.rest - star), star);
    const char *folder = ST_TEXT(ST_CHANGE_KEY_BYTES, "%.*s", glob.below_len - 1, key);
    r = adder->machine->list(adder->machine, folder, glob_name, &glob);
    if (adder->error != 0)
        return adder->error;
    if (r < 0 && r != -ENOENT && r != -ENOTDIR)
        return refuse(adder, r, "cannot list %s: %s", folder, strerror(-r));
    return glob.found ? 0 : refuse(adder, -ENOENT, "this machine has no %s", key);
}

static bool is_value(enum st_change_kind kind)
{
    return kind == ST_CHANGE_SYSCTL || kind == ST_CHANGE_SYSCTL_NOW || kind == ST_CHANGE_SYSFS ||
           kind == ST_CHANGE_SYSFS_NOW;
}

static int add_running(struct adder *adder, const struct item *item)
{
    const enum st_change_kind kind = item->change.kind;
    const char *key = item->change.key;
    if (kind == ST_CHANGE_SYSCTL || kind == ST_CHANGE_SYSCTL_NOW)
        return add_value(adder, item, key);
    return is_value(kind) ? add_files(adder, item) : 0;
}

/* --- files --- */

/* The finding's changes as this machine writes them. */
static int resolve(struct adder *adder)
{
    const struct st_finding *finding = adder->finding;
    adder->items = reallocarray(NULL, finding->changes_n, sizeof(*adder->items));
    if (adder->items == NULL)
        return refuse(adder, -ENOMEM, "out of memory");
    ST_EACH_OF (change, finding->changes, finding->changes_n) {
        struct item *item = &adder->items[change - finding->changes];
        item->change = *change;
        if (adder->values_only && !is_value(item->change.kind))
            continue;
        if (change->kind == ST_CHANGE_BOOT && !st_change_has_boot_files(adder->machine))
            return refuse(adder, -ENODATA, "add %s to the kernel's command line by hand", change->value);
        const int r = st_change_form(adder->machine->os, finding->rule->id, &item->change, &item->form);
        if (r < 0)
            return refuse(adder, r, "sleeptune cannot write the change of rule %s: %.60s", finding->rule->id,
                          item->change.key);
        const char *path = item->form.path, *end = strrchr(path, '/');
        const char *folder = ST_TEXT(ST_CHANGE_PATH_BYTES, "%.*s", end != NULL ? (int)(end - path) : 0, path);
        if (end != NULL && st_change_folder_look(adder->machine, folder) == -ENOTDIR)
            return refuse(adder, -ENODATA, "add to %s by hand %s", folder, item->form.line);
    }
    return 0;
}

/* The file of the i-th change, with the lines of all changes of the finding that go into it, if the i-th is
 * the first of them. */
static int add_file(struct adder *adder, size_t i)
{
    const struct item *item = &adder->items[i];
    const enum st_os os = adder->machine->os;
    const char *rule = adder->finding->rule->id;
    struct st_text_buffer lines = {0};
    ST_EACH_OF (before, adder->items, i) {
        if (st_text_is(before->form.path, item->form.path))
            return 0;
    }
    struct st_entry *step = add_step(adder, item, item->form.path);
    if (step == NULL)
        return adder->error;
    step->file = true;
    ST_PRINT(step->part, "%s", item->form.part);
    for (size_t j = i; j < adder->finding->changes_n; j++) {
        const struct st_change_form *form = &adder->items[j].form;
        if (!st_text_is(form->path, item->form.path))
            continue;
        st_text_buffer_printf(&lines, "%s", form->line);
        if (strstr(step->names, form->name) == NULL &&
            strlen(step->names) + strlen(form->name) + 2 < sizeof(step->names))
            ST_APPEND(step->names, "%s%s", step->names[0] != '\0' ? " " : "", form->name);
    }
    char *text = st_text_buffer_take(&lines);
    step->text = text != NULL ? st_change_text(os, step->kind, rule, text) : NULL;
    free(text);
    if (step->text == NULL)
        return refuse(adder, -ENOMEM, "out of memory");
    step->hash = st_change_hash(step->text, strlen(step->text));
    return 0;
}

static int add_all(struct adder *adder)
{
    struct st_plan *plan = adder->plan;
    const size_t before_n = plan->steps_n, n = adder->finding->changes_n;
    int r = n > 0 ? resolve(adder) : refuse(adder, -ENODATA, "make this change by hand");
    for (size_t i = 0; r == 0 && i < n; i++)
        r = add_running(adder, &adder->items[i]);
    for (size_t i = 0; r == 0 && i < n && !adder->values_only; i++)
        r = adder->items[i].form.running_only ? 0 : add_file(adder, i);
    while (r < 0 && plan->steps_n > before_n)
        free(plan->steps[--plan->steps_n].text);
    free(adder->items);
    return r;
}

int st_plan_add(struct st_plan *plan, struct st_machine *machine, const struct st_finding *finding,
                char *message, size_t message_bytes)
{
    return add_all(&(struct adder){plan, machine, finding, message, message_bytes});
}

int st_plan_add_values(struct st_plan *plan, struct st_machine *machine, const struct st_finding *finding,
                       char *message, size_t message_bytes)
{
    return add_all(&(struct adder){plan, machine, finding, message, message_bytes, .values_only = true});
}

/* --- as a diff --- */

static size_t count_lines(const char *text)
{
    size_t n = 0;
    for (; *text != '\0'; text++)
        n += *text == '\n';
    return n;
}

static void print_lines(FILE *out, char sign, const char *text)
{
    for (; *text != '\0'; text = st_text_next_line(text))
        fprintf(out, "%c%.*s\n", sign, (int)strcspn(text, "\n"), text);
}

/* Appends a block at the end of `old`, or replaces all of it. */
static void print_hunk(FILE *out, const char *path, const char *old, const char *added, bool block)
{
    const size_t len = strlen(old);
    const char *end = strrchr(old, '\n'), *last = end != NULL ? end + 1 : old;
    const bool cut = *last != '\0'; /* the last line has no newline: that of the block ends it */
    const size_t old_n = count_lines(old) + cut, added_n = count_lines(added);
    fprintf(out, "--- %s\n+++ %s\n", len > 0 ? path : "/dev/null", path);
    if (!block) {
        fprintf(out, "@@ -%d,%zu +1,%zu @@\n", old_n > 0, old_n, added_n);
        print_lines(out, '-', old);
    } else {
        fprintf(out, "@@ -%zu,%d +%zu,%zu @@\n", old_n, cut, old_n + !cut, added_n);
    }
    if (block && cut) {
        print_lines(out, '-', last);
        fputs("\\ No newline at end of file\n", out);
        print_lines(out, '+', last);
        added += added[0] == '\n';
    }
    print_lines(out, '+', added);
}

/* The file of the first step that has it, with what all steps put there. */
static int print_file(const struct st_plan *plan, size_t first, struct st_machine *machine, FILE *out)
{
    const char *path = plan->steps[first].target;
    char *old = NULL;
    struct st_text_buffer blocks = {0};
    int r = st_change_file_read(machine, path, &old);
    if (r < 0 && r != -ENOENT)
        return r;
    for (size_t i = 0; i < plan->steps_n; i++) {
        if (i < first && st_text_is(plan->steps[i].target, path)) {
            free(old);
            return 0;
        }
        if (st_text_is(plan->steps[i].target, path))
            st_text_buffer_printf(&blocks, "%s", plan->steps[i].text);
    }
    char *added = st_text_buffer_take(&blocks);
    if (added != NULL)
        print_hunk(out, path, old != NULL ? old : "", added,
                   st_change_is_block(machine->os, plan->steps[first].kind));
    free(added);
    free(old);
    return added != NULL ? 0 : -ENOMEM;
}

int st_plan_print(const struct st_plan *plan, struct st_machine *machine, FILE *out)
{
    int r = 0;
    for (size_t i = 0; r == 0 && i < plan->steps_n; i++)
        r = plan->steps[i].file ? print_file(plan, i, machine, out) : 0;
    ST_EACH_OF (step, plan->steps, r == 0 ? plan->steps_n : 0) {
        if (!step->file)
            fprintf(out, "%s: %s -> %s\n", step->target, step->old_value, step->new_value);
    }
    return r;
}
