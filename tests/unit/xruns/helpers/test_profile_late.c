/* Who was late in a cycle of PipeWire's graph, a client or the server, and why. */
#include "tests/unit/unit.h"
#include "tests/unit/xruns/helpers/profile_fixture.h"

/* As 0.3.65 reports a cycle of 1 ms that begins at 5 ms, in which the player computes for 1.5 ms:
 * as incomplete, with the driver's times of the cycle before, as ended by the driver at 6 ms, and
 * as ended too early when the player finishes. The server has written a time of awaking of its own
 * by then. */
static void a_late_cycle_is_followed_to_its_end(void **state)
{
    queue_ns = 300 * US;
    take_player((struct times){3000, 4000, 4090, 4095}, (struct times){4000, 4005, 4020, 4080},
                FINISHED, NO_COUNTER);
    const struct times late = {5000, 5005, 5020, 4080};
    take_player((struct times){4000, 4000, 4090, 5000}, late, AWAKE, NO_COUNTER);
    take_player((struct times){4000, 5000, 6000, 6005}, late, AWAKE, NO_COUNTER);
    assert_int_equal(profile.unreported_n, 0); /* nothing is decided before it ends */
    take_player((struct times){5000, 6000, 6530, 6540}, (struct times){6000, 6005, 6003, 6520},
                FINISHED, NO_COUNTER);
    assert_int_equal(figures.cycle_ns, 5 * MS);
    assert_int_equal(figures.deadline_ns, 6 * MS);
    assert_int_equal(figures.awake_ns - figures.signal_ns, 15 * US);
    assert_int_equal(figures.end_ns - figures.awake_ns, 1500 * US);
    cycle_frames = 1024; /* another size, before it is reported */
    take_player((struct times){6000, 7000, 7090, 7095}, (struct times){7000, 7005, 7020, 7080},
                INACTIVE, NO_COUNTER);
    cycle_frames = 48;
    tells("alsa_output.card/player 0 1 too-slow; ");
    assert_int_equal(told_period_ns, MS);
    assert_int_equal(told_busy_ns, 1215 * US); /* what it waited for a CPU is not its own work */
    assert_int_equal(told_spare_ns, (1000 - 60) * US);
    assert_string_equal(told_cycle, "player 305+1215 of 1000 us, left 0; ");
}

/* Who listens may have room for some only. */
static void the_one_that_was_late_is_told_first(void **state)
{
    const struct follower finished[] = {{PLAYER, "player", FINISHED, NO_COUNTER},
                                        {41, "synth", FINISHED, NO_COUNTER}};
    const struct follower both[] = {finished[0], {41, "synth", AWAKE, NO_COUNTER}};
    const struct times usual[] = {{4000, 4005, 4020, 4100}, {4000, 4109, 4120, 4400}};
    const struct times late[] = {{5000, 5005, 5020, 5100}, {5000, 5109, 5120, 4400}};
    const struct times next[] = {{6000, 6005, 6020, 6100}, {6000, 6109, 5120, 6120}};
    st_profile_node_forget(&profile.nodes[0]); /* the synth comes before the driver */
    st_pipewire_profile_add(&profile, 41, CLIENT, false, false);
    st_pipewire_profile_add(&profile, DRIVER, ST_PIPEWIRE_PROFILE_NO_CLIENT, true, false);
    take_times((struct times){3000, 4000, 4410, 4420}, 5, finished, usual, 2);
    take_times((struct times){4000, 4000, 4410, 5000}, 5, both, late, 2);
    take_times((struct times){4000, 5000, 6000, 6005}, 5, both, late, 2);
    take_times((struct times){5000, 6000, 6130, 6135}, 5, finished, next, 2);
    tells("alsa_output.card/synth 0 1 too-slow; ");
    assert_string_equal(told_cycle,
                        "synth 120+1000 of 1000 us, left 1; player 20+80 of 1000 us, left 0; ");
}

static void awake_in_a_cycle_that_ended_too_early_is_no_dropout(void **state)
{
    take_player((struct times){5000, 6000, 6530, 6540}, (struct times){6000, 6005, 6525, 6520},
                AWAKE, NO_COUNTER);
    take_player((struct times){6000, 7000, 7090, 7095}, (struct times){7000, 7005, 7020, 7080},
                FINISHED, NO_COUNTER);
    assert_int_equal(profile.unreported_n, 0);
}

/* 0.3.65 signals the next client 9 us after the end of the one before, 1.4 has one time for
 * both. */
static void the_client_that_another_waited_for_is_named(void **state)
{
    for (int64_t us = 0; us < 10; us += 9) {
        const struct follower synth = {41, "synth", FINISHED, NO_COUNTER};
        const struct follower both[] = {synth, {PLAYER, "player", AWAKE, NO_COUNTER}};
        const struct follower finished[] = {synth, {PLAYER, "player", FINISHED, NO_COUNTER}};
        const int64_t signal = 5800 + us;
        const struct times usual[] = {{4000, 4005, 4020, 4100}, {4000, 4109, 4120, 4400}};
        const struct times late[] = {{5000, 5005, 5020, 5800}, {5000, signal, signal + 20, 4400}};
        const struct times next[] = {{6000, 6005, 6020, 6100}, {6000, 6005, 5820, 6120}};
        begin_measured(NULL);
        take_times((struct times){3000, 4000, 4410, 4420}, 5, finished, usual, 2);
        take_times((struct times){4000, 4000, 4410, 5000}, 5, both, late, 2);
        take_times((struct times){4000, 5000, 6000, 6005}, 5, both, late, 2);
        take_times((struct times){5000, 6000, 6130, 6135}, 5, finished, next, 2);
        tells("alsa_output.card/player 0 1 waited-for-other synth; ");
        assert_string_equal(
            told_cycle,
            us == 0 ? "player 820+300 of 1000 us, left 1; synth 20+780 of 1000 us, left 0; "
                    : "player 829+291 of 1000 us, left 1; synth 20+780 of 1000 us, left 0; ");
    }
}

