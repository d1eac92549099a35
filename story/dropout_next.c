#include "story/dropout_next.h"

#include "core/ns.h"
#include "core/text/safe.h"

/* drift (parts per billion) above which two cards do not have nearly the same rate; crystals differ
 * by some 100 ppm */
#define FAR_PPB    500000
#define LONGEST_NS (2 * ST_NS_PER_S) /* longest buffer that is proposed */

/* What follows a command that sets a larger buffer: the delay that it adds, and how to undo or keep
 * it: "; 5.33 ms more delay; to undo: same command with 0 (PipeWire chooses); to keep it: sleeptune
 * apply ...". */
static const char *price_text(const struct st_dropout_table *table, const char *source,
                              int64_t frames)
{
    const double more_ns =
        (double)table->period_ns * (double)(frames - table->frames) / (double)table->frames;
    const int64_t before =
        st_xrun_sources_find(source)->set_by_force ? table->forced_frames : table->frames;
    return st_text("; %s more delay; to undo: the same command with %jd%s%s",
                   st_ns_short((int64_t)more_ns), before, before == 0 ? " (PipeWire chooses)" : "",
                   st_text_with("; ", st_xrun_sources_keep_frames(source, frames)));
}

#define FRAMES_MIN 16
/* largest buffer (frames) that is proposed; servers take up to 8192, but with that delay no one can
 * play along */
#define FRAMES_MAX 2048

/* The smallest buffer above the current one that would last for a cycle of busy_ns. Assumes that
 * the usual part of a cycle (`share` of the period; not positive: not known) grows with the buffer,
 * and that the rest of the worst cycle does not. @return frames, a power of two, at most 2048; 0:
 * none, or the current buffer is not known. */
static int64_t room_frames(const struct st_dropout_table *table, int64_t busy_ns, double share)
{
    const double usual_ns = fmax(share, 0) * (double)table->period_ns;
    int64_t larger = FRAMES_MIN;
    if (table->frames <= 0 || table->period_ns <= 0)
        return 0;
    while (larger <= FRAMES_MAX &&
           (larger <= table->frames || (double)larger * ((double)table->period_ns - usual_ns) <
                                           ((double)busy_ns - usual_ns) * (double)table->frames))
        larger *= 2;
    return larger <= FRAMES_MAX ? larger : 0;
}

/* The next step for a client that computes too long: the smallest larger buffer that lasts for its
 * worst cycle, or else for 99 of 100 of its last cycles, if the buffer in use does not. */
static struct st_dropout_next room_for(const struct st_dropout_table *table,
                                       const struct st_dropout_client *client, const char *source)
{
    const struct st_dropout_cycle *worst = &client->rows[0].worst;
    const struct st_xrun_load *load = &client->load;
    const int64_t busy_ns = worst->busy_ns, error_ns = worst->error_ns;
    /* share of each period that the client usually computes; not positive: not known */
    const double share =
        load->period_ns > 0 ? (double)load->busy_median_ns / (double)load->period_ns : 0;
    int64_t frames = room_frames(table, busy_ns + error_ns, share);
    const bool fits = frames > 0;
    const char *busy = st_ns_short(busy_ns), *command = "", *why;
    if (share > ST_DROPOUT_REASON_FULL)
        why = st_text("%s needs %.0f %% of each period, so no buffer size helps", client->name,
                      100 * share);
    else if (busy_ns == 0 || table->frames == 0)
        why = st_text("sleeptune cannot suggest a buffer size: %s is unknown",
                      busy_ns == 0 ? "the CPU time of the program's cycles"
                                   : "the buffer size in use");
    else if (busy_ns < table->period_ns && table->period_ns > client->sum.longest_period_ns)
        return (struct st_dropout_next){"", ST_DROPOUT_NEXT_RAISED, false};
    else if (frames != room_frames(table, busy_ns - error_ns, share))
        why = st_text("sleeptune cannot suggest a buffer size: the CPU time of the program's worst "
                      "cycle, %s, may be wrong by %s",
                      busy, st_ns_short(error_ns));
    else if (!fits && (load->busy_p99_ns <= table->period_ns ||
                       (frames = room_frames(table, load->busy_p99_ns, share)) == 0))
        why = st_text("the program's worst cycle took %s: no buffer of up to %d frames would be "
                      "enough",
                      busy, FRAMES_MAX);
    else {
        command = st_xrun_sources_set_frames(source, frames);
        why = st_text(fits ? "this sets a buffer that lasts longer than the program's worst cycle, "
                             "%s%s"
                           : "this sets a buffer that lasts for 99 of 100 cycles of the program; "
                             "its worst cycle took longer, %s%s",
                      busy, price_text(table, source, frames));
    }
    if (command[0] != '\0')
        return (struct st_dropout_next){command, why, false};
    if (client->load.streams_n ==
        0) /* a client with streams is a player, which the user cannot simplify */
        why = st_text("%s; freeze tracks or use fewer effects in %s", why, client->name);
    return (struct st_dropout_next){
        "",
        st_text_joined(why, "; the program needs extra CPU time ", st_dropout_table_rhythm(client)),
        false};
}

