/* How sure it is that an xrun was one. */
#ifndef ST_CORE_CERTAINTY_H
#define ST_CORE_CERTAINTY_H

enum st_certainty {
    ST_CERTAINTY_NONE,
    ST_CERTAINTY_EXACT,    /* reported by who counts it */
    ST_CERTAINTY_PROBABLE, /* concluded from what could be seen */
};

/** "exact", "probable", "" for none. Threads: any. */
const char *st_certainty_name(enum st_certainty certainty);

#endif