/* 0.3.65 with a server that comes 0.97 ms after its cycle of 1 ms should have begun: it begins the
 * next one 30 us later, in which the player had no time. Both are seen at 8.12 s of a real run,
 * rounded. */
static void a_cycle_that_the_server_cuts_short_is_no_clients_dropout(void **state)
{
    const struct times short_one = {7000, 7005, 7004, 5080};
    const struct times next = {7030, 7035, 7050, 7330};
    take_player((struct times){4000, 5000, 5090, 5095}, (struct times){5000, 5005, 5020, 5080},
                FINISHED, NO_COUNTER);
    take_player((struct times){5000, 5000, 5090, 7000}, short_one, TRIGGERED, NO_COUNTER);
    take_player((struct times){5000, 7000, 7030, 7030}, short_one, TRIGGERED, NO_COUNTER);
    take_player((struct times){7000, 7030, 7340, 7350}, next, FINISHED, NO_COUNTER);
    tells("alsa_output.card/PipeWire 0 1 woken-late; ");
    assert_string_equal(told_cycle, ""); /* it would show a client that had no time */
}

/* The same with the counters of 1.4, a cycle later, and a player of JACK that no whole period would
 * have been enough for: it sleeps through the next one. */
static void one_that_is_too_slow_for_a_whole_period_is_to_blame_for_a_short_one(void **state)
{
    for (int64_t late_us = 300; late_us <= 1300; late_us += 1000) {
        const int64_t at = (10 + late_us) * 1000, end = at + late_us;
        const struct times player = {at, at + 5, at + 20, at - 900};
        take_player((struct times){at - 2000, at - 1000, at - 500, at - 490},
                    (struct times){at - 2000, at - 1000, at - 1000 + 20, at - 900}, FINISHED, 4);
        take_player((struct times){at - 1000, at, at + 200, at + 210}, player, AWAKE, 4);
        take_player((struct times){at, at + 200, at + 1400, at + 1410},
                    (struct times){at, at + 205, at + 20, end}, FINISHED, 5);
        tells(late_us < 1000 ? "alsa_output.card/PipeWire 0 1 woken-late; "
                             : "alsa_output.card/player 0 2 too-slow; ");
        begin_measured(NULL);
    }
}

/* A stopped client: the server writes a time of awaking in each cycle, just before it signals. */
static void a_time_of_awaking_before_the_signal_is_not_the_clients(void **state)
{
    for (int64_t ms = 5; ms < 9; ms++) {
        const struct times stopped = {ms * 1000, ms * 1000 + 5, ms * 1000 + 3, 4080};
        take_player(
            (struct times){(ms - 1) * 1000, (ms - 1) * 1000, (ms - 1) * 1000 + 90, ms * 1000},
            stopped, AWAKE, NO_COUNTER);
        take_player(
            (struct times){(ms - 1) * 1000, ms * 1000, (ms + 1) * 1000, (ms + 1) * 1000 + 5},
            stopped, AWAKE, NO_COUNTER);
    }
    assert_int_equal(profile.unreported_n, 0);
    take_player((struct times){8000, 9000, 9090, 9095}, (struct times){9000, 9005, 9020, 9080},
                FINISHED, NO_COUNTER);
    assert_int_equal(figures.signal_ns, 5 * MS + 5 * US);
    assert_int_equal(figures.awake_ns, 9 * MS + 20 * US);
    assert_int_equal(figures.end_ns, 9 * MS + 80 * US);
    tells("alsa_output.card/player 0 4 too-slow; ");
}

/* Late in a cycle of 1 ms that begins at `ms`; it computes for 1.5 ms. */
static void be_late(int64_t ms)
{
    const int64_t at = ms * 1000;
    const struct times late = {at, at + 5, at + 20, at - 920};
    take_player((struct times){at - 1000, at - 1000, at - 910, at}, late, AWAKE, NO_COUNTER);
    take_player((struct times){at - 1000, at, at + 1000, at + 1000 + 5}, late, AWAKE, NO_COUNTER);
    take_player((struct times){at, at + 1000, at + 1530, at + 1540},
                (struct times){at + 1000, at + 1000 + 5, at + 1000 + 3, at + 1520}, FINISHED,
                NO_COUNTER);
}

static void the_end_of_a_client_is_no_dropout(void **state)
{
    const struct times late = {5000, 5005, 5020, 4080};
    take_player((struct times){4000, 4000, 4090, 5000}, late, AWAKE, NO_COUNTER);
    take_player((struct times){4000, 5000, 6000, 6005}, late, AWAKE, NO_COUNTER);
    st_pipewire_profile_remove(&profile, PLAYER);
    assert_int_equal(profile.unreported_n, 0);
    take_player((struct times){5000, 5000, 5090, 6000}, late, AWAKE, NO_COUNTER);
    assert_int_equal(profile.unreported_n, 0); /* a report that is late */
    begin_measured(NULL);
    process_has_gone = true; /* its node goes later */
    be_late(5);
    assert_int_equal(profile.unreported_n, 0);
}

