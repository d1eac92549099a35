/* sleeptune-observe-jack: reports the losses of sound of a JACK server, a line for each.
 *
 * JACK reports every xrun to every client (jack_set_xrun_callback); consecutive xruns are one loss
 * (jack_loss.h). An xrun of JACK has one of two reasons: the driver was late (the device ran dry),
 * or a client did not finish in its cycle; jack_xrun.h finds out which. If there is more than one
 * client, only the server's messages name the late one (jack_late.h). This program has no ports and
 * no process callback, and its other callbacks do not wait: the server never waits for it.
 *
 * The server is the one that JACK_DEFAULT_SERVER names, or "default"; this program starts none.
 *
 * sleeptuned's own stream on the same server counts these xruns, too, but each one separately. The
 * ready line says whether that stream exists. */
#include <dirent.h>
#include <fcntl.h>
#include <jack/jack.h>
#include <jack/statistics.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "core/ns.h"
#include "core/stats/stats.h"
#include "platform/posix/posix.h"
#include "platform/tree.h"
#include "xruns/helpers/helper_line.h"
#include "xruns/helpers/jack_loss.h"
#include "xruns/helpers/jack_server.h"
#include "xruns/helpers/log_line.h"

#define NAME "sleeptune-observe-jack"
/* maximum time (s) for the server's answer, since a server that hangs does not answer at all */
#define ANSWER_S  5
#define PAUSE_MS  (ST_JACK_PAUSE_US / 1000)
#define SAMPLE_MS 2000
#define SAMPLES   5 /* samples of the DSP load for each load line: a line every 10 s */

#define READ_BYTES 65536

enum over { NOT_OVER, OVER_GONE, OVER_END };

struct happened {
    struct st_jack_cycle cycle;
    struct st_jack_xrun xrun;
};

struct observer {
    jack_client_t *client;
    int fds[2];      /* a pipe for struct happened from libjack's thread to main; both ends are
                        non-blocking */
    atomic_int over; /* an enum over: whether, and why, this program ends. Threads: any, and the
                        signal handler */
    struct st_jack_xrun_judge judge; /* used by libjack's thread only, from its first callback on */
    int log_fd;                      /* -1: none */
    struct st_log_line log_line;
    struct st_jack_losses losses;
    char said[ST_XRUN_WHY_BYTES];
    int64_t sample_us;     /* time of the next sample of the DSP load */
    double loads[SAMPLES]; /* samples of the DSP load: 1 is the whole period */
    int64_t spare_ns;      /* time that the last cycle left unused; 0: not known */
    size_t loads_n;
    bool plays; /* a client was connected when clients were last listed */
};

static struct observer observer;
static const char *server; /* name of the server */
/* libjack's latest error message; global, since libjack's callback has no context */
static char message[128];

static void keep_message(const char *text)
{
    ST_PRINT(message, "%s", text);
}

static void drop_message(ST_UNUSED const char *text) {}

/* Sends an xrun to the main thread. A full pipe holds 1600 xruns: further ones are dropped. */
static void report(const struct happened *happened)
{
    const int saved = errno; /* on_signal must not change errno of the code that it interrupted */
    while (write(observer.fds[1], happened, sizeof(*happened)) < 0 && errno == EINTR)
        ;
    errno = saved;
}

static void end(enum over how)
{
    int not_yet = NOT_OVER;
    atomic_compare_exchange_strong(&observer.over, &not_yet, (int)how);
    report(&(struct happened){.cycle = {.period_us = 0}}); /* wakes the main thread */
}

/* Ends this program through the main thread, since a JACK client that is just killed disturbs its
 * server. */
static void on_signal(ST_UNUSED int number)
{
    end(OVER_END);
}

static struct st_jack_cycle look_at_cycle(jack_client_t *client)
{
    struct st_jack_cycle cycle = {.late_us = INT64_MIN};
    jack_nframes_t frames, again;
    jack_time_t expected_us, next_us;
    float period_us;
    const double rate_hz = jack_get_sample_rate(client);
    for (int tries = 0; tries < 3 && cycle.late_us == INT64_MIN; tries++) {
        if (jack_get_cycle_times(client, &frames, &expected_us, &next_us, &period_us) != 0)
            break;
        const double since_us = jack_frames_since_cycle_start(client) * 1e6 / rate_hz;
        const int64_t now_us = (int64_t)jack_get_time();
        if (jack_get_cycle_times(client, &again, &expected_us, &next_us, &period_us) == 0 &&
            again == frames)
            cycle.late_us = now_us - (int64_t)since_us - (int64_t)expected_us;
    }
    cycle.delayed_us = jack_get_xrun_delayed_usecs(client);
    cycle.at_us = (int64_t)jack_get_time();
    cycle.period_us = (int64_t)(jack_get_buffer_size(client) * 1e6 / rate_hz);
    return cycle;
}

