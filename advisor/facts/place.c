/* Where this runs, when that hides settings. */
#include "advisor/facts/place.h"

#include "advisor/facts/text.h"
#include "core/text/text.h"
#include "core/text/text_buffer.h"

/* "none" and "0" are how a container's mark says that there is none. */
const char *st_place_container(const struct st_facts *facts)
{
    const char *name = st_facts_text_or(facts, ST_KEY_SYSTEM_CONTAINER, NULL);
    return name != NULL && !st_text_is(name, "none") && !st_text_is(name, "0") ? name : NULL;
}

static void place_notes(struct st_text_buffer *notes, const struct st_facts *facts)
{
    const char *container = st_place_container(facts);
    const char *hypervisor = st_facts_int_or(facts, ST_KEY_VIRTUAL, 0) != 0
                                 ? st_facts_text_or(facts, ST_KEY_SYSTEM_HYPERVISOR, "unknown")
                                 : st_facts_text_or(facts, ST_KEY_FREEBSD_KERN_VM_GUEST, "none");
    if (strcasestr(st_facts_text_or(facts, ST_KEY_KERNEL_RELEASE, ""), "microsoft") != NULL) {
        st_text_buffer_printf(notes,
                              "In WSL: the settings of Windows matter, too, and cannot be read from here.\n");
        return;
    }
    if (container != NULL)
        st_text_buffer_printf(notes,
                              "In a container (%.*s): these are the host's settings; some cannot be read.\n",
                              st_text_cut(container, 40), container);
    if (st_facts_int_or(facts, ST_KEY_FREEBSD_SECURITY_JAIL_JAILED, 0) != 0)
        st_text_buffer_printf(notes, "In a jail: these are the host's settings. Change them on the host.\n");
    if (!st_text_is(hypervisor, "none"))
        st_text_buffer_printf(notes, "In a virtual machine (%.*s): the host's settings matter, too.\n",
                              st_text_cut(hypervisor, 40), hypervisor);
}

/** What was read of posted texts, and how much was not. */
static void posted_note(struct st_text_buffer *notes, const struct st_facts *facts)
{
    const char *read = st_facts_text_or(facts, ST_KEY_SYSTEM_INPUT, NULL);
    const char *lines = st_facts_text_or(facts, ST_KEY_SYSTEM_INPUT_OTHERS, NULL);
    char others[96] = "";
    if (lines != NULL)
        ST_PRINT(others, "; not understood: line%s %.*s%s", strpbrk(lines, ",-") != NULL ? "s" : "",
                 (int)(strlen(lines) > 40 ? strcspn(lines + 30, ",") + 30 : strlen(lines)), lines,
                 strlen(lines) > 40 ? " ..." : "");
    if (read != NULL && !st_text_begins(read, "all "))
        st_text_buffer_printf(
            notes,
            "Read: %.*s%s. More of that computer: 'sleeptune share' to paste, 'sleeptune snapshot' as a "
            "file.\n",
            st_text_cut(read, 110), read, others);
}

const char *st_place_notes(const struct st_facts *facts)
{
    char *text = st_text_room(ST_PLACE_NOTES_BYTES);
    struct st_text_buffer notes = st_text_buffer_on(text, ST_PLACE_NOTES_BYTES);
    const char *limits = st_facts_text_or(facts, ST_KEY_USER_LIMITS_FROM, NULL);
    posted_note(&notes, facts);
    place_notes(&notes, facts);
    if (limits != NULL && st_text_is(limits, ST_LIMITS_FROM_FILES)) {
        st_text_buffer_printf(&notes,
                              "The limits are those of the shell that saved the files (or: --user NAME).\n");
    } else if (limits != NULL && (st_text_is(limits, "ulimit") || st_text_is(limits, "rtcqs"))) {
        st_text_buffer_printf(&notes, "The limits are those of the shell in which %s ran.\n", limits);
    } else if (limits != NULL) {
        const char *name = st_facts_text_or(facts, ST_KEY_USER_NAME, "another user");
        st_text_buffer_printf(
            &notes,
            "The rights are those that %.*s gets at login (from: %.*s). Services have limits of their own.\n",
            st_text_cut(name, 40), name, st_text_cut(limits, 80), limits);
    }
    if (st_facts_any(facts, "linux.ask.", "", "not asked"))
        st_text_buffer_printf(&notes, "sleeptune did not ask the running sound servers; it judged their "
                                      "configuration files.\n");
    return text;
}