/* paplay itself runs: its thread in the graph is pipewire-pulse's. */
static void who_is_stopped_is_named(void **state)
{
    was_stopped = true;
    be_late(5);
    tells("alsa_output.card/player 0 1 stopped; ");
    begin_measured(NULL);
    was_stopped = is_of_server = true;
    be_late(5);
    tells("alsa_output.card/player 0 1 waited-for-other pipewire-pulse; ");
}

static void the_beginning_of_a_client_is_no_dropout(void **state)
{
    profile.listed = true; /* what comes now is new */
    st_pipewire_profile_add(&profile, PLAYER, CLIENT, false, false);
    be_late(5);
    be_late(900);
    assert_int_equal(profile.unreported_n, 0);
    be_late(1100);
    tells("alsa_output.card/player 0 1 too-slow; ");
    be_late(5000); /* after a pause */
    assert_int_equal(profile.unreported_n, 0);
}

/* 0.3.65 on one CPU, server and client at the same real-time priority, rounded: the client computes
 * from 8 to 16.2 ms, the server begins the cycles of 9 ms and later at 16.21 ms, and the clients'
 * cycles of 8 to 16 ms are never reported. */
static void who_computes_while_the_server_waits_is_to_blame(void **state)
{
    static struct st_cycle_ring ring;
    for (int64_t cpu = 2; cpu >= 0; cpu -= 2) {
        const int64_t at = 16210;
        profile.ring = &ring;
        ring.written = 0;
        queue_ns = cpu == 0 ? 8 * MS : 100 * US; /* 0: it had to wait for the CPU, too */
        take_player((struct times){6000, 7000, 7090, 7095}, (struct times){6000, 7005, 7020, 7080},
                    FINISHED, NO_COUNTER);
        const struct times short_one = {at, at + 1, at, at - 10};
        take_player((struct times){at, at, at + 20, at + 20}, short_one, TRIGGERED, NO_COUNTER);
        take_player((struct times){at, at + 20, at + 40, at + 40}, short_one, TRIGGERED,
                    NO_COUNTER);
        take_player((struct times){at + 20, at + 40, at + 340, at + 350},
                    (struct times){at, at + 40, at + 50, at + 330}, FINISHED, NO_COUNTER);
        tells(cpu > 0 ? "alsa_output.card/player 0 1 too-slow; "
                      : "alsa_output.card/PipeWire 0 1 woken-late; ");
        if (cpu > 0) {
            assert_int_equal(told_busy_ns, 8100 * US);
            struct st_xrun_load load;
            assert_true(st_node_load_take(&profile.nodes[2].load, &load));
            assert_int_equal(load.busy_max_ns, 8100 * US);
        }
        const struct st_cycle_row *held =
            st_cycle_ring_at(&ring, 4); /* behind those of two cycles */
        assert_int_equal(st_cycle_ring_n(&ring), cpu > 0 ? 9 : 8);
        assert_int_equal(held->signal_ns, cpu > 0 ? 8 * MS : (at + 20) * US);
        if (cpu > 0)
            assert_int_equal(held->wait_ns + held->busy_ns, 8200 * US);
        begin_measured(NULL);
    }
}

/* 0.3.65 on one CPU with a card, server and client at the same real-time priority: the client
 * computes for 1.5 periods from 8 ms on, no cycle is cut short, and the card runs dry. Seen in a
 * guest, rounded. */
static void a_card_that_runs_dry_is_the_dropout_of_who_held_up_the_server(void **state)
{
    for (int way = 0; way < 3; way++) {
        const bool by_client = way == 0;
        was_stopped = way == 2; /* the server */
        const int64_t at = 9510, end = by_client ? at - 10 : 8080;
        take_player((struct times){6000, 7000, 7090, 7095}, (struct times){6000, 7005, 7020, 7080},
                    FINISHED, NO_COUNTER);
        take_player((struct times){7000, 8000, end + 5, end + 8},
                    (struct times){7000, 8005, 8020, end}, FINISHED, NO_COUNTER);
        take_times((struct times){8000, at, at + 90, at + 95}, 6,
                   &(struct follower){PLAYER, "player", FINISHED, NO_COUNTER},
                   &(struct times){8000, at + 5, at + 20, at + 80}, 1);
        tells(by_client     ? "alsa_output.card/player 0 1 too-slow; "
              : was_stopped ? "alsa_output.card/PipeWire 0 1 stopped; "
                            : "alsa_output.card/PipeWire 0 1 woken-late; ");
        begin_measured(NULL);
    }
}

/* A card that runs dry while a client computes: one dropout, not two. */
static void a_card_that_runs_dry_for_a_late_client_is_that_clients_dropout(void **state)
{
    const struct times late = {5000, 5005, 5020, 4080};
    take_player((struct times){4000, 4000, 4090, 5000}, late, AWAKE, NO_COUNTER);
    take_times((struct times){4000, 5000, 6000, 6005}, 6,
               &(struct follower){PLAYER, "player", AWAKE, NO_COUNTER}, &late, 1);
    take_times((struct times){5000, 6000, 6530, 6540}, 6,
               &(struct follower){PLAYER, "player", FINISHED, NO_COUNTER},
               &(struct times){6000, 6005, 6003, 6520}, 1);
    tells("alsa_output.card/player 0 1 too-slow; ");
}

/* A client that had to wait for the same CPU finishes between the one that held it and the
 * server. */