static int on_xrun(ST_UNUSED void *ctx)
{
    const struct st_jack_cycle now = look_at_cycle(observer.client);
    report(&(struct happened){now, st_jack_xrun_conclude(&observer.judge, &now)});
    return 0;
}

static void on_shutdown(ST_UNUSED void *ctx)
{
    end(OVER_GONE);
}

/* Connects to the server. @return ST_HELPER_LINE_DONE; or the status for main, after writing the
 * reason. */
static int open_client(void)
{
    jack_status_t status = 0;
    if (st_jack_server_is_pipewire())
        return st_helper_line_absent("the installed JACK library is PipeWire's, so sleeptuned "
                                     "watches JACK's programs with those of PipeWire");
    const char *why = st_jack_server_look(server);
    if (why != NULL)
        return st_helper_line_absent("%s", why);
    jack_set_error_function(keep_message);
    jack_set_info_function(drop_message);
    st_helper_line_deadline(ANSWER_S,
                            "the JACK server does not answer. If a client that was killed left an "
                            "empty /dev/shm/jack_db-UID/__db.001, remove that file");
    observer.client = jack_client_open(NAME, JackNoStartServer | JackServerName, &status, server);
    if (observer.client == NULL) {
        if ((status & JackVersionError) != 0)
            return st_helper_line_absent("JACK server \"%s\" and the installed libjack have "
                                         "different versions: install the same version of both",
                                         server);
        if ((status & JackServerFailed) != 0)
            return st_helper_line_absent("JACK server \"%s\" is not running for this user", server);
        return st_helper_line_absent("JACK server \"%s\" refuses the connection, status 0x%x: %s",
                                     server, (unsigned)status, message);
    }
    st_jack_xrun_begin(&observer.judge, jack_get_xrun_delayed_usecs(observer.client));
    jack_on_shutdown(observer.client, on_shutdown, NULL);
    if (jack_set_xrun_callback(observer.client, on_xrun, NULL) != 0 ||
        jack_activate(observer.client) != 0)
        return st_helper_line_absent("JACK server \"%s\" does not report xruns: %s", server,
                                     message);
    st_helper_line_deadline(0, NULL);
    return ST_HELPER_LINE_DONE;
}

/* Copies the name of the client to which a port belongs; "" for a port of the server. */
static void client_of(const char *port, char name[ST_JACK_NAME_BYTES])
{
    const jack_port_t *found = jack_port_by_name(observer.client, port);
    snprintf(name, ST_JACK_NAME_BYTES, "%.*s", (int)strcspn(port, ":"), port);
    if (found == NULL || (jack_port_flags(found) & JackPortIsPhysical) != 0 ||
        st_text_is(name, "system"))
        name[0] = '\0';
}

/* Lists the clients that have ports (this program has none), by name: jack2 does not show clients
 * each other's processes. */
static void look_at_clients(struct st_jack_graph *ret)
{
    *ret = (struct st_jack_graph){.n = 0};
    const char **ports = jack_get_ports(observer.client, NULL, NULL, 0);
    for (size_t i = 0; ports != NULL && ports[i] != NULL; i++) {
        char name[ST_JACK_NAME_BYTES];
        const jack_port_t *port = jack_port_by_name(observer.client, ports[i]);
        client_of(ports[i], name);
        const size_t at = st_jack_late_client(ret, name);
        const char **others =
            at < ST_JACK_CLIENTS_MAX ? jack_port_get_all_connections(observer.client, port) : NULL;
        for (size_t j = 0; others != NULL && others[j] != NULL; j++) {
            client_of(others[j], name);
            ret->connected[at] = true;
            const size_t to = st_jack_late_client(ret, name);
            if (to < ST_JACK_CLIENTS_MAX && (jack_port_flags(port) & JackPortIsOutput) != 0)
                ret->feeds[at][to] = true;
        }
        jack_free(others);
    }
    jack_free(ports);
}

/* Does any client play? A client without a connection is not heard. */
static bool plays(const struct st_jack_graph *clients)
{
    return memchr(clients->connected, true, clients->n) != NULL;
}

static void say_ready(const struct st_jack_graph *clients)
{
    char text[ST_XRUN_WHY_BYTES] = "";
    ST_APPEND(text, "JACK server \"%.60s\", %u frames at %u Hz", server,
              jack_get_buffer_size(observer.client), jack_get_sample_rate(observer.client));
    if (st_jack_late_find(clients, ST_XRUN_OWN_CLIENT) < ST_JACK_CLIENTS_MAX)
        ST_APPEND(
            text,
            "; sleeptuned's own test stream uses this server, too, and counts each xrun itself");
    if (st_text_is(text, observer.said))
        return;
    memcpy(observer.said, text, sizeof(text));
    st_helper_line_ready("%s", text);
}

