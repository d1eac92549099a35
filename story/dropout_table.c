/* What was seen of a source. Names of clients are others' choice, so their list is bounded. */
#include "story/dropout_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ns.h"
#include "core/text/safe.h"
#include "core/text/text.h"

#define FAR_PPB       500000 /* crystals of cards differ by some 100 ppm */
#define USUAL_RATE_HZ 48000  /* default.clock.rate of PipeWire: no program need have asked for it */

uint64_t st_dropout_table_total(const struct st_dropout_table *table)
{
    return table->device_xruns_n + table->dropouts_n;
}

const struct st_dropout_client *st_dropout_table_worst(const struct st_dropout_table *table)
{
    ST_EACH_OF (client, table->clients, table->clients_n) {
        if (st_dropout_table_count(client) > 0)
            return client;
    }
    return NULL;
}

uint64_t st_dropout_table_count(const struct st_dropout_client *client)
{
    return client->dropouts_n + client->device_xruns_n;
}

enum st_dropout_place st_dropout_table_place(const struct st_dropout_client *client)
{
    size_t most = 0;
    for (size_t i = 1; i < ST_DROPOUT_PLACES; i++)
        most = client->places_n[i] > client->places_n[most] ? i : most;
    return (enum st_dropout_place)most;
}

void st_dropout_table_named(const struct st_dropout_table *table, const struct st_dropout_client *client,
                            struct st_dropout_sentence *ret)
{
    const enum st_dropout_reason reason = st_dropout_reason_most(client->reasons_n);
    ret->name = client->name;
    ret->reason = reason;
    ret->place = st_dropout_table_place(client);
    for (size_t i = 0; i < table->clients_n; i++) {
        const struct st_dropout_client *other = &table->clients[i];
        if (strcmp(other->name, client->name) != 0 || st_dropout_reason_most(other->reasons_n) != reason)
            continue;
        ret->n += st_dropout_table_count(other);
        ret->reason_n += client->device_xruns_n <= client->dropouts_n ? other->reasons_n[reason] : 0;
        ret->lost_ns += other->lost_ns;
        ret->lost_partly = ret->lost_partly || other->lost_partly;
        ret->longest_ns = other->longest_ns > ret->longest_ns ? other->longest_ns : ret->longest_ns;
    }
}

/* The majority vote of Boyer and Moore. */
void st_dropout_table_blame(char culprit[ST_XRUN_NAME_BYTES], int64_t *culprit_n, const char *name, int64_t n)
{
    if (strcmp(culprit, name) == 0) {
        *culprit_n += n;
    } else if (*culprit_n >= n) {
        *culprit_n -= n;
    } else {
        *culprit_n = n - *culprit_n;
        memset(culprit, 0, ST_XRUN_NAME_BYTES);
        memcpy(culprit, name, strlen(name) < ST_XRUN_NAME_BYTES ? strlen(name) : ST_XRUN_NAME_BYTES - 1);
    }
}

static struct st_dropout_client *find(struct st_dropout_table *table, const struct st_xrun_seen *seen)
{
    for (size_t i = 0; i < table->clients_n; i++) {
        struct st_dropout_client *client = &table->clients[i];
        if (strcmp(client->name, seen->client) == 0 && strcmp(client->device, seen->device) == 0)
            return client;
    }
    return NULL;
}

/* Does `a` make room before `b`? Who made no dropout first, then who has gone, then by dropouts and age. */
static bool goes_before(const struct st_dropout_client *a, const struct st_dropout_client *b)
{
    const uint64_t of_a = st_dropout_table_count(a), of_b = st_dropout_table_count(b);
    if ((of_a == 0) != (of_b == 0))
        return of_a == 0;
    if (a->playing != b->playing)
        return !a->playing;
    return of_a != of_b ? of_a < of_b : a->seen_ns < b->seen_ns;
}

