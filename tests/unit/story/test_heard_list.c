/* Marks in a history: what fits, what is named, what is too old to be judged. */
#include "core/text/text.h"
#include "story/heard_list.h"
#include "tests/unit/history_fixture.h"

static int64_t frames = 128;

static void play(int64_t from_ns, int64_t minutes)
{
    add_watches("pipewire", from_ns, minutes, frames, 1);
}

/* A history in which this was watched. */
static void begins(int64_t minutes)
{
    open_it();
    st_history_begin(history);
    play(NOON_NS, minutes);
}

static void happens(int64_t wall_ns, enum st_event_kind kind, const char *source, const char *words)
{
    struct st_event event = st_event_make(wall_ns, kind, "%s", kind == ST_EVENT_HEARD ? words : "");
    ST_PRINT(event.source, "%s", source);
    if (kind == ST_EVENT_CLIENT_DROPOUT) {
        ST_PRINT(event.client, "%s", words);
        event.reason = ST_DROPOUT_TOO_SLOW;
        event.count_n = 1;
    }
    st_history_add_event(history, &event);
}

static json_t *document_since(int64_t since_ns)
{
    struct st_history_reader *reader = open_reader();
    json_t *read = st_heard_list_read(reader, since_ns, INT64_MAX);
    close_reader(reader);
    return read;
}

static json_t *document(void)
{
    assert_int_equal(st_history_commit(history), 0);
    return document_since(INT64_MIN);
}

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static void names(const json_t *marks, size_t i, const char *cause)
{
    assert_string_equal(text_of(json_array_get(marks, i), "cause"), cause);
}

/* PulseAudio has no buffer size. */
static void marks_count_while_a_server_without_a_size_plays(void **state)
{
    open_it();
    st_history_begin(history);
    add_watches("pulseaudio", NOON_NS, 60, INT64_MIN, 1);
    for (int64_t i = 0; i < 3; i++)
        happens(NOON_NS + (i * 10 + 5) * MINUTE_NS, ST_EVENT_HEARD, "key", "");
    json_t *read = document();
    assert_int_equal(json_integer_value(json_object_get(read, "marks_that_count")), 3);
    json_decref(read);
}

static void loses(int64_t wall_ns, enum st_dropout_reason reason, int64_t count_n, int64_t span_ns,
                  int64_t longest_ns)
{
    struct st_event event = st_event_make(wall_ns, ST_EVENT_CLIENT_DROPOUT, "%s", "");
    event.count_n = count_n;
    event.cycles_n = 1;
    event.reason = reason;
    event.span_ns = span_ns;
    event.longest_ns = longest_ns;
    event.lost_ns = ST_MAX(count_n, 1) * longest_ns;
    st_history_add_event(history, &event);
}

static void a_cause_before_each_mark_is_named(void **state)
{
    begins(180);
    for (int64_t i = 0; i < 5; i++) { /* each 10 min, heard a second later; the last one is not */
        happens(NOON_NS + (i * 10 + 5) * MINUTE_NS, ST_EVENT_CLIENT_DROPOUT, "pipewire", "Synth");
        happens(NOON_NS + (i * 10 + 5) * MINUTE_NS + (i < 4 ? 1 : 120) * ST_NS_PER_S,
                ST_EVENT_HEARD, "key", "left");
        /* a loss within another one does not make a hit by chance more probable */
        loses(NOON_NS + (i * 600 + 330) * ST_NS_PER_S, ST_DROPOUT_TOO_SLOW, 1, 0, 1);
        loses(NOON_NS + (i * 600 + 340) * ST_NS_PER_S, ST_DROPOUT_TOO_SLOW, 1, 20 * ST_NS_PER_S, 1);
    }
    json_t *read = document();
    const json_t *marks = json_object_get(read, "marks");
    assert_int_equal(json_integer_value(json_object_get(read, "marks_that_count")), 5);
    assert_has(text_of(read, "text"), "5 marks: 4 of 5 clicks came after this: a program computed "
                                      "too long (0.059 expected by chance)");
    assert_has(text_of(read, "text"), " Unexplained clicks: 1; sleeptune noticed nothing then (");
    assert_has(text_of(json_array_get(marks, 0), "text"), "Synth");
    assert_string_equal(text_of(json_array_get(marks, 0), "note"), "left");
    assert_true(json_is_null(json_object_get(json_array_get(marks, 4), "cause")));
    json_decref(read);
    read = document_since(NOON_NS + 35 * MINUTE_NS +
                          ST_NS_PER_S); /* between the fourth dropout and its mark */
    names(json_object_get(read, "marks"), 0, "too-slow");
    json_decref(read);
}

