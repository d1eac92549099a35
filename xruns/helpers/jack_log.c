/* Messages of a JACK server. */
#include <sys/types.h>

#include "xruns/helpers/jack_log.h"

#include "core/text/text.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_BYTES 65536

/* --- finding it --- */

/* A file of this user. @return -1: it is none. */
static int open_file(const char *path)
{
    struct stat info;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
        lseek(fd, 0, SEEK_END) >= 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Does a command line, its words with a NUL behind each, belong to the server of that name? */
static bool serves(const char *words, size_t len, const char *server)
{
    const char *name = "default";
    for (size_t i = 0; i < len; i += strlen(words + i) + 1) {
        const char *word = words + i;
        const size_t next = i + strlen(word) + 1;
        if (st_text_is(word, "-d")) /* what follows is the driver's */
            break;
        if ((st_text_is(word, "-n") || st_text_is(word, "--name")) && next < len)
            name = words + next;
        else if (st_text_begins(word, "-n") && word[2] != '\0')
            name = word + 2;
        else if (st_text_begins(word, "--name="))
            name = word + 7;
    }
    return st_text_is(name, server);
}

/* @return bytes; buf ends with two NULs. */
static size_t read_process(const char *pid, const char *file, char *buf, size_t buf_bytes)
{
    char path[300];
    ST_PRINT(path, "/proc/%s/%s", pid, file);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd >= 0 ? read(fd, buf, buf_bytes - 2) : 0;
    if (fd >= 0)
        close(fd);
    const size_t len = n > 0 ? (size_t)n : 0;
    buf[len] = buf[len + 1] = '\0';
    return len;
}

/* The standard error of jackd, if that is a file. FreeBSD has no such links: no log. */
static int open_output(const char *server)
{
    char name[64], words[4096], path[300];
    int fd = -1;
    DIR *processes = opendir("/proc");
    for (struct dirent *entry; processes != NULL && fd < 0 && (entry = readdir(processes)) != NULL;) {
        if (strspn(entry->d_name, "0123456789") != strlen(entry->d_name))
            continue;
        read_process(entry->d_name, "comm", name, sizeof(name));
        if (!st_text_is(name, "jackd\n"))
            continue;
        const size_t len = read_process(entry->d_name, "cmdline", words, sizeof(words));
        if (len == 0 || !serves(words, len, server))
            continue;
        ST_PRINT(path, "/proc/%s/fd/2", entry->d_name);
        fd = open_file(path);
    }
    if (processes != NULL)
        closedir(processes);
    return fd;
}

void st_jack_log_open(struct st_jack_log *log, const char *server)
{
    const char *home = getenv("HOME");
    char path[1024];
    *log = (struct st_jack_log){.fd = open_output(server)};
    if (log->fd >= 0 || home == NULL || home[0] != '/' || !st_text_is(server, "default"))
        return;
    ST_PRINT(path, "%s/.log/jack/jackdbus.log", home);
    log->fd = open_file(path);
}

/* --- reading it --- */

static void take(struct st_jack_log *log, char c, void (*late)(void *ctx, const char *client, bool ran),
                 void *ctx)
{
    char client[ST_JACK_NAME_BYTES];
    bool ran;
    if (st_log_line_take(&log->line, c) && st_server_log_jack(log->line.text, client, &ran))
        late(ctx, client, ran);
}

void st_jack_log_read(struct st_jack_log *log, void (*late)(void *ctx, const char *client, bool ran),
                      void *ctx)
{
    static char bytes[READ_BYTES];
    struct stat info;
    if (log->fd < 0 || fstat(log->fd, &info) != 0)
        return;
    const off_t at = lseek(log->fd, 0, SEEK_CUR);
    if (at > info.st_size || info.st_size - at > READ_BYTES) { /* it was truncated, or flooded */
        log->line.len = 0;
        (void)lseek(log->fd, info.st_size > READ_BYTES ? -(off_t)READ_BYTES : 0,
                    info.st_size > READ_BYTES ? SEEK_END : SEEK_SET);
    }
    const ssize_t n = read(log->fd, bytes, sizeof(bytes));
    for (ssize_t i = 0; i < n; i++)
        take(log, bytes[i], late, ctx);
}
