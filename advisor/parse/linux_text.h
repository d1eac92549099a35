/* Parsers of Linux' text files; pure, so that they can be fuzzed. Internal to advisor/. */
#pragma once

#include "core/base.h"

/** Called for each setting that a parser finds; section is "" where there is none. */
typedef void (*st_setting_fn)(void *ctx, const char *section, const char *key, const char *value);

/**
 * Lines "key <separator> value" below lines "[section]": sysctl.conf, daemon.conf, units, hw_params. Lines
 * that begin with one of `comments` are left out, as are lines without separator. Both sides are trimmed.
 * Cuts `text` into pieces. */
void st_linux_text_settings(char *text, char separator, const char *comments, st_setting_fn fn, void *ctx);

/** limits.conf(5): "domain type item value". section: the domain; key: the item. Only what sets the soft
 * limit (types "-" and "soft"). Cuts `text` into pieces. */
void st_linux_text_limits(char *text, st_setting_fn fn, void *ctx);

/**
 * PipeWire's relaxed JSON: names and values of objects; '=' ':' ',' are white space, '#' begins a comment.
 * section: the name of the object that holds the setting, "" at the top; values that are objects or arrays
 * are walked, not given. Names and values longer than 127 bytes are left out, as is what lies deeper than
 * 32. */
void st_linux_text_spa(const char *text, st_setting_fn fn, void *ctx);

/** Called for each interrupt line with a number. actions: "a, b" as the kernel prints it (the chip, if no
 * driver uses the line). pci: the device "0000:00:14.0" that sends it, as the chip's name says; "": not
 * known. */
typedef void (*st_interrupt_fn)(void *ctx, unsigned number, const char *actions, const char *pci);

/** /proc/interrupts, whole or its beginning. Cuts `text` into pieces. @return 0, -EBADMSG (no heading). */
ST_NODISCARD int st_linux_text_interrupts(char *text, st_interrupt_fn fn, void *ctx);

/** Does a name of a sound driver, or of a bus that carries sound, stand in the actions of an interrupt? */
bool st_linux_text_carries_sound(const char *actions);

/** A sound card of /proc/asound/cards. */
struct st_sound_card {
    unsigned number;
    const char *driver, *name; /* "HDA-Intel", "HDA NVidia" */
    const char *where; /* "HDA NVidia at 0xfc080000 irq 97", "... at usb-0000:02:00.0-9.1, full speed" */
};
typedef void (*st_sound_card_fn)(void *ctx, const struct st_sound_card *card);

/** /proc/asound/cards, whole or its beginning. Cuts `text` into pieces. */
void st_linux_text_cards(char *text, st_sound_card_fn fn, void *ctx);

struct st_swaps {
    size_t zram_n;
    size_t other_n;  /* on disks and in files */
    bool zram_first; /* zram has the higher priority than all others; false also without one of both */
};

/** /proc/swaps. Cuts `text` into pieces. @return 0, -EBADMSG (no heading). */
ST_NODISCARD int st_linux_text_swaps(char *text, struct st_swaps *ret);

/**
 * One option of a kernel configuration: "CONFIG_<name>=value" or "# CONFIG_<name> is not set" ("n").
 * Quotes round a string stay. @return 0, -ENOENT (not mentioned), -EBADMSG (value empty or longer than the
 * buffer). */
ST_NODISCARD int st_linux_text_config(const char *text, const char *name, char *ret, size_t ret_bytes);

struct st_timer_list {
    bool has_hres_active;
    int64_t hres_active; /* smallest of all CPUs */
    bool has_resolution;
    int64_t resolution_ns; /* largest of all clocks */
};

/** /proc/timer_list, whole or its beginning: ".hres_active : 1", ".resolution: 1 nsecs".
 *  @return 0, -EBADMSG (one of the lines is there with something else than a number). */
ST_NODISCARD int st_linux_text_timer_list(const char *text, struct st_timer_list *ret);
