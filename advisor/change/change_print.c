/* A plan as a diff. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/change/change.h"

#define CONTEXT_LINES 3

static size_t count_lines(const char *text)
{
    size_t n = 0;
    for (; *text != '\0'; text++)
        n += *text == '\n';
    return n;
}

static void print_lines(FILE *out, char sign, const char *text)
{
    while (*text != '\0') {
        const size_t len = strcspn(text, "\n");
        fprintf(out, "%c%.*s\n", sign, (int)len, text);
        text += len + (text[len] == '\n');
    }
}

/* A hunk that appends `added` at the end of `old`. */
static void print_hunk(FILE *out, const char *path, const char *old, const char *added)
{
    const size_t len = strlen(old);
    const bool cut = len > 0 && old[len - 1] != '\n';
    const size_t old_n = count_lines(old) + cut, added_n = count_lines(added);
    const char *context = old + len;
    size_t context_n = 0;
    while (context > old && context_n < CONTEXT_LINES) {
        context--;
        while (context > old && context[-1] != '\n')
            context--;
        context_n++;
    }
    fprintf(out, "--- %s\n+++ %s\n", old_n > 0 ? path : "/dev/null", path);
    fprintf(out, "@@ -%zu,%zu +%zu,%zu @@\n", old_n > 0 ? old_n - context_n + 1 : 0, context_n,
            old_n - context_n + 1, context_n + added_n);
    const char *last = old + len;
    while (cut && last > context && last[-1] != '\n')
        last--;
    char *whole = strndup(context, (size_t)(last - context));
    if (whole != NULL)
        print_lines(out, ' ', whole);
    free(whole);
    if (cut) {
        print_lines(out, '-', last);
        fputs("\\ No newline at end of file\n", out);
        print_lines(out, '+', last);
    }
    print_lines(out, '+', added);
}

static bool seen_before(const struct st_plan *plan, size_t i)
{
    for (size_t j = 0; j < i; j++) {
        if (plan->steps[j].type == ST_ENTRY_FILE && strcmp(plan->steps[j].target, plan->steps[i].target) == 0)
            return true;
    }
    return false;
}

static int print_file(const struct st_plan *plan, size_t first, struct st_platform *p, FILE *out)
{
    const char *path = plan->steps[first].target;
    char *old, *added = NULL;
    size_t added_bytes;
    int r = st_change_file_read(p, path, &old);
    if (r == -ENOENT) {
        old = strdup("");
        r = old != NULL ? 0 : -ENOMEM;
    }
    if (r < 0)
        return r;
    FILE *memory = open_memstream(&added, &added_bytes);
    if (memory == NULL) {
        free(old);
        return -ENOMEM;
    }
    for (size_t i = first; i < plan->steps_n; i++) {
        if (plan->steps[i].type == ST_ENTRY_FILE && strcmp(plan->steps[i].target, path) == 0)
            fputs(plan->steps[i].new_value, memory);
    }
    if (fclose(memory) == 0 && added != NULL)
        print_hunk(out, path, old, added);
    else
        r = -ENOMEM;
    free(added);
    free(old);
    return r;
}

int st_plan_print(const struct st_plan *plan, struct st_platform *p, FILE *out)
{
    int r = 0;
    for (size_t i = 0; r == 0 && i < plan->steps_n; i++) {
        if (plan->steps[i].type == ST_ENTRY_FILE && !seen_before(plan, i))
            r = print_file(plan, i, p, out);
    }
    for (size_t i = 0; r == 0 && i < plan->steps_n; i++) {
        const struct st_step *step = &plan->steps[i];
        if (step->type != ST_ENTRY_FILE)
            fprintf(out, "%s: %s -> %s\n", step->target, step->old_value, step->new_value);
    }
    return r;
}
