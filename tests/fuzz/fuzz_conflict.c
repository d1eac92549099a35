/* Other people's settings, looked at for lines that win over ours: any text in any kind's files. Its first
 * byte says which kind; whatever it is, a winner is one line of it, and our own line behind it wins again. */
#include <stdlib.h>
#include <string.h>

#include "advisor/change/change.h"
#include "tests/fake/fake.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct {
    enum st_os os;
    struct st_change change;
    const char *path;
    bool own; /* our own file, to whose end a line of ours is added */
} rows[] = {
    {ST_OS_LINUX, {ST_CHANGE_SYSCTL, "vm.swappiness", "10"}, "/etc/sysctl.conf", false},
    {ST_OS_LINUX, {ST_CHANGE_SYSCTL, "vm.swappiness", "10"}, "/etc/sysctl.d/90-sleeptune.conf", true},
    {ST_OS_LINUX, {ST_CHANGE_SYSFS, "/sys/kernel/x", "madvise"}, "/usr/lib/tmpfiles.d/a.conf", false},
    {ST_OS_LINUX, {ST_CHANGE_MODPROBE, "snd_hda_intel", "power_save=0 a"}, "/etc/modprobe.d/zz.conf", false},
    {ST_OS_LINUX, {ST_CHANGE_LIMITS, "@audio - rtprio", "90"}, "/etc/security/limits.d/95-x.conf", false},
    {ST_OS_LINUX,
     {ST_CHANGE_SYSTEMD, "user@.service", "LimitRTPRIO=90"},
     "/run/systemd/system/user@.service.d/99-x.conf",
     false},
    {ST_OS_LINUX, {ST_CHANGE_BOOT, "boot", "preempt=full threadirqs"}, "/etc/default/grub.d/zz.cfg", false},
    {ST_OS_LINUX, {ST_CHANGE_BOOT_GRUB, "boot", "preempt=full"}, "/etc/default/grub", true},
    {ST_OS_LINUX, {ST_CHANGE_BOOT_CMDLINE, "boot", "preempt=full"}, "/etc/kernel/cmdline", true},
    {ST_OS_FREEBSD, {ST_CHANGE_SYSCTL, "hw.snd.latency", "0"}, "/etc/sysctl.conf", true},
    {ST_OS_FREEBSD, {ST_CHANGE_LOADER, "kern.hz", "1000"}, "/boot/loader.conf.local", false},
    {ST_OS_FREEBSD, {ST_CHANGE_RC_CONF, "powerd_flags", "-a max"}, "/etc/rc.conf", true},
    {ST_OS_FREEBSD, {ST_CHANGE_LOGIN_CLASS, "audio", "memorylocked=unlimited"}, "/etc/login.conf", false},
    {ST_OS_LINUX,
     {ST_CHANGE_PIPEWIRE, "/home/USER/.config", "default.clock.quantum = 128"},
     "/home/USER/.config/pipewire/pipewire.conf.d/99-x.conf",
     false},
    {ST_OS_LINUX,
     {ST_CHANGE_WIREPLUMBER, "/home/USER/.config", "alsa_output.usb-X"},
     "/home/USER/.config/wireplumber/wireplumber.conf.d/90-sleeptune.conf",
     true},
    {ST_OS_LINUX,
     {ST_CHANGE_WIREPLUMBER_LUA, "/home/USER/.config", "alsa_output.usb-X"},
     "/etc/wireplumber/main.lua.d/60-x.lua",
     false},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char message[512];
    struct st_change_form form;
    if (size == 0 || size > 4096)
        return 0;
    const size_t i = data[0] % ST_ARRAY_LEN(rows);
    char *text = calloc(1, size + sizeof(form.line) + 2);
    struct st_platform *p = st_fake_new(rows[i].os, 0);
    if (text == NULL || p == NULL)
        abort();
    memcpy(text, data + 1, size - 1);
    if (st_fake_set_file(p, rows[i].path, text, 0) != 0)
        abort();
    if (st_change_conflict(&p->machine, &rows[i].change, message, sizeof(message)) &&
        strstr(message, rows[i].path) != message)
        abort();
    if (rows[i].own) {
        if (st_change_form(rows[i].os, &rows[i].change, &form) != 0)
            abort();
        strcat(text, "\n");
        strcat(text, form.line);
        if (st_fake_set_file(p, rows[i].path, text, 0) != 0 ||
            st_change_conflict(&p->machine, &rows[i].change, message, sizeof(message)))
            abort();
    }
    struct st_change again;
    if (st_change_parse(rows[i].os, rows[i].path, text, &again) == 0 &&
        st_change_form(rows[i].os, &again, &form) != 0)
        abort();
    st_fake_free(p);
    free(text);
    return 0;
}
