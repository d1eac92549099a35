/* Findings -> what would be written, also as a diff. Reads only. */
#include <fnmatch.h>

#include "advisor/change/plan.h"
#include "core/text/text.h"
#include "core/text/text_buffer.h"

#define STEPS_MAX 1024

struct adder {
    struct st_plan *plan;
    struct st_machine *machine;
    const struct st_finding *finding;
    char *message;
    size_t message_bytes;
    size_t first_n; /* steps of other findings */
};

static int ST_PRINTF(3, 4) refuse(struct adder *adder, int error, const char *format, ...)
{
    ST_PRINT_REST(adder->message, adder->message_bytes, format);
    return error;
}

void st_plan_finish(struct st_plan *plan)
{
    ST_EACH_OF (step, plan->steps, plan->steps_n)
        free(step->text);
    free(plan->steps);
    *plan = (struct st_plan){0};
}

/* @return the new step; NULL: out of memory, or too many. */
static struct st_entry *add_step(struct adder *adder, enum st_change_kind kind, const char *target)
{
    struct st_plan *plan = adder->plan;
    struct st_entry *grown =
        plan->steps_n < STEPS_MAX ? reallocarray(plan->steps, plan->steps_n + 1, sizeof(*plan->steps)) : NULL;
    if (grown == NULL)
        return NULL;
    plan->steps = grown;
    struct st_entry *step = &grown[plan->steps_n++];
    *step = (struct st_entry){.kind = kind, .frames = plan->frames, .rate_hz = plan->rate_hz};
    ST_PRINT(step->rule, "%s", adder->finding->rule->id);
    ST_PRINT(step->target, "%s", target);
    return step;
}

static int refuse_more(struct adder *adder)
{
    return refuse(adder, -ENOMEM, "out of memory, or the change needs more than %d writes", STEPS_MAX);
}

/* --- running values --- */

/* now_only: it need not be there; a file sets it at the next boot. @return also -ENOENT, without a message.
 */
static int add_value(struct adder *adder, const struct st_change *change, bool now_only, const char *target)
{
    char old_value[ST_CHANGE_VALUE_BYTES];
    ST_EACH_OF (step, adder->plan->steps, adder->plan->steps_n) {
        if (!step->file && st_text_is(step->target, target))
            return st_text_is(step->new_value, change->value)
                       ? 0
                       : refuse(adder, -EEXIST,
                                "rule %s sets %s to a different value: give only one of the two rules",
                                step->rule, target);
    }
    const int r = st_change_value_read(adder->machine, target, old_value, sizeof(old_value));
    if (r == -ENOTSUP || (r < 0 && now_only))
        return 0; /* a capture: there is nothing that runs; or it comes with the next boot only */
    if (r == -EBADMSG || (r == 0 && old_value[0] == '\0'))
        return refuse(adder, -EBADMSG,
                      "%s was not changed, because revert could not restore its present value", target);
    if (r < 0)
        return r == -ENOTDIR ? -ENOENT : refuse(adder, r, "cannot read %s: %s", target, strerror(-r));
    if (st_text_is(old_value, change->value))
        return 0;
    struct st_entry *step = add_step(adder, change->kind, target);
    if (step == NULL)
        return refuse_more(adder);
    ST_PRINT(step->old_value, "%s", old_value);
    ST_PRINT(step->new_value, "%s", change->value);
    st_journal_boot(adder->machine, step->boot, sizeof(step->boot));
    return 0;
}

/* A path with '*' in one of its folders. */
struct glob {
    struct adder *adder;
    const struct st_change *change;
    bool now_only;
    int below_len;    /* of the path, above the folder that matches */
    const char *rest; /* of the path, behind that folder */
    int r;            /* -ENOENT: none is found yet */
};

/* A folder that matches need not have the file: a CPU without such a driver. */
static int glob_name(void *ctx, const char *name)
{
    struct glob *glob = ctx;
    const char *key = glob->change->key;
    const char *path = st_text("%.*s%s%s", glob->below_len, key, name, glob->rest);
    const int r = fnmatch(key, path, FNM_PATHNAME | FNM_PERIOD) == 0
                      ? add_value(glob->adder, glob->change, glob->now_only, path)
                      : -ENOENT;
    glob->r = r == -ENOENT ? glob->r : r;
    return r != -ENOENT && r != 0;
}

static int add_running(struct adder *adder, const struct st_change *change, bool now_only)
{
    const char *key = change->key, *star = strchr(key, '*');
    int r;
    if (star == NULL) {
        r = add_value(adder, change, now_only, key);
    } else {
        struct glob glob = {.adder = adder,
                            .change = change,
                            .now_only = now_only,
                            .rest = star + strcspn(star, "/"),
                            .r = -ENOENT};
        while (star[-1] != '/')
            star--;
        glob.below_len = (int)(star - key);
        r = adder->machine->list(adder->machine, st_text("%.*s", glob.below_len - 1, key), glob_name, &glob);
        r = r == 0 || r == -ENOTDIR ? glob.r : r;
    }
    return r == -ENOENT ? refuse(adder, r, "this machine has no %s", key) : r;
}

static bool is_value(enum st_change_kind kind)
{
    return kind == ST_CHANGE_SYSCTL || kind == ST_CHANGE_SYSCTL_NOW || kind == ST_CHANGE_SYSFS ||
           kind == ST_CHANGE_SYSFS_NOW;
}

/* --- files --- */

