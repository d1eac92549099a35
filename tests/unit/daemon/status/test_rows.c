/* The screen from a gathered view: the answer, its rows and tables, and the next step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/status/answer.h"
#include "daemon/status/rows.h"
#include "tests/unit/view_fixture.h"

/* With PipeWire, not as root. */
#define NOT_WATCHED "USB packets (need root and usbmon), Bluetooth's radio, cables, power supply"

/* The text of the first row with this label, "" for none; its state and whether it is a detail. */
static const char *row_of(const json_t *screen, const char *label, const char **ret_state, bool *ret_detail)
{
    size_t i, j;
    const json_t *section, *row;
    json_array_foreach(json_object_get(screen, "sections"), i, section)
    {
        json_array_foreach(json_object_get(section, "rows"), j, row)
        {
            if (strcmp(json_string_value(json_object_get(row, "label")), label) != 0)
                continue;
            *ret_state = json_string_value(json_object_get(row, "state"));
            *ret_detail = json_is_true(json_object_get(row, "detail"));
            return json_string_value(json_object_get(row, "text"));
        }
    }
    return "";
}

static void expect_row(const char *label, const char *text, const char *state_name, bool detail)
{
    const char *found_state = "";
    bool found_detail = false;
    json_t *screen = st_rows_json(&view);
    const char *found = row_of(screen, label, &found_state, &found_detail);
    if (strstr(found, text) == NULL)
        fail_msg("%s: %s", label, found);
    assert_string_equal(found_state, state_name);
    assert_true(found_detail == detail);
    json_decref(screen);
}

static void expect_no_row(const char *label)
{
    const char *found_state = "";
    bool found_detail;
    json_t *screen = st_rows_json(&view);
    assert_string_equal(row_of(screen, label, &found_state, &found_detail), "");
    json_decref(screen);
}

static void expect_of_screen(const char *key, const char *text)
{
    json_t *screen = st_rows_json(&view);
    assert_string_equal(json_string_value(json_object_get(screen, key)), text);
    json_decref(screen);
}

/* A PipeWire at 1024 frames on which something plays. */
static struct st_observed_view *watch_pipewire(void)
{
    view.now_wall_ns = view.started_wall_ns + 600 * ST_NS_PER_S;
    view.observe.n = 1;
    view.observe.sources[0] = (struct st_observed_view){
        .source = "pipewire",
        .mode = ST_OBSERVED_AUTO,
        .state = ST_OBSERVED_WATCHING,
        .why = "profiler of PipeWire 0.3.65",
        .opened_n = 1,
        .since_wall_ns = view.started_wall_ns,
        .again_wall_ns = view.started_wall_ns,
        .lost_wall_ns = INT64_MIN,
        .seen = {.frames = 1024, .rate_hz = 48000, .period_ns = 21333333, .device_load_ns = 1}};
    return &view.observe.sources[0];
}

static struct st_dropout_client *add_client(struct st_observed_view *source, const char *name, uint64_t n,
                                            enum st_dropout_reason reason)
{
    struct st_dropout_client *client = &source->seen.clients[source->seen.clients_n++];
    *client =
        (struct st_dropout_client){.playing = true,
                                   .load_ns = INT64_MIN,
                                   .slowed = ST_CAUSE_UNKNOWN,
                                   .dropouts_n = n,
                                   .worst_reason = reason,
                                   .first_wall_ns = n > 0 ? view.now_wall_ns - 65 * ST_NS_PER_S : INT64_MIN};
    client->reasons_n[reason] = n;
    source->seen.reasons_n[reason] += n;
    snprintf(client->name, sizeof(client->name), "%s", name);
    source->seen.dropouts_n += n;
    if (n > 0) {
        source->seen.last_wall_ns = client->last_wall_ns = view.now_wall_ns - 5 * ST_NS_PER_S;
        source->seen.certainty = ST_CERTAINTY_EXACT;
    }
    return client;
}

/* The cells of the first program. */
static void expect_cells(const char *text)
{
    json_t *screen = st_rows_json(&view);
    json_t *sections = json_object_get(screen, "sections"), *section;
    size_t i;
    json_array_foreach(sections, i, section)
    {
        if (strcmp(json_string_value(json_object_get(section, "title")), "Programs") != 0)
            continue;
        char *cells =
            json_dumps(json_object_get(json_array_get(json_object_get(section, "rows"), 0), "cells"), 0);
        assert_string_equal(cells, text);
        free(cells);
    }
    json_decref(screen);
}

static void first_line_names_the_program_that_made_the_dropouts(void **state)
{
    (void)state;
    struct st_observed_view *pipewire = watch_pipewire();
    struct st_dropout_client *heavy = add_client(pipewire, "HeavyReverb", 407, ST_DROPOUT_TOO_SLOW);
    heavy->worst.busy_ns = 25000000;
    heavy->worst.period_ns = 21333333;
    heavy->load = (struct st_xrun_load){
        .cycles_n = 469, .busy_median_ns = 2560000, .busy_max_ns = 24000000, .period_ns = 21333333};
    add_client(pipewire, "GoodSynth", 5, ST_DROPOUT_WOKEN_LATE);
    heavy->reasons_n[ST_DROPOUT_TOO_SLOW] = 207;
    heavy->reasons_n[ST_DROPOUT_UNKNOWN] = 200;
    expect_of_screen(
        "answer",
        "HeavyReverb made 407 of 412 dropouts (watched since 22:13): 207 times it computed too long "
        "(25.0 ms of CPU time, the buffer lasts 21.3 ms).");
    heavy->reasons_n[ST_DROPOUT_TOO_SLOW] = 407;
    heavy->reasons_n[ST_DROPOUT_UNKNOWN] = 0;
    expect_of_screen("answer",
                     "HeavyReverb made 407 of 412 dropouts (watched since 22:13): it computed too long "
                     "(25.0 ms of CPU time, the buffer lasts 21.3 ms).");
    snprintf(view.history.changed, sizeof(view.history.changed), "More dropouts since Tuesday.");
    expect_of_screen("answer",
                     "HeavyReverb made 407 of 412 dropouts (watched since 22:13): it computed too long "
                     "(25.0 ms of CPU time, the buffer lasts 21.3 ms). More dropouts since Tuesday.");
    view.history.changed[0] = '\0';
    expect_of_screen("brief", "HeavyReverb: 407 dropouts");
    expect_of_screen("state", "bad");
    heavy->playing = false;
    heavy->load_ns = 1;
    expect_of_screen("answer",
                     "HeavyReverb made 407 of 412 dropouts (watched since 22:13): it computed too long "
                     "(25.0 ms of CPU time, the buffer lasts 21.3 ms). It does not play now.");
    expect_of_screen("next", "sleeptune status --watch");
    expect_cells("[\"HeavyReverb\", \"407\", \"computed too long\", \"ended\", \"117 %\"]");
    heavy->playing = true;
    expect_of_screen("state", "bad");
    expect_row("PipeWire", "1024 frames at 48 kHz (21.3 ms), first dropout 22:22:15, last 22:23:15, 5 s ago",
               "warn", false);
    expect_row("This computer", "timing OK: a test loop missed 0 of 1000 periods at 128 frames", "ok", false);
    expect_row("HeavyReverb", "407 dropouts: computed too long", "warn", false);
    expect_of_screen("next", "pw-metadata -n settings 0 clock.force-quantum 2048");
    expect_of_screen(
        "next_why",
        "room for its worst cycle of 25.0 ms; 21.3 ms more delay; undo: the same with 0; to last: sleeptune "
        "apply linux-pipewire-quantum=2048");
    expect_cells("[\"HeavyReverb\", \"407\", \"computed too long\", \"12 %\", \"117 %\"]");
    view.now_wall_ns += 3600 * ST_NS_PER_S; /* it has not clicked for an hour */
    expect_of_screen("state", "ok");
    expect_of_screen("answer",
                     "No dropout in the last 60 min on PipeWire at 1024 frames. Earlier: 412 dropouts, "
                     "22:22 to 22:23.");
    expect_of_screen("next_why",
                     "when it clicks: says what happened just before; not watched here: " NOT_WATCHED);
}

static void what_no_source_sees_is_listed(void **state)
{
    (void)state;
    struct st_observed_view *pipewire = watch_pipewire();
    expect_of_screen("next_why",
                     "when it clicks: says what happened just before; not watched here: " NOT_WATCHED);
    expect_row("Not seen here", NOT_WATCHED, "ok", true);
    /* as the helper says it, where the profiler has no clocks of second cards */
    pipewire->facts = ST_XRUN_FACT_NO_RESYNCS;
    expect_row("Not seen here",
               "USB packets (need root and usbmon), Bluetooth's radio, a second card that the server puts "
               "in step, cables, power supply",
               "ok", true);
    view.observe.sources[view.observe.n++] =
        (struct st_observed_view){.source = "sound4", .state = ST_OBSERVED_WATCHING}; /* FreeBSD */
    expect_row("Not seen here",
               "USB packets, programs that play through virtual_oss, Bluetooth's radio, a second card that "
               "the server puts in step, cables, power supply",
               "ok", true);
}