/* --- the load --- */

static int64_t period_ns(void)
{
    const int64_t rate_hz = jack_get_sample_rate(observer.client);
    return rate_hz > 0 ? jack_get_buffer_size(observer.client) * ST_NS_PER_S / rate_hz : 0;
}

/* Writes a line with the server's DSP load, from its samples since the last such line, and a line
 * for each connected client, whose share of the load is not known. Writes nothing while no client
 * plays. */
static void say_loads(const struct st_jack_graph *clients)
{
    const int64_t cycle_ns = period_ns();
    if (cycle_ns <= 0 || !plays(clients) || observer.loads_n == 0)
        return;
    struct st_xrun_seen seen = {.kind = ST_XRUN_SEEN_LOAD, .load = st_xrun_load_plays};
    seen.load.cycles_n = (int64_t)observer.loads_n * SAMPLE_MS * ST_NS_PER_MS / cycle_ns + 1;
    seen.load.period_ns = cycle_ns;
    seen.load.frames = jack_get_buffer_size(observer.client);
    seen.load.rate_hz = jack_get_sample_rate(observer.client);
    ST_PRINT(seen.event.device, "%s", server);
    struct st_xrun_seen all = seen;
    st_stats_sort_double(observer.loads, observer.loads_n);
    all.load.busy_median_ns = (int64_t)(observer.loads[observer.loads_n / 2] * (double)cycle_ns);
    all.load.busy_max_ns = (int64_t)(observer.loads[observer.loads_n - 1] * (double)cycle_ns);
    all.load.busy_p99_ns = all.load.busy_max_ns;
    st_helper_line_xrun(&all);
    for (size_t i = 0; i < clients->n; i++) {
        ST_PRINT(seen.event.client, "%s", clients->names[i]);
        if (clients->connected[i])
            st_helper_line_xrun(&seen);
    }
}

static void look(void)
{
    const int64_t now_us = (int64_t)jack_get_time();
    if (now_us < observer.sample_us)
        return;
    observer.sample_us = now_us + SAMPLE_MS * 1000;
    const double load = (double)jack_cpu_load(observer.client) / 100;
    observer.loads[observer.loads_n++] = load;
    observer.spare_ns = ST_MAX((int64_t)((1 - load) * (double)period_ns()), 0);
    if (observer.plays) /* the part of a period for which no client needs the CPU, on average */
        st_helper_line_left(server, "", observer.spare_ns);
    const bool due = observer.loads_n == SAMPLES;
    if (!due && observer.plays)
        return;
    struct st_jack_graph clients;
    look_at_clients(&clients);
    observer.plays = plays(&clients);
    if (!due && !observer.plays)
        return;
    say_ready(&clients);
    say_loads(&clients); /* also early, when a client begins to play */
    observer.loads_n = 0;
    if (due)
        st_helper_line_alive();
}

/* --- xruns --- */

static void on_seen(ST_UNUSED void *ctx, const struct st_xrun_seen *seen)
{
    struct st_xrun_seen line = *seen;
    ST_PRINT(line.event.device, "%s", server);
    if (line.event.kind == ST_EVENT_CLIENT_DROPOUT)
        line.event.spare_ns = observer.spare_ns;
    st_helper_line_xrun(&line);
}

/* --- the log of the server, which names the clients that were late; libjack does not. It is read
 * where the user of this process can: what jackd writes to a file as its standard error, or
 * jackdbus to
 * ~/.log/jack/jackdbus.log. A server whose output goes to a terminal, a pipe or the journal has no
 * log here. --- */

/* Opens a file of this user. @return -1: no such file. */
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