/* The sound stopped from 0.9 to 0.6 s before a mark, and what noticed it wrote that when the mark
 * was made. Beside it a crowd of short losses, in all as long. */
static void a_mark_is_joined_with_the_loss_not_with_when_it_was_noticed(void **state)
{
    begins(2);
    struct st_event event = st_event_make(NOON_NS + MINUTE_NS, ST_EVENT_CLIENT_DROPOUT, "%s", "");
    event.count_n = 1;
    event.reason = ST_DROPOUT_STOPPED;
    event.lost_ns = event.longest_ns = 300 * ST_NS_PER_MS;
    st_history_add_event(history, &event);
    happens(NOON_NS + MINUTE_NS + 50 * ST_NS_PER_MS, ST_EVENT_HEARD, "key", "");
    event.wall_ns += 4 * ST_NS_PER_S;
    event.span_ns = 6 * ST_NS_PER_S;
    event.count_n = 24;
    event.reason = ST_DROPOUT_TOO_SLOW;
    event.lost_ns = 400 * ST_NS_PER_MS;
    event.longest_ns = 20 * ST_NS_PER_MS;
    st_history_add_event(history, &event);
    json_t *read = document();
    names(json_object_get(read, "marks"), 0, "stopped");
    json_decref(read);
}

/* Who types a mark looks for the terminal first; what came between is less. */
static void a_mark_names_what_was_lost_longest(void **state)
{
    begins(2);
    const int64_t at_ns = NOON_NS + MINUTE_NS;
    loses(at_ns - 20 * ST_NS_PER_S, ST_DROPOUT_BLOCKED, 1, 0, 900 * ST_NS_PER_MS);
    loses(at_ns - 6 * ST_NS_PER_S, ST_DROPOUT_STOPPED, 1, 0, 300 * ST_NS_PER_MS);
    loses(at_ns - 3 * ST_NS_PER_S, ST_DROPOUT_STOPPED, 0, 2 * ST_NS_PER_S,
          3 * ST_NS_PER_S); /* it goes on */
    loses(at_ns - ST_NS_PER_S, ST_DROPOUT_CPU_TAKEN, 23, 9 * ST_NS_PER_S, 25 * ST_NS_PER_MS);
    happens(at_ns, ST_EVENT_HEARD, "typed", "");
    happens(at_ns + ST_NS_PER_S, ST_EVENT_HEARD, "key", ""); /* the last of them fits in this one */
    json_t *read = document(), *marks = json_object_get(read, "marks");
    names(marks, 0, "stopped");
    assert_has(text_of(json_array_get(marks, 0), "text"), "3.00 s until then");
    assert_int_equal(figure(marks, 0, "events"), 4);
    names(marks, 1, "cpu-taken");
    json_decref(read);
}

/* A person takes seconds, not half a minute: a longer loss is named only if nothing was lost
 * since. */
static void a_mark_names_what_was_lost_soon_before_it(void **state)
{
    begins(2);
    const int64_t at_ns = NOON_NS + MINUTE_NS;
    loses(at_ns - 28 * ST_NS_PER_S, ST_DROPOUT_STOPPED, 1, 0, 3 * ST_NS_PER_S);
    loses(at_ns - 20 * ST_NS_PER_S, ST_DROPOUT_BLOCKED, 1, 0, 20 * ST_NS_PER_MS);
    loses(at_ns - 3 * ST_NS_PER_S, ST_DROPOUT_TOO_SLOW, 1, 0, 190 * ST_NS_PER_MS);
    happens(at_ns - 15 * ST_NS_PER_S, ST_EVENT_HEARD, "typed", "");
    happens(at_ns, ST_EVENT_HEARD, "typed", "");
    happens(at_ns, ST_EVENT_HEARD, "prompted",
            ""); /* the notification named the worst of a minute */
    json_t *read = document(), *marks = json_object_get(read, "marks");
    names(marks, 0, "blocked");
    names(marks, 1, "too-slow");
    assert_int_equal(figure(marks, 1, "cause_time_ns"), at_ns - 3 * ST_NS_PER_S);
    assert_int_equal(figure(marks, 1, "events"), 3);
    names(marks, 2, "stopped");
    json_decref(read);
}

