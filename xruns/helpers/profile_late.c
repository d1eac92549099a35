/* Finds out who was late in a cycle of PipeWire's graph, a client or the server, and why. */
#include "xruns/helpers/profile_late.h"

#include "xruns/helpers/profile_rows.h"

/* a client that has not finished this long after its deadline is judged by its time so far */
#define PATIENCE_NS (300 * ST_NS_PER_MS)
/* a dropout of the server is counted after this time even if the program that took the CPU is not
 * known */
#define CULPRIT_NS (4 * ST_NS_PER_S)
/* a server that had no cycle for this time before it was stopped was idle, so no sound was lost */
#define PLAYED_NS (500 * ST_NS_PER_MS)
/* losses with less sound than this between them are one dropout */
#define SOUND_NS (20 * ST_NS_PER_MS)
#define REPORT_NS                                                                                  \
    (1200 *                                                                                        \
     ST_NS_PER_MS) /* if the server could run for longer than this without a reported cycle,       \
                      nothing played: PipeWire 0.3.65 reports a cycle up to 1 s after its end */
/* a client that held the server up may finish up to this time after the server began its late
 * cycle */
#define HAND_OVER_NS (50 * ST_NS_PER_US)

/* --- a client --- */

bool st_profile_late_is(const struct st_profile_node *node, int64_t cycle_ns)
{
    return node->late.figures.signal_ns != 0 && node->late.figures.cycle_ns == cycle_ns;
}

static void count_lost(struct st_pipewire_profile *profile, struct st_profile_node *node,
                       enum st_dropout_reason reason, struct st_dropout_cycle cycle,
                       const char *culprit, bool culprit_plays)
{
    struct st_profile_lost *lost = &node->lost;
    const bool begins = lost->end_ns == 0 || lost->from_ns - lost->end_ns >= SOUND_NS;
    if (lost->n == 0)
        return;
    struct st_event event =
        st_profile_losses_event(node, ST_EVENT_CLIENT_DROPOUT, ST_DROPOUT_AT_GRAPH);
    profile->kept.counts |= st_profile_late_is(node, profile->kept.cycle_ns);
    if (begins) {
        lost->begin_ns = lost->from_ns;
        lost->cycles_ns = lost->length_ns = 0;
    }
    lost->end_ns = lost->to_ns;
    lost->cycles_ns = st_ns_add(lost->cycles_ns, lost->n * node->period_ns);
    const int64_t so_far_ns = lost->length_ns;
    lost->length_ns = ST_MAX(so_far_ns, ST_MAX(lost->cycles_ns, lost->end_ns - lost->begin_ns));
    event.count_n = begins;
    event.reason = reason;
    event.cycles_n = lost->n;
    event.lost_ns = lost->length_ns - so_far_ns;
    event.longest_ns = lost->length_ns;
    event.end_ns = lost->end_ns;
    event.cycle = cycle;
    event.cycle.period_ns = node->period_ns;
    event.spare_ns = st_profile_losses_spare_ns(node);
    event.culprit_plays = culprit_plays;
    event.culprit_n = lost->n * (culprit[0] != '\0');
    ST_PRINT(event.culprit, "%s", culprit);
    if (node->drives) {
        event.place = ST_DROPOUT_AT_DEVICE_BUFFER;
        ST_PRINT(event.client, ST_XRUN_SERVER_ITSELF);
    }
    lost->n = 0;
    st_profile_losses_add(profile, &event);
}

void st_profile_late_add(struct st_profile_node *node, int64_t n, int64_t from_ns, int64_t to_ns)
{
    if (n == 0)
        return;
    if (node->lost.n == 0)
        node->lost.from_ns = from_ns;
    node->lost.n += n;
    node->lost.to_ns = to_ns;
}

bool st_profile_late_joins(const struct st_profile_node *node, const struct st_listened_loss *loss)
{
    return node->lost.end_ns != 0 && loss->begin_ns < node->lost.end_ns + SOUND_NS &&
           loss->end_ns > node->lost.begin_ns - SOUND_NS;
}

/* Is the cycle shorter than 0.9 periods? A server that is late catches up by short cycles, some of
 * only 30 us. */