/* A place for a new client. NULL: it made no dropout, and all others did. */
static struct st_dropout_client *make_room(struct st_dropout_table *table, bool dropout)
{
    if (table->clients_n < ST_DROPOUT_CLIENTS_MAX)
        return &table->clients[table->clients_n++];
    struct st_dropout_client *least = &table->clients[0];
    for (size_t i = 1; i < table->clients_n; i++) {
        if (goes_before(&table->clients[i], least))
            least = &table->clients[i];
    }
    if (!dropout && (least->playing || st_dropout_table_count(least) > 0))
        return NULL;
    table->others_dropouts_n += least->dropouts_n;
    return least;
}

static void count_dropouts(struct st_dropout_client *client, const struct st_xrun_seen *seen, int64_t wall_ns)
{
    client->dropouts_n += (uint64_t)seen->dropouts_n;
    client->device_xruns_n += (uint64_t)seen->device_xruns_n;
    client->reasons_n[seen->reason] += (uint64_t)seen->dropouts_n;
    client->places_n[seen->place] += (uint64_t)(seen->dropouts_n + seen->device_xruns_n);
    client->cycles_n += seen->cycles_n;
    client->lost_ns = st_ns_add(client->lost_ns, seen->lost_ns);
    client->lost_partly =
        client->lost_partly || (seen->dropouts_n + seen->device_xruns_n > 0 && seen->lost_ns == 0);
    client->longest_ns = seen->longest_ns > client->longest_ns ? seen->longest_ns : client->longest_ns;
    if (client->first_wall_ns == INT64_MIN)
        client->first_wall_ns = wall_ns;
    client->last_wall_ns = wall_ns;
    if (seen->culprit[0] != '\0' && seen->reason != ST_DROPOUT_TOO_SLOW) { /* that one is in code */
        st_dropout_table_blame(client->culprit, &client->culprit_n, seen->culprit, seen->dropouts_n);
        client->named_n += (uint64_t)seen->dropouts_n;
    }
    const enum st_dropout_reason reason = st_dropout_reason_most(client->reasons_n);
    const bool was = client->worst_reason == reason, is = seen->reason == reason;
    if (was == is ? !st_dropout_cycle_is_worse(&seen->cycle, &client->worst) : was)
        return;
    client->worst_reason = seen->reason;
    client->worst = seen->cycle;
}

static void take_device_load(struct st_dropout_table *table, const struct st_xrun_seen *seen, int64_t now_ns)
{
    const struct st_xrun_load *load = &seen->load;
    const int64_t period_ns = load->period_ns > 0 ? load->period_ns : 0;
    /* of several devices the one with the shortest period: it is the one that clicks first */
    if (strcmp(table->device, seen->device) != 0 && table->period_ns > 0 &&
        now_ns - table->device_load_ns <= ST_DROPOUT_GONE_NS && period_ns >= table->period_ns)
        return;
    memcpy(table->device, seen->device, sizeof(table->device));
    table->frames = load->frames;
    table->rate_hz = load->rate_hz;
    table->period_ns = period_ns;
    table->priority = load->priority;
    table->device_load_ns = now_ns;
}

static void take_cycle(struct st_dropout_table *table, const struct st_xrun_seen *seen, int64_t wall_ns)
{
    if (table->cycle_left_n != seen->left_n + 1)
        table->cycle_n = 0; /* of another cycle */
    table->cycle_left_n = seen->left_n;
    table->cycle_wall_ns = wall_ns;
    if (table->cycle_n == ST_DROPOUT_CYCLE_MAX)
        return;
    size_t at = table->cycle_n++;
    for (; at > 0 && table->cycle[at - 1].cycle.wait_ns > seen->cycle.wait_ns; at--)
        table->cycle[at] = table->cycle[at - 1];
    table->cycle[at] = *seen;
}

