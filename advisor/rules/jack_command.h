/* The command line of a JACK server, of the running one or in ~/.jackdrc. */
#ifndef ST_ADVISOR_RULES_JACK_COMMAND_H
#define ST_ADVISOR_RULES_JACK_COMMAND_H

#include "advisor/rules/rule.h"

#define ST_JACK_COMMAND "linux.jack.command"
#define ST_JACK_JACKDRC "linux.jack.jackdrc"
#define ST_JACK_OTHER   "linux.daemon.pipewire" /* where it runs, no program starts jackd by ~/.jackdrc */

struct st_jack_command {
    bool realtime;     /* default: true */
    int64_t priority;  /* -P; 10 when not given, as jackd says at start */
    bool is_alsa;      /* -d alsa */
    bool soft_mode;    /* -s of the ALSA driver */
    int64_t frames;    /* -p, default 1024 */
    int64_t periods_n; /* -n, default 2 */
    int64_t rate_hz;   /* -r of the driver, default 48000 */
    bool running;      /* the command line of the running server, not of ~/.jackdrc */
};

void st_jack_command_parse(const char *text, struct st_jack_command *ret);

/** How a rule about JACK begins: quotes what there is. @return true if there is a command; else the finding
 * is set. */
bool st_jack_command_need(struct st_finding *finding, struct st_jack_command *ret);

#endif