static void only_what_was_watched_is_said_to_be_without_a_dropout(void **state)
{
    (void)state;
    struct st_observed_view *pipewire = watch_pipewire();
    pipewire->again_wall_ns = view.now_wall_ns - 60 * ST_NS_PER_S; /* it was lost meanwhile */
    expect_of_screen("answer", "No dropout since 22:22 on PipeWire at 1024 frames.");
    expect_of_screen("brief", "no dropout");
    add_client(pipewire, "Guitarix", 3, ST_DROPOUT_TOO_SLOW);
    pipewire->seen.last_wall_ns = view.now_wall_ns - 700 * ST_NS_PER_S;
    expect_of_screen("answer",
                     "No dropout in the last 60 s on PipeWire at 1024 frames. Earlier: 3 dropouts, 22:11.");
    pipewire->state = ST_OBSERVED_ABSENT;
    snprintf(pipewire->why, sizeof(pipewire->why), "PipeWire is not running");
    expect_of_screen("answer",
                     "PipeWire is not watched now: PipeWire is not running. Earlier: 3 dropouts, 22:11.");
    expect_of_screen("next", "sleeptune status --details");
    pipewire->lost_wall_ns = view.now_wall_ns - 60 * ST_NS_PER_S;
    snprintf(pipewire->why, sizeof(pipewire->why), "PipeWire is not running for this user");
    pipewire->facts = ST_XRUN_FACT_NOT_RUNNING;
    expect_of_screen("answer", "PipeWire has not been watched since 22:22: PipeWire is not running for this "
                               "user. Earlier: 3 dropouts, 22:11.");
    expect_of_screen("next", "sleeptune status --details"); /* who starts it is not known */
    expect_of_screen(
        "next_why",
        "which sound servers are watched, and why others are not; start yours if it does not run");
    view.pipewire_restart = "start it";
    expect_of_screen("next", "start it");
    pipewire->seen = (struct st_dropout_table){0}; /* it had no dropout */
    expect_of_screen("answer", "PipeWire has not been watched since 22:22: PipeWire is not running for this "
                               "user. This computer's timing: OK.");
    expect_of_screen("next", "start it");
    struct st_observed_view *card = &view.observe.sources[view.observe.n++]; /* nothing plays on it */
    *card = (struct st_observed_view){.source = "alsa",
                                      .state = ST_OBSERVED_WATCHING,
                                      .lost_wall_ns = INT64_MIN,
                                      .again_wall_ns = INT64_MIN};
    expect_of_screen("answer", "PipeWire has not been watched since 22:22: PipeWire is not running for this "
                               "user. This computer's timing: OK.");
    expect_of_screen("next", "start it");
    view.pipewire_restart = NULL;
}

/* Two stops of a jackd that has ended since are none of the PipeWire that plays. */
static void dropouts_are_of_the_server_of_the_answer(void **state)
{
    (void)state;
    (void)watch_pipewire();
    struct st_observed_view *jack = &view.observe.sources[view.observe.n++];
    *jack = (struct st_observed_view){.source = "jack",
                                      .state = ST_OBSERVED_ABSENT,
                                      .why = "JACK is not running",
                                      .lost_wall_ns = view.now_wall_ns - 3 * ST_NS_PER_S,
                                      .since_wall_ns = view.started_wall_ns};
    jack->seen.device_dropouts_n = jack->seen.clientless_dropouts_n = 2;
    jack->seen.last_wall_ns = view.now_wall_ns - 65 * ST_NS_PER_S;
    expect_of_screen("answer", "No dropout since 22:13 on PipeWire at 1024 frames. Earlier: 2 dropouts on "
                               "JACK, 22:22.");
    expect_of_screen("brief", "no dropout");
    expect_of_screen("state", "ok");
    expect_row("PipeWire", "1024 frames at 48 kHz (21.3 ms)", "ok", false);
    expect_row("JACK", "not watched now, 2 dropouts, last 22:22:15, 1 min ago", "warn", false);
    view.observe.sources[view.observe.n] = *jack;
    view.observe.sources[view.observe.n++].source = "pulseaudio";
    expect_of_screen("answer", "No dropout since 22:13 on PipeWire at 1024 frames. Earlier: 4 dropouts on "
                               "JACK and PulseAudio, 22:22.");
    add_client(&view.observe.sources[0], "pw-play", 1, ST_DROPOUT_STOPPED);
    expect_of_screen("answer", "pw-play made the only dropout (watched since 22:13): it was stopped or "
                               "frozen.");
    view.observe.sources[0].seen.last_wall_ns -= 700 * ST_NS_PER_S;
    expect_of_screen("answer",
                     "No dropout in the last 10 min on PipeWire at 1024 frames. Earlier: 1 dropout, "
                     "22:11.");
}

/* What a screen is about are the last ones; the others are a number. */
static void dropouts_of_an_earlier_time_are_a_number(void **state)
{
    (void)state;
    static struct st_dropout_table recent;
    struct st_observed_view *pipewire = watch_pipewire();
    add_client(pipewire, "QuietKeys", 8, ST_DROPOUT_BLOCKED);
    recent = pipewire->seen;
    pipewire->recent = &recent;
    pipewire->recent_wall_ns = view.now_wall_ns - 60 * ST_NS_PER_S;
    expect_of_screen("answer", "QuietKeys made all 8 dropouts (watched since 22:13): it waited for a lock, "
                               "disk or program.");
    add_client(pipewire, "FunkBass", 13, ST_DROPOUT_TOO_SLOW);
    expect_of_screen(
        "answer", "QuietKeys made all 8 dropouts (since 22:22:20): it waited for a lock, disk or program.");
    expect_row("PipeWire",
               "1024 frames at 48 kHz (21.3 ms), first dropout 22:22:15, last 22:23:15, 5 s ago; 13 earlier "
               "dropouts",
               "warn", false);
    expect_no_row("FunkBass");
    struct st_observed_view *usb =
        &view.observe.sources[view.observe.n++]; /* yesterday's are no share of now's */
    *usb = (struct st_observed_view){.source = "usb", .state = ST_OBSERVED_WATCHING, .opened_n = 1};
    usb->seen.device_dropouts_n = 12;
    usb->seen.last_wall_ns = view.now_wall_ns - 86400 * ST_NS_PER_S;
    expect_of_screen(
        "answer", "QuietKeys made all 8 dropouts (since 22:22:20): it waited for a lock, disk or program.");
    struct st_observed_view *jack = &view.observe.sources[view.observe.n++];
    *jack = (struct st_observed_view){.source = "jack",
                                      .state = ST_OBSERVED_WATCHING,
                                      .opened_n = 1,
                                      .why = "server studio",
                                      .since_wall_ns = view.started_wall_ns};
    add_client(jack, "Hydrogen", 2, ST_DROPOUT_BLOCKED);
    pipewire->state = ST_OBSERVED_ABSENT; /* one that is watched goes first */
    expect_of_screen(
        "answer",
        "Hydrogen made all 2 dropouts (watched since 22:13): it waited for a lock, disk or program.");
    expect_row("JACK", "server studio, first dropout 22:22:15, last 22:23:15, 5 s ago", "warn", false);
    expect_row("PipeWire", "not watched now, 8 dropouts, last 22:23:15, 5 s ago; 13 earlier dropouts", "warn",
               false);
    view.observe.n = 1;
    snprintf(pipewire->why, sizeof(pipewire->why), "PipeWire is not running for this user");
    expect_of_screen("answer", "PipeWire is not watched now: PipeWire is not running for this user. "
                               "Earlier: 21 dropouts, 22:22 to 22:23.");
    expect_of_screen("next", "sleeptune status --details");
}

static void dropouts_before_the_buffer_was_raised_are_over(void **state)
{
    (void)state;
    struct st_observed_view *pipewire = watch_pipewire();
    add_client(pipewire, "Guitarix", 85, ST_DROPOUT_TOO_SLOW);
    pipewire->seen.last_period_ns = pipewire->seen.longest_period_ns = 666667; /* 32 frames */
    pipewire->seen.device_load_ns = pipewire->seen.last_ns + 1;
    expect_of_screen("answer",
                     "No dropout in the last 5 s on PipeWire at 1024 frames. Earlier: 85 dropouts, 22:22 "
                     "to 22:23, the last one at 32 frames; the buffer is larger now.");
    expect_of_screen("state", "warn"); /* 5 s prove little */
    expect_of_screen("next", "sleeptune status --watch");
    pipewire->seen.last_ns =
        pipewire->seen.device_load_ns; /* it was lowered, and the device has not said it */
    expect_of_screen("state", "bad");
    expect_of_screen("answer", "Guitarix made all 85 dropouts (watched since 22:13): it computed too long.");
    pipewire->seen.last_ns--;
    pipewire->seen.longest_period_ns = pipewire->seen.period_ns; /* others happened with this one */
    expect_of_screen("state", "bad");
    expect_of_screen("answer", "Guitarix made all 85 dropouts (watched since 22:13): it computed too long.");
}

/* 1024, 64, 2048, 1024 again: half of them happened at this size. */
static void a_buffer_is_larger_if_it_is_than_that_of_each(void **state)
{
    (void)state;
    struct st_dropout_table *seen = &watch_pipewire()->seen;
    struct st_xrun_seen lost = {.kind = ST_XRUN_SEEN_DROPOUT,
                                .event = {.kind = ST_EVENT_CLIENT_DROPOUT,
                                          .certainty = ST_CERTAINTY_EXACT,
                                          .client = "Guitarix",
                                          .count_n = 13,
                                          .reason = ST_DROPOUT_TOO_SLOW,
                                          .cycle = {.busy_ns = 3 * ST_NS_PER_MS, .period_ns = 1333333}}};
    seen->device_load_ns = 2;
    st_dropout_table_take(seen, &lost, 0, view.now_wall_ns);
    expect_of_screen("state", "warn");
    expect_of_screen(
        "next_why",
        "the buffer is larger now than when these dropouts happened: see whether they come again");
    lost.event.cycle = (struct st_dropout_cycle){.period_ns = seen->period_ns};
    st_dropout_table_take(seen, &lost, 0, view.now_wall_ns);
    expect_of_screen("state", "bad");
    expect_of_screen("next", "pw-metadata -n settings 0 clock.force-quantum 2048");
}

/* No load line comes of a server without a CPU. */
static void a_dropout_is_of_something_that_plays(void **state)
{
    (void)state;
    struct st_dropout_table *seen = &watch_pipewire()->seen;
    struct st_xrun_seen starved = {
        .event = {.certainty = ST_CERTAINTY_EXACT, .client = "PipeWire", .cycles_n = 23}};
    snprintf(seen->device, sizeof(seen->device), "card");
    snprintf(starved.event.device, sizeof(starved.event.device), "card");
    seen->device_load_ns = 1;
    st_dropout_table_take(seen, &starved, 2 * ST_DROPOUT_GONE_NS, 0);
    st_dropout_table_age(seen, 2 * ST_DROPOUT_GONE_NS + 1, true);
    expect_row("PipeWire", "1024 frames at 48 kHz", "ok", false);
}

