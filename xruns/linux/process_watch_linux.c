#include "xruns/helpers/process_watch.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/text/number.h"
#include "platform/posix/posix.h"
#include "platform/proc.h"
#include "platform/tree.h"
#include "xruns/helpers/standing.h"
#include "xruns/helpers/thread_window.h"

#define PROCESSES_MAX 64
#define RIVALS_MAX    32
#define RING          128 /* samples kept for each thread: those of the last 2.5 to 10 s */
#define PLAYED_NS     (4 * ST_NS_PER_S) /* a process without a cycle for this time is not sampled */
#define THREADS_MAX   4000              /* threads that one scan of /proc reads */
/* threads that are read of each playing process, to choose the one that is sampled */
#define THREADS_EACH (THREADS_MAX / PROCESSES_MAX)
#define RAN_MAX      1024
/* interval at which the sampled thread of each process is chosen again: the process may have
 * started another thread */
#define CHOOSE_NS (20 * ST_NS_PER_S)
/* for this time after a process began to play, its sampled thread is chosen again every SOON_NS:
 * at first, its main thread may have run more often than the thread that computes */
#define NEW_NS (5 * ST_NS_PER_S)
/* interval of choosing sampled threads while a process is new (NEW_NS) */
#define SOON_NS ST_NS_PER_S
#define SCAN_NS (10 * ST_NS_PER_S)
/* minimum interval of scans of /proc while the thread that took the CPU is unknown: another scan
 * can find it if it was started, or woke up, after the last one */
#define RESCAN_NS (100 * ST_NS_PER_MS)
/* minimum interval of scans, as a multiple of a scan's CPU time; doubled after each scan that
 * found no culprit, at most IN_VAIN_MAX times */
#define SCAN_PRICE  200
#define IN_VAIN_MAX 3
#define KNOWN_NS                                                                                   \
    (250 * ST_NS_PER_MS) /* how long the name, priority and CPU of a thread that may take the CPU  \
                            stay valid */
/* threads that may take the CPU are watched for this time after a dropout by a lack of CPU */
#define HUNT_NS (30 * ST_NS_PER_S)
/* after this number of samples in which a thread did not run, its cgroup is read: it may be frozen
 */
#define FROZEN_TICKS 5
/* number of samples after which the stat files of all sampled threads are read, and the cgroup of
 * a thread that does not run is read again */
#define RARE_TICKS  25
#define USUAL_TICKS 8 /* samples over which the usual CPU time of a thread is averaged */
#define AROUND                                                                                     \
    3 /* number of samples on each side of a late cycle that are tried as begin or end of the      \
         measured time */
/* time between two samples of fewer than FEW threads; twice this time from FEW threads on, four
 * times from MANY threads on */
#define PACE_NS (20 * ST_NS_PER_MS)
#define FEW     6
#define MANY    24
/* file descriptors of this process among which the socket to the server is searched */
#define FDS_MAX 64

struct thread {
    pid_t pid, tid;         /* tid 0: no thread */
    int times_fd, state_fd; /* open files: schedstat and stat of the thread */
    int64_t from;           /* number of the thread's first sample */
};

struct figures {
    int64_t cpu_ns, queue_ns, process_ns; /* process_ns: CPU time of all threads of the process */
    uint64_t faults_n;     /* major page faults of the thread so far; can be 2 s old, since a thread
                              without page faults is read rarely */
    bool stopped, counted; /* counted: faults_n was read in this sample */
};

struct process {
    bool used, exited;
    uint32_t client;
    int64_t played_ns;
    clockid_t clock;      /* clock of the CPU time of all threads of the process */
    struct thread thread; /* the thread that computes */
    int64_t rt_priority;  /* of `thread`; -1: not known */
    int64_t main_n;       /* how often the main thread had run (schedstat) when threads were first
                             compared; -1: they were not compared yet */
    int idle_n;           /* samples since the thread last ran */
    int64_t usual_ns;     /* usual CPU time from one sample to the next */
    bool faults;          /* the thread had major page faults in the last 0.5 to 2 s */
    struct figures samples[RING];
};

