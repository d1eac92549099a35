/* Who had the CPU, from scheduler and interrupt events. */
#include "core/stats/random.h"
#include "daemon/causes/cpu_trace.h"
#include "tests/fake/fake.h"
#include "tests/unit/shown.h"

#define LOOP 100
#define HOG  4711
#define US   INT64_C(1000)

static struct st_trace_event switched(int64_t at_us, int cpu, int prev, const char *prev_name,
                                      int next, const char *next_name)
{
    struct st_trace_event e = {
        .at_ns = at_us * US, .cpu = cpu, .kind = ST_TRACE_SWITCH, .pid = next, .prev_pid = prev};
    ST_PRINT(e.name, "%s", next_name);
    ST_PRINT(e.prev_name, "%s", prev_name);
    return e;
}

static struct st_trace_event waking(int64_t at_us)
{
    return (struct st_trace_event){.at_ns = at_us * US, .kind = ST_TRACE_WAKING, .pid = LOOP};
}

static struct st_trace_event interrupt(int64_t at_us, enum st_trace_kind kind, int number,
                                       const char *name)
{
    struct st_trace_event e = {.at_ns = at_us * US, .kind = kind, .number = number};
    ST_PRINT(e.name, "%s", name);
    return e;
}

/* Who is found, in us. */
static void look(const struct st_trace_event *events, size_t n, enum st_cause cause, int64_t due_us,
                 int64_t woke_us)
{
    struct st_trace_culprit c;
    const int r = st_cpu_trace_find_culprit(events, n, LOOP, cause, due_us * US, woke_us * US, &c);
    if (r != 0)
        show("%s", r == -ENOENT ? "no one" : r == -ENODATA ? "not yet known" : "error");
    else
        show("%s %jd waited %jd turns %jd CPU %d%s%s", c.name, c.ns / US, c.waited_ns / US,
             c.turns_ns / US, c.cpu, c.waking_was_seen ? ", waking seen" : "",
             c.explains ? ", explains" : "");
}

static void thread_that_kept_the_cpu_is_named_with_its_length(void **state)
{
    const struct st_trace_event events[] = {
        switched(900, 0, 0, "swapper/0", HOG, "hog"),
        waking(1004),
        switched(4000, 0, HOG, "hog", LOOP, "st-loop"),
    };
    look(events, 3, ST_CAUSE_RUN_QUEUE, 1000,
         4003); /* from the waking: it did not delay the wake-up before; from switch to switch */
    look(events, 3, ST_CAUSE_RUN_QUEUE, 1000, 1000 + 5 * 2996); /* a fifth of the time */
    look(events, 3, ST_CAUSE_RUN_QUEUE, 1000, 1000 + 5 * 2997); /* less */
}

static void who_had_the_cpu_before_the_first_event_is_known_by_the_switch_from_it(void **state)
{
    const struct st_trace_event events[] = {
        switched(990, 0, 0, "swapper/0", 9, "elsewhere"), /* there was a trace by then */
        switched(4000, 1, HOG, "hog", LOOP, "st-loop"),
    };
    look(events, 2, ST_CAUSE_RUN_QUEUE, 1000, 4001); /* it may have had it for long */
}

/* "chrt -f 80 audiohog": it gets the CPU as chrt, and becomes audiohog on it */
static void program_has_its_name_after_exec(void **state)
{
    const struct st_trace_event events[] = {
        switched(1001, 0, 0, "swapper/0", HOG, "chrt"),
        waking(1004),
        switched(2000, 0, HOG, "audiohog", 9, "other"),
        switched(2010, 0, 9, "other", HOG, "audiohog"),
        switched(4000, 0, HOG, "audiohog", LOOP, "st-loop"),
    };
    look(events, 3, ST_CAUSE_RUN_QUEUE, 1000, 4003);
    look(events, 5, ST_CAUSE_RUN_QUEUE, 1000, 4003); /* under both names */
}

static struct st_trace_event lost(int64_t at_us, int cpu)
{
    return (struct st_trace_event){.at_ns = at_us * US, .cpu = cpu, .kind = ST_TRACE_LOST};
}

