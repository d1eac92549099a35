/* All sources of other programs' xruns: which are watched, how often they are read, and what plays.
 * Real clock: pselect waits for real file descriptors. */
#include <unistd.h>

#include "core/ns.h"
#include "daemon/observe/observe.h"
#include "tests/fake/fake.h"
#include "tests/unit/unit.h"

static struct st_platform *platform;
static struct st_events events;

static int setup(void **state)
{
    platform = st_fake_new(ST_OS_LINUX, 100 * ST_NS_PER_S);
    return platform == NULL || st_events_init(&events, NULL) != 0;
}

static int teardown(void **state)
{
    st_events_finish(&events);
    st_fake_free(platform);
    return 0;
}

static void wait_and_turn(struct st_observe *observe)
{
    struct st_platform *p = st_platform_native();
    struct st_wait wait;
    sigset_t none;
    sigemptyset(&none);
    st_wait_init(&wait, st_platform_now_ns(p) + ST_NS_PER_S);
    st_observe_wait(observe, &wait);
    st_wait(&wait, p, &none);
    (void)st_observe_turn(observe, &wait);
}

static void all_sources_are_watched_as_the_settings_want_it(void **state)
{
    struct st_config config;
    struct st_observe *observe;
    struct st_observe_view view;
    struct st_platform *p = st_platform_native();
    st_config_defaults(&config);
    ST_PRINT(config.observe.pipewire, "off");
    assert_int_equal(st_observe_new(p, st_xrun_sources, &config, &events, "", &observe), 0);
    wait_and_turn(observe);
    st_observe_look(observe, &view);
    assert_true(view.n > 1);
    for (size_t i = 0; i < view.n; i++)
        assert_true((view.sources[i].state == ST_OBSERVED_IS_OFF) ==
                    (strcmp(view.sources[i].source, "pipewire") == 0));
    ST_PRINT(config.observe.pipewire, "auto");
    ST_PRINT(config.observe.alsa, "off");
    st_observe_set(observe, &config);
    wait_and_turn(observe);
    st_observe_look(observe, &view);
    for (size_t i = 0; i < view.n; i++)
        assert_true((view.sources[i].state == ST_OBSERVED_IS_OFF) ==
                    (strcmp(view.sources[i].source, "alsa") == 0));
    st_observe_free(observe);
}

/* --- a source with a descriptor --- */

static int read_from;
static unsigned reads_n;

static int open_pipe(struct st_xrun_watch *w)
{
    w->fd = read_from;
    return 0;
}

static int poll_pipe(struct st_xrun_watch *w)
{
    reads_n++;
    return 0;
}

static void close_pipe(struct st_xrun_watch *w) {}

/* The pipe is never emptied: its source writes faster than it is read. */
static void a_source_that_floods_is_read_eight_times_a_second(void **state)
{
    static const struct st_xrun_ops pipe_ops = {
        .open = open_pipe, .poll = poll_pipe, .close = close_pipe};
    static const struct st_xrun_source pipe_source = {
        .name = "jack", .summary = "", .poll_ns = 60 * ST_NS_PER_S, .ops = &pipe_ops};
    static const struct st_xrun_source *const sources[] = {&pipe_source, NULL};
    struct st_config config;
    struct st_observe *observe;
    int fds[2];
    sigset_t none;
    sigemptyset(&none);
    assert_int_equal(pipe(fds), 0);
    read_from = fds[0];
    st_config_defaults(&config);
    assert_int_equal(st_observe_new(platform, sources, &config, &events, "", &observe), 0);
    reads_n = 0;
    assert_int_equal(write(fds[1], "x", 1), 1);
    const int64_t end_ns = st_platform_now_ns(platform) + ST_NS_PER_S;
    while (st_platform_now_ns(platform) < end_ns) {
        struct st_wait wait;
        st_wait_init(&wait, INT64_MAX);
        st_observe_wait(observe, &wait);
        assert_true(FD_ISSET(read_from, &wait.read) || wait.due_ns < end_ns + ST_NS_PER_S);
        wait.due_ns = 0;
        st_wait(&wait, platform, &none);
        (void)st_observe_turn(observe, &wait);
        st_fake_advance(platform, 5 * ST_NS_PER_MS);
    }
    assert_true(reads_n >= 8 && reads_n <= 9);
    st_observe_free(observe);
    close(fds[0]);
    close(fds[1]);
}

/* --- one that knows what plays --- */

static int poll_player(struct st_xrun_watch *w)
{
    w->plays = true;
    return 0;
}

