/* sleeptune verify: is what apply wrote still there, and did it take effect? */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/render.h"
#include "cli/change_target.h"
#include "cli/command.h"
#include "cli/proof.h"

#define COMMAND "verify"

struct options {
    struct st_facts_input input;
    int64_t frames, rate_hz;
    bool json;
    bool measure;
    int64_t measure_ns; /* 0: as long as before */
};

static void help(void)
{
    fputs("Usage: sleeptune verify [OPTION...]\n"
          "Is everything that 'sleeptune apply' wrote still in place, and do its rules find\n"
          "nothing any more? Most useful after a reboot. Then the loop runs once more, as\n"
          "long as apply recorded it, and both runs are compared. Changes nothing and needs\n"
          "no root, but the right to the priority that apply had.\n\n"
          "  -f, --frames N     frames a period (128)\n"
          "  -r, --rate N       frames a second (48000)\n"
          "  --measure TIME     run the loop for so long, 1s .. 10m (as long as before)\n"
          "  --no-measure       do not\n"
          "  --user NAME        judge with the rights that NAME gets at login\n"
          "  --root DIR         of a captured tree, not this machine\n"
          "  --format FORMAT    text or json; --json is short for --format json\n"
          "  -h, --help         this text\n\n"
          "Example:\n"
          "  sleeptune verify\n\n"
          "Exit status: 0 all of it took effect, 1 a difference was shown, or the loop runs\n"
          "worse than before; 3 usage, 4 failure, 5 the books do not balance.\n",
          stdout);
}

struct output {
    bool json;
    json_t *entries, *rules; /* for JSON */
};

/** Lines of others that win over ours in this file. @return whether there is one. */
static bool overruled(struct st_platform *p, const struct st_entry *entry, json_t *ret)
{
    char message[512];
    struct st_change change;
    for (const char *line = entry->new_value; *line != '\0'; line += strcspn(line, "\n") + 1) {
        if (st_change_parse(p->os, entry->target, line, &change) == 0 &&
            st_change_conflict(p, &change, message, sizeof(message)))
            (void)json_array_append_new(ret, json_string(message));
    }
    return json_array_size(ret) > 0;
}

static void print_entry(const struct st_entry *entry, const char *state, const char *detail,
                        const json_t *overruled_by)
{
    char text[1024];
    printf("%-11s %s%s%s\n", state, st_change_entry_text(entry, text, sizeof(text)),
           detail[0] != '\0' ? ": " : "", detail);
    for (size_t i = 0; i < json_array_size(overruled_by); i++)
        st_change_print(0, "overruled  ", json_string_value(json_array_get(overruled_by, i)));
}

/** @return whether it is as we wrote it, and counts. */
static bool verify_entry(struct st_platform *p, const struct st_entry *entry, struct output *output)
{
    static const char *const names[] = {[ST_ENTRY_IN_PLACE] = "in place",
                                        [ST_ENTRY_DIFFERS] = "differs",
                                        [ST_ENTRY_GONE] = "gone",
                                        [ST_ENTRY_UNREAD] = "not read"};
    char now[ST_CHANGE_VALUE_BYTES] = "";
    const char *name = "interrupted", *detail = "run sleeptune revert";
    int error = 0;
    bool good = false;
    json_t *by = json_array();
    if (entry->phase == ST_PHASE_DONE) {
        const enum st_entry_state state = st_change_state(p, entry, now, sizeof(now), &error);
        const bool file = entry->type == ST_ENTRY_FILE;
        name = names[state];
        detail = state == ST_ENTRY_DIFFERS  ? (file ? "they are not there as written" : now)
                 : state == ST_ENTRY_UNREAD ? strerror(-error)
                                            : "";
        good = !(file && overruled(p, entry, by)) && state == ST_ENTRY_IN_PLACE;
    }
    if (output->json)
        (void)json_array_append_new(
            output->entries, json_pack("{s:s, s:s, s:s?, s:s, s:s, s:s, s:O}", "rule", entry->rule, "target",
                                       entry->target, "old", entry->old_value, "new", entry->new_value,
                                       "state", name, "detail", detail, "overruled_by", by));
    else
        print_entry(entry, name, detail, by);
    json_decref(by);
    return good;
}

/* What the rule says now. @return whether it finds nothing any more. */
static bool verify_rule(const struct st_change_target *target, const char *id, struct output *output)
{
    const struct st_finding *finding = st_change_target_find(target, id);
    if (finding == NULL)
        return true;
    const bool fired = finding->status == ST_STATUS_PROBLEM || finding->status == ST_STATUS_ADVICE;
    const bool waits = fired && finding->needs != ST_NEEDS_NOTHING;
    const char *needs = waits ? st_needs_text(finding->needs) : NULL;
    char label[96], *text;
    if (output->json) {
        (void)json_array_append_new(output->rules,
                                    json_pack("{s:s, s:b, s:s, s:s?}", "id", id, "in_effect", !fired,
                                              "summary", finding->summary, "needs", needs));
        return !fired;
    }
    snprintf(label, sizeof(label), "%s  %s:", fired ? "not yet   " : "in effect ", id);
    if (asprintf(&text, "%s%s%s", finding->summary, waits ? "; " : "", waits ? needs : "") >= 0) {
        st_change_print(0, label, text);
        free(text);
    }
    return !fired;
}

static bool is_first_of_rule(const struct st_journal *journal, size_t i)
{
    for (size_t j = 0; j < i; j++) {
        if (strcmp(journal->entries[j].rule, journal->entries[i].rule) == 0)
            return false;
    }
    return true;
}

