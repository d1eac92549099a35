/* For the price of an empty filter: the program that listens, with a detector that does nothing
 * (tests/bench/listening.py). */
#include "core/base.h"
#include "xruns/helpers/silence.h"

void st_silence_take(ST_UNUSED struct st_silence *silence,
                     ST_UNUSED const struct st_silence_cycle *cycle,
                     ST_UNUSED st_silence_found_fn found, ST_UNUSED void *ctx)
{
}
