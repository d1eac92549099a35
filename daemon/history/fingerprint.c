#include "daemon/history/fingerprint.h"

#include "core/text/text.h"

#define VALUE_BYTES 200
#define PATH_BYTES  512
/* most bytes of a configuration file that are read and hashed; of a longer one only the
 * beginning */
#define FILE_BYTES (64 * 1024)
/* largest list of packages; it has some 5 MB on a desktop */
#define DPKG_BYTES (16 * 1024 * 1024)
#define DEPTH_MAX  3 /* largest depth at which folders of configuration files are searched */

static void add(struct st_fingerprint *f, const char *kind, const char *name, const char *value)
{
    if (f->n == ST_FINGERPRINT_MAX || value[0] == '\0')
        return;
    struct st_history_fact *fact = &f->facts[f->n];
    *fact = (struct st_history_fact){kind, strdup(name),
                                     strdup(st_text("%.*s", VALUE_BYTES - 1, value))};
    if (fact->name != NULL && fact->value != NULL) {
        f->n++;
    } else {
        free(fact->name);
        free(fact->value);
    }
}

/* Adds a FNV-1a hash: it distinguishes versions of a file without keeping its content. */
static void add_hash(struct st_fingerprint *f, const char *kind, const char *name, const char *text,
                     size_t len)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    add(f, kind, name, st_text("%016" PRIx64, hash));
}

/* --- kernel, firmware, settings --- */

struct taking {
    struct st_platform *machine;
    struct st_fingerprint *f;
    const char *home;      /* home folder, written as "~" in the names that screens show */
    char path[PATH_BYTES]; /* the folder that is listed now */
    int depth;
};

/* Adds a test condition (st_platform.conditions), unless its value changes by itself while a
 * computer runs.
 */
static void on_condition(void *ctx, const char *key, const char *value)
{
    static const char *const moving[] = {"cpus_online",
                                         "cpu_mhz",
                                         "cpu_dma_latency_us",
                                         "timer_slack_ns",
                                         "energy_performance_preference",
                                         "load_average",
                                         "os",
                                         NULL};
    struct taking *taking = ctx;
    char name[64];
    if (st_text_is_among(key, moving))
        return;
    ST_PRINT(name, "%s", st_text_is(key, "kernel_release") ? "kernel" : key);
    add(taking->f, st_text_begins(key, "kernel_") ? "kernel" : "setting",
        st_text_swap(name, '_', ' '), value);
}

static const struct small {
    const char *kind, *name, *path; /* path of a file of one line; on FreeBSD name of a sysctl */
} smalls[][12] = {
    [ST_OS_LINUX] =
        {{"firmware", "BIOS", "/sys/class/dmi/id/bios_version"},
         {"firmware", "device tree model", "/proc/device-tree/model"},
         {"setting", "swappiness", "/proc/sys/vm/swappiness"},
         {"setting", "real-time limit", "/proc/sys/kernel/sched_rt_runtime_us"},
         {"setting", "size of huge pages", "/sys/kernel/mm/transparent_hugepage/enabled"},
         {"setting", "power saving of HDA cards",
          "/sys/module/snd_hda_intel/parameters/power_save"},
         {"setting", "power saving of USB", "/sys/module/usbcore/parameters/autosuspend"},
         {"setting", "order of USB cards", "/sys/module/snd_usb_audio/parameters/index"},
         {"setting", "SMT", "/sys/devices/system/cpu/smt/control"}},
    [ST_OS_FREEBSD] = {{"setting", "latency of sound(4)", "hw.snd.latency"},
                       {"setting", "latency profile of sound(4)", "hw.snd.latency_profile"},
                       {"setting", "virtual channels of sound(4)", "hw.snd.maxautovchans"},
                       {"setting", "quality of sound(4)", "hw.snd.feeder_rate_quality"},
                       {"setting", "preemption threshold", "kern.sched.preempt_thresh"}},
};