void st_dropout_table_take(struct st_dropout_table *table, const struct st_xrun_seen *seen, int64_t now_ns,
                           int64_t wall_ns)
{
    const bool is_load = seen->load.cycles_n > 0, dropout = st_xrun_is_dropout(seen);
    if (seen->deadline_ns > 0) {
        take_cycle(table, seen, wall_ns);
        return;
    }
    if (dropout) {
        table->device_xruns_n += (uint64_t)seen->device_xruns_n;
        table->dropouts_n += (uint64_t)seen->dropouts_n;
        table->reasons_n[seen->reason] += (uint64_t)seen->dropouts_n;
        table->lost_ns = st_ns_add(table->lost_ns, seen->lost_ns);
        table->last_wall_ns = wall_ns;
        table->last_period_ns = seen->cycle.period_ns > 0 ? seen->cycle.period_ns : table->period_ns;
        table->certainty = seen->certainty;
    }
    if (is_load && seen->client[0] == '\0') {
        take_device_load(table, seen, now_ns);
        return;
    }
    if (!is_load && seen->client[0] == '\0' && seen->dropouts_n + seen->cycles_n == 0)
        return; /* an xrun of the device itself */
    struct st_dropout_client *client = find(table, seen);
    if (client == NULL) {
        client = make_room(table, dropout);
        if (client == NULL)
            return;
        *client = (struct st_dropout_client){
            .first_wall_ns = INT64_MIN, .last_wall_ns = INT64_MIN, .load_ns = INT64_MIN};
        memcpy(client->name, seen->client, sizeof(client->name));
        memcpy(client->device, seen->device, sizeof(client->device));
    }
    client->seen_ns = now_ns;
    if (is_load) {
        client->load = seen->load;
        if (seen->load.reserve_ns > 0 &&
            (client->reserve_ns == 0 || seen->load.reserve_ns < client->reserve_ns)) {
            client->reserve_ns = seen->load.reserve_ns;
            client->buffer_ns = seen->load.buffer_ns;
        }
        client->block_frames = seen->load.block_frames;
        client->block_any = seen->load.block_any;
        client->code = seen->load.code;
        client->block_rate_hz = seen->load.rate_hz;
        client->drift_ppb = seen->load.drift_ppb != 0 ? seen->load.drift_ppb : client->drift_ppb;
        client->load_ns = now_ns;
        client->playing = true;
    }
    if (dropout)
        count_dropouts(client, seen, wall_ns);
}

/* Of those dropouts of which it is known. */
static bool has_others(const struct st_dropout_client *client)
{
    return 2 * (uint64_t)client->culprit_n < client->named_n;
}

const char *st_dropout_table_why(const struct st_dropout_client *client, bool figures, char *buf,
                                 size_t buf_bytes)
{
    struct st_dropout_why why = {.reason = st_dropout_reason_most(client->reasons_n),
                                 .device_xrun = client->device_xruns_n > client->dropouts_n,
                                 .culprit = client->culprit};
    if (why.reason == ST_DROPOUT_TOO_SLOW)
        why.culprit = client->code.file;
    else
        why.others = has_others(client);
    if (st_dropout_table_place(client) == ST_DROPOUT_AT_BUS) {
        snprintf(buf, buf_bytes, "%s", st_dropout_place_why(ST_DROPOUT_AT_BUS));
        return buf;
    }
    if (st_dropout_table_place(client) == ST_DROPOUT_AT_RESYNC) {
        why.resync = true;
        why.culprit = client->device;
        why.drift_ppb = client->drift_ppb;
    }
    if (figures)
        why.cycle = client->worst;
    return st_dropout_reason_why(&why, buf, buf_bytes);
}

