/* Writes the file of -o: into a temporary file beside it, which replaces it when complete. */
#include "platform/program/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text/json.h"
#include "platform/posix/posix.h"
#include "platform/program/failure.h"

#define NAMES_MAX 100 /* names to try for the temporary file */

/* Sets owner and mode to those of the file that is replaced (old), or to those of a new file (old
 * NULL). Only root can give files away, so the owner is required for root only. */
static int set_rights(int fd, const struct stat *old)
{
    const mode_t mask = umask(0);
    mode_t mode = 0644 & ~mask;
    umask(mask);
    if (old != NULL)
        mode = old->st_mode & 0777;
    if (old != NULL && fchown(fd, old->st_uid, old->st_gid) != 0 && geteuid() == 0)
        return -errno;
    return st_posix_result(fchmod(fd, mode));
}

/* Creates "<name>.NUMBER" beside the file. @return fd or -errno. */
static int create_beside(struct st_output *output)
{
    for (int i = 0; i < NAMES_MAX; i++) {
        ST_PRINT(output->temporary, "%s.%06ld", output->file.name,
                 ((long)getpid() * NAMES_MAX + i) % 1000000);
        const int fd = openat(output->file.dir_fd, output->temporary,
                              O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd >= 0 || errno != EEXIST)
            return st_posix_result(fd);
    }
    return -EEXIST;
}

static int open_temporary(struct st_output *output, const struct stat *old)
{
    const int fd = create_beside(output);
    if (fd < 0) {
        output->temporary[0] = '\0';
        return fd;
    }
    int r = set_rights(fd, old);
    if (r == 0 && (output->stream = fdopen(fd, "w")) == NULL)
        r = -errno;
    if (r == 0)
        return 0;
    close(fd);
    (void)unlinkat(output->file.dir_fd, output->temporary, 0);
    return r;
}

/* Opens a device or a FIFO, which must not be replaced; fails for a folder. */
static int open_directly(struct st_output *output)
{
    const int fd = st_destination_open(&output->file, O_WRONLY, 0);
    if (fd < 0)
        return fd;
    output->stream = fdopen(fd, "w");
    if (output->stream != NULL)
        return 0;
    const int r = -errno;
    close(fd);
    return r;
}

int st_output_open(struct st_output *output, const char *path)
{
    struct stat info;
    *output = (struct st_output){.file = {.dir_fd = -1}};
    if (path == NULL || strcmp(path, "-") == 0) {
        output->stream = stdout;
        return 0;
    }
    int r = st_destination_find(path, &output->file);
    if (r < 0)
        return r;
    const struct st_destination *file = &output->file;
    if (fstatat(file->dir_fd, file->name, &info, file->open_file ? 0 : AT_SYMLINK_NOFOLLOW) == 0)
        r = S_ISREG(info.st_mode) && !file->open_file ? open_temporary(output, &info)
                                                      : open_directly(output);
    else if (errno == ENOENT)
        r = open_temporary(output, NULL);
    else
        r = -errno;
    if (r < 0) {
        close(output->file.dir_fd);
        output->file.dir_fd = -1;
    }
    return r;
}

int st_output_close(struct st_output *output, bool keep)
{
    int r = 0;
    const int dir_fd = output->file.dir_fd;
    const bool beside = output->temporary[0] != '\0';
    if (dir_fd < 0) {
        if (fflush(stdout) != 0)
            return -errno;
        return ferror(stdout) == 0 ? 0 : -EIO;
    }
    if (keep && (fflush(output->stream) != 0 || (beside && fsync(fileno(output->stream)) != 0)))
        r = -errno;
    if (fclose(output->stream) != 0 && r == 0)
        r = -errno;
    if (beside && keep && r == 0 &&
        renameat(dir_fd, output->temporary, dir_fd, output->file.name) != 0)
        r = -errno;
    if (beside && (!keep || r != 0))
        (void)unlinkat(dir_fd, output->temporary, 0);
    close(dir_fd);
    *output = (struct st_output){.file = {.dir_fd = -1}};
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

int st_output_json(json_t *document)
{
    if (document == NULL)
        return st_failure("out of memory");
    char *text = st_json_dump(document);
    json_decref(document);
    if (text == NULL)
        return st_failure("out of memory");
    const int r = puts(text) != EOF && fflush(stdout) == 0
                      ? ST_EXIT_DONE
                      : st_failure("cannot write the result: %s", strerror(errno));
    free(text);
    return r;
}

int st_output_text(struct st_locale_stream *stream, int status)
{
    return st_locale_end(stream) == 0 ? status : st_failure("out of memory");
}
