/* Text files of Linux: kernel configuration, /proc, settings, relaxed JSON. */
#include "advisor/parse/linux_text.h"

#include "advisor/facts/text.h"
#include "core/text/pattern.h"
#include "core/text/text.h"

/* --- settings --- */

void st_linux_text_settings(char *text, char separator, const char *comments, st_setting_fn fn, void *ctx)
{
    const char *section = "";
    ST_TEXT_EACH (line, text, "\r\n") {
        st_text_trim(line);
        const size_t len = strlen(line);
        if (len == 0 || strchr(comments, line[0]) != NULL)
            continue;
        if (line[0] == '[' && line[len - 1] == ']') {
            line[len - 1] = '\0';
            section = line + 1;
            continue;
        }
        char *value = strchr(line, separator);
        if (value == NULL)
            continue;
        *value++ = '\0';
        st_text_trim(line);
        st_text_trim(value);
        fn(ctx, section, line, value);
    }
}

void st_linux_text_limits(char *text, st_setting_fn fn, void *ctx)
{
    ST_TEXT_EACH (line, text, "\r\n") {
        char *words[4], *word_rest = NULL;
        size_t n = 0;
        line[strcspn(line, "#")] = '\0';
        for (char *word = strtok_r(line, " \t", &word_rest); word != NULL && n < 4;
             word = strtok_r(NULL, " \t", &word_rest))
            words[n++] = word;
        if (n == 4 && (st_text_is(words[1], "-") || st_text_is(words[1], "soft")))
            fn(ctx, words[0], words[2], words[3]);
    }
}

/** The names are behind the last two blanks of the line ("16-fasteoi   i801_smbus, snd_hda_intel:card0"). */
static const char *interrupt_actions(const char *line)
{
    const char *last = NULL;
    for (const char *at = strstr(line, "  "); at != NULL; at = strstr(at + 1, "  "))
        last = at;
    return last != NULL ? last + 2 : NULL;
}

/** From "PCI-MSI-0000:00:14.0 0-edge", or, before Linux 6.2, from "PCI-MSI 327680-edge": domain << 27 | bus
 * << 19 | device << 14 | function << 11 | index (pci_msi_domain_calc_hwirq() of
 * drivers/pci/msi/irqdomain.c). */
static void interrupt_pci(const char *chip, char *ret, size_t bytes)
{
    const char *at = strstr(chip, "PCI-MSI");
    char *end;
    ret[0] = '\0';
    if (at == NULL)
        return;
    at += strcspn(at + 4, "- ") + 4;
    if (*at == '-') {
        snprintf(ret, bytes, "%.*s", (int)strcspn(at + 1, " "), at + 1);
        return;
    }
    const unsigned long long number = strtoull(at, &end, 10);
    if (end != at && st_text_begins(end, "-edge"))
        snprintf(ret, bytes, "%04llx:%02llx:%02llx.%llx", number >> 27 & 0xffff, number >> 19 & 0xff,
                 number >> 14 & 0x1f, number >> 11 & 7);
}

int st_linux_text_interrupts(char *text, st_interrupt_fn fn, void *ctx)
{
    char *rest = NULL;
    char *line = strtok_r(text, "\n", &rest);
    if (line == NULL || strstr(line, "CPU") == NULL)
        return -EBADMSG;
    while ((line = strtok_r(NULL, "\n", &rest)) != NULL) {
        char *end;
        const unsigned long number = strtoul(line, &end, 10);
        if (end == line || *end != ':' || number > 1000000)
            continue;
        st_text_trim(end + 1);
        const char *actions = interrupt_actions(end + 1);
        if (actions != NULL && actions[0] != '\0' && strspn(actions, "0123456789 ") != strlen(actions)) {
            char pci[24];
            interrupt_pci(end + 1, pci, sizeof(pci));
            fn(ctx, (unsigned)number, actions, pci);
        }
    }
    return 0;
}

/** Names of drivers, as they stand in /proc/interrupts. */
bool st_linux_text_carries_sound(const char *actions)
{
    static const char *const words[] = {"snd",  "hda",  "AudioDSP", "sof-",     "ACP_", "xhci", "ehci",
                                        "ohci", "uhci", "dwc",      "firewire", "usb",  NULL};
    return st_text_has_among(actions, words);
}

/** " 0 [NVidia         ]: HDA-Intel - HDA NVidia", and a line below it. */
void st_linux_text_cards(char *text, st_sound_card_fn fn, void *ctx)
{
    struct st_pattern_parts parts;
    char *rest = NULL, *line = strtok_r(text, "\n", &rest);
    while (line != NULL) {
        char *where = strtok_r(NULL, "\n", &rest);
        if (where == NULL || !st_pattern_match(line + strspn(line, " "), "%d [%l]: %l - %l", &parts)) {
            line = where;
            continue;
        }
        st_text_trim(where);
        const struct st_sound_card card = {.number = (unsigned)strtoul(parts.text[0], NULL, 10),
                                           .driver = parts.text[2],
                                           .name = parts.text[3],
                                           .where = where};
        fn(ctx, &card);
        line = strtok_r(NULL, "\n", &rest);
    }
}

