/* Configuration of systemd: a file, and drop-ins, in folders of which the first ones go before the others. */
#pragma once

#include "platform/machine.h"

/** text: of one file, with continued lines joined; the callee may cut it into pieces. path: of that file. */
typedef void (*st_layer_fn)(void *ctx, const char *path, char *text);

/** Calls fn for each file that counts, in the order in which systemd reads them: the unit of this name
 * ("jack@ann.service"), or the file of its template, then its drop-ins by their names, of whatever folder.
 * Of drop-ins of one name the one of the more special folder (jack@ann.service.d, jack@.service.d,
 * service.d) counts, then that of /etc, /run, /usr/local/lib, /usr/lib: systemd.unit(5). buf: for one
 * file. */
void st_layers_unit(struct st_machine *machine, const char *unit, char *buf, size_t buf_bytes, st_layer_fn fn,
                    void *ctx);

/** The same of a file of systemd itself ("system.conf"): systemd-system.conf(5). */
void st_layers_conf(struct st_machine *machine, const char *name, char *buf, size_t buf_bytes, st_layer_fn fn,
                    void *ctx);