static void who_only_waited_behind_the_culprit_is_not_to_blame(void **state)
{
    const int64_t at = 16210;
    const struct follower finished[] = {{PLAYER, "player", FINISHED, NO_COUNTER},
                                        {41, "synth", FINISHED, NO_COUNTER}};
    const struct follower late[] = {{PLAYER, "player", TRIGGERED, NO_COUNTER},
                                    {41, "synth", FINISHED, NO_COUNTER}};
    const struct times usual[] = {{6000, 7005, 7020, 7080}, {6000, 7005, 7090, 7140}};
    const struct times held[] = {{at, at + 1, at, at - 70}, {at, at + 1, at, at - 10}};
    const struct times next[] = {{at, at + 40, at + 50, at + 330},
                                 {at, at + 40, at + 340, at + 400}};
    st_pipewire_profile_add(&profile, 41, WAITER, false, false);
    take_times((struct times){6000, 7000, 7150, 7160}, 5, finished, usual, 2);
    take_times((struct times){at, at, at + 20, at + 20}, 5, late, held, 2);
    take_times((struct times){at + 20, at + 40, at + 410, at + 420}, 5, finished, next, 2);
    tells("alsa_output.card/player 0 1 too-slow; ");
    assert_int_equal(told_busy_ns, 8140 * US);
}

/* PipeWire 1.4 reports that cycle: the client's end is that of the next one's beginning. */
static void who_held_up_the_server_in_a_cycle_that_is_reported_is_to_blame(void **state)
{
    const int64_t at = 16210;
    take_player((struct times){6000, 7000, 7090, 7095}, (struct times){6000, 7005, 7020, 7080},
                FINISHED, 4);
    take_player((struct times){7000, 8000, at - 1, at}, (struct times){7000, 8005, 8020, at - 10},
                FINISHED, 4);
    take_player((struct times){8000, at, at + 20, at + 20},
                (struct times){8000, at + 5, at + 15, at - 10}, AWAKE, 5);
    take_player((struct times){at, at + 20, at + 340, at + 350},
                (struct times){at, at + 25, at + 50, at + 330}, FINISHED, 5);
    tells("alsa_output.card/player 0 1 too-slow; ");
    assert_int_equal(told_busy_ns, 8200 * US);
}

static void a_culprit_is_called_as_its_client(void **state)
{
    static const char *const names[] = {"amp", "player", "player or synth", "synth or PipeWire"};
    for (size_t i = 0; i < 4; i++) {
        begin_measured(NULL);
        st_pipewire_profile_add(&profile, 41, 51, false, false);
        TAKE(1000, 5, {PLAYER, "player", FINISHED, NO_COUNTER},
             {41, "synth", FINISHED, NO_COUNTER});
        queue_ns = 1400 * US;
        culprits[0] = i < 3 ? CLIENT : 51;
        culprits[1] = i < 3 ? 51 : ST_DROPOUT_SERVER;
        culprits_n = i < 2 ? i : 2;
        be_late(5);
        char wanted[96];
        ST_PRINT(wanted, "alsa_output.card/player 0 1 cpu-taken %s; ", names[i]);
        tells(wanted);
        assert_int_equal(told_culprit_plays, i > 0);
    }
}

/* As 1.4 reports an asynchronous node: with the times of the cycle before; its counter has risen if
 * it had not finished that one. */
static void take_async(int64_t ms, int64_t awake, int64_t finish, int status, int xruns_n)
{
    take_player((struct times){(ms - 1) * 1000, ms * 1000, ms * 1000 + 5, ms * 1000 + 9},
                (struct times){(ms - 2) * 1000, (ms - 1) * 1000, awake, finish}, status, xruns_n);
}

static void finish_async(int64_t from_ms, int64_t to_ms, int xruns_n)
{
    for (int64_t ms = from_ms; ms <= to_ms; ms++)
        take_async(ms, (ms - 1) * 1000 + 20, (ms - 1) * 1000 + 80, AWAKE, xruns_n);
}

static void an_asynchronous_node_has_until_the_next_cycle(void **state)
{
    is_async = *state == NULL; /* else by its times only */
    finish_async(5, 8, 7);
    assert_int_equal(profile.unreported_n, 0);
    assert_string_equal(
        loads(),
        "alsa_output.card/ 3 1000000 4000 5000; alsa_output.card/player 3 1000000 60000 20000; ");
}

/* It wakes up in the cycle of 9 ms, and counts once more those that it slept. */
static void an_asynchronous_node_that_was_stopped_lost_what_it_did_not_finish(void **state)
{
    is_async = *state == NULL;
    was_stopped = true;
    finish_async(5, 7, 7);
    take_async(8, 6020, 6080, TRIGGERED, 8);
    take_async(9, 6020, 6080, TRIGGERED, 9);
    assert_int_equal(profile.unreported_n, 0); /* not judged before it ends */
    take_async(10, 9500, 9560, AWAKE, 11);
    assert_int_equal(figures.cycle_ns, 7 * MS);
    assert_int_equal(figures.deadline_ns, 8 * MS);
    assert_int_equal(figures.end_ns, 9 * MS + 560 * US);
    tells("alsa_output.card/player 0 2 stopped; ");
    assert_string_equal(told_cycle, "");
    finish_async(11, 14, 11);
    assert_int_equal(profile.unreported_n, 0);
}

/* In each cycle but the last it computes for 1.5 ms, and begins with the next one right after
 * it. */
static void an_asynchronous_node_that_computes_longer_than_a_period_is_too_slow(void **state)
{
    is_async = *state == NULL;
    finish_async(5, 7, 7);
    take_async(8, 7020, 6080, AWAKE, 8);
    take_async(9, 8530, 8590, FINISHED, 8);
    assert_int_equal(figures.signal_ns, 7 * MS);
    tells("alsa_output.card/player 0 1 too-slow; ");
    finish_async(10, 14, 8);
    assert_int_equal(profile.unreported_n, 0);
}

