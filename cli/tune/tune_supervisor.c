#include "cli/tune/tune_supervisor.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "cli/change/change_output.h"
#include "platform/program/failure.h"

/* A tuner that sends nothing for this time hangs or is stopped (Ctrl-Z), and is killed. It sends a
 * byte before each block, and a block is shorter than this time. */
#define SILENCE_MS 60000

/* --- the supervising process --- */

/* Writes to the system's log, since the terminal may have gone with the tuner; then to stderr,
 * where a write may block. */
static void complain(const char *text)
{
    syslog(LOG_DAEMON | LOG_ERR, "sleeptune tune: %s", text);
    st_failure("%s", text);
}

static void hear(enum st_change_event event, const struct st_entry *entry,
                 ST_UNUSED const char *now, int error)
{
    if (event == ST_EVENT_FAILED)
        complain(st_text("sleeptune tune was ended, and a setting that it tried is still on. Run "
                         "'sleeptune revert %s'. %s: %s",
                         entry->rule, st_change_output_entry(entry), st_change_output_why(error)));
}

/* Waits for the end of the tuner, which holds the journal's lock until then, and then undoes its
 * changes. Kills a silent tuner. */
static _Noreturn void supervise(struct st_platform *p, const char *folder, int fd, pid_t tuner)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    struct st_applied applied;
    const char *why;
    char beat;
    int n, tries = 0;
    bool begun = false;
    /* Ctrl-C must reach the tuner only. This process stays in the tuner's session, so that
     * st_posix_reap_rest does not kill this process. */
    (void)setpgid(0, 0);
    sigaction(SIGTERM, &ignore, NULL);
    sigaction(SIGINT, &ignore, NULL);
    sigaction(SIGHUP, &ignore, NULL);
    sigaction(SIGPIPE, &ignore, NULL); /* stderr may have no reader */
    sigaction(SIGTTOU, &ignore, NULL); /* stderr may be the terminal of another process group */
    for (;;) {
        n = poll(&wait, 1, SILENCE_MS);
        if (n > 0 && recv(fd, &beat, 1, 0) == 1)
            begun = true;
        else if (n >= 0 || errno != EINTR)
            break;
    }
    if (n == 0)
        kill(tuner, SIGKILL);
    if (!begun) /* the tuner switched nothing, and may not have the lock */
        _exit(0);
    while ((why = st_applied_open(&applied, p, folder, hear)) != NULL &&
           applied.lock == -EWOULDBLOCK && tries++ < 1000)
        (void)poll(NULL, 0, 10); /* the kernel has not closed the tuner's files yet */
    if (why == NULL) {
        why = st_applied_revert(&applied, false, NULL);
        /* hear() has already reported each change that failed */
        if (why != NULL && applied.n[ST_EVENT_FAILED] == 0)
            complain(why);
        st_applied_close(&applied);
    } else {
        complain(st_text("sleeptune tune was ended, and settings it tried may still be on: %s The "
                         "next sleeptune revert, apply or tune sets them back.",
                         why));
    }
    _exit(why != NULL);
}

static int fork_supervisor(struct st_tune_supervisor *s, struct st_platform *p, const char *folder)
{
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return -errno;
    const pid_t tuner = getpid();
    fflush(NULL);
    s->pid = fork();
    if (s->pid == 0) {
        close(pair[0]);
        supervise(p, folder, pair[1], tuner);
    }
    close(pair[1]);
    s->fd = pair[0];
    if (s->pid > 0)
        return 0;
    close(s->fd);
    s->fd = -1;
    return -errno;
}

static bool has_values(const struct st_candidates *candidates)
{
    bool any = false;
    ST_EACH_OF (row, candidates->rows, candidates->n)
        any |= row->steps_n > 0 && row->not_tried[0] == '\0';
    return any;
}

