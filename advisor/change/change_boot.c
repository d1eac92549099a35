/* The kernel's command line: does GRUB read drop-ins, and if not, where does the user add options
 * by hand? */
#include "advisor/change/change.h"

#define GRUB_FOLDER "/etc/default/grub.d"
#define BY_CMDLINE  "the kernel's boot options in /etc/kernel/cmdline, then run: sudo "
/* The name of the boot loader, in UTF-16. systemd-boot always writes it, GRUB from 2.12 on if its
 * module bli is loaded. Source: systemd's Boot Loader Interface. */
#define LOADER_INFO "/sys/firmware/efi/efivars/LoaderInfo-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f"

static bool exists(struct st_platform *machine, const char *path)
{
    char buf[1];
    size_t len;
    const int r = machine->read_text(machine, path, buf, sizeof(buf), &len);
    return r == 0 || r == -EFBIG;
}

static const char *const grub_scripts[] = {"/usr/sbin/grub-mkconfig", "/usr/sbin/grub2-mkconfig",
                                           "/usr/bin/grub-mkconfig", "/usr/bin/grub2-mkconfig"};

/* Does GRUB read the drop-ins in GRUB_FOLDER, an addition of Debian's? On another distribution
 * someone may have made that folder by hand, so the script grub-mkconfig must name it. Without
 * /etc/default/grub the script is not in use. A captured tree has no script, so there the folder
 * decides. */
static bool reads_drop_ins(struct st_platform *machine)
{
    char *text;
    ST_EACH (script, grub_scripts) {
        if (st_change_file_read(machine, *script, &text) != 0)
            continue;
        const bool found =
            strstr(text, "default/grub.d") != NULL && exists(machine, "/etc/default/grub");
        free(text);
        return found;
    }
    return st_change_folder_look(machine, GRUB_FOLDER) == 0;
}

static bool is_systemd_boot(struct st_platform *machine)
{
    char raw[128];
    size_t len, n = 0;
    if (machine->read_text(machine, LOADER_INFO, raw, sizeof(raw), &len) != 0)
        return false;
    /* skip the four bytes of attributes at the beginning, and keep the low byte of each UTF-16
     * character */
    for (size_t i = 4; i < len; i += 2)
        raw[n++] = raw[i];
    raw[n] = '\0';
    return st_text_begins(raw, "systemd-boot");
}

/* Where people or other programs write the options of the kernel's command line; the first file
 * that exists counts. Some of these files may exist without being used (after_grub). */
static const struct {
    const char *path, *where;
    bool after_grub;  /* skipped if GRUB reads drop-ins, unless systemd-boot runs */
    const char *with; /* a program that must exist as well; NULL: none */
} rows[] = {
    {"/etc/NIXOS", "boot.kernelParams in configuration.nix, then run: sudo nixos-rebuild boot"},
    {"/run/ostree-booted", "the kernel's boot options (rpm-ostree kargs)"},
    {"/etc/default/grub-steamos",
     "GRUB_CMDLINE_LINUX_DEFAULT in /etc/default/grub-steamos, then run: sudo update-grub. An "
     "update of SteamOS may remove it again"},
    {"/boot/firmware/cmdline.txt",
     "the kernel's boot options, the only line of /boot/firmware/cmdline.txt", true},
    {"/boot/cmdline.txt", "the kernel's boot options, the only line of /boot/cmdline.txt", true},
    {"/etc/kernelstub/configuration", "the kernel's boot options (kernelstub)", true},
    {"/usr/sbin/grubby", "the kernel's boot options (grubby)", true},
    {"/usr/bin/grubby", "the kernel's boot options (grubby)", true},
    {"/usr/sbin/grub2-mkconfig",
     "GRUB_CMDLINE_LINUX_DEFAULT in /etc/default/grub, then run: sudo grub2-mkconfig -o "
     "/boot/grub2/grub.cfg",
     true},
    {"/etc/default/grub",
     "GRUB_CMDLINE_LINUX_DEFAULT in /etc/default/grub, then run: sudo grub-mkconfig -o "
     "/boot/grub/grub.cfg",
     true},
    /* kernel-install reads /etc/kernel/cmdline, for systemd-boot and unified kernel images */
    {"/etc/kernel/cmdline", BY_CMDLINE "sdbootutil update-all-entries", true,
     "/usr/bin/sdbootutil"},
    {"/etc/kernel/cmdline", BY_CMDLINE "mkinitcpio -P", true, "/usr/bin/mkinitcpio"},
    {"/etc/kernel/cmdline", BY_CMDLINE "kernel-install add, once for each kernel", true},
    {"/boot/loader/loader.conf",
     "the kernel's boot options, the lines 'options' in /boot/loader/entries", true},
    {"/efi/loader/loader.conf",
     "the kernel's boot options, the lines 'options' in /efi/loader/entries", true},
};

const char *st_change_boot_by_hand(struct st_platform *machine, const char **ret_path)
{
    const bool grub = reads_drop_ins(machine), systemd = is_systemd_boot(machine);
    ST_EACH (row, rows) {
        if ((row->after_grub && grub && !systemd) || !exists(machine, row->path) ||
            (row->with != NULL && !exists(machine, row->with)) ||
            (systemd && st_text_begins(row->where, "GRUB")))
            continue;
        *ret_path = row->path;
        return row->where;
    }
    return grub && !systemd ? "" : NULL;
}
