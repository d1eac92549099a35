/* Posted texts about the system: rtcqs, inxi, dmesg. */
#include <ctype.h>

#include "advisor/parse/post.h"
#include "advisor/parse/posted.h"
#include "core/text/text.h"

/** The word behind `label`, up to a blank. @return false: there is none. */
static bool word_behind(const char *line, const char *label, char *ret, size_t bytes)
{
    const char *at = strstr(line, label);
    if (at == NULL)
        return false;
    at += strlen(label);
    const size_t len = strcspn(at, " \t,");
    if (len == 0 || len >= bytes)
        return false;
    snprintf(ret, bytes, "%.*s", (int)len, at);
    return true;
}

/* --- rtcqs: "[ WARNING ] vm.swappiness is set to 60 ..."; its src/rtcqs/rtcqs.py --- */

/** "Soundcard snd_hda_intel:card0 with IRQ 27 does not share its IRQ.", "... shares its IRQ with the
 * following other devices NAMES". The kernel's list has no blank behind a comma, so rtcqs may take several
 * names for one. */
static void rtcqs_interrupt(struct st_post *post, const char *line)
{
    static const char others[] = " other devices ";
    char name[160];
    unsigned irq;
    const char *at = strstr(line, "] Soundcard "), *all = strstr(line, others);
    if (at == NULL || sscanf(at, "] Soundcard %159s with IRQ %5u", name, &irq) != 2)
        return;
    const char *key = ST_TEXT(48, ST_KEYS_IRQ "%u.actions", irq);
    st_post_text(post, key, all != NULL ? all + strlen(others) : name);
    st_post_int(post, ST_KEY_IRQ_READABLE, 1);
}

/** "... has sufficient rtprio (0) and memlock (8388608) set": of the user who ran it. */
static void rtcqs_limits(struct st_post *post, const char *line)
{
    long long rtprio, memlock;
    char name[40];
    const char *at = strstr(line, "rtprio ("), *user = strstr(line, "] User ");
    if (at == NULL || sscanf(at, "rtprio (%9lld) and memlock (%18lld)", &rtprio, &memlock) != 2 ||
        rtprio < -1 || memlock < -1)
        return;
    st_post_int(post, ST_KEY_RT_RTPRIO_LIMIT, rtprio);
    st_post_int(post, ST_KEY_RT_MEMLOCK_LIMIT_BYTES, memlock);
    st_posted_rights(post->facts, rtprio, "rtcqs", post->source);
    if (user != NULL && sscanf(user, "] User %39s is", name) == 1)
        st_post_text(post, ST_KEY_USER_NAME, name);
}

static bool rtcqs_line(struct st_post *post, char *line)
{
    static const char *const titles[] = {"Root User",
                                         "Group Limits",
                                         "CPU Frequency Scaling",
                                         "Simultaneous Multithreading",
                                         "Kernel Configuration",
                                         "High Resolution Timers",
                                         "Tickless Kernel",
                                         "Preempt RT",
                                         "Spectre/Meltdown Mitigations",
                                         "RT Priorities",
                                         "Swappiness",
                                         "Maximum User Watches",
                                         "Filesystems",
                                         "IRQs",
                                         "Power Management",
                                         NULL};
    char word[100], *end;
    if (st_text_begins(line, "rtcqs - version "))
        return post->rtcqs = true;
    if (!post->rtcqs)
        return false;
    if ((line[0] == '=' && strspn(line, "=") == strlen(line)) || st_text_is_among(line, titles))
        return true;
    if (!st_text_begins(line, "[ ") || (strstr(line, "OK") == NULL && strstr(line, "WARNING") == NULL))
        return false;
    rtcqs_interrupt(post, line);
    rtcqs_limits(post, line);
    if ((word_behind(line, "vm.swappiness is set to ", word, sizeof(word)) ||
         word_behind(line, "Swappiness is set at ", word, sizeof(word))) &&
        isdigit((unsigned char)word[0])) {
        st_post_int(post, ST_KEY_SYSCTL_VM_SWAPPINESS, strtol(word, &end, 10));
    } else if (strstr(line, "configured without swap") != NULL) {
        st_post_int(post, ST_KEY_SWAP_ZRAM_N, 0);
        st_post_int(post, ST_KEY_SWAP_OTHER_N, 0);
    } else if (word_behind(line, "] Kernel ", word, sizeof(word)) && !st_text_is(word, "with")) {
        st_post_text(post, ST_KEY_KERNEL_RELEASE, word);
    }
    return true;
}

const struct st_post_format st_post_rtcqs = {"rtcqs", "sleeptune snapshot", rtcqs_line, NULL};

/* --- inxi -SA: "Kernel: 6.1.0-37-amd64 arch: x86_64", "Server-1: PipeWire v: 0.3.65 status: active" --- */

static bool inxi_line(struct st_post *post, char *line)
{
    static const struct {
        const char *name, *key;
    } servers[] = {{"PipeWire", ST_KEY_DAEMON_PIPEWIRE},
                   {"JACK", ST_KEY_DAEMON_JACKD},
                   {"PulseAudio", ST_KEY_DAEMON_PULSEAUDIO}};
    char word[100], status[16];
    const char *kernel = strstr(line, "Kernel: "), *server = strstr(line, "Server-");
    if (kernel != NULL && (strstr(kernel, " arch: ") != NULL || strstr(kernel, " bits: ") != NULL) &&
        word_behind(kernel, "Kernel: ", word, sizeof(word))) {
        st_post_text(post, ST_KEY_KERNEL_RELEASE, word);
        return true;
    }
    if (server == NULL || !word_behind(server, ": ", word, sizeof(word)))
        return false;
    ST_EACH (row, servers) {
        if (st_text_is(word, row->name) && word_behind(server, "status: ", status, sizeof(status)) &&
            st_text_is(status, "active"))
            st_post_int(post, row->key, 1);
    }
    return strstr(server, " v: ") != NULL;
}

const struct st_post_format st_post_inxi = {"inxi", "sleeptune snapshot", inxi_line, NULL};

/* --- dmesg, or the kernel's lines in the journal; its first line is read with uname --- */

static bool dmesg_line(struct st_post *post, char *line)
{
    char mode[32], text[64];
    const char *at = line[0] == '[' ? strstr(line, "] ") : strstr(line, "kernel: ");
    if (at == NULL)
        return false;
    const char *options = strstr(at, "ommand line: ");
    if (options != NULL && strstr(options, "...") != NULL) /* shortened by hand */
        return true;
    if (options != NULL) {
        st_post_text(post, ST_KEY_CMDLINE, options + strlen("ommand line: "));
        return true;
    }
    if (word_behind(at, "Switched to clocksource ", mode, sizeof(mode))) {
        st_post_text(post, ST_KEY_CLOCKSOURCE_CURRENT, mode);
        return true;
    }
    if (word_behind(at, "Dynamic Preempt: ", mode, sizeof(mode))) {
        ST_PRINT(text, "(%s)", mode);
        st_post_text(post, ST_KEY_PREEMPT_DEBUGFS, text);
        return true;
    }
    return line[0] == '[' && isdigit((unsigned char)line[1 + strspn(line + 1, " ")]);
}

const struct st_post_format st_post_dmesg = {"dmesg", "sudo dmesg", dmesg_line, NULL};
