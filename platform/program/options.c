#include "platform/program/options.h"

#include <assert.h>
#include <getopt.h>

#include "core/ns.h"
#include "core/text/number.h"
#include "platform/platform.h"

/* Reports a refused value. r: result of reading the text; what: the kind of value that the option
 * takes. */
static int judge(int r, const char *option, const char *text, const char *what, int64_t min,
                 int64_t max)
{
    if (r == -EINVAL)
        return st_failure_usage("%s: '%s' is not %s", option, text, what);
    if (r != 0)
        return st_failure_usage("%s: %s is out of range: %jd .. %jd", option, text, min, max);
    return 0;
}

int st_option_i64(const char *option, const char *text, int64_t min, int64_t max, int64_t *ret)
{
    return judge(st_number_i64(text, min, max, ret), option, text, "a whole number", min, max);
}

/* The following functions take the value of an option, which messages call `name`. */
static int take_rate(const struct st_option *option, const char *name, const char *text)
{
    return judge(st_number_rate_hz(text, option->min, option->max, option->rate_hz), name, text,
                 "a rate such as 48000, 44.1k or 96kHz", option->min, option->max);
}

static int take_real(const struct st_option *option, const char *name, const char *text)
{
    double value;
    int r = st_number_double(text, &value);
    if (r == 0 && (value < (double)option->min || value > (double)option->max))
        r = -ERANGE;
    if (r == 0)
        *option->real = value;
    return judge(r, name, text, "a number", option->min, option->max);
}

/* A time as a user types it: "90s", "1ms". */
static const char *typed(int64_t ns)
{
    static const struct {
        int64_t ns;
        const char *name;
    } units[] = {{ST_NS_PER_HOUR, "h"}, {ST_NS_PER_MINUTE, "m"}, {ST_NS_PER_S, "s"},
                 {ST_NS_PER_MS, "ms"},  {ST_NS_PER_US, "us"},    {1, "ns"}};
    size_t i = 0;
    while (ns % units[i].ns != 0 || (ns == 0 && units[i].ns > ST_NS_PER_S))
        i++;
    return st_text("%jd%s", ns / units[i].ns, units[i].name);
}

static int take_time(const struct st_option *option, const char *name, const char *text)
{
    int64_t ns = 0;
    const int r = st_ns_parse(text, &ns);
    if (r == -EINVAL)
        return st_failure_usage("%s: '%s' is not a time such as 30s, 20ms or 1333us", name, text);
    /* 0 may mean "without end", so a time that is only rounded to 0 is refused */
    if (r == 0 && ns == 0 && strpbrk(text, "123456789") != NULL)
        return st_failure_usage("%s: %s is less than 1 ns", name, text);
    if (r != 0 || ns < option->min || ns > option->max)
        return st_failure_usage("%s: %s is out of range: %s .. %s", name, text, typed(option->min),
                                typed(option->max));
    *option->time_ns = ns;
    return 0;
}

int st_option_policy(void *ctx, const char *text)
{
    enum st_policy *ret = ctx;
    for (enum st_policy i = ST_POLICY_OTHER; i <= ST_POLICY_RR; i++) {
        if (st_text_is(text, st_platform_policy_name(i))) {
            *ret = i;
            return 0;
        }
    }
    return st_failure_usage("--policy: '%s' is unknown; use other, fifo or rr", text);
}

#define OPTIONS_MAX 32
#define LONG_BASE   256 /* getopt's number of the first option: above all letters */

static int keep_value(const struct st_option *option, const char *text)
{
    if (option->flag != NULL)
        *option->flag = true;
    if (option->text != NULL && text[0] == '\0')
        return st_failure_usage("--%s needs a value", option->name);
    if (option->text != NULL)
        *option->text = text;
    if (option->take != NULL)
        return option->take(option->ctx, text);
    const char *name = st_text("--%s", option->name);
    if (option->time_ns != NULL)
        return take_time(option, name, text);
    if (option->number != NULL)
        return st_option_i64(name, text, option->min, option->max, option->number);
    if (option->rate_hz != NULL)
        return take_rate(option, name, text);
    if (option->real != NULL)
        return take_real(option, name, text);
    return 0;
}

/* Reports an option that getopt_long refused. */
static int refuse(const struct st_option *options, size_t options_n, bool lacks_value,
                  const char *typed)
{
    const char letter[] = {'-', (char)optopt, '\0'};
    const bool is_letter = optopt > ' ' && optopt < 0x7f;
    if (is_letter) /* of several letters in one word, name the refused one */
        typed = letter;
    if (lacks_value)
        return st_failure_usage("%s needs a value", typed);
    if (is_letter)
        return st_failure_usage("no such option: %s", typed);
    if (optopt >= LONG_BASE)
        return st_failure_usage("--%s takes no value", options[optopt - LONG_BASE].name);
    if (!st_text_begins(typed, "--")) /* a letter that is not ASCII */
        return st_failure_usage("no such option in '%s'", typed);
    const char *name = st_text("%.*s", (int)strcspn(typed + 2, "="), typed + 2);
    struct st_near near = {.typed = name};
    ST_EACH_OF (option, options, options_n)
        st_near_offer(&near, option->name);
    return st_failure_unknown("option", "--", &near);
}

int st_options_read(const struct st_option *options, size_t options_n, const char *help, int argc,
                    char **argv, int *ret_first)
{
    struct option table[OPTIONS_MAX + 2] = {{"help", no_argument, NULL, 'h'}};
    char letters[2 * OPTIONS_MAX + 3] = ":h";
    size_t used = strlen(letters);
    assert(options_n <= OPTIONS_MAX);
    for (size_t i = 0; i < options_n; i++) {
        const bool value = options[i].flag == NULL; /* required_argument is 1, no_argument 0 */
        table[1 + i] = (struct option){options[i].name, value, NULL, LONG_BASE + (int)i};
        if (options[i].letter != '\0') {
            letters[used++] = options[i].letter;
            if (value)
                letters[used++] = ':';
        }
    }
    letters[used] = '\0';
    opterr = 0;
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, letters, table, NULL)) != -1;) {
        size_t i = 0;
        while (i < options_n && option != LONG_BASE + (int)i && option != options[i].letter)
            i++;
        if (option == 'h') {
            fputs(help, stdout);
            /* each command of sleeptune has a page of its own, the laboratory has one for all */
            if (st_text_is(st_program_name, "sleeptune"))
                printf("Manual: man sleeptune-%s\n", st_program_command);
            return ST_EXIT_DONE;
        }
        if (i == options_n)
            return refuse(options, options_n, option == ':', argv[optind - 1]);
        const int r = keep_value(&options[i], optarg);
        if (r != 0)
            return r;
    }
    *ret_first = optind;
    return -1;
}

int st_options_only(const struct st_option *options, size_t options_n, const char *help, int argc,
                    char **argv)
{
    int first;
    const int r = st_options_read(options, options_n, help, argc, argv, &first);
    if (r < 0 && first < argc)
        return st_failure_usage("unexpected argument: %s", argv[first]);
    return r;
}
