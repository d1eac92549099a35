/* -o FILE: written beside the file and moved over it when it is complete. */
#include "cli/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** Creates "<path>.XXXXXX", of a link beside the file that it leads to; what it will replace is in
 * output->target. */
static int open_temporary(struct st_output *output)
{
    const mode_t mask = umask(0);
    umask(mask);
    output->target = realpath(output->path, NULL);
    if (output->target == NULL && errno == ENOENT)
        output->target = strdup(output->path);
    if (output->target == NULL)
        return -errno;
    if (asprintf(&output->temporary, "%s.XXXXXX", output->target) < 0) {
        output->temporary = NULL;
        free(output->target);
        return -ENOMEM;
    }
    const int fd = mkstemp(output->temporary);
    if (fd >= 0 && fchmod(fd, 0644 & ~mask) == 0)
        output->stream = fdopen(fd, "w");
    if (output->stream != NULL)
        return 0;
    const int r = -errno;
    if (fd >= 0) {
        close(fd);
        unlink(output->temporary);
    }
    free(output->temporary);
    free(output->target);
    output->temporary = output->target = NULL;
    return r;
}

int st_output_open(struct st_output *output, const char *path)
{
    struct stat info;
    *output = (struct st_output){0};
    if (path == NULL || strcmp(path, "-") == 0) {
        output->stream = stdout;
        return 0;
    }
    output->path = path;
    if (stat(path, &info) != 0 || S_ISREG(info.st_mode))
        return open_temporary(output);
    output->stream = fopen(path, "we"); /* a device or a FIFO; a folder fails here */
    return output->stream != NULL ? 0 : -errno;
}

int st_output_check(const char *path)
{
    struct st_output output;
    struct stat info;
    if (path != NULL && stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return S_ISDIR(info.st_mode) ? -EISDIR : access(path, W_OK) == 0 ? 0 : -errno;
    const int r = st_output_open(&output, path);
    return r == 0 ? st_output_close(&output, false) : r;
}

/* What path leads to, or will be once it is there. @return NULL: nowhere. */
static char *whole_path(const char *path)
{
    char *whole = realpath(path, NULL);
    if (whole != NULL || errno != ENOENT)
        return whole;
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    char *before = slash != NULL ? strndup(path, (size_t)(slash - path) + 1) : strdup("."),
         *folder = before != NULL ? realpath(before, NULL) : NULL;
    if (folder == NULL || asprintf(&whole, "%s/%s", folder, name) < 0)
        whole = NULL;
    free(before);
    free(folder);
    return whole;
}

bool st_output_same(const char *a, const char *b)
{
    const bool a_is_stdout = a == NULL || strcmp(a, "-") == 0, b_is_stdout = b == NULL || strcmp(b, "-") == 0;
    if (a_is_stdout || b_is_stdout)
        return a_is_stdout && b_is_stdout;
    char *whole_a = whole_path(a), *whole_b = whole_path(b);
    const bool same = whole_a != NULL && whole_b != NULL && strcmp(whole_a, whole_b) == 0;
    free(whole_a);
    free(whole_b);
    return same;
}

int st_output_close(struct st_output *output, bool keep)
{
    int r = 0;
    if (output->path == NULL) {
        if (fflush(stdout) != 0)
            return -errno;
        return ferror(stdout) == 0 ? 0 : -EIO;
    }
    if (keep &&
        (fflush(output->stream) != 0 || (output->temporary != NULL && fsync(fileno(output->stream)) != 0)))
        r = -errno;
    if (fclose(output->stream) != 0 && r == 0)
        r = -errno;
    if (output->temporary != NULL) {
        if (keep && r == 0 && rename(output->temporary, output->target) != 0)
            r = -errno;
        if (!keep || r != 0)
            unlink(output->temporary);
        free(output->temporary);
        free(output->target);
    }
    *output = (struct st_output){0};
    return r;
}

int st_output_write(const char *path, const char *text, size_t bytes)
{
    struct st_output output;
    int r = st_output_open(&output, path);
    if (r != 0)
        return r;
    if (fwrite(text, 1, bytes, output.stream) != bytes)
        r = -errno;
    const int closed = st_output_close(&output, r == 0);
    return r != 0 ? r : closed;
}