static void time_before_the_oldest_event_is_nobodys(void **state)
{
    /* due at 1 s; the ring was overwritten up to 601 s */
    const int64_t s = 1000000, due_ns = s * US, woke_ns = 603 * s * US;
    const struct st_trace_event overwritten[] = {
        switched(601 * s, 1, 19726, "innocent", 50, "sh"),
        {.at_ns = 602 * s * US, .cpu = 1, .kind = ST_TRACE_WAKING, .pid = LOOP},
        switched(603 * s, 1, 50, "sh", LOOP, "st-loop"),
    };
    look(overwritten, 3, ST_CAUSE_RUN_QUEUE, due_ns / US, woke_ns / US);
    look(overwritten, 3, ST_CAUSE_TIMER, due_ns / US, woke_ns / US);
    /* of 3 ms the last 1 ms was seen */
    const struct st_trace_event half[] = {
        switched(3000, 0, 77, "innocent", HOG, "hog"),
        switched(4000, 0, HOG, "hog", LOOP, "st-loop"),
    };
    look(half, 2, ST_CAUSE_RUN_QUEUE, 1000, 4001); /* there may have been others before it */
}

static void time_of_which_the_ring_lost_the_events_is_nobodys(void **state)
{
    /* what was left of the page that was read last; then the ring was overwritten, on this CPU
     * only */
    const struct st_trace_event events[] = {
        switched(900, 0, 0, "swapper/0", 77, "innocent"),
        switched(950, 1, 0, "swapper/1", 9, "elsewhere"),
        waking(1001),
        interrupt(1050, ST_TRACE_SOFTIRQ_ENTRY, 3, ""),
        lost(3000, 0),
        interrupt(3000, ST_TRACE_SOFTIRQ_EXIT, 3, ""),
        switched(3300, 0, 77, "innocent", HOG, "hog"),
        switched(4000, 0, HOG, "hog", LOOP, "st-loop"),
    };
    look(events, 8, ST_CAUSE_RUN_QUEUE, 1000, 4001);
    /* who has the CPU after the gap is known by the switch from it, unless there is another gap
     * before that */
    const struct st_trace_event after[] = {
        switched(900, 0, 0, "swapper/0", 77, "innocent"),
        waking(1001),
        lost(2000, 0),
        switched(4000, 0, 77, "innocent", LOOP, "st-loop"),
    };
    look(after, 4, ST_CAUSE_RUN_QUEUE, 1000, 4001);
    const struct st_trace_event two[] = {
        switched(900, 0, 0, "swapper/0", 77, "innocent"),
        waking(1001),
        lost(2000, 0),
        interrupt(3500, ST_TRACE_IRQ_ENTRY, 27, "hda"),
        lost(3900, 0),
        switched(4000, 0, 77, "innocent", LOOP, "st-loop"),
    };
    look(two, 6, ST_CAUSE_RUN_QUEUE, 1000, 4001);
    /* another CPU's gap is no matter */
    const struct st_trace_event other[] = {
        switched(900, 0, 0, "swapper/0", HOG, "hog"),
        waking(1001),
        lost(3900, 1),
        switched(4000, 0, HOG, "hog", LOOP, "st-loop"),
    };
    look(other, 4, ST_CAUSE_RUN_QUEUE, 1000, 4001);
}

static void turns_before_a_gap_are_not_counted(void **state)
{
    const struct st_trace_event events[] = {
        switched(100, 0, 0, "swapper/0", HOG, "hog"),
        lost(500, 0),
        waking(1001),
        switched(4000, 0, HOG, "hog", LOOP, "st-loop"),
    };
    look(events, 4, ST_CAUSE_RUN_QUEUE, 1000, 4001);
}