static void add_smalls(struct taking *taking)
{
    struct st_platform *machine = taking->machine;
    char text[4096];
    size_t len;
    ST_EACH (small, smalls[machine->os]) {
        if (small->path == NULL)
            break;
        const int r = machine->os == ST_OS_LINUX
                          ? machine->read_text(machine, small->path, text, sizeof(text), &len)
                          : machine->read_sysctl(machine, small->path, text, sizeof(text), &len);
        text[r == 0 ? strcspn(text, "\n") : 0] = '\0';
        add(taking->f, small->kind, small->name, text);
    }
    if (machine->read_text(machine, "/proc/cmdline", text, sizeof(text), &len) == 0)
        add_hash(taking->f, "setting", "kernel command line", text, len);
    const int r = machine->read_text(machine, "/proc/cpuinfo", text, sizeof(text), &len);
    const char *microcode = r == 0 || r == -EFBIG ? strstr(text, "\nmicrocode") : NULL;
    microcode = microcode != NULL ? strchr(microcode, ':') : NULL;
    if (microcode != NULL)
        add(taking->f, "firmware", "microcode",
            st_text("%.*s", (int)strcspn(microcode + 1 + strspn(microcode + 1, " "), "\n"),
                    microcode + 1 + strspn(microcode + 1, " ")));
}

/* --- packages --- */

/* The packages whose versions are stored: sound servers, and firmware that sound hardware loads;
 * one of each source package. Also the libraries that stand in for packages if no list of packages
 * can be read. "NAME*" matches all names that begin with NAME. */
static const char *const packages[] = {"pipewire",      "wireplumber",     "jackd*",
                                       "jack2",         "pulseaudio",      "alsa-ucm-conf",
                                       "alsa-lib",      "libasound2",      "libasound2t64",
                                       "rtkit",         "rtirq*",          "linux-firmware*",
                                       "firmware-sof*", "sof-firmware",    "intel-ucode",
                                       "amd-ucode",     "intel-microcode", "amd64-microcode",
                                       "tuned",         "pipewire-pulse",  "power-profiles-daemon"};
static const char *const libraries[] = {"libpipewire-*", "libwireplumber-*", "libpulsecommon-*",
                                        "libjack*"};

static bool is_one_of(const char *const *list, size_t n, const char *name, size_t len)
{
    ST_EACH_OF (word, list, n) {
        const size_t fixed = strcspn(*word, "*");
        if (len >= fixed && strncmp(name, *word, fixed) == 0 &&
            ((*word)[fixed] == '*' || len == fixed))
            return true;
    }
    return false;
}

static bool is_package(const char *name, size_t len)
{
    return is_one_of(packages, ST_ARRAY_LEN(packages), name, len);
}

/* Reads dpkg's list. A package has the lines "Package: NAME", "Status: ... installed", "Version:
 * VERSION", and ends with an empty line. */
static void add_dpkg(struct st_fingerprint *f, const char *text)
{
    char name[100] = "", version[100] = "";
    bool installed = false;
    for (const char *line = text; *line != '\0';) {
        const size_t len = strcspn(line, "\n");
        if (st_text_begins(line, "Package: ") && is_package(line + 9, len - 9))
            ST_PRINT(name, "%.*s", (int)len - 9, line + 9);
        else if (st_text_begins(line, "Version: "))
            ST_PRINT(version, "%.*s", (int)len - 9, line + 9);
        else if (st_text_begins(line, "Status: "))
            installed = len > 18 && st_text_begins(line + len - 10, " installed");
        line += len + (line[len] == '\n');
        if (len > 0 && *line != '\0')
            continue;
        if (name[0] != '\0' && installed)
            add(f, "package", name, version);
        name[0] = version[0] = '\0';
        installed = false;
    }
}

/* Adds a package of pacman, whose folder has a name as "pipewire-1:1.4.2-1". */
static int on_pacman(void *ctx, const char *entry)
{
    struct taking *taking = ctx;
    size_t len = strlen(entry);
    for (int dashes = 0; len > 0 && dashes < 2;)
        dashes += entry[--len] == '-';
    if (len > 0 && is_package(entry, len))
        add(taking->f, "package", st_text("%.*s", (int)len, entry), entry + len + 1);
    return 0;
}

/* Adds a library with a version in its name: "libpipewire-0.3.so.0.1402.0" (the shorter names
 * "libpipewire-0.3.so" and ".so.0" are links to it), or "libpulsecommon-17.0.so". */
static int on_library(void *ctx, const char *entry)
{
    struct taking *taking = ctx;
    const char *so = strstr(entry, ".so"), *first = so != NULL ? strchr(so + 1, '.') : NULL;
    if (so != NULL && is_one_of(libraries, ST_ARRAY_LEN(libraries), entry, (size_t)(so - entry)) &&
        ((first != NULL && first != strrchr(entry, '.')) ||
         st_text_begins(entry, "libpulsecommon-")))
        add(taking->f, "package", st_text("%.*s", (int)(so - entry), entry), so + 1);
    return 0;
}

