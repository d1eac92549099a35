#include "lab/syscall/fresh_process.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ns.h"

#define LIMIT_NS (5 * ST_NS_PER_S)

static int parse(const char *text, int64_t *ret_ns)
{
    char *end;
    errno = 0;
    const long long ns = strtoll(text, &end, 10);
    if (end == text || strcmp(end, "\n") != 0 || errno != 0 || ns < 0)
        return -EBADMSG;
    *ret_ns = ns;
    return 0;
}

int st_fresh_process_sample(struct st_lab *lab, const char *call, int64_t *ret_ns)
{
    char program[PATH_MAX], path[PATH_MAX + sizeof("PATH=")], buf[32];
    int r = lab->platform->program_path(lab->platform, program, sizeof(program));
    char *name = r == 0 ? strrchr(program, '/') : NULL;
    if (name == NULL)
        return r != 0 ? r : -ENOENT;
    *name++ = '\0'; /* the seam looks programs up in PATH */
    snprintf(path, sizeof(path), "PATH=%s", program[0] != '\0' ? program : "/");
    const char *const argv[] = {name, "syscall", "--one-shot", call, NULL};
    const char *const env[] = {path, NULL};
    struct st_run run = {.argv = argv, .buf = buf, .buf_bytes = sizeof(buf)};
    const struct st_run_as as = {.env = env};
    r = lab->platform->run(lab->platform, &run, 1, &as, LIMIT_NS);
    if (r == 0)
        r = run.result;
    return r == 0 ? parse(buf, ret_ns) : r;
}