/* The rest of a dropout that was counted before has a length and no dropout. */
static void who_made_no_dropout_is_behind_who_made_one(void **state)
{
    (void)state;
    static const char *const order[] = {"Often", "Bass", "Rest"};
    struct st_dropout_table *seen = &watch_pipewire()->seen;
    const struct st_xrun_seen plays = {.kind = ST_XRUN_SEEN_LOAD,
                                       .event.client = "Bass",
                                       .load.cycles_n = 469},
                              rest = {.event = {.certainty = ST_CERTAINTY_EXACT,
                                                .client = "Rest",
                                                .cycles_n = 5,
                                                .lost_ns = 100 * ST_NS_PER_MS,
                                                .longest_ns = 100 * ST_NS_PER_MS}},
                              often = {.event = {.kind = ST_EVENT_CLIENT_DROPOUT,
                                                 .certainty = ST_CERTAINTY_EXACT,
                                                 .client = "Often",
                                                 .count_n = 5,
                                                 .lost_ns = 50 * ST_NS_PER_MS,
                                                 .longest_ns = 10 * ST_NS_PER_MS}};
    struct st_xrun_seen rest_plays = plays;
    ST_PRINT(rest_plays.event.client, "%s", rest.event.client);
    const struct st_xrun_seen lines[] = {rest_plays, rest, often, plays};
    ST_EACH (line, lines)
        st_dropout_table_take(seen, line, 0, view.now_wall_ns);
    st_dropout_table_age(seen, 1, true);
    assert_int_equal(seen->clients_n, ST_ARRAY_LEN(order));
    for (size_t i = 0; i < ST_ARRAY_LEN(order); i++)
        assert_string_equal(seen->clients[i].name, order[i]);
}

static void what_is_not_watched_is_not_said_to_be_none(void **state)
{
    (void)state;
    struct st_dropout_client *client = add_client(watch_pipewire(), "mpv", 0, ST_DROPOUT_UNKNOWN);
    client->load = (struct st_xrun_load){.cycles_n = 100, .period_ns = 21333333, .busy_median_ns = 213333};
    expect_cells("[\"mpv\", \"0\", \"\", \"1 %\", \"0 %\"]");
    client->load.between = ST_XRUN_BETWEEN_UNSEEN;
    expect_cells("[\"mpv\", \"?\", \"not watched between it and PipeWire\", \"1 %\", \"0 %\"]");
    expect_of_screen("answer",
                     "No dropout since 22:13 on PipeWire at 1024 frames. What mpv writes too late is "
                     "not watched.");
    expect_of_screen("next", "sleeptune heard");
    expect_of_screen("next_why", "when it clicks: says what happened just before; not watched here: a "
                                 "program's own buffer (observe.listen = \"on\" watches it), " NOT_WATCHED);
    expect_row("Not seen here", "between mpv and PipeWire", "ok", true);
    client->load.between = ST_XRUN_BETWEEN_STOPS;
    expect_cells("[\"mpv\", \"?\", \"its buffer: only stops are watched\", \"1 %\", \"0 %\"]");
    client->load.busy_median_ns = client->load.busy_max_ns = INT64_MIN;
    expect_cells("[\"mpv\", \"?\", \"its buffer: only stops are watched\", \"-\", \"-\"]");
}

static void streams_of_one_name_are_one_program(void **state)
{
    (void)state;
    struct st_observed_view *pipewire = watch_pipewire();
    add_client(pipewire, "mpv", 2, ST_DROPOUT_STOPPED);
    add_client(pipewire, "GoodSynth", 1, ST_DROPOUT_STOPPED);
    add_client(pipewire, "mpv", 1, ST_DROPOUT_STOPPED);
    expect_of_screen("answer", "mpv made 3 of 4 dropouts (watched since 22:13): it was stopped or frozen.");
    /* and how often it was so is counted for all of them */
    add_client(pipewire, "mpv", 9, ST_DROPOUT_STOPPED)->reasons_n[ST_DROPOUT_STOPPED] = 6;
    pipewire->seen.clients[3].reasons_n[ST_DROPOUT_UNKNOWN] = 3;
    expect_of_screen("answer", "mpv made 12 of 13 dropouts (watched since 22:13): 9 times it was stopped or "
                               "frozen.");
}

static void lost_sound_has_a_length_and_a_place(void **state)
{
    (void)state;
    struct st_observed_view *pipewire = watch_pipewire();
    struct st_dropout_client *client = add_client(pipewire, "paplay", 10, ST_DROPOUT_STOPPED);
    client->places_n[ST_DROPOUT_AT_CLIENT_BUFFER] = client->between_n[ST_DROPOUT_STOPPED] = 10;
    client->lost.ns = 4700 * ST_NS_PER_MS;
    client->lost.longest_ns = 490 * ST_NS_PER_MS;
    expect_of_screen("answer", "paplay lost sound 10 times (watched since 22:13), 4.70 s in all (longest 490 "
                               "ms), between it and PipeWire: it was stopped or frozen.");
    expect_of_screen("next_why", "see whether it happens again; if paplay still stands: let it run (fg)");
    client->lost.unknown_n = 10;
    expect_of_screen("answer",
                     "paplay lost sound 10 times (watched since 22:13), at least 4.70 s in all (longest "
                     "490 ms), between it and PipeWire: it was stopped or frozen.");
    client->lost.unknown_n = 0;
    add_client(pipewire, "GoodSynth", 1, ST_DROPOUT_STOPPED);
    expect_of_screen("answer", "paplay lost sound in 10 of 11 dropouts (watched since 22:13), 4.70 s in all "
                               "(longest 490 ms), between it and PipeWire: it was stopped or frozen.");
}

static void the_reason_is_that_of_most_lost_sound(void **state)
{
    (void)state;
    struct st_dropout_client *client = add_client(watch_pipewire(), "Synth", 5, ST_DROPOUT_TOO_SLOW);
    client->dropouts_n = 8;
    client->reasons_n[ST_DROPOUT_STOPPED] = 3;
    client->lost.ns = 1043 * ST_NS_PER_MS;
    client->lost.longest_ns = 290 * ST_NS_PER_MS;
    client->reasons_ns[ST_DROPOUT_TOO_SLOW] = 213 * ST_NS_PER_MS;
    client->reasons_ns[ST_DROPOUT_STOPPED] = 830 * ST_NS_PER_MS;
    view.observe.sources[0].seen.dropouts_n = 8;
    expect_of_screen("answer", "Synth lost sound 8 times (watched since 22:13), 1.04 s in all (longest 290 "
                               "ms): 3 times it was stopped or frozen.");
    expect_of_screen("next_why", "see whether it happens again; if Synth still stands: let it run (fg)");
    client->reasons_n[ST_DROPOUT_STOPPED] = 0; /* only while one of them went on */
    expect_of_screen("answer", "Synth lost sound 8 times (watched since 22:13), 1.04 s in all (longest 290 "
                               "ms): for 830 ms it was stopped or frozen.");
    client->lost.unknown_n = 1;
    expect_row("Synth", "8 dropouts: computed too long", "warn", false);
}

/* Where its other dropouts were is not the place of these. */
static void a_place_is_that_of_the_reason(void **state)
{
    (void)state;
    struct st_dropout_table *seen = &watch_pipewire()->seen;
    struct st_xrun_seen lost = {.kind = ST_XRUN_SEEN_DROPOUT,
                                .event = {.kind = ST_EVENT_CLIENT_DROPOUT,
                                          .certainty = ST_CERTAINTY_EXACT,
                                          .client = "Pulse",
                                          .count_n = 5,
                                          .reason = ST_DROPOUT_CPU_TAKEN,
                                          .place = ST_DROPOUT_AT_GRAPH,
                                          .lost_ns = 250 * ST_NS_PER_MS,
                                          .longest_ns = 60 * ST_NS_PER_MS}};
    st_dropout_table_take(seen, &lost, 0, view.now_wall_ns);
    lost.event.reason = ST_DROPOUT_STOPPED;
    lost.event.place = ST_DROPOUT_AT_CLIENT_BUFFER;
    lost.event.count_n = 6;
    lost.event.lost_ns = 200 * ST_NS_PER_MS;
    st_dropout_table_take(seen, &lost, 0, view.now_wall_ns);
    expect_of_screen("answer", "Other programs took the CPU from Pulse in 5 of 11 dropouts (watched since "
                               "22:13).");
    lost.event.count_n = 1;
    lost.event.lost_ns = lost.event.longest_ns = 427 * ST_NS_PER_MS;
    st_dropout_table_take(seen, &lost, 0, view.now_wall_ns);
    expect_of_screen("answer", "Pulse lost sound 12 times (watched since 22:13), 877 ms in all (longest 427 "
                               "ms), 7 times between it and PipeWire: 7 times it was stopped or frozen.");
    expect_row("Pulse", "12 dropouts: was stopped or frozen", "warn", false);
}

/* Who took the CPU took it from a program whose own buffer is too short: rights and the server's buffer do
 * not help. */
