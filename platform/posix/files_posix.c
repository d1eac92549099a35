/* Reads text files and folders of a system or of a captured tree. No file there is trusted to be
 * small or regular. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text/text.h"
#include "platform/posix/posix.h"

#define INPUT_MAX_BYTES (INT64_C(16) << 30)
#define NAMES_MAX       65536 /* most names in one folder: no folder of tunables has more */

/* Reads until buf is full or the file ends; procfs may hand out less than asked. */
static ssize_t read_fully(int fd, char *buf, size_t bytes)
{
    size_t have = 0;
    while (have < bytes) {
        const ssize_t got = read(fd, buf + have, bytes - have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        if (got == 0)
            break;
        have += (size_t)got;
    }
    return (ssize_t)have;
}

int st_posix_read_fd(int fd, char *buf, size_t buf_bytes, size_t *ret_len)
{
    const ssize_t got = read_fully(fd, buf, buf_bytes - 1);
    if (got < 0)
        return (int)got;
    buf[got] = '\0';
    *ret_len = (size_t)got;
    if ((size_t)got < buf_bytes - 1)
        return 0;
    char more;
    const ssize_t rest = read_fully(fd, &more, 1);
    return rest > 0 ? -EFBIG : (int)rest;
}

/* May the path be a pipe? Only standard input, or a descriptor that a shell passes, since the
 * user's own shell fills it. */
static bool may_be_pipe(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    ST_EACH (folder, folders) {
        const size_t len = strlen(*folder);
        if (strncmp(path, *folder, len) == 0)
            return path[len] != '\0' && path[len + strspn(path + len, "0123456789")] == '\0';
    }
    return st_text_is(path, "/dev/stdin");
}

FILE *st_posix_input_open(const char *path)
{
    const bool pipe = may_be_pipe(path);
    struct stat info;
    if (st_text_is(path, "-"))
        return stdin;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (pipe ? 0 : O_NONBLOCK));
    if (fd < 0)
        return NULL;
    int error = ENXIO;
    if (fstat(fd, &info) != 0)
        error = errno;
    else if (S_ISDIR(info.st_mode))
        error = EISDIR;
    else if (S_ISFIFO(info.st_mode) && !pipe)
        error = ESPIPE;
    else if (S_ISREG(info.st_mode) && (int64_t)info.st_size > INPUT_MAX_BYTES)
        error = EFBIG;
    else if (S_ISREG(info.st_mode) || S_ISFIFO(info.st_mode)) {
        FILE *stream = fdopen(fd, "r");
        if (stream != NULL)
            return stream;
        error = errno;
    }
    close(fd);
    errno = error;
    return NULL;
}

void st_posix_input_close(FILE *stream)
{
    if (stream != NULL && stream != stdin)
        fclose(stream);
}

const char *st_posix_input_error(int error)
{
    switch (error) {
    case EISDIR:
        return "this is a folder, not a file";
    case ESPIPE:
        return "this is a FIFO, not a file. To read standard input give '-'.";
    case ENXIO:
        return "this is not a regular file";
    case EAGAIN:
        return "this is not a regular file: it has no end";
    case EFBIG:
        return "the file is larger than 16 GiB";
    default:
        return strerror(error);
    }
}

int st_posix_read_text(struct st_platform *machine, const char *path, char *buf, size_t buf_bytes,
                       size_t *ret_len)
{
    const int fd = machine->open_path(machine, path, O_RDONLY);
    if (fd < 0)
        return fd;
    struct stat st;
    buf[0] = '\0';
    int r = st_posix_result(fstat(fd, &st));
    if (r == 0 && S_ISDIR(st.st_mode))
        r = -EISDIR;
    else if (r == 0 && !S_ISREG(st.st_mode) &&
             (!S_ISCHR(st.st_mode) || !st_text_is(path, "/dev/sndstat")))
        r = -EINVAL;
    if (r == 0)
        r = st_posix_read_fd(fd, buf, buf_bytes, ret_len);
    close(fd);
    return r;
}

struct names {
    char **name;
    size_t n;
};

static int names_add(struct names *names, const char *name)
{
    if (names->n == NAMES_MAX)
        return -EFBIG;
    if ((names->n & (names->n - 1)) == 0) { /* the room doubles at 1, 2, 4, 8 ... names */
        char **grown = reallocarray(names->name, ST_MAX(2 * names->n, 1), sizeof(*grown));
        if (grown == NULL)
            return -ENOMEM;
        names->name = grown;
    }
    names->name[names->n] = strdup(name);
    if (names->name[names->n] == NULL)
        return -ENOMEM;
    names->n++;
    return 0;
}

static void names_finish(struct names *names)
{
    ST_EACH_OF (name, names->name, names->n)
        free(*name);
    free(names->name);
}

static int by_strcmp(const void *a, const void *b)
{
    char *const *left = a, *const *right = b;
    return strcmp(*left, *right);
}

static int names_read(struct names *names, DIR *dir)
{
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (entry == NULL)
            return -errno;
        if (st_text_is(entry->d_name, ".") || st_text_is(entry->d_name, ".."))
            continue;
        const int r = names_add(names, entry->d_name);
        if (r < 0)
            return r;
    }
}

int st_posix_list(struct st_platform *machine, const char *path, st_name_fn fn, void *ctx)
{
    const int fd = machine->open_path(machine, path, O_RDONLY | O_DIRECTORY);
    if (fd < 0)
        return fd;
    DIR *dir = fdopendir(fd);
    if (dir == NULL) {
        const int r = -errno;
        close(fd);
        return r;
    }
    struct names names = {0};
    const int r = names_read(&names, dir);
    closedir(dir);
    if (r == 0 && names.n > 0) {
        qsort(names.name, names.n, sizeof(*names.name), by_strcmp);
        ST_EACH_OF (name, names.name, names.n) {
            if (fn(ctx, *name) != 0)
                break;
        }
    }
    names_finish(&names);
    return r;
}

int st_posix_opened(int fd)
{
    const int r = st_posix_result(fd);
    return r == -EMLINK ? -ELOOP : r;
}

int st_posix_open_path(ST_UNUSED struct st_platform *machine, const char *path, int flags)
{
    return st_posix_opened(open(path, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}
