/* Facts about the machine as a whole, and texts that several rules share. */
#pragma once

#include "advisor/rules/rule.h"

/** Is this fact unreadable or malformed? A rule that depends on it is then unknown. */
bool st_machine_is_unread(const struct st_facts *facts, const char *key);
/** The first of these keys (ST_RULE_KEYS) whose fact is unreadable or malformed; NULL: none. */
const char *st_machine_first_unread(const struct st_facts *facts, const char *const *keys);

/** Is the judged user root? false also if the user is not known. */
bool st_machine_is_root(const struct st_facts *facts);

/** st_machine_is_guest: is this a virtual machine? st_machine_is_jailed: is this a jail? false also
 * if that is not known. */
bool st_machine_is_guest(const struct st_facts *facts);
bool st_machine_is_jailed(const struct st_facts *facts);

/** The value of a kernel command line option; the last one counts, as in the kernel. "" for an
 * option without "=". Options after " -- " are for init and are ignored. @param fallback result if
 * the option is not given, or not known. */
const char *st_machine_boot_option(const struct st_facts *facts, const char *name,
                                   const char *fallback);

/** How to add an option to the kernel command line permanently, and how to remove one. */
#define ST_MACHINE_FIX_BOOT_OPTION(option)                                                         \
    "# /etc/default/grub.d/sleeptune.cfg (Debian, Ubuntu)\n"                                       \
    "GRUB_CMDLINE_LINUX_DEFAULT=\"$GRUB_CMDLINE_LINUX_DEFAULT " option "\"\n"                      \
    "# then\nsudo update-grub\n"                                                                   \
    "# Fedora: sudo grubby --update-kernel=ALL --args=" option
#define ST_MACHINE_FIX_NO_BOOT_OPTION(option)                                                      \
    "# remove " option " from /etc/default/grub and /etc/default/grub.d, then\nsudo update-grub\n" \
    "# Fedora: sudo grubby --update-kernel=ALL --remove-args=" option

/** After a fix that adds or removes a boot option: says where this machine keeps its options, if
 * not in GRUB's settings. A rule that calls this lists ST_KEY_BOOT_OPTIONS. */
void st_machine_place_boot_option(struct st_finding *finding, const char *option, bool add);

/** Members of struct st_rule for a rule that sets one sysctl, whose default is `usual`. */
#define ST_MACHINE_SYSCTL_FIX(key, value, usual)                                                   \
    .changes = ST_RULE_CHANGES({ST_CHANGE_SYSCTL, key, value}),                                    \
    .now = "sudo sysctl " key "=" value,                                                           \
    .persistent = "# /etc/sysctl.d/90-sleeptune.conf\n" key " = " value,                           \
    .check = "sysctl " key "   # " value,                                                          \
    .undo = "delete the line in /etc/sysctl.d/90-sleeptune.conf; to undo it at once, set the "     \
            "default: "                                                                            \
            "sudo sysctl " key "=" usual

/** What a low limit of locked memory does: members of struct st_rule. */
#define ST_MACHINE_MEMLOCK                                                                         \
    .mechanism =                                                                                   \
        "Memory that is not locked may be swapped out, or not be loaded yet. A thread "            \
        "that uses it waits for the disk, however long. If the limit is smaller than the "         \
        "program, the program cannot lock its memory (mlockall fails).",                           \
    .cost = "memory: other programs cannot use locked memory"

/** Permanent limits for one user, and how to check and undo them. st_machine_fix_user fills in the
 * name. */
#define ST_MACHINE_FIX_LIMITS                                                                      \
    "# /etc/security/limits.d/90-sleeptune.conf\n" ST_MACHINE_ANY_USER                             \
    "- rtprio 90\n" ST_MACHINE_ANY_USER "- nice -19\n" ST_MACHINE_ANY_USER "- memlock 4194304"
#define ST_MACHINE_CHECK_LIMITS "ulimit -r -l   # after a new login: 90 and 4194304"
#define ST_MACHINE_UNDO_LIMITS  "delete the lines in /etc/security/limits.d/90-sleeptune.conf"

/** Placeholder for the user in lines and keys of changes while no name is known. */
#define ST_MACHINE_ANY_USER "NAME "

struct st_finding;
/** Name of the card that a stream belongs to, from /proc/asound/cards. If the name is unknown, the
 * stream's own name: "card1.pcm0p.sub0". */
const char *st_machine_stream_name(const struct st_fact *stream);

/** Sets the rule's usual fix with the name of the judged user; without PAM, another fix. A rule
 * that calls this lists ST_KEY_USER_NAME and ST_KEY_PAM_MISSING. */
void st_machine_fix_user(struct st_finding *finding);

/** Is the judged user a member of the group with this limit ("linux.limits.@audio.rtprio"), now or
 * from the next login on? */
bool st_machine_is_in_group(const struct st_fact *limit);