/* A thread that may take the CPU from others. */
struct rival {
    struct thread thread;
    struct st_proc_stat stat; /* as read at stat_ns */
    int64_t stat_ns;
    int64_t cpu_ns[RING];
};

/* CPU time of a process at the last scan; if it has not changed, no thread of the process needs to
 * be read. */
struct ran {
    pid_t pid;
    clockid_t clock;
    int64_t cpu_ns;
};

struct st_process_watch {
    struct process processes[PROCESSES_MAX];
    int processes_n; /* entries of `processes` that were ever used */
    struct rival rivals[RIVALS_MAX];
    int64_t at_ns[RING], done_ns[RING]; /* begin and end of each sample */
    int64_t samples_n;                  /* samples so far; sample i has index i % RING */
    int64_t tick_ns;                    /* tick length of the kernel's clock */
    int64_t chosen_ns, added_ns, scanned_ns, scan_cpu_ns, hunt_end_ns;
    bool unexplained; /* since the last scan of /proc, a dropout had no known culprit */
    int in_vain_n;    /* consecutive scans after which no culprit was found */
    bool knows_ran;   /* a scan of /proc has filled `ran` since the dropout; that scan reads all
                         threads, so its CPU time is not used as the price of a scan */
    struct ran ran[RAN_MAX]; /* index: pid % RAN_MAX */
};

/* --- one thread --- */

static bool read_stat(pid_t pid, pid_t tid, struct st_proc_stat *ret)
{
    char text[1024];
    return st_standing_read(st_text("/proc/%d/task/%d/stat", (int)pid, (int)tid), text,
                            sizeof(text)) > 0 &&
           st_proc_stat(text, ret) == 0;
}

/* Reads the file again from its start. @return 0, or -errno; -ESRCH: the thread has ended. */
static int read_again(int fd, char *buf, size_t buf_bytes)
{
    const ssize_t n = pread(fd, buf, buf_bytes - 1, 0);
    buf[ST_MAX(n, 0)] = '\0';
    if (n == 0)
        return -ESRCH;
    return ST_MIN(st_posix_result(n), 0);
}

static bool read_state(const struct thread *thread, struct st_proc_stat *ret)
{
    char text[1024];
    return read_again(thread->state_fd, text, sizeof(text)) == 0 && st_proc_stat(text, ret) == 0;
}

static int read_times(const struct thread *thread, int64_t *ret_cpu_ns, int64_t *ret_queue_ns)
{
    char text[96];
    const int r = read_again(thread->times_fd, text, sizeof(text));
    if (r < 0)
        return r;
    return st_proc_schedstat(text, ret_cpu_ns, ret_queue_ns);
}

static void end_thread(struct thread *thread)
{
    if (thread->tid != 0) {
        close(thread->times_fd);
        close(thread->state_fd);
    }
    thread->tid = 0;
}

static int open_file(pid_t pid, pid_t tid, const char *name)
{
    return open(st_text("/proc/%d/task/%d/%s", (int)pid, (int)tid, name), O_RDONLY | O_CLOEXEC);
}

static void begin_thread(struct thread *thread, pid_t pid, pid_t tid, int64_t from)
{
    end_thread(thread);
    *thread = (struct thread){pid, tid, open_file(pid, tid, "schedstat"),
                              open_file(pid, tid, "stat"), from};
    if (thread->times_fd < 0 || thread->state_fd < 0) /* the thread has ended */
        end_thread(thread);
}

/* --- all threads --- */

typedef void (*each_fn)(struct st_process_watch *watch, void *ctx, pid_t pid, pid_t tid);

/* Calls `each` for all processes (pid 0), or for the threads of one process. @return the number of
 * calls. */
