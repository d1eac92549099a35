/* Parsers of what servers and logs print. */
#include "advisor/parse/answer.h"

#include "core/text/json.h"
#include "core/text/pattern.h"

#define NODES_MAX   256 /* nodes of a PipeWire graph; further ones are ignored */
#define CLIENTS_MAX 256
#define LINKS_MAX   2048

const char *st_answer_pipewire_key(const char *name)
{
    static const struct {
        const char *name, *key;
    } rows[] = {
        {"clock.quantum", ST_KEY_PIPEWIRE_QUANTUM},
        {"clock.min-quantum", ST_KEY_PIPEWIRE_MIN_QUANTUM},
        {"clock.max-quantum", ST_KEY_PIPEWIRE_MAX_QUANTUM},
        {"clock.force-quantum", ST_KEY_PIPEWIRE_FORCE_QUANTUM},
        {"clock.rate", ST_KEY_PIPEWIRE_RATE_HZ},
        {"clock.force-rate", ST_KEY_PIPEWIRE_FORCE_RATE_HZ},
        {"clock.allowed-rates", ST_KEY_PIPEWIRE_ALLOWED_RATES},
    };
    ST_EACH (row, rows) {
        if (st_text_is(row->name, name))
            return row->key;
    }
    return NULL;
}

/* --- PipeWire's graph: which programs are linked with a device or sink, also through other nodes
 * --- */

struct graph {
    struct st_facts *facts;
    const char *source;
    size_t nodes_n, clients_n, links_n;
    struct node {
        json_int_t id, client_id;
        bool device;  /* a device or a virtual sink: "Audio/Sink", "Audio/Source/Virtual" */
        bool aside;   /* only monitors another node, as the level meters of mixers do */
        bool reached; /* linked with a device */
    } nodes[NODES_MAX];
    struct {
        json_int_t id, pid;
    } clients[CLIENTS_MAX];
    struct link {
        json_int_t output, input;
    } links[LINKS_MAX];
};

static const char *node_key(json_int_t id, const char *leaf)
{
    return st_text(ST_KEYS_PIPEWIRE_NODE "%" JSON_INTEGER_FORMAT ".%s", id, leaf);
}

static struct node *find_node(struct graph *graph, json_int_t id)
{
    ST_EACH_OF (node, graph->nodes, graph->nodes_n) {
        if (node->id == id)
            return node;
    }
    return NULL;
}

/** Puts a text, a whole number or a truth value ("true", "false", as in PipeWire's files); ignores
 * other values. */
static void put_value(const struct graph *graph, const char *key, const json_t *value)
{
    const char *text = json_string_value(value);
    if (json_is_boolean(value))
        text = json_is_true(value) ? "true" : "false";
    if (json_is_integer(value))
        text = st_text("%lld", json_integer_value(value));
    if (text != NULL)
        st_facts_put_text(graph->facts, key, text, graph->source);
}

static void put_node(struct graph *graph, json_int_t id, json_t *info)
{
    static const struct {
        const char *name, *leaf;
    } rows[] = {
        {"node.name", "name"},
        {"application.name", "application"},
        {"node.latency", "latency"},
        {"node.force-quantum", "force_quantum"},
        {"node.rate", "rate"},
        {"node.force-rate", "force_rate"},
        {"node.driver", "driver"},
        {"media.class", "media_class"},
        {"api.alsa.path", "alsa_path"},
        {"api.alsa.headroom", "headroom_frames"},
        {"api.alsa.disable-tsched", "disable_tsched"},
        {"api.alsa.pcm.card", "card"},
        {"session.suspend-timeout-seconds", "suspend_s"},
        {"client.api", "api"},
    };
    const json_t *props = json_object_get(info, "props"),
                 *format =
                     json_array_get(json_object_get(json_object_get(info, "params"), "Format"), 0);
    struct node *node = find_node(graph, id);
    if (node == NULL && graph->nodes_n == NODES_MAX)
        return;
    if (node == NULL)
        node = &graph->nodes[graph->nodes_n++];
    node->id = id;
    node->client_id = st_json_integer(props, "client.id");
    node->device = st_text_begins(st_json_text_of(props, "media.class"), "Audio/");
    node->aside = json_is_true(json_object_get(props, "stream.monitor")) ||
                  st_text_is(st_json_text_of(props, "stream.monitor"), "true");
    ST_EACH (row, rows)
        put_value(graph, node_key(id, row->leaf), json_object_get(props, row->name));
    put_value(graph, node_key(id, "state"), json_object_get(info, "state"));
    put_value(graph, node_key(id, "format_rate_hz"), json_object_get(format, "rate"));
}