static void lost_cpu_between_a_program_and_its_server_has_its_own_next_step(void **state)
{
    (void)state;
    struct st_observed_view *pipewire = watch_pipewire();
    struct st_dropout_client *client = add_client(pipewire, "mpv", 3, ST_DROPOUT_CPU_TAKEN);
    client->places_n[ST_DROPOUT_AT_CLIENT_BUFFER] = client->between_n[ST_DROPOUT_CPU_TAKEN] = 3;
    client->lost.ns = client->lost.longest_ns = 300 * ST_NS_PER_MS;
    expect_of_screen("answer",
                     "mpv lost sound 3 times (watched since 22:13), 300 ms in all (longest 300 ms), "
                     "between it and PipeWire: it lost the CPU to another program.");
    expect_of_screen("next_why", "mpv needs a larger buffer of its own: a setting of it, or start it with "
                                 "PULSE_LATENCY_MSEC=600 (if it plays through ALSA: PIPEWIRE_ALSA='{ "
                                 "alsa.buffer-bytes=131072 }'); the buffer of PipeWire does not matter");
    client->lost.longest_ns = 160 * ST_NS_PER_MS; /* of S32 65536 bytes are 171 ms */
    expect_of_screen("next_why", "mpv needs a larger buffer of its own: a setting of it, or start it with "
                                 "PULSE_LATENCY_MSEC=350 (if it plays through ALSA: PIPEWIRE_ALSA='{ "
                                 "alsa.buffer-bytes=65536 }'); the buffer of PipeWire does not matter");
    client->lost.longest_ns = 1001 * ST_NS_PER_MS; /* with a buffer of seconds it would answer late */
    expect_of_screen("next_why", "mpv needs a larger buffer of its own: a setting of it; the buffer of "
                                 "PipeWire does not matter");
    client->lost.longest_ns = 300 * ST_NS_PER_MS;
    client->load.buffer_ns = 200 * ST_NS_PER_MS;
    expect_of_screen("next_why",
                     "mpv needs a larger buffer of its own than 200 ms: a setting of it, "
                     "or start it with PULSE_LATENCY_MSEC=1000; the buffer of PipeWire does not matter");
    client->load.buffer_ns = 95 * ST_NS_PER_MS; /* paplay --latency-msec=150 */
    client->lost.longest_ns = 427 * ST_NS_PER_MS;
    expect_of_screen("next_why",
                     "mpv needs a larger buffer of its own than 95.0 ms: a setting of it, or start it with "
                     "PULSE_LATENCY_MSEC=1050; the buffer of PipeWire does not matter");
    client->lost.longest_ns = 2001 * ST_NS_PER_MS;
    expect_of_screen("next_why", "no buffer lasts for 2.00 s: see why mpv wrote nothing");
    client->load.buffer_ns = 0;
    client->lost.longest_ns = 0; /* a number would be a guess */
    pipewire->source = "pulseaudio";
    expect_of_screen("next_why", "mpv needs a larger buffer of its own: a setting of it; the buffer of "
                                 "PulseAudio does not matter");
    client->lost.longest_ns = 250 * ST_NS_PER_MS;
    struct st_dropout_client *stream = add_client(pipewire, "mpv", 0, ST_DROPOUT_UNKNOWN); /* its load line */
    stream->load.asked_frames = 120;
    stream->load.asked_rate_hz = ST_XRUN_ASKED_MS;
    expect_of_screen("next_why",
                     "mpv needs a larger buffer of its own than 120 ms: a setting of it, or start it with "
                     "PULSE_LATENCY_MSEC=400; the buffer of PulseAudio does not matter");
    client->reasons_n[ST_DROPOUT_CPU_TAKEN] = 0;
    client->reasons_n[ST_DROPOUT_WAITED_FOR_OTHER] = 3;
    ST_PRINT(client->culprit.name, "pulseaudio");
    client->culprit.own_n[ST_DROPOUT_WAITED_FOR_OTHER] = 3;
    expect_of_screen("next_why", "look at pulseaudio");
}

static void rhythm_of_long_cycles_is_said(void **state)
{
    (void)state;
    struct st_dropout_client *client = add_client(watch_pipewire(), "Ardour", 3, ST_DROPOUT_TOO_SLOW);
    client->block.frames = 32768;
    client->block.rate_hz = 48000;
    expect_row("Long cycles", "Ardour: every 683 ms (32768 samples)", "ok", true);
    client->block.any = 1;
    expect_of_screen(
        "next_why",
        "no buffer size can be named: the CPU time of its cycles is not known; freeze or simplify "
        "Ardour; its long cycles come every 683 ms (32768 samples), at any buffer size: a plug-in that "
        "computes "
        "in blocks of 32768");
}

static void second_card_that_is_put_in_step_is_named_with_its_drift(void **state)
{
    (void)state;
    struct st_dropout_client *client = add_client(watch_pipewire(), "alsa_output.usb", 0, ST_DROPOUT_UNKNOWN);
    snprintf(client->device, sizeof(client->device), "alsa_output.pci");
    client->load = (struct st_xrun_load){
        .cycles_n = 100, .period_ns = 21333333, .busy_median_ns = 213333, .drift_ppb = -37400};
    client->drift_ppb = -37400;
    expect_cells("[\"alsa_output.usb\", \"0\", \"second card, 37 ppm slower than alsa_output.pci\", \"1 %\", "
                 "\"0 %\"]");
    client->device_dropouts_n = client->places_n[ST_DROPOUT_AT_RESYNC] = 4;
    client->lost.ns = 12 * ST_NS_PER_MS;
    client->lost.longest_ns = 5 * ST_NS_PER_MS;
    view.observe.sources[0].seen.device_dropouts_n = 4;
    view.observe.sources[0].seen.last_wall_ns = view.now_wall_ns;
    expect_of_screen("answer",
                     "alsa_output.usb lost sound 4 times (watched since 22:13), 12.0 ms in all (longest 5.00 "
                     "ms): it was put in step with alsa_output.pci, which is 37 ppm faster.");
    expect_of_screen("next", "sleeptune apply linux-device-headroom=alsa_output.usb");
    expect_of_screen("next_why", "a larger reserve for alsa_output.usb, or one clock for both cards");
    ST_PRINT(client->name, "hw:1"); /* an older PipeWire's log */
    expect_of_screen("next_why", "a larger reserve for hw:1, api.alsa.headroom = 512 in a rule of "
                                 "WirePlumber, or one clock for both cards");
    client->drift_ppb = 900000;
    expect_of_screen("next_why",
                     "one clock for both cards (word clock, S/PDIF), or use one card: their rates are too "
                     "far apart");
}

static void first_line_says_what_the_server_knows(void **state)
{
    (void)state;
    static const struct {
        enum st_dropout_reason reason;
        const char *name, *culprit, *answer, *next, *why;
    } rows[] = {
        {ST_DROPOUT_UNKNOWN, "", "",
         "3 dropouts happened on PipeWire (watched since 22:13): a program was not ready, reason unknown. "
         "PipeWire "
         "does not say which program.",
         "sleeptune history --events", ""},
        {ST_DROPOUT_WOKEN_LATE, "mpv", "",
         "mpv had all 3 dropouts (watched since 22:13): it was woken late (by 4.10 ms).", "sleeptune report",
         "finds the settings that make programs lose the CPU or wake up late"},
        {ST_DROPOUT_CPU_TAKEN, "mpv", "ffmpeg",
         "ffmpeg took the CPU from mpv in all 3 dropouts (watched since 22:13).", "sleeptune report",
         "finds the settings that make programs lose the CPU or wake up late"},
        {ST_DROPOUT_STOPPED, "mpv", "",
         "mpv made all 3 dropouts (watched since 22:13): it was stopped or frozen.",
         "sleeptune status --watch", "see whether it happens again; if mpv still stands: let it run (fg)"},
        {ST_DROPOUT_WAITED_FOR_OTHER, "mpv", "Heavy",
         "mpv had all 3 dropouts (watched since 22:13): it waited for Heavy.", "", "look at Heavy"},
        {ST_DROPOUT_WAITED_FOR_OTHER, "mpv", "",
         "mpv had all 3 dropouts (watched since 22:13): it waited for another client.", "",
         "look at the program that this one waited for"},
        {ST_DROPOUT_BLOCKED, "mpv", "",
         "mpv made all 3 dropouts (watched since 22:13): it waited for a lock, disk or program.", "",
         "a setting of mpv, such as reading sounds ahead from the disk; else report it to its authors"},
    };
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++) {
        struct st_dropout_client *client = add_client(watch_pipewire(), rows[i].name, 3, rows[i].reason);
        client->worst.wait_ns = 4100000;
        snprintf(client->culprit.name, sizeof(client->culprit.name), "%s", rows[i].culprit);
        client->culprit.lead_n = 3;
        client->culprit.own_n[rows[i].reason] = rows[i].culprit[0] != '\0' ? 3 : 0;
        client->culprit.named_n = 3;
        expect_of_screen("answer", rows[i].answer);
        expect_of_screen("next", rows[i].next);
        expect_of_screen("next_why", rows[i].why);
    }
    struct st_observed_view *pipewire = watch_pipewire();
    struct st_dropout_client *client = add_client(pipewire, "mpv", 9, ST_DROPOUT_CPU_TAKEN);
    snprintf(client->culprit.name, sizeof(client->culprit.name), "cc1");
    client->culprit.lead_n = 4; /* how many it leads by */
    client->culprit.own_n[ST_DROPOUT_CPU_TAKEN] = 4;
    client->culprit.named_n = 9;
    expect_row("mpv", "lost the CPU to cc1 and others", "warn", false);
    client->culprit.named_n = 4; /* who it was in the other five is not known: it may have been cc1 */
    expect_row("mpv", "lost the CPU to another program, at least 4 times cc1", "warn", false);
    expect_of_screen("answer", "Other programs took the CPU from mpv in all 9 dropouts, at least 4 times cc1 "
                               "(watched since 22:13).");
    client->culprit.own_n[ST_DROPOUT_CPU_TAKEN] = 5;
    expect_of_screen("answer",
                     "cc1 took the CPU from mpv in at least 5 of 9 dropouts (watched since 22:13).");
    client->culprit.named_n = 9; /* not cc1 in some */
    expect_of_screen("answer",
                     "cc1 and others took the CPU from mpv in all 9 dropouts (watched since 22:13).");
    expect_of_screen("brief", "PipeWire: 9 dropouts");
    pipewire = watch_pipewire();
    pipewire->seen.device_dropouts_n = pipewire->seen.clientless_dropouts_n = 1;
    pipewire->seen.last_wall_ns = view.now_wall_ns;
    expect_of_screen(
        "answer", "1 dropout happened on PipeWire (watched since 22:13): the device ran dry or overflowed.");
    ST_PRINT(pipewire->seen.clientless_device, "alsa_input.usb");
    expect_of_screen("answer",
                     "1 dropout happened on PipeWire (watched since 22:13): the device overflowed.");
    pipewire->source = "jack";
    expect_of_screen(
        "answer",
        "1 dropout happened on JACK (watched since 22:13): JACK does not say which program it was.");
    expect_of_screen("next", "sleeptune report");
    expect_cells("[\"JACK\", \"1\", \"JACK does not say which program it was\", \"\", \"\"]");
}

/* What a victim computed in the cycle in which others had the CPU is no peak of its own: trial 4 saw 0.1 %
 * for 60 %. */
static void peak_of_who_lost_the_cpu_is_unknown(void **state)
{
    (void)state;
    struct st_dropout_client *client = add_client(watch_pipewire(), "GoodSynth", 3, ST_DROPOUT_CPU_TAKEN);
    client->worst = (struct st_dropout_cycle){.busy_ns = 21333, .period_ns = 21333333};
    expect_cells("[\"GoodSynth\", \"3\", \"lost the CPU to another program\", \"-\", \"-\"]");
}

