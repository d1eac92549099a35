/* Parsers of what servers answer, through the clients that come with them; pure, so that they can be fuzzed.
 * Internal to advisor/. Each cuts `text` into pieces. */
#pragma once

#include "advisor/parse/linux_text.h"

/** `pw-metadata -n settings`: "update: id:0 key:'clock.rate' value:'48000' type:''". key: "clock.rate".
 * @return 0, -EBADMSG (no setting in it). */
ST_NODISCARD int st_answer_pw_metadata(char *text, st_setting_fn fn, void *ctx);

/** The fact that a setting of pw-metadata becomes; NULL: none. */
const char *st_answer_pipewire_key(const char *name);

/** `pw-dump`: the properties of all nodes, their state, and as two more properties the process that it
 * belongs to, and whether it is a program's that is linked with a device or sink ("true"). A list, and
 * further ones if something changes meanwhile. section: the node's id; "": the server's version.
 * @return 0, -EBADMSG (no list). */
#define ST_ANSWER_PID   "sleeptune.pid"
#define ST_ANSWER_PLAYS "sleeptune.plays"
ST_NODISCARD int st_answer_pw_dump(const char *text, st_setting_fn fn, void *ctx);

/** `pactl list short modules`: "7<tab>module-udev-detect<tab>tsched=0<tab>". key: the module; value: its
 * arguments. @return 0, -EBADMSG (no module in it). */
ST_NODISCARD int st_answer_pactl_modules(char *text, st_setting_fn fn, void *ctx);

/** What a line of the kernel's log counts as: "card" (a fault of a sound card), "usb" (one of a USB device,
 * whose name ret_device has), "clock", "heat", "memory", "rt_time"; NULL: nothing. */
const char *st_answer_kernel_line(const char *line, char *ret_device, size_t bytes);

/** What a line of rtkit's log says: "demoted", "failed", "refused" (ret_user: whom; else ""); NULL: nothing
 * of these. */
const char *st_answer_rtkit_line(const char *line, char *ret_user, size_t bytes);