/* What is a sum, and went on after the mark, does not say what of it was before. */
static void what_went_on_after_a_mark_is_not_what_it_names(void **state)
{
    begins(2);
    const int64_t at_ns = NOON_NS + MINUTE_NS;
    loses(at_ns - 10 * ST_NS_PER_S, ST_DROPOUT_TOO_SLOW, 1, 0, 5 * ST_NS_PER_MS);
    happens(at_ns, ST_EVENT_HEARD, "typed", "");
    loses(at_ns + 8 * ST_NS_PER_S, ST_DROPOUT_CPU_TAKEN, 104, 10 * ST_NS_PER_S,
          1260 * ST_NS_PER_MS);
    happens(at_ns + 25 * ST_NS_PER_S, ST_EVENT_HEARD, "typed",
            ""); /* one that ended two seconds after it */
    loses(at_ns + 27 * ST_NS_PER_S, ST_DROPOUT_STOPPED, 1, 0, 4 * ST_NS_PER_S);
    json_t *read = document(), *marks = json_object_get(read, "marks");
    names(marks, 0, "too-slow");
    assert_int_equal(figure(marks, 0, "events"), 2);
    names(marks, 1, "stopped");
    json_decref(read);
}

/* What is not watched from then on is worse than all that was seen; a helper that did not run is
 * not. */
static void the_end_of_a_server_is_what_a_mark_names(void **state)
{
    begins(2);
    struct st_event event =
        st_event_make(NOON_NS + 20 * ST_NS_PER_S, ST_EVENT_OBSERVE_LOST, "it did not run for 2 s");
    event.span_ns = 2 * ST_NS_PER_S;
    st_history_add_event(history, &event);
    loses(NOON_NS + 21 * ST_NS_PER_S, ST_DROPOUT_TOO_SLOW, 40, 9 * ST_NS_PER_S, 60 * ST_NS_PER_MS);
    happens(NOON_NS + 22 * ST_NS_PER_S, ST_EVENT_HEARD, "typed", "");
    event = st_event_make(NOON_NS + 24 * ST_NS_PER_S, ST_EVENT_OBSERVE_LOST, "PipeWire has ended");
    st_history_add_event(history, &event);
    happens(NOON_NS + 30 * ST_NS_PER_S, ST_EVENT_HEARD, "typed", "");
    loses(NOON_NS + 45 * ST_NS_PER_S, ST_DROPOUT_STOPPED, 1, 0,
          40 * ST_NS_PER_MS); /* it runs again */
    happens(NOON_NS + 46 * ST_NS_PER_S, ST_EVENT_HEARD, "typed", "");
    json_t *read = document(), *marks = json_object_get(read, "marks");
    names(marks, 0, "too-slow");
    names(marks, 1, "not-watched");
    names(marks, 2, "stopped");
    assert_string_equal(text_of(json_array_get(marks, 1), "text"), "PipeWire has ended");
    json_decref(read);
}

/* The windows behind three dropouts are an eighth of the minute. */
static void a_cause_before_each_mark_in_too_short_a_time_is_not_named(void **state)
{
    begins(1);
    for (int64_t i = 0; i < 3; i++) {
        happens(NOON_NS + (10 + 15 * i) * ST_NS_PER_S, ST_EVENT_CLIENT_DROPOUT, "pipewire",
                "Synth");
        happens(NOON_NS + (11 + 15 * i) * ST_NS_PER_S, ST_EVENT_HEARD, "key", "");
    }
    json_t *read = document();
    assert_has(text_of(read, "text"),
               "3 marks: 3 of 3 clicks came after this: a program computed too long, "
               "which may be chance.");
    json_decref(read);
}

/* Of nine marks five come after something. @param each_second  it happens in each second of
 * these. */
static json_t *nine_marks(bool each_second)
{
    begins(3);
    for (int64_t i = 0; i < 9; i++) {
        for (int64_t k = 0; i >= 4 && k < (each_second ? 14 : 1); k++)
            happens(NOON_NS + (10 + 15 * i + k) * ST_NS_PER_S, ST_EVENT_CLIENT_DROPOUT, "pipewire",
                    "Synth");
        happens(NOON_NS + (11 + 15 * i) * ST_NS_PER_S, ST_EVENT_HEARD, "key", "");
    }
    return document();
}

static void what_most_marks_name_may_be_chance(void **state)
{
    json_t *read = nine_marks(false);
    assert_has(text_of(read, "text"),
               "9 marks: 5 of 9 clicks came after this: a program computed too long, "
               "which may be chance.");
    json_decref(read);
}