const char *st_dropout_table_asked(const struct st_dropout_table *table, char *buf, size_t buf_bytes)
{
    const struct st_dropout_client *least = NULL, *rate = NULL;
    for (size_t i = 0; i < table->clients_n; i++) {
        const struct st_dropout_client *client = &table->clients[i];
        const struct st_xrun_load *load = &client->load;
        if (!client->playing || load->asked_frames == 0 || strcmp(client->device, table->device) != 0)
            continue;
        if (least == NULL ||
            load->asked_frames * least->load.asked_rate_hz < least->load.asked_frames * load->asked_rate_hz)
            least = client;
        if (rate == NULL && load->asked_rate_hz == table->rate_hz && table->rate_hz != USUAL_RATE_HZ)
            rate = client;
    }
    buf[0] = '\0';
    const bool is_ms = least != NULL && least->load.asked_rate_hz == ST_XRUN_ASKED_MS;
    if (least != NULL)
        snprintf(buf, buf_bytes, "%s %s %" PRId64 " %s", least->name,
                 is_ms ? "has a buffer of about" : "asked for", least->load.asked_frames,
                 is_ms ? "ms" : "frames");
    if (rate != NULL && rate != least)
        st_text_append(buf, buf_bytes, ", %s for %g kHz", rate->name, (double)table->rate_hz / 1000);
    else if (rate != NULL)
        st_text_append(buf, buf_bytes, " at %g kHz", (double)table->rate_hz / 1000);
    return buf;
}

/** How much of each period it usually computes; 0: not known. */
static double share_of(const struct st_dropout_client *client)
{
    const struct st_xrun_load *load = &client->load;
    return load->cycles_n > 0 && load->period_ns > 0 && load->busy_median_ns > 0
               ? (double)load->busy_median_ns / (double)load->period_ns
               : 0;
}

/* "; adds 5.33 ms of delay, until PipeWire restarts (undo: the same with 256; to last: sleeptune apply
 * ...)" */
static void say_price(const struct st_dropout_table *table, const char *source, int64_t frames, char *buf,
                      size_t buf_bytes)
{
    char more[32], lasts[64];
    const double more_ns =
        (double)table->period_ns * (double)(frames - table->frames) / (double)table->frames;
    st_text_append(
        buf, buf_bytes, "; adds %s of delay, until %s restarts (undo: the same with %" PRId64 "%s%s)",
        st_ns_format_short((int64_t)more_ns, more, sizeof(more)), st_event_source_title(source),
        table->frames,
        st_dropout_reason_keep_frames(source, frames, lasts, sizeof(lasts))[0] != '\0' ? "; " : "", lasts);
}

const char *st_dropout_table_rhythm(const struct st_dropout_client *client, char *buf, size_t buf_bytes)
{
    char each[32];
    buf[0] = '\0';
    if (client->block_frames == 0 || client->block_rate_hz == 0)
        return buf;
    const double each_ns = (double)client->block_frames * (double)ST_NS_PER_S / (double)client->block_rate_hz;
    snprintf(buf, buf_bytes, "every %s (%" PRId64 " samples)",
             st_ns_format_short((int64_t)each_ns, each, sizeof(each)), client->block_frames);
    if (client->block_any != 0)
        st_text_append(buf, buf_bytes, ", at any buffer size: a plug-in that computes in blocks of %" PRId64,
                       client->block_frames);
    return buf;
}

const char *st_dropout_table_code(const struct st_dropout_client *client, char *buf, size_t buf_bytes)
{
    static const char *const states[ST_XRUN_CODE_STATES] = {
        [ST_XRUN_CODE_UNASKED] = "",
        [ST_XRUN_CODE_NO_RIGHT] = "not watched: the kernel refuses, or a filter of system calls may "
                                  "(kernel.perf_event_paranoid at 2 or below, CAP_PERFMON or root allow it)",
        [ST_XRUN_CODE_NO_ROOM] = "not watched: other clients are, or its thread is not known",
        [ST_XRUN_CODE_NOT_HERE] = "not watched: not available on this system"};
    const struct st_xrun_code *code = &client->code;
    char samples[96];
    snprintf(samples, sizeof(samples), "%" PRId64 " CPU samples in %" PRId64 " of %" PRId64 " long cycles",
             code->samples_n, code->computed_n, code->long_cycles_n);
    if (code->state != ST_XRUN_CODE_WATCHED)
        snprintf(buf, buf_bytes, "%s", states[code->state]);
    else if (code->file[0] == '\0')
        snprintf(buf, buf_bytes, "no file stands out so far (%s)", samples);
    else
        snprintf(buf, buf_bytes, "%s had %" PRId64 " %% of %s, and %" PRId64 " %% in usual cycles",
                 code->file, code->percent, samples, code->other_percent);
    return buf;
}

