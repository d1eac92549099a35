/* Writes and reads recordings, as docs/recording-format.md describes them. */
#include "store/recording/recording.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/ns.h"
#include "core/text/safe.h"
#include "platform/destination.h"
#include "platform/posix/posix.h"

#define FIRST_WORD  "sleeptune-recording "
#define VERSION     "3"
#define LINE_BYTES  (ST_RECORDING_TEXT_MAX_BYTES + 8)
#define ROOM_BYTES  ((size_t)2 * LINE_BYTES) /* room for lines that are not written yet */
#define NUMBERS_MAX 6                        /* most numbers in a line */
#define INDEX_MAX   INT64_MAX

/* --- writing --- */

struct st_recording {
    int fd;
    int error; /* the first error, a negative errno value; 0: none */
    bool has_callback;
    bool begun; /* the file has lines of this recording, no longer those of an older one */
    uint64_t periods_per_second, next_index, written_index;
    size_t text_bytes;
    struct st_recording_totals totals;
    uint64_t sum; /* checksum: sum of the numbers in all cycles */
    size_t room_bytes;
    char room[ROOM_BYTES];
};

/* Writes the waiting lines to the file. After an error the last line in the file may be incomplete;
 * a reader of the recording stops there. */
static int write_lines(struct st_recording *recording)
{
    if (!recording->begun && ftruncate(recording->fd, 0) != 0)
        recording->error = -errno;
    else
        recording->error = st_posix_write_fd(recording->fd, recording->room, recording->room_bytes);
    recording->begun = true;
    recording->room_bytes = 0;
    recording->written_index = recording->next_index;
    return recording->error;
}

/* Adds a line of at most LINE_BYTES to the waiting lines; writes them first if there is no room. */
static int ST_PRINTF(2, 3) put(struct st_recording *recording, const char *format, ...)
{
    va_list args;
    if (recording->error == 0 && ROOM_BYTES - recording->room_bytes < LINE_BYTES)
        (void)write_lines(recording);
    if (recording->error != 0)
        return recording->error;
    va_start(args, format);
    recording->room_bytes +=
        (size_t)vsnprintf(recording->room + recording->room_bytes, LINE_BYTES, format, args);
    va_end(args);
    return 0;
}

/* Checks that a file may be overwritten: it is empty, or begins as a recording. @return 0, -EEXIST,
 * -EBUSY, or another error. */
static int check_overwritable(int fd)
{
    struct stat stat;
    if (fstat(fd, &stat) != 0)
        return -errno;
    if (!S_ISREG(stat.st_mode))
        return -EEXIST;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return -EBUSY;
    char first[sizeof(FIRST_WORD) - 1];
    const ssize_t n = pread(fd, first, sizeof(first), 0);
    if (n < 0)
        return -errno;
    return memcmp(first, FIRST_WORD, (size_t)n) == 0 ? 0 : -EEXIST;
}

int st_recording_create(const char *path, const struct st_recording_meta *meta,
                        struct st_recording **ret)
{
    struct st_period period;
    if (st_period_init_ns(&period, meta->period.num, meta->period.den) < 0)
        return -ERANGE;
    struct st_recording *recording = calloc(1, sizeof(*recording));
    if (recording == NULL)
        return -ENOMEM;
    recording->has_callback = meta->has_callback;
    recording->periods_per_second = st_period_index_at(&period, 0, ST_NS_PER_S);
    recording->fd = st_destination_open_path(path, O_RDWR | O_CREAT);
    int r = recording->fd < 0 ? recording->fd : check_overwritable(recording->fd);
    if (r == 0)
        r = put(recording, FIRST_WORD VERSION "\nrun %ju %ju %u %u %d %jd\n",
                (uint64_t)meta->period.num, (uint64_t)meta->period.den, meta->frames, meta->rate_hz,
                meta->has_callback, meta->started_wall_ns);
    if (r < 0) {
        if (recording->fd >= 0)
            close(recording->fd);
        free(recording);
        return r;
    }
    *ret = recording;
    return 0;
}

int st_recording_text(struct st_recording *recording, const char *lines)
{
    int r = recording->error;
    const size_t n = strlen(lines);
    if (r == 0 && n > ST_RECORDING_TEXT_MAX_BYTES - recording->text_bytes)
        return -E2BIG;
    recording->text_bytes += n;
    for (const char *line = lines; r == 0 && *line != '\0'; line = st_text_next_line(line))
        r = put(recording, "# %.*s\n", (int)strcspn(line, "\n"), line);
    return r;
}

int st_recording_t0(struct st_recording *recording, int64_t t0_ns)
{
    return put(recording, "start %jd\n", t0_ns);
}

/* Advances to a cycle or event of n periods at this index; writes a gap before it if indices are
 * missing. */
static int arrive(struct st_recording *recording, uint64_t index, uint64_t n)
{
    int r = recording->error;
    if (r == 0 && (index < recording->next_index || index > INDEX_MAX || n > INDEX_MAX - index))
        r = -EINVAL;
    if (r == 0 && index > recording->next_index)
        r = put(recording, "gap %ju\n", index - recording->next_index);
    if (r == 0)
        recording->next_index = index + n;
    return r;
}