/** Adds a client and its process. The server knows the process that opened the socket, even inside
 * a sandbox. pipewire-pulse opens one socket for each of its programs: then the process that the
 * program itself names counts. */
static void add_client(struct graph *graph, json_int_t id, const json_t *props)
{
    const char *leaf = "pipewire.sec.pid";
    if (graph->clients_n == CLIENTS_MAX)
        return;
    if (st_text_is(st_json_text_of(props, "client.api"), "pipewire-pulse"))
        leaf = "application.process.id";
    graph->clients[graph->clients_n].id = id;
    graph->clients[graph->clients_n++].pid =
        st_json_integer(props, leaf) +
        strtoll(st_json_text_of(props, leaf), NULL, 10); /* a number or a text: one term is 0 */
}

static void put_list(const json_t *list, struct graph *graph)
{
    json_t *object;
    size_t i;
    json_array_foreach(list, i, object)
    {
        const char *type = st_json_text_of(object, "type");
        json_t *info = json_object_get(object, "info");
        const json_int_t id = st_json_integer(object, "id");
        if (st_text_is(type, "PipeWire:Interface:Node"))
            put_node(graph, id, info);
        else if (st_text_is(type, "PipeWire:Interface:Client"))
            add_client(graph, id, json_object_get(info, "props"));
        else if (st_text_is(type, "PipeWire:Interface:Link") && graph->links_n < LINKS_MAX)
            graph->links[graph->links_n++] = (struct link){st_json_integer(info, "output-node-id"),
                                                           st_json_integer(info, "input-node-id")};
        else if (st_text_is(type, "PipeWire:Interface:Core"))
            put_value(graph, ST_KEY_PIPEWIRE_VERSION, json_object_get(info, "version"));
    }
}

/** Marks programs that are linked with a device, directly or through other programs. */
static void reach(struct graph *graph)
{
    for (bool more = true; more;) {
        more = false;
        ST_EACH_OF (link, graph->links, graph->links_n) {
            struct node *output = find_node(graph, link->output),
                        *input = find_node(graph, link->input);
            if (output == NULL || input == NULL || output->aside || input->aside)
                continue;
            const bool any = output->device || input->device || output->reached || input->reached;
            more = more || (any && (!output->reached || !input->reached));
            output->reached = output->reached || any;
            input->reached = input->reached || any;
        }
    }
}

int st_answer_pw_dump(const char *text, struct st_facts *facts, const char *source)
{
    struct graph graph = {.facts = facts, .source = source};
    int r = -EBADMSG;
    for (;;) {
        json_error_t error;
        json_t *list = json_loads(text, JSON_DISABLE_EOF_CHECK, &error);
        if (!json_is_array(list)) {
            if (list != NULL)
                r = -EBADMSG;
            json_decref(list);
            break;
        }
        put_list(list, &graph);
        json_decref(list);
        text += error.position;
        r = 0;
    }
    reach(&graph);
    ST_EACH_OF (node, graph.nodes, graph.nodes_n) {
        for (size_t c = 0; c < graph.clients_n && node->client_id != 0; c++) {
            if (graph.clients[c].id == node->client_id && graph.clients[c].pid > 0)
                st_facts_put_int(facts, node_key(node->id, "pid"), graph.clients[c].pid, source);
        }
        st_facts_put_text(facts, node_key(node->id, "plays"),
                          node->reached && !node->device ? "true" : "false", source);
    }
    return r;
}