static bool is_short(int64_t length_ns, int64_t period_ns)
{
    return length_ns < period_ns - period_ns / 10;
}

/* @return the name of the program that took the CPU: the names of its clients (at most two) if it
 * has any, else its own. */
static const char *culprit_of(struct st_pipewire_profile *profile,
                              const struct st_dropout_figures *late)
{
    const char *names = "";
    ST_EACH_OF (culprit, late->culprits, late->culprits_n) {
        const char *name = "";
        ST_EACH (node, profile->nodes) {
            if (*culprit == ST_DROPOUT_SERVER)
                name = ST_XRUN_SERVER_ITSELF;
            else if (node->used && node->client == *culprit && node->name[0] != '\0')
                name = node->name;
        }
        names = st_text_joined(names, " or ", st_text("%.28s", name));
    }
    return st_text_or(names, st_text("%.28s", late->culprit));
}

/* Counts n cycles that were lost because the server began a cycle at to_ns instead of from_ns: for
 * the client that held the server up (holder_id), or for the driver's node if no client is
 * known. */
static void blame_late(struct st_pipewire_profile *profile, struct st_profile_node *driver,
                       uint32_t holder_id, int64_t from_ns, int64_t to_ns, int64_t n)
{
    enum st_dropout_reason reason = ST_DROPOUT_WOKEN_LATE;
    const char *culprit = "";
    struct st_profile_node *holder = st_profile_node_find(profile, holder_id);
    struct st_dropout_figures late = {.cycle_ns = from_ns,
                                      .signal_ns = from_ns,
                                      .deadline_ns = from_ns,
                                      .end_ns = to_ns,
                                      .wants_culprit = true};
    if (holder_id != 0 && holder != NULL) {
        st_profile_late_add(holder, n, from_ns, to_ns);
        count_lost(profile, holder, ST_DROPOUT_TOO_SLOW,
                   (struct st_dropout_cycle){driver->server.busy_ns, driver->server.error_ns, 0, 0},
                   "", false);
        return;
    }
    profile->ops.measure(profile->ctx, ST_DROPOUT_SERVER, &late);
    if (late.measured && late.stopped) {
        reason = ST_DROPOUT_STOPPED;
    } else if (late.measured && late.queue_ns >= (to_ns - from_ns) / 2) {
        reason = ST_DROPOUT_CPU_TAKEN;
        culprit = culprit_of(profile, &late);
    }
    driver->lost.n = 0;
    st_profile_late_add(driver, n, from_ns, to_ns);
    count_lost(profile, driver, reason, (struct st_dropout_cycle){0}, culprit, late.culprits_n > 0);
}

/* A client was not ready because the server was late: counts this as a dropout of the server, once
 * for all such clients. */
static void blame_server(struct st_pipewire_profile *profile, struct st_profile_node *node,
                         struct st_profile_node *driver)
{
    const int64_t n = node->lost.n, cycle_ns = node->late.figures.cycle_ns,
                  end_ns = node->late.figures.end_ns;
    st_profile_late_forgive(node);
    if (driver == NULL || cycle_ns < driver->server.counted_ns)
        return;
    driver->server.counted_ns = end_ns;
    if (driver->server.began_ns > cycle_ns - 4 * driver->period_ns)
        blame_late(profile, driver, driver->server.holder, driver->server.due_ns,
                   driver->server.began_ns, n);
    else
        blame_late(profile, driver, 0, cycle_ns - driver->period_ns, cycle_ns, n);
}

void st_profile_late_forgive(struct st_profile_node *node)
{
    node->lost.n = 0;
    node->late = (struct st_profile_late){0};
}

/* Finds the reason why the client was late in a cycle, which it has finished at end_ns, and counts
 * the dropout. */