static bool is_real_time(int64_t priority)
{
    return priority > 0 && priority < ST_XRUN_NORMAL;
}

#define LOG_IN ST_DROPOUT_REASON_LOG_IN "; if you did that already: sleeptune report"

/* The next step that lets a program run before the programs that had the CPU in its place. */
static struct st_dropout_next rights_of(const struct st_dropout_table *table,
                                        const struct st_dropout_client *client, bool right_set_up)
{
    const struct st_dropout_row *row = client->rows;
    const bool server = !client->playing && st_xrun_is_server(client->name);
    char word[ST_XRUN_NAME_BYTES];
    if (st_dropout_table_is_normal(table))
        return right_set_up ? (struct st_dropout_next){"", LOG_IN, true}
                            : (struct st_dropout_next){ST_DROPOUT_REASON_GET_RIGHTS,
                                                       "this gives programs that play priority "
                                                       "over others; then log out and in again",
                                                       true};
    if (is_real_time(table->priority) && client->load.priority == ST_XRUN_NORMAL)
        return (struct st_dropout_next){
            "sleeptune report linux-client-priority",
            st_text("this shows how %s gets real-time priority, which the sound server has",
                    client->name),
            true};
    if (is_real_time(server ? table->priority : client->load.priority) &&
        st_dropout_table_is_culprit(row) && !row->culprit_plays &&
        st_safe_shell_word(row->culprit, word, sizeof(word)) != NULL && word[0] != '-')
        return (struct st_dropout_next){
            st_text("sudo chrt --other --all-tasks --pid 0 $(pidof -s %s)", word),
            st_text("this takes real-time priority from %s, whose priority is at least that of %s; "
                    "or end that program",
                    row->culprit, client->name),
            false};
    return (struct st_dropout_next){
        "sleeptune report",
        "this finds the settings that make programs lose the CPU or wake up late", true};
}

/* The next step for a second card that the server puts in step with the first. A small difference
 * of their rates is compensated by resampling; then the card's reserve does not last for cycles
 * that begin late. */
static struct st_dropout_next next_resync(const struct st_dropout_client *client)
{
    char word[ST_XRUN_NAME_BYTES];
    if (llabs(client->drift_ppb) > FAR_PPB)
        return (struct st_dropout_next){
            "", ST_DROPOUT_REASON_ONE_CLOCK ": the two clocks differ too much", false};
    /* is the name that of PipeWire's node ("alsa_...")? Older versions of PipeWire log ALSA's name
     * of the card, which the command cannot use */
    const bool known = st_text_begins(client->name, "alsa_") &&
                       st_safe_shell_word(client->name, word, sizeof(word)) != NULL;
    return (struct st_dropout_next){
        known ? st_text("sleeptune apply linux-device-headroom=%s", word) : "",
        st_text("give the card %s a larger reserve,%s or connect both cards to one clock",
                client->name, known ? "" : " api.alsa.headroom = 512 in a rule of WirePlumber,"),
        false};
}

/* The value of alsa.buffer-bytes that gives a program of ALSA on PipeWire a buffer of buffer_ns: a
 * power of two, for two channels of 32 bits at 48 kHz. */
static int64_t alsa_bytes(int64_t buffer_ns)
{
    int64_t bytes = 65536;
    while (bytes < buffer_ns / ST_NS_PER_MS * 48 * 2 * 4)
        bytes *= 2;
    return bytes;
}

