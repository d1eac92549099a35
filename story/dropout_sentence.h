/* What is said about dropouts: who, how many of all, when, and why. One for status, check and history. Names
 * are printed as they are. Texts live as those of st_text() do. Pure. */
#pragma once

#include "story/dropout_table.h"

/** Why it lost the sound of one of its rows; with the figures of the worst cycle, if wanted. */
const char *st_dropout_sentence_why(const struct st_dropout_client *client, const struct st_dropout_row *row,
                                    bool figures);

/** How much sound a client lost, without why: "HeavyReverb lost sound 3 times (watched since 14:03), 64.0 ms
 * in all (longest 21.3 ms)". @param source  as in st_xrun_source @param when  behind the number: " (watched
 * since 14:03)", "" */
const char *st_dropout_sentence_lost(const struct st_dropout_client *client, const char *source,
                                     const char *when);

/** The sentence about the dropouts of a client that has a name. */
const char *st_dropout_sentence_of(const struct st_dropout_client *client, const char *source,
                                   const char *when);

/** "PipeWire is forced to 32 frames (666.7 µs). ", if that is the first thing to change; else "". */
const char *st_dropout_sentence_forced(const struct st_dropout_table *table,
                                       const struct st_dropout_client *client, const char *source);

/** The sentences that say which program lost most sound, and why, or why none is known.
 * @param client  st_dropout_table_worst of the table: there were dropouts */
const char *st_dropout_sentence_say(const struct st_dropout_table *table,
                                    const struct st_dropout_client *client, const char *source,
                                    const char *when);

/** The same for a place with room for a few words: "HeavyReverb: 407 dropouts". */
const char *st_dropout_sentence_brief(const char *name, uint64_t n);
