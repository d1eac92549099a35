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

static void step_finish(struct st_plan_step *step)
{
    free(step->target);
    free(step->old_value);
    free(step->new_value);
}

void st_plan_finish(struct st_plan *plan)
{
    ST_EACH_OF (step, plan->steps, plan->steps_n)
        step_finish(step);
    free(plan->steps);
    *plan = (struct st_plan){0};
}

static int add_step(struct adder *adder, enum st_entry_type type, const struct item *item, const char *target,
                    const char *old_value, const char *new_value)
{
    struct st_plan *plan = adder->plan;
    if (plan->steps_n == STEPS_MAX)
        return refuse(adder, -E2BIG, "the change needs more than %d writes", STEPS_MAX);
    struct st_plan_step *grown = reallocarray(plan->steps, plan->steps_n + 1, sizeof(*plan->steps));
    if (grown == NULL)
        return refuse(adder, -ENOMEM, "out of memory");
    plan->steps = grown;
    struct st_plan_step *step = &plan->steps[plan->steps_n++];
    *step = (struct st_plan_step){
        .rule = adder->finding->rule,
        .type = type,
        .kind = item->change.kind,
        .comments = item->form.takes_comments,
        .target = strdup(target),
        .old_value = old_value != NULL ? strdup(old_value) : NULL,
        .new_value = strdup(new_value),
    };
    if (step->target == NULL || step->new_value == NULL || (old_value != NULL && step->old_value == NULL))
        return refuse(adder, -ENOMEM, "out of memory");
    return 0;
}

/* --- running values --- */

static int add_value(struct adder *adder, enum st_entry_type type, const struct item *item,
                     const char *target)
{
    const char *value = item->change.value;
    char old_value[ST_CHANGE_VALUE_BYTES];
    ST_EACH_OF (step, adder->plan->steps, adder->plan->steps_n) {
        if (step->type == type && st_text_is(step->target, target))
            return st_text_is(step->new_value, value)
                       ? 0
                       : refuse(adder, -EEXIST,
                                "rule %s sets %s to a different value: give only one of the two rules",
                                step->rule->id, target);
    }
    const int r = st_change_value_read(adder->machine, type, target, old_value, sizeof(old_value));
    if (r == -ENOTSUP || (r < 0 && item->form.running_only))
        return 0; /* a capture: there is nothing that runs; or it comes with the next boot only */
    if (r == -EBADMSG)
        return refuse(adder, r, "%s was not changed, because revert could not restore its present value",
                      target);
    if (r < 0)
        return refuse(adder, r, "cannot read %s: %s", target, strerror(-r));
    return st_text_is(old_value, value) ? 0 : add_step(adder, type, item, target, old_value, value);
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
    const int r = add_value(glob->adder, ST_ENTRY_SYSFS, glob->item, path);
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
        r = add_value(adder, ST_ENTRY_SYSFS, item, key);
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
        return add_value(adder, ST_ENTRY_SYSCTL, item, key);
    return is_value(kind) ? add_files(adder, item) : 0;
}

/* --- files --- */

/* The finding's changes as this machine writes them. */
static int resolve(struct adder *adder)
{
    const struct st_finding *finding = adder->finding;
    char why[256];
    adder->items = reallocarray(NULL, finding->changes_n, sizeof(*adder->items));
    if (adder->items == NULL)
        return refuse(adder, -ENOMEM, "out of memory");
    ST_EACH_OF (change, finding->changes, finding->changes_n) {
        struct item *item = &adder->items[change - finding->changes];
        item->change = *change;
        if (adder->values_only && !is_value(item->change.kind))
            continue;
        int r = st_change_resolve(adder->machine, &item->change, why, sizeof(why));
        if (r < 0)
            return refuse(adder, r, "%s", why);
        r = st_change_form(adder->machine->os, &item->change, &item->form);
        if (r < 0)
            return refuse(adder, r, "sleeptune cannot write the change of rule %s: %.60s", finding->rule->id,
                          item->change.key);
    }
    return 0;
}

static bool is_first_in_file(const struct adder *adder, size_t i)
{
    ST_EACH_OF (item, adder->items, i) {
        if (st_text_is(item->form.path, adder->items[i].form.path))
            return false;
    }
    return true;
}

/* The lines of all changes of the finding that go into the file of the i-th, which is the first of them.
 * @return for free(); NULL: out of memory. */
static char *block_text(const struct adder *adder, size_t i)
{
    const struct st_change_form *first = &adder->items[i].form;
    struct st_text_buffer block = {0};
    if (first->takes_comments)
        st_text_buffer_printf(&block,
                              "# %s: written by 'sleeptune apply', taken back by 'sleeptune revert'\n",
                              adder->finding->rule->id);
    for (size_t j = i; j < adder->finding->changes_n; j++) {
        const struct st_change_form *form = &adder->items[j].form;
        if (st_text_is(form->path, first->path)) /* the section of a unit's drop-in once */
            st_text_buffer_printf(&block, "%s", form->line + (j == i ? 0 : form->section_bytes));
    }
    return st_text_buffer_take(&block);
}

static bool has_line(const char *text, const char *line, size_t len)
{
    for (const char *at = text; *at != '\0'; at = st_text_next_line(at)) {
        if (strcspn(at, "\n") == len && memcmp(at, line, len) == 0)
            return true;
    }
    return false;
}