/* A client that computes too long: the next larger buffer in which its worst cycle has room. */
static void room_for(const struct st_dropout_table *table, const struct st_dropout_client *client,
                     const char *source, char *set, size_t set_bytes, char *why, size_t why_bytes)
{
    const bool stream = client->load.streams_n > 0; /* no one simplifies a player */
    const int64_t busy_ns = client->worst.busy_ns, error_ns = client->worst.error_ns;
    const double share = share_of(client);
    const int64_t frames = st_dropout_reason_room_frames(table->frames, table->period_ns, busy_ns + error_ns);
    char busy[32], error[32], rhythm[128], code[256];
    st_ns_format_short(busy_ns, busy, sizeof(busy));
    set[0] = why[0] = '\0';
    if (share > ST_DROPOUT_REASON_FULL) {
        snprintf(why, why_bytes, "%s needs %.0f %% of each period, so no buffer size helps", client->name,
                 100 * share);
    } else if (busy_ns == 0 || table->frames == 0) {
        snprintf(why, why_bytes, "no buffer size can be named: the CPU time of its cycles is not known");
    } else if (client->worst.period_ns > 0 && table->period_ns > client->worst.period_ns &&
               busy_ns < table->period_ns) {
        snprintf(why, why_bytes,
                 "the buffer is larger now than when these dropouts happened: see whether they come again");
        return;
    } else if (frames != st_dropout_reason_room_frames(table->frames, table->period_ns, busy_ns - error_ns)) {
        snprintf(why, why_bytes,
                 "no buffer size can be named: the CPU time of its worst cycle, %s, is only known to %s",
                 busy, st_ns_format_short(error_ns, error, sizeof(error)));
    } else if (frames == 0) {
        snprintf(why, why_bytes, "its worst cycle of %s is longer than a buffer that one can play with",
                 busy);
    } else {
        st_dropout_reason_set_frames(source, frames, set, set_bytes);
        snprintf(why, why_bytes, "long enough for its worst cycle of %s", busy);
        say_price(table, source, frames, why, why_bytes);
    }
    if (!stream)
        st_text_append(why, why_bytes, "; %sfreeze or simplify %s", set[0] != '\0' ? "or " : "",
                       client->name);
    if (st_dropout_table_rhythm(client, rhythm, sizeof(rhythm))[0] != '\0')
        st_text_append(why, why_bytes, "; its long cycles come %s", rhythm);
    if (client->code.file[0] != '\0')
        st_text_append(why, why_bytes, "; %s", st_dropout_table_code(client, code, sizeof(code)));
}

int64_t st_dropout_table_first(const struct st_dropout_table *table)
{
    int64_t first_wall_ns = INT64_MAX;
    for (size_t i = 0; i < table->clients_n; i++) {
        const int64_t wall_ns = table->clients[i].first_wall_ns;
        if (wall_ns != INT64_MIN && wall_ns < first_wall_ns)
            first_wall_ns = wall_ns;
    }
    return first_wall_ns;
}

bool st_dropout_table_is_normal(const struct st_dropout_table *table)
{
    bool known = table->priority != 0, normal = table->priority == ST_XRUN_NORMAL || !known;
    for (size_t i = 0; i < table->clients_n; i++) {
        if (!table->clients[i].playing)
            continue;
        known = true;
        normal = normal && table->clients[i].load.priority == ST_XRUN_NORMAL;
    }
    return known && normal;
}

/* The client that lost the CPU to other programs most often; NULL: none did. */
static const struct st_dropout_client *victim_of(const struct st_dropout_table *table)
{
    const struct st_dropout_client *victim = NULL;
    for (size_t i = 0; i < table->clients_n; i++) {
        const struct st_dropout_client *client = &table->clients[i];
        const uint64_t n = client->reasons_n[ST_DROPOUT_CPU_TAKEN];
        if (n > (victim != NULL ? victim->reasons_n[ST_DROPOUT_CPU_TAKEN] : 0))
            victim = client;
    }
    return victim;
}