static void what_happens_all_the_time_is_said_to_be_too_frequent(void **state)
{
    json_t *read = nine_marks(true);
    assert_has(text_of(read, "text"),
               "9 marks: 5 of 9 clicks came after this: a program computed too long, "
               "which is so frequent that this may be chance.");
    json_decref(read);
}

/* A short loss half a minute before each of five marks is stronger by its figures than what four of
 * them name. */
static void the_first_line_says_what_the_marks_name(void **state)
{
    begins(5);
    for (int64_t i = 0; i < 5; i++) {
        const int64_t at_ns = NOON_NS + i * MINUTE_NS + 40 * ST_NS_PER_S;
        loses(at_ns - 25 * ST_NS_PER_S, ST_DROPOUT_CPU_TAKEN, 1, 0, 20 * ST_NS_PER_MS);
        if (i > 0)
            loses(at_ns - 3 * ST_NS_PER_S, ST_DROPOUT_STOPPED, 1, 0, 200 * ST_NS_PER_MS);
        happens(at_ns, ST_EVENT_HEARD, "typed", "");
    }
    json_t *read = document();
    assert_string_equal(text_of(read, "text"),
                        "5 marks: 4 of 5 clicks came after this: a program was stopped or frozen, "
                        "which is so frequent that this may be chance.");
    json_decref(read);
}

static void what_slowed_the_machine_is_said_of_the_dropout(void **state)
{
    begins(2);
    struct st_event event = st_event_make(NOON_NS + MINUTE_NS, ST_EVENT_CLIENT_DROPOUT, "%s", "");
    event.count_n = 1;
    event.reason = ST_DROPOUT_TOO_SLOW;
    event.lost_ns = event.longest_ns = 300 * ST_NS_PER_MS;
    event.slowed = ST_CAUSE_HEAT;
    st_history_add_event(history, &event);
    happens(NOON_NS + MINUTE_NS + ST_NS_PER_S, ST_EVENT_HEARD, "key", "");
    json_t *read = document();
    const json_t *mark = json_array_get(json_object_get(read, "marks"), 0);
    assert_int_equal(json_integer_value(json_object_get(mark, "events")), 1);
    assert_has(text_of(mark, "text"), "lost sound once");
    assert_has(text_of(mark, "text"), "; meanwhile the CPU was too hot");
    json_decref(read);
}

static void marks_that_do_not_count_are_said(void **state)
{
    begins(5);
    happens(NOON_NS + MINUTE_NS, ST_EVENT_HEARD, "key", "");
    happens(NOON_NS + MINUTE_NS + 9 * ST_NS_PER_S, ST_EVENT_HEARD, "key", ""); /* the same */
    happens(NOON_NS + 2 * MINUTE_NS, ST_EVENT_HEARD, "key", "");
    json_t *read = document();
    assert_has(text_of(read, "text"),
               "3 marks, of which 2 count (those made while something plays; of marks less than 10 "
               "s apart one counts): too few clicks to tell a cause from chance (3 are needed).");
    json_decref(read);
}

static void marks_without_music_are_shown_and_tell_nothing(void **state)
{
    open_it();
    st_history_begin(history);
    for (int64_t i = 0; i < 4; i++) {
        happens(NOON_NS + i * MINUTE_NS, ST_EVENT_CLIENT_DROPOUT, "pipewire", "Synth");
        happens(NOON_NS + i * MINUTE_NS + ST_NS_PER_S, ST_EVENT_HEARD, "typed", "");
    }
    json_t *read = document();
    assert_int_equal(json_array_size(json_object_get(read, "marks")), 4);
    assert_int_equal(json_integer_value(json_object_get(read, "marks_that_count")), 0);
    assert_has(text_of(read, "text"),
               "4 marks, of which 0 count (those made while something plays;");
    json_decref(read);
}

static void the_kernel_log_is_a_cause(void **state)
{
    begins(60);
    happens(NOON_NS + 40 * MINUTE_NS, ST_EVENT_KERNEL_LOG, "usb", "");
    happens(NOON_NS + 40 * MINUTE_NS + ST_NS_PER_S, ST_EVENT_HEARD, "key", "");
    happens(NOON_NS + 50 * MINUTE_NS, ST_EVENT_KERNEL_LOG, "kernel", "");
    happens(NOON_NS + 50 * MINUTE_NS + ST_NS_PER_S, ST_EVENT_HEARD, "page", "");
    json_t *read = document(), *marks = json_object_get(read, "marks");
    names(marks, 0, "kernel-log-usb");
    names(marks, 1, "kernel-log");
    json_decref(read);
}