/** The value of this line of pam_limits (rtprio: a priority, memlock: KiB). INT64_MAX: unlimited;
 * 0: the line is NULL, or its value is not known. */
int64_t st_machine_limit(const struct st_fact *limit);

/** The limit of item ("rtprio", "memlock") that the files in /etc/security give the judged user at
 * the next login; 0 without PAM. */
int64_t st_machine_limit_at_login(const struct st_facts *facts, const char *item);

/** For a limit that the files already give: says that it is set up and takes effect at the next
 * login. */
void st_machine_say_in_place(struct st_finding *finding);

/** Will the judged user, who may not use real-time priority now, get the right from the files in
 * /etc/security at the next login? */
bool st_machine_right_at_login(const struct st_facts *facts);
#define ST_MACHINE_LIMIT_AT_LOGIN(item) /* keys that st_machine_limit_at_login reads */            \
    ST_KEY_PAM_MISSING, ST_KEYS_LIMITS "*." item, ST_KEYS_GROUP "*", ST_KEY_USER_NAME,             \
        ST_KEY_USER_GROUPS, ST_KEY_USER_LOGIN_GROUPS
#define ST_MACHINE_RIGHT_AT_LOGIN                                                                  \
    ST_KEY_RT_FIFO_ERRNO, ST_KEY_RT_RTPRIO_LIMIT, ST_MACHINE_LIMIT_AT_LOGIN("rtprio")

/** The fix for limits that are set up, but that this session does not have. */
#define ST_MACHINE_FIX_LOG_IN                                                                      \
    "# a login gives the limits (PAM, pam_limits): log out and in again. A "                       \
    "service of systemd needs\n"                                                                   \
    "# LimitRTPRIO= and LimitMEMLOCK= in its unit"

/** How to undo a boot option by hand. */
#define ST_MACHINE_UNDO_BOOT_OPTION(option)                                                        \
    "take " option                                                                                 \
    " out again where you added it; if you ran a command such as update-grub, run it "             \
    "again; then restart"

/** Sets fix and change for one sysctl of FreeBSD. */
void st_machine_fix_sysctl(struct st_finding *finding, const char *name, const char *value);

/** Is this a word for off (no, n, false, f, off, 0)? Its first letters count, as in the kernel's
 * kstrtobool(); PulseAudio uses the same words. */
bool st_machine_is_off(const char *value);

/** Priority of interrupt threads: SCHED_FIFO 50 (Linux kernel/irq/manage.c, sched_set_fifo). */
#define ST_MACHINE_IRQ_PRIORITY 50

/** Does this name (of a driver or an interrupt thread) belong to a sound device? A USB controller
 * counts if a USB audio interface is connected. */
bool st_machine_is_sound(const struct st_facts *facts, const char *name);

/* keys that st_machine_is_sound reads */
#define ST_MACHINE_USB_AUDIO ST_KEYS_USB_AUDIO "*.control"

#define ST_MACHINE_CARDS_MAX 32

/** Does this line of /proc/interrupts ("126") belong to that card, or to the card's USB
 * controller? */
bool st_machine_is_line_of(const struct st_facts *facts, const char *irq, unsigned card);

/** Does a program have this card open? */
bool st_machine_is_open(const struct st_facts *facts, unsigned card);

#define ST_MACHINE_LINES                                                                           \
    ST_KEYS_CARD "*", ST_KEYS_IRQ "*.pci", ST_KEYS_IRQ "*.actions",                                \
        ST_KEYS_ALSA                                                                               \
        "*.period_frames" /* keys that st_machine_is_line_of and st_machine_is_open read */

/** Does this program play or record? With the graph of pw-dump: it is linked with a device or sink,
 * directly or not. Without a graph: any program that is not a server, and not known to have
 * real-time threads or PipeWire's library for another purpose. @param pid as text; NULL: not
 * known. */
bool st_machine_plays(const struct st_facts *facts, const char *name, const char *pid);
/** As st_machine_plays. @param process the fact of a thread's process; its state is ok. */
bool st_machine_thread_plays(const struct st_fact *process);

/** A real-time thread, and the fact of its process. priority 0: no such thread runs. */
struct st_machine_thread {
    int64_t priority;
    const struct st_fact *process;
};
/** Finds the thread with the highest real-time priority among the processes with one of these
 * names. @param names NULL: among programs that play. */
struct st_machine_thread st_machine_top_thread(const struct st_facts *facts,
                                               const char *const *names);

/* Keys that st_machine_plays reads. */
#define ST_MACHINE_PLAYS ST_KEYS_PIPEWIRE_NODE "*.plays", ST_KEYS_PIPEWIRE_NODE "*.pid"

/** Is the text safe in a shell command: letters, digits and "_.:-" only? For names in fixes. */
bool st_machine_is_plain(const char *text);