static void without_its_waking_since_when_it_waited_is_not_known(void **state)
{
    const struct st_trace_event events[] = {
        switched(900, 0, 0, "swapper/0", HOG, "hog"),
        interrupt(1200, ST_TRACE_IRQ_ENTRY, 27, "hda"),
        interrupt(2200, ST_TRACE_IRQ_EXIT, 27, ""),
        switched(4000, 0, HOG, "hog", LOOP, "st-loop"),
    };
    /* by the counters it waited for its CPU: the hog had it, but since when it was waited for is
     * not known */
    look(events, 4, ST_CAUSE_RUN_QUEUE, 1000, 4001);
    /* nothing says that it waited: what remains is the interrupt, whose time nobody else had */
    const enum st_cause causes[] = {ST_CAUSE_TIMER, ST_CAUSE_UNKNOWN};
    ST_EACH (cause, causes) {
        look(events, 4, *cause, 1000, 4001);
    }
}

static void the_longest_of_several_is_named(void **state)
{
    const struct st_trace_event events[] = {
        waking(1001),
        switched(1500, 0, 7, "short", HOG, "hog"),
        switched(3500, 0, HOG, "hog", 8, "other"),
        switched(4000, 0, 8, "other", HOG, "hog"),
        switched(4400, 0, HOG, "hog", LOOP, "st-loop"),
    };
    look(events, 5, ST_CAUSE_RUN_QUEUE, 1000, 4500); /* both of its turns */
}

static void turns_are_whole_with_their_interrupts_and_those_of_the_time_only(void **state)
{
    const struct st_trace_event events[] = {
        switched(100, 0, HOG, "hog", 0,
                 "swapper/0"), /* since when is not known: it does not count */
        switched(300, 0, 0, "swapper/0", HOG, "hog"),
        switched(400, 0, HOG, "hog", 0, "swapper/0"),
        switched(700, 0, 0, "swapper/0", HOG, "hog"),
        switched(800, 1, HOG, "hog", HOG, "hog"), /* another CPU */
        interrupt(900, ST_TRACE_IRQ_ENTRY, 27, "hda"),
        waking(1004),
        interrupt(1100, ST_TRACE_IRQ_EXIT, 27, ""),
        switched(3000, 0, HOG, "hog", 14, "migration/0"),
        switched(3050, 0, 14, "migration/0", HOG, "hog"),
        switched(4000, 0, HOG, "hog", LOOP, "st-loop"),
        switched(4010, 0, LOOP, "st-loop", HOG, "hog"),
    };
    look(events, 12, ST_CAUSE_RUN_QUEUE, 1000, 4003); /* from 1100 on, less 50 */
}

static void turns_of_which_an_event_was_lost_are_not_known(void **state)
{
    const struct st_trace_event events[] = {
        switched(700, 0, 0, "swapper/0", HOG, "hog"),
        waking(1004), /* the hog's switch to another thread was lost */
        switched(1100, 0, 77, "other", HOG, "hog"),
        switched(4000, 0, HOG, "hog", LOOP, "st-loop"),
    };
    look(events, 4, ST_CAUSE_RUN_QUEUE, 1000, 4003);
}

static void interrupt_is_taken_off_the_thread_below_it(void **state)
{
    const struct st_trace_event events[] = {
        switched(900, 0, 0, "swapper/0", HOG, "hog"),
        waking(1000),
        interrupt(1200, ST_TRACE_SOFTIRQ_ENTRY, 3, ""),
        interrupt(1500, ST_TRACE_IRQ_ENTRY, 27, "hda"),
        interrupt(3500, ST_TRACE_IRQ_EXIT, 27, ""),
        interrupt(3600, ST_TRACE_SOFTIRQ_EXIT, 3, ""),
        switched(4000, 0, HOG, "hog", LOOP, "st-loop"),
    };
    look(events, 7, ST_CAUSE_RUN_QUEUE, 1000, 4001); /* turns are a thread's */
}

static void softirq_has_the_kernels_name(void **state)
{
    const struct st_trace_event events[] = {
        interrupt(900, ST_TRACE_SOFTIRQ_ENTRY, 3, ""),
        waking(3000),
        interrupt(3900, ST_TRACE_SOFTIRQ_EXIT, 3, ""),
        switched(4000, 0, 0, "swapper/0", LOOP, "st-loop"),
    };
    look(events, 4, ST_CAUSE_RUN_QUEUE, 1000,
         4001); /* before the waking, too: it may be what kept the timer */
}