/* Two rules may ask for the same limit: is each line of the block in the file, or planned for it? */
static bool is_there(const struct adder *adder, const struct item *item, const char *text, const char *block)
{
    if (item->change.kind != ST_CHANGE_LIMITS)
        return false;
    for (const char *line = block; *line != '\0'; line = st_text_next_line(line)) {
        const size_t len = strcspn(line, "\n");
        bool found = line[0] == '#' || has_line(text, line, len);
        ST_EACH_OF (step, adder->plan->steps, adder->plan->steps_n)
            found |= st_text_is(step->target, item->form.path) && has_line(step->new_value, line, len);
        if (!found)
            return false;
    }
    return true;
}

static int add_file(struct adder *adder, size_t i)
{
    const struct item *item = &adder->items[i];
    const char *path = item->form.path;
    char *text = NULL;
    if (item->form.running_only || !is_first_in_file(adder, i))
        return 0;
    int r = st_change_file_read(adder->machine, path, &text);
    if (r < 0 && r != -ENOENT)
        return refuse(adder, r, "cannot read %s: %s", path, strerror(-r));
    char *block = block_text(adder, i);
    if (block == NULL)
        r = refuse(adder, -ENOMEM, "out of memory");
    else
        r = is_there(adder, item, r == 0 ? text : "", block)
                ? 0
                : add_step(adder, ST_ENTRY_FILE, item, path, NULL, block);
    free(block);
    free(text);
    return r;
}

static int add_all(struct adder *adder)
{
    struct st_plan *plan = adder->plan;
    const size_t before_n = plan->steps_n, n = adder->finding->changes_n;
    int r = n > 0 ? resolve(adder) : refuse(adder, -ENODATA, "make this change by hand");
    for (size_t i = 0; r == 0 && i < n; i++)
        r = add_running(adder, &adder->items[i]);
    for (size_t i = 0; r == 0 && i < n && !adder->values_only; i++)
        r = add_file(adder, i);
    while (r < 0 && plan->steps_n > before_n)
        step_finish(&plan->steps[--plan->steps_n]);
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

#define CONTEXT_LINES 3

static size_t count_lines(const char *text)
{
    size_t n = 0;
    for (; *text != '\0'; text++)
        n += *text == '\n';
    return n;
}

/* Where the line that ends at `end` begins. */
static const char *line_begin(const char *text, const char *end)
{
    end -= end > text;
    while (end > text && end[-1] != '\n')
        end--;
    return end;
}

static void print_lines(FILE *out, char sign, const char *text, const char *end)
{
    for (; text < end; text = st_text_next_line(text))
        fprintf(out, "%c%.*s\n", sign, (int)strcspn(text, "\n"), text);
}

/* A hunk that appends `added` at the end of `old`. */
static void print_hunk(FILE *out, const char *path, const char *old, const char *added)
{
    const size_t len = strlen(old);
    const bool cut = len > 0 && old[len - 1] != '\n';
    const size_t old_n = count_lines(old) + cut, added_n = count_lines(added);
    const char *end = old + len, *last = cut ? line_begin(old, end) : end, *context = end;
    size_t context_n = 0;
    for (; context > old && context_n < CONTEXT_LINES; context_n++)
        context = line_begin(old, context);
    fprintf(out, "--- %s\n+++ %s\n", old_n > 0 ? path : "/dev/null", path);
    fprintf(out, "@@ -%zu,%zu +%zu,%zu @@\n", old_n > 0 ? old_n - context_n + 1 : 0, context_n,
            old_n - context_n + 1, context_n + added_n);
    print_lines(out, ' ', context, last);
    if (cut) {
        print_lines(out, '-', last, end);
        fputs("\\ No newline at end of file\n", out);
        print_lines(out, '+', last, end);
    }
    print_lines(out, '+', added, added + strlen(added));
}

static bool seen_before(const struct st_plan *plan, size_t i)
{
    ST_EACH_OF (step, plan->steps, i) {
        if (step->type == ST_ENTRY_FILE && st_text_is(step->target, plan->steps[i].target))
            return true;
    }
    return false;
}

static int print_file(const struct st_plan *plan, size_t first, struct st_machine *machine, FILE *out)
{
    const char *path = plan->steps[first].target;
    char *old;
    int r = st_change_file_read(machine, path, &old);
    if (r == -ENOENT) {
        old = strdup("");
        r = old != NULL ? 0 : -ENOMEM;
    }
    if (r < 0)
        return r;
    struct st_text_buffer blocks = {0};
    ST_EACH_OF (step, plan->steps, plan->steps_n) {
        if (step->type == ST_ENTRY_FILE && st_text_is(step->target, path))
            st_text_buffer_printf(&blocks, "%s", step->new_value);
    }
    char *added = st_text_buffer_take(&blocks);
    if (added != NULL)
        print_hunk(out, path, old, added);
    else
        r = -ENOMEM;
    free(added);
    free(old);
    return r;
}

int st_plan_print(const struct st_plan *plan, struct st_machine *machine, FILE *out)
{
    int r = 0;
    for (size_t i = 0; r == 0 && i < plan->steps_n; i++) {
        if (plan->steps[i].type == ST_ENTRY_FILE && !seen_before(plan, i))
            r = print_file(plan, i, machine, out);
    }
    ST_EACH_OF (step, plan->steps, r == 0 ? plan->steps_n : 0) {
        if (step->type != ST_ENTRY_FILE)
            fprintf(out, "%s: %s -> %s\n", step->target, step->old_value, step->new_value);
    }
    return r;
}