/* It reads a pipe in its cycle, and is awake all that time: judged twice, it was not woken late. */
static void an_asynchronous_node_that_stays_awake_is_not_woken_late(void **state)
{
    is_async = *state == NULL;
    finish_async(5, 7, 7);
    for (int64_t ms = 8; ms < 600; ms++)
        take_async(ms, 7020, 6080, TRIGGERED, (int)ms);
    take_async(600, 599030, 599060, FINISHED, 1190);
    tells("alsa_output.card/player 0 592; ");
}

/* Another client was late: the cycle comes as incomplete, with the driver's times of the cycle
 * before. */
static void an_asynchronous_node_in_a_cycle_that_another_ended_is_counted_once(void **state)
{
    is_async = *state == NULL;
    was_stopped = true;
    finish_async(5, 7, 7);
    take_player((struct times){6000, 6000, 6005, 8000}, (struct times){5000, 6000, 6020, 6080},
                TRIGGERED, 8);
    assert_int_equal(profile.unreported_n, 0);
    take_async(8, 6020, 6080, TRIGGERED, 8);
    take_async(9, 8020, 8080, FINISHED, 8);
    tells("alsa_output.card/player 0 1 stopped; ");
}

static void an_asynchronous_node_without_times_is_counted(void **state)
{
    was_stopped = true;
    for (int64_t ms = 5; ms < 400; ms++)
        take_player((struct times){(ms - 1) * 1000, ms * 1000, ms * 1000 + 5, ms * 1000 + 9},
                    (struct times){-1, 0, 0, 0}, TRIGGERED, (int)(ms < 100 ? ms : 100));
    tells("alsa_output.card/player 0 95 stopped; ");
}

/* A real server's: tests/fixtures/profiles/README.md. */
static void take_captured(const char *path)
{
    static _Alignas(8) uint8_t pods[65536];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t bytes = fread(pods, 1, sizeof(pods), file);
    fclose(file);
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
        ST_CANNOT("the capture has the low byte first");
    for (size_t at = 0; at < bytes;) {
        const struct spa_pod *pod = (const struct spa_pod *)(pods + at);
        at += sizeof(*pod) + pod->size;
        assert_in_range(at, 0, bytes);
        assert_int_equal(st_pipewire_profile_take(&profile, pod), 0);
    }
}

static void a_captured_cycle_has_each_clients_times(void **state)
{
    take_captured(ST_PROFILES_DIR "/pipewire-0.3.65-waited");
    tells("nul/good 0 1 waited-for-other bad; ");
    assert_string_equal(told_cycle,
                        "good 18315+5346 of 21343 us, left 1; bad 58+18143 of 21343 us, left 0; ");
}

static void a_captured_stop_of_an_asynchronous_node_has_its_length(void **state)
{
    was_stopped = true;
    st_pipewire_profile_add(&profile, 50, CLIENT, false, true);
    take_captured(ST_PROFILES_DIR "/pipewire-1.4.2-async-stopped");
    tells("studio/pw-play 0 5 stopped; ");
    assert_in_range(figures.end_ns - figures.awake_ns, 10 * US, 30 * US);
    assert_in_range(figures.awake_ns - figures.signal_ns, 105 * MS, 107 * MS);
}

/* It computes 27.7 ms in a cycle of 21.3 ms, and sleeps through the next one; the recording
 * lost 42.7 ms. */
static void a_captured_jack_client_that_is_late_loses_the_next_cycle_too(void **state)
{
    st_pipewire_profile_add(&profile, 47, CLIENT, false, false);
    take_captured(ST_PROFILES_DIR "/pipewire-1.4.2-jack-late");
    tells("nul/HeavyReverb 0 2 too-slow; ");
    assert_true(figures.skips_next);
    const struct st_profile_node *node = st_profile_node_find(&profile, 47);
    assert_in_range(node->lost.length_ns, 42600 * US, 42700 * US);
}

/* The synth's end in the cycle before the last, 17.4 ms into it, leaves the reverb too little of
 * that; its next end is reported instead. */
static void who_waited_for_one_that_was_late_in_an_earlier_cycle_is_not_to_blame(void **state)
{
    st_pipewire_profile_add(&profile, 42, CLIENT, false, false);
    take_captured(ST_PROFILES_DIR "/pipewire-0.3.65-waited-again");
    tells("nul/synth 0 2; nul/reverb 0 1 waited-for-other synth; ");
}

/* It goes on 44 ms late and begins the next cycle 100 us after that. The player's end comes between
 * the report that this one is not complete and that of its end. */
static void who_ends_just_when_the_server_begins_the_next_cycle_is_not_to_blame(void **state)
{
    for (int stopped = 0; stopped < 2; stopped++) {
        begin_measured(NULL);
        was_stopped = stopped;
        take_captured(ST_PROFILES_DIR "/pipewire-0.3.65-stopped");
        tells(stopped ? "nul/PipeWire 0 1 stopped; " : "nul/PipeWire 0 1 woken-late; ");
    }
}

/* More than a second later another one makes room for it. */
static void a_cycle_that_is_never_judged_does_not_stay(void **state)
{
    for (int64_t ms = 5; ms < 3000; ms += 1500) { /* not judged: no later cycle has its end */
        const struct times late = {(ms - 1) * 1000, ms * 1000 + 5, ms * 1000 + 20, (ms - 1) * 1000};
        st_pipewire_profile_add(&profile, PLAYER, CLIENT, false, false); /* another one */
        take_player(
            (struct times){(ms - 1) * 1000, (ms - 1) * 1000, (ms - 1) * 1000 + 90, ms * 1000}, late,
            AWAKE, NO_COUNTER);
        take_player(
            (struct times){(ms - 1) * 1000, ms * 1000, (ms + 1) * 1000, (ms + 1) * 1000 + 5}, late,
            AWAKE, NO_COUNTER);
        assert_int_equal(profile.kept.cycle_ns, ms * MS);
    }
}

