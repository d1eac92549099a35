/* Keeps the last state over an end of any kind. */
#include "daemon/status/saved_state.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/ns.h"
#include "st_config.h"

#define FILE_BYTES_MAX (4 * 1024 * 1024)

bool st_saved_state_path(char *buf, size_t buf_bytes)
{
    return st_saved_state_folder("last.json", buf, buf_bytes);
}

bool st_saved_state_folder(const char *name, char *buf, size_t buf_bytes)
{
    const char *folder = getenv("STATE_DIRECTORY");
    if (folder == NULL || folder[0] != '/')
        folder = ST_STATE_DIR "/sleeptune";
    const size_t len = strcspn(folder, ":"); /* systemd gives several, separated by colons */
    const int n = snprintf(buf, buf_bytes, "%.*s/%s", (int)len, folder, name);
    if (n < 0 || (size_t)n >= buf_bytes)
        return false;
    char *slash = strrchr(buf, '/');
    *slash = '\0';
    struct stat status;
    const bool usable = stat(buf, &status) == 0 && S_ISDIR(status.st_mode) && access(buf, W_OK | X_OK) == 0;
    *slash = '/';
    return usable;
}

static int write_all(int fd, const char *text, size_t len)
{
    while (len > 0) {
        const ssize_t n = write(fd, text, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        text += n;
        len -= (size_t)n;
    }
    return fsync(fd) == 0 ? 0 : -errno;
}

int st_saved_state_write(const char *path, const json_t *document)
{
    char temporary[ST_SAVED_STATE_PATH_BYTES + 8];
    if (snprintf(temporary, sizeof(temporary), "%s.tmp", path) >= (int)sizeof(temporary))
        return -ENAMETOOLONG;
    char *text = json_dumps(document, JSON_INDENT(2));
    if (text == NULL)
        return -ENOMEM;
    int r = 0;
    const int fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0) {
        r = -errno;
    } else {
        r = write_all(fd, text, strlen(text));
        if (close(fd) != 0 && r == 0)
            r = -errno;
        if (r == 0 && rename(temporary, path) != 0)
            r = -errno;
        if (r < 0)
            unlink(temporary);
    }
    free(text);
    return r;
}

/* The document, unless it is no regular file of a sane size. */
static json_t *load(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    struct stat status;
    json_t *document = NULL;
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size <= FILE_BYTES_MAX)
        document = json_loadfd(fd, 0, NULL);
    if (fd >= 0)
        close(fd);
    return document;
}

int st_saved_state_hold(const char *path)
{
    char folder[ST_SAVED_STATE_PATH_BYTES];
    const char *slash = strrchr(path, '/');
    const int n = snprintf(folder, sizeof(folder), "%.*s/", slash != NULL ? (int)(slash - path) : 0, path);
    if (n < 0 || (size_t)n >= sizeof(folder))
        return -ENAMETOOLONG;
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    const int r = errno == EWOULDBLOCK ? -EBUSY : -errno;
    close(fd);
    return r;
}

/* Its number alone proves nothing: after a boot another process has it. */
static bool is_alive(json_int_t pid, const char *path)
{
    if (pid <= 0 || pid > INT_MAX || pid == getpid() || (kill((pid_t)pid, 0) != 0 && errno != EPERM))
        return false;
    const int fd = st_saved_state_hold(path);
    if (fd >= 0)
        close(fd);
    return fd == -EBUSY;
}

const char *st_saved_state_previous(const char *path, char *buf, size_t buf_bytes)
{
    buf[0] = '\0';
    json_t *document = load(path);
    if (document == NULL) {
        if (access(path, F_OK) == 0)
            snprintf(buf, buf_bytes, "cannot read the state of the previous run");
        return buf;
    }
    const char *state = json_string_value(json_object_get(document, "state"));
    const time_t seconds = (time_t)(json_integer_value(json_object_get(document, "time_ns")) / ST_NS_PER_S);
    char when[32] = "an unknown time";
    struct tm utc;
    if (seconds > 0 && gmtime_r(&seconds, &utc) != NULL)
        strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC", &utc);
    const json_int_t pid = json_integer_value(json_object_get(document, "pid"));
    if (state != NULL && strcmp(state, "failed") == 0)
        snprintf(buf, buf_bytes, "the loop of the previous run failed; its last state was saved at %s", when);
    else if (state != NULL && strcmp(state, "ended") != 0 && is_alive(pid, path))
        snprintf(
            buf, buf_bytes,
            "process %lld, which stored its state here at %s, still runs. If it is a sleeptuned, too, give "
            "one of them a state folder of its own.",
            (long long)pid, when);
    else if (state == NULL || strcmp(state, "ended") != 0)
        snprintf(
            buf, buf_bytes,
            "the previous run did not end cleanly (killed, or a power cut); its last state was saved at %s",
            when);
    json_decref(document);
    return buf;
}
