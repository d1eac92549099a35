#include "xruns/helpers/pipewire_connection.h"

#include <pipewire/impl.h>
#include <pipewire/pipewire.h>

#include "core/text/text.h"

static struct spa_hook core_hook, registry_hook;

const char *st_pipewire_connection_no_start(void)
{
    if (errno == ENOENT)
        return "PipeWire is not installed";
    return st_text("libpipewire does not start: %s", strerror(errno));
}

const char *st_pipewire_connection_open(struct st_pipewire_connection *connection,
                                        struct pw_context *context, const char *const *modules,
                                        const struct pw_core_events *core_events,
                                        const struct pw_registry_events *registry_events, void *ctx)
{
    bool loaded =
        context != NULL &&
        pw_context_load_module(context, "libpipewire-module-protocol-native", NULL, NULL) != NULL;
    for (; loaded && *modules != NULL; modules++)
        loaded = pw_context_load_module(context, *modules, NULL, NULL) != NULL;
    if (!loaded)
        return st_pipewire_connection_no_start();
    connection->core = pw_context_connect(context, NULL, 0);
    if (connection->core == NULL)
        return errno == EHOSTDOWN
                   ? "PipeWire is not running for this user"
                   : st_text("the PipeWire server of this user refuses the connection: %s",
                             strerror(errno));
    pw_core_add_listener(connection->core, &core_hook, core_events, ctx);
    connection->registry = pw_core_get_registry(connection->core, PW_VERSION_REGISTRY, 0);
    if (connection->registry == NULL)
        return st_text("the PipeWire server does not list its objects: %s", strerror(errno));
    pw_registry_add_listener(connection->registry, &registry_hook, registry_events, ctx);
    connection->sync = pw_core_sync(connection->core, PW_ID_CORE, 0);
    return NULL;
}

struct pw_proxy *st_pipewire_connection_link(const struct st_pipewire_connection *connection,
                                             const uint32_t from[2], const uint32_t to[2],
                                             bool passive, size_t user_bytes)
{
    const struct spa_dict_item items[] = {{PW_KEY_LINK_OUTPUT_NODE, st_text("%" PRIu32, from[0])},
                                          {PW_KEY_LINK_OUTPUT_PORT, st_text("%" PRIu32, from[1])},
                                          {PW_KEY_LINK_INPUT_NODE, st_text("%" PRIu32, to[0])},
                                          {PW_KEY_LINK_INPUT_PORT, st_text("%" PRIu32, to[1])},
                                          {PW_KEY_LINK_PASSIVE, passive ? "true" : "false"},
                                          {PW_KEY_OBJECT_LINGER, "false"}};
    return pw_core_create_object(connection->core, "link-factory", PW_TYPE_INTERFACE_Link,
                                 PW_VERSION_LINK, &SPA_DICT_INIT_ARRAY(items), user_bytes);
}
