/* Linux: memory and disks. */
#include "advisor/rules/machine.h"
#include "platform/proc.h"

/* --- linux-swap: is there swap on disks, and how early does the kernel use it? --- */

#define SWAPPINESS_LOW 10

/** Is memory of a sound server, or of a program that plays, in swap on a disk now? @return true:
 * the finding is set. */
static bool is_swapped(struct st_finding *finding)
{
    static const char *const servers[] = {"pipewire", "pipewire-pulse", "jackd",
                                          "jackdbus", "pulseaudio",     NULL};
    const struct st_fact *most = NULL;
    ST_FACTS_EACH (fact, finding->facts, ST_KEYS_SWAPPED, ".kib") {
        const char *name = st_fact_beside_text_or(fact, "name", "");
        if (fact->is_int && name[0] != '\0' &&
            (st_text_is_among(name, servers) ||
             st_machine_plays(finding->facts, name, st_fact_part(fact, ST_KEYS_SWAPPED))))
            most = st_fact_larger(most, fact);
    }
    st_finding_quote(finding, most);
    /* with a long period and no dropout this does no harm: memory that was used only at the start
     * may stay in swap for ever; nor does swap in memory (zram), while none on a disk is in use */
    if (most == NULL || st_rule_is_at_ease(finding) ||
        st_facts_int_or(finding->facts, ST_KEY_SWAP_OTHER_USED_KIB, 1) == 0)
        return false;
    st_finding_advice(finding,
                      "%.40s has %.1f MiB of its memory in swap, and may have to wait for the "
                      "disk when it needs that memory",
                      st_fact_beside_text_or(most, "name", ""), (double)most->i64 / 1024);
    st_finding_fix(finding,
                   "# reads all swap back, which needs as much free memory\n"
                   "for f in $(awk '/^\\// && !/zram/ {print $1}' /proc/swaps); do\n"
                   "    sudo swapoff $f && sudo swapon $f\n"
                   "done",
                   "# let the program lock its memory: sleeptune report linux-memlock",
                   ST_NEEDS_NOTHING);
    return true;
}

static void judge_swap(struct st_finding *finding)
{
    int64_t zram, other, swappiness;
    if (is_swapped(finding) || st_finding_need_int(finding, ST_KEY_SWAP_OTHER_N, &other) != 0 ||
        st_finding_need_int(finding, ST_KEY_SWAP_ZRAM_N, &zram) != 0)
        return;
    const bool zswap =
        !st_machine_is_off(st_facts_text_or(finding->facts, ST_KEY_ZSWAP_ENABLED, "N"));
    if (other <= 0 && zram <= 0)
        st_finding_not_applicable(
            finding, "this machine has no swap, so no program waits for memory on the disk");
    else if (st_finding_need_in(finding, ST_KEY_SYSCTL_VM_SWAPPINESS, 0, 200, &swappiness) != 0)
        return;
    else if (other <= 0 || zswap)
        st_finding_ok(finding,
                      "swapped memory is kept in compressed form (zram or zswap), so a high "
                      "swappiness is right (here %jd)",
                      swappiness);
    else if (zram > 0 && st_facts_int_or(finding->facts, ST_KEY_SWAP_ZRAM_FIRST, 0) != 0)
        st_finding_ok(finding,
                      "the kernel swaps to compressed memory (zram) first and to the disk later, "
                      "so a high swappiness is right (here %jd)",
                      swappiness);
    else if (swappiness <= SWAPPINESS_LOW)
        st_finding_ok(finding,
                      "the kernel swaps to disk only when memory is short (swappiness %jd)",
                      swappiness);
    else
        st_rule_advise(finding,
                       "the kernel may swap memory to disk early (swappiness %jd); then a program "
                       "waits for the disk. Only locked memory is safe",
                       swappiness);
}

