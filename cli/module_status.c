/* sleeptune status: asks the daemon over its Unix socket. */
#include "cli/module.h"

#include <curl/curl.h>
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/locale.h"
#include "cli/status_text.h"
#include "st_config.h"

#define COMMAND    "status"
#define SCHEMA     "sleeptune-status/1"
#define BODY_BYTES (4 * 1024 * 1024) /* a status is some kilobytes */
#define TIMEOUT_MS 5000L
#define PATH_BYTES sizeof(((struct sockaddr_un *)0)->sun_path)

struct options {
    bool json;
    const char *socket; /* NULL: the usual places */
};

struct body {
    char *text;
    size_t len;
};

static void help(void)
{
    fputs("Usage: sleeptune status [--json] [--socket PATH]\n"
          "Show what the running sleeptuned has measured.\n\n"
          "  --json         the document as it comes, sleeptune-status/1\n"
          "  --format F     text (default) or json\n"
          "  --socket PATH  socket of the daemon; also SLEEPTUNE_SOCKET\n"
          "  --help         this help\n\n"
          "Exit status: 0 done, 3 usage, 4 no daemon or no answer.\n",
          stdout);
}

/* @return -1 to go on, else the exit status. */
static int read_options(int argc, char **argv, struct options *ret)
{
    static const struct option known[] = {{"json", no_argument, NULL, 'j'},
                                          {"format", required_argument, NULL, 'F'},
                                          {"socket", required_argument, NULL, 's'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    int option;
    opterr = 0;
    optind = 1;
    while ((option = getopt_long(argc, argv, ":", known, NULL)) != -1) {
        switch (option) {
        case 'j':
            ret->json = true;
            break;
        case 'F':
            if (strcmp(optarg, "text") != 0 && strcmp(optarg, "json") != 0)
                return st_usage_error(COMMAND, "--format: '%s' is not text or json", optarg);
            ret->json = strcmp(optarg, "json") == 0;
            break;
        case 's':
            ret->socket = optarg;
            break;
        case 'h':
            help();
            return ST_EXIT_DONE;
        case ':':
            return st_usage_error(COMMAND, "%s needs a value", argv[optind - 1]);
        default:
            return st_usage_error(COMMAND, "unknown option: %s", argv[optind - 1]);
        }
    }
    if (optind < argc)
        return st_usage_error(COMMAND, "what is '%s'?", argv[optind]);
    return -1;
}

/* --socket, $SLEEPTUNE_SOCKET, the system's daemon, the user's own. @return 0 or ST_EXIT_FAILURE with a
 * message. */
/* Does somebody listen there? A socket that a killed daemon left behind refuses; one that we may not use is
 * alive. */
static bool listens(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof(address.sun_path))
        return false;
    memcpy(address.sun_path, path, strlen(path) + 1);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return false;
    const bool dead = connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0 &&
                      (errno == ENOENT || errno == ECONNREFUSED);
    close(fd);
    return !dead;
}

/* The system's daemon, unless only the user's own one listens. */
static int choose_socket(const char *wish, char *buf, size_t buf_bytes)
{
    if (wish == NULL)
        wish = getenv("SLEEPTUNE_SOCKET");
    if (wish != NULL && wish[0] != '\0') {
        if (strlen(wish) >= buf_bytes)
            return st_failure(COMMAND, "the socket path is %zu bytes long, this system takes at most %zu: %s",
                              strlen(wish), buf_bytes - 1, wish);
        memcpy(buf, wish, strlen(wish) + 1);
        return 0;
    }
    const char *user = getenv("XDG_RUNTIME_DIR");
    if (user != NULL && !listens(ST_RUN_DIR "/sleeptune/sleeptuned.sock")) {
        const int n = snprintf(buf, buf_bytes, "%s/sleeptune/sleeptuned.sock", user);
        if (n > 0 && (size_t)n < buf_bytes && listens(buf))
            return 0;
    }
    snprintf(buf, buf_bytes, "%s/sleeptune/sleeptuned.sock", ST_RUN_DIR);
    return 0;
}

static size_t on_body(char *data, size_t size, size_t n, void *ctx)
{
    struct body *body = ctx;
    const size_t len = size * n; /* curl: size is always 1 */
    if (len > BODY_BYTES - body->len)
        return 0; /* curl ends with CURLE_WRITE_ERROR */
    char *text = realloc(body->text, body->len + len + 1);
    if (text == NULL)
        return 0;
    memcpy(text + body->len, data, len);
    body->text = text;
    body->len += len;
    body->text[body->len] = '\0';
    return len;
}

static int explain(CURLcode code, long os_errno, const char *path)
{
    if (code == CURLE_OPERATION_TIMEDOUT)
        return st_failure(COMMAND, "sleeptuned on %s does not answer", path);
    if (code == CURLE_WRITE_ERROR)
        return st_failure(COMMAND, "the answer on %s is larger than %d bytes: this is not sleeptuned", path,
                          BODY_BYTES);
    if (code != CURLE_COULDNT_CONNECT)
        return st_failure(COMMAND, "%s: %s", path, curl_easy_strerror(code));
    if (os_errno == EACCES || os_errno == EPERM)
        return st_failure(COMMAND, "no right to connect to %s: join its group, or ask as root", path);
    if (os_errno == EAGAIN || os_errno == 0) /* libcurl takes EAGAIN, a full queue, for "under way" */
        return st_failure(COMMAND, "sleeptuned on %s has more clients than it takes at once: try again later",
                          path);
    return st_failure(
        COMMAND,
        "no sleeptuned is listening on %s: start it with 'systemctl start sleeptuned' or 'sleeptuned -f'",
        path);
}

/* @return 0 or ST_EXIT_FAILURE with a message; body->text is to be freed in both cases. */
static int fetch(const char *path, struct body *body)
{
    CURL *curl = curl_easy_init();
    if (curl == NULL)
        return st_failure(COMMAND, "libcurl does not start");
    curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, path);
    curl_easy_setopt(curl, CURLOPT_URL, "http://localhost/v1/status");
    curl_easy_setopt(curl, CURLOPT_PROXY, ""); /* whatever the environment says */
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, TIMEOUT_MS);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, body);
    const CURLcode code = curl_easy_perform(curl);
    long os_errno = 0, http_status = 0;
    curl_easy_getinfo(curl, CURLINFO_OS_ERRNO, &os_errno);
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &http_status);
    curl_easy_cleanup(curl);
    if (code != CURLE_OK)
        return explain(code, os_errno, path);
    if (http_status != 200 || body->text == NULL)
        return st_failure(COMMAND,
                          "%s answers HTTP %ld: this is not the sleeptuned that belongs to this command",
                          path, http_status);
    return 0;
}

