#include "store/recording/hlog.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/ns.h"
#include "core/stats/hist_payload.h"
#include "core/text/number.h"
#include "core/text/safe.h"
#include "platform/destination.h"
#include "store/recording/hist_deflate.h"

#define FIRST_LINE     "#[Histogram log format version 1."
#define LINE_MAX_BYTES (1U << 20)
#define TAG_MAX_BYTES  32

/* --- writing --- */

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

/* --- reading --- */

struct reader {
    FILE *stream;
    char line[LINE_MAX_BYTES];
    uint8_t payload[LINE_MAX_BYTES / 4 * 3];
    uint8_t plain[LINE_MAX_BYTES];
};

/* The next line without its end. @return 1, 0 at the end, -EBADMSG (too long, or a NUL in it), -EIO. */
static int read_line(struct reader *reader)
{
    size_t n = 0;
    int c;
    while ((c = getc(reader->stream)) != EOF && c != '\n') {
        if (n == LINE_MAX_BYTES - 1 || c == '\0')
            return -EBADMSG;
        reader->line[n++] = (char)c;
    }
    if (ferror(reader->stream) != 0)
        return -EIO;
    if (n > 0 && reader->line[n - 1] == '\r')
        n--;
    reader->line[n] = '\0';
    return n > 0 || c != EOF ? 1 : 0;
}

static int decode(struct reader *reader, const char *text, struct st_hist *hist)
{
    const int64_t bytes = st_hlog_base64_decode(text, strlen(text), reader->payload);
    if (bytes < 0)
        return -EBADMSG;
    const int64_t plain_bytes =
        st_hist_deflate_undo(reader->payload, (size_t)bytes, reader->plain, sizeof(reader->plain));
    st_hist_reset(hist);
    return plain_bytes < 0 ? -EBADMSG : st_hist_payload_add(hist, reader->plain, (size_t)plain_bytes);
}

/* The text behind decimal seconds and a comma; NULL: not there. */
static const char *behind_seconds(const char *at, int64_t *ret_ns)
{
    char text[32];
    double seconds;
    const size_t n = strspn(at, "0123456789.");
    if (n == 0 || n >= sizeof(text) || at[n] != ',')
        return NULL;
    memcpy(text, at, n);
    text[n] = '\0';
    if (st_number_double(text, &seconds) != 0)
        return NULL;
    *ret_ns = (int64_t)fmin(seconds * 1e9, 9e18);
    return at + n + 1;
}

/* "Tag=TAG,START,LENGTH,MAXIMUM,HISTOGRAM", the tag may be missing. The histogram has the maximum, too. */
static int take_line(struct reader *reader, char tag[TAG_MAX_BYTES + 1], int64_t *ret_length_ns,
                     struct st_hist *hist)
{
    int64_t figures[3] = {0};
    const char *at = reader->line;
    tag[0] = '\0';
    if (strncmp(at, "Tag=", 4) == 0) {
        at += 4;
        const size_t n = strcspn(at, ",");
        if (n > TAG_MAX_BYTES || at[n] == '\0')
            return -EBADMSG;
        memcpy(tag, at, n);
        tag[n] = '\0';
        at += n + 1;
    }
    for (int i = 0; i < 3 && at != NULL; i++)
        at = behind_seconds(at, &figures[i]);
    *ret_length_ns = figures[1];
    return at != NULL ? decode(reader, at, hist) : -EBADMSG;
}

/* The next histogram and its tag. @return 1, 0 at the end, -EBADMSG, -EINVAL (more digits), -EIO. */
static int next(struct reader *reader, char tag[TAG_MAX_BYTES + 1], int64_t *ret_length_ns,
                struct st_hist *hist)
{
    for (;;) {
        int r = read_line(reader);
        if (r <= 0)
            return r;
        if (reader->line[0] == '#' || reader->line[0] == '"' || reader->line[0] == '\0')
            continue; /* a comment, the head of the table */
        r = take_line(reader, tag, ret_length_ns, hist);
        return r < 0 ? r : 1;
    }
}

static int read_all(struct reader *reader, st_hlog_take_fn take, void *ctx)
{
    char tag[TAG_MAX_BYTES + 1];
    struct st_hist hist;
    int64_t length_ns;
    int r = read_line(reader);
    if (r == 0 || (r == 1 && strncmp(reader->line, FIRST_LINE, sizeof(FIRST_LINE) - 1) != 0))
        return -EBADMSG;
    if (r > 0)
        r = st_hist_init(&hist, 3);
    if (r < 0)
        return r;
    while ((r = next(reader, tag, &length_ns, &hist)) == 1 && (r = take(ctx, tag, length_ns, &hist)) == 0)
        ;
    st_hist_finish(&hist);
    return r;
}

int st_hlog_read(FILE *stream, st_hlog_take_fn take, void *ctx)
{
    struct reader *reader = calloc(1, sizeof(*reader));
    int r = -ENOMEM;
    if (reader != NULL) {
        reader->stream = stream;
        r = read_all(reader, take, ctx);
    }
    free(reader);
    fclose(stream);
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

static int value_of(char letter)
{
    if (letter >= 'A' && letter <= 'Z')
        return letter - 'A';
    if (letter >= 'a' && letter <= 'z')
        return letter - 'a' + 26;
    if (letter >= '0' && letter <= '9')
        return letter - '0' + 52;
    if (letter == '+')
        return 62;
    return letter == '/' ? 63 : -1;
}

int64_t st_hlog_base64_decode(const char *text, size_t n, uint8_t *ret)
{
    if (n % 4 != 0)
        return -EBADMSG;
    uint8_t *at = ret;
    for (size_t i = 0; i < n; i += 4) {
        const bool last = i + 4 == n;
        const size_t padding = !last || text[i + 3] != '=' ? 0 : text[i + 2] == '=' ? 2 : 1;
        uint32_t group = 0;
        for (size_t k = 0; k < 4; k++) {
            const int value = k >= 4 - padding ? 0 : value_of(text[i + k]);
            if (value < 0)
                return -EBADMSG;
            group = group << 6 | (uint32_t)value;
        }
        *at++ = (uint8_t)(group >> 16);
        if (padding < 2)
            *at++ = (uint8_t)(group >> 8);
        if (padding < 1)
            *at++ = (uint8_t)group;
    }
    return at - ret;
}
