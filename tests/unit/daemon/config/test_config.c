/* sleeptuned.conf: what is taken, and what is said about what is not. */
#include "daemon/config/config.h"
#include "tests/fake/fake.h"
#include "tests/unit/unit.h"

static char messages[8192];
static unsigned messages_n;

static void collect(void *ctx, const char *message)
{
    messages_n++;
    const size_t len = strlen(messages);
    snprintf(messages + len, sizeof(messages) - len, "%s\n", message);
}

static int parse(const char *text, struct st_config *config)
{
    messages[0] = '\0';
    messages_n = 0;
    return st_config_parse(text, strlen(text), "FILE", config, collect, NULL);
}

static void assert_refused(const char *text, const char *message)
{
    struct st_config config = {.loop.frames = 12345};
    assert_int_equal(parse(text, &config), -EBADMSG);
    if (strstr(messages, message) == NULL)
        fail_msg("no \"%s\" in: %s", message, messages);
    assert_int_equal(config.loop.frames, 12345); /* nothing was written */
}

static void empty_file_means_defaults(void **state)
{
    struct st_config config, defaults;
    assert_int_equal(parse("", &config), 0);
    st_config_defaults(&defaults);
    assert_int_equal(st_config_difference(&config, &defaults), 0);
    assert_int_equal(config.loop.frames, 0);
    assert_int_equal(config.loop.rate_hz, 48000);
    assert_int_equal(config.loop.priority, 0);
    assert_int_equal(config.loop.cpu, -1);
    assert_int_equal(config.socket.mode, 0660);
    assert_string_equal(config.audio.backend, "none");
    assert_string_equal(config.socket.path, "");
}

static void each_key_is_read(void **state)
{
    struct st_config c;
    assert_int_equal(parse("loop = { rate_hz = 44100; frames = 64; priority = 97; cpu = 2;\r\n"
                           "  when = \"always\"; };\r\n"
                           "audio: { backend = \"alsa\"; device = \"hw:0,0\"; };\n"
                           "socket: { path = \"/tmp/s\"; mode = \"0600\"; group = \"audio\"; };\n"
                           "http: { listen = \"[::1]:9733\"; };",
                           &c),
                     0);
    assert_int_equal(c.loop.rate_hz, 44100);
    assert_int_equal(c.loop.frames, 64);
    assert_int_equal(c.loop.priority, 97);
    assert_int_equal(c.loop.cpu, 2);
    assert_string_equal(c.loop.when, "always");
    assert_string_equal(c.audio.backend, "alsa");
    assert_string_equal(c.audio.device, "hw:0,0");
    assert_string_equal(c.socket.path, "/tmp/s");
    assert_int_equal(c.socket.mode, 0600);
    assert_string_equal(c.socket.group, "audio");
    assert_string_equal(c.http.listen, "[::1]:9733");
}

static void every_integer_is_refused_outside_its_range(void **state)
{
    for (size_t i = 0; i < st_config_keys_n; i++) {
        const struct st_config_key *key = &st_config_keys[i];
        if (key->type != ST_CONFIG_INT)
            continue;
        const char *name = strchr(key->path, '.') + 1;
        const int group_len = (int)(name - 1 - key->path);
        for (int above = 0; above <= 1; above++) {
            char text[200], message[300];
            const long long value = above ? key->max + 1 : key->min - 1;
            ST_PRINT(text, "\n%.*s = {\n%s = %lld; };", group_len, key->path, name, value);
            ST_PRINT(message, "FILE:3: %s = %lld: must be %s", key->path, value,
                     st_config_allowed(key));
            assert_refused(text, message);
        }
    }
}

static void wrong_type_names_key_value_and_range(void **state)
{
    assert_refused("loop = { frames = \"64\"; };",
                   "FILE:1: loop.frames = \"64\": must be a whole number, 0 .. 16384 frames");
    assert_refused("loop = { frames = 64.5; };", "loop.frames = 64.5");
    assert_refused("loop = { cpu = true; };", "loop.cpu = true");
    assert_refused("loop = { when = 1; };",
                   "loop.when = 1: must be one of \"playing\", \"always\"");
    assert_refused("loop = { frames = { a = 1; }; };", "loop.frames = { ... }");
    assert_refused("loop = 3;", "FILE:1: loop: must be a group");
    assert_refused("audio = { backend = \"arts\"; };", "audio.backend = \"arts\"");
    assert_refused("socket = { mode = 660; };", "socket.mode = 660: must be octal");
    assert_refused("socket = { mode = \"0888\"; };", "socket.mode");
    assert_refused("socket = { mode = \"1777\"; };", "socket.mode");
    assert_refused("socket = { path = \"relative\"; };", "socket.path");
}

