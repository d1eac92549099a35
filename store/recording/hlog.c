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

#define FIRST_LINE          "#[Histogram log format version 1."
#define LINE_MAX_BYTES      (1U << 20)
#define CIRCUMSTANCES_BYTES 16384 /* longer text is cut */
#define YEAR_NS             (365 * 24 * 3600 * ST_NS_PER_S)

/* --- writing --- */

struct st_hlog {
    FILE *file;
    int64_t start_wall_ns;
    int error; /* first one, negative; 0 none */
};

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

int st_hlog_create(const char *path, int64_t start_wall_ns, const char *comment, struct st_hlog **ret)
{
    if (start_wall_ns < 0)
        return -ERANGE;
    struct st_hlog *log = calloc(1, sizeof(*log));
    if (log == NULL)
        return -ENOMEM;
    const int r = open_for_writing(path, &log->file);
    if (r < 0) {
        free(log);
        return r;
    }
    log->start_wall_ns = start_wall_ns;
    const time_t start_s = (time_t)(start_wall_ns / ST_NS_PER_S);
    struct tm tm;
    char date[40] = "";
    if (gmtime_r(&start_s, &tm) != NULL)
        strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &tm);
    fputs(FIRST_LINE "3]\n#[Logged with sleeptune; values in ns]\n", log->file);
    if (comment != NULL)
        put_comment(log->file, comment);
    fputs("#[StartTime: ", log->file);
    put_seconds(log->file, start_wall_ns);
    fprintf(log->file, " (seconds since epoch), %s]\n#[BaseTime: ", date);
    put_seconds(log->file, start_wall_ns);
    fputs(" (seconds since epoch)]\n"
          "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n",
          log->file);
    *ret = log;
    return 0;
}

/* Flushes to the file. @return the first error of the file. */
static int flush(struct st_hlog *log)
{
    errno = 0;
    if ((fflush(log->file) != 0 || ferror(log->file) != 0) && log->error == 0)
        log->error = errno != 0 ? -errno : -EIO;
    return log->error;
}