static void buffer_that_helps_fits_the_worst_cycle_or_is_not_named(void **state)
{
    (void)state;
    struct st_observed_view *pipewire = watch_pipewire();
    struct st_dropout_client *client = add_client(pipewire, "Heavy", 1, ST_DROPOUT_TOO_SLOW);
    client->worst.period_ns = 21333333;
    client->worst.busy_ns = 30000000; /* 1440 frames */
    expect_of_screen("next", "pw-metadata -n settings 0 clock.force-quantum 2048");
    client->worst.busy_ns = 60000000; /* 2880 frames */
    expect_of_screen("next_why",
                     "its worst cycle of 60.0 ms is longer than a buffer that one can play with; freeze or "
                     "simplify Heavy");
    client->worst.busy_ns = 25000000;
    client->load = (struct st_xrun_load){
        .cycles_n = 469, .busy_median_ns = 21000000, .busy_max_ns = 25000000, .period_ns = 21333333};
    expect_of_screen("next_why",
                     "Heavy needs 98 % of each period, so no buffer size helps; freeze or simplify Heavy");
    client->load.streams_n = 1; /* of a player */
    expect_of_screen("next_why", "Heavy needs 98 % of each period, so no buffer size helps");
    client->load.cycles_n = 0;
    pipewire->seen.frames = 2048;
    pipewire->seen.period_ns = 42666667; /* it was raised since */
    expect_of_screen("next", "");
    pipewire->source = "jack";
    client->worst.busy_ns = 45000000;
    expect_of_screen("next", "");
    pipewire->seen.frames = 512;
    pipewire->seen.period_ns = 10666667;
    client->worst.period_ns = 10666667;
    client->worst.busy_ns = 15000000;
    client->load.busy_max_ns = 90000000; /* by the clock, with what others took of it */
    expect_of_screen("next", "jack_bufsize 1024");
    client->worst.error_ns = 7000000; /* 8 to 22 ms: 512, 1024 or 2048 */
    expect_of_screen("next", "");
    expect_of_screen("next_why", "no buffer size can be named: the CPU time of its worst cycle, 15.0 ms, is "
                                 "only known to 7.00 ms");
    client->worst.error_ns = 1000000;
    expect_of_screen("next", "jack_bufsize 1024");
    expect_of_screen("answer",
                     "Heavy made the only dropout (watched since 22:13): it computed too long (about "
                     "15.0 ms of CPU time, the buffer lasts 10.7 ms).");
    client->worst.busy_ns = 0; /* only the clock's time is known */
    expect_of_screen("next_why", "no buffer size can be named: the CPU time of its cycles is not known");
    client->worst.busy_ns = 15000000;
    view.observe.sources[0].seen.frames = view.observe.sources[0].seen.period_ns = 0; /* nothing plays now */
    expect_of_screen("next_why", "no buffer size can be named: the buffer in use now is not known");
}

static void first_line_blames_who_took_the_cpu(void **state)
{
    (void)state;
    struct st_observed_view *pipewire = watch_pipewire();
    struct st_dropout_client *server = add_client(pipewire, "PipeWire", 14, ST_DROPOUT_WOKEN_LATE);
    struct st_dropout_client *guitarix = add_client(pipewire, "Guitarix", 11, ST_DROPOUT_CPU_TAKEN);
    struct st_dropout_client *reverb = add_client(pipewire, "HeavyReverb", 5, ST_DROPOUT_CPU_TAKEN);
    snprintf(guitarix->culprit.name, sizeof(guitarix->culprit.name), "chromium");
    guitarix->culprit.lead_n = 11;
    guitarix->culprit.own_n[ST_DROPOUT_CPU_TAKEN] = 11;
    guitarix->culprit.named_n = 11;
    server->playing = false;   /* no load line comes for it */
    expect_of_screen("answer", /* who had the CPU in the other five is not known */
                     "chromium took the CPU from Guitarix in at least 11 of 30 dropouts (watched since "
                     "22:13).");
    snprintf(reverb->culprit.name, sizeof(reverb->culprit.name), "blender");
    reverb->culprit.lead_n = 5;
    reverb->culprit.own_n[ST_DROPOUT_CPU_TAKEN] = 5;
    reverb->culprit.named_n = 5;
    expect_of_screen("answer",
                     "chromium and others took the CPU from Guitarix and others in 16 of 30 dropouts "
                     "(watched since 22:13).");
    snprintf(reverb->culprit.name, sizeof(reverb->culprit.name), "chromium");
    expect_of_screen("answer", "chromium took the CPU from Guitarix and others in 16 of 30 dropouts (watched "
                               "since 22:13).");
    reverb->culprit.lead_n = 3; /* another one in one of the five */
    reverb->culprit.own_n[ST_DROPOUT_CPU_TAKEN] = 3;
    expect_of_screen("answer", "chromium took the CPU from Guitarix and others in at least 14 of 30 dropouts "
                               "(watched since 22:13).");
    reverb->culprit.lead_n = 5;
    reverb->culprit.own_n[ST_DROPOUT_CPU_TAKEN] = 5;
    expect_of_screen("next", "sleeptune report"); /* it is not known whether they have rights */
    guitarix->load.priority = pipewire->seen.priority = ST_XRUN_NORMAL;
    expect_of_screen("next", "sleeptune report"); /* nor of the other one */
    reverb->load.priority = ST_XRUN_NORMAL;
    expect_of_screen("answer", "chromium took the CPU from Guitarix and others in 16 of 30 dropouts (watched "
                               "since 22:13). No program that plays has real-time rights.");
    expect_of_screen("next", "sudo sleeptune apply linux-rt-permission");
    expect_of_screen("next_why", "lets programs that play go before others; then log out and in again");
    view.right_set_up = true;
    expect_of_screen("next", "");
    expect_of_screen("next_why", "log out and in again (the right to real-time priority is set up); if you "
                                 "did: sleeptune report");
    view.right_set_up = false;
    reverb->reasons_n[ST_DROPOUT_TOO_SLOW] = 1;
    expect_of_screen("next_why", "lets programs that play go before others; then log out and in again; the 1 "
                                 "dropout in which HeavyReverb computed too long stays");
    reverb->reasons_n[ST_DROPOUT_TOO_SLOW] = 0;
    guitarix->culprit.own_n[ST_DROPOUT_CPU_TAKEN] = 0;
    expect_of_screen("answer",
                     "Other programs took the CPU from Guitarix and others in 16 of 30 dropouts, at "
                     "least 5 times chromium (watched since 22:13). No program that plays has "
                     "real-time rights.");
    snprintf(guitarix->culprit.name, sizeof(guitarix->culprit.name), "blender");
    guitarix->culprit.own_n[ST_DROPOUT_CPU_TAKEN] = 2; /* who is named seldom does not lead */
    expect_of_screen("answer",
                     "Other programs took the CPU from Guitarix and others in 16 of 30 dropouts (watched "
                     "since 22:13). No program that plays has real-time rights.");
    snprintf(guitarix->culprit.name, sizeof(guitarix->culprit.name), "chromium");
    guitarix->culprit.own_n[ST_DROPOUT_CPU_TAKEN] = 0;
    reverb->load.priority = 20; /* one has them */
    expect_of_screen("next", "sleeptune report");
    pipewire->seen.priority = 20; /* as the server, but not the victim */
    expect_of_screen("next", "sleeptune report linux-client-priority");
    expect_of_screen("next_why",
                     "Guitarix plays without real-time priority, which the server has: how it gets it");
    guitarix->load.priority = 20;                      /* the victim, too: chromium has at least as much */
    guitarix->culprit.own_n[ST_DROPOUT_CPU_TAKEN] = 5; /* of 11 */
    expect_of_screen("next", "sleeptune report");
    guitarix->culprit.own_n[ST_DROPOUT_CPU_TAKEN] = 6;
    expect_of_screen("next", "sudo chrt --other --all-tasks --pid 0 $(pidof -s chromium)");
    expect_of_screen("next_why",
                     "takes the real-time priority from chromium, which is not below that of Guitarix; or "
                     "end that program");
    guitarix->culprit.plays = true; /* it has its priority for that */
    expect_of_screen("next", "sleeptune report");
    guitarix->culprit.own_n[ST_DROPOUT_CPU_TAKEN] = 0;
    guitarix->load.priority = pipewire->seen.priority = ST_XRUN_NORMAL;
    reverb->load.priority = ST_XRUN_NORMAL;
    /* most dropouts are of a program that computes too long: the screen names both */
    server->reasons_n[ST_DROPOUT_WOKEN_LATE] = 0;
    server->reasons_n[ST_DROPOUT_TOO_SLOW] = server->dropouts_n = 40;
    server->worst.busy_ns = 25000000;
    server->load.streams_n = 1;
    snprintf(server->name, sizeof(server->name), "Heavy");
    expect_of_screen("next", "pw-metadata -n settings 0 clock.force-quantum 2048");
    expect_of_screen(
        "next_why",
        "room for its worst cycle of 25.0 ms; 21.3 ms more delay; undo: the same with 0; to last: "
        "sleeptune apply linux-pipewire-quantum=2048");
    server->reasons_n[ST_DROPOUT_TOO_SLOW] = server->dropouts_n = 15;
    expect_of_screen("next", "sudo sleeptune apply linux-rt-permission");
}