const char *st_answer_log_key(const char *line, char *ret_about, size_t bytes)
{
    static const struct {
        const char *part, *key;
    } rows[] = {
        /* texts that rtkit logs: rtkit-daemon.c, demote_known_threads(), verify_burst(),
           find_process(), find_thread() */
        {"Demoted ", ST_KEY_RTKIT_DEMOTED_N},
        {"uccessfully demoted thread ", ST_KEY_RTKIT_DEMOTED_N},
        {"Warning: Reached ", ST_KEY_RTKIT_REFUSED_N},
        {"rtkit-daemon.service: Failed with result", ST_KEY_RTKIT_FAILED_N},
        {"pthread_create failed: ", ST_KEY_RTKIT_FAILED_N},
        /* texts that the kernel logs about USB: sound/usb/clock.c, endpoint.c;
           drivers/usb/core/hub.c. -71 is EPROTO: Documentation/driver-api/usb/error-codes.rst */
        {"is not valid, cannot use", ST_KEY_KERNEL_LOG_CARD_N},
        {"cannot get clock validity", ST_KEY_KERNEL_LOG_CARD_N},
        {"cannot set freq ", ST_KEY_KERNEL_LOG_CARD_N},
        {"cannot submit urb ", ST_KEY_KERNEL_LOG_CARD_N},
        {"usb_set_interface failed", ST_KEY_KERNEL_LOG_USB_N},
        {"err -71", ST_KEY_KERNEL_LOG_USB_N},
        {"error -71", ST_KEY_KERNEL_LOG_USB_N},
        {"disabled by hub (EMI?)", ST_KEY_KERNEL_LOG_USB_N},
        /* texts about HD audio: sound/pci/hda/hda_intel.c and hda_controller.c */
        {"IRQ timing workaround is activated for card", ST_KEY_KERNEL_LOG_CARD_N},
        {"Invalid position buffer, using LPIB", ST_KEY_KERNEL_LOG_CARD_N},
        {"azx_get_response timeout", ST_KEY_KERNEL_LOG_CARD_N},
        /* texts about DSP firmware (SOF) and the Raspberry Pi: sound/soc/sof/ipc*.c;
           sound/soc/bcm/bcm2835-i2s.c; drivers/usb/host/dwc_otg of Raspberry Pi's kernel */
        {"timed out for 0x", ST_KEY_KERNEL_LOG_CARD_N},
        {"DSP Firmware Oops", ST_KEY_KERNEL_LOG_CARD_N},
        {"I2S SYNC error", ST_KEY_KERNEL_LOG_CARD_N},
        {"FIQ reported NYET", ST_KEY_KERNEL_LOG_USB_N},
        /* texts about the clock, heat, memory and RLIMIT_RTTIME: kernel/time/clocksource.c;
           arch/x86/kernel/cpu/mce/therm_throt.c; mm/oom_kill.c, where the limit of a group begins
           with "Memory cgroup out of memory"; kernel/time/posix-cpu-timers.c, check_rlimit() */
        {"Marking clocksource ", ST_KEYS_KERNEL_LOG "clock_n"},
        {"clock throttled", ST_KEYS_KERNEL_LOG "heat_n"},
        {"Out of memory: Kill", ST_KEY_KERNEL_LOG_MEMORY_N},
        {"RT Watchdog Timeout (hard)", ST_KEY_KERNEL_LOG_RT_TIME_N},
    };
    struct st_pattern_parts parts;
    ret_about[0] = '\0';
    if (st_pattern_match(line, "*usb %s:", &parts) ||
        st_pattern_match(line, "*audio %s:", &parts) ||
        st_pattern_match(line, "*for user '%l'", &parts))
        snprintf(ret_about, bytes, "%s", parts.text[0]);
    ST_EACH (row, rows) {
        if (strstr(line, row->part) != NULL && strstr(line, "Demoted 0 threads") == NULL)
            return row->key;
    }
    return NULL;
}
