/* Where this machine keeps its kernel's command line, and the commands that make changed files take
 * effect. */
#include "advisor/change/change.h"
#include "advisor/facts/text.h"
#include "core/text/text.h"

#define GRUB_FILE   "/etc/default/grub"
#define GRUB_FOLDER "/etc/default/grub.d"
#define CMDLINE     "/etc/kernel/cmdline"
#define OSTREE      "/run/ostree-booted"
/* What the boot loader left for the system, in UTF-16: systemd-boot always, GRUB from 2.12 on where its
 * module bli is loaded. Source: systemd's Boot Loader Interface. */
#define LOADER_INFO "/sys/firmware/efi/efivars/LoaderInfo-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f"

static bool exists(struct st_machine *machine, const char *path)
{
    char buf[1];
    size_t len;
    const int r = machine->read_text(machine, path, buf, sizeof(buf), &len);
    return r == 0 || r == -EFBIG;
}

static bool has_grub_folder(struct st_machine *machine)
{
    return st_change_folder_look(machine, GRUB_FOLDER) == 0;
}

/* Does this text file have the word? */
static bool mentions(struct st_machine *machine, const char *path, const char *word)
{
    char *text;
    if (st_change_file_read(machine, path, &text) != 0)
        return false;
    const bool found = strstr(text, word) != NULL;
    free(text);
    return found;
}

static const char *const grub_scripts[] = {"/usr/sbin/grub-mkconfig", "/usr/sbin/grub2-mkconfig",
                                           "/usr/bin/grub-mkconfig", "/usr/bin/grub2-mkconfig"};

/* The script that writes GRUB's menu, NULL: not installed, or not in a captured tree. */
static const char *grub_script(struct st_machine *machine)
{
    ST_EACH (script, grub_scripts) {
        if (exists(machine, *script))
            return *script;
    }
    return NULL;
}

/* "systemd-boot 252", "GRUB 2.12", or "": not known. */
static void loader_name(struct st_machine *machine, char *ret, size_t ret_bytes)
{
    char raw[128];
    size_t len, used = 0;
    if (machine->read_text(machine, LOADER_INFO, raw, sizeof(raw), &len) == 0) {
        /* four bytes of attributes first */
        for (size_t i = 4; i + 1 < len && used + 1 < ret_bytes && raw[i] >= ' ' && raw[i] < 0x7f; i += 2)
            ret[used++] = raw[i];
    }
    ret[used] = '\0';
}

/* Drop-ins are Debian's addition; a folder that was made by hand on another distribution is not read. */
static enum st_change_kind grub_kind(struct st_machine *machine)
{
    const char *script = grub_script(machine);
    const bool drop_ins =
        script != NULL ? mentions(machine, script, "default/grub.d") : has_grub_folder(machine);
    return drop_ins ? ST_CHANGE_BOOT : ST_CHANGE_BOOT_GRUB;
}

/** Where people or other programs put the options, if it is not where we can. NULL: not known. */
static const char *by_hand(struct st_machine *machine, const char **ret_path)
{
    static const struct {
        const char *path, *where;
    } rows[] = {
        {"/etc/NIXOS", "boot.kernelParams in configuration.nix, then sudo nixos-rebuild boot"},
        {OSTREE, "the options of rpm-ostree kargs"},
        {"/boot/firmware/cmdline.txt", "the only line of /boot/firmware/cmdline.txt"},
        {"/boot/cmdline.txt", "the only line of /boot/cmdline.txt"},
        {"/etc/kernelstub/configuration", "the options of kernelstub"},
        {"/etc/lilo.conf", "the line append= in /etc/lilo.conf, then run lilo"},
        {"/boot/loader/loader.conf", "the options lines in /boot/loader/entries"},
        {"/efi/loader/loader.conf", "the options lines in /efi/loader/entries"},
    };
    ST_EACH (row, rows) {
        *ret_path = row->path;
        if (exists(machine, row->path))
            return row->where;
    }
    return NULL;
}

static int no_file(struct st_machine *machine, const char *option, char *why, size_t why_bytes)
{
    const char *path, *where = by_hand(machine, &path);
    if (where != NULL)
        snprintf(why, why_bytes,
                 "sleeptune cannot change the kernel command line of this machine. Add %s to %s.", option,
                 where);
    else
        snprintf(why, why_bytes,
                 "neither " GRUB_FILE " nor " CMDLINE " exists. Add %s to the kernel's command line by hand.",
                 option);
    return -ENODATA;
}

int st_change_boot_by_hand(struct st_machine *machine, char *buf, size_t buf_bytes, const char **ret_path)
{
    struct st_change change = {ST_CHANGE_BOOT, "boot", ""};
    char command[256];
    const int r = st_change_resolve(machine, &change, ST_ROOM(256));
    if (r == 0 && change.kind != ST_CHANGE_BOOT) {
        const bool grub = change.kind == ST_CHANGE_BOOT_GRUB;
        *ret_path = grub ? GRUB_FILE : CMDLINE;
        (void)!st_change_command(machine, change.kind, command, sizeof(command));
        snprintf(buf, buf_bytes, "%s" ST_BOOT_OPTIONS_THEN "%s",
                 grub ? "GRUB_CMDLINE_LINUX_DEFAULT in " GRUB_FILE : "the line of " CMDLINE, command);
        return 0;
    }
    const char *where = r != 0 ? by_hand(machine, ret_path) : NULL;
    if (where == NULL)
        return -ENOENT;
    snprintf(buf, buf_bytes, "%s", where);
    return 0;
}