static int open_player(struct st_xrun_watch *w)
{
    return 0;
}

static void close_player(struct st_xrun_watch *w) {}

static const struct st_xrun_ops player_ops = {
    .open = open_player, .poll = poll_player, .close = close_player};
static const struct st_xrun_source player_source = {.name = "alsa",
                                                    .summary = "",
                                                    .poll_ns = ST_NS_PER_MS,
                                                    .tells_playing = true,
                                                    .ops = &player_ops};

static void what_plays_is_known_after_a_turn(void **state)
{
    struct st_config config;
    struct st_observe *observe;
    struct st_playing_facts facts = {0};
    struct st_wait wait;
    const struct st_xrun_source *const sources[] = {&player_source, NULL};
    st_config_defaults(&config);
    st_wait_init(&wait, 0);
    assert_int_equal(st_observe_new(platform, sources, &config, &events, "", &observe), 0);
    const int64_t played_ns = st_observe_turn(observe, &wait);
    assert_int_equal(played_ns, st_platform_now_ns(platform));
    st_observe_playing(observe, &facts);
    assert_int_equal(facts.telling_n, 1);
    assert_null(facts.blind);
    assert_string_equal(facts.by, "alsa");
    assert_int_equal(facts.played_ns, played_ns);
    st_observe_free(observe);
}

/* --- a test of `listen` --- */

static const char *clients_seen[3]; /* "": the card */

static int poll_clients(struct st_xrun_watch *w)
{
    ST_EACH (client, clients_seen) {
        struct st_xrun_seen load = {
            .kind = ST_XRUN_SEEN_LOAD,
            .load = {.cycles_n = 100, .period_ns = ST_NS_PER_MS, .busy_median_ns = 1}};
        ST_PRINT(load.event.device, "card");
        if (*client == NULL)
            continue;
        if (**client == '\0') {
            load.load.frames = 48;
            load.load.rate_hz = 48000;
        }
        ST_PRINT(load.event.client, "%s", *client);
        w->seen(w->ctx, &load);
    }
    return 0;
}

static void a_minute_of_a_test_is_none_of_music(void **state)
{
    static const struct st_xrun_ops client_ops = {
        .open = open_player, .poll = poll_clients, .close = close_player};
    static const struct st_xrun_source client_source = {.name = "pipewire",
                                                        .summary = "",
                                                        .poll_ns = ST_NS_PER_MS,
                                                        .tells_playing = true,
                                                        .ops = &client_ops};
    static const struct st_xrun_source *const sources[] = {&client_source, NULL};
    static const struct {
        const char *clients[3];
        int64_t playing;
        const char *client;
    } minutes[] = {{{"", "ardour"}, 1, "ardour"},
                   {{"", ST_DROPOUT_TEST_CLIENT "n"}, 0, ""}, /* the card runs, ardour has ended */
                   {{"", "ardour", ST_DROPOUT_TEST_CLIENT "n"}, 1, "ardour"},
                   {{""}, 1, "ardour"},
                   {{NULL}, 0, ""}};
    struct st_config config;
    struct st_observe *observe;
    struct st_observe_minute minute;
    struct st_wait wait;
    st_config_defaults(&config);
    st_wait_init(&wait, 0);
    assert_int_equal(st_observe_new(platform, sources, &config, &events, "", &observe), 0);
    (void)st_observe_turn(observe, &wait);
    st_observe_end_minute(observe, &minute);
    for (size_t i = 0; i < ST_ARRAY_LEN(minutes); i++) {
        for (int half = 0; half < 2; half++) {
            st_fake_advance(platform, 30 * ST_NS_PER_S);
            memcpy(clients_seen, minutes[i].clients, sizeof(clients_seen));
            if (i == 3 && half == 1) /* the server ends in that minute */
                clients_seen[0] = NULL;
            (void)st_observe_turn(observe, &wait);
        }
        st_observe_end_minute(observe, &minute);
        assert_int_equal(minute.watched.watches_n, 1);
        assert_int_equal(minute.watched.watches[0].playing, minutes[i].playing);
        assert_string_equal(minute.watched.watches[0].client, minutes[i].client);
        assert_int_equal(minute.watched.watches[0].frames, i < 4 ? 48 : INT64_MIN);
    }
    st_observe_free(observe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(all_sources_are_watched_as_the_settings_want_it),
        TEST(a_source_that_floods_is_read_eight_times_a_second),
        TEST(what_plays_is_known_after_a_turn),
        TEST(a_minute_of_a_test_is_none_of_music),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