static const char *own_buffer_text(const struct st_dropout_client *client, const char *source)
{
    const struct st_xrun_load *load = &client->load;
    const int64_t asked_ms = (load->asked_rate_hz == ST_XRUN_ASKED_MS) * load->asked_frames;
    /* how long the sound in the program's own buffer lasts; 0: not known */
    const int64_t buffer_ns = ST_MAX(asked_ms * ST_NS_PER_MS, load->buffer_ns);
    const int64_t longest_ns = client->rows[0].sum.longest_ns, needed_ns = buffer_ns + longest_ns;
    const bool pipewire = st_text_is(source, "pipewire");
    /* The value of PULSE_LATENCY_MSEC, a multiple of 50. On PipeWire twice as much as needed,
     * because its server for PulseAudio uses up to half of the latency itself
     * (module-protocol-pulse: 95 ms are left of 150, 115 of 190). */
    const int64_t latency_ms =
        50 * ST_MAX(((1 + pipewire) * needed_ns - 1) / (50 * ST_NS_PER_MS) + 1, 2);
    const char *start = "", *alsa = "";
    if (longest_ns > LONGEST_NS)
        return st_text("no buffer is long enough for a gap of %s: see why %s sent no sound",
                       st_ns_short(longest_ns), client->name);
    if (pipewire && buffer_ns == 0)
        alsa =
            st_text(" (if it plays through ALSA: with PIPEWIRE_ALSA='{ alsa.buffer-bytes=%jd }')",
                    alsa_bytes(needed_ns));
    if (longest_ns > 0 &&
        needed_ns <= ST_NS_PER_S) /* with a longer delay the program would be of no use */
        start = st_text(", or start it with PULSE_LATENCY_MSEC=%jd%s", latency_ms, alsa);
    return st_text("%s needs a larger buffer of its own%s: set it in that program%s; the buffer of "
                   "%s does not matter",
                   client->name, buffer_ns != 0 ? st_text(" than %s", st_ns_short(buffer_ns)) : "",
                   start, st_xrun_sources_title(source));
}

struct st_dropout_next st_dropout_next(const struct st_dropout_table *table,
                                       const struct st_dropout_client *client, const char *source,
                                       bool right_set_up)
{
    if (st_dropout_table_is_forced(table, client))
        return (struct st_dropout_next){st_text("%s 0", st_xrun_sources_find(source)->set_frames),
                                        st_text_joined("this removes the forced buffer size",
                                                       "; besides, ",
                                                       st_dropout_table_asked(table)),
                                        true};
    const char *why = "";
    const struct st_dropout_row *row = client->rows;
    const enum st_dropout_reason reason = row->reason;
    const enum st_dropout_place place = row->place;
    const char *name = st_text_or(client->name, "the program");
    if (reason == ST_DROPOUT_TOO_SLOW && row->slowed != ST_CAUSE_UNKNOWN) {
        why = st_cause_kind_todo(row->slowed);
    } else if (place == ST_DROPOUT_AT_RESYNC) {
        return next_resync(client);
    } else if (place == ST_DROPOUT_AT_BUS) {
        why = "use another USB port without a hub, or another cable; no buffer size helps";
    } else if (place == ST_DROPOUT_AT_CLIENT_BUFFER && reason != ST_DROPOUT_STOPPED &&
               reason != ST_DROPOUT_WAITED_FOR_OTHER) {
        why = own_buffer_text(client, source);
    } else if (st_dropout_table_lost_cpu(client)) {
        return rights_of(table, client, right_set_up);
    } else if (reason == ST_DROPOUT_TOO_SLOW || reason == ST_DROPOUT_CPU_TAKEN_BY_ITSELF) {
        return room_for(table, client, source);
    } else if (reason == ST_DROPOUT_STOPPED) {
        why = st_text("exclude %s from power saving that stops programs in the background; if "
                      "Ctrl-Z stopped it, type fg in its terminal",
                      name);
    } else if (reason == ST_DROPOUT_BLOCKED) {
        why = st_text("look for a setting of %s, such as reading sounds ahead from the disk; else "
                      "report the dropouts to its authors",
                      name);
    } else if (reason == ST_DROPOUT_SWAPPED_OUT) {
        return (struct st_dropout_next){
            "sleeptune report",
            "close programs that use much memory, and let a sampler load its sounds before you "
            "play; the settings of swap and locked memory are in the report",
            true};
    } else if (reason == ST_DROPOUT_WAITED_FOR_OTHER) {
        why = st_text("find out what delayed %s", st_dropout_table_is_culprit(row)
                                                      ? row->culprit
                                                      : "the program whose sound arrived too late");
    } else if (reason == ST_DROPOUT_UNKNOWN && client->name[0] != '\0' &&
               st_text_is(source, "sound4")) {
        return (struct st_dropout_next){
            "sleeptune history --events",
            st_text("FreeBSD does not show whether %s was stopped, lost the CPU, woke late or "
                    "computed too long",
                    name),
            false};
    }
    return (struct st_dropout_next){"", why, false};
}