/* Does a command line, its words separated by NUL, belong to the server? */
static bool serves(const char *words, size_t len)
{
    const char *name = "default";
    for (size_t i = 0; i < len; i += strlen(words + i) + 1) {
        const char *word = words + i;
        const size_t next = i + strlen(word) + 1;
        if (st_text_is(word, "-d")) /* further words belong to the driver */
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

/* Opens the standard error of jackd, if that is a file. @return -1: there is none; always on
 * FreeBSD, which has no links to the open files of a process. */
static int open_output(void)
{
    struct st_platform *machine = st_platform_native();
    char words[4096];
    size_t len;
    int fd = -1;
    DIR *processes = opendir("/proc");
    for (struct dirent *entry;
         processes != NULL && fd < 0 && (entry = readdir(processes)) != NULL;) {
        const char *folder = st_text("/proc/%s", entry->d_name);
        if (st_text_is(st_tree_text(machine, st_text("%s/comm", folder)), "jackd\n") &&
            machine->read_text(machine, st_text("%s/cmdline", folder), words, sizeof(words),
                               &len) == 0 &&
            serves(words, len))
            fd = open_file(st_text("%s/fd/2", folder));
    }
    if (processes != NULL)
        closedir(processes);
    return fd;
}

/* Opens the server's log at its end. @return -1: there is none. */
static int open_log(void)
{
    const char *home = getenv("HOME");
    const int fd = open_output();
    if (fd >= 0 || home == NULL || home[0] != '/' || !st_text_is(server, "default"))
        return fd;
    return open_file(st_text("%s/.log/jack/jackdbus.log", home));
}

/* Takes each message about a late client from what was written since the last call; of more than 64
 * kB, only from the last 64 kB. */
static void read_log(void)
{
    static char bytes[READ_BYTES];
    char client[ST_JACK_NAME_BYTES];
    bool ran;
    struct stat info;
    const int fd = observer.log_fd;
    if (fd < 0 || fstat(fd, &info) != 0)
        return;
    const off_t at = lseek(fd, 0, SEEK_CUR), last = ST_MAX(info.st_size - READ_BYTES, 0);
    if (at > info.st_size || at < last) { /* the file was truncated, or flooded */
        observer.log_line.len = 0;
        (void)lseek(fd, last, SEEK_SET);
    }
    const ssize_t n = read(fd, bytes, sizeof(bytes));
    for (ssize_t i = 0; i < n; i++) {
        if (st_log_line_take(&observer.log_line, bytes[i]) &&
            st_server_log_jack(observer.log_line.text, client, &ran))
            st_jack_loss_name(&observer.losses, client, ran);
    }
}

/* --- losses --- */

static void say_losses(bool all)
{
    const struct st_jack_now now = {(int64_t)jack_get_time(), st_posix_now_ns(NULL)};
    if (observer.losses.n == 0)
        return;
    read_log();
    st_jack_loss_say(&observer.losses, now, observer.log_fd >= 0, all, on_seen, NULL);
}

/* Takes all xruns that libjack's thread has sent. */
static void forward(void)
{
    struct happened happened[256];
    ssize_t bytes;
    while ((bytes = read(observer.fds[0], happened, sizeof(happened))) > 0 ||
           (bytes < 0 && errno == EINTR)) {
        ST_EACH_OF (one, happened, (size_t)ST_MAX(bytes, 0) / sizeof(happened[0])) {
            if (one->cycle.period_us == 0)
                continue;
            struct st_jack_loss *begins =
                st_jack_loss_take(&observer.losses, &one->cycle, one->xrun);
            /* list clients now, since a late client may end soon */
            if (begins != NULL && atomic_load(&observer.over) != OVER_GONE)
                look_at_clients(&begins->graph);
        }
    }
}

int main(int argc, char **argv)
{
    const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    (void)st_helper_line_options(argc, argv);
    st_helper_line_give_way();
    server = st_jack_server_name();
    if (pipe(observer.fds) != 0 || fcntl(observer.fds[0], F_SETFL, O_NONBLOCK) != 0 ||
        fcntl(observer.fds[1], F_SETFL, O_NONBLOCK) != 0) {
        perror(NAME);
        return ST_HELPER_LINE_FAILED;
    }
    /* set before libjack starts, since a client that is killed while it creates JACK's database
     * locks all other clients out */
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    const int r = open_client();
    if (r != ST_HELPER_LINE_DONE)
        return r;
    struct st_jack_graph clients;
    look_at_clients(&clients);
    say_ready(&clients);
    observer.log_fd = open_log();
    struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                           {.fd = observer.fds[0], .events = POLLIN}};
    int over = NOT_OVER;
    while (over != OVER_END) {
        const int n = poll(fds, 2, observer.losses.n > 0 ? PAUSE_MS : SAMPLE_MS);
        over = atomic_load(&observer.over);
        if (n > 0 && fds[1].revents != 0) {
            poll(fds, 1, PAUSE_MS);
            forward();
        }
        say_losses(over != NOT_OVER);
        if (over == OVER_GONE)
            return st_helper_line_absent("JACK server \"%s\" has ended",
                                         server); /* nothing is left to close */
        if (n > 0 && fds[0].revents != 0 && st_helper_line_input_ended())
            over = OVER_END;
        if (over == NOT_OVER)
            look();
    }
    st_helper_line_deadline(1, "the JACK server does not answer any more");
    jack_client_close(observer.client);
    return ST_HELPER_LINE_DONE;
}