static void first_line_names_what_slowed_the_machine(void **state)
{
    (void)state;
    struct st_observed_view *pipewire = watch_pipewire();
    result.misses = 4;
    st_hist_add_n(&result.lateness, INT64_C(22000000), 4);
    result.causes[ST_CAUSE_FIRMWARE] =
        (struct st_cause_row){.n = 4, .total_ns = 88000000, .max_ns = 22000000};
    pipewire->seen.frames = pipewire->seen.rate_hz = pipewire->seen.period_ns = 0;
    expect_of_screen("answer",
                     "Nothing plays on PipeWire, and no dropout since 22:13. This computer's timing: not OK. "
                     "Main cause: the computer's firmware (BIOS) stopped the CPUs: a system management "
                     "interrupt.");
    expect_of_screen("next", "sleeptune history --causes");
    expect_of_screen("next_why",
                     "update the BIOS; stop programs that control fans or read sensors through it");
    memset(result.causes, 0, sizeof(result.causes));
    result.misses = 0;
    st_hist_reset(&result.lateness);
    pipewire = watch_pipewire();
    struct st_dropout_client *heavy = add_client(pipewire, "Heavy", 1, ST_DROPOUT_TOO_SLOW);
    heavy->worst.busy_ns = 25000000;
    heavy->slowed = ST_CAUSE_HEAT;
    expect_of_screen("answer",
                     "Heavy made the only dropout (watched since 22:13): it computed too long; meanwhile "
                     "the CPU was too hot and slowed itself down.");
    expect_of_screen("next_why", "clean the fans, give the computer air, and use less load");
    result.misses = 4;
    st_hist_add_n(&result.lateness, INT64_C(22000000), 4);
    expect_of_screen("next_why", "clean the fans, give the computer air, and use less load; for this "
                                 "computer's timing: sleeptune history --causes");
    result.policy = ST_POLICY_OTHER;
    result.causes[ST_CAUSE_RUN_QUEUE] = (struct st_cause_row){.n = 4, .total_ns = 1};
    expect_of_screen("next_why", "clean the fans, give the computer air, and use less load; for this "
                                 "computer's timing: sleeptune report");
    result.policy = ST_POLICY_FIFO;
    result.causes[ST_CAUSE_RUN_QUEUE] = (struct st_cause_row){0};
    result.misses = 0;
    st_hist_reset(&result.lateness);
    heavy->slowed = ST_CAUSE_UNKNOWN;
    view.overdue.ns = 12 * ST_NS_PER_S;
    view.overdue.hog =
        (struct st_hog){.pid = 480, .tid = 482, .priority = 80, .cpu = 0, .name = "hog", .looks = 1};
    expect_of_screen("next",
                     "pw-metadata -n settings 0 clock.force-quantum 2048"); /* one look is not enough */
    view.overdue.hog.looks = 2;
    expect_of_screen("next", "sudo chrt --other --all-tasks --pid 0 480");
    json_t *screen = st_rows_json(&view);
    assert_non_null(strstr(json_string_value(json_object_get(screen, "answer")),
                           ": hog/482 with real-time priority 80 keeps CPU 0 busy."));
    json_decref(screen);
}

static void rights_do_not_help_against_the_host(void **state)
{
    (void)state;
    struct st_observed_view *pipewire = watch_pipewire();
    struct st_dropout_client *synth = add_client(pipewire, "GoodSynth", 3, ST_DROPOUT_WOKEN_LATE);
    synth->playing = true;
    synth->load.priority = ST_XRUN_NORMAL;
    result.misses = 4;
    st_hist_add_n(&result.lateness, INT64_C(50000000), 4);
    result.causes[ST_CAUSE_RUN_QUEUE] = (struct st_cause_row){.n = 4, .total_ns = 1};
    expect_of_screen("next", "sudo sleeptune apply linux-rt-permission");
    result.causes[ST_CAUSE_RUN_QUEUE] = (struct st_cause_row){0};
    result.causes[ST_CAUSE_HYPERVISOR_OR_INTERRUPT] = (struct st_cause_row){.n = 4, .total_ns = 1};
    expect_of_screen("next", "sleeptune history --causes");
    expect_of_screen("next_why", "give the virtual machine CPUs of its own, or play outside of it");
    memset(result.causes, 0, sizeof(result.causes));
    result.misses = 0;
    st_hist_reset(&result.lateness);
}

static void timing_is_compared_with_a_shorter_period_of_the_music(void **state)
{
    (void)state;
    struct st_observed_view *pipewire = watch_pipewire();
    pipewire->seen.frames = 64;
    st_hist_reset(&result.lateness);
    pipewire->seen.period_ns = 1333333; /* the loop has twice that, and wakes up half as often */
    st_hist_add_n(&result.lateness, 900000, 1);
    expect_row("This computer",
               "timing barely OK: at most 900.0 \xc2\xb5s late, and the buffer lasts 1.33 ms", "ok", true);
    st_hist_add_n(&result.lateness, 2000000, 1);
    expect_row("This computer", "timing not OK: at most 2.00 ms late, and the buffer lasts 1.33 ms", "warn",
               true);
    /* PulseAudio does not tell */
    pipewire->source = "pulseaudio";
    pipewire->seen.frames = pipewire->seen.period_ns = 0;
    st_hist_add_n(&result.lateness, 3950000, 1);
    result.misses = 1;
    expect_row("This computer", "timing OK: at most 3.95 ms late, and PulseAudio usually has 20.0 ms", "ok",
               false);
    st_hist_add_n(&result.lateness, 21000000, 1);
    assert_false(st_answer_of(&view).timing_ok);
    st_hist_reset(&result.lateness);
    st_hist_add_n(&result.lateness, 3950000, 1);
    add_client(pipewire, "mpv", 3, ST_DROPOUT_CPU_TAKEN);
    assert_false(st_answer_of(&view).timing_ok); /* it lost sound: its buffer may be a smaller one */
    result.misses = 0;
}

/* Trial 3, line 10: "Main cause: another thread had the CPU: 220 of 220 late wake-ups" below "timing OK". */
static void late_wake_ups_that_the_musics_buffer_outlasts_have_no_main_cause(void **state)
{
    (void)state;
    struct st_observed_view *pipewire = watch_pipewire();
    add_client(pipewire, "Guitarix", 2, ST_DROPOUT_WOKEN_LATE);
    result.misses = result.cause_late_n = 220;
    result.causes[ST_CAUSE_RUN_QUEUE] =
        (struct st_cause_row){.n = 220, .total_ns = 700 * ST_NS_PER_MS, .max_ns = 3535000};
    st_hist_add_n(&result.lateness, 3535000, 220);
    expect_row("This computer", "timing OK: at most 3.54 ms late, and the buffer lasts 21.3 ms", "ok", false);
    expect_no_row("Main cause");
    st_hist_add_n(&result.lateness, 22 * ST_NS_PER_MS, 1);
    expect_row("This computer", "timing not OK: ", "bad", false);
    expect_row("Main cause", "220 of 220 late wake-ups, longest 3.535 ms", "warn", false);
}

static void first_line_without_a_dropout_says_what_was_watched(void **state)
{
    (void)state;
    struct st_observed_view *pipewire = watch_pipewire();
    expect_of_screen("answer", "No dropout since 22:13 on PipeWire at 1024 frames.");
    expect_of_screen("state", "ok");
    expect_of_screen("next", "sleeptune heard");
    expect_of_screen("next_why",
                     "when it clicks: says what happened just before; not watched here: " NOT_WATCHED);
    result.misses = 4; /* the test loop is no witness against music that plays without a fault */
    st_hist_add_n(&result.lateness, INT64_C(22000000), 4);
    expect_of_screen("answer", "No dropout since 22:13 on PipeWire at 1024 frames.");
    expect_of_screen("state", "ok");
    expect_of_screen("next_why",
                     "when it clicks: says what happened just before; not watched here: " NOT_WATCHED);
    expect_row("This computer", "timing not OK: a test loop missed 4 of 1000 periods", "warn", true);
    snprintf(result.degraded, sizeof(result.degraded), "no right to SCHED_FIFO"); /* neither are its rights */
    expect_of_screen("next", "sleeptune heard");
    expect_no_row("Warning");
    result.degraded[0] = '\0';
    add_client(pipewire, "mpv", 1, ST_DROPOUT_WOKEN_LATE);
    expect_row("This computer", "timing not OK: a test loop missed 4 of 1000 periods", "bad", false);
    pipewire = watch_pipewire();
    result.misses = 0;
    pipewire->seen.frames = pipewire->seen.rate_hz = pipewire->seen.period_ns = 0;
    expect_of_screen("answer",
                     "Nothing plays on PipeWire, and no dropout since 22:13. This computer's timing: OK.");
    view.rests = true;
    view.loop = NULL;
    expect_of_screen("answer", "Nothing plays on PipeWire, and no dropout since 22:13.");
    expect_of_screen("brief", "nothing plays");
    expect_row("PipeWire", "nothing plays now", "ok", false);
    expect_of_screen("next_why", "then play: the screen names the program that makes dropouts");
    view.rests = false;
    view.loop = &result;
    pipewire->state = ST_OBSERVED_ABSENT;
    snprintf(pipewire->why, sizeof(pipewire->why), "PipeWire is not running");
    expect_of_screen("answer",
                     "No sound server is watched: PipeWire is not running. This computer's timing: OK.");
    expect_of_screen("next", "sleeptune status --details");
    struct st_observed_view *sound4 = &view.observe.sources[view.observe.n++]; /* on FreeBSD */
    *sound4 = *pipewire;
    sound4->source = "sound4";
    snprintf(sound4->why, sizeof(sound4->why), "no sound card");
    expect_of_screen("answer", "No sound server is watched: no sound card. This computer's timing: OK.");
    expect_of_screen("brief", "no sound server");
}

/* freebsd-run-4/15.1/screens/o4/s14-status-underrun.txt: "Next          sleeptune history --events", and no
 * word about why the reason is unknown. */
static void what_freebsd_does_not_show_is_said(void **state)
{
    (void)state;
    struct st_observed_view *sound4 = watch_pipewire();
    sound4->source = "sound4";
    sound4->seen.frames = sound4->seen.rate_hz = sound4->seen.period_ns = 0;
    struct st_dropout_client *play = add_client(sound4, "play", 6, ST_DROPOUT_UNKNOWN);
    expect_of_screen("answer",
                     "play had all 6 dropouts (watched since 22:13): it was not ready, reason unknown.");
    expect_of_screen("next", "sleeptune history --events");
    expect_of_screen("next_why", "not seen on FreeBSD: whether play was stopped, lost the CPU, woke late or "
                                 "computed too long");
    play->name[0] = '\0'; /* a device has no program that could be */
    expect_of_screen("next_why", "");
}