/* Where that explains more dropouts than what the client did itself. One that was woken late has lost the
 * CPU, too. */
bool st_dropout_table_is_taken(const struct st_dropout_table *table, const struct st_dropout_client *client)
{
    const enum st_dropout_reason reason = st_dropout_reason_most(client->reasons_n);
    const enum st_dropout_place place = st_dropout_table_place(client);
    if (place == ST_DROPOUT_AT_CLIENT_BUFFER || st_dropout_place_why(place) != NULL)
        return false;
    return victim_of(table) != NULL && (reason == ST_DROPOUT_CPU_TAKEN || reason == ST_DROPOUT_WOKEN_LATE ||
                                        table->reasons_n[ST_DROPOUT_CPU_TAKEN] > client->reasons_n[reason]);
}

static bool is_real_time(int64_t priority)
{
    return priority > 0 && priority < ST_XRUN_NORMAL;
}

/* Only threads whose priority is not lower are taken for the culprit of a real-time thread. */
static void take_priority(const struct st_dropout_client *victim, char *set, size_t set_bytes, char *why,
                          size_t why_bytes)
{
    char word[ST_XRUN_NAME_BYTES]; /* so that `set` of 128 bytes holds it */
    if (st_safe_shell_word(victim->culprit, word, sizeof(word)) == NULL || word[0] == '-')
        return;
    snprintf(set, set_bytes, "sudo chrt --other --all-tasks --pid 0 $(pidof -s %s)", word);
    snprintf(why, why_bytes,
             "takes the real-time priority from %s, which is not below that of %s; or end that program",
             victim->culprit, victim->name);
}

/* What lets programs that lost the CPU to others go before them. */
static void rights_of(const struct st_dropout_table *table, const struct st_dropout_client *client, char *set,
                      size_t set_bytes, char *why, size_t why_bytes)
{
    const struct st_dropout_client *victim = victim_of(table);
    bool plays = false; /* the culprit */
    client = victim != NULL ? victim : client;
    for (size_t i = 0; i < table->clients_n; i++)
        plays = plays || strcmp(table->clients[i].name, client->culprit) == 0;
    const bool server = !client->playing && strcmp(client->name, ST_XRUN_SERVER_ITSELF) == 0;
    set[0] = why[0] = '\0';
    if (st_dropout_table_is_normal(table)) {
        snprintf(set, set_bytes, ST_DROPOUT_REASON_GET_RIGHTS);
        snprintf(why, why_bytes, "lets programs that play go before others; then log out and in again");
    } else if (is_real_time(table->priority) && client->load.priority == ST_XRUN_NORMAL) {
        snprintf(set, set_bytes, "sleeptune report linux-client-priority");
        snprintf(why, why_bytes, "%s plays without real-time priority, which the server has: how it gets it",
                 client->name);
    } else if (is_real_time(server ? table->priority : client->load.priority) && client->culprit[0] != '\0' &&
               !plays) {
        take_priority(client, set, set_bytes, why, why_bytes);
    }
}

static const char *taken_text(const struct st_dropout_table *table, uint64_t all_n, char *buf,
                              size_t buf_bytes)
{
    const struct st_dropout_client *victim = victim_of(table);
    buf[0] = '\0';
    if (victim == NULL)
        return buf;
    const bool known = victim->culprit[0] != '\0';
    bool others = has_others(victim);
    uint64_t taken_n = 0, victims_n = 0; /* if someone is known, those of which no one is are not counted */
    char culprit[160];
    for (size_t i = 0; i < table->clients_n; i++) {
        const struct st_dropout_client *client = &table->clients[i];
        uint64_t n = client->reasons_n[ST_DROPOUT_CPU_TAKEN];
        if (known && client->named_n < n)
            n = client->named_n;
        if (n == 0)
            continue;
        victims_n++;
        taken_n += n;
        others = others || strcmp(client->culprit, victim->culprit) != 0;
    }
    if (!known)
        snprintf(culprit, sizeof(culprit), "Other programs");
    else
        st_dropout_reason_culprit(victim->culprit, others, culprit, sizeof(culprit));
    snprintf(buf, buf_bytes, "%s took the CPU from %s%s in ", culprit,
             victim->name[0] != '\0' ? victim->name : "a program", victims_n > 1 ? " and others" : "");
    st_text_append(buf, buf_bytes, "%s", st_dropout_reason_share(taken_n, all_n, culprit, sizeof(culprit)));
    return buf;
}