/* Interrupts were off until 3900, or the host had taken the CPU away: the events are the same. */
static const struct st_trace_event waking_came_late[] = {
    {.at_ns = 900 * US,
     .kind = ST_TRACE_SWITCH,
     .pid = HOG,
     .name = "hog",
     .prev_name = "swapper/0"},
    {.at_ns = 3900 * US, .kind = ST_TRACE_WAKING, .pid = LOOP},
    {.at_ns = 4000 * US, .kind = ST_TRACE_SWITCH, .pid = LOOP, .prev_pid = HOG, .prev_name = "hog"},
};

static void
thread_counts_before_the_waking_when_the_waking_was_what_came_late_on_bare_metal(void **state)
{
    look(waking_came_late, 3, ST_CAUSE_TIMER, 1000, 4001);
}

static void thread_that_was_there_when_the_host_took_the_cpu_is_not_blamed(void **state)
{
    look(waking_came_late, 3, ST_CAUSE_HYPERVISOR_OR_INTERRUPT, 1000, 4001);
    const struct st_trace_event after[] = {
        waking(1001), /* nor is it when the host took it between the waking and the switch */
        switched(4000, 0, HOG, "hog", LOOP, "st-loop"),
    };
    look(after, 2, ST_CAUSE_HYPERVISOR_OR_INTERRUPT, 1000, 4001);
}

static void of_a_wait_for_the_cpu_only_the_wait_is_a_threads(void **state)
{
    const enum st_cause causes[] = {ST_CAUSE_RUN_QUEUE, ST_CAUSE_UNKNOWN};
    ST_EACH (cause, causes) {
        look(waking_came_late, 3, *cause, 3600, 4000);
        look(waking_came_late, 3, *cause, 1000, 4001);
    }
}

static void in_a_guest_an_interrupt_has_the_time_from_its_entry_to_its_exit(void **state)
{
    const struct st_trace_event events[] = {
        switched(900, 0, 0, "swapper/0", HOG, "hog"),
        interrupt(1100, ST_TRACE_IRQ_ENTRY, 27, "hda"),
        waking(1200),
        interrupt(3100, ST_TRACE_IRQ_EXIT, 27, ""),
        switched(4000, 0, HOG, "hog", LOOP, "st-loop"),
    };
    look(events, 5, ST_CAUSE_HYPERVISOR_OR_INTERRUPT, 1000, 4001);
}

static void interrupt_without_its_exit_has_no_time(void **state)
{
    const struct st_trace_event other = interrupt(3100, ST_TRACE_IRQ_EXIT, 28, "");
    const struct st_trace_event preempted = switched(3100, 0, HOG, "hog", HOG, "hog");
    const struct st_trace_event next = interrupt(3100, ST_TRACE_IRQ_ENTRY, 28, "usb");
    const struct st_trace_event *const ends[] = {&other, &preempted, &next};
    ST_EACH (end, ends) {
        const struct st_trace_event events[] = {
            switched(900, 0, 0, "swapper/0", HOG, "hog"),   waking(1001),
            interrupt(1100, ST_TRACE_IRQ_ENTRY, 27, "hda"), **end,
            switched(4000, 0, HOG, "hog", LOOP, "st-loop"),
        };
        look(events, 5, ST_CAUSE_HYPERVISOR_OR_INTERRUPT, 1000, 4001);
        look(events, 5, ST_CAUSE_RUN_QUEUE, 1000, 4001); /* it was its turn */
        look(events, 5, ST_CAUSE_KERNEL, 1000, 4001);    /* in the kernel */
    }
}