static void add_packages(struct taking *taking)
{
    static const char *const folders[] = {"/usr/lib64", "/usr/lib64/pulseaudio", "/usr/local/lib",
                                          "/usr/local/lib/pulseaudio"};
    struct st_platform *machine = taking->machine;
    size_t len;
    char *text = malloc(DPKG_BYTES);
    const size_t before_n = taking->f->n;
    if (text != NULL &&
        machine->read_text(machine, "/var/lib/dpkg/status", text, DPKG_BYTES, &len) == 0)
        add_dpkg(taking->f, text);
    free(text);
    if (taking->f->n == before_n)
        (void)machine->list(machine, "/var/lib/pacman/local", on_pacman, taking);
    for (size_t i = 0; i < ST_ARRAY_LEN(folders) && (i > 0 || taking->f->n == before_n); i++)
        (void)machine->list(machine, folders[i], on_library, taking);
}

/* --- files --- */

static int on_file(void *ctx, const char *entry);

/* Adds a file, or all configuration files of a folder. */
static void add_path(struct taking *taking, const char *path)
{
    struct taking below = {.machine = taking->machine,
                           .f = taking->f,
                           .home = taking->home,
                           .depth = taking->depth + 1};
    const size_t home_len = taking->home != NULL ? strlen(taking->home) : 0;
    const bool at_home =
        home_len > 0 && st_text_begins(path, taking->home) && path[home_len] == '/';
    char *text = malloc(FILE_BYTES);
    size_t len = 0;
    const int r = text != NULL
                      ? taking->machine->read_text(taking->machine, path, text, FILE_BYTES, &len)
                      : -ENOMEM;
    if (r == 0 || r == -EFBIG)
        add_hash(taking->f, "file",
                 st_text("%s%s", at_home ? "~" : "", path + (at_home ? home_len : 0)), text, len);
    free(text);
    if (r == 0 || r == -EFBIG || below.depth > DEPTH_MAX)
        return;
    ST_PRINT(below.path, "%s", path);
    (void)below.machine->list(below.machine, path, on_file, &below);
}

/* Is this the name of a configuration file of a sound server? PulseAudio keeps other files in the
 * same folders. */
static bool is_configuration(const char *name)
{
    static const char *const ends[] = {".conf", ".lua", ".pa", ".d", ".json", ".xml"};
    ST_EACH (end, ends) {
        if (st_text_ends(name, *end))
            return true;
    }
    return false;
}

static int on_file(void *ctx, const char *entry)
{
    struct taking *taking = ctx;
    char path[PATH_BYTES];
    if (is_configuration(entry) && ST_PRINT(path, "%s/%s", taking->path, entry) < (int)sizeof(path))
        add_path(taking, path);
    return 0;
}

static void add_files(struct taking *taking)
{
    static const char *const of_system[] = {"/etc/pipewire",
                                            "/etc/wireplumber",
                                            "/etc/pulse",
                                            "/etc/asound.conf",
                                            "/etc/alsa/conf.d",
                                            "/etc/security/limits.conf",
                                            "/etc/security/limits.d",
                                            "/etc/sysctl.conf",
                                            "/etc/sysctl.d",
                                            "/etc/modprobe.d",
                                            "/etc/rtirq.conf",
                                            "/etc/default/rtirq",
                                            "/etc/default/cpufrequtils",
                                            "/boot/loader.conf",
                                            "/usr/local/etc/pipewire",
                                            "/usr/local/etc/pulse"};
    static const char *const of_user[] = {".config/pipewire", ".config/wireplumber",
                                          ".config/pulse",    ".config/jack",
                                          ".jackdrc",         ".asoundrc"};
    ST_EACH (path, of_system)
        add_path(taking, *path);
    for (size_t i = 0; taking->home != NULL && taking->home[0] == '/' && i < ST_ARRAY_LEN(of_user);
         i++)
        add_path(taking, st_text("%.400s/%s", taking->home, of_user[i]));
}

void st_fingerprint_take(struct st_platform *machine, const char *home, struct st_fingerprint *ret)
{
    struct taking taking = {.machine = machine, .f = ret, .home = home};
    ret->n = 0;
    machine->conditions(machine, -1, on_condition, &taking);
    add_smalls(&taking);
    add_packages(&taking);
    add_files(&taking);
}

void st_fingerprint_finish(struct st_fingerprint *fingerprint)
{
    ST_EACH_OF (fact, fingerprint->facts, fingerprint->n) {
        free(fact->name);
        free(fact->value);
    }
    fingerprint->n = 0;
}