static int for_each(struct st_process_watch *watch, pid_t pid, int most, each_fn each, void *ctx)
{
    struct dirent *entry;
    int n = 0;
    DIR *folder = opendir(st_text(pid != 0 ? "/proc/%d/task" : "/proc", (int)pid));
    while (folder != NULL && n < most && (entry = readdir(folder)) != NULL) {
        int64_t id;
        if (!isdigit((unsigned char)entry->d_name[0]) ||
            st_number_i64(entry->d_name, 1, INT_MAX, &id) != 0)
            continue;
        each(watch, ctx, pid, (pid_t)id);
        n++;
    }
    if (folder != NULL)
        closedir(folder);
    return n;
}

struct choice {
    pid_t tid;
    int64_t rank, second; /* rank: how likely thread `tid` is the one that computes; second: rank of
                             the next likely one */
    int64_t rt_priority, main_n;
    int64_t most_rt_priority; /* highest priority of all threads; -1: not known */
};

/* Called for each thread of a process: chooses the thread that computes. PipeWire's thread has a
 * known name since 1.0. Otherwise, of two threads, prefers one that is not the main thread (true
 * for pipewire-pulse), then a real-time thread, then the thread with more wake-ups. The main
 * thread's wake-ups during the start of a program do not count. */
static void consider(ST_UNUSED struct st_process_watch *watch, void *ctx, pid_t pid, pid_t tid)
{
    struct choice *choice = ctx;
    struct st_proc_stat stat;
    char text[96];
    if (!read_stat(pid, tid, &stat) ||
        st_standing_read(st_text("/proc/%d/task/%d/schedstat", (int)pid, (int)tid), text,
                         sizeof(text)) == 0)
        return;
    const char *times = strrchr(text, ' ');
    if (times == NULL)
        return;
    int64_t rank = (int64_t)(strtoull(times, NULL, 10) % INT_MAX);
    if (tid == pid && choice->main_n < 0)
        choice->main_n = rank;
    if (tid == pid)
        rank -= choice->main_n;
    choice->most_rt_priority = ST_MAX(stat.rt_priority, choice->most_rt_priority);
    if (stat.rt_priority > 0)
        rank += INT64_C(1) << 32;
    if (strstr(stat.name, "data-loop") != NULL || (stat.threads_n == 2 && tid != pid))
        rank += INT64_C(1) << 33;
    if (choice->tid == 0 || rank > choice->rank)
        *choice = (struct choice){
            tid, rank, choice->rank, stat.rt_priority, choice->main_n, choice->most_rt_priority};
    else if (rank > choice->second)
        choice->second = rank;
}

static int clients_n(const struct st_process_watch *watch, pid_t pid)
{
    int n = 0;
    ST_EACH (process, watch->processes)
        n += process->used && process->thread.pid == pid;
    return n;
}

static struct process *find(struct st_process_watch *watch, uint32_t client)
{
    ST_EACH_OF (process, watch->processes, watch->processes_n) {
        if (process->used && process->client == client)
            return process;
    }
    return NULL;
}

static void add(struct st_process_watch *watch, uint32_t client, pid_t pid)
{
    struct stat owner;
    clockid_t clock;
    if (stat(st_text("/proc/%d", (int)pid), &owner) < 0 || owner.st_uid != geteuid() ||
        clock_getcpuclockid(pid, &clock) != 0)
        return;
    for (int i = 0; find(watch, client) == NULL && i < PROCESSES_MAX; i++) {
        struct process *process = &watch->processes[i];
        if (i == watch->processes_n)
            watch->processes_n++;
        if (!process->used)
            *process = (struct process){.used = true,
                                        .client = client,
                                        .clock = clock,
                                        .rt_priority = -1,
                                        .main_n = -1,
                                        .thread = {.pid = pid}};
    }
}

/* Finds a process of this user that has the server's name and is no client, if there is only
 * one. */