static void unknown_key_is_told_with_the_nearest_known_one(void **state)
{
    assert_refused("\n\nloop = { frmes = 64; };",
                   "FILE:3: loop.frmes: unknown key. Did you mean loop.frames?");
    assert_refused("lop = { frames = 64; };", "FILE:1: lop: unknown key. Did you mean loop?");
    assert_refused("frames = 64;", "FILE:1: frames: unknown key. Did you mean loop.frames?");
    assert_refused("rate = 44100;", "Did you mean loop.rate_hz?");
    assert_refused("socket = { grp = \"a\"; };", "Did you mean socket.group?");
}

static void every_error_of_a_file_is_told(void **state)
{
    struct st_config c;
    assert_int_equal(parse("loop = { frames = -1;\n rate_hz = 1;\n foo = 1; };", &c), -EBADMSG);
    assert_int_equal(messages_n, 3);
    assert_has(messages, "FILE:2: loop.rate_hz");
    assert_has(messages, "FILE:3: loop.foo");
}

static void flood_of_errors_is_cut(void **state)
{
    char text[4000] = "";
    for (int i = 0; i < 100; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "x%d = 1;\n", i);
    struct st_config c;
    assert_int_equal(parse(text, &c), -EBADMSG);
    assert_int_equal(messages_n, 20);
}

static void syntax_error_names_the_line(void **state)
{
    assert_refused("loop = {\n frames = ;\n};", "FILE:2: syntax error: frames = ;");
    assert_refused("loop = {\n frames = 64;\n \t frames = 32; \r\n};",
                   "FILE:3: duplicate setting name: frames = 32;");
    assert_refused("loop = {\n", "FILE:2: syntax error"); /* there is nothing in that line */
    assert_lacks(messages, "error:");
    assert_refused("loop = {\n x \x1b[2J = ;\n};", "syntax error: x ?[2J = ;");
    assert_refused("a = ;  # 45678901234567890123456789012345678901234567890123456789012345",
                   "syntax error: a = ;  # 456789012345678901234567890123456789012345678901...");
    assert_refused("loop = { frames = 64; }; loop = { frames = 32; };", "FILE:1: duplicate");
}

static void include_and_zero_bytes_are_refused(void **state)
{
    assert_refused("\n  @include \"/etc/hostname\"\n", "FILE:2: @include is not supported");
    struct st_config c;
    messages[0] = '\0';
    assert_int_equal(st_config_parse("loop\n\0frames", 12, "FILE", &c, collect, NULL), -EBADMSG);
    assert_has(messages, "FILE:2: this is not a text file");
}

static void control_characters_do_not_reach_a_message(void **state)
{
    assert_refused("audio = { backend = \"\x1b[2J\x07\"; };", "audio.backend = \"?[2J?\"");
    assert_null(strchr(messages, '\x1b'));
}

static void period_out_of_range_is_refused_even_when_each_part_is_allowed(void **state)
{
    assert_refused("loop = { frames = 16; rate_hz = 768000; };",
                   "a period of 20.8 µs: must be 100 µs .. 2 s");
    assert_refused("loop = { frames = 16384; rate_hz = 8000; };", "must be 100 µs .. 2 s");
}

static void listen_takes_addresses_and_no_names(void **state)
{
    static const struct {
        const char *text;
        bool allowed;
    } rows[] = {
        {"127.0.0.1:9733", true}, {"0.0.0.0:1", true},        {"[::1]:65535", true},
        {"[::]:80", true},        {"localhost:80", false},    {"127.0.0.1", false},
        {"127.0.0.1:0", false},   {"127.0.0.1:65536", false}, {"::1:80", false},
        {"[::1]80", false},       {"[127.0.0.1]:80", false},  {"127.0.0.1:80x", false},
        {":80", false},           {"127.0.0.1: 80", false},   {"[::1:80", false},
        {"127.0.0.1:-1", false},
    };
    ST_EACH (row, rows) {
        union st_config_address address;
        const int r = st_config_listen_address(row->text, &address);
        if ((r == 0) != row->allowed)
            fail_msg("%s: %d", row->text, r);
    }
}

static void difference_says_what_a_reload_must_do(void **state)
{
    struct st_config a, b;
    assert_int_equal(parse("", &a), 0);
    assert_int_equal(parse("loop = { frames = 64; };", &b), 0);
    assert_int_equal(st_config_difference(&a, &b), ST_CONFIG_APPLIES_LOOP);
    assert_int_equal(
        parse("audio = { device = \"x\"; }; socket = { mode = \"0600\"; path = \"/x\"; };", &b), 0);
    assert_int_equal(st_config_difference(&a, &b),
                     ST_CONFIG_APPLIES_AUDIO | ST_CONFIG_APPLIES_SOCKET | ST_CONFIG_APPLIES_START);
    assert_int_equal(parse("loop = { cpu = 1; }; http = { listen = \"127.0.0.1:1\"; };", &b), 0);
    assert_int_equal(st_config_difference(&a, &b), ST_CONFIG_APPLIES_LOOP | ST_CONFIG_APPLIES_HTTP);
    assert_int_equal(parse("notify = { enabled = \"off\"; };", &b), 0);
    assert_int_equal(st_config_difference(&a, &b),
                     ST_CONFIG_APPLIES_NOTIFY); /* not the key before it, too */
}