static void judge(struct st_pipewire_profile *profile, struct st_profile_node *node,
                  const struct st_pipewire_cycle *cycle, int64_t end_ns)
{
    struct st_dropout_figures *late = &node->late.figures;
    late->end_ns = ST_MIN(end_ns, late->signal_ns + ST_PIPEWIRE_CYCLE_MAX_NS);
    late->usual_signal_ns = node->usual.signal_ns;
    late->usual_ns = node->usual.busy_ns;
    late->wants_culprit = true;
    late->waited = node->late.waited_for[0] != '\0';
    /* the server cut the cycle short, and a whole period would have been enough for the client:
     * the dropout is the server's */
    if (is_short(late->deadline_ns - late->cycle_ns, cycle->period_ns) &&
        late->end_ns - late->cycle_ns < cycle->period_ns) {
        blame_server(profile, node, st_profile_node_find(profile, cycle->driver.id));
        return;
    }
    /* a client is late only after a whole period, even if the server cut the cycle short */
    late->deadline_ns = ST_MAX(late->deadline_ns, late->cycle_ns + cycle->period_ns);
    if (node->client != ST_PIPEWIRE_PROFILE_NO_CLIENT)
        profile->ops.measure(profile->ctx, node->client, late);
    if (late->exited) {
        st_profile_late_forgive(node);
        return;
    }
    const enum st_dropout_reason reason = st_dropout_judge(late);
    const bool slow = reason == ST_DROPOUT_TOO_SLOW;
    if (late->stopped && late->of_server)
        st_profile_node_rename(&node->late.waited_for, ST_DROPOUT_REASON_PULSE_SERVER);
    node->judged = (struct st_profile_judged){reason, end_ns};
    int64_t awake_ns = late->end_ns;
    if (late->awake_ns != 0)
        awake_ns = ST_MIN(late->awake_ns, awake_ns);
    const int64_t own_ns = st_dropout_judge_computed_ns(late);
    if (slow && late->end_ns - awake_ns < late->deadline_ns - late->signal_ns)
        awake_ns = late->signal_ns; /* the client was awake: PipeWire 0.3.65 overwrote the time with
                                       a later one */
    int64_t busy_ns = late->end_ns - awake_ns;
    /* count only the client's own time: a larger buffer would not help against others that take the
     * CPU */
    if (late->measured)
        busy_ns = ST_MIN(own_ns, busy_ns);
    if (st_profile_late_is(node, profile->kept.cycle_ns)) {
        node->kept.busy_ns = busy_ns;
        node->kept.wait_ns = late->end_ns - late->cycle_ns - busy_ns;
    }
    if (slow && node->usual.latest_ns != 0 &&
        late->awake_ns != 0) /* otherwise the client's wake-up time is not known */
        st_node_load_add(&node->load, busy_ns, awake_ns - late->signal_ns);
    st_profile_node_count_rhythm(node, cycle, node->late.position, late->signal_ns, busy_ns);
    struct st_dropout_cycle counted = {.busy_ns = busy_ns, .wait_ns = awake_ns - late->signal_ns};
    if (slow)
        counted = (struct st_dropout_cycle){.busy_ns = busy_ns, .error_ns = late->cpu_error_ns};
    const char *culprit = "";
    if (reason == ST_DROPOUT_WAITED_FOR_OTHER)
        culprit = node->late.waited_for;
    else if (reason == ST_DROPOUT_CPU_TAKEN || reason == ST_DROPOUT_CPU_TAKEN_BY_ITSELF)
        culprit = culprit_of(profile, late);
    count_lost(profile, node, reason, counted, culprit,
               reason == ST_DROPOUT_WAITED_FOR_OTHER || late->culprits_n > 0);
    node->late = (struct st_profile_late){0};
}

/* Has the node been awake since an earlier cycle? false with PipeWire 0.3.65, whose wake-up times
 * do not show it. */
static bool is_awake(const struct st_pipewire_block *block)
{
    return block->xruns_n != ST_PIPEWIRE_CYCLE_NOT_COUNTED && block->awake_ns > block->finish_ns;
}

/* Notes that this node had not finished when the driver began the next cycle. */
static void begin_late(struct st_pipewire_profile *profile, struct st_profile_node *node,
                       const struct st_pipewire_cycle *cycle, const struct st_pipewire_block *block)
{
    int64_t awake_ns = 0;
    if (block->awake_ns >= block->signal_ns || is_awake(block))
        awake_ns = ST_MAX(block->awake_ns, block->signal_ns);
    node->late = (struct st_profile_late){.figures = {.cycle_ns = cycle->driver.signal_ns,
                                                      .signal_ns = block->signal_ns,
                                                      .awake_ns = awake_ns,
                                                      .deadline_ns = cycle->driver.awake_ns},
                                          .position = cycle->position};
    profile->any_late = true;
}

