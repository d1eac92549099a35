/* Prints for apply, verify and revert: lines, what happened to each write, and what makes changed
 * files take effect. */
#include "cli/change/change_output.h"

#include <unistd.h>

#include "advisor/report/print.h"
#include "cli/command.h"
#include "core/text/safe.h"
#include "platform/child_env.h"
#include "platform/program/locale.h"
#include "platform/program/terminal.h"
#include "xruns/xrun.h"

static void print(const char *label, int column, const char *text, bool wrap)
{
    struct st_locale_stream stream;
    const bool is_terminal = isatty(STDOUT_FILENO) == 1 || getenv("COLUMNS") != NULL;
    const struct st_printer to = {.out = st_locale_begin(&stream, stdout),
                                  .width = is_terminal ? st_terminal_width(STDOUT_FILENO) : 0};
    st_print_lines(&to, 0, label, column, text, wrap);
    if (st_locale_end(&stream) != 0)
        st_failure("out of memory: one line of this output is missing");
}

void st_change_output_row(int column, const char *label, const char *text)
{
    print(label, column, text, true);
}

void st_change_output_lines(const char *text)
{
    print("", 4, text, false);
}

bool st_change_output_ask(const char *question)
{
    char answer[16] = "";
    fflush(stdout);
    fprintf(stderr, "%s [y/N] ", question);
    return fgets(answer, sizeof(answer), stdin) != NULL && (answer[0] == 'y' || answer[0] == 'Y');
}

/* --- what happened to a write --- */

const char *st_change_output_entry(const struct st_entry *entry)
{
    return st_safe_text(st_text(entry->block  ? "%s: block of %s"
                                : entry->file ? "%s"
                                              : "%s = %s (was %s)",
                                entry->target, entry->block ? entry->rule : entry->new_value,
                                entry->old_value));
}

void st_change_output_plan(const struct st_journal *plan)
{
    ST_EACH_OF (step, plan->entries, plan->entries_n) {
        st_change_output_row(10, "write", st_change_output_entry(step));
        if (step->file)
            st_change_output_lines(step->text);
    }
}

const char *st_change_output_why(int error)
{
    switch (error) {
    case -EALREADY:
        return "sleeptune changed this setting already. First run: sleeptune revert ID";
    case -ENOTEMPTY:
        return "someone else wrote this file, or changed it since. Move it away, or delete "
               "sleeptune's block in it, and run the command again.";
    case -ESTALE:
        return "the value of this setting changed after sleeptune read it. Run the command again.";
    case -EPERM:
        return "permission denied. The file may be immutable: check with lsattr (FreeBSD: ls -lo).";
    case -EROFS:
        return "the file system is mounted read-only";
    case -ELOOP:
        return "the path contains a symbolic link, and sleeptune does not follow links: use the "
               "real path";
    case -EBUSY:
        return "the kernel refuses the value at the moment (EBUSY). Try again later.";
    case -EXDEV:
        return "the path leads out of the folder of --root, so sleeptune leaves it alone";
    default:
        return strerror(-error);
    }
}

const char *st_change_output_nothing(bool all)
{
    const char *none =
        all ? "sleeptune has changed no setting" : "sleeptune has not changed this setting";
    if (geteuid() != 0 || getenv("SUDO_USER") == NULL)
        return none;
    return st_text("%s as root. What you applied without sudo is seen and undone without sudo.",
                   none);
}

/* Texts for each event; index: enum st_change_event. label[0]: for a value, label[1]: for a file;
 * more: text behind the entry. */
static const struct {
    const char *label[2], *more;
} events[] = {
    [ST_EVENT_WRITTEN] = {{"written", "written"}, ""},
    [ST_EVENT_RESTORED] = {{"restored", "removed"}, ""},
    [ST_EVENT_AS_BEFORE] = {{"as before", "as before"}, ""},
    [ST_EVENT_GONE] = {{"gone"}, ": the setting is gone, with its device or kernel module"},
    [ST_EVENT_CHANGED] = {{"kept", "kept"},
                          ": someone changed this setting after 'sleeptune apply'"},
    [ST_EVENT_FORGOTTEN] = {{"forgotten", "forgotten"},
                            ": a restart of the computer has undone this change"},
};

void st_change_output_event(enum st_change_event event, const struct st_entry *entry,
                            const char *now, int error)
{
    const bool back = event == ST_EVENT_RESTORED || event == ST_EVENT_AS_BEFORE;
    const char *text = event == ST_EVENT_GONE ? entry->target
                       : back && !entry->file ? st_text("%s = %s", entry->target, entry->old_value)
                                              : st_change_output_entry(entry);
    if (event == ST_EVENT_FAILED)
        st_failure("%s: %s", now != NULL ? now : text, st_change_output_why(error));
    else
        st_change_output_row(
            10, events[event].label[entry->file],
            st_text_joined(st_text("%s%s", text, events[event].more), ", to ", now));
}

/* --- what makes changed files take effect --- */

int st_change_output_then(const struct st_applied *applied, bool reverted, bool run_commands)
{
    int status = ST_EXIT_DONE;
    for (enum st_change_kind kind = 0; kind < ST_CHANGE_KINDS; kind++) {
        const struct st_change_row *row = &st_change_rows[kind];
        const char *text = "";
        if (applied->changed[kind] == NULL)
            continue;
        if (row->command != NULL && !run_commands) {
            text = st_text("%s%s", st_os_rows[applied->p->os].sudo, row->command);
        } else if (row->command != NULL) {
            fflush(stdout);
            if (st_child_env_shell(row->command) == 0)
                printf("ran       %s\n", row->command);
            else
                status = st_failure("'%s' failed. Run this command by hand.", row->command);
        }
        /* after revert, the running values of udev's devices are restored already */
        if (!(reverted && kind == ST_CHANGE_UDEV))
            text = st_text_joined(text, "; it ", row->then);
        if (reverted && kind == ST_CHANGE_PIPEWIRE)
            text = st_text("%s. A forced buffer size stays until then; to remove it now: %s 0",
                           text, st_xrun_sources_find("pipewire")->set_frames);
        if (text[0] != '\0')
            st_change_output_row(4, st_text("then      %s:", applied->changed[kind]), text);
    }
    return status;
}