static void consider_server(struct st_process_watch *watch, void *ctx, ST_UNUSED pid_t none,
                            pid_t pid)
{
    pid_t *server = ctx;
    struct st_proc_stat stat;
    if (clients_n(watch, pid) == 0 && read_stat(pid, pid, &stat) &&
        st_text_is(stat.name, "pipewire"))
        *server = *server == 0 ? pid : -1;
}

/* Finds the server's process: the peer of this program's socket, as the kernel reports it. If the
 * service manager opened that socket for the server, takes the only process that is named
 * "pipewire". */
static void find_server(struct st_process_watch *watch)
{
    pid_t server = 0;
    struct ucred peer;
    struct st_proc_stat stat;
    for (int fd = 0; fd < FDS_MAX && server == 0; fd++) {
        socklen_t bytes = sizeof(peer);
        if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 && peer.pid != getpid() &&
            read_stat(peer.pid, peer.pid, &stat) && st_text_is(stat.name, "pipewire"))
            server = peer.pid;
    }
    if (server == 0)
        for_each(watch, 0, INT_MAX, consider_server, &server);
    if (server > 0)
        add(watch, ST_DROPOUT_SERVER, server);
}

static bool is_playing(const struct process *process, int64_t now)
{
    return process->client == ST_DROPOUT_SERVER || now - process->played_ns < PLAYED_NS;
}

static void choose_threads(struct st_process_watch *watch, int64_t now)
{
    watch->chosen_ns = now;
    if (find(watch, ST_DROPOUT_SERVER) == NULL)
        find_server(watch);
    ST_EACH (process, watch->processes) {
        struct choice choice = {.main_n = process->main_n, .most_rt_priority = -1};
        if (!process->used || process->exited || !is_playing(process, now))
            continue;
        const int n = for_each(watch, process->thread.pid, THREADS_EACH, consider, &choice);
        process->main_n = choice.main_n;
        if (clients_n(watch, process->thread.pid) > 1 && choice.second > choice.rank / 2)
            choice.tid = 0; /* unclear which client the thread belongs to */
        if (choice.tid == 0)
            end_thread(&process->thread);
        else if (choice.tid != process->thread.tid)
            begin_thread(&process->thread, process->thread.pid, choice.tid, watch->samples_n);
        process->rt_priority = -1;
        if (process->thread.tid != 0)
            process->rt_priority = choice.rt_priority;
        else if (n < THREADS_EACH && choice.most_rt_priority == 0)
            process->rt_priority = 0;
    }
}

/* The number of the oldest sample of the thread that is still in the ring. */
static int64_t first_sample(const struct st_process_watch *watch, const struct thread *thread)
{
    return ST_MAX(thread->from, watch->samples_n - RING);
}

static bool is_idle(const struct st_process_watch *watch, const struct rival *rival)
{
    const int64_t first = first_sample(watch, &rival->thread);
    return first < watch->samples_n - 1 &&
           rival->cpu_ns[first % RING] == rival->cpu_ns[(watch->samples_n - 1) % RING];
}

/* Adds a thread to the list of those that may take the CPU (rivals). A machine may have more
 * real-time threads than there is room for; most of them sleep, so a sleeping one is replaced by
 * one that needs a CPU now. */
static void consider_rival(struct st_process_watch *watch, ST_UNUSED void *ctx, pid_t pid,
                           pid_t tid)
{
    struct rival *room = NULL, *idle = NULL;
    struct st_proc_stat stat;
    ST_EACH (rival, watch->rivals) {
        if (rival->thread.tid == tid)
            return;
        if (rival->thread.tid == 0)
            room = rival;
        else if (is_idle(watch, rival))
            idle = rival;
    }
    if (!read_stat(pid, tid, &stat) || (stat.rt_priority == 0 && stat.state != 'R'))
        return;
    if (room == NULL && stat.state == 'R')
        room = idle;
    if (room == NULL)
        return;
    room->stat_ns = 0;
    begin_thread(&room->thread, pid, tid, watch->samples_n);
}