static bool has_cpu;
static int64_t played_ns; /* it slept until then */
static char culprit[16];

static void measure_server(void *ctx, uint32_t client, struct st_dropout_figures *ret)
{
    assert_int_equal(client, ST_DROPOUT_SERVER);
    ret->measured = true;
    ret->queue_ns = has_cpu ? 0 : ret->end_ns - ST_MAX(ret->signal_ns, played_ns);
    ST_PRINT(ret->culprit, "%s", culprit);
}

/* No cycle comes, as if nothing played. */
static void a_server_without_a_cpu_has_one_long_dropout(void **state)
{
    profile.ops.measure = measure_server;
    assert_false(starved(1, true));
    play_from(1000, 2000, 5);
    has_cpu = true;
    assert_false(starved(1503, true));
    has_cpu = false;
    assert_true(starved(1503, false));
    assert_true(starved(1503, true)); /* by whom is not known */
    assert_int_equal(profile.unreported_n, 0);
    ST_PRINT(culprit, "hog");
    assert_true(starved(2003, true));
    tells("alsa_output.card/PipeWire 0 2000 cpu-taken hog; ");
    assert_true(starved(2503, true));
    ST_EACH (node, profile.nodes) {
        assert_int_equal(node->lost.length_ns, node->id == DRIVER ? INT64_C(2500) * MS : 0);
    }
    assert_int_equal(profile.unreported[0].count_n, 0); /* the same one */
    tells("alsa_output.card/PipeWire 0 500 cpu-taken hog; ");
    play(3000, 5, NO_COUNTER); /* its report comes later than that */
    assert_true(starved(3003, true));
    tells("alsa_output.card/PipeWire 0 500 cpu-taken hog; ");
}

static int64_t stopped_from_ns, stopped_to_ns;

static void measure_stopped(void *ctx, uint32_t client, struct st_dropout_figures *ret)
{
    ret->measured =
        ret->end_ns - ret->signal_ns < INT64_C(2500) * MS; /* samples of so long are kept */
    ret->stopped_ns = ST_MIN(ret->end_ns, stopped_to_ns) - ST_MAX(ret->signal_ns, stopped_from_ns);
    ret->stopped_ns = ST_MAX(ret->stopped_ns, 0);
    ret->stopped = ret->stopped_ns > 0;
}

static void stop_server(int64_t from_us, int64_t to_us)
{
    profile.ops.measure = measure_stopped;
    stopped_from_ns = from_us * US;
    stopped_to_ns = to_us * US;
}

/* SIGSTOP: no cycle comes, as if nothing played, and no thread waits for a CPU. */
static void a_server_that_is_stopped_has_one_long_dropout(void **state)
{
    stop_server(2000, 9103000);
    play_from(1000, 2000, 5);
    assert_true(starved(1503, false));
    assert_int_equal(profile.unreported_n, 0);
    assert_true(starved(2003, true));
    tells("alsa_output.card/PipeWire 0 2000 stopped; ");
    assert_true(starved(9003, true));
    play(9103500, 5, NO_COUNTER); /* it goes on */
    ST_EACH (node, profile.nodes) {
        assert_int_equal(node->lost.length_ns / MS, node->id == DRIVER ? 9100 : 0);
    }
    assert_int_equal(profile.unreported[0].count_n, 0); /* the same one */
    tells("alsa_output.card/PipeWire 0 7100 stopped; ");
}

/* 0.3.65 reports a cycle up to a second later: those of 3 to 902 ms come when it goes on. */
static void cycles_before_a_stop_are_reported_after_it(void **state)
{
    for (int64_t to_ms = 2640; to_ms <= 9103; to_ms += 6463) {
        begin(NULL);
        stop_server(902000, to_ms * 1000);
        play_from(1000, 2000, 5);
        assert_true(starved(1503, false));
        for (int64_t ms = 2002; ms < to_ms; ms += 500)
            assert_true(starved(ms, true));
        play_from(3000, 902000, 5);
        play(to_ms * 1000, 5, NO_COUNTER);
        play((to_ms + 1) * 1000, 5, NO_COUNTER);
        const struct st_profile_node *driver = &profile.nodes[0];
        assert_int_equal(driver->lost.length_ns / MS, to_ms - 902 - 1);
        assert_int_equal(profile.unreported[0].count_n, 1);
        assert_int_equal(profile.unreported[0].lost_ns / MS, to_ms - 902 - 1);
        assert_int_equal(profile.unreported[0].cycles_n, to_ms - 902 - 1);
    }
}

/* PipeWire 1.6.9 makes up for a stop by short cycles: clients that are ready in them a little late
 * count. */
static void short_cycles_after_a_stop_are_no_clients_dropouts(void **state)
{
    stop_server(2000, 902500);
    for (int64_t us = 1000; us <= 2000; us += 1000)
        TAKE(us, 5, {PLAYER, "player", FINISHED, 3}, {CLIENT, "synth", FINISHED, 7});
    for (int64_t us = 902500; us <= 902700; us += 100)
        TAKE(us, 5, {PLAYER, "player", FINISHED, 3},
             {CLIENT, "synth", FINISHED, us > 902600 ? 8 : 7});
    TAKE(903500, 5, {PLAYER, "player", FINISHED, 4}, {CLIENT, "synth", FINISHED, 8});
    tells("alsa_output.card/PipeWire 0 899 stopped; ");
    for (int64_t us = 904500; us <= 909500; us += 1000)
        TAKE(us, 5, {PLAYER, "player", FINISHED, us > 909000 ? 5 : 4},
             {CLIENT, "synth", FINISHED, 8});
    tells("alsa_output.card/player 0 1; "); /* long after it */
}