const char *st_dropout_table_sentence(const struct st_dropout_table *table,
                                      const struct st_dropout_client *client,
                                      const struct st_dropout_table_about *about, char *buf, size_t buf_bytes)
{
    char why[400];
    struct st_dropout_sentence sentence = {.all_n = about->all_n,
                                           .when = about->when,
                                           .why = st_dropout_table_why(client, true, why, sizeof(why)),
                                           .server = st_event_source_title(about->source)};
    st_dropout_table_named(table, client, &sentence);
    return st_dropout_sentence(&sentence, buf, buf_bytes);
}

void st_dropout_table_say(const struct st_dropout_table *table, const struct st_dropout_table_about *about,
                          char *buf, size_t buf_bytes)
{
    const struct st_dropout_client *client = st_dropout_table_worst(table);
    const char *s = about->all_n == 1 ? "" : "s";
    char why[400], text[512];
    if (client == NULL) {
        st_text_append(buf, buf_bytes, "%" PRIu64 " dropout%s %s: %s.", about->all_n, s, about->where,
                       strcmp(about->source, "jack") == 0 ? "JACK does not say which program it was"
                                                          : "the device ran dry");
        return;
    }
    if (st_dropout_table_is_taken(table, client)) {
        st_text_append(
            buf, buf_bytes, "%s %s.%s", taken_text(table, about->all_n, why, sizeof(why)), about->when,
            st_dropout_table_is_normal(table) ? " No program that plays has real-time rights." : "");
        return;
    }
    if (client->name[0] == '\0') {
        st_text_append(buf, buf_bytes,
                       "%" PRIu64 " dropout%s %s: a program %s. %s does not say which program.", about->all_n,
                       s, about->where, st_dropout_table_why(client, true, why, sizeof(why)),
                       st_event_source_title(about->source));
        return;
    }
    st_text_append(buf, buf_bytes, "%s", st_dropout_table_sentence(table, client, about, text, sizeof(text)));
}

/* A small drift is resampled away: then cycles that begin late are too much for its reserve. */
static void next_resync(const struct st_dropout_client *client, char *set, size_t set_bytes, char *why,
                        size_t why_bytes)
{
    char word[ST_XRUN_NAME_BYTES];
    if (llabs(client->drift_ppb) > FAR_PPB) {
        snprintf(
            why, why_bytes,
            "one clock for both cards (word clock, S/PDIF), or use one card: their rates are too far apart");
        return;
    }
    /* an older PipeWire's log has the card's name of ALSA */
    if (st_text_begins(client->name, "alsa_") && st_safe_shell_word(client->name, word, sizeof(word)) != NULL)
        snprintf(set, set_bytes, "sleeptune apply linux-device-headroom=%s", word);
    snprintf(why, why_bytes,
             set[0] != '\0' ? "a larger reserve for %s, or one clock for both cards"
                            : "a larger reserve for %s, api.alsa.headroom = 512 in a rule of WirePlumber, or "
                              "one clock for both cards",
             client->name);
}