int st_linux_text_swaps(char *text, struct st_swaps *ret)
{
    struct st_swaps swaps = {0};
    long zram_highest = LONG_MIN, other_highest = LONG_MIN;
    char *rest = NULL;
    char *line = strtok_r(text, "\n", &rest);
    if (line == NULL || !st_text_begins(line, "Filename"))
        return -EBADMSG;
    while ((line = strtok_r(NULL, "\n", &rest)) != NULL) {
        size_t last = strlen(line); /* the priority is the last word */
        while (last > 0 && strchr(" \t", line[last - 1]) == NULL)
            last--;
        const long priority = strtol(line + last, NULL, 10);
        line[strcspn(line, " \t")] = '\0';
        const char *name = strrchr(line, '/');
        name = name != NULL ? name + 1 : line;
        if (name[0] == '\0')
            continue;
        const bool is_zram = st_text_begins(name, "zram");
        long *highest = is_zram ? &zram_highest : &other_highest;
        if (priority > *highest)
            *highest = priority;
        swaps.zram_n += is_zram;
        swaps.other_n += !is_zram;
    }
    swaps.zram_first = swaps.zram_n > 0 && swaps.other_n > 0 && zram_highest > other_highest;
    *ret = swaps;
    return 0;
}

/* --- Parsers of whole files; pure, so that they can be fuzzed --- */

int st_linux_text_config(const char *text, const char *name, char *ret, size_t ret_bytes)
{
    char line[512];
    const char *end = text + strlen(text);
    struct st_pattern_parts parts;
    while (st_text_line(&text, end, line, sizeof(line))) {
        if (strstr(line, name) == NULL)
            continue;
        if (st_pattern_match(line, "# CONFIG_%s is not set", &parts) && st_text_is(parts.text[0], name)) {
            snprintf(ret, ret_bytes, "n");
            return 0;
        }
        if (st_pattern_match(line, "CONFIG_%s=", &parts) && st_text_is(parts.text[0], name)) {
            const char *value = strchr(line, '=') + 1;
            return value[0] != '\0' && st_text_copy(ret, ret_bytes, value, strlen(value)) ? 0 : -EBADMSG;
        }
    }
    return -ENOENT;
}

int st_linux_text_timer_list(const char *text, struct st_timer_list *ret)
{
    struct st_timer_list list = {0};
    struct st_pattern_parts parts;
    char line[256];
    const char *end = text + strlen(text);
    while (st_text_line(&text, end, line, sizeof(line))) {
        const char *at = line + strspn(line, " \t");
        const bool is_active = st_text_begins(at, ".hres_active ");
        int64_t value;
        if (!is_active && !st_text_begins(at, ".resolution:"))
            continue;
        if (!st_pattern_match(at, is_active ? ".hres_active : %s" : ".resolution: %s", &parts) ||
            st_text_int(parts.text[0], &value) != 0 || value < 0) {
            if (text[-1] == '\n') /* the last line may be cut */
                return -EBADMSG;
        } else if (is_active) {
            list.hres_active = list.has_hres_active ? ST_MIN(value, list.hres_active) : value;
            list.has_hres_active = true;
        } else {
            list.resolution_ns = list.has_resolution ? ST_MAX(value, list.resolution_ns) : value;
            list.has_resolution = true;
        }
    }
    *ret = list;
    return 0;
}

/* --- PipeWire's relaxed JSON, as far as settings need it --- */

#define TOKEN_BYTES 128
#define DEPTH_MAX   32

enum token { TOKEN_END, TOKEN_OPEN, TOKEN_CLOSE, TOKEN_WORD };

struct scanner {
    const char *at;
    bool array; /* the bracket that was opened last is '[' */
    bool kept;  /* the word fitted into `word` */
    char word[TOKEN_BYTES];
};

static void keep(struct scanner *s, const char *from, size_t len)
{
    s->kept = st_text_copy(s->word, sizeof(s->word), from, len);
}

static enum token next_token(struct scanner *s)
{
    for (;;) {
        s->at += strspn(s->at, " \t\r\n,=:");
        if (*s->at != '#')
            break;
        s->at += strcspn(s->at, "\n");
    }
    const char *from = s->at;
    if (*from == '\0')
        return TOKEN_END;
    if (*from == '{' || *from == '[') {
        s->array = *from == '[';
        s->at++;
        return TOKEN_OPEN;
    }
    if (*from == '}' || *from == ']') {
        s->at++;
        return TOKEN_CLOSE;
    }
    if (*from == '"') {
        from++;
        size_t len = 0;
        while (from[len] != '\0' && from[len] != '"')
            len += from[len] == '\\' && from[len + 1] != '\0' ? 2 : 1;
        keep(s, from, len);
        s->at = from + len + (from[len] == '"');
        return TOKEN_WORD;
    }
    const size_t len = strcspn(from, " \t\r\n,=:{}[]\"#");
    keep(s, from, len);
    s->at = from + len;
    return TOKEN_WORD;
}

struct level {
    char name[TOKEN_BYTES]; /* of the object */
    bool array;
};

void st_linux_text_spa(const char *text, st_setting_fn fn, void *ctx)
{
    struct scanner s = {.at = text};
    struct level levels[DEPTH_MAX] = {0};
    size_t depth = 0; /* may grow beyond the levels that are kept */
    char key[TOKEN_BYTES] = "";
    bool has_key = false;
    for (enum token token = next_token(&s); token != TOKEN_END; token = next_token(&s)) {
        const struct level *level = &levels[depth < DEPTH_MAX ? depth : DEPTH_MAX - 1];
        if (token == TOKEN_OPEN) {
            if (++depth < DEPTH_MAX) {
                memcpy(levels[depth].name, has_key ? key : "", has_key ? sizeof(key) : 1);
                levels[depth].array = s.array;
            }
            has_key = false;
        } else if (token == TOKEN_CLOSE) {
            depth -= depth > 0;
            has_key = false;
        } else if (depth >= DEPTH_MAX || level->array || !s.kept) {
            has_key = false;
        } else if (!has_key) {
            memcpy(key, s.word, sizeof(key));
            has_key = true;
        } else {
            fn(ctx, level->name, key, s.word);
            has_key = false;
        }
    }
}
