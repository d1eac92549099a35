/* The file system of the home folder, where sessions are recorded. */
#include <string.h>

#include "advisor/rules/rule.h"

#define FSTYPE "linux.home.fstype"

static bool is_slow(const char *type)
{
    static const char *const types[] = {"9p",        "afs", "ceph", "cifs", "davfs",
                                        "glusterfs", "nfs", "nfs4", "smb3", "virtiofs"};
    for (size_t i = 0; i < ST_ARRAY_LEN(types); i++) {
        if (strcmp(type, types[i]) == 0)
            return true;
    }
    return strncmp(type, "fuse", 4) == 0;
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    const char *type;
    (void)wish;
    if (st_finding_need_text(finding, facts, FSTYPE, &type) != 0)
        return;
    st_finding_effect(finding, 0,
                      "the audio thread does not touch files; recording and streaming do, in threads of "
                      "their own");
    if (is_slow(type)) {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "the home folder is on %.20s: recording and playing long files may stall there", type);
        st_finding_fix_usual(finding);
    } else {
        st_finding_set(finding, ST_STATUS_OK, "the home folder is on %.20s", type);
    }
}

const struct st_rule st_rule_linux_session_filesystem = {
    .id = "linux-session-filesystem",
    .os = ST_OS_LINUX,
    .title = "File system for sessions",
    .mechanism = "A DAW reads and writes sound in threads of its own, some seconds ahead. A network or FUSE "
                 "file system "
                 "can stop for longer than that; noatime and the like make no difference.",
    .privilege = "none",
    .cost = "none",
    .when_not = "sessions that lie somewhere else, or small ones that fit into memory",
    .sources = "proc(5) /proc/self/mounts; rtcqs' list (fuse, nfs, cifs); relatime is the default since "
               "Linux 2.6.30",
    .guide =
        {
            .persistent = "# keep sessions and samples on a local disk (ext4, xfs, btrfs)",
            .needs = ST_NEEDS_NOTHING,
            .check = "findmnt -T ~   # FSTYPE",
            .undo = "nothing to undo",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){FSTYPE, NULL},
    .judge = judge,
};