static void a_hard_size_that_was_forced_is_said_first(void **state)
{
    (void)state;
    struct st_observed_view *server = watch_pipewire();
    struct st_dropout_client *synth = add_client(server, "GoodSynth", 5, ST_DROPOUT_CPU_TAKEN);
    server->seen.forced_frames = server->seen.frames = 32;
    server->seen.period_ns = 666667;
    expect_of_screen("answer", "PipeWire is forced to 32 frames (666.7 µs). Other programs took the CPU from "
                               "GoodSynth in all 5 dropouts (watched since 22:13).");
    expect_of_screen("next", "pw-metadata -n settings 0 clock.force-quantum 0");
    expect_of_screen("next_why", "takes back the size that was forced");
    synth->load = (struct st_xrun_load){.cycles_n = 1, .asked_frames = 32, .asked_rate_hz = 48000};
    expect_of_screen("next_why",
                     "takes back the size that was forced; besides, GoodSynth asked for 32 frames");
    server->seen.clients_n = 0; /* the device had them */
    server->seen.device_dropouts_n = server->seen.clientless_dropouts_n = 5;
    server->seen.dropouts_n = 0;
    expect_of_screen("next", "pw-metadata -n settings 0 clock.force-quantum 0");
    server->seen.device_dropouts_n = server->seen.clientless_dropouts_n = 0;
    add_client(server, "Looper", 5, ST_DROPOUT_STOPPED); /* at any size */
    expect_of_screen("answer", "Looper made all 5 dropouts (watched since 22:13): it was stopped or frozen.");
    server->seen.clients_n = 0;
    server->seen.dropouts_n = 0;
    struct st_dropout_client *game = add_client(server, "Game", 0, ST_DROPOUT_UNKNOWN);
    game->load = (struct st_xrun_load){.cycles_n = 1, .between = ST_XRUN_BETWEEN_UNSEEN};
    add_client(server, "HeavyReverb", 5, ST_DROPOUT_TOO_SLOW)->worst.busy_ns = 6000000;
    server->seen.forced_frames = server->seen.frames = 256;
    server->seen.period_ns = 5333333;
    expect_of_screen("answer", "HeavyReverb made all 5 dropouts (watched since 22:13): it computed too long. "
                               "What Game writes too late is not watched.");
    expect_of_screen("next", "pw-metadata -n settings 0 clock.force-quantum 512");
    expect_of_screen("next_why",
                     "room for its worst cycle of 6.00 ms; 5.33 ms more delay; undo: the same with 256; to "
                     "last: sleeptune apply linux-pipewire-quantum=512");
}

static void row_of_the_server_says_who_asked_for_the_shortest_buffer(void **state)
{
    (void)state;
    struct st_observed_view *server = watch_pipewire();
    struct st_dropout_client *discord = add_client(server, "Discord", 0, ST_DROPOUT_UNKNOWN),
                             *mpv = add_client(server, "mpv", 0, ST_DROPOUT_UNKNOWN);
    discord->load = (struct st_xrun_load){.cycles_n = 1, .asked_frames = 360, .asked_rate_hz = 48000};
    mpv->load = (struct st_xrun_load){.cycles_n = 1, .asked_frames = 4410, .asked_rate_hz = 44100};
    expect_row("PipeWire", "1024 frames at 48 kHz (21.3 ms); Discord asked for 360 frames", "ok", false);
    struct st_dropout_client *click = add_client(server, "click", 1, ST_DROPOUT_UNKNOWN); /* not cut away */
    expect_row(
        "PipeWire",
        "1024 frames at 48 kHz (21.3 ms), last dropout 22:23:15, 5 s ago; Discord asked for 360 frames",
        "warn", false);
    server->seen.dropouts_n = click->dropouts_n = 0;
    discord->load.asked_frames = 0;
    expect_row("PipeWire", "1024 frames at 48 kHz (21.3 ms); mpv asked for 4410 frames", "ok", false);
    server->seen.rate_hz = 44100;
    discord->load.asked_frames = 1024;
    expect_row("PipeWire",
               "1024 frames at 44.1 kHz (21.3 ms); Discord asked for 1024 frames, mpv for 44.1 kHz", "ok",
               false);
    discord->load.asked_frames = 0;
    expect_row("PipeWire", "1024 frames at 44.1 kHz (21.3 ms); mpv asked for 4410 frames at 44.1 kHz", "ok",
               false);
    discord->load.asked_frames = 20;
    discord->load.asked_rate_hz = ST_XRUN_ASKED_MS;
    server->seen.rate_hz = 48000;
    expect_row("PipeWire", "1024 frames at 48 kHz (21.3 ms); Discord has a buffer of about 20 ms", "ok",
               false);
}

static void table_of_clients_has_the_first_ones_on_the_first_screen(void **state)
{
    (void)state;
    struct st_observed_view *pipewire = watch_pipewire();
    for (int i = 0; i < 12; i++) {
        char name[16];
        snprintf(name, sizeof(name), "client%d", i);
        add_client(pipewire, name, i == 0, ST_DROPOUT_BLOCKED)->playing = i > 0;
    }
    expect_row("client0", "1 dropout: waited for a lock, disk or program", "warn", false);
    expect_row("client7", "0 dropouts", "ok", false);
    expect_row("client8", "0 dropouts", "ok", true);
    expect_no_row("others");
    pipewire->seen.others_dropouts_n = 7;
    expect_row("others", "7 dropouts: programs that ended, no longer listed", "warn", true);
}

static void expect_programs(const char *const *order, size_t n)
{
    json_t *screen = st_rows_json(&view);
    size_t i, found = 0;
    json_t *section;
    json_array_foreach(json_object_get(screen, "sections"), i, section)
    {
        if (strcmp(json_string_value(json_object_get(section, "title")), "Programs") != 0)
            continue;
        const json_t *rows = json_object_get(section, "rows");
        for (; found < n; found++)
            assert_string_equal(json_string_value(json_object_get(json_array_get(rows, found), "label")),
                                order[found]);
    }
    assert_int_equal(found, n);
    json_decref(screen);
}

static void table_of_clients_has_the_most_harmful_of_all_sources_first(void **state)
{
    (void)state;
    struct st_observed_view *pipewire = watch_pipewire();
    view.observe.n = 2;
    view.observe.sources[1] = *pipewire;
    view.observe.sources[1].source = "jack";
    add_client(pipewire, "once", 1, ST_DROPOUT_UNKNOWN);
    add_client(pipewire, "never", 0, ST_DROPOUT_UNKNOWN);
    add_client(&view.observe.sources[1], "often", 407, ST_DROPOUT_TOO_SLOW);
    expect_programs((const char *const[]){"often", "once", "never"}, 3);
    view.observe.sources[1].state = ST_OBSERVED_ABSENT; /* its server has ended */
    expect_programs((const char *const[]){"once", "never", "often"}, 3);
    pipewire->seen.device_dropouts_n = pipewire->seen.clientless_dropouts_n = 1; /* beside the answer's */
    expect_programs((const char *const[]){"once", "never", "often", "PipeWire"}, 4);
    pipewire->seen.device_dropouts_n = pipewire->seen.clientless_dropouts_n = 9;
    expect_programs((const char *const[]){"PipeWire", "once", "never", "often"}, 4);
}

/* It lost sound for longer, once: it stands first, and its server is the one of the answer. */
static void longest_loss_of_all_sources_is_first_where_each_is_known(void **state)
{
    (void)state;
    struct st_observed_view *pipewire = watch_pipewire();
    view.observe.n = 2;
    view.observe.sources[1] = *pipewire;
    view.observe.sources[1].source = "jack";
    struct st_dropout_client *often = add_client(pipewire, "often", 40, ST_DROPOUT_STOPPED);
    struct st_dropout_client *once = add_client(&view.observe.sources[1], "once", 1, ST_DROPOUT_STOPPED);
    often->lost.ns = pipewire->seen.lost_ns = 40 * ST_NS_PER_MS;
    often->lost.longest_ns = ST_NS_PER_MS;
    once->lost.ns = once->lost.longest_ns = view.observe.sources[1].seen.lost_ns = 2 * ST_NS_PER_S;
    expect_programs((const char *const[]){"once", "often"}, 2);
    expect_of_screen("answer",
                     "once lost sound once (watched since 22:13), for 2.00 s: it was stopped or frozen.");
    often->lost.unknown_n = often->dropouts_n;
    expect_programs((const char *const[]){"often", "once"}, 2);
    expect_of_screen("answer", "often lost sound 40 times (watched since 22:13), at least 40.0 ms in all "
                               "(longest 1.00 ms): it was stopped or frozen.");
}

static void stall_is_left_out_of_the_usual_lateness(void **state)
{
    (void)state;
    st_hist_add_n(&result.response, INT64_C(290) * ST_NS_PER_S, 5000);
    result.misses = 1;
    st_hist_add_n(&result.lateness, INT64_C(290) * ST_NS_PER_S, 1);
    expect_row("This computer", "periods at 128 frames since 22:13, longest stall 4.8 min", "bad", false);
}

static void own_stop_is_not_the_timing_of_the_computer(void **state)
{
    (void)state;
    result.misses = 1875;
    st_hist_add_n(&result.lateness, 5 * ST_NS_PER_S, 1);
    result.cause_above_ns = 1333333;
    result.causes[ST_CAUSE_STOPPED] = (struct st_cause_row){1, 5 * ST_NS_PER_S, 5 * ST_NS_PER_S, 0};
    result.causes[ST_CAUSE_TIMER] = (struct st_cause_row){2, 4000000, 2000000, 0};
    expect_row("This computer", "timing OK; sleeptuned itself was stopped for 5.00 s", "ok", false);
    expect_of_screen("answer", "No sound server is watched. This computer's timing: OK.");
    result.causes[ST_CAUSE_TIMER].max_ns = 3000000; /* longer than the period of 2.67 ms */
    expect_row("This computer",
               "timing not OK: a test loop missed 1875 of 1000 periods at 128 frames since 22:13, longest "
               "stall 5.00 s; "
               "sleeptuned itself was stopped for 5.00 s",
               "bad", false);
    expect_row("Main cause", "a late timer", "warn", false);
}

static void screen_of_a_healthy_daemon_has_few_figures_and_one_next_step(void **state)
{
    (void)state;
    expect_of_screen("answer", "No sound server is watched. This computer's timing: OK.");
    expect_of_screen("state", "unknown");
    expect_of_screen("next", "sleeptune history");
    expect_row("This computer", "timing OK: a test loop missed 0 of 1000 periods at 128 frames", "ok", false);
    expect_row("Lateness", "median 10.5 \xc2\xb5s", "ok", true);
    expect_row("Loop", "128 frames at 48000 Hz (2.667 ms), fifo 70, any CPU", "ok", true);
    expect_row("Own stream", "dummy, playing", "ok", true);
    expect_row("Daemon", "PID 42, running for 5 s", "ok", true);
    expect_no_row("Notifications"); /* as on FreeBSD, where sleeptuned has none */
    ST_PRINT(view.notify, "none: switched off");
    expect_row("Notifications", "none: switched off", "ok", true);
    expect_no_row("Warning");
    expect_no_row("Main cause");
    expect_no_row("Last minute");
    json_t *screen = st_rows_json(&view);
    const json_t *first = json_array_get(json_object_get(screen, "sections"), 0);
    assert_true(json_array_size(json_object_get(first, "rows")) <= 5);
    json_decref(screen);
}