void st_profile_late_name_waited_for(struct st_pipewire_profile *profile,
                                     const struct st_pipewire_cycle *cycle)
{
    ST_EACH (node, profile->nodes) {
        const int64_t from_ns = cycle->driver.signal_ns, to_ns = node->late.figures.signal_ns;
        int64_t least_ns = (to_ns - from_ns) / 2;
        if (!st_profile_late_is(node, from_ns))
            continue;
        ST_EACH (other, profile->nodes) {
            const bool again =
                other->latest.finish_ns >
                to_ns; /* the finish time is of a later cycle: that client was late itself */
            const int64_t ago_ns = to_ns - (again ? other->judged.end_ns : other->latest.finish_ns);
            if (!other->used || other->drives || other == node || ago_ns < 0 || ago_ns >= least_ns)
                continue;
            least_ns = ago_ns;
            st_profile_node_rename(&node->late.waited_for, other->name);
        }
    }
}

/* Did the node sleep through this cycle? Since 0.3.72, a JACK client that ends late marks the next
 * cycle as finished as well, and sleeps through it (pipewire-jack.c, signal_sync, of 1.4.2); a
 * stream does not. */
static bool slept(const struct st_pipewire_block *block)
{
    return block->xruns_n != ST_PIPEWIRE_CYCLE_NOT_COUNTED &&
           block->status == ST_PIPEWIRE_CYCLE_FINISHED && block->awake_ns < block->signal_ns &&
           block->finish_ns > block->signal_ns;
}

/* Follows a late node until it has finished. The reported times may already be those of a later
 * cycle. As the wake-up time, PipeWire 0.3.65 reports a time just before it signals the client. */
static void follow_late(struct st_pipewire_profile *profile, struct st_profile_node *node,
                        const struct st_pipewire_cycle *cycle,
                        const struct st_pipewire_block *block)
{
    struct st_dropout_figures *late = &node->late.figures;
    const bool awake_again =
        block->awake_ns >= block->signal_ns && block->awake_ns > late->awake_ns;
    const bool finished = block->finish_ns > late->signal_ns && block->finish_ns > late->awake_ns;
    late->skips_next = slept(block);
    if (finished && late->awake_ns == 0 && (!awake_again || block->finish_ns <= block->awake_ns)) {
        /* an estimate: the wake-up time was overwritten by that of a later cycle */
        const int64_t awake_ns = block->finish_ns - node->usual.busy_ns;
        late->awake_ns = ST_MAX(awake_ns, late->signal_ns);
        judge(profile, node, cycle, block->finish_ns);
    } else if (late->awake_ns == 0 && awake_again) {
        late->awake_ns = block->awake_ns;
        if (finished)
            judge(profile, node, cycle, block->finish_ns);
    } else if (finished || awake_again) {
        judge(profile, node, cycle,
              finished && (!awake_again || block->finish_ns <= block->awake_ns) ? block->finish_ns
                                                                                : block->awake_ns);
    } else if (cycle->driver.awake_ns - late->deadline_ns > PATIENCE_NS) {
        judge(profile, node, cycle, cycle->driver.awake_ns);
    }
}

/* @return the time at which the server began this cycle, if it began late (ns); else 0. */
static int64_t begun_late_ns(const struct st_profile_node *driver,
                             const struct st_pipewire_cycle *cycle)
{
    const int64_t known_ns = driver->latest.cycle_ns, period_ns = driver->period_ns;
    int64_t begin_ns = cycle->driver.signal_ns;
    if (cycle->driver.prev_signal_ns > known_ns + period_ns / 4)
        begin_ns = cycle->driver.prev_signal_ns;
    if (known_ns == 0 || period_ns == 0 || begin_ns - known_ns < period_ns + period_ns / 4)
        return 0;
    return begin_ns;
}

