/* How long a history takes to answer: time_history FILE SINCE_S UNTIL_S STEP_S; the median of 9
 * answers, each from a file that is opened anew, and of the CPU time of these. */
#include "core/ns.h"
#include "core/text/json.h"
#include "store/history/history_read.h"

static int64_t now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return st_ns_from_timespec(&now);
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    int64_t took_ns[9], cpu_ns[9];
    size_t rows_n = 0;
    if (argc != 5) {
        fprintf(stderr, "usage: time_history FILE SINCE_S UNTIL_S STEP_S\n");
        return 3;
    }
    for (size_t i = 0; i < ST_ARRAY_LEN(took_ns); i++) {
        struct st_history_reader *reader;
        json_t *document;
        const char *error;
        const int64_t from_ns = now_ns(CLOCK_MONOTONIC),
                      cpu_from_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
        if (st_history_read_open(argv[1], &reader, &error) < 0) {
            fprintf(stderr, "time_history: %s: %s\n", argv[1], error);
            return 4;
        }
        document =
            st_history_read_steps(reader, atoll(argv[2]) * ST_NS_PER_S,
                                  atoll(argv[3]) * ST_NS_PER_S, atoll(argv[4]) * ST_NS_PER_S);
        const int r = st_history_read_result(reader);
        if (r < 0) {
            fprintf(stderr, "time_history: %s\n", strerror(-r));
            return 4;
        }
        st_history_read_close(reader);
        took_ns[i] = now_ns(CLOCK_MONOTONIC) - from_ns;
        cpu_ns[i] = now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_from_ns;
        rows_n = json_array_size(json_object_get(document, "rows"));
        json_decref(document);
    }
    qsort(cpu_ns, ST_ARRAY_LEN(cpu_ns), sizeof(cpu_ns[0]), compare);
    qsort(took_ns, ST_ARRAY_LEN(took_ns), sizeof(took_ns[0]), compare);
    const size_t middle = ST_ARRAY_LEN(took_ns) / 2;
    printf("%zu rows, median %.1f ms, longest %.1f ms; CPU time: median %.1f ms\n", rows_n,
           (double)took_ns[middle] / 1e6, (double)took_ns[ST_ARRAY_LEN(took_ns) - 1] / 1e6,
           (double)cpu_ns[middle] / 1e6);
    return 0;
}