/* Has the process run since the last scan? */
static bool has_run(struct st_process_watch *watch, pid_t pid)
{
    struct ran *ran = &watch->ran[pid % RAN_MAX];
    if (ran->pid != pid && clock_getcpuclockid(pid, &ran->clock) != 0)
        return true;
    const struct ran before = *ran;
    ran->pid = pid;
    ran->cpu_ns = st_posix_clock_ns(ran->clock);
    return ran->cpu_ns < 0 || before.pid != pid || ran->cpu_ns != before.cpu_ns;
}

static void scan_process(struct st_process_watch *watch, void *ctx, ST_UNUSED pid_t none, pid_t pid)
{
    int *left = ctx;
    if (has_run(watch, pid))
        *left -= for_each(watch, pid, *left, consider_rival, NULL);
}

/* Scans /proc for threads that may take the CPU; stops HUNT_NS after the last dropout by a lack of
 * CPU. */
static void hunt(struct st_process_watch *watch, int64_t now)
{
    const int64_t price_ns = SCAN_PRICE * watch->scan_cpu_ns * (INT64_C(1) << watch->in_vain_n);
    int64_t pause_ns = SCAN_NS;
    if (watch->unexplained)
        pause_ns = ST_MIN(ST_MAX(price_ns, RESCAN_NS), SCAN_NS);
    if (now < watch->hunt_end_ns && now - watch->scanned_ns > pause_ns) {
        const int64_t before_ns = st_posix_clock_ns(CLOCK_THREAD_CPUTIME_ID);
        int left = THREADS_MAX;
        watch->scanned_ns = now;
        watch->in_vain_n += watch->unexplained && watch->in_vain_n < IN_VAIN_MAX;
        watch->unexplained = false;
        for_each(watch, 0, INT_MAX, scan_process, &left);
        watch->scan_cpu_ns =
            (st_posix_clock_ns(CLOCK_THREAD_CPUTIME_ID) - before_ns) * watch->knows_ran;
        watch->knows_ran = true;
    }
    if (now < watch->hunt_end_ns || !watch->knows_ran)
        return;
    watch->knows_ran = false;
    memset(watch->ran, 0, sizeof(watch->ran));
    ST_EACH (rival, watch->rivals)
        end_thread(&rival->thread);
}

/* --- samples --- */

static void sample(struct st_process_watch *watch, struct process *process, int64_t now)
{
    struct figures *figures = &process->samples[watch->samples_n % RING];
    const bool again = process->thread.from < watch->samples_n;
    struct figures before = {0};
    int64_t since_ns = 0;
    struct st_proc_stat stat;
    if (again) {
        before = process->samples[(watch->samples_n - 1) % RING];
        since_ns = now - watch->at_ns[(watch->samples_n - 1) % RING];
    }
    *figures = (struct figures){0};
    const int r = read_times(&process->thread, &figures->cpu_ns, &figures->queue_ns);
    if (r < 0) {
        end_thread(&process->thread);
        watch->chosen_ns = 0;
        process->exited = r == -ESRCH && kill(process->thread.pid, 0) < 0 && errno == ESRCH;
        return;
    }
    figures->faults_n = before.faults_n;
    figures->process_ns = st_posix_clock_ns(process->clock);
    figures->process_ns = ST_MAX(figures->process_ns, 0);
    process->idle_n++;
    if (!again || figures->cpu_ns != before.cpu_ns)
        process->idle_n = 0;
    const bool rare = watch->samples_n % RARE_TICKS == 0;
    /* a thread that ran, but less than usual, may have been stopped since the last sample: read its
     * state */
    const int64_t more_ns = (figures->cpu_ns - before.cpu_ns - process->usual_ns) * again;
    const bool less = 4 * more_ns < -process->usual_ns;
    process->usual_ns += more_ns / USUAL_TICKS;
    if (process->idle_n == 0 && again && !rare && !less && !process->faults)
        return;
    if (!read_state(&process->thread, &stat))
        return;
    figures->faults_n = stat.faults_major_n;
    figures->counted = true;
    if (rare || figures->faults_n > before.faults_n)
        process->faults = again && figures->faults_n > before.faults_n;
    figures->stopped = stat.state == 'T' || stat.state == 't';
    if (process->idle_n == 0)
        return;
    if (process->idle_n == FROZEN_TICKS || process->idle_n % RARE_TICKS == 0)
        figures->stopped |= st_standing_is_frozen(process->thread.pid);
    else
        figures->stopped |= before.stopped && process->idle_n > 1;
    if (stat.state == 'R') /* the kernel adds the time of this wait only when the thread gets a CPU:
                              until then, count the whole time since the last sample */
        figures->queue_ns = before.queue_ns + since_ns;
}

