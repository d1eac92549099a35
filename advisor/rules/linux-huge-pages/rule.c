/* Transparent huge pages: compaction in the middle of a page fault. */
#include <string.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define ENABLED "linux.thp.enabled"
#define DEFRAG  "linux.thp.defrag"

#define NOW                                                                                                  \
    "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled "                                   \
    "/sys/kernel/mm/transparent_hugepage/defrag"
#define EVER                                                                                                 \
    "# /etc/tmpfiles.d/sleeptune.conf\nw /sys/kernel/mm/transparent_hugepage/enabled - - - - madvise\n"      \
    "w /sys/kernel/mm/transparent_hugepage/defrag - - - - madvise"

static int choice(struct st_finding *finding, const struct st_facts *facts, const char *key, char *ret,
                  size_t bytes)
{
    const char *text;
    int r = st_finding_need_text(finding, facts, key, &text);
    if (r != 0)
        return r;
    r = st_machine_choice(text, ret, bytes);
    if (r != 0)
        st_finding_set(finding, ST_STATUS_UNKNOWN, "\"%.60s\" names no choice", text);
    return r;
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    char enabled[32], defrag[32];
    (void)wish;
    if (choice(finding, facts, ENABLED, enabled, sizeof(enabled)) != 0)
        return;
    if (strcmp(enabled, "always") != 0) {
        st_finding_set(finding, ST_STATUS_OK, "huge pages only for programs that ask (%.20s)", enabled);
        st_finding_effect(finding, 0, "no compaction for programs that do not ask");
        return;
    }
    if (choice(finding, facts, DEFRAG, defrag, sizeof(defrag)) != 0)
        return;
    if (strcmp(defrag, "always") == 0) {
        st_finding_set(
            finding, ST_STATUS_ADVICE,
            "any program's first touch of memory may stop to move other memory about (huge pages always, "
            "defrag always)");
        st_finding_fix_usual(finding);
        st_finding_change(finding, ST_CHANGE_SYSFS, "/sys/kernel/mm/transparent_hugepage/enabled", "madvise");
        st_finding_change(finding, ST_CHANGE_SYSFS, "/sys/kernel/mm/transparent_hugepage/defrag", "madvise");
    } else {
        st_finding_set(finding, ST_STATUS_OK,
                       "huge pages for all, but without moving memory at a fault (defrag %.20s)", defrag);
    }
}

const struct st_rule st_rule_linux_huge_pages = {
    .id = "linux-huge-pages",
    .os = ST_OS_LINUX,
    .title = "Transparent huge pages",
    .mechanism =
        "With defrag 'always' a thread that touches new memory stops until the kernel has freed and moved "
        "enough pages for a huge one, for milliseconds. Memory that was touched before (as audio threads "
        "should) is not concerned.",
    .privilege = "root",
    .cost = "throughput: programs that do not ask get no huge pages",
    .when_not = "large sample libraries are in use, which gain from huge pages: keep 'always' with defrag "
                "'madvise' then. 'never' only for hard real time",
    .sources = "Linux Documentation/admin-guide/mm/transhuge.rst: enabled, defrag; commit 21440d7eb904 "
               "(defer+madvise)\n"
               "khugepaged also moves memory in the background: its cost was not measured",
    .guide =
        {
            .now = NOW,
            .persistent = EVER,
            .needs = ST_NEEDS_NOTHING,
            .check = "grep . /sys/kernel/mm/transparent_hugepage/enabled "
                     "/sys/kernel/mm/transparent_hugepage/defrag   # [madvise]",
            .undo = "delete the lines in /etc/tmpfiles.d/sleeptune.conf and restart",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_AUTO,
    .facts = (const char *const[]){ENABLED, DEFRAG, NULL},
    .targets = (const char *const[]){"/sys/kernel/mm/transparent_hugepage/enabled",
                                     "/sys/kernel/mm/transparent_hugepage/defrag", NULL},
    .judge = judge,
};
