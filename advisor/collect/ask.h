/* Facts that only a running server has: PipeWire, PulseAudio, JACK, and what answers on the system's
 * bus. */
#ifndef ST_ADVISOR_COLLECT_ASK_H
#define ST_ADVISOR_COLLECT_ASK_H

#include "advisor/facts/facts.h"

/** In all, for all servers together. */
#define ST_ASK_LIMIT_NS INT64_C(300000000)

struct st_ask {
    bool skip;        /* ask no server; the facts say so */
    const char *user; /* whose servers; NULL: of who runs this */
};

/**
 * Asks the servers that `facts` (of this machine, by st_collect) tell to run, all at once, through the client
 * programs that come with them. An answer replaces what configuration files said. A server that does not
 * answer in time leaves these facts unreadable (ETIMEDOUT; EFBIG: it did not stop). One fact a server,
 * "linux.ask.<name>", says how it went: "answered", "not asked" (skip), absent where its client is not
 * installed, or unreadable. Servers of another user are asked as that user, which needs root; sockets in a
 * folder that others own are not used.
 * @return 0 or -ENOMEM.
 */
ST_NODISCARD int st_ask_servers(struct st_platform *p, const struct st_ask *ask, struct st_facts *facts);

#endif