int st_recording_cycle(struct st_recording *recording, uint64_t period_index, int64_t lateness_ns,
                       int64_t callback_ns)
{
    const int r = arrive(recording, period_index, 1);
    if (r < 0)
        return r;
    recording->totals.cycles++;
    recording->sum += (uint64_t)lateness_ns;
    if (!recording->has_callback)
        return put(recording, "%jd\n", lateness_ns);
    recording->sum += (uint64_t)callback_ns;
    return put(recording, "%jd %jd\n", lateness_ns, callback_ns);
}

int st_recording_skipped(struct st_recording *recording, uint64_t first_period_index, uint64_t n,
                         int64_t lateness_ns)
{
    const int r = arrive(recording, first_period_index, n);
    if (r < 0 || n == 0)
        return r;
    recording->totals.skipped_periods += n;
    return put(recording, "skipped %ju %jd\n", n, lateness_ns);
}

int st_recording_lost(struct st_recording *recording, uint64_t first_period_index, uint64_t n)
{
    const int r = arrive(recording, first_period_index, n);
    if (r < 0 || n == 0)
        return r;
    recording->totals.lost_cycles += n;
    return put(recording, "lost %ju\n", n);
}

int st_recording_flush(struct st_recording *recording)
{
    const bool due =
        recording->next_index - recording->written_index >= recording->periods_per_second;
    return recording->error == 0 && due ? write_lines(recording) : recording->error;
}

int st_recording_close(struct st_recording *recording, bool interrupted)
{
    if (recording == NULL)
        return 0;
    const struct st_recording_totals *totals = &recording->totals;
    int r = put(recording, "end %ju %ju %ju %jd %d\n", totals->cycles, totals->skipped_periods,
                totals->lost_cycles, (int64_t)recording->sum, interrupted);
    if (r == 0 && recording->next_index > 0)
        r = write_lines(recording);
    if (close(recording->fd) != 0 && r == 0)
        r = -errno; /* a network file system may report a full disk only here */
    free(recording);
    return r;
}

/* --- reading --- */

struct st_recording_reader {
    FILE *stream;
    struct st_recording_info info;
    size_t text_bytes;
    int64_t index;
    uint64_t sum;
    char text[ST_RECORDING_TEXT_MAX_BYTES + 1];
    char line[LINE_BYTES + 1];
};

/* A line: "WORD NUMBER NUMBER"; a cycle has numbers only. */
struct line {
    char word[8];
    int64_t numbers[NUMBERS_MAX];
    int n;
};

static int stop(struct st_recording_reader *reader, enum st_recording_end end)
{
    reader->info.end = end;
    return 0;
}

/* Reads the next line into reader->line. @return 1: a line was read; 0: the end was reached, and
 * info.end is set; -EIO. */
static int read_line(struct st_recording_reader *reader)
{
    if (fgets(reader->line, sizeof(reader->line), reader->stream) == NULL)
        return ferror(reader->stream) != 0 ? -EIO : stop(reader, ST_RECORDING_CUT);
    const size_t len = strlen(reader->line);
    if (len > 0 && reader->line[len - 1] == '\n') {
        reader->line[len - 1] = '\0';
        return 1;
    }
    /* The line has no newline: the file was cut or is damaged. After a power cut it may end in
     * zeros. */
    return stop(reader, feof(reader->stream) != 0 ? ST_RECORDING_CUT : ST_RECORDING_DAMAGED);
}

static bool parse(const char *text, struct line *ret)
{
    const size_t len = strcspn(text, "-0123456789 ");
    *ret = (struct line){.n = 0};
    if (len >= sizeof(ret->word))
        return false;
    memcpy(ret->word, text, len);
    for (const char *at = text + len; *at != '\0' || ret->n == 0; ret->n++) {
        char *end;
        at += *at == ' ' && (len > 0 || ret->n > 0);
        if (ret->n == NUMBERS_MAX || strchr("-0123456789", *at) == NULL)
            return false;
        errno = 0;
        ret->numbers[ret->n] = strtoll(at, &end, 10);
        if (end == at || errno != 0 || (*end != '\0' && *end != ' '))
            return false;
        at = end;
    }
    return true;
}

static bool is(const struct line *line, const char *word, int n)
{
    return line->n == n && st_text_is(line->word, word);
}

static int read_start(struct st_recording_reader *reader)
{
    struct st_recording_meta *meta = &reader->info.meta;
    struct line line;
    int r = read_line(reader);
    if (r < 0 || (r == 1 && !st_text_begins(reader->line, FIRST_WORD)))
        return r < 0 ? r : -EBADMSG;
    if (r == 1 && !st_text_is(reader->line, FIRST_WORD VERSION))
        return -EPROTONOSUPPORT;
    if (r == 1)
        r = read_line(reader);
    if (r < 0)
        return r;
    if (r == 0 || !parse(reader->line, &line) || !is(&line, "run", 6) || line.numbers[0] < 1 ||
        line.numbers[1] < 1 || line.numbers[2] < 0 || line.numbers[2] > UINT32_MAX ||
        line.numbers[3] < 0 || line.numbers[3] > UINT32_MAX ||
        st_period_init_ns(&meta->period, (uint64_t)line.numbers[0], (uint64_t)line.numbers[1]) < 0)
        return -EBADMSG;
    meta->frames = (uint32_t)line.numbers[2];
    meta->rate_hz = (uint32_t)line.numbers[3];
    meta->has_callback = line.numbers[4] != 0;
    meta->started_wall_ns = line.numbers[5];
    return 0;
}

