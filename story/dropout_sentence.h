/* Sentences about dropouts: who lost sound, how often, when, and why; the same for status, check
 * and history. Names are not made safe. Texts live as long as those of st_text(). Pure. */
#pragma once

#include "story/dropout_table.h"

/** Why the client lost sound, for one of its rows. @param figures include the times of the worst
 * cycle. */
const char *st_dropout_sentence_why(const struct st_dropout_client *client,
                                    const struct st_dropout_row *row, bool figures);

/** How much sound a client lost, without the reason: "HeavyReverb lost sound 3 times (watched since
 * 14:03), 64.0 ms in all (longest 21.3 ms)". @param source as in st_xrun_source. @param when text
 * after the number: " (watched since 14:03)", or "". */
const char *st_dropout_sentence_lost(const struct st_dropout_client *client, const char *source,
                                     const char *when);

/** The sentence about the dropouts of a client with a name: st_dropout_sentence_lost, and the main
 * reason. */
const char *st_dropout_sentence_of(const struct st_dropout_client *client, const char *source,
                                   const char *when);

/** "PipeWire is forced to 32 frames (666.7 µs). " if that buffer size is the first thing to change;
 * else "".
 */
const char *st_dropout_sentence_forced(const struct st_dropout_table *table,
                                       const struct st_dropout_client *client, const char *source);

/** The first line about dropouts: which program lost most sound and why, or why that program is not
 * known.
 * @param client st_dropout_table_worst of the table, which must have dropouts. */
const char *st_dropout_sentence_say(const struct st_dropout_table *table,
                                    const struct st_dropout_client *client, const char *source,
                                    const char *when);

/** A short form for little room: "HeavyReverb: 407 dropouts". */
const char *st_dropout_sentence_brief(const char *name, uint64_t n);