int64_t st_process_watch_sample(struct st_process_watch *watch)
{
    int64_t now = st_posix_now_ns(NULL);
    int threads_n = 0;
    if (now - watch->chosen_ns > (now - watch->added_ns < NEW_NS ? SOON_NS : CHOOSE_NS))
        choose_threads(watch, now);
    hunt(watch, now);
    now = st_posix_now_ns(NULL);
    ST_EACH_OF (process, watch->processes, watch->processes_n) {
        if (!process->used || process->thread.tid == 0)
            continue;
        if (is_playing(process, now))
            sample(watch, process, now);
        else
            end_thread(&process->thread);
        threads_n++;
    }
    ST_EACH (rival, watch->rivals) {
        int64_t queue_ns;
        if (rival->thread.tid != 0 &&
            read_times(&rival->thread, &rival->cpu_ns[watch->samples_n % RING], &queue_ns) < 0)
            end_thread(&rival->thread);
    }
    watch->at_ns[watch->samples_n % RING] = now;
    watch->done_ns[watch->samples_n++ % RING] = st_posix_now_ns(NULL);
    return PACE_NS << ((threads_n >= FEW) + (threads_n >= MANY));
}

/* --- one dropout --- */

/* CPU time of a rival between two samples, minus what it usually uses in a time of this length. */
static int64_t excess_ns(const struct st_process_watch *watch, const struct rival *rival,
                         int64_t base, int64_t last)
{
    const int64_t first = first_sample(watch, &rival->thread);
    const int64_t usual_ns = rival->cpu_ns[base % RING] - rival->cpu_ns[first % RING];
    const int64_t in_ns = watch->at_ns[base % RING] - watch->at_ns[first % RING];
    const int64_t window_ns = watch->at_ns[last % RING] - watch->at_ns[base % RING];
    const double share = (double)usual_ns / fmax((double)in_ns, 1);
    return rival->cpu_ns[last % RING] - rival->cpu_ns[base % RING] -
           (int64_t)(share * (double)window_ns);
}

/* Reads the state of a rival, at most once in KNOWN_NS, since many dropouts can be reported at
 * once.
 * @return false: the thread has ended. */
static bool know_rival(struct rival *rival, int64_t now)
{
    if (rival->stat_ns != 0 && now - rival->stat_ns < KNOWN_NS)
        return true;
    rival->stat_ns = now * read_state(&rival->thread, &rival->stat);
    return rival->stat_ns != 0;
}

