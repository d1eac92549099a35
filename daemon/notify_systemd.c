/* Notifications by sd-bus: org.freedesktop.Notifications, Desktop Notifications Specification
 * 1.3. */
#include "daemon/notify.h"

#include <poll.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include "core/ns.h"
#include "core/text/safe.h"
#include "st_config.h"

#define NAME     "org.freedesktop.Notifications"
#define PATH     "/org/freedesktop/Notifications"
#define EVERY_NS ST_NS_PER_HOUR
#define AGAIN_NS (10 * ST_NS_PER_S) /* wait after a notification that could not be shown */
/* most D-Bus messages that one call of st_notify_turn handles, so that the daemon's main loop is
 * not blocked */
#define A_TURN_MAX 32

struct st_notify {
    bool heard;  /* the user pressed "I heard it" */
    sd_bus *bus; /* NULL: no connection is open */
    struct st_notify_shown shown;
    struct st_notify_text text; /* text of the notification that is being sent, or was sent last */
    /* busy: a notification is being sent; markup, actions: the server supports markup, and
     * buttons */
    bool busy, markup, actions;
    int64_t now_ns, next_ns; /* time of the last st_notify_look; earliest time of the next
                                notification (CLOCK_MONOTONIC) */
    uint64_t shown_n;
    uint32_t id;   /* the server's number of the last notification that it showed */
    char why[256]; /* why the last notification was not shown; "": it was shown */
};

struct st_notify *st_notify_new(void)
{
    return calloc(1, sizeof(struct st_notify));
}

static void close_bus(struct st_notify *notify)
{
    notify->bus = sd_bus_close_unref(notify->bus);
    notify->busy = false;
}

void st_notify_free(struct st_notify *notify)
{
    if (notify != NULL)
        close_bus(notify);
    free(notify);
}

/* Gives up the notification that is being sent; its cause may be shown later. @return 0, for
 * callers that handle a D-Bus message. */
static int ST_PRINTF(2, 3) give_up(struct st_notify *notify, const char *format, ...)
{
    ST_PRINT_REST(notify->why, sizeof(notify->why), format);
    notify->busy = false;
    notify->next_ns = notify->now_ns + AGAIN_NS;
    return 0;
}

/* Handles the result of sending a call to the server. @param r < 0: a negative errno value. */
static int asked(struct st_notify *notify, int r)
{
    return r >= 0 ? 0 : give_up(notify, "cannot ask the notification server: %s", strerror(-r));
}

static int no_answer(struct st_notify *notify, sd_bus_message *reply)
{
    const sd_bus_error *error = sd_bus_message_get_error(reply);
    return give_up(notify, "the notification server does not answer: %s",
                   error != NULL && error->message != NULL ? error->message : "wrong answer");
}

/* --- the button "Why?": the user's service manager starts a browser with the page, so that the
 * browser is not part of this service --- */

static int open_page(struct st_notify *notify)
{
    sd_bus_message *call = NULL;
    const char *program = ST_BIN_DIR "/sleeptune",
               *unit = st_text("sleeptune-why-%ld-%" PRIu32 ".service", (long)getpid(), notify->id);
    int r = sd_bus_message_new_method_call(
        notify->bus, &call, "org.freedesktop.systemd1", "/org/freedesktop/systemd1",
        "org.freedesktop.systemd1.Manager", "StartTransientUnit");
    if (r >= 0)
        r = sd_bus_message_append(call, "ssa(sv)a(sa(sv))", unit, "fail", 3, "ExecStart", "a(sasb)",
                                  1, program, 3, program, "status", "--html", 0, "KillMode", "s",
                                  "process", "CollectMode", "s", "inactive-or-failed", 0);
    if (r >= 0)
        r = sd_bus_send(notify->bus, call, NULL);
    sd_bus_message_unref(call);
    return ST_MIN(r, 0);
}

static int on_action(sd_bus_message *signal, void *ctx, ST_UNUSED sd_bus_error *error)
{
    struct st_notify *notify = ctx;
    uint32_t id;
    const char *action;
    if (sd_bus_message_read(signal, "us", &id, &action) < 0 || notify->shown_n == 0 ||
        id != notify->id)
        return 0;
    if (st_text_is(action, "why"))
        (void)open_page(notify);
    else if (st_text_is(action, "heard"))
        notify->heard = true;
    return 0;
}

/* --- the calls of one notification, each sent when the one before is answered: GetCapabilities,
 * Inhibited, Notify (last call first here) --- */

static int on_shown(sd_bus_message *reply, void *ctx, ST_UNUSED sd_bus_error *error)
{
    struct st_notify *notify = ctx;
    if (sd_bus_message_is_method_error(reply, NULL) ||
        sd_bus_message_read(reply, "u", &notify->id) < 0)
        return no_answer(notify, reply);
    st_notify_cause_add(&notify->shown, &notify->text.cause);
    notify->shown_n++;
    notify->why[0] = '\0';
    notify->busy = false;
    notify->next_ns = notify->now_ns + EVERY_NS;
    return 0;
}

