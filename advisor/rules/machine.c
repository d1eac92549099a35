/* Answers questions about the machine that several rules ask, from its facts. */
#include "advisor/rules/machine.h"

#include "platform/proc.h"

bool st_machine_is_unread(const struct st_facts *facts, const char *key)
{
    return st_fact_is_unread(st_facts_find(facts, key));
}

const char *st_machine_first_unread(const struct st_facts *facts, const char *const *keys)
{
    while (*keys != NULL && !st_machine_is_unread(facts, *keys))
        keys++;
    return *keys;
}

bool st_machine_is_root(const struct st_facts *facts)
{
    return st_facts_int_or(facts, ST_KEY_USER_UID, -1) == 0;
}

bool st_machine_is_guest(const struct st_facts *facts)
{
    return st_facts_int_or(facts, ST_KEY_VIRTUAL, 0) != 0;
}

bool st_machine_is_jailed(const struct st_facts *facts)
{
    return st_facts_int_or(facts, ST_KEY_FREEBSD_SECURITY_JAIL_JAILED, 0) != 0;
}

const char *st_machine_boot_option(const struct st_facts *facts, const char *name,
                                   const char *fallback)
{
    ST_TEXT_EACH (word, st_text("%s", st_facts_text_or(facts, ST_KEY_CMDLINE, "")), " \t\n") {
        char *value = word + strcspn(word, "=");
        if (st_text_is(word, "--"))
            break;
        if (*value == '=')
            *value++ = '\0';
        if (st_text_is(word, name))
            fallback = value;
    }
    return fallback;
}

void st_machine_place_boot_option(struct st_finding *finding, const char *option, bool add)
{
    static const struct {
        const char *mark, *command[2]; /* [0] removes an option, [1] adds one */
    } rows[] = {
        {"rpm-ostree", {"sudo rpm-ostree kargs --delete=", "sudo rpm-ostree kargs --append="}},
        {"grubby",
         {"sudo grubby --update-kernel=ALL --remove-args=",
          "sudo grubby --update-kernel=ALL --args="}},
        {"kernelstub", {"sudo kernelstub --delete-options ", "sudo kernelstub --add-options "}},
    };
    const char *text;
    if (st_facts_text(finding->facts, ST_KEY_BOOT_OPTIONS, &text) != 0)
        return;
    st_finding_fix_persistent(finding, ST_NEEDS_REBOOT,
                              add ? "# add %s to %s" : "# remove %s from %s", option, text);
    ST_EACH (row, rows) {
        if (strstr(text, row->mark) != NULL)
            st_finding_fix_persistent(finding, ST_NEEDS_REBOOT, "%s%s", row->command[add], option);
    }
}

void st_machine_fix_sysctl(struct st_finding *finding, const char *name, const char *value)
{
    st_finding_fix_now(finding, "sysctl %s=%s", name, value);
    st_finding_fix_persistent(finding, ST_NEEDS_NOTHING, "# /etc/sysctl.conf\n%s=%s", name, value);
    st_finding_change(finding, ST_CHANGE_SYSCTL, name, value);
}

bool st_machine_is_off(const char *value)
{
    if (value[0] == 'o' || value[0] == 'O')
        return value[1] == 'f' || value[1] == 'F';
    return value[0] != '\0' && strchr("nN0fF", value[0]) != NULL;
}

bool st_machine_is_sound(const struct st_facts *facts, const char *name)
{
    static const char *const cards[] = {"snd", "hda", "Audio", "sof-", "ACP_", "firewire", NULL};
    static const char *const controllers[] = {"xhci", "ehci", "ohci", "uhci", "dwc", NULL};
    return st_text_has_among(name, cards) ||
           (st_text_has_among(name, controllers) &&
            st_facts_any(facts, ST_KEYS_USB_AUDIO, ".control", NULL));
}