const struct st_rule st_rule_linux_swap = {
    .id = "linux-swap",
    .title = "Swap on disk",
    .mechanism = "When a thread uses memory that was swapped out, it waits until the kernel has "
                 "read that memory from the disk. Locked memory is never swapped out, but samples "
                 "and plug-ins are often not locked.",
    .cost = "memory: less memory for the file cache",
    .when_not = "swap is in memory (zram or zswap), which needs a high swappiness; or the machine "
                "has no swap",
    .sources =
        "Linux documentation: admin-guide/sysctl/vm.rst (swappiness is 0 to 200, by default 60); "
        "systems with zram use 100 to 180\n"
        "limits that sleeptune chose: it judges a program's memory in swap for periods below 5 ms, "
        "and for longer ones after a dropout\n"
        "10 is the value of old audio guides; a user's report: discourse.ardour.org/t/113456 (the "
        "desktop used ever more memory and filled the swap)",
    ST_MACHINE_SYSCTL_FIX("vm.swappiness", "10", "60"),
    .facts = ST_RULE_KEYS(ST_KEY_SYSCTL_VM_SWAPPINESS, ST_KEY_SWAP_ZRAM_N, ST_KEY_SWAP_OTHER_N,
                          ST_KEY_SWAP_ZRAM_FIRST, ST_KEY_SWAP_OTHER_USED_KIB, ST_KEY_ZSWAP_ENABLED,
                          ST_MUSIC_COUNTED, ST_KEYS_SWAPPED "*.kib", ST_KEYS_SWAPPED "*.name",
                          ST_MACHINE_PLAYS),
    .judge = judge_swap,
};

/* --- linux-numa-balancing: does the kernel move memory between processors while programs use it?
 * --- */

const struct st_rule st_rule_linux_numa_balancing = {
    .id = "linux-numa-balancing",
    .title = "Automatic NUMA balancing (computers with several processors)",
    .mechanism = "On a computer in which each processor has memory of its own (NUMA), the kernel "
                 "takes parts of their memory away from programs now and then, even locked ones, "
                 "to see which processor uses them. A thread that uses such memory next must stop, "
                 "maybe until the memory has moved.",
    .cost = "throughput: a program may keep memory that is far from its processor",
    .when_not = "usual computers with one processor: the setting is off there",
    .sources =
        "Linux documentation: admin-guide/sysctl/kernel.rst, numa_balancing (0 off, 1 on, 2 for "
        "memory of different speed); Linux source code: kernel/sched/fair.c, task_numa_work\n"
        "the profiles network-latency and realtime of tuned turn it off, too\n"
        "not measured: how many µs it takes",
    ST_MACHINE_SYSCTL_FIX("kernel.numa_balancing", "0", "1"),
    .facts = ST_RULE_KEYS("linux.sysctl.kernel.numa_balancing"),
    .cases =
        ST_RULE_CASES({0, ST_STATUS_OK,
                       "the kernel does not move memory between processors while programs use it"},
                      {0, ST_STATUS_ADVICE,
                       "the kernel moves memory between processors while programs use it, which "
                       "makes them wait (numa_balancing {})"}),
};

/* --- linux-huge-pages: do programs wait at a page fault while the kernel makes huge pages? --- */

/** The value in [brackets], which the kernel uses now; NULL: no value is in brackets, and the
 * finding is set. */
static const char *chosen_of(struct st_finding *finding, const char *text)
{
    const char *chosen = st_proc_chosen(text);
    if (chosen == NULL)
        st_finding_unknown(
            finding, "whether huge pages are on is unknown: no value in \"%.60s\" is in [brackets]",
            text);
    return chosen;
}

static void judge_huge_pages(struct st_finding *finding, const char *text)
{
    const char *enabled = chosen_of(finding, text), *defrag;
    if (enabled == NULL)
        return;
    if (!st_text_is(enabled, "always")) {
        st_finding_fine(finding,
                        "only programs that ask for huge pages get them (%s), so other programs do "
                        "not wait for them",
                        enabled);
    } else if (st_finding_need_text(finding, ST_KEY_THP_DEFRAG, &text) != 0 ||
               (defrag = chosen_of(finding, text)) == NULL) {
        return;
    } else if (st_text_is(defrag, "always")) {
        st_rule_advise(finding,
                       "a program that uses new memory may have to wait for milliseconds while the "
                       "kernel moves other memory (huge pages: always, defrag: always)");
    } else {
        st_finding_ok(finding,
                      "all programs get huge pages, but those that do not ask for them never wait "
                      "while the kernel moves memory (defrag %s)",
                      defrag);
    }
}

