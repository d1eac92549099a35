/* The environment of this process, if it hides settings: container, sandbox, virtual machine, WSL,
 * jail. */
#include "advisor/facts/place.h"

/* The file that names the container may say "none" or "0", which means that there is no
 * container. */
const char *st_place_container(const struct st_facts *facts)
{
    static const char *const none[] = {"none", "0", NULL};
    const char *name = st_facts_text_or(facts, ST_KEY_SYSTEM_CONTAINER, "none");
    return st_text_is_among(name, none) ? NULL : name;
}

static const char *place_text(const struct st_facts *facts)
{
    const char *container = st_place_container(facts), *text = "";
    const char *hypervisor = st_facts_text_or(facts, ST_KEY_FREEBSD_KERN_VM_GUEST, "none");
    if (st_facts_int_or(facts, ST_KEY_VIRTUAL, 0) != 0)
        hypervisor = st_facts_text_or(facts, ST_KEY_SYSTEM_HYPERVISOR, "unknown");
    if (strcasestr(st_facts_text_or(facts, ST_KEY_KERNEL_RELEASE, ""), "microsoft") != NULL)
        return "In WSL: the settings of Windows matter, too, and cannot be read from here.\n";
    if (container != NULL)
        text =
            st_text("In a container (%.*s): these are the host's settings; some cannot be read.\n",
                    st_text_cut(container, 40), container);
    if (st_facts_int_or(facts, ST_KEY_FREEBSD_SECURITY_JAIL_JAILED, 0) != 0)
        text =
            st_text("%sIn a jail: these are the host's settings. Change them on the host.\n", text);
    if (!st_text_is(hypervisor, "none"))
        text = st_text("%sIn a virtual machine (%.*s): the host's settings matter, too.\n", text,
                       st_text_cut(hypervisor, 40), hypervisor);
    return text;
}

/** A note for people: what kinds of text sleeptune read, and which lines it did not understand. "":
 * the facts are not from such a text. */
static const char *posted_text(const struct st_facts *facts)
{
    const char *read = st_facts_text_or(facts, ST_KEY_SYSTEM_INPUT, "all ");
    const char *lines = st_facts_text_or(facts, ST_KEY_SYSTEM_INPUT_OTHERS, "");
    if (st_text_begins(read, "all "))
        return "";
    if (strlen(lines) > 40)
        lines = st_text("%.*s ...", (int)strcspn(lines + 30, ",") + 30, lines);
    return st_text("Read: %.*s%s. For more, run on that computer: 'sleeptune share' for text to "
                   "paste, 'sleeptune snapshot' for a file.\n",
                   st_text_cut(read, 110), read, st_text_with("; lines not understood: ", lines));
}

/** A note for people: from where the judged rights and limits come. "": from this process. */
static const char *limits_text(const struct st_facts *facts)
{
    const char *from = st_facts_text_or(facts, ST_KEY_USER_LIMITS_FROM, NULL);
    const char *name = st_facts_text_or(facts, ST_KEY_USER_NAME, "another user");
    if (from == NULL)
        return "";
    if (st_text_is(from, ST_LIMITS_FROM_FILES))
        return "The limits (rtprio, memlock) are those of the shell that saved the files; for "
               "another user: --user NAME.\n";
    if (st_text_is(from, "ulimit") || st_text_is(from, "rtcqs"))
        return st_text("The limits (rtprio, memlock) are those of the shell in which %s ran.\n",
                       from);
    return st_text("The rights are those that user %.*s gets at login. System services have limits "
                   "of their own.\n",
                   st_text_cut(name, 40), name);
}

const char *st_place_notes(const struct st_facts *facts)
{
    return st_text("%s%s%s%s", posted_text(facts), place_text(facts), limits_text(facts),
                   st_facts_any(facts, "linux.ask.", "", "not asked")
                       ? "sleeptune did not ask the running sound servers; it read their "
                         "configuration files instead.\n"
                       : "");
}