bool st_machine_is_line_of(const struct st_facts *facts, const char *irq, unsigned card)
{
    const char *word = st_text(":card%u", card);
    const char *actions = st_facts_text_or(facts, st_text(ST_KEYS_IRQ "%s.actions", irq), "");
    const char *pci = st_facts_text_or(facts, st_text(ST_KEYS_IRQ "%s.pci", irq), "");
    const char *found = strstr(actions, word);
    return st_facts_is(facts, st_text(ST_KEYS_CARD "%u.irq", card), irq) ||
           (found != NULL && strchr(",", found[strlen(word)]) != NULL) ||
           (pci[0] != '\0' && st_facts_is(facts, st_text(ST_KEYS_CARD "%u.controller", card), pci));
}

const char *st_machine_stream_name(const struct st_fact *stream)
{
    const char *name = st_fact_part(stream, ST_KEYS_ALSA);
    if (!st_text_begins(name, "card"))
        return name;
    const char *key =
        st_text(ST_KEYS_CARD "%.*s.name", (int)strspn(name + 4, "0123456789"), name + 4);
    return st_facts_text_or(stream->facts, key, name);
}

bool st_machine_is_open(const struct st_facts *facts, unsigned card)
{
    return st_facts_any(facts, st_text(ST_KEYS_ALSA "card%u.", card), ".period_frames", NULL);
}

/** Names of programs that do not play, although they have real-time threads or threads of
 * PipeWire's library. The kernel keeps 15 bytes of a name. */
static const char *const no_players[] = {
    /* servers, session managers, daemons and tools that have real-time threads for another
     * purpose */
    "pipewire", "pipewire-pulse", "wireplumber", "pipewire-media-", "jackd", "jackdbus",
    "pulseaudio", "ananicy-cpp", "auto-cpufreq", "chronyd", "corosync", "cyclictest",
    "dell-fan-mon", "fancontrol", "i8kmon", "multipathd", "ntpd", "oslat", "phc2sys",
    "power-profiles-", "ptp4l", "rtkit-daemon", "system76-power", "system76-schedu",
    "systemd-journal", "systemd-udevd", "tuned", "watchdog",
    /* compositors: real-time threads to draw, threads of PipeWire's library to show a screen to
       others */
    "Hyprland", "Xorg", "Xwayland", "cinnamon", "cosmic-comp", "gamescope", "gamescope-wl",
    "gnome-shell", "kwin_wayland", "kwin_x11", "labwc", "mutter", "muffin", "niri", "plasmashell",
    "river", "sway", "wayfire", "weston",
    /* programs that use PipeWire's library for pictures or the graph; their sound goes through
       PulseAudio's library */
    "obs", "gpu-screen-reco", "kooha", "wf-recorder", "xdg-desktop-por", "gnome-remote-de", "krfb",
    "krdpserver", "sunshine", "spectacle", "firefox", "firefox-bin", "chrome", "chromium",
    "electron", "Discord", "slack", "teams", "zoom", "qpwgraph", "helvum", "coppwr", "pavucontrol",
    "pw-cli", "pw-dump", "pw-mon", "pw-top", "waybar", NULL};

bool st_machine_plays(const struct st_facts *facts, const char *name, const char *pid)
{
    bool is_known = false;
    if (st_text_is_among(name, no_players) || st_text_begins(name, "sleeptune"))
        return false;
    ST_FACTS_EACH (plays, facts, ST_KEYS_PIPEWIRE_NODE, ".plays") {
        is_known = is_known || plays->state == ST_FACT_OK;
        if (pid != NULL && st_fact_is(plays, "true") && st_fact_beside_is(plays, "pid", pid))
            return true;
    }
    return !is_known || pid == NULL;
}

bool st_machine_thread_plays(const struct st_fact *process)
{
    return st_machine_plays(process->facts, process->text,
                            st_fact_beside_text_or(process, "pid", NULL));
}

struct st_machine_thread st_machine_top_thread(const struct st_facts *facts,
                                               const char *const *names)
{
    struct st_machine_thread top = {0};
    ST_FACTS_EACH (fact, facts, ST_KEYS_RT_THREAD, ".process") {
        const int64_t priority = st_fact_beside_int_or(fact, "priority", 0);
        if (priority > top.priority && priority <= 99 && fact->state == ST_FACT_OK &&
            (names != NULL ? st_text_is_among(fact->text, names) : st_machine_thread_plays(fact)))
            top = (struct st_machine_thread){priority, fact};
    }
    return top;
}