const struct st_rule st_rule_linux_huge_pages = {
    .id = "linux-huge-pages",
    .title = "Huge pages of memory (transparent huge pages)",
    .mechanism = "With defrag 'always' a thread that uses new memory may stop for milliseconds, "
                 "until the kernel has moved enough memory to make a huge page. Memory that the "
                 "program has used before is not affected.",
    .cost = "throughput: only programs that ask for huge pages get them",
    .when_not =
        "you use large sample libraries, which are faster with huge pages: then set only 'defrag' "
        "to 'madvise'. Set 'enabled' to 'never' only if no delay at all is allowed",
    .sources = "Linux documentation: admin-guide/mm/transhuge.rst (enabled, defrag); commit "
               "21440d7eb904 (the value defer+madvise)\n"
               "not measured: what it costs that the kernel also moves memory in the background "
               "(khugepaged)",
    .now = "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled "
           "/sys/kernel/mm/transparent_hugepage/defrag",
    .persistent = "# /etc/tmpfiles.d/sleeptune.conf\n"
                  "w /sys/kernel/mm/transparent_hugepage/enabled - - - - madvise\n"
                  "w /sys/kernel/mm/transparent_hugepage/defrag - - - - madvise",
    .check = "grep . /sys/kernel/mm/transparent_hugepage/enabled "
             "/sys/kernel/mm/transparent_hugepage/defrag   # [madvise]",
    .undo = "delete the lines in /etc/tmpfiles.d/sleeptune.conf and restart",
    .facts = ST_RULE_KEYS(ST_KEY_THP_ENABLED, ST_KEY_THP_DEFRAG),
    .changes =
        ST_RULE_CHANGES({ST_CHANGE_SYSFS, "/sys/kernel/mm/transparent_hugepage/enabled", "madvise"},
                        {ST_CHANGE_SYSFS, "/sys/kernel/mm/transparent_hugepage/defrag", "madvise"}),
    .judge_text = judge_huge_pages,
};

/* --- linux-memory-out: did memory run out? --- */

const struct st_rule st_rule_linux_memory_out = {
    .id = "linux-memory-out",
    .title = "Memory that ran out",
    .mechanism =
        "When no memory is left, the kernel drops the code of running programs (sound servers, "
        "too), reads it again from the disk, and then ends a program. Sound stops for seconds.",
    .when_not = "memory ran out because of a test, or of a program that you have ended since",
    .sources = "what the kernel logs: \"Out of memory: Killed process\" (Linux source code, "
               "mm/oom_kill.c); a line that begins with \"Memory cgroup\" is about the limit of "
               "one group of programs",
    .persistent = "# close programs, or add memory; swap in compressed memory (zram, which Fedora "
                  "has already) gives some time:\n"
                  "sudo apt install systemd-zram-generator   # Debian, Ubuntu\n"
                  "sudo pacman -S zram-generator   # Arch; then see zram-generator.conf(5)",
    .needs = ST_NEEDS_REBOOT,
    .check = "journalctl -k -b | grep 'Out of memory'   # nothing",
    .undo = "remove the package that you installed",
    .facts = ST_RULE_KEYS(ST_KEY_KERNEL_LOG_MEMORY_N),
    .cases = ST_RULE_CASES(
        {0, ST_STATUS_OK,
         "memory has not run out since the computer was started, by the kernel's log"},
        {0, ST_STATUS_ADVICE,
         "memory ran out, and the kernel ended programs to get some back; number of programs in "
         "its log: {}"}),
};
