/* sleeptune snapshot: all facts of a machine as JSON. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/collect.h"
#include "advisor/json_dump.h"
#include "cli/command.h"
#include "cli/facts_input.h"
#include "cli/output.h"

#define COMMAND "snapshot"

static void help(void)
{
    fputs("Usage: sleeptune snapshot [OPTION...]\n"
          "Write all facts about this machine as JSON, so that somebody else can judge\n"
          "them with 'sleeptune report --snapshot FILE'. It holds kernel settings, the\n"
          "kernel command line, limits, and name and groups of the user; root reads more.\n\n"
          "  -o FILE            write to FILE (standard output)\n"
          "  --root DIR         of a captured tree or FreeBSD capture, not this machine\n" ST_NO_SERVERS_HELP
          "  -h, --help         this text\n\n"
          "Examples:\n"
          "  sleeptune snapshot -o studio-pc.json\n"
          "  sleeptune snapshot | ssh friend sleeptune report --snapshot -\n\n"
          "Exit status: 0 done, 3 usage, 4 failure.\n",
          stdout);
}

static int write_snapshot(const struct st_facts *facts, const char *path)
{
    json_t *document = st_snapshot_json(facts);
    size_t bytes;
    char *text = st_json_dump(document, JSON_INDENT(2), &bytes);
    json_decref(document);
    if (text == NULL)
        return st_failure(COMMAND, "out of memory");
    text[bytes++] = '\n'; /* in place of the '\0' */
    const int r = st_output_write(path, text, bytes);
    free(text);
    return r == 0 ? ST_EXIT_DONE
                  : st_failure(COMMAND, "cannot write %s: %s", path != NULL ? path : "standard output",
                               strerror(-r));
}

int st_cmd_snapshot(int argc, char **argv)
{
    static const struct option table[] = {
        {"root", required_argument, NULL, 'r'},
        {"no-servers", no_argument, NULL, 'N'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct st_facts_input input = {0};
    const char *path = NULL;
    int option;
    opterr = 0;
    optind = 1;
    while ((option = getopt_long(argc, argv, ":o:h", table, NULL)) != -1) {
        switch (option) {
        case 'o':
            path = optarg;
            break;
        case 'r':
            input.root = optarg;
            break;
        case 'N':
            input.no_servers = true;
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
    if (optind < argc)
        return st_usage_error(COMMAND, "unexpected argument: %s", argv[optind]);
    struct st_facts *facts;
    int status = st_facts_input_load(COMMAND, &input, &facts);
    if (status != ST_EXIT_DONE)
        return status;
    status = write_snapshot(facts, path);
    st_facts_free(facts);
    return status;
}