static void unreadable_file_is_an_error_with_its_reason(void **state)
{
    struct st_platform *fake = st_fake_new(ST_OS_LINUX, 0);
    struct st_config c;
    assert_int_equal(st_fake_set_file(fake, "/c", "", -EACCES), 0);
    messages[0] = '\0';
    assert_int_equal(st_config_load(fake, "/c", &c, collect, NULL), -EACCES);
    assert_has(messages, "/c: cannot be read: Permission denied");
    assert_int_equal(st_config_load(fake, "/missing", &c, collect, NULL), -ENOENT);
    char *big = malloc(ST_CONFIG_FILE_BYTES + 100);
    memset(big, '#', ST_CONFIG_FILE_BYTES + 99);
    big[ST_CONFIG_FILE_BYTES + 99] = '\0';
    assert_int_equal(st_fake_set_file(fake, "/big", big, 0), 0);
    assert_int_equal(st_config_load(fake, "/big", &c, collect, NULL), -EFBIG);
    assert_has(messages, "/big: the file is larger than");
    free(big);
    st_fake_free(fake);
}

/* Reads a file of the source tree. */
static char *source_file(const char *path)
{
    char name[4096];
    const char *root = getenv("SLEEPTUNE_SRC");
    assert_non_null(root);
    ST_PRINT(name, "%s/%s", root, path);
    FILE *in = fopen(name, "r");
    assert_non_null(in);
    char *text = calloc(1, 100000);
    assert_true(fread(text, 1, 99999, in) > 0);
    fclose(in);
    return text;
}

static char *written(void (*write)(FILE *))
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    write(out);
    fclose(out);
    return text;
}

static void committed_example_is_current(void **state)
{
    char *committed = source_file("conf/sleeptuned.conf"),
         *current = written(st_config_doc_example);
    if (strcmp(committed, current) != 0)
        fail_msg("%s", "conf/sleeptuned.conf: run daemon/gen_config example");
    free(committed);
    free(current);
}

static void example_with_all_lines_in_force_means_defaults(void **state)
{
    char *text = written(st_config_doc_example);
    unsigned keys_n = 0;
    for (char *line = text; line != NULL && *line != '\0'; line = strchr(line, '\n') + 1) {
        char *hash = line + strspn(line, " ");
        if (*hash == '#' && hash[1] != ' ') { /* "#key = value;" */
            *hash = ' ';
            keys_n++;
        }
    }
    assert_int_equal(keys_n, st_config_keys_n);
    struct st_config c, defaults;
    if (parse(text, &c) != 0)
        fail_msg("%s", messages);
    st_config_defaults(&defaults);
    assert_int_equal(st_config_difference(&c, &defaults), 0);
    free(text);
}

static void key_list_of_the_manual_is_current(void **state)
{
    char *manual = source_file("man/sleeptuned.conf.5"), *current = written(st_config_doc_mdoc);
    char *begin = strstr(manual, "gen_config mdoc\n"), *end = strstr(manual, ".\\\" end of keys");
    assert_non_null(begin);
    assert_non_null(end);
    begin += strlen("gen_config mdoc\n");
    *end = '\0';
    if (strcmp(begin, current) != 0)
        fail_msg("%s", "man/sleeptuned.conf.5: run daemon/gen_config mdoc");
    free(manual);
    free(current);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_file_means_defaults),
        cmocka_unit_test(each_key_is_read),
        cmocka_unit_test(every_integer_is_refused_outside_its_range),
        cmocka_unit_test(wrong_type_names_key_value_and_range),
        cmocka_unit_test(unknown_key_is_told_with_the_nearest_known_one),
        cmocka_unit_test(every_error_of_a_file_is_told),
        cmocka_unit_test(flood_of_errors_is_cut),
        cmocka_unit_test(syntax_error_names_the_line),
        cmocka_unit_test(include_and_zero_bytes_are_refused),
        cmocka_unit_test(control_characters_do_not_reach_a_message),
        cmocka_unit_test(period_out_of_range_is_refused_even_when_each_part_is_allowed),
        cmocka_unit_test(listen_takes_addresses_and_no_names),
        cmocka_unit_test(difference_says_what_a_reload_must_do),
        cmocka_unit_test(unreadable_file_is_an_error_with_its_reason),
        cmocka_unit_test(committed_example_is_current),
        cmocka_unit_test(example_with_all_lines_in_force_means_defaults),
        cmocka_unit_test(key_list_of_the_manual_is_current),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