/* Wake-ups too little late to be heard; which of these was beside them comes before each mark. */
static void pressure_and_heat_are_causes(void **state)
{
    static const struct {
        struct st_event_pressure pressure;
        const char *text;
    } rows[] = {
        {{.pressure_memory_permille = 500, .pressure_io_permille = 20},
         "programs waited for memory"},
        {{.pressure_io_permille = 200}, "programs waited for the disk"},
        {{.throttles_n = 2}, "the CPU slowed itself down because of heat"},
    };
    open_it();
    frames = 1024;
    ST_EACH (row, rows) {
        const int64_t from_ns = NOON_NS + (row - rows) * DAY_NS;
        st_history_begin(history);
        play(from_ns, 60);
        for (int64_t i = 0; i < 5; i++) {
            struct st_event late =
                st_event_make(from_ns + (5 + 10 * i) * MINUTE_NS, ST_EVENT_LATE_WAKE, "%s", "");
            late.lateness_ns = 6 * ST_NS_PER_MS;
            late.pressure = row->pressure;
            st_history_add_event(history, &late);
            happens(late.wall_ns + ST_NS_PER_S, ST_EVENT_HEARD, "key", "");
        }
        assert_int_equal(st_history_commit(history), 0);
        json_t *read = document_since(from_ns);
        assert_non_null(strstr(text_of(read, "text"),
                               st_text("5 marks: 5 of 5 clicks came after this: %s (", row->text)));
        json_decref(read);
    }
    frames = 128;
}

/* The buffer lasts 5.33 ms, and later its length is not known. */
static void a_late_wake_up_within_half_the_buffer_is_no_cause(void **state)
{
    static const struct {
        int64_t at_ns, lateness_ns;
        bool cause;
    } rows[] = {{NOON_NS + MINUTE_NS, 2 * ST_NS_PER_MS, false},
                {NOON_NS + 2 * MINUTE_NS, 3 * ST_NS_PER_MS, true},
                {NOON_NS + 12 * MINUTE_NS, 2 * ST_NS_PER_MS, true}};
    open_it();
    st_history_begin(history);
    frames = 256;
    play(NOON_NS, 5);
    frames = 128;
    add_watches("pulseaudio", NOON_NS + 10 * MINUTE_NS, 5, INT64_MIN, 1);
    ST_EACH (row, rows) {
        struct st_event late = st_event_make(row->at_ns, ST_EVENT_LATE_WAKE, "%s", "");
        late.lateness_ns = row->lateness_ns;
        st_history_add_event(history, &late);
        happens(row->at_ns + ST_NS_PER_S, ST_EVENT_HEARD, "key", "");
    }
    json_t *read = document(), *marks = json_object_get(read, "marks");
    for (size_t i = 0; i < ST_ARRAY_LEN(rows); i++)
        assert_true(json_is_null(json_object_get(json_array_get(marks, i), "cause")) ==
                    !rows[i].cause);
    json_decref(read);
}

/* Trial 4: a gap of 277 ms of a program that is not watched was laid to a late wake-up of 13.7 ms,
 * 18 s before. */
static void a_late_wake_up_long_before_a_mark_was_not_heard(void **state)
{
    open_it();
    st_history_begin(history);
    frames = 1024;
    play(NOON_NS, 5);
    frames = 128;
    for (int64_t i = 0; i < 2; i++) {
        const int64_t at_ns = NOON_NS + (1 + i) * MINUTE_NS;
        struct st_event late =
            st_event_make(at_ns - (i == 0 ? 18 : 3) * ST_NS_PER_S, ST_EVENT_LATE_WAKE, "%s", "");
        struct st_event heard = st_event_make(at_ns, ST_EVENT_HEARD, "%s", "");
        late.lateness_ns = 13655000;
        snprintf(heard.source, sizeof(heard.source), "typed");
        snprintf(heard.client, sizeof(heard.client), "Game");
        st_history_add_event(history, &late);
        st_history_add_event(history, &heard);
    }
    json_t *read = document(), *marks = json_object_get(read, "marks");
    assert_true(json_is_null(json_object_get(json_array_get(marks, 0), "cause")));
    assert_false(json_is_null(json_object_get(json_array_get(marks, 1), "cause")));
    for (size_t i = 0; i < 2; i++)
        assert_string_equal(text_of(json_array_get(marks, i), "unheard"), "Game");
    json_decref(read);
}

/* A dropout that no one explains, a mark a second after it, and what `history --events` knows,
 * too. */
