#include "store/recording/hlog.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/ns.h"
#include "core/stats/hist_payload.h"
#include "core/text/safe.h"
#include "platform/destination.h"
#include "store/recording/hist_deflate.h"

#define FIRST_LINE "#[Histogram log format version 1."

/* "seconds.milliseconds" of a time >= 0, truncated, in any locale. */
static void put_seconds(FILE *file, int64_t ns)
{
    fprintf(file, "%" PRId64 ".%03" PRId64, ns / ST_NS_PER_S, ns % ST_NS_PER_S / ST_NS_PER_MS);
}

static void put_comment(FILE *file, const char *comment)
{
    while (*comment != '\0') {
        const size_t bytes = strcspn(comment, "\n");
        fputs("# ", file);
        st_safe_print(file, comment, bytes);
        fputc('\n', file);
        comment += bytes + (comment[bytes] == '\n');
    }
}

static int check_overwritable(int fd)
{
    struct stat stat;
    if (fstat(fd, &stat) != 0)
        return -errno;
    if (!S_ISREG(stat.st_mode))
        return 0;
    char line[sizeof(FIRST_LINE) - 1];
    const ssize_t n = pread(fd, line, sizeof(line), 0);
    if (n < 0)
        return -errno;
    if (memcmp(line, FIRST_LINE, (size_t)n) != 0)
        return -EEXIST;
    return ftruncate(fd, 0) == 0 ? 0 : -errno;
}

static int open_for_writing(const char *path, FILE **ret)
{
    int fd = st_destination_open_path(path, O_RDWR | O_CREAT, 0666);
    if (fd == -EACCES || fd == -ENXIO || fd == -EINVAL)
        fd = st_destination_open_path(path, O_WRONLY, 0); /* a pipe or a terminal */
    if (fd < 0)
        return fd;
    int r = check_overwritable(fd);
    FILE *file = r == 0 ? fdopen(fd, "w") : NULL;
    if (r == 0 && file == NULL)
        r = -errno;
    if (r < 0) {
        close(fd);
        return r;
    }
    *ret = file;
    return 0;
}

static void put_head(FILE *file, int64_t start_wall_ns, const char *comment)
{
    const time_t start_s = (time_t)(start_wall_ns / ST_NS_PER_S);
    struct tm tm;
    char date[40] = "";
    if (gmtime_r(&start_s, &tm) != NULL)
        strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &tm);
    fputs(FIRST_LINE "3]\n#[Logged with sleeptune; values in ns]\n", file);
    if (comment != NULL)
        put_comment(file, comment);
    fputs("#[StartTime: ", file);
    put_seconds(file, start_wall_ns);
    fprintf(file, " (seconds since epoch), %s]\n#[BaseTime: ", date);
    put_seconds(file, start_wall_ns);
    fputs(" (seconds since epoch)]\n"
          "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n",
          file);
}

/* A line: the histogram from the start of the log on. */
static int put_interval(FILE *file, const char *tag, int64_t length_ns, const struct st_hist *hist)
{
    size_t bytes;
    uint8_t *payload = st_hist_deflate(hist, &bytes);
    char *text = payload != NULL ? malloc(ST_HLOG_BASE64_BYTES(bytes)) : NULL;
    if (text == NULL) {
        free(payload);
        return -ENOMEM;
    }
    st_hlog_base64_encode(payload, bytes, text);
    free(payload);
    fprintf(file, "Tag=%s,0.000,", tag);
    put_seconds(file, length_ns);
    fputc(',', file);
    /* the maximum is in ms by convention */
    const int64_t max_ns = hist->total_n > 0 && hist->max_ns > 0 ? hist->max_ns : 0;
    put_seconds(file, max_ns > INT64_MAX / 1000 ? INT64_MAX : max_ns * 1000);
    fprintf(file, ",%s\n", text);
    free(text);
    return 0;
}

int st_hlog_write(const char *path, const struct st_hist *lateness, const struct st_hist *response,
                  int64_t start_wall_ns, int64_t end_wall_ns, const char *comment)
{
    FILE *file;
    if (start_wall_ns < 0 || end_wall_ns < start_wall_ns)
        return -ERANGE;
    int r = open_for_writing(path, &file);
    if (r < 0)
        return r;
    put_head(file, start_wall_ns, comment);
    r = put_interval(file, "lateness", end_wall_ns - start_wall_ns, lateness);
    if (r == 0)
        r = put_interval(file, "response", end_wall_ns - start_wall_ns, response);
    errno = 0;
    if ((fflush(file) != 0 || ferror(file) != 0) && r == 0)
        r = errno != 0 ? -errno : -EIO;
    if (fclose(file) != 0 && r == 0)
        r = -errno;
    return r;
}

/* --- base64 --- */

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void st_hlog_base64_encode(const uint8_t *bytes, size_t n, char *text)
{
    for (size_t i = 0; i < n; i += 3) {
        const size_t left = n - i;
        const uint32_t group = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                               (left > 2 ? (uint32_t)bytes[i + 2] : 0);
        *text++ = letters[group >> 18];
        *text++ = letters[group >> 12 & 63];
        *text++ = left > 1 ? letters[group >> 6 & 63] : '=';
        *text++ = left > 2 ? letters[group & 63] : '=';
    }
    *text = '\0';
}