/* Is there a way to write it here? */
static int look_at(struct adder *adder, const struct st_change *change, struct st_change_form *form)
{
    if (change->kind == ST_CHANGE_BOOT && !st_change_has_boot_files(adder->machine))
        return refuse(adder, -ENODATA, "add %s to the kernel's command line by hand", change->value);
    const int r = st_change_form(adder->machine->os, adder->finding->rule->id, change, form);
    if (r < 0)
        return refuse(adder, r, "sleeptune cannot write the change of rule %s: %.60s",
                      adder->finding->rule->id, change->key);
    const char *end = strrchr(form->path, '/');
    const char *folder = st_text("%.*s", end != NULL ? (int)(end - form->path) : 0, form->path);
    if (end != NULL && st_change_folder_look(adder->machine, folder) == -ENOTDIR)
        return refuse(adder, -ENODATA, "add to %s by hand %s", folder, form->line);
    return 0;
}

/* Adds the lines of a change to those of the finding that go into the same file. */
static int add_lines(struct adder *adder, const struct st_change *change, const struct st_change_form *form)
{
    char *text;
    size_t i = adder->first_n;
    while (i < adder->plan->steps_n && !st_text_is(adder->plan->steps[i].target, form->path))
        i++;
    struct st_entry *step =
        i < adder->plan->steps_n ? &adder->plan->steps[i] : add_step(adder, change->kind, form->path);
    if (step == NULL || asprintf(&text, "%s%s", step->text != NULL ? step->text : "", form->line) < 0)
        return refuse_more(adder);
    free(step->text);
    step->text = text;
    step->file = true;
    ST_PRINT(step->part, "%s", form->part);
    if (strstr(step->names, form->name) == NULL &&
        strlen(step->names) + strlen(form->name) + 2 < sizeof(step->names))
        st_text_join(step->names, sizeof(step->names), " ", "%s", form->name);
    return 0;
}

/* What stands around its lines. */
static int finish_file(struct adder *adder, struct st_entry *step)
{
    char *text = st_change_text(adder->machine->os, step->kind, step->rule, step->text);
    if (text == NULL)
        return refuse_more(adder);
    free(step->text);
    step->text = text;
    step->hash = st_change_hash(text, strlen(text));
    return 0;
}

/* Running values first: a file that cannot be written is said before anything is read. */
int st_plan_add(struct st_plan *plan, struct st_machine *machine, const struct st_finding *finding,
                bool values_only, char *message, size_t message_bytes)
{
    struct adder adder = {plan, machine, finding, message, message_bytes, .first_n = plan->steps_n};
    struct st_change_form form;
    int r = finding->changes_n > 0 ? 0 : refuse(&adder, -ENODATA, "make this change by hand");
    for (int files = 0; files <= !values_only; files++) {
        ST_EACH_OF (change, finding->changes, r == 0 ? finding->changes_n : 0) {
            const bool value = is_value(change->kind);
            if (r == 0 && (value || !values_only))
                r = look_at(&adder, change, &form);
            if (r == 0 && value && files == 0)
                r = add_running(&adder, change, form.running_only);
            if (r == 0 && files == 1 && !form.running_only)
                r = add_lines(&adder, change, &form);
        }
    }
    for (size_t i = adder.first_n; r == 0 && i < plan->steps_n; i++)
        r = plan->steps[i].file ? finish_file(&adder, &plan->steps[i]) : 0;
    while (r < 0 && plan->steps_n > adder.first_n)
        free(plan->steps[--plan->steps_n].text);
    return r;
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

/* All of a file, or blocks behind what is there, with its last line if that has no newline. */
static int print_file(const struct st_plan *plan, const struct st_entry *first, struct st_machine *machine,
                      FILE *out)
{
    const bool block = st_change_is_block(machine->os, first->kind);
    struct st_text_buffer added = {0};
    char *old = NULL;
    const int r = st_change_file_read(machine, first->target, &old);
    if (r < 0 && r != -ENOENT)
        return r;
    const char *text = old != NULL ? old : "", *end = block ? strrchr(text, '\n') : NULL,
               *gone = end != NULL ? end + 1 : text;
    const bool cut = gone[0] != '\0' && gone[strlen(gone) - 1] != '\n';
    const size_t gone_n = count_lines(gone) + cut, kept_n = count_lines(text) - count_lines(gone);
    st_text_buffer_printf(&added, "%s", block ? gone : "");
    ST_EACH_OF (step, plan->steps, plan->steps_n) {
        if (step->file && st_text_is(step->target, first->target))
            st_text_buffer_printf(&added, "%s", step->text);
    }
    char *lines = st_text_buffer_take(&added);
    if (lines != NULL) {
        fprintf(out, "--- %s\n+++ %s\n@@ -%zu,%zu +%zu,%zu @@\n",
                text[0] != '\0' ? first->target : "/dev/null", first->target, kept_n + (gone_n > 0), gone_n,
                kept_n + 1, count_lines(lines));
        print_lines(out, '-', gone);
        if (cut)
            fputs("\\ No newline at end of file\n", out);
        print_lines(out, '+', lines);
    }
    free(lines);
    free(old);
    return lines != NULL ? 0 : -ENOMEM;
}

int st_plan_print(const struct st_plan *plan, struct st_machine *machine, FILE *out)
{
    int r = 0;
    ST_EACH_OF (step, plan->steps, plan->steps_n) {
        const struct st_entry *first = plan->steps;
        while (!st_text_is(first->target, step->target))
            first++;
        if (r == 0 && step->file && first == step)
            r = print_file(plan, step, machine, out);
    }
    ST_EACH_OF (step, plan->steps, r == 0 ? plan->steps_n : 0) {
        if (!step->file)
            fprintf(out, "%s: %s -> %s\n", step->target, step->old_value, step->new_value);
    }
    return r;
}