/* The second stop begins before what played since the first one is reported. */
static void what_plays_between_two_stops_is_no_dropout(void **state)
{
    stop_server(2000, 2003000);
    play_from(1000, 2000, 5);
    assert_true(starved(2003, true));
    tells("alsa_output.card/PipeWire 0 2000 stopped; ");
    stop_server(2803000, 4003000);
    assert_true(starved(3503, true));
    tells("alsa_output.card/PipeWire 0 700 stopped; ");
}

/* The card runs dry: its counter has risen in the first cycle after it, or already in the report of
 * the one that was not complete. */
static void a_card_that_runs_dry_in_a_stop_has_no_other_dropout(void **state)
{
    for (int way = 0; way < 4; way++) {
        const bool is_long = way % 2 != 0, incomplete = way >= 2;
        const int64_t to_us = is_long ? 9103500 : 1303500;
        begin(NULL);
        stop_server(2000, to_us);
        play_from(1000, 2000, 5);
        for (int64_t ms = 2003; is_long && ms < to_us / 1000; ms += 500)
            assert_true(starved(ms, true));
        if (incomplete)
            play(2000, 6, NO_COUNTER);
        play_from(to_us, to_us + 5000 - 1, 6);
        tells(is_long ? "alsa_output.card/PipeWire 0 9100 stopped; "
                      : "alsa_output.card/PipeWire 0 1300 stopped; ");
    }
}

/* The look comes 100 ms after the stop, and the cycles since are reported later. */
static void a_stop_that_is_counted_to_after_its_end_is_no_longer(void **state)
{
    stop_server(902000, 1903000);
    play_from(1000, 2000, 5);
    assert_true(starved(2003, true));
    play_from(3000, 902000, 5);
    play_from(1903000, 2100000 - 1, 6);
    tells("alsa_output.card/PipeWire 0 1001 stopped; ");
}

/* It goes on 601 ms later, and begins the next cycle 30 us after the first one. */
static void a_cycle_cut_short_after_a_stop_is_that_dropout(void **state)
{
    const int64_t at = 603000;
    const struct times short_one = {at, at + 5, at + 4, 80};
    stop_server(2000, at);
    play_from(1000, 2000, 5);
    take_player((struct times){2000, 2000, 2090, at}, short_one, TRIGGERED, NO_COUNTER);
    take_player((struct times){2000, at, at + 30, at + 30}, short_one, TRIGGERED, NO_COUNTER);
    take_player((struct times){at, at + 30, at + 340, at + 350},
                (struct times){at, at + 35, at + 50, at + 330}, FINISHED, NO_COUNTER);
    tells("alsa_output.card/PipeWire 0 600 stopped; ");
}

/* It begins the first cycle after the stop 100 ms late, and the card runs dry. */
static void a_late_cycle_after_a_stop_has_its_own_reason(void **state)
{
    stop_server(903000, 1503000);
    play_from(1000, 2000, 5);
    assert_true(starved(1503, true));
    tells("alsa_output.card/PipeWire 0 600 stopped; ");
    play_from(3000, 902000, 5);
    play(1603000, 6, NO_COUNTER);
    tells("alsa_output.card/PipeWire 0 1 woken-late; ");
}

/* Too short for the look at a server that reports nothing. */
static void a_stop_of_a_second_is_known_at_its_end(void **state)
{
    stop_server(2000, 1303000);
    play_from(1000, 2000, 5);
    play(1303500, 5, NO_COUNTER);
    tells("alsa_output.card/PipeWire 0 1300 stopped; ");
}

/* Nothing had played for more than a second when it was stopped. */
static void a_stop_while_nothing_plays_is_no_dropout(void **state)
{
    stop_server(1250000, 6000000);
    play_from(1000, 2000, 5);
    assert_false(starved(1503, true));
    assert_false(starved(2003, true));
    assert_false(starved(3003, true));
    play(6100000, 5, NO_COUNTER);
    assert_int_equal(profile.unreported_n, 0);
}

static void a_pause_before_play_is_no_dropout(void **state)
{
    profile.ops.measure = measure_server;
    played_ns = INT64_C(1603) * MS;
    has_cpu = false;
    ST_PRINT(culprit, "hog");
    play_from(1000, 2000, 5);
    assert_true(starved(2003, false));
    assert_true(starved(2503, true));
    tells("alsa_output.card/PipeWire 0 900 cpu-taken hog; ");
    assert_true(starved(3003, true));
    tells("alsa_output.card/PipeWire 0 500 cpu-taken hog; ");
    played_ns = 0;
}

