/* fs.inotify.max_user_watches: no setting of timing. */
#include <inttypes.h>

#include "advisor/rules/rule.h"

#define WATCHES "linux.sysctl.fs.inotify.max_user_watches"

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t watches;
    (void)wish;
    if (st_finding_need_int(finding, facts, WATCHES, &watches) != 0)
        return;
    st_finding_set(finding, ST_STATUS_OK,
                   "%" PRId64 " files may be watched for changes; that has nothing to do with timing",
                   watches);
    st_finding_effect(finding, 0, "no thread waits for it");
}

const struct st_rule st_rule_linux_inotify_watches = {
    .id = "linux-inotify-watches",
    .os = ST_OS_LINUX,
    .title = "Watches for changed files",
    .mechanism = "The limit says how many files programs may watch for changes. Old audio guides ask for "
                 "524288; a DAW "
                 "that shows a large sample folder may want it, the timing of sound does not.",
    .privilege = "root",
    .cost = "memory: about 1 KiB a watch that is used",
    .when_not =
        "for timing, never. If a program says it has run out of watches: fs.inotify.max_user_watches in "
        "/etc/sysctl.d",
    .sources = "inotify(7); realtimeConfigQuickScan asks for it; Linux 5.11 made the default depend on "
               "memory (commit "
               "92890123749b: not verified)",
    .worst = ST_STATUS_OK,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){WATCHES, NULL},
    .judge = judge,
};
