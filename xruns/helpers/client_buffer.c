#include "xruns/helpers/client_buffer.h"

#include "core/ns.h"

/* losses in this time after a stream began to play do not count, as for clients of the graph */
#define BEGIN_NS ST_NS_PER_S
#define PAUSE_NS (500 * ST_NS_PER_MS)
/* less sound than this between two dropouts makes them one */
#define SOUND_NS (20 * ST_NS_PER_MS)

static void begin(struct st_client_buffer *buffer, int64_t now_ns)
{
    *buffer = (struct st_client_buffer){.buffer_ns = buffer->buffer_ns,
                                        .period_ns = buffer->period_ns,
                                        .begun_ns = now_ns,
                                        .ran_from_ns = now_ns,
                                        .ran_to_ns = now_ns};
}

/* @return the shortest standstill of the program that can lose sound. */
static int64_t lasts_ns(const struct st_client_buffer *buffer)
{
    const int64_t period_ns = ST_MAX(buffer->period_ns, 1);
    return (ST_MAX(buffer->buffer_ns, period_ns) / period_ns + 1) * period_ns;
}

void st_client_buffer_begin(struct st_client_buffer *buffer, int64_t now_ns)
{
    if (now_ns - buffer->look_ns > PAUSE_NS)
        *buffer = (struct st_client_buffer){0};
}

/* The program has run since the last check: notes the loss of the standstill that ended. */
static void ran(struct st_client_buffer *buffer, int64_t now_ns)
{
    const int64_t last_ns = buffer->ran_from_ns + (buffer->ran_to_ns - buffer->ran_from_ns) / 2;
    const int64_t next_ns = buffer->look_ns + (now_ns - buffer->look_ns) / 2;
    const bool dry = buffer->look_ns - buffer->ran_to_ns > lasts_ns(buffer);
    if (dry && buffer->standing > ST_STANDING_ASLEEP && buffer->buffer_ns > 0 &&
        buffer->ran_to_ns - buffer->begun_ns >= BEGIN_NS) {
        buffer->lost_ns += next_ns - last_ns - lasts_ns(buffer) + buffer->period_ns / 2;
        buffer->again_ns = now_ns;
        buffer->why = ST_MAX(buffer->standing, buffer->why);
    }
    buffer->ran_from_ns = buffer->look_ns;
    buffer->ran_to_ns = now_ns;
    buffer->ask_ns = 0;
    buffer->standing = ST_STANDING_UNKNOWN;
}

bool st_client_buffer_look(struct st_client_buffer *buffer, int64_t now_ns, int64_t cpu_ns)
{
    if (buffer->look_ns == 0)
        begin(buffer, now_ns);
    else if (cpu_ns != buffer->cpu_ns)
        ran(buffer, now_ns);
    buffer->look_ns = now_ns;
    buffer->cpu_ns = cpu_ns;
    const int64_t still_ns = now_ns - buffer->ran_to_ns;
    if (buffer->buffer_ns == 0 || still_ns <= lasts_ns(buffer) || now_ns < buffer->ask_ns ||
        buffer->standing == ST_STANDING_IS_STOPPED)
        return false;
    buffer->ask_ns = now_ns + still_ns; /* ask again when the standstill is twice as long */
    return true;
}

void st_client_buffer_stands(struct st_client_buffer *buffer, enum st_standing standing)
{
    if (standing > buffer->standing)
        buffer->standing = standing;
}

bool st_client_buffer_loss(struct st_client_buffer *buffer, struct st_client_buffer_loss *ret)
{
    static const enum st_dropout_reason reasons[] = {[ST_STANDING_DISK] = ST_DROPOUT_BLOCKED,
                                                     [ST_STANDING_NO_CPU] = ST_DROPOUT_CPU_TAKEN,
                                                     [ST_STANDING_IS_STOPPED] = ST_DROPOUT_STOPPED};
    /* count a loss only if the program still runs SOUND_NS later: it did not end, and was not
     * stopped again at once */
    if (buffer->lost_ns == 0 || buffer->ran_to_ns - buffer->again_ns < SOUND_NS)
        return false;
    *ret = (struct st_client_buffer_loss){buffer->lost_ns, reasons[buffer->why]};
    buffer->lost_ns = 0;
    buffer->why = ST_STANDING_UNKNOWN;
    return true;
}
