/* Other people's settings, looked at for lines that name ours: any text in any kind's files. Its
 * first byte says which kind; what is shown is a line of that file. */
#include "advisor/change/change.h"
#include "tests/fake/fake.h"
#include "tests/fuzz/fuzz.h"

static const struct {
    enum st_os os;
    struct st_change change;
    const char *path;
} rows[] = {
    {ST_OS_LINUX, {ST_CHANGE_SYSCTL, "vm.swappiness", "10"}, "/etc/sysctl.conf"},
    {ST_OS_LINUX, {ST_CHANGE_SYSFS, "/sys/kernel/x", "madvise"}, "/usr/lib/tmpfiles.d/a.conf"},
    {ST_OS_LINUX,
     {ST_CHANGE_MODPROBE, "snd_hda_intel", "power_save=0 a"},
     "/etc/modprobe.d/zz.conf"},
    {ST_OS_LINUX, {ST_CHANGE_LIMITS, "ann - rtprio", "90"}, "/etc/security/limits.d/95-x.conf"},
    {ST_OS_LINUX, {ST_CHANGE_UDEV, "rule", "ATTR{a}=\"on\""}, "/etc/udev/rules.d/95-x.rules"},
    {ST_OS_LINUX, {ST_CHANGE_BOOT, "boot", "preempt=full"}, "/etc/default/grub.d/zz.cfg"},
    {ST_OS_FREEBSD, {ST_CHANGE_SYSCTL, "hw.snd.latency", "0"}, "/etc/sysctl.conf"},
    {ST_OS_FREEBSD, {ST_CHANGE_RC_CONF, "powerd:powerd_flags", "-a max"}, "/etc/rc.conf"},
    {ST_OS_LINUX,
     {ST_CHANGE_PIPEWIRE, "/home/USER/.config", "default.clock.quantum = 128"},
     "/home/USER/.config/pipewire/pipewire.conf.d/99-x.conf"},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char first[400];
    const char *line;
    struct st_entry entry;
    if (size == 0 || size > 4096)
        return 0;
    const size_t i = data[0] % ST_ARRAY_LEN(rows);
    char *text = calloc(1, size + 1);
    struct st_platform *p = st_fake_new(rows[i].os, 0);
    if (text == NULL || p == NULL ||
        !st_change_form(rows[i].os, "linux-swap", &rows[i].change, &entry, &line))
        abort();
    memcpy(text, data + 1, size - 1);
    ST_PRINT(first, "%s:", rows[i].path);
    if (st_fake_set_file(p, rows[i].path, text, 0) != 0)
        abort();
    const char *shown = st_change_others(p, &entry);
    if (shown[0] != '\0' && strstr(shown, first) != shown)
        abort();
    /* and a block in it is found only as it was written */
    if (entry.block && st_change_find(&entry, text, &(size_t){0}) != NULL)
        abort();
    st_fake_free(p);
    free(text);
    return 0;
}
