/* What apply, verify and revert print: lines, what happened to each write, and what makes changed files take
 * effect. */
#include "cli/change/change_output.h"

#include <sys/wait.h>
#include <unistd.h>

#include "advisor/report/print.h"
#include "cli/command.h"
#include "core/text/safe.h"
#include "core/text/text.h"
#include "platform/child_env.h"
#include "platform/program/locale.h"
#include "platform/program/terminal.h"
#include "xruns/xrun.h"

/** Text to standard output; end it with st_locale_end. */
static struct st_printer printer(struct st_locale_stream *stream)
{
    const bool wrapped = isatty(STDOUT_FILENO) == 1 || getenv("COLUMNS") != NULL;
    return (struct st_printer){
        .out = st_locale_begin(stream, stdout),
        .width = wrapped ? st_terminal_width(STDOUT_FILENO) : 0,
    };
}

static void printed(struct st_locale_stream *stream)
{
    if (st_locale_end(stream) != 0)
        st_failure("out of memory: one line of this output is missing");
}

static void print_wrapped(int column, const char *label, int text_column, const char *text)
{
    struct st_locale_stream stream;
    const struct st_printer to = printer(&stream);
    st_print_wrapped(&to, column, label, text_column, text);
    printed(&stream);
}

void st_change_output_text(int column, const char *label, const char *text)
{
    print_wrapped(column, label, column == 0 ? 4 : 14, text);
}

void st_change_output_row(int column, const char *label, const char *text)
{
    print_wrapped(0, label, column, text);
}

void st_change_output_lines(const char *text)
{
    struct st_locale_stream stream;
    const struct st_printer to = printer(&stream);
    st_print_verbatim(&to, 0, "", 4, text);
    printed(&stream);
}

/* --- what happened to a write --- */

const char *st_change_output_entry(const struct st_entry *entry, char *buf, size_t buf_bytes)
{
    const bool block = st_text_is(entry->target, "/etc/sysctl.conf");
    if (entry->file)
        snprintf(buf, buf_bytes, "%s%s%s", entry->target, block ? ": block of " : "",
                 block ? entry->rule : "");
    else
        snprintf(buf, buf_bytes, "%s = %s (was %s)", entry->target, entry->new_value, entry->old_value);
    return st_safe_text(buf);
}

const char *st_change_output_why(int error)
{
    switch (error) {
    case -EALREADY:
        return "another sleeptune changed this setting in the meantime. Run the command again.";
    case -EEXIST:
        return "this setting is already changed for another rule. Revert that rule first.";
    case -ENOTEMPTY:
        return "sleeptune did not write what is there, or someone changed it since. Move it away, and run "
               "the "
               "command again.";
    case -ESTALE:
        return "the value of this setting changed after sleeptune read it. Run the command again.";
    case -EPERM:
        return "permission denied. The file may be immutable: check with lsattr (FreeBSD: ls -lo).";
    case -EROFS:
        return "the file system is mounted read-only";
    case -ELOOP:
        return "the path contains a symbolic link, and sleeptune does not follow links";
    case -EBUSY:
        return "the kernel refuses the value at the moment (EBUSY). Try again later.";
    case -EXDEV:
        return "the path leads out of the folder of --root";
    default:
        return strerror(-error);
    }
}

static void ST_PRINTF(2, 3) print_event(const char *label, const char *format, ...)
{
    char text[2048];
    ST_PRINT_REST(text, sizeof(text), format);
    st_change_output_row(10, label, text);
}

void st_change_output_event(void *ctx, enum st_change_event event, const struct st_entry *entry,
                            const char *now, int error)
{
    struct st_change_output *output = ctx;
    const char *text = st_change_output_entry(entry, ST_ROOM(1024));
    const char *label = event != ST_EVENT_RESTORED ? "as before" : entry->file ? "removed" : "restored";
    if ((event == ST_EVENT_WRITTEN || event == ST_EVENT_RESTORED) && entry->file &&
        output->changed[entry->kind] == NULL)
        output->changed[entry->kind] = strdup(entry->target); /* out of memory: one hint less is printed */
    switch (event) {
    case ST_EVENT_WRITTEN:
        print_event("written", "%s", text);
        break;
    case ST_EVENT_RESTORED:
    case ST_EVENT_AS_BEFORE:
        if (entry->file)
            print_event(label, "%s", text);
        else if (error == -ENOENT)
            print_event("gone", "%s: its device or module is not there any more", entry->target);
        else
            print_event(label, "%s = %s", entry->target, entry->old_value);
        break;
    case ST_EVENT_CHANGED:
        if (entry->file)
            print_event("kept", "%s: someone changed it after apply", text);
        else
            print_event("kept", "%s: someone changed it to %s after apply", text, now);
        break;
    case ST_EVENT_FORGOTTEN:
        print_event("forgotten", "%s: this system was started after that", text);
        break;
    case ST_EVENT_FAILED:
        st_failure("%s: %s", now != NULL ? now : text, st_change_output_why(error));
        break;
    }
}

/* --- what makes changed files take effect --- */

void st_change_output_finish(struct st_change_output *output)
{
    for (unsigned i = 0; i < ST_CHANGE_KINDS; i++)
        free(output->changed[i]);
}

/* @return an st_exit. */
static int run(const char *line)
{
    fflush(stdout);
    const int status = st_child_env_shell(line); /* of a row of change.c, for root's shell */
    if (status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        printf("ran       %s\n", line);
        return ST_EXIT_DONE;
    }
    if (status == -1)
        return st_failure("cannot run %s: %s", line, strerror(errno));
    return st_failure("'%s' failed with %s %d. Run this command by hand.", line,
                      WIFEXITED(status) ? "status" : "signal",
                      WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

int st_change_output_then(struct st_change_output *output, bool reverted, bool run_commands)
{
    char forced[512];
    int status = ST_EXIT_DONE;
    for (unsigned i = 0; i < ST_CHANGE_KINDS; i++) {
        const enum st_change_kind kind = (enum st_change_kind)i;
        if (output->changed[i] == NULL)
            continue;
        const char *line = st_change_command(kind), *then = st_change_then(kind);
        const char *command =
            line != NULL && !run_commands ? ST_TEXT(256, "%s%s", st_os_rows[output->os].sudo, line) : "";
        if (line != NULL && run_commands && run(line) != ST_EXIT_DONE)
            status = ST_EXIT_FAILURE;
        if (command[0] != '\0')
            st_text_join(output->left, sizeof(output->left), " && ", "%s", command);
        /* a reverted file has no effect at once, but boot loaders keep a copy, and PipeWire runs */
        if (then == NULL ||
            (reverted && !st_change_is_users(kind) && kind != ST_CHANGE_BOOT && kind != ST_CHANGE_LOADER)) {
            then = "";
        } else if (reverted && kind == ST_CHANGE_PIPEWIRE) {
            ST_PRINT(forced, "%s. A size that was forced stays until then, or type: %s 0", then,
                     st_xrun_sources_find("pipewire")->set_frames);
            then = forced;
        }
        if (command[0] != '\0' || then[0] != '\0')
            st_change_output_text(
                0, ST_TEXT(ST_CHANGE_PATH_BYTES + 16, "then      %s:", output->changed[i]),
                ST_TEXT(1024, "%s%s%s", command, command[0] != '\0' && then[0] != '\0' ? "; it " : "", then));
    }
    return status;
}
