/* After apply and revert: what makes changed files count. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/change/change_lines.h"
#include "cli/change/change_target.h"
#include "cli/command.h"
#include "core/shell_word.h"
#include "platform/child_env.h"

void st_change_teller_mark(struct st_change_teller *teller, const struct st_entry *entry)
{
    enum st_change_kind kind;
    if (entry->type == ST_ENTRY_FILE && st_change_kind_of(teller->os, entry->target, &kind) == 0 &&
        teller->changed[kind] == NULL)
        teller->changed[kind] = strdup(entry->target); /* with no memory for it a hint is missing */
}

void st_change_teller_finish(struct st_change_teller *teller)
{
    for (unsigned i = 0; i < ST_CHANGE_KINDS; i++)
        free(teller->changed[i]);
}

/* With the name of who plays in the place of $USER, where it is known. */
static void fill_in(const char *text, const char *user, char *buf, size_t buf_bytes)
{
    char quoted[256];
    const char *at = strstr(text, "$USER");
    const char *word = user != NULL ? st_shell_word(user, quoted, sizeof(quoted)) : NULL;
    if (at == NULL || word == NULL)
        snprintf(buf, buf_bytes, "%s", text);
    else
        snprintf(buf, buf_bytes, "%.*s%s%s", (int)(at - text), text, word, at + strlen("$USER"));
}

/* @return an st_exit. */
static int run(const struct st_change_teller *teller, const char *line)
{
    fflush(stdout);
    const int status = st_child_env_shell(line); /* one of change_boot.c's, for root's shell */
    if (status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        printf("ran       %s\n", line);
        return ST_EXIT_DONE;
    }
    if (status == -1)
        return st_failure(teller->command, "cannot run %s: %s", line, strerror(errno));
    return st_failure(teller->command, "%s ended with %s %d; the files are written, so run it again", line,
                      WIFEXITED(status) ? "status" : "signal",
                      WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

/* Boot loaders keep the old command line, too, until they are told; other files are as before at once. */
static bool counts_when_reverted(enum st_change_kind kind)
{
    return kind == ST_CHANGE_BOOT || kind == ST_CHANGE_BOOT_GRUB || kind == ST_CHANGE_BOOT_CMDLINE ||
           kind == ST_CHANGE_LOADER;
}

static void print_then(const char *path, const char *line, bool command, const char *when)
{
    char text[1024];
    snprintf(text, sizeof(text), "%s%s%s%s", command ? "sudo " : "", line,
             line[0] != '\0' && when[0] != '\0' ? "; it " : "", when);
    char *label = NULL;
    if (text[0] != '\0' && asprintf(&label, "then      %s:", path) >= 0)
        st_change_print(0, label, text);
    free(label);
}

int st_change_then_do(const struct st_change_teller *teller, struct st_platform *p, bool reverted,
                      bool run_commands)
{
    char line[256], when[256];
    int status = ST_EXIT_DONE;
    for (unsigned i = 0; i < ST_CHANGE_KINDS; i++) {
        const enum st_change_kind kind = (enum st_change_kind)i;
        if (teller->changed[i] == NULL)
            continue;
        const bool command = st_change_command(p, kind, line, sizeof(line)) == 0;
        if (command && run_commands) {
            if (run(teller, line) != ST_EXIT_DONE)
                status = ST_EXIT_FAILURE;
            line[0] = '\0';
        }
        const char *then = reverted && !counts_when_reverted(kind) ? NULL : st_change_then(kind);
        fill_in(then != NULL ? then : "", teller->user, when, sizeof(when));
        print_then(teller->changed[i], line, command && line[0] != '\0', when);
    }
    return status;
}