/* Counts a dropout that the client's times do not show, since the client has finished by now.
 * PipeWire 0.3.65 reports such a dropout if a late server began the next cycle at once and gave the
 * client no time. Later versions do so while a server catches up after it was stopped: that dropout
 * is counted already. */
static void judge_rest(struct st_pipewire_profile *profile, struct st_profile_node *node,
                       const struct st_pipewire_cycle *cycle, bool counted)
{
    const int64_t now_ns = cycle->driver.awake_ns, near_ns = 4 * node->period_ns;
    enum st_dropout_reason reason = ST_DROPOUT_UNKNOWN;
    if (node->lost.n == 0)
        return;
    struct st_profile_node *driver = st_profile_node_find(profile, cycle->driver.id);
    if (node->judged.end_ns != 0 && now_ns - node->judged.end_ns < near_ns) {
        reason = node->judged.reason;
    } else if (driver != NULL &&
               (!counted || driver->server.counted_ns > driver->server.began_ns)) {
        if (begun_late_ns(driver, cycle) != 0)
            return; /* the next cycle shows who held the server up */
        if (driver->server.began_ns != 0 && now_ns - driver->server.began_ns < near_ns) {
            node->late.figures.cycle_ns = driver->server.began_ns;
            node->late.figures.end_ns = driver->server.began_ns + driver->period_ns;
            blame_server(profile, node, driver);
            return;
        }
    }
    count_lost(profile, node, reason, (struct st_dropout_cycle){0}, "", false);
}

void st_profile_late_take(struct st_pipewire_profile *profile, struct st_profile_node *node,
                          const struct st_pipewire_cycle *cycle,
                          const struct st_pipewire_block *block)
{
    const bool late =
        block->status == ST_PIPEWIRE_CYCLE_TRIGGERED || block->status == ST_PIPEWIRE_CYCLE_AWAKE;
    const struct st_pipewire_block *driver = &cycle->driver;
    if (node->late.figures.signal_ns != 0)
        follow_late(profile, node, cycle, block);
    else if (late &&
             driver->awake_ns >
                 block->signal_ns && /* otherwise the node was signalled for the next cycle */
             (node->lost.n > 0 ||
              block->xruns_n !=
                  ST_PIPEWIRE_CYCLE_NOT_COUNTED || /* otherwise (PipeWire 0.3.65) a late client of
                                                      the previous cycle may have ended this short
                                                      cycle early */
              !is_short(driver->awake_ns - driver->signal_ns, cycle->period_ns)))
        begin_late(profile, node, cycle, block);
    if (slept(block) && node->judged.end_ns == block->finish_ns &&
        block->signal_ns < driver->awake_ns)
        st_profile_late_add(node, 1, driver->signal_ns, driver->signal_ns + cycle->period_ns);
    if (!late && node->late.figures.signal_ns == 0)
        judge_rest(profile, node, cycle, block->xruns_n != ST_PIPEWIRE_CYCLE_NOT_COUNTED);
}

/* --- the server --- */

/* @return the CPU time of a client that finished just before the server began a cycle late, from
 * the due time of that cycle on; 0: the client did not finish then, or its CPU time is not known.
 * With `reported`, counts from one period earlier, up to the finish time in the previous report. */
static int64_t computed_ns(struct st_pipewire_profile *profile,
                           const struct st_profile_node *driver, const struct st_profile_node *node,
                           bool reported, int64_t *ret_error_ns)
{
    const struct st_profile_server *server = &driver->server;
    const int64_t period_ns = driver->period_ns, from_ns = server->due_ns - period_ns * reported;
    struct st_dropout_figures figures = {.cycle_ns = from_ns,
                                         .signal_ns = from_ns,
                                         .awake_ns = from_ns,
                                         .usual_ns = node->usual.busy_ns,
                                         .end_ns = reported ? node->latest.finish_before_ns
                                                            : node->latest.finish_ns,
                                         .deadline_ns = from_ns + period_ns};
    if (figures.end_ns <= server->due_ns || figures.end_ns > server->began_ns + HAND_OVER_NS ||
        server->began_ns - figures.end_ns >= period_ns)
        return 0;
    profile->ops.measure(profile->ctx, node->client, &figures);
    *ret_error_ns = figures.cpu_error_ns;
    return st_dropout_judge_computed_ns(&figures);
}