static void a_mark_says_whether_the_test_loop_was_on_time(void **state)
{
    open_it();
    struct st_event late = st_event_make(NOON_NS + 10 * ST_NS_PER_S, ST_EVENT_LATE_WAKE, "%s", "");
    late.lateness_ns = 3 * ST_NS_PER_MS;
    late.cause = ST_CAUSE_FIRMWARE;
    struct st_event dropout =
        st_event_make(NOON_NS + 20 * ST_NS_PER_S, ST_EVENT_DEVICE_DROPOUT, "%s", "");
    dropout.count_n = 1;
    dropout.loop_cpu = 0;
    add(NOON_NS, 100, 1000); /* the minute that tells it */
    st_history_begin(history);
    play(NOON_NS, 3);
    st_history_add_event(history, &late);
    for (int64_t i = 0; i < 3; i++) { /* the last one after the minute */
        st_history_add_event(history, &dropout);
        happens(dropout.wall_ns + ST_NS_PER_S, ST_EVENT_HEARD, "key", "");
        dropout.wall_ns += 25 * ST_NS_PER_S;
    }
    late.wall_ns = NOON_NS + 45 * ST_NS_PER_S;
    st_history_add_event(history, &late);
    json_t *read = document(), *marks = json_object_get(read, "marks");
    assert_has(text_of(json_array_get(marks, 0), "text"),
               "; the timing test (CPU 0) was not late enough to explain the dropout");
    assert_has(text_of(json_array_get(marks, 1), "text"),
               "; meanwhile the timing test woke up 3.000 ms late: the computer's firmware");
    assert_null(strstr(text_of(json_array_get(marks, 2), "text"), "timing test"));
    json_decref(read);
}

/* A machine that wakes late five times a second: what happened before six marks is known
 * nevertheless. */
static void many_late_wake_ups_hide_no_mark(void **state)
{
    open_it();
    const int64_t from_ns = 1000 * MINUTE_NS;
    st_history_begin(history);
    play(from_ns, 30);
    for (int64_t i = 0; i < 6; i++) {
        struct st_event event =
            st_event_make(from_ns + (2 + i) * MINUTE_NS, ST_EVENT_DEVICE_DROPOUT, "%s", "");
        ST_PRINT(event.source, "pipewire");
        event.place = ST_DROPOUT_AT_RESYNC;
        event.count_n = 1;
        st_history_add_event(history, &event);
        happens(event.wall_ns + ST_NS_PER_S, ST_EVENT_HEARD, "key", "");
    }
    for (int64_t i = 0; i < 6000; i++) {
        struct st_event event = st_event_make(from_ns + 9 * MINUTE_NS + i * 200 * ST_NS_PER_MS,
                                              ST_EVENT_LATE_WAKE, "%s", "");
        event.lateness_ns = event.span_ns = 3 * ST_NS_PER_MS;
        event.pressure.pressure_memory_permille = 200;
        event.pressure.pressure_io_permille = 200;
        event.pressure.throttles_n = 1;
        st_history_add_event(history, &event);
    }
    json_t *read = document();
    assert_has(text_of(read, "text"), "6 marks: 6 of 6 clicks came after this: a second card");
    json_decref(read);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(marks_count_while_a_server_without_a_size_plays),
        TEST(a_cause_before_each_mark_is_named),
        TEST(a_mark_is_joined_with_the_loss_not_with_when_it_was_noticed),
        TEST(a_mark_names_what_was_lost_longest),
        TEST(a_mark_names_what_was_lost_soon_before_it),
        TEST(the_first_line_says_what_the_marks_name),
        TEST(what_went_on_after_a_mark_is_not_what_it_names),
        TEST(the_end_of_a_server_is_what_a_mark_names),
        TEST(a_late_wake_up_long_before_a_mark_was_not_heard),
        TEST(a_mark_says_whether_the_test_loop_was_on_time),
        TEST(a_cause_before_each_mark_in_too_short_a_time_is_not_named),
        TEST(what_most_marks_name_may_be_chance),
        TEST(what_happens_all_the_time_is_said_to_be_too_frequent),
        TEST(marks_that_do_not_count_are_said),
        TEST(what_slowed_the_machine_is_said_of_the_dropout),
        TEST(the_kernel_log_is_a_cause),
        TEST(pressure_and_heat_are_causes),
        TEST(many_late_wake_ups_hide_no_mark),
        TEST(a_late_wake_up_within_half_the_buffer_is_no_cause),
        TEST(marks_without_music_are_shown_and_tell_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