int st_recording_open_stream(FILE *stream, struct st_recording_reader **ret)
{
    struct st_recording_reader *reader = calloc(1, sizeof(*reader));
    if (reader == NULL) {
        fclose(stream);
        return -ENOMEM;
    }
    reader->stream = stream;
    reader->info.t0_ns = ST_RECORDING_UNKNOWN_NS;
    reader->info.conditions = reader->text;
    const int r = read_start(reader);
    if (r < 0) {
        st_recording_close_reader(reader);
        return r;
    }
    *ret = reader;
    return 0;
}

int st_recording_open(const char *path, struct st_recording_reader **ret)
{
    FILE *stream = st_posix_input_open(path);
    return stream == NULL ? -errno : st_recording_open_stream(stream, ret);
}

void st_recording_close_reader(struct st_recording_reader *reader)
{
    if (reader == NULL)
        return;
    fclose(reader->stream);
    free(reader);
}

static void take_text(struct st_recording_reader *reader)
{
    char *const to = reader->text + reader->text_bytes;
    /* bytes for text; a '\0' fits behind them */
    const size_t room = ST_RECORDING_TEXT_MAX_BYTES - reader->text_bytes;
    const char *text = reader->line + 1 + (reader->line[1] == ' ');
    const size_t bytes = st_safe_copy(to, room + 1, text, ST_TEXT_TO_NUL);
    reader->text_bytes += bytes;
    if (bytes == room)
        return;
    memcpy(to + bytes, "\n", 2);
    reader->text_bytes++;
}

static int take_end(struct st_recording_reader *reader, const int64_t *numbers)
{
    const struct st_recording_totals *totals = &reader->info.totals;
    if ((uint64_t)numbers[0] != totals->cycles || (uint64_t)numbers[1] != totals->skipped_periods ||
        (uint64_t)numbers[2] != totals->lost_cycles || (uint64_t)numbers[3] != reader->sum)
        return -EBADMSG;
    return stop(reader, numbers[4] != 0 ? ST_RECORDING_INTERRUPTED : ST_RECORDING_COMPLETE);
}

/* Takes a line that may be an event. @return 1: *ret is the event; 0: the line is no event;
 * -EBADMSG. */
static int take(struct st_recording_reader *reader, const struct line *line,
                struct st_recording_event *ret)
{
    struct st_recording_totals *totals = &reader->info.totals;
    const int64_t *numbers = line->numbers;
    const bool gap = is(line, "gap", 1),
               cycle = is(line, "", reader->info.meta.has_callback ? 2 : 1);
    if (is(line, "end", 5))
        return take_end(reader, numbers);
    if (is(line, "start", 1)) {
        reader->info.t0_ns = numbers[0];
        return 0;
    }
    const int64_t n = cycle ? 1 : numbers[0];
    if (n < 1 || n > INDEX_MAX - reader->index)
        return -EBADMSG;
    *ret = (struct st_recording_event){.period_index = (uint64_t)reader->index, .n = (uint64_t)n};
    reader->index += n;
    if (cycle) {
        ret->kind = ST_RECORDING_CYCLE;
        ret->lateness_ns = numbers[0];
        ret->callback_ns = numbers[1]; /* 0 if the run has no callback */
        reader->sum += (uint64_t)numbers[0] + (uint64_t)numbers[1];
        totals->cycles++;
    } else if (is(line, "skipped", 2)) {
        ret->kind = ST_RECORDING_SKIPPED;
        ret->lateness_ns = numbers[1];
        totals->skipped_periods += ret->n;
    } else if (is(line, "lost", 1)) {
        ret->kind = ST_RECORDING_LOST;
        totals->lost_cycles += ret->n;
    } else if (!gap) {
        return -EBADMSG;
    }
    return !gap;
}

int st_recording_next(struct st_recording_reader *reader, struct st_recording_event *ret)
{
    struct line line;
    while (reader->info.end == ST_RECORDING_OPEN) {
        int r = read_line(reader);
        if (r <= 0)
            return r;
        if (reader->line[0] == '#') {
            take_text(reader);
            continue;
        }
        r = parse(reader->line, &line) ? take(reader, &line, ret) : -EBADMSG;
        if (r < 0)
            return stop(reader, ST_RECORDING_DAMAGED);
        if (r == 1)
            return 1;
    }
    return 0;
}

const struct st_recording_info *st_recording_info(const struct st_recording_reader *reader)
{
    return &reader->info;
}
