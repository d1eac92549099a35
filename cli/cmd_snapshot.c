/* sleeptune snapshot: writes all facts about a machine as JSON. */
#include "advisor/facts/snapshot.h"
#include "cli/command.h"
#include "cli/report/facts_input.h"
#include "core/text/json.h"
#include "platform/program/output.h"

static const char help[] =
    "Usage: sleeptune snapshot [OPTION...]\n"
    "Write the settings of this machine as JSON, so that someone else can judge\n"
    "them with 'sleeptune report --snapshot FILE'. It contains kernel settings, the\n"
    "kernel command line, limits, and name and groups of the user; root reads more.\n"
    "\n"
    "  -o, --output FILE  write to FILE (standard output)\n"
    "  --root DIR         read a saved copy of a machine (or FreeBSD capture)\n" ST_NO_SERVERS_HELP
    "  -h, --help         this text\n\n"
    "Examples:\n"
    "  sleeptune snapshot -o studio-pc.json\n"
    "  sleeptune snapshot | ssh friend sleeptune report --snapshot -\n\n"
    "Exit status: 0 done, 3 usage, 4 failure.\n";

static int write_snapshot(const struct st_facts *facts, const char *path)
{
    json_t *document = st_snapshot_json(facts);
    char *text = st_json_dump(document);
    json_decref(document);
    if (text == NULL)
        return st_failure("out of memory");
    size_t bytes = strlen(text);
    text[bytes++] = '\n'; /* replaces the final '\0' */
    const int r = st_output_write(path, text, bytes);
    free(text);
    if (r == 0)
        return ST_EXIT_DONE;
    return st_failure("cannot write %s: %s", st_text_or(path, "standard output"),
                      st_destination_error(r));
}

int st_cmd_snapshot(int argc, char **argv)
{
    struct st_facts_input input = {0};
    const char *path = NULL;
    const struct st_option options[] = {
        {"output", 'o', .text = &path},
        {"root", .text = &input.root},
        {"no-servers", .flag = &input.no_servers},
    };
    int status = st_options_only(options, ST_ARRAY_LEN(options), help, argc, argv);
    if (status >= 0)
        return status;
    struct st_facts *facts;
    status = st_facts_input_load(&input, &facts);
    if (status != ST_EXIT_DONE)
        return status;
    status = write_snapshot(facts, path);
    st_facts_free(facts);
    return status;
}