static void screen_names_what_went_wrong_and_the_command_that_helps(void **state)
{
    (void)state;
    result.misses = 4;
    result.records_lost = 2;
    result.cause_late_n = 6;
    result.cause_above_ns = 1333333;
    result.causes[ST_CAUSE_RUN_QUEUE] =
        (struct st_cause_row){.n = 3, .total_ns = 4500000, .max_ns = 2 * ST_NS_PER_MS};
    view.minute = (struct st_history_minute){.from_wall_ns = view.now_wall_ns - 70 * ST_NS_PER_S,
                                             .to_wall_ns = view.now_wall_ns - 10 * ST_NS_PER_S,
                                             .measured_ns = 60 * ST_NS_PER_S,
                                             .cycles = 22500,
                                             .misses = 1,
                                             .lateness_max_ns = INT64_MIN};
    view.minute_dropouts_n = 24;
    expect_of_screen("state", "bad");
    expect_of_screen("next", "sleeptune history --causes");
    result.policy = ST_POLICY_OTHER; /* the right to real-time priority, as check and the report say */
    expect_of_screen("next", "sleeptune report");
    result.policy = ST_POLICY_FIFO;
    expect_row(
        "This computer",
        "timing not OK: a test loop missed 4 of 1000 periods at 128 frames since 22:13, up to 3.00 ms late",
        "bad", false);
    expect_row("This computer", "; not recorded: 2 periods", "bad", false);
    expect_row("Main cause", ": 3 of 6 late wake-ups, longest 2.000 ms", "warn", false);
    expect_row(
        "Last minute",
        " to 22:13:10: 24 dropouts, 1 of the test loop's 22500 periods missed, worst wake-up not known yet",
        "bad", true);
    view.minute_dropouts_n = INT64_MIN;
    expect_row("Last minute", ": no sound server watched, 1 of ", "bad", true);
    expect_row("Late", "6 wake-ups more than 1.333 ms late", "ok", true);
    snprintf(result.degraded, sizeof(result.degraded), "no right to SCHED_FIFO");
    expect_of_screen("next", "sleeptune report");
    expect_no_row("Warning");
    expect_row("Rights", "loop: no right to SCHED_FIFO", "warn", true);
}

static void screen_without_a_loop_claims_nothing(void **state)
{
    (void)state;
    view.loop = NULL;
    expect_of_screen("state", "unknown");
    expect_of_screen("next", "sleeptune status --watch");
    expect_row("This computer", "timing not measured yet", "unknown", false);
    expect_no_row("Lateness");
    expect_no_row("Loop");
    view.loop = &result;
    result.elapsed_periods = 0;
    expect_row("This computer", "timing not measured yet", "unknown", false);
}

static void screen_lists_sources_that_are_or_could_be_watched(void **state)
{
    (void)state;
    view.observe.n = 2;
    view.observe.sources[0] = (struct st_observed_view){.source = "alsa",
                                                        .since_wall_ns = view.started_wall_ns,
                                                        .mode = ST_OBSERVED_AUTO,
                                                        .state = ST_OBSERVED_WATCHING,
                                                        .opened_n = 1,
                                                        .seen = {.device_dropouts_n = 5, .dropouts_n = 3}};
    struct st_observed_view *never = &view.observe.sources[1];
    *never = (struct st_observed_view){
        .source = "sound4", .mode = ST_OBSERVED_AUTO, .state = ST_OBSERVED_ABSENT, .never = true};
    expect_row("ALSA", "watching, last dropout ", "warn", false);
    expect_row("Watched",
               "alsa, since 22:13:20: 5 dropouts of devices, 3 of clients (no times of their "
               "cycles), CPU time per poll not known yet (n = 0)",
               "ok", true);
    expect_no_row("Not watched");
    expect_row("Not seen here",
               "USB packets (need root and usbmon), Bluetooth's radio, a second card that the server puts "
               "in step, cables, power supply",
               "ok", true);
    never->mode = ST_OBSERVED_ON; /* asked for */
    expect_row("Not watched", "sound4", "bad", true);
    never->mode = ST_OBSERVED_AUTO;
    never->never = false;
    expect_row("Not watched", "sound4", "ok", true);
    view.observe.sources[0].state = ST_OBSERVED_ABSENT;
    expect_row("ALSA", "not watched now, last dropout ", "warn", false);
    *never = (struct st_observed_view){.source = "jack",
                                       .state = ST_OBSERVED_WATCHING,
                                       .seen = {.device_dropouts_n = 2},
                                       .why = "server studio"};
    expect_row("JACK", "server studio, last dropout ", "warn", false);
    expect_row("ALSA", ", 8 dropouts, last ", "warn", false);
    *never = (struct st_observed_view){.source = "usb",
                                       .since_wall_ns = view.started_wall_ns,
                                       .device_only = true,
                                       .state = ST_OBSERVED_WATCHING,
                                       .why = "USB packets of A"};
    expect_row("Not seen here",
               "Bluetooth's radio, a second card that the server puts in step, cables, power supply", "ok",
               true);
    expect_row("Watched",
               "usb (USB packets of A), since 22:13:20: 0 dropouts of devices, CPU time per poll "
               "not known yet (n = 0)",
               "ok", true);
}

static void screen_says_what_waits_and_what_was_put_aside(void **state)
{
    (void)state;
    view.history = (struct st_history_writer_view){.state = ST_HISTORY_WRITER_FAILING,
                                                   .bytes = 2500000,
                                                   .waiting_minutes_n = 3,
                                                   .lost_events_n = 4,
                                                   .why = "disk full",
                                                   .path = "/h.db",
                                                   .aside = "/h.db.aside-1"};
    expect_row("History",
               "failing /h.db, 2.5 MB: disk full; 3 minutes and 0 events waiting in memory; 0 minutes "
               "and 4 events lost",
               "bad", true);
    json_t *screen = st_rows_json(&view);
    char *text = json_dumps(screen, 0);
    assert_non_null(strstr(text, "the old history file was renamed to /h.db.aside-1"));
    free(text);
    json_decref(screen);
}

static void events_of_the_screen_carry_their_times(void **state)
{
    (void)state;
    for (int i = 0; i < ST_ROWS_EVENTS_MAX + 3; i++)
        json_array_append_new(view.events, json_pack("{s:I, s:s, s:s}", "time_ns", (json_int_t)i, "event",
                                                     "pause", "text", "x"));
    json_t *screen = st_rows_json(&view);
    const json_t *events = NULL, *section;
    size_t i;
    json_array_foreach(json_object_get(screen, "sections"), i, section)
    {
        if (strcmp(json_string_value(json_object_get(section, "title")), "Events") == 0)
            events = json_object_get(section, "rows");
    }
    assert_int_equal(json_array_size(events), ST_ROWS_EVENTS_MAX);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(events, 1), "time_ns")), 1);
    assert_string_equal(json_string_value(json_object_get(json_array_get(events, 1), "text")), "pause: x");
    json_decref(screen);
}

int main(void)
{
    (void)setenv("TZ", "UTC", 1);
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(first_line_names_the_program_that_made_the_dropouts),
        TEST(a_dropout_is_of_something_that_plays),
        TEST(who_made_no_dropout_is_behind_who_made_one),
        TEST(what_is_not_watched_is_not_said_to_be_none),
        TEST(lost_sound_has_a_length_and_a_place),
        TEST(the_reason_is_that_of_most_lost_sound),
        TEST(a_place_is_that_of_the_reason),
        TEST(rhythm_of_long_cycles_is_said),
        TEST(second_card_that_is_put_in_step_is_named_with_its_drift),
        TEST(lost_cpu_between_a_program_and_its_server_has_its_own_next_step),
        TEST(streams_of_one_name_are_one_program),
        TEST(first_line_says_what_the_server_knows),
        TEST(first_line_blames_who_took_the_cpu),
        TEST(peak_of_who_lost_the_cpu_is_unknown),
        TEST(buffer_that_helps_fits_the_worst_cycle_or_is_not_named),
        TEST(dropouts_are_of_the_server_of_the_answer),
        TEST(dropouts_of_an_earlier_time_are_a_number),
        TEST(dropouts_before_the_buffer_was_raised_are_over),
        TEST(a_buffer_is_larger_if_it_is_than_that_of_each),
        TEST(what_no_source_sees_is_listed),
        TEST(only_what_was_watched_is_said_to_be_without_a_dropout),
        TEST(rights_do_not_help_against_the_host),
        TEST(timing_is_compared_with_a_shorter_period_of_the_music),
        TEST(late_wake_ups_that_the_musics_buffer_outlasts_have_no_main_cause),
        TEST(first_line_without_a_dropout_says_what_was_watched),
        TEST(first_line_names_what_slowed_the_machine),
        TEST(what_freebsd_does_not_show_is_said),
        TEST(a_hard_size_that_was_forced_is_said_first),
        TEST(row_of_the_server_says_who_asked_for_the_shortest_buffer),
        TEST(table_of_clients_has_the_first_ones_on_the_first_screen),
        TEST(table_of_clients_has_the_most_harmful_of_all_sources_first),
        TEST(longest_loss_of_all_sources_is_first_where_each_is_known),
        TEST(stall_is_left_out_of_the_usual_lateness),
        TEST(own_stop_is_not_the_timing_of_the_computer),
        TEST(screen_of_a_healthy_daemon_has_few_figures_and_one_next_step),
        TEST(screen_names_what_went_wrong_and_the_command_that_helps),
        TEST(screen_without_a_loop_claims_nothing),
        TEST(screen_lists_sources_that_are_or_could_be_watched),
        TEST(screen_says_what_waits_and_what_was_put_aside),
        TEST(events_of_the_screen_carry_their_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
