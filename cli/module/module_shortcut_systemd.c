/* By sd-bus: org.freedesktop.portal.GlobalShortcuts 1, org.freedesktop.host.portal.Registry 1. */
#include <systemd/sd-bus.h>

#include "cli/module/module_shortcut.h"
#include "core/text/safe.h"
#include "core/text/text.h"

#define NAME      "org.freedesktop.portal.Desktop"
#define PATH      "/org/freedesktop/portal/desktop"
#define SHORTCUTS "org.freedesktop.portal.GlobalShortcuts"
#define APP       "sleeptune" /* sleeptune.desktop: whose key it is in the desktop's settings */
#define TOKEN     APP         /* always the same: a portal before 1.20 knows programs by nothing else */
#define ID        "heard"

struct session {
    struct st_module_shortcut *shortcut;
    sd_bus *bus;
    char path[256];
    bool asked; /* for the key */
    int r;      /* negative: it has ended */
};

static int end(struct session *session, int r, const char *why)
{
    st_safe_copy(session->shortcut->error, sizeof(session->shortcut->error), why, ST_TEXT_TO_NUL);
    session->r = r;
    return 0;
}

/* PATH/session/SENDER/TOKEN: SENDER is our name on the bus without ':', and with '_' for '.'. */
static void make_path(sd_bus *bus, char *buf, size_t buf_bytes)
{
    const char *unique = ":";
    (void)sd_bus_get_unique_name(bus, &unique);
    snprintf(buf, buf_bytes, PATH "/session/%s/" TOKEN, unique + 1);
    for (char *c = buf; *c != '\0'; c++)
        *c = *c == '.' ? '_' : *c;
}

/* The value of a key, at any depth: an answer about one shortcut has each key once. @param is_value of what
 * comes next. */
static int find_text(sd_bus_message *message, const char *key, bool *is_value, const char **ret)
{
    const char *contents, *text;
    char type;
    int r;
    while ((r = sd_bus_message_peek_type(message, &type, &contents)) > 0) {
        if (contents != NULL) {
            r = sd_bus_message_enter_container(message, type, contents);
            r = r < 0 ? r : find_text(message, key, is_value, ret);
            r = r < 0 ? r : sd_bus_message_exit_container(message);
        } else if (type == 's') {
            r = sd_bus_message_read_basic(message, type, &text);
            if (r >= 0 && *is_value)
                *ret = text;
            *is_value = r >= 0 && st_text_is(text, key);
        } else {
            r = sd_bus_message_skip(message, NULL);
        }
        if (r < 0)
            return r;
    }
    return r;
}

static int on_called(sd_bus_message *reply, void *ctx, ST_UNUSED sd_bus_error *error)
{
    const sd_bus_error *failed = sd_bus_message_get_error(reply);
    if (failed == NULL)
        return 0;
    /* a portal that is slow, or ended in between, may give a key later */
    const bool again = sd_bus_error_has_name(failed, SD_BUS_ERROR_NO_REPLY) ||
                       sd_bus_error_has_name(failed, SD_BUS_ERROR_TIMEOUT) ||
                       sd_bus_error_has_name(failed, SD_BUS_ERROR_DISCONNECTED);
    return end(ctx, again ? -ECONNRESET : -ENOTSUP, failed->message != NULL ? failed->message : failed->name);
}

static int ask_for_key(struct session *session)
{
    session->asked = true;
    return sd_bus_call_method_async(session->bus, NULL, NAME, PATH, SHORTCUTS, "BindShortcuts", on_called,
                                    session, "oa(sa{sv})sa{sv}", session->path, 1, ID, 1, "description", "s",
                                    "I heard a click", "", 1, "handle_token", "s", TOKEN);
}

/* Of both requests: first that for a session, then that for a key, when the user has chosen one. Each portal
 * says by itself under which path it answers, but it answers us only. */
static int on_response(sd_bus_message *signal, void *ctx, ST_UNUSED sd_bus_error *error)
{
    struct session *session = ctx;
    const char *key = "";
    uint32_t response;
    bool is_value = false;
    int r = sd_bus_message_read(signal, "u", &response);
    if (r >= 0 && response != 0)
        return end(session, -ECANCELED, response == 1 ? "you refused it" : "it refused, without a reason");
    const bool is_key = session->asked;
    if (r >= 0)
        r = is_key ? find_text(signal, "trigger_description", &is_value, &key) : ask_for_key(session);
    if (r < 0)
        return end(session, r, strerror(-r));
    if (is_key)
        session->shortcut->bound(session->shortcut->ctx, key);
    return 0;
}

static int on_activated(sd_bus_message *signal, void *ctx, ST_UNUSED sd_bus_error *error)
{
    struct session *session = ctx;
    const char *path, *id;
    if (sd_bus_message_read(signal, "os", &path, &id) >= 0 && st_text_is(path, session->path) &&
        st_text_is(id, ID))
        session->shortcut->pressed(session->shortcut->ctx);
    return 0;
}

static int on_closed(ST_UNUSED sd_bus_message *signal, void *ctx, ST_UNUSED sd_bus_error *error)
{
    return end(ctx, -ECONNRESET, "it closed the session");
}

static int on_owner(sd_bus_message *signal, void *ctx, ST_UNUSED sd_bus_error *error)
{
    const char *name, *before;
    if (sd_bus_message_read(signal, "ss", &name, &before) >= 0 && before[0] != '\0')
        return end(ctx, -ECONNRESET, "it was restarted");
    return 0;
}

static int begin(struct session *session)
{
    sd_bus *bus;
    int r = sd_bus_open_user(&session->bus);
    if (r < 0)
        return r;
    bus = session->bus;
    make_path(bus, session->path, sizeof(session->path));
    r = sd_bus_match_signal(bus, NULL, NAME, NULL, "org.freedesktop.portal.Request", "Response", on_response,
                            session);
    if (r >= 0)
        r = sd_bus_match_signal(bus, NULL, NAME, session->path, "org.freedesktop.portal.Session", "Closed",
                                on_closed, session);
    if (r >= 0)
        r = sd_bus_match_signal(bus, NULL, NAME, PATH, SHORTCUTS, "Activated", on_activated, session);
    if (r >= 0)
        r = sd_bus_add_match(bus, NULL,
                             "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',"
                             "arg0='" NAME "'",
                             on_owner, session);
    if (r < 0)
        return r;
    /* since 1.20; an older one knows a unit app-ID only, which in a terminal is the terminal's */
    (void)sd_bus_call_method(bus, NAME, PATH, "org.freedesktop.host.portal.Registry", "Register", NULL, NULL,
                             "sa{sv}", APP, 0);
    return sd_bus_call_method_async(bus, NULL, NAME, PATH, SHORTCUTS, "CreateSession", on_called, session,
                                    "a{sv}", 2, "handle_token", "s", TOKEN, "session_handle_token", "s",
                                    TOKEN);
}

int st_module_shortcut_run(struct st_module_shortcut *shortcut)
{
    struct session session = {.shortcut = shortcut};
    int r = begin(&session);
    while (r >= 0 && session.r == 0) {
        r = sd_bus_process(session.bus, NULL);
        if (r == 0)
            r = sd_bus_wait(session.bus, UINT64_MAX);
        if (r == -EINTR)
            r = 0;
    }
    if (session.r == 0)
        end(&session, r, ST_TEXT(100, "the session bus: %s", strerror(-r)));
    sd_bus_close_unref(session.bus);
    return session.r;
}
