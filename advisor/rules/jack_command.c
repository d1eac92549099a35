/* The command line of the JACK server that runs. */
#include "advisor/rules/jack_command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/facts/owner.h"
#include "advisor/facts/text.h"
#include "core/text/number.h"

#define WORD_BYTES 128

/** The next word, cut to the buffer. @return false at the end. */
static bool next_word(const char **at, char *word)
{
    *at += strspn(*at, " \t");
    const size_t len = strcspn(*at, " \t");
    if (len == 0)
        return false;
    snprintf(word, WORD_BYTES, "%.*s", (int)(len < WORD_BYTES ? len : WORD_BYTES - 1), *at);
    *at += len;
    return true;
}

/** Is `word` this option with a value ("-p128", "-p 128", "--period=128", "--period 128")? Then the value is
 * in `value`. */
static bool option_value(const char **at, const char *word, char letter, const char *name, char *value)
{
    const size_t name_len = strlen(name);
    if (word[0] != '-')
        return false;
    if (word[1] == letter && word[2] != '\0') {
        snprintf(value, WORD_BYTES, "%s", word + 2);
        return true;
    }
    if (strncmp(word + 1, "-", 1) == 0 && strncmp(word + 2, name, name_len) == 0 &&
        word[2 + name_len] == '=') {
        snprintf(value, WORD_BYTES, "%s", word + 3 + name_len);
        return true;
    }
    if ((word[1] == letter && word[2] == '\0') || (word[1] == '-' && strcmp(word + 2, name) == 0))
        return next_word(at, value);
    return false;
}

static void set_number(int64_t *number, const char *value)
{
    (void)!st_number_i64(value, 1, 1000000, number); /* what is no such number is ignored */
}

static void server_option(const char **at, const char *word, struct st_jack_command *jack, bool *driver)
{
    char value[WORD_BYTES];
    if (strcmp(word, "-r") == 0 || strcmp(word, "--no-realtime") == 0) {
        jack->realtime = false;
    } else if (strcmp(word, "-R") == 0 || strcmp(word, "--realtime") == 0) {
        jack->realtime = true;
    } else if (option_value(at, word, 'P', "realtime-priority", value)) {
        set_number(&jack->priority, value);
    } else if (option_value(at, word, 'd', "driver", value)) {
        jack->is_alsa = strcmp(value, "alsa") == 0;
        *driver = true;
    }
}

static void driver_option(const char **at, const char *word, struct st_jack_command *jack)
{
    char value[WORD_BYTES];
    if (strcmp(word, "-s") == 0 || strcmp(word, "--softmode") == 0)
        jack->soft_mode = true;
    else if (option_value(at, word, 'p', "period", value))
        jack->frames_given = st_number_i64(value, 1, 1000000, &jack->frames) == 0;
    else if (option_value(at, word, 'n', "nperiods", value))
        set_number(&jack->periods_n, value);
    else if (option_value(at, word, 'r', "rate", value))
        set_number(&jack->rate_hz, value);
}

void st_jack_command_parse(const char *text, struct st_jack_command *ret)
{
    struct st_jack_command jack = {
        .realtime = true, .priority = 10, .frames = 1024, .periods_n = 2, .rate_hz = 48000};
    char word[WORD_BYTES];
    bool driver = false;
    for (const char *at = text; next_word(&at, word);) {
        if (driver)
            driver_option(&at, word, &jack);
        else
            server_option(&at, word, &jack, &driver);
    }
    *ret = jack;
}

bool st_jack_command_need(struct st_finding *finding, struct st_jack_command *ret)
{
    const struct st_facts *facts = finding->facts;
    const char *text;
    if (st_facts_text(facts, ST_JACK_COMMAND, &text) == -ENOENT) {
        st_finding_quote(finding, ST_JACK_COMMAND);
        st_finding_not_applicable(finding, "no JACK server runs");
        return false;
    }
    const char *other = st_owner_other(facts, "linux.daemon.jackd");
    if (other != NULL) {
        st_finding_quote(finding, "linux.daemon_user.jackd");
        st_finding_not_applicable(finding, "the JACK server that runs belongs to the user %.*s",
                                  st_text_cut(other, 40), other);
        return false;
    }
    if (st_finding_need_text(finding, ST_JACK_COMMAND, &text) != 0)
        return false;
    st_jack_command_parse(text, ret);
    return true;
}