int st_tune_supervisor_start(struct st_tune_supervisor *ret, struct st_platform *p,
                             const char *folder, const struct st_candidates *candidates)
{
    *ret = (struct st_tune_supervisor){
        .candidates = candidates, .applied.p = p, .latency = -1, .fd = -1};
    if (!has_values(candidates)) /* no supervisor: a latency request and a thread's timer slack end
                                    with the tuner */
        return 0;
    /* fork before the lock is taken: only the tuner must hold it */
    const int r = fork_supervisor(ret, p, folder);
    const char *why = r == 0 ? st_applied_open(&ret->applied, p, folder, NULL)
                             : st_text("cannot start a process: %s", strerror(-r));
    if (why == NULL && (why = st_applied_revert(&ret->applied, false, NULL)) != NULL)
        st_applied_close(&ret->applied);
    ret->open = why == NULL;
    if (ret->open)
        return 0;
    st_failure("nothing was changed: %s", why);
    (void)st_tune_supervisor_end(ret);
    return -EIO;
}

/* --- one setting --- */

static void explain(const char *writers, int r, const char *target, char *why)
{
    if (r == -EBUSY)
        snprintf(why, ST_TUNING_WHY_BYTES, "another program changed %.90s%s%.60s%s", target,
                 writers[0] != '\0' ? " (running here: " : "", writers,
                 writers[0] != '\0' ? ")" : "");
    else
        snprintf(why, ST_TUNING_WHY_BYTES, "%.110s: %s", target, st_change_output_why(r));
}

static int hold(struct st_tune_supervisor *s, bool on)
{
    struct st_platform *platform = s->applied.p;
    if (on)
        s->latency = platform->hold_latency(platform, 0);
    else
        platform->release_latency(platform, s->latency);
    const int r = on ? ST_MIN(s->latency, 0) : 0;
    s->latency = on && r == 0 ? s->latency : -1;
    return r;
}

static int switch_row(struct st_tune_supervisor *s, size_t i, bool on, char *why)
{
    const struct st_candidate *row = &s->candidates->rows[i];
    const uint32_t bit = UINT32_C(1) << i;
    const bool was_on = (s->on & bit) != 0;
    const char *target = row->setting;
    int r = 0;
    if (row->kind == ST_CANDIDATE_LATENCY && on != was_on)
        r = hold(s, on);
    if (row->kind == ST_CANDIDATE_VALUES && on && (s->begun & bit) == 0) {
        const struct st_journal plan = {&s->candidates->plan.entries[row->first_step],
                                        row->steps_n};
        r = st_applied_begin(&s->applied, &plan);
        if (r == 0)
            s->begun |= bit;
    }
    if (r == 0 && (s->begun & bit) != 0)
        r = st_applied_switch(&s->applied, row->finding->rule->id, was_on, on, &target);
    if (r == 0) {
        s->on = on ? s->on | bit : s->on & ~bit;
        return 0;
    }
    explain(s->candidates->writers, r, target, why);
    s->given_up |= bit;
    s->on &= ~bit;
    if ((s->begun & bit) != 0)
        st_applied_end_trial(&s->applied, row->finding->rule->id);
    s->begun &= ~bit;
    return r == -EBUSY ? -EBUSY : -EIO;
}

/* Switches off what must be off, then switches on what must be on, so that no further setting is on
 * in between. */
int st_tune_supervisor_set(struct st_tune_supervisor *s, uint32_t on, size_t *ret_row, char *why)
{
    if (s->open && send(s->fd, "", 1, MSG_NOSIGNAL) != 1) {
        snprintf(why, ST_TUNING_WHY_BYTES,
                 "someone ended the process of sleeptune that undoes the trials");
        return -EPIPE;
    }
    for (size_t i = 0; i < 2 * s->candidates->n; i++) {
        const size_t row = i % s->candidates->n;
        const bool wanted = (on & (UINT32_C(1) << row)) != 0;
        if (wanted != (i >= s->candidates->n) || (s->given_up & (UINT32_C(1) << row)) != 0)
            continue;
        *ret_row = row;
        const int r = switch_row(s, row, wanted, why);
        if (r != 0)
            return r;
    }
    return 0;
}

int st_tune_supervisor_end(struct st_tune_supervisor *s)
{
    const char *why = NULL;
    if (s->latency >= 0)
        (void)hold(s, false);
    if (s->open) {
        why = st_applied_revert(&s->applied, false, NULL);
        if (why != NULL)
            st_failure("%s", why);
        st_applied_close(&s->applied);
        s->open = false;
    }
    if (s->fd >= 0) {
        close(s->fd);
        s->fd = -1;
        while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    return why != NULL ? -EIO : 0;
}