/* @return the thread that had the CPU while the process's thread waited for it; NULL: not known. */
static const struct rival *find_culprit(struct st_process_watch *watch,
                                        const struct process *process, int64_t base, int64_t last)
{
    const int64_t queue_ns =
        process->samples[last % RING].queue_ns - process->samples[base % RING].queue_ns;
    const int64_t now = st_posix_now_ns(NULL);
    struct st_proc_stat own;
    struct st_thread_rival rivals[RIVALS_MAX];
    if (!read_state(&process->thread, &own))
        return NULL;
    for (int i = 0; i < RIVALS_MAX; i++) {
        struct rival *rival = &watch->rivals[i];
        const int64_t ran_ns = rival->cpu_ns[last % RING] - rival->cpu_ns[base % RING];
        rivals[i] = (struct st_thread_rival){.name = ""};
        if (rival->thread.tid == 0 || rival->thread.tid == process->thread.tid ||
            rival->thread.from > base || ran_ns <= 0 || !know_rival(rival, now))
            continue;
        rivals[i] = (struct st_thread_rival){.name = rival->stat.name,
                                             .cpu = rival->stat.cpu,
                                             .rt_priority = rival->stat.rt_priority,
                                             .ran_ns = ran_ns,
                                             .more_ns = excess_ns(watch, rival, base, last),
                                             .plays = clients_n(watch, rival->thread.pid) > 0};
    }
    const struct st_thread_rival waits = {.cpu = own.cpu, .rt_priority = own.rt_priority};
    const size_t culprit = st_thread_window_culprit(rivals, RIVALS_MAX, &waits, queue_ns);
    return culprit < RIVALS_MAX ? &watch->rivals[culprit] : NULL;
}

static void blame(struct st_process_watch *watch, const struct process *process, int64_t base,
                  int64_t last, struct st_dropout_figures *figures)
{
    const int64_t others_ns =
        process->samples[last % RING].process_ns - process->samples[base % RING].process_ns -
        (process->samples[last % RING].cpu_ns - process->samples[base % RING].cpu_ns);
    watch->hunt_end_ns = st_posix_now_ns(NULL) + HUNT_NS;
    const struct rival *culprit = find_culprit(watch, process, base, last);
    figures->taken_by_itself = culprit != NULL
                                   ? culprit->thread.pid == process->thread.pid
                                   : others_ns > figures->queue_ns - figures->queue_ns / 4;
    if (culprit == NULL) { /* the culprit may have started after the last scan: scan again */
        watch->unexplained = watch->unexplained || watch->scanned_ns == 0 ||
                             watch->at_ns[base % RING] > watch->scanned_ns;
        return;
    }
    watch->in_vain_n = 0;
    const char *folder = st_text("/proc/%d", (int)culprit->thread.pid);
    st_proc_name(st_tree_text(st_platform_native(), st_text("%s/comm", folder)),
                 st_tree_text(st_platform_native(), st_text("%s/cmdline", folder)),
                 figures->culprit, sizeof(figures->culprit));
    ST_EACH (playing, watch->processes) {
        if (playing->used && playing->thread.pid == culprit->thread.pid &&
            figures->culprits_n < ST_ARRAY_LEN(figures->culprits))
            figures->culprits[figures->culprits_n++] = playing->client;
    }
}

static struct st_thread_window window_of(const struct st_process_watch *watch,
                                         const struct process *process, int64_t base, int64_t last)
{
    const int64_t first = first_sample(watch, &process->thread);
    const struct figures *samples = process->samples, *from = &samples[base % RING],
                         *to = &samples[last % RING];
    const double in_ns = fmax((double)(watch->at_ns[last % RING] - watch->at_ns[first % RING]), 1);
    return (struct st_thread_window){
        .from_ns = watch->at_ns[base % RING],
        .to_ns = watch->at_ns[last % RING],
        .ran_ns = to->cpu_ns - from->cpu_ns,
        .process_ns = to->process_ns - from->process_ns,
        .used = (double)(to->cpu_ns - samples[first % RING].cpu_ns) / in_ns,
        .process_used = (double)(to->process_ns - samples[first % RING].process_ns) / in_ns,
        .tick_ns = watch->tick_ns};
}

/* Computes the thread's CPU time in the late cycle from the two samples, one before and one after
 * the cycle, that give the smallest error. */