static void what_is_no_others_doing_has_no_culprit(void **state)
{
    const struct st_trace_event events[] = {switched(4000, 1, HOG, "hog", LOOP, "st-loop")};
    const enum st_cause causes[] = {ST_CAUSE_STOPPED,  ST_CAUSE_RT_THROTTLING, ST_CAUSE_CPU_QUOTA,
                                    ST_CAUSE_OWN_WORK, ST_CAUSE_SUSPEND,       ST_CAUSE_PAGE_FAULT};
    ST_EACH (cause, causes) {
        look(events, 1, *cause, 1000, 4001);
    }
}

static void idle_cpu_has_no_culprit(void **state)
{
    const struct st_trace_event events[] = {
        switched(900, 0, HOG, "hog", 0, "swapper/0"),
        waking(3990),
        switched(4000, 0, 0, "swapper/0", LOOP, "st-loop"),
    };
    look(events, 3, ST_CAUSE_RUN_QUEUE, 1000, 4001);
}

static void who_had_it_for_a_moment_is_not_blamed(void **state)
{
    const struct st_trace_event events[] = {
        waking(1001),
        switched(1010, 0, 7, "kworker", 0, "swapper/0"), /* 10 us of 3 ms */
        switched(4000, 0, 0, "swapper/0", LOOP, "st-loop"),
    };
    look(events, 3, ST_CAUSE_RUN_QUEUE, 1000, 4001);
}

static void nobody_is_blamed_for_a_time_of_which_events_were_lost(void **state)
{
    const struct st_trace_event events[] = {
        switched(900, 0, 0, "swapper/0", HOG, "hog"),
        waking(1004), /* the hog's switch to another thread was lost */
        switched(4000, 0, 77, "other", LOOP, "st-loop"),
    };
    look(events, 3, ST_CAUSE_RUN_QUEUE, 1000, 4003);
}

static void other_cpus_and_other_times_do_not_count(void **state)
{
    const struct st_trace_event events[] = {
        switched(100, 0, 0, "swapper/0", LOOP, "st-loop"), /* the wake-up before */
        switched(950, 1, 0, "swapper/1", 9, "elsewhere"),
        waking(1001),
        switched(4000, 0, HOG, "hog", LOOP, "st-loop"),
        switched(5000, 0, LOOP, "st-loop", 9, "later"),
    };
    look(events, 5, ST_CAUSE_RUN_QUEUE, 1000, 4001);
    look(events, 3, ST_CAUSE_RUN_QUEUE, 1000, 4001); /* the ring lost it */
    look(events, 0, ST_CAUSE_RUN_QUEUE, 1000, 4001);
}

static void names_hold_no_control_characters(void **state)
{
    const struct st_trace_event events[] = {
        waking(1000),
        switched(4000, 0, HOG, "a\033[2J\n", LOOP, "st-loop"),
    };
    look(events, 2, ST_CAUSE_RUN_QUEUE, 1000, 4001);
}

/* Whatever the events are, nobody had the CPU longer than the time was. */
static void no_disorder_makes_more_time_than_there_was(void **state)
{
    struct st_random random = {.state = 7};
    unsigned named = 0;
    for (int round = 0; round < 20000; round++) {
        struct st_trace_event events[40];
        memset(events, 0, sizeof(events));
        int64_t at_ns = 0;
        for (size_t i = 0; i < 40; i++) {
            at_ns += (int64_t)(st_random_u64(&random) % 200);
            events[i].at_ns = at_ns;
            events[i].cpu = (int)(st_random_u64(&random) % 2);
            events[i].kind = (enum st_trace_kind)(st_random_u64(&random) % 7);
            events[i].pid = (int)(st_random_u64(&random) % 4);
            events[i].prev_pid = (int)(st_random_u64(&random) % 4);
            events[i].number = (int)(st_random_u64(&random) % 14) - 2;
        }
        const int64_t due_ns = (int64_t)(st_random_u64(&random) % 4000), woke_ns = due_ns + 1500;
        struct st_trace_culprit c;
        if (st_cpu_trace_find_culprit(events, 40, 1, ST_CAUSE_RUN_QUEUE, due_ns, woke_ns, &c) != 0)
            continue;
        named++;
        assert_true(c.ns > 0 && c.ns <= woke_ns - due_ns);
        assert_true(c.waited_ns >= 0 && c.waited_ns <= c.ns);
        assert_true(c.turns_ns == 0 || (c.turns_ns >= c.ns && c.turns_ns <= at_ns));
        assert_true(strlen(c.name) > 0);
    }
    assert_true(named > 1000);
}