static bool is_tag(const char *tag)
{
    const size_t n = strlen(tag);
    return n > 0 && n <= ST_HLOG_TAG_MAX_BYTES &&
           strspn(tag, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") == n;
}

int st_hlog_interval(struct st_hlog *log, const char *tag, int64_t start_wall_ns, int64_t end_wall_ns,
                     const struct st_hist *hist)
{
    if (log->error != 0)
        return log->error;
    if (!is_tag(tag))
        return -EINVAL;
    if (start_wall_ns < log->start_wall_ns || end_wall_ns < start_wall_ns)
        return -ERANGE;
    size_t bytes;
    uint8_t *payload = st_hist_deflate(hist, &bytes);
    char *text = payload != NULL ? malloc(ST_HLOG_BASE64_BYTES(bytes)) : NULL;
    if (text == NULL) {
        free(payload);
        return -ENOMEM;
    }
    st_hlog_base64_encode(payload, bytes, text);
    free(payload);
    fprintf(log->file, "Tag=%s,", tag);
    put_seconds(log->file, start_wall_ns - log->start_wall_ns);
    fputc(',', log->file);
    put_seconds(log->file, end_wall_ns - start_wall_ns);
    fputc(',', log->file);
    /* the maximum is in ms by convention */
    const int64_t max_ns = hist->total_n > 0 && hist->max_ns > 0 ? hist->max_ns : 0;
    put_seconds(log->file, max_ns > INT64_MAX / 1000 ? INT64_MAX : max_ns * 1000);
    fprintf(log->file, ",%s\n", text);
    free(text);
    return flush(log);
}

int st_hlog_close(struct st_hlog *log)
{
    if (log == NULL)
        return 0;
    int r = flush(log);
    if (fclose(log->file) != 0 && r == 0)
        r = -errno;
    free(log);
    return r;
}

/* --- reading --- */

struct st_hlog_reader {
    FILE *stream;
    int64_t start_ns, base_ns;
    bool base_known;
    size_t circumstances_bytes;
    char circumstances[CIRCUMSTANCES_BYTES]; /* "key: value" lines */
    char line[LINE_MAX_BYTES];
    uint8_t payload[LINE_MAX_BYTES / 4 * 3];
    uint8_t plain[LINE_MAX_BYTES];
};

/* The next line without its end. @return 1, 0 at the end, -EBADMSG (too long, or a NUL in it), -EIO. */
static int read_line(struct st_hlog_reader *reader)
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

/* Reads decimal seconds up to a delimiter. @return the text after them, NULL if it is not such a number. */
static const char *get_seconds(const char *at, int64_t *ret_ns)
{
    char number[48];
    const size_t n = strspn(at, "0123456789.");
    if (n == 0 || n >= sizeof(number))
        return NULL;
    memcpy(number, at, n);
    number[n] = '\0';
    int64_t ns;
    if (st_ns_parse(number, &ns) < 0)
        return NULL;
    *ret_ns = ns;
    return at + n;
}

static bool get_header_time(const char *line, const char *key, int64_t *ret_ns)
{
    const size_t n = strlen(key);
    if (strncmp(line, key, n) != 0)
        return false;
    return get_seconds(line + n + strspn(line + n, " "), ret_ns) != NULL;
}

int st_hlog_open_stream(FILE *stream, struct st_hlog_reader **ret)
{
    struct st_hlog_reader *reader = calloc(1, sizeof(*reader));
    if (reader == NULL) {
        fclose(stream);
        return -ENOMEM;
    }
    reader->stream = stream;
    int r = read_line(reader);
    if (r == 0 || (r == 1 && strncmp(reader->line, FIRST_LINE, sizeof(FIRST_LINE) - 1) != 0))
        r = -EBADMSG;
    if (r < 0) {
        st_hlog_close_reader(reader);
        return r;
    }
    *ret = reader;
    return 0;
}

int st_hlog_open(const char *path, struct st_hlog_reader **ret)
{
    FILE *stream = fopen(path, "rbe");
    return stream == NULL ? -errno : st_hlog_open_stream(stream, ret);
}

void st_hlog_close_reader(struct st_hlog_reader *reader)
{
    if (reader == NULL)
        return;
    fclose(reader->stream);
    free(reader);
}

static int decode(struct st_hlog_reader *reader, const char *text, struct st_hist *hist)
{
    const int64_t bytes = st_hlog_base64_decode(text, strlen(text), reader->payload);
    if (bytes < 0)
        return -EBADMSG;
    const int64_t plain_bytes =
        st_hist_deflate_undo(reader->payload, (size_t)bytes, reader->plain, sizeof(reader->plain));
    return plain_bytes < 0 ? -EBADMSG : st_hist_payload_decode(hist, reader->plain, (size_t)plain_bytes);
}

static int take_line(struct st_hlog_reader *reader, struct st_hlog_entry *ret, struct st_hist *hist)
{
    struct st_hlog_entry entry = {0};
    const char *at = reader->line;
    if (strncmp(at, "Tag=", 4) == 0) {
        at += 4;
        const size_t n = strcspn(at, ",");
        if (n > ST_HLOG_TAG_MAX_BYTES || at[n] == '\0')
            return -EBADMSG;
        memcpy(entry.tag, at, n);
        at += n + 1;
    }
    int64_t stamp_ns;
    at = get_seconds(at, &stamp_ns);
    if (at == NULL || *at != ',')
        return -EBADMSG;
    at = get_seconds(at + 1, &entry.length_ns);
    if (at == NULL || *at != ',')
        return -EBADMSG;
    /* the unit of the maximum is unknown; the histogram has the maximum, too */
    at += 1 + strspn(at + 1, "0123456789.");
    if (*at != ',')
        return -EBADMSG;
    if (!reader->base_known) {
        /* as in HdrHistogram: times more than a year before the start are relative to it */
        reader->base_ns = stamp_ns < reader->start_ns - YEAR_NS ? reader->start_ns : 0;
        reader->base_known = true;
    }
    entry.start_wall_ns = st_ns_add(reader->base_ns, stamp_ns);
    const int r = decode(reader, at + 1, hist);
    if (r < 0)
        return r;
    *ret = entry;
    return 1;
}

/* "# key: value", as st_hlog_create writes comments; a key has no capitals and no blanks. */
static void take_comment(struct st_hlog_reader *reader)
{
    const char *text = reader->line + 2;
    const size_t room = sizeof(reader->circumstances) - reader->circumstances_bytes;
    const size_t key = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_"), len = strlen(text);
    if (key == 0 || text[key] != ':' || text[key + 1] != ' ' || len + 2 > room)
        return;
    memcpy(reader->circumstances + reader->circumstances_bytes, text, len);
    reader->circumstances_bytes += len;
    reader->circumstances[reader->circumstances_bytes++] = '\n';
    reader->circumstances[reader->circumstances_bytes] = '\0';
}

const char *st_hlog_conditions(const struct st_hlog_reader *reader)
{
    return reader->circumstances;
}

int st_hlog_next(struct st_hlog_reader *reader, struct st_hlog_entry *ret, struct st_hist *hist)
{
    for (;;) {
        const int r = read_line(reader);
        if (r <= 0)
            return r;
        if (reader->line[0] == '#') {
            if (reader->line[1] == ' ')
                take_comment(reader);
            get_header_time(reader->line, "#[StartTime:", &reader->start_ns);
            if (get_header_time(reader->line, "#[BaseTime:", &reader->base_ns))
                reader->base_known = true;
        } else if (reader->line[0] != '"' && reader->line[0] != '\0') {
            return take_line(reader, ret, hist);
        }
    }
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