int st_change_resolve(struct st_machine *machine, struct st_change *change, char *why, size_t why_bytes)
{
    char loader[64];
    why[0] = '\0';
    if (change->kind != ST_CHANGE_BOOT)
        return 0;
    const bool grub = exists(machine, GRUB_FILE) || has_grub_folder(machine),
               cmdline = exists(machine, CMDLINE);
    loader_name(machine, loader, sizeof(loader));
    const bool by_systemd = st_text_begins(loader, "systemd-boot");
    /* one made by us would hold our options only, and no root= */
    if ((by_systemd && !cmdline) || exists(machine, OSTREE))
        return no_file(machine, change->value, why, why_bytes);
    if (grub && !by_systemd) {
        change->kind = grub_kind(machine);
        snprintf(
            why, why_bytes, "into GRUB's settings%s%s",
            !cmdline ? ""
            : st_text_begins(loader, "GRUB")
                ? ", because GRUB started this machine. This file exists, too: "
                : ", because nothing shows that systemd-boot started this machine. This file exists, too: ",
            cmdline ? CMDLINE : "");
        return 0;
    }
    if (!cmdline)
        return no_file(machine, change->value, why, why_bytes);
    change->kind = ST_CHANGE_BOOT_CMDLINE;
    snprintf(why, why_bytes, "into " CMDLINE "%s%s",
             !grub        ? ", because this machine has no settings of GRUB"
             : by_systemd ? ", because systemd-boot started this machine. This file exists, too: "
                          : "",
             grub ? GRUB_FILE : "");
    return 0;
}

/* --- commands --- */

static int grub_command(struct st_machine *machine, char *buf, size_t buf_bytes)
{
    const char *script = grub_script(machine);
    if (exists(machine, "/usr/sbin/update-grub") || exists(machine, "/usr/bin/update-grub")) {
        snprintf(buf, buf_bytes, "update-grub");
        return 0;
    }
    if (script == NULL) {
        snprintf(buf, buf_bytes,
                 "grub-mkconfig -o FILE, where FILE is the GRUB configuration of your distribution");
        return -ENOENT;
    }
    const bool two = strstr(script, "grub2") != NULL;
    /* menu entries of their own (BLS) keep their options unless told otherwise, where the script knows how */
    const bool entries = mentions(machine, GRUB_FILE, "GRUB_ENABLE_BLSCFG=true") &&
                         mentions(machine, script, "--update-bls-cmdline");
    snprintf(buf, buf_bytes, "%s -o /boot/%s/grub.cfg%s", strrchr(script, '/') + 1, two ? "grub2" : "grub",
             entries ? " --update-bls-cmdline" : "");
    return 0;
}

static int cmdline_command(struct st_machine *machine, char *buf, size_t buf_bytes)
{
    char release[128], path[192];
    size_t len;
    if (exists(machine, "/usr/bin/sdbootutil")) {
        snprintf(buf, buf_bytes, "sdbootutil update-all-entries");
        return 0;
    }
    if (exists(machine, "/usr/bin/mkinitcpio")) { /* unified kernel images */
        snprintf(buf, buf_bytes, "mkinitcpio -P");
        return 0;
    }
    if (machine->read_sysctl(machine, "kernel.osrelease", release, sizeof(release), &len) != 0)
        release[0] = '\0';
    st_text_trim(release);
    /* it becomes part of a command, and a captured tree may come from anybody */
    if (!st_text_is_of(release, "._+~-"))
        release[0] = '\0';
    for (int i = 0; i < 2 && release[0] != '\0'; i++) {
        if (i == 0)
            ST_PRINT(path, "/usr/lib/modules/%s/vmlinuz", release);
        else
            ST_PRINT(path, "/boot/vmlinuz-%s", release);
        if (exists(machine, path)) {
            snprintf(buf, buf_bytes, "kernel-install add %s %s", release, path);
            return 0;
        }
    }
    snprintf(buf, buf_bytes, "kernel-install add, once for each kernel");
    return -ENOENT;
}

int st_change_command(struct st_machine *machine, enum st_change_kind kind, char *buf, size_t buf_bytes)
{
    static const char *const fixed[ST_CHANGE_KINDS] = {
        [ST_CHANGE_UDEV] = "udevadm control --reload",
        [ST_CHANGE_SYSTEMD] = "systemctl daemon-reload",
        [ST_CHANGE_LOGIN_CLASS] = "cap_mkdb /etc/login.conf",
    };
    buf[0] = '\0';
    if (kind == ST_CHANGE_BOOT || kind == ST_CHANGE_BOOT_GRUB)
        return grub_command(machine, buf, buf_bytes);
    if (kind == ST_CHANGE_BOOT_CMDLINE)
        return cmdline_command(machine, buf, buf_bytes);
    if (fixed[kind] == NULL)
        return -ENOENT;
    snprintf(buf, buf_bytes, "%s", fixed[kind]);
    return 0;
}
