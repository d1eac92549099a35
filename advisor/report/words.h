/* Words that the formats of a report share. */
#ifndef ST_ADVISOR_REPORT_WORDS_H
#define ST_ADVISOR_REPORT_WORDS_H

#include "advisor/report/report.h"

#define ST_WORDS_FACT_BYTES 700

/* Each writes into buf and returns it. */
const char *st_words_effect(const struct st_finding *finding, const struct st_wish *wish, char *buf,
                            size_t buf_bytes);
/** "muted until 2027-01-01: reason", "profile laptop: it costs power"; NULL when it counts. */
const char *st_words_left_out(const struct st_report *report, const struct st_finding *finding, char *buf,
                              size_t buf_bytes);
const char *st_words_fact(const struct st_fact *fact, char *buf,
                          size_t buf_bytes); /* may hold control characters */

const char *st_words_needs(enum st_needs needs); /* for people */

#endif
