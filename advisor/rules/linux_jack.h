/* The command line of the running JACK server. */
#pragma once

#include "advisor/rules/rule.h"

struct st_jack_command {
    bool realtime;     /* JACK asks for real-time priority: option -r off, -R on; default: true */
    int64_t priority;  /* option -P; default 10, as jackd reports at start */
    bool is_alsa;      /* the option -d alsa is given */
    bool soft_mode;    /* the ALSA driver has the option -s */
    int64_t frames;    /* option -p: JACK's period in frames; default 1024 */
    bool frames_given; /* frames comes from an option -p, not from the default */
    int64_t periods_n; /* option -n: periods in JACK's buffer; default 2 */
    int64_t rate_hz;   /* option -r of the driver, Hz; default 48000 */
};

struct st_jack_command st_linux_jack_parse(const char *text);
