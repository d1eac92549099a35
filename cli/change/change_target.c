/* What apply, verify and revert share. */
#include "cli/change/change_target.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/change/change_output.h"
#include "cli/command.h"
#include "core/text/safe.h"

#define LINE_BYTES 32768 /* of a command line to be pasted */

static bool has_file(const char *dir, const char *name)
{
    char path[4200];
    struct stat info;
    const int n = snprintf(path, sizeof(path), "%s/%s", dir, name);
    return n > 0 && (size_t)n < sizeof(path) && stat(path, &info) == 0;
}

int st_change_target_open(const char *command, const char *root, struct st_change_target *ret)
{
    struct st_change_target target = {.live = root == NULL};
    if (root == NULL) {
        target.p = st_platform_native();
    } else {
        const int r = st_platform_root_new(root, &target.p);
        if (r < 0)
            return st_failure(command, "%s: %s", root, strerror(-r));
        if (has_file(root, "sysctl-a.txt"))
            st_platform_root_set_freebsd(target.p);
    }
    const char *state = target.live ? getenv("STATE_DIRECTORY") : NULL;
    const bool given = state != NULL && state[0] == '/';
    const int n = snprintf(target.folder, sizeof(target.folder), "%s%s",
                           given ? state : st_journal_folder(target.p->os), given ? "/changes" : "");
    if (n < 0 || (size_t)n >= sizeof(target.folder)) {
        st_change_target_close(&target);
        return st_failure(command, "STATE_DIRECTORY is too long");
    }
    /* others read the folders that are made for drop-ins and the journal, whatever the shell's mask is */
    umask(022);
    *ret = target;
    return ST_EXIT_DONE;
}

int st_change_target_judge(const char *command, const struct st_facts_input *input, int64_t frames,
                           int64_t rate_hz, struct st_change_target *target)
{
    struct st_facts_input whose = *input;
    if (target->live)
        st_facts_input_of_player(&whose);
    const int status = st_facts_input_load(command, &whose, &target->facts);
    if (status != ST_EXIT_DONE)
        return status;
    int r = 0;
    if (target->facts->os != target->p->os)
        r = -EXDEV;
    else
        r = st_report_make(target->facts, frames, rate_hz, &target->report);
    if (r == 0)
        return ST_EXIT_DONE;
    st_facts_free(target->facts);
    target->facts = NULL;
    if (r == -EXDEV)
        return st_failure(command, "the snapshot is from a different operating system");
    return r == -ERANGE ? st_failure_usage(command, "%lld frames at %lld Hz are longer than an hour",
                                           (long long)frames, (long long)rate_hz)
                        : st_failure(command, "%s", strerror(-r));
}

void st_change_target_close(struct st_change_target *target)
{
    if (target->facts != NULL) {
        st_report_finish(&target->report);
        st_facts_free(target->facts);
    }
    if (!target->live)
        st_platform_root_free(target->p);
}

/** The words of a command line, each behind a space, quoted for a shell. @return false: one of them has a
 * character that changes what is seen of the line; do not print it. */
static bool quote_words(char *buf, size_t buf_bytes, int argc, char *const *argv)
{
    size_t used = 0;
    buf[0] = '\0';
    for (int i = 1; i < argc; i++) {
        if (buf_bytes - used < 2)
            return false;
        buf[used++] = ' ';
        if (st_safe_shell_word(argv[i], buf + used, buf_bytes - used) == NULL)
            return false;
        used += strlen(buf + used);
    }
    return true;
}

bool st_change_target_needs_root(const char *command, const struct st_change_target *target, int argc,
                                 char *const *argv)
{
    if (!target->live || geteuid() == 0)
        return false;
    char words[LINE_BYTES];
    fflush(stdout);
    if (!quote_words(words, sizeof(words), argc, argv)) {
        (void)st_failure(command,
                         "this needs root. Run the same command as root. It is not shown here, because "
                         "it has control characters or is too long.");
        return true;
    }
    const bool has_sudo = st_platform_native()->os == ST_OS_LINUX;
    fprintf(stderr, "sleeptune %s: this needs root. Run%s:\n  %ssleeptune %s%s\n", command,
            has_sudo ? "" : " as root", has_sudo ? "sudo " : "", command, words);
    return true;
}