/* Did it help? @return an st_exit. */
static int prove(const struct st_change_target *target, const struct st_journal *journal,
                 const struct options *options, struct st_proof *ret)
{
    if (journal->entries_n == 0)
        st_proof_none(ret, "nothing is applied");
    else if (!target->live)
        st_proof_none(ret, "a captured tree cannot be measured");
    else if (!options->measure)
        st_proof_none(ret, "not measured (--no-measure)");
    else
        return st_proof_make(COMMAND, target, journal, options->measure_ns, ret);
    return ST_EXIT_DONE;
}

static int print_json(const struct output *output, const struct st_proof *proof, bool good)
{
    json_t *document =
        json_pack("{s:s, s:b, s:O, s:O, s:o}", "schema", "sleeptune-verify/1", "in_effect", good, "entries",
                  output->entries, "rules", output->rules, "proof", st_proof_json(proof));
    const int r = json_dumpf(document, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
    json_decref(document);
    return r == 0 && putchar('\n') != EOF
               ? ST_EXIT_DONE
               : st_failure(COMMAND, "cannot write the result: %s", strerror(errno));
}

static int verify_all(const struct st_change_target *target, const struct st_journal *journal,
                      const struct options *options, struct output *output)
{
    struct st_proof proof;
    bool good = true;
    for (size_t i = 0; i < journal->entries_n; i++)
        good &= verify_entry(target->p, &journal->entries[i], output);
    for (size_t i = 0; i < journal->entries_n; i++) {
        if (is_first_of_rule(journal, i))
            good &= verify_rule(target, journal->entries[i].rule, output);
    }
    if (journal->entries_n == 0 && !output->json)
        puts("nothing is applied");
    int status = prove(target, journal, options, &proof);
    if (status == ST_EXIT_DONE && (!good || st_proof_is_worse(&proof)))
        status = ST_EXIT_FINDINGS;
    if (output->json && print_json(output, &proof, good) != ST_EXIT_DONE)
        status = ST_EXIT_FAILURE;
    if (!output->json && journal->entries_n > 0 && target->live)
        st_proof_print(&proof);
    st_proof_finish(&proof);
    return status;
}

static int verify(const struct st_change_target *target, const struct options *options)
{
    char message[512];
    struct st_journal journal;
    struct output output = {.json = options->json, .entries = json_array(), .rules = json_array()};
    int status;
    if (st_journal_read(target->p, target->folder, &journal, message, sizeof(message)) < 0) {
        status = st_failure(COMMAND, "%s", message);
    } else {
        status = verify_all(target, &journal, options, &output);
        st_journal_finish(&journal);
    }
    json_decref(output.entries);
    json_decref(output.rules);
    return status;
}

/** @return -1 to go on, or an st_exit. */
static int parse_options(int argc, char **argv, struct options *options)
{
    static const struct option table[] = {
        {"frames", required_argument, NULL, 'f'},  {"rate", required_argument, NULL, 'r'},
        {"root", required_argument, NULL, 'O'},    {"user", required_argument, NULL, 'U'},
        {"measure", required_argument, NULL, 'm'}, {"no-measure", no_argument, NULL, 'M'},
        {"json", no_argument, NULL, 'j'},          {"format", required_argument, NULL, 'F'},
        {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0},
    };
    int option, r = 0;
    opterr = 0;
    optind = 1;
    while (r == 0 && (option = getopt_long(argc, argv, ":f:r:h", table, NULL)) != -1) {
        switch (option) {
        case 'f':
            r = st_option_i64(COMMAND, "--frames", optarg, 1, 1 << 22, &options->frames);
            break;
        case 'r':
            r = st_option_i64(COMMAND, "--rate", optarg, 1, 1 << 22, &options->rate_hz);
            break;
        case 'O':
            options->input.root = optarg;
            break;
        case 'U':
            options->input.user = optarg;
            break;
        case 'm':
            r = st_proof_time(COMMAND, optarg, &options->measure_ns);
            break;
        case 'M':
            options->measure = false;
            break;
        case 'j':
            options->json = true;
            break;
        case 'F':
            if (strcmp(optarg, "json") != 0 && strcmp(optarg, "text") != 0)
                return st_usage_error(COMMAND, "--format: '%s' is not json or text", optarg);
            options->json = strcmp(optarg, "json") == 0;
            break;
        case 'h':
            help();
            return ST_EXIT_DONE;
        case ':':
            return st_usage_error(COMMAND, "%s needs a value", argv[optind - 1]);
        default:
            return st_usage_error(COMMAND, "no such option: %s", argv[optind - 1]);
        }
    }
    if (r != 0)
        return r;
    if (optind < argc)
        return st_usage_error(COMMAND, "unexpected argument: %s", argv[optind]);
    return -1;
}

int st_cmd_verify(int argc, char **argv)
{
    struct options options = {.frames = 128, .rate_hz = 48000, .measure = true};
    struct st_change_target target;
    int status = parse_options(argc, argv, &options);
    if (status >= 0)
        return status;
    status = st_change_target_open(COMMAND, options.input.root, &target);
    if (status != ST_EXIT_DONE)
        return status;
    status = st_change_target_judge(COMMAND, &options.input, (uint32_t)options.frames,
                                    (uint32_t)options.rate_hz, &target);
    if (status == ST_EXIT_DONE)
        status = verify(&target, &options);
    st_change_target_close(&target);
    return status;
}