static void take_best(const struct st_process_watch *watch, const struct process *process,
                      int64_t base, int64_t last, struct st_dropout_figures *figures)
{
    const int64_t first = first_sample(watch, &process->thread);
    const struct st_dropout_figures before = *figures;
    for (int64_t i = 0; i < AROUND * AROUND; i++) {
        struct st_dropout_figures taken = before;
        const int64_t from = base - i / AROUND, to = last + i % AROUND;
        if (from < first || to >= watch->samples_n)
            continue;
        const struct st_thread_window window = window_of(watch, process, from, to);
        st_thread_window_take(&window, &taken);
        if (i == 0 || taken.cpu_error_ns < figures->cpu_error_ns)
            *figures = taken;
    }
}

void st_process_watch_measure(struct st_process_watch *watch, uint32_t client,
                              struct st_dropout_figures *figures)
{
    struct process *process = find(watch, client);
    struct st_proc_stat stat;
    if (process == NULL)
        return;
    const int64_t charged_ns = figures->end_ns + watch->tick_ns;
    if (watch->samples_n == 0 || watch->at_ns[(watch->samples_n - 1) % RING] < charged_ns)
        (void)st_process_watch_sample(watch);
    figures->exited = process->exited;
    const int64_t first = first_sample(watch, &process->thread);
    int64_t base = watch->samples_n - 1, last = base;
    while (base > first && watch->done_ns[base % RING] > figures->signal_ns)
        base--;
    while (last - 1 > base && watch->at_ns[(last - 1) % RING] >= charged_ns)
        last--;
    if (process->thread.tid == 0 || last <= base ||
        watch->done_ns[base % RING] > figures->signal_ns)
        return;
    const struct figures *before = &process->samples[base % RING],
                         *after = &process->samples[last % RING];
    figures->measured = true;
    take_best(watch, process, base, last, figures);
    uint64_t faults_n = after->faults_n;
    if (!after->counted && read_state(&process->thread, &stat))
        faults_n = stat.faults_major_n;
    figures->faults_n = ST_MAX(faults_n, before->faults_n) - before->faults_n;
    const int64_t queue_ns = ST_MAX(after->queue_ns - before->queue_ns, 0);
    figures->queue_ns = ST_MIN(queue_ns, figures->end_ns - figures->signal_ns);
    for (int64_t i = base; i <= last; i++) {
        figures->stopped = figures->stopped || process->samples[i % RING].stopped;
        if (process->samples[i % RING].stopped && i > base)
            figures->stopped_ns += watch->at_ns[i % RING] - watch->at_ns[(i - 1) % RING];
    }
    if (figures->wants_culprit && figures->queue_ns >= (figures->end_ns - figures->signal_ns) / 4)
        blame(watch, process, base, last, figures);
}

int64_t st_process_watch_priority(struct st_process_watch *watch, uint32_t client)
{
    const struct process *process = find(watch, client);
    return process != NULL ? process->rt_priority : -1;
}

/* --- processes --- */

struct st_process_watch *st_process_watch_new(void)
{
    struct timespec tick = {.tv_nsec = 10000000};
    struct st_process_watch *watch = calloc(1, sizeof(*watch));
    if (watch == NULL)
        return NULL;
    (void)clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
    watch->tick_ns = st_ns_from_timespec(&tick);
    return watch;
}

void st_process_watch_add(struct st_process_watch *watch, uint32_t client, pid_t pid)
{
    add(watch, client, pid);
    /* the process may play already, although no cycle of it was reported yet */
    st_process_watch_plays(watch, client);
}

void st_process_watch_plays(struct st_process_watch *watch, uint32_t client)
{
    struct process *process = find(watch, client);
    const int64_t now = st_posix_now_ns(NULL);
    if (process == NULL)
        return;
    if (process->played_ns == 0 || !is_playing(process, now)) {
        watch->added_ns = now;
        watch->chosen_ns = 0;
    }
    process->played_ns = now;
}

void st_process_watch_remove(struct st_process_watch *watch, uint32_t client)
{
    struct process *process = find(watch, client);
    if (process == NULL)
        return;
    end_thread(&process->thread);
    process->used = false;
}
