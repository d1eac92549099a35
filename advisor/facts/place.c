/* Where this runs, when that hides settings. */
#include "advisor/facts/place.h"

#include "advisor/facts/text.h"
#include "core/text/text.h"

struct notes {
    char (*rows)[ST_PLACE_NOTE_BYTES];
    size_t n;
};

static void ST_PRINTF(2, 3) add(struct notes *notes, const char *format, ...)
{
    if (notes->n == ST_PLACE_NOTES_MAX)
        return;
    ST_PRINT_REST(notes->rows[notes->n++], ST_PLACE_NOTE_BYTES, format);
}

/* "none" and "0" are how a container's mark says that there is none. */
const char *st_place_container(const struct st_facts *facts)
{
    const char *name = st_facts_text_or(facts, ST_KEY_SYSTEM_CONTAINER, NULL);
    return name != NULL && !st_text_is(name, "none") && !st_text_is(name, "0") ? name : NULL;
}

static void virtual_note(struct notes *notes, const char *name)
{
    add(notes, "In a virtual machine (%.*s): the host's settings matter, too.", st_text_cut(name, 40), name);
}

static void linux_notes(struct notes *notes, const struct st_facts *facts)
{
    const char *name = st_place_container(facts),
               *release = st_facts_text_or(facts, ST_KEY_KERNEL_RELEASE, NULL);
    if (release != NULL && strcasestr(release, "microsoft") != NULL) {
        add(notes, "In WSL: the settings of Windows matter, too, and cannot be read from here.");
        return;
    }
    if (name != NULL && (st_text_is(name, "flatpak") || st_text_is(name, "toolbox")))
        add(notes, "In %s: these are the host's settings; some cannot be read from here.", name);
    else if (name != NULL)
        add(notes, "In a container (%.*s): these are the host's settings; some cannot be read.",
            st_text_cut(name, 40), name);
    if (st_facts_int_or(facts, ST_KEY_VIRTUAL, 0) != 0)
        virtual_note(notes, st_facts_text_or(facts, ST_KEY_SYSTEM_HYPERVISOR, "unknown"));
}

static void freebsd_notes(struct notes *notes, const struct st_facts *facts)
{
    const char *guest = st_facts_text_or(facts, ST_KEY_FREEBSD_KERN_VM_GUEST, "none");
    if (st_facts_int_or(facts, ST_KEY_FREEBSD_SECURITY_JAIL_JAILED, 0) != 0)
        add(notes, "In a jail: these are the host's settings. Change them on the host.");
    if (!st_text_is(guest, "none"))
        virtual_note(notes, guest);
}

/** Servers that run and were not asked, as it was wished. */
static void server_note(struct notes *notes, const struct st_facts *facts)
{
    size_t n = 0;
    ST_FACTS_EACH (fact, facts, "linux.ask.", "")
        n += fact->state == ST_FACT_OK && st_text_is(fact->text, "not asked");
    if (n > 0)
        add(notes,
            "sleeptune did not ask the running sound servers (%zu question%s left out); it judged their "
            "configuration files.",
            n, ST_PLURAL(n));
}

/** What was read of posted texts, and how much was not. */
static void posted_note(struct notes *notes, const struct st_facts *facts)
{
    const char *read = st_facts_text_or(facts, ST_KEY_SYSTEM_INPUT, NULL);
    const char *lines = st_facts_text_or(facts, ST_KEY_SYSTEM_INPUT_OTHERS, NULL);
    char others[96] = "";
    if (lines != NULL)
        ST_PRINT(others, "; not understood: line%s %.*s%s", strpbrk(lines, ",-") != NULL ? "s" : "",
                 (int)(strlen(lines) > 40 ? strcspn(lines + 30, ",") + 30 : strlen(lines)), lines,
                 strlen(lines) > 40 ? " ..." : "");
    if (read != NULL && !st_text_begins(read, "all "))
        add(notes,
            "Read: %.*s%s. More of that computer: 'sleeptune share' to paste, 'sleeptune snapshot' as a "
            "file.",
            st_text_cut(read, 110), read, others);
}

size_t st_place_notes(const struct st_facts *facts, char ret[ST_PLACE_NOTES_MAX][ST_PLACE_NOTE_BYTES])
{
    struct notes notes = {.rows = ret};
    const char *limits = st_facts_text_or(facts, ST_KEY_USER_LIMITS_FROM, NULL);
    posted_note(&notes, facts);
    switch (facts->os) {
    case ST_OS_LINUX:
        linux_notes(&notes, facts);
        break;
    case ST_OS_FREEBSD:
        freebsd_notes(&notes, facts);
        break;
    }
    if (limits != NULL && st_text_is(limits, ST_LIMITS_FROM_FILES)) {
        add(&notes, "The limits are those of the shell that saved the files (or: --user NAME).");
    } else if (limits != NULL && (st_text_is(limits, "ulimit") || st_text_is(limits, "rtcqs"))) {
        add(&notes, "The limits are those of the shell in which %s ran.", limits);
    } else if (limits != NULL) {
        const char *name = st_facts_text_or(facts, ST_KEY_USER_NAME, "another user");
        add(&notes,
            "The rights are those that %.*s gets at login (from: %.*s). Services have limits of their own.",
            st_text_cut(name, 40), name, st_text_cut(limits, 80), limits);
    }
    server_note(&notes, facts);
    return notes.n;
}
