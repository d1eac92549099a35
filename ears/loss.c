#include "ears/loss.h"

#define JOIN_MS 20

void st_losses_init(struct st_losses *losses, uint32_t rate_hz)
{
    *losses = (struct st_losses){.join_frames = (uint64_t)rate_hz * JOIN_MS / 1000};
}

/* @return the frames of sound between the last loss and the next one if both come from blocks
 * that are played in the wrong order: as many as the last loss shifted the signal. */
static uint64_t away(const struct st_losses *losses)
{
    return (uint64_t)llabs(losses->last.shift_frames);
}

static bool is_same(const struct st_losses *losses, const struct st_loss *next)
{
    const uint64_t due = losses->clean_from + away(losses);
    const uint64_t off = (uint64_t)llabs((int64_t)(next->at_frame - due));
    return losses->holds && (next->at_frame < losses->clean_from + losses->join_frames ||
                             off <= losses->slack_frames);
}

static void join(struct st_loss *first, const struct st_loss *next)
{
    uint64_t end = next->at_frame;
    if (next->kind == ST_LOSS_ZEROED || next->kind == ST_LOSS_CORRUPTED)
        end += next->frames;
    const uint64_t span = ST_MAX(end, first->at_frame) - first->at_frame;
    first->shift_frames += next->shift_frames;
    if (first->kind != next->kind)
        first->kind = ST_LOSS_CORRUPTED;
    const uint64_t shift = (uint64_t)llabs(first->shift_frames);
    first->frames = ST_MAX(span, shift);
}

void st_losses_add(struct st_losses *losses, const struct st_loss *loss, uint64_t clean)
{
    if (is_same(losses, loss)) {
        join(&losses->last, loss);
    } else {
        st_losses_end(losses);
        losses->last = *loss;
        losses->holds = true;
    }
    losses->clean_from = clean;
}

void st_losses_pass(struct st_losses *losses, uint64_t frame)
{
    if (losses->holds &&
        frame > losses->clean_from + losses->join_frames + losses->slack_frames + away(losses))
        st_losses_end(losses);
}

/* Ends the last loss and puts it into the list, which is sorted by place: a loss that was found
 * late may begin before the previous one. */
void st_losses_end(struct st_losses *losses)
{
    size_t at = losses->n;
    if (!losses->holds)
        return;
    losses->holds = false;
    if (losses->n++ >= ST_LOSSES_MAX)
        return;
    for (; at > 0 && losses->list[at - 1].at_frame > losses->last.at_frame; at--)
        losses->list[at] = losses->list[at - 1];
    losses->list[at] = losses->last;
}