void st_dropout_table_next(const struct st_dropout_table *table, const struct st_dropout_client *client,
                           const char *source, char *set, size_t set_bytes, char *why, size_t why_bytes)
{
    const enum st_dropout_reason reason = st_dropout_reason_most(client->reasons_n);
    const uint64_t taken_n = table->reasons_n[ST_DROPOUT_CPU_TAKEN];
    const bool lost_cpu = reason == ST_DROPOUT_WOKEN_LATE || st_dropout_table_is_taken(table, client);
    char reason_text[128];
    set[0] = why[0] = '\0';
    if (st_dropout_table_place(client) == ST_DROPOUT_AT_RESYNC) {
        next_resync(client, set, set_bytes, why, why_bytes);
        return;
    }
    if (st_dropout_table_place(client) == ST_DROPOUT_AT_BUS) {
        snprintf(why, why_bytes, "another USB port without a hub, or another cable; no buffer size helps");
        return;
    }
    if (st_dropout_table_place(client) == ST_DROPOUT_AT_CLIENT_BUFFER && reason != ST_DROPOUT_STOPPED) {
        snprintf(why, why_bytes,
                 "%s needs a larger buffer of its own: a setting of it, or start it with "
                 "PULSE_LATENCY_MSEC=100; the buffer of %s does not matter",
                 client->name, st_event_source_title(source));
        return;
    }
    if (lost_cpu) {
        rights_of(table, client, set, set_bytes, why, why_bytes);
        if (set[0] != '\0')
            return;
        snprintf(set, set_bytes, "sleeptune report");
        snprintf(why, why_bytes, "finds the settings that make programs lose the CPU or wake up late");
    } else if (reason == ST_DROPOUT_TOO_SLOW || reason == ST_DROPOUT_CPU_TAKEN_BY_ITSELF) {
        room_for(table, client, source, set, set_bytes, why, why_bytes);
        if (taken_n > 0 && st_dropout_table_is_normal(table))
            st_text_append(why, why_bytes,
                           "; for the %" PRIu64 " by a lost CPU: " ST_DROPOUT_REASON_GET_RIGHTS, taken_n);
    } else if (reason == ST_DROPOUT_STOPPED || reason == ST_DROPOUT_BLOCKED) {
        snprintf(why, why_bytes, "nothing to tune: it %s",
                 st_dropout_table_why(client, false, reason_text, sizeof(reason_text)));
    } else if (reason == ST_DROPOUT_SWAPPED_OUT) {
        snprintf(set, set_bytes, "sleeptune report");
        snprintf(
            why, why_bytes,
            "close programs that use much memory, and let a sampler load its sounds before you play; the "
            "settings of swap and locked memory are in the report");
    } else if (reason == ST_DROPOUT_WAITED_FOR_OTHER) {
        snprintf(why, why_bytes, "look at the program that this one waited for");
    }
}

static int by_harm(const void *one, const void *other)
{
    const struct st_dropout_client *a = one, *b = other;
    const uint64_t of_a = st_dropout_table_count(a), of_b = st_dropout_table_count(b);
    if (of_a != of_b)
        return of_a > of_b ? -1 : 1;
    if (a->playing != b->playing)
        return a->playing ? -1 : 1;
    const int names = strcmp(a->name, b->name);
    return names != 0 ? names : strcmp(a->device, b->device);
}

void st_dropout_table_age(struct st_dropout_table *table, int64_t now_ns, bool watching)
{
    size_t kept = 0;
    for (size_t i = 0; i < table->clients_n; i++) {
        struct st_dropout_client *client = &table->clients[i];
        if (client->playing && (!watching || now_ns - client->load_ns > ST_DROPOUT_GONE_NS)) {
            client->playing = false;
            client->load = (struct st_xrun_load){0};
        }
        if (client->playing || st_dropout_table_count(client) > 0)
            table->clients[kept++] = *client;
    }
    table->clients_n = kept;
    if (table->period_ns > 0 && (!watching || now_ns - table->device_load_ns > ST_DROPOUT_GONE_NS)) {
        table->frames = table->rate_hz = table->period_ns = 0;
        table->device[0] = '\0';
    }
    if (table->clients_n > 1)
        qsort(table->clients, table->clients_n, sizeof(table->clients[0]), by_harm);
}