void st_machine_fix_user(struct st_finding *finding)
{
    const char *user = st_facts_text_or(finding->facts, ST_KEY_USER_NAME, "root"),
               *rest = finding->rule->persistent;
    if (st_facts_has_int(finding->facts, ST_KEY_PAM_MISSING)) {
        /* rest: the steps after the lines of limits.d, which need no PAM */
        for (const char *at; (at = strstr(rest, ST_MACHINE_ANY_USER)) != NULL;)
            rest = at + strcspn(at, "\n");
        st_finding_fix(
            finding, finding->rule->now,
            st_text("# this system has no PAM, so nothing reads limits.d:\n"
                    "# install PAM and a login that uses it, then run again: sleeptune report %s%s",
                    finding->rule->id, rest),
            ST_NEEDS_RELOGIN);
    } else if (!st_machine_is_plain(user) || st_text_is(user, "root")) {
        st_rule_fix(finding);
    } else {
        st_rule_fix_with(finding, ST_MACHINE_ANY_USER, st_text("%s ", user));
    }
}

bool st_machine_is_in_group(const struct st_fact *limit)
{
    const struct st_facts *facts = limit->facts;
    const char *name = st_fact_part(limit, ST_KEYS_LIMITS "@");
    const char *members = st_facts_text_or(facts, st_text(ST_KEYS_GROUP "%s", name), "");
    const char *now = st_facts_text_or(facts, ST_KEY_USER_GROUPS, "");
    return st_proc_has_word(st_facts_text_or(facts, ST_KEY_USER_LOGIN_GROUPS, now), name) ||
           st_proc_has_word(members, st_facts_text_or(facts, ST_KEY_USER_NAME, ""));
}

int64_t st_machine_limit(const struct st_fact *limit)
{
    static const char *const unlimited[] = {"unlimited", "infinity", "-1", NULL};
    if (limit == NULL || limit->state != ST_FACT_OK)
        return 0;
    return st_text_is_among(limit->text, unlimited) ? INT64_MAX : limit->i64;
}

int64_t st_machine_limit_at_login(const struct st_facts *facts, const char *item)
{
    const char *user = st_facts_text_or(facts, ST_KEY_USER_NAME, "");
    const struct st_fact *limit = st_facts_find(facts, st_text(ST_KEYS_LIMITS "*.%s", item));
    const struct st_fact *own = st_facts_find(facts, st_text(ST_KEYS_LIMITS "%s.%s", user, item));
    if (st_facts_has_int(facts, ST_KEY_PAM_MISSING))
        return 0;
    /* a line for the user takes precedence over lines for groups, and these over "*" */
    bool by_group = false;
    ST_FACTS_EACH (fact, facts, ST_KEYS_LIMITS "@", st_text(".%s", item)) {
        /* of several groups, the last line in the files counts; their order is not known, so take
         * the smallest limit */
        if (!st_machine_is_in_group(fact) ||
            (by_group && st_machine_limit(fact) >= st_machine_limit(limit)))
            continue;
        limit = fact;
        by_group = true;
    }
    return st_machine_limit(st_fact_or(own, limit));
}

bool st_machine_right_at_login(const struct st_facts *facts)
{
    const int64_t now = st_facts_int_or(facts, ST_KEY_RT_RTPRIO_LIMIT, 0);
    return now != ST_UNLIMITED && now < ST_TRIED_PRIORITY &&
           !st_facts_is(facts, ST_KEY_RT_FIFO_ERRNO, "0") &&
           st_machine_limit_at_login(facts, "rtprio") >= ST_TRIED_PRIORITY;
}

void st_machine_say_in_place(struct st_finding *finding)
{
    finding->in_place = true;
    st_finding_set(finding, finding->status,
                   "%s; the new limit is set up and applies from the next login on",
                   st_text("%s", finding->summary));
    st_finding_fix(finding, finding->rule->now, ST_MACHINE_FIX_LOG_IN, ST_NEEDS_RELOGIN);
}

bool st_machine_is_plain(const char *text)
{
    return st_text_is_of(text, "_.:-");
}