static int show(struct st_notify *notify)
{
    sd_bus_message *call = NULL;
    const char *body = st_safe_text(notify->text.sentence);
    int r = sd_bus_message_new_method_call(notify->bus, &call, NAME, PATH, NAME, "Notify");
    if (notify->markup)
        body = st_text_xml(body);
    if (r >= 0)
        r = sd_bus_message_append(call, "susss", "sleeptune", (uint32_t)0, "sleeptune",
                                  st_safe_text(notify->text.brief), body);
    if (r >= 0)
        r = notify->actions
                ? sd_bus_message_append(call, "as", 4, "why", "Why?", "heard", "I heard it")
                : sd_bus_message_append(call, "as", 0);
    if (r >= 0)
        r = sd_bus_message_append(call, "a{sv}i", 3, "suppress-sound", "b", 1, "transient", "b", 1,
                                  "desktop-entry", "s", "sleeptune", -1);
    if (r >= 0)
        r = sd_bus_call_async(notify->bus, NULL, call, on_shown, notify, 0);
    sd_bus_message_unref(call);
    return asked(notify, r);
}

/* Does the user not want notifications now ("Do not disturb")? A server without this property
 * always accepts them. */
static int on_inhibited(sd_bus_message *reply, void *ctx, ST_UNUSED sd_bus_error *error)
{
    struct st_notify *notify = ctx;
    int inhibited = 0;
    if (!sd_bus_message_is_method_error(reply, NULL))
        (void)sd_bus_message_read(reply, "v", "b", &inhibited);
    return inhibited ? give_up(notify, "the desktop shows no notifications now (do not disturb)")
                     : show(notify);
}

static int on_capabilities(sd_bus_message *reply, void *ctx, ST_UNUSED sd_bus_error *error)
{
    struct st_notify *notify = ctx;
    const char *capability;
    if (sd_bus_message_is_method_error(reply, NULL) ||
        sd_bus_message_enter_container(reply, 'a', "s") < 0)
        return no_answer(notify, reply);
    notify->markup = notify->actions = false;
    while (sd_bus_message_read_basic(reply, 's', &capability) > 0) {
        notify->markup = notify->markup || st_text_is(capability, "body-markup");
        notify->actions = notify->actions || st_text_is(capability, "actions");
    }
    return asked(notify, sd_bus_call_method_async(notify->bus, NULL, NAME, PATH,
                                                  "org.freedesktop.DBus.Properties", "Get",
                                                  on_inhibited, notify, "ss", NAME, "Inhibited"));
}

/* --- called by the daemon --- */

/* Does this process belong to a user with a desktop? @return NULL if so, else a text that says why
 * no notification can be shown. */
static const char *no_desktop(void)
{
    if (geteuid() == 0 ||
        (getenv("DBUS_SESSION_BUS_ADDRESS") == NULL && getenv("XDG_RUNTIME_DIR") == NULL))
        return "only a user's own sleeptuned shows notifications";
    return NULL;
}

static int open_bus(struct st_notify *notify)
{
    if (notify->bus != NULL)
        return 0;
    const int r = sd_bus_open_user(&notify->bus);
    if (r < 0)
        return r;
    return sd_bus_match_signal_async(notify->bus, NULL, NAME, PATH, NAME, "ActionInvoked",
                                     on_action, NULL, notify);
}

void st_notify_look(struct st_notify *notify, bool enabled, const struct st_view *view,
                    int64_t now_ns)
{
    if (notify == NULL)
        return;
    if (!enabled) {
        close_bus(notify);
        return;
    }
    notify->now_ns = now_ns;
    if (notify->busy || now_ns < notify->next_ns || no_desktop() != NULL ||
        !st_notify_cause_find(&notify->shown, view, &notify->text))
        return;
    notify->busy = true;
    int r = open_bus(notify);
    if (r >= 0)
        r = sd_bus_call_method_async(notify->bus, NULL, NAME, PATH, NAME, "GetCapabilities",
                                     on_capabilities, notify, "");
    if (r < 0)
        give_up(notify, "no desktop session (D-Bus) to show notifications: %s", strerror(-r));
}

const char *st_notify_state(const struct st_notify *notify, bool enabled)
{
    const char *why = no_desktop();
    if (!enabled)
        return "off (notify.enabled)";
    if (why != NULL)
        return st_text("none: %s", why);
    if (notify == NULL || notify->why[0] != '\0')
        return st_text("the last notification was not shown: %s",
                       notify != NULL ? notify->why : "out of memory");
    return st_text("one notification for each new cause, at most one an hour; %ju shown",
                   notify->shown_n);
}

void st_notify_wait(const struct st_notify *notify, struct st_wait *wait)
{
    uint64_t until_us;
    if (notify == NULL || notify->bus == NULL)
        return;
    const int fd = sd_bus_get_fd(notify->bus), events = sd_bus_get_events(notify->bus);
    if (events > 0 && (events & POLLIN) != 0)
        st_wait_to_read(wait, fd);
    if (events > 0 && (events & POLLOUT) != 0)
        st_wait_to_write(wait, fd);
    if (sd_bus_get_timeout(notify->bus, &until_us) > 0 && until_us < INT64_MAX / ST_NS_PER_US)
        st_wait_until(wait, (int64_t)until_us * ST_NS_PER_US);
}

bool st_notify_turn(struct st_notify *notify)
{
    if (notify == NULL || notify->bus == NULL)
        return false;
    int r = 1;
    notify->heard = false;
    for (int i = 0; i < A_TURN_MAX && r > 0; i++)
        r = sd_bus_process(notify->bus, NULL);
    if (r < 0 && notify->busy)
        give_up(notify, "the desktop session (D-Bus) has ended: %s", strerror(-r));
    if (r < 0)
        close_bus(notify);
    return notify->heard;
}