static void a_name_that_the_kernel_cut_is_completed(void **state)
{
    static const struct {
        const char *name, *comm, *command, *wanted;
    } rows[] = {
        {"qemu-system-x86/7", "qemu-system-x86\n", "/usr/bin/qemu-system-x86_64",
         "qemu-system-x86_64/7"},
        {"qemu-system-x86/7", "bash\n", "/usr/bin/qemu-system-x86_64",
         "qemu-system-x86/7"}, /* a new process */
        {"Isolated Web Co/7", "Isolated Web Co\n", "/usr/lib/firefox/firefox", "Isolated Web Co/7"},
        {"hog/7", "hog\n", "/bin/hogwarts", "hog/7"}, /* not cut */
        {"irq/27-snd_hda_i", "irq/27-snd_hda_\n", "", "irq/27-snd_hda_i"},
    };
    ST_EACH (row, rows) {
        struct st_platform *p = st_fake_new(ST_OS_LINUX, 0);
        struct st_trace_culprit culprit = {.ns = 1};
        ST_PRINT(culprit.name, "%s", row->name);
        assert_int_equal(st_fake_set_file(p, "/proc/7/comm", row->comm, 0), 0);
        assert_int_equal(st_fake_set_file(p, "/proc/7/cmdline", row->command, 0), 0);
        st_cpu_trace_complete_name(p, &culprit);
        assert_string_equal(culprit.name, row->wanted);
        st_fake_free(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thread_that_kept_the_cpu_is_named_with_its_length),
        cmocka_unit_test(program_has_its_name_after_exec),
        cmocka_unit_test(who_had_the_cpu_before_the_first_event_is_known_by_the_switch_from_it),
        cmocka_unit_test(time_before_the_oldest_event_is_nobodys),
        cmocka_unit_test(time_of_which_the_ring_lost_the_events_is_nobodys),
        cmocka_unit_test(turns_before_a_gap_are_not_counted),
        cmocka_unit_test(without_its_waking_since_when_it_waited_is_not_known),
        cmocka_unit_test(the_longest_of_several_is_named),
        cmocka_unit_test(turns_are_whole_with_their_interrupts_and_those_of_the_time_only),
        cmocka_unit_test(turns_of_which_an_event_was_lost_are_not_known),
        cmocka_unit_test(interrupt_is_taken_off_the_thread_below_it),
        cmocka_unit_test(softirq_has_the_kernels_name),
        cmocka_unit_test(
            thread_counts_before_the_waking_when_the_waking_was_what_came_late_on_bare_metal),
        cmocka_unit_test(thread_that_was_there_when_the_host_took_the_cpu_is_not_blamed),
        cmocka_unit_test(of_a_wait_for_the_cpu_only_the_wait_is_a_threads),
        cmocka_unit_test(in_a_guest_an_interrupt_has_the_time_from_its_entry_to_its_exit),
        cmocka_unit_test(interrupt_without_its_exit_has_no_time),
        cmocka_unit_test(what_is_no_others_doing_has_no_culprit),
        cmocka_unit_test(idle_cpu_has_no_culprit),
        cmocka_unit_test(who_had_it_for_a_moment_is_not_blamed),
        cmocka_unit_test(nobody_is_blamed_for_a_time_of_which_events_were_lost),
        cmocka_unit_test(other_cpus_and_other_times_do_not_count),
        cmocka_unit_test(names_hold_no_control_characters),
        cmocka_unit_test(a_name_that_the_kernel_cut_is_completed),
        cmocka_unit_test(no_disorder_makes_more_time_than_there_was),
    };
    return shown_run(tests);
}