static void a_silence_is_the_same_dropout_only_beside_it(void **state)
{
    const struct st_profile_node node = {.lost = {.begin_ns = 100 * MS, .end_ns = 120 * MS}};
    static const int64_t ms[][3] = {{10, 79, 0}, {10, 81, 1}, {139, 200, 1}, {140, 200, 0}};
    ST_EACH (at, ms) {
        const struct st_listened_loss loss = {.begin_ns = (*at)[0] * MS, .end_ns = (*at)[1] * MS};
        assert_int_equal(st_profile_late_joins(&node, &loss), (*at)[2]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_late_cycle_is_followed_to_its_end, begin_measured),
        cmocka_unit_test_setup(the_one_that_was_late_is_told_first, begin_measured),
        cmocka_unit_test_setup(awake_in_a_cycle_that_ended_too_early_is_no_dropout, begin),
        cmocka_unit_test_setup(a_time_of_awaking_before_the_signal_is_not_the_clients,
                               begin_measured),
        cmocka_unit_test_setup(the_end_of_a_client_is_no_dropout, begin),
        cmocka_unit_test_setup(who_is_stopped_is_named, begin_measured),
        cmocka_unit_test_setup(the_beginning_of_a_client_is_no_dropout, begin_measured),
        cmocka_unit_test_setup(who_computes_while_the_server_waits_is_to_blame, begin_measured),
        cmocka_unit_test_setup(a_card_that_runs_dry_is_the_dropout_of_who_held_up_the_server,
                               begin_measured),
        cmocka_unit_test_setup(a_card_that_runs_dry_for_a_late_client_is_that_clients_dropout,
                               begin_measured),
        cmocka_unit_test_setup(who_only_waited_behind_the_culprit_is_not_to_blame, begin_measured),
        cmocka_unit_test_setup(who_held_up_the_server_in_a_cycle_that_is_reported_is_to_blame,
                               begin_measured),
        cmocka_unit_test_setup(a_culprit_is_called_as_its_client, begin),
        cmocka_unit_test_setup(the_client_that_another_waited_for_is_named, begin),
        cmocka_unit_test_setup(a_cycle_that_the_server_cuts_short_is_no_clients_dropout,
                               begin_measured),
        cmocka_unit_test_setup(one_that_is_too_slow_for_a_whole_period_is_to_blame_for_a_short_one,
                               begin_measured),
        cmocka_unit_test_setup(an_asynchronous_node_has_until_the_next_cycle, begin),
        cmocka_unit_test_prestate_setup_teardown(an_asynchronous_node_has_until_the_next_cycle,
                                                 begin, NULL, (void *)"1.4.2"),
        cmocka_unit_test_setup(an_asynchronous_node_that_was_stopped_lost_what_it_did_not_finish,
                               begin_measured),
        cmocka_unit_test_prestate_setup_teardown(
            an_asynchronous_node_that_was_stopped_lost_what_it_did_not_finish, begin_measured, NULL,
            (void *)"1.4.2"),
        cmocka_unit_test_setup(an_asynchronous_node_that_computes_longer_than_a_period_is_too_slow,
                               begin_measured),
        cmocka_unit_test_prestate_setup_teardown(
            an_asynchronous_node_that_computes_longer_than_a_period_is_too_slow, begin_measured,
            NULL, (void *)"1.4.2"),
        cmocka_unit_test_setup(an_asynchronous_node_that_stays_awake_is_not_woken_late, begin),
        cmocka_unit_test_prestate_setup_teardown(
            an_asynchronous_node_that_stays_awake_is_not_woken_late, begin, NULL, (void *)"1.4.2"),
        cmocka_unit_test_setup(an_asynchronous_node_in_a_cycle_that_another_ended_is_counted_once,
                               begin_measured),
        cmocka_unit_test_prestate_setup_teardown(
            an_asynchronous_node_in_a_cycle_that_another_ended_is_counted_once, begin_measured,
            NULL, (void *)"1.4.2"),
        cmocka_unit_test_setup(an_asynchronous_node_without_times_is_counted, begin_measured),
        cmocka_unit_test_setup(a_captured_cycle_has_each_clients_times, begin),
        cmocka_unit_test_setup(a_captured_stop_of_an_asynchronous_node_has_its_length,
                               begin_measured),
        cmocka_unit_test_setup(a_captured_jack_client_that_is_late_loses_the_next_cycle_too,
                               begin_measured),
        cmocka_unit_test_setup(who_waited_for_one_that_was_late_in_an_earlier_cycle_is_not_to_blame,
                               begin_measured),
        cmocka_unit_test_setup(who_ends_just_when_the_server_begins_the_next_cycle_is_not_to_blame,
                               begin),
        cmocka_unit_test_setup(a_cycle_that_is_never_judged_does_not_stay, begin),
        cmocka_unit_test_setup(a_server_without_a_cpu_has_one_long_dropout, begin),
        cmocka_unit_test_setup(a_server_that_is_stopped_has_one_long_dropout, begin),
        cmocka_unit_test_setup(cycles_before_a_stop_are_reported_after_it, begin),
        cmocka_unit_test_setup(short_cycles_after_a_stop_are_no_clients_dropouts, begin),
        cmocka_unit_test_setup(what_plays_between_two_stops_is_no_dropout, begin),
        cmocka_unit_test_setup(a_card_that_runs_dry_in_a_stop_has_no_other_dropout, begin),
        cmocka_unit_test_setup(a_stop_that_is_counted_to_after_its_end_is_no_longer, begin),
        cmocka_unit_test_setup(a_cycle_cut_short_after_a_stop_is_that_dropout, begin),
        cmocka_unit_test_setup(a_late_cycle_after_a_stop_has_its_own_reason, begin),
        cmocka_unit_test_setup(a_stop_of_a_second_is_known_at_its_end, begin),
        cmocka_unit_test_setup(a_stop_while_nothing_plays_is_no_dropout, begin),
        cmocka_unit_test_setup(a_pause_before_play_is_no_dropout, begin),
        cmocka_unit_test(a_silence_is_the_same_dropout_only_beside_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