/* Finds the client that computed for more than a period on the server's CPU until the server could
 * begin. PipeWire 0.3.65 does not report such a cycle, only the time when the client finished. */
static void find_holder(struct st_pipewire_profile *profile, struct st_profile_node *driver)
{
    struct st_profile_server *server = &driver->server;
    bool reported = false;
    server->holder = 0;
    server->busy_ns = driver->period_ns;
    for (size_t i = 0; i < 2 * ST_PIPEWIRE_PROFILE_NODES_MAX; i++) {
        struct st_profile_node *node = &profile->nodes[i / 2];
        int64_t error_ns = 0;
        if (!node->used || node->drives || node->client == ST_PIPEWIRE_PROFILE_NO_CLIENT ||
            node->latest.cycle_ns != driver->latest.cycle_ns)
            continue;
        const int64_t busy_ns = computed_ns(profile, driver, node, i % 2 != 0, &error_ns);
        if (busy_ns < server->busy_ns)
            continue;
        reported = i % 2 != 0;
        server->holder = node->id;
        server->busy_ns = busy_ns;
        server->error_ns = error_ns;
    }
    struct st_profile_node *holder = st_profile_node_find(profile, server->holder);
    if (holder != NULL)
        st_node_load_add(&holder->load, server->busy_ns, 0);
    if (holder != NULL && !reported)
        st_profile_row_put_held(profile, driver, holder);
}

/* Was a client of that driver late when the driver's device ran dry? */
static bool was_client_late(const struct st_pipewire_profile *profile,
                            const struct st_profile_node *driver)
{
    ST_EACH (node, profile->nodes) {
        if (node->used && !node->drives && strcmp(node->driver, driver->name) == 0 &&
            (node->late.figures.signal_ns != 0 ||
             (node->judged.end_ns != 0 &&
              node->judged.end_ns > driver->server.dry_ns - 4 * driver->period_ns)))
            return true;
    }
    return false;
}

void st_profile_late_explain_dry(struct st_pipewire_profile *profile,
                                 struct st_profile_node *driver)
{
    struct st_profile_server *server = &driver->server;
    const int64_t near_ns = 2 * driver->period_ns;
    if (server->dry_n == 0)
        return;
    const bool counted =
        was_client_late(profile, driver) ||
        (server->dry_ns > driver->lost.begin_ns - near_ns && server->dry_ns < driver->lost.end_ns);
    if (counted || (server->began_ns != 0 && llabs(server->dry_ns - server->began_ns) < near_ns)) {
        if (!counted && server->counted_ns < server->began_ns) {
            server->counted_ns = server->began_ns + driver->period_ns;
            blame_late(profile, driver, server->holder, server->due_ns, server->began_ns,
                       server->dry_n);
        }
        server->dry_n = server->dry_lost_ns = server->dry_longest_ns = 0;
    } else if (driver->latest.cycle_ns - server->dry_ns >= near_ns) {
        st_profile_node_settle_dry(profile, driver);
    }
}

/* Counts a dropout of a server that was stopped while something played: no cycle of that time is
 * reported. */
static void count_stopped(struct st_pipewire_profile *profile, struct st_profile_node *driver,
                          int64_t from_ns, int64_t to_ns)
{
    struct st_profile_server *server = &driver->server;
    st_profile_late_add(driver, ST_MAX((to_ns - from_ns) / driver->period_ns, 1), from_ns, to_ns);
    count_lost(profile, driver, ST_DROPOUT_STOPPED, (struct st_dropout_cycle){0}, "", false);
    server->counted_ns = to_ns + driver->period_ns;
    server->due_ns = from_ns;
    server->began_ns = to_ns;
    server->holder = 0;
}

/* Was the server stopped from from_ns to to_ns? from_ns is the end of what was already counted: of
 * the last cycle, or of the stop so far (st_pipewire_profile_starved). */