static int print_text(const json_t *document, const char *path)
{
    struct st_locale_stream stream;
    st_status_text(st_locale_begin(&stream, stdout), document, path, st_terminal_width(STDOUT_FILENO));
    return st_locale_end(&stream) == 0 ? ST_EXIT_DONE : st_failure(COMMAND, "out of memory");
}

static int show(const struct options *options, const char *path, const struct body *body)
{
    json_error_t error;
    json_t *document = json_loadb(body->text, body->len, 0, &error);
    const char *schema = json_string_value(json_object_get(document, "schema"));
    int status = ST_EXIT_DONE;
    if (document == NULL)
        status = st_failure(COMMAND, "the answer on %s is not JSON: %s", path, error.text);
    else if (schema == NULL || strcmp(schema, SCHEMA) != 0)
        status = st_failure(COMMAND, "the answer on %s is not %s: another version of sleeptuned runs", path,
                            SCHEMA);
    else if (options->json)
        printf("%s\n", body->text);
    else
        status = print_text(document, path);
    json_decref(document);
    return status;
}

int st_module_run(int argc, char **argv)
{
    struct options options = {0};
    int status = read_options(argc, argv, &options);
    if (status >= 0)
        return status;
    char path[PATH_BYTES];
    status = choose_socket(options.socket, path, sizeof(path));
    if (status != 0)
        return status;
    struct body body = {0};
    status = fetch(path, &body);
    if (status == 0)
        status = show(&options, path, &body);
    free(body.text);
    return status;
}