static bool was_stopped(struct st_pipewire_profile *profile, const struct st_profile_node *driver,
                        int64_t from_ns, int64_t to_ns)
{
    struct st_dropout_figures whole = {.signal_ns = from_ns, .end_ns = to_ns};
    if (to_ns - from_ns < PLAYED_NS && from_ns != driver->lost.end_ns)
        return false;
    profile->ops.measure(profile->ctx, ST_DROPOUT_SERVER, &whole);
    return whole.measured && whole.stopped_ns >= (to_ns - from_ns) / 2 &&
           to_ns - from_ns - whole.stopped_ns < PLAYED_NS;
}

void st_profile_late_note_server(struct st_pipewire_profile *profile,
                                 struct st_profile_node *driver,
                                 const struct st_pipewire_cycle *cycle)
{
    const int64_t known_ns = driver->latest.cycle_ns, begin_ns = begun_late_ns(driver, cycle),
                  due_ns = ST_MAX(known_ns + driver->period_ns, driver->lost.end_ns);
    driver->latest.cycle_ns = cycle->driver.signal_ns;
    if (begin_ns == 0 || begin_ns <= due_ns) /* this delay is counted already */
        return;
    if (was_stopped(profile, driver, due_ns, begin_ns)) {
        count_stopped(profile, driver, due_ns, begin_ns);
        return;
    }
    if (begin_ns - known_ns > ST_PROFILE_PAUSE_NS)
        return;
    driver->server.due_ns = due_ns;
    driver->server.began_ns = begin_ns;
    find_holder(profile, driver);
}

bool st_pipewire_profile_starved(struct st_pipewire_profile *profile, int64_t now_ns, bool count)
{
    struct st_profile_node *driver = NULL;
    ST_EACH (node, profile->nodes) {
        if (node->used && node->drives && !node->gone &&
            (driver == NULL || node->latest.cycle_ns > driver->latest.cycle_ns))
            driver = node;
    }
    if (driver == NULL || driver->period_ns <= 0)
        return false;
    int64_t from_ns = ST_MAX(driver->latest.cycle_ns + driver->period_ns, driver->lost.end_ns);
    struct st_dropout_figures late = {.signal_ns = now_ns - ST_PIPEWIRE_PROFILE_ASK_NS,
                                      .end_ns = now_ns,
                                      .wants_culprit = true},
                              whole = {.signal_ns = from_ns, .end_ns = now_ns};
    profile->ops.measure(profile->ctx, ST_DROPOUT_SERVER, &late);
    const bool stopped = late.stopped_ns >= ST_PIPEWIRE_PROFILE_ASK_NS / 2;
    if (!late.measured || (late.queue_ns < ST_PIPEWIRE_PROFILE_ASK_NS / 2 && !stopped))
        return false;
    if (from_ns > driver->lost.end_ns ||
        stopped) /* count at most the time in which the server was stopped or waited for a CPU:
                    before that, it could run but reported no cycle */
        profile->ops.measure(profile->ctx, ST_DROPOUT_SERVER, &whole);
    if (stopped && from_ns > driver->lost.end_ns &&
        (!whole.measured || now_ns - from_ns - whole.stopped_ns >= REPORT_NS + driver->period_ns))
        return false;
    if (whole.measured)
        from_ns = ST_MAX(now_ns - (stopped ? whole.stopped_ns : whole.queue_ns), from_ns);
    driver->latest.cycle_ns = from_ns - driver->period_ns;
    const int64_t n = (now_ns - from_ns) / driver->period_ns;
    if (n <= 0)
        return false;
    if (!count || (!stopped && late.culprit[0] == '\0' && now_ns - from_ns < CULPRIT_NS))
        return true;
    driver->latest.cycle_ns = now_ns - driver->period_ns;
    if (stopped) {
        count_stopped(profile, driver, from_ns, now_ns);
        return true;
    }
    st_profile_late_add(driver, n, from_ns, now_ns);
    count_lost(profile, driver, ST_DROPOUT_CPU_TAKEN, (struct st_dropout_cycle){0},
               culprit_of(profile, &late), late.culprits_n > 0);
    return true;
}
