/* Posted texts: recognised, read, and not believed beyond what they tell. */
#include <dirent.h>

#include "advisor/post/posted.h"
#include "advisor/report/report.h"
#include "advisor/rules/buffer.h"
#include "tests/unit/shown_facts.h"

static struct st_facts *facts;

static int teardown(void **state)
{
    st_facts_free(facts);
    facts = NULL;
    return 0;
}

static int add(const char *text)
{
    return st_posted_add(text, strlen(text), "posted.txt", &facts);
}

/* What is known from a text that was added: r says how. */
static void look(int r)
{
    struct st_report report;
    struct st_wish wish;
    if (r != 0)
        show("refused: %s", r == -ENODATA ? "nothing in it"
                            : r == -EXDEV ? "another machine's"
                                          : "malformed");
    if (facts == NULL)
        return;
    show("of %s", st_os_rows[facts->os].name);
    show_facts(facts);
    char not_applicable[4096] = "";
    assert_int_equal(st_report_make(facts, 128, 48000, &report), 0);
    ST_EACH_OF (finding, report.findings, report.findings_n) {
        if (finding->status == ST_STATUS_NOT_APPLICABLE)
            ST_APPEND(not_applicable, " %s", finding->rule->id);
        else if (finding->status != ST_STATUS_UNKNOWN)
            show("%s: %s", finding->rule->id, st_finding_statuses[finding->status].name);
    }
    if (not_applicable[0] != '\0')
        show("not applicable:%s", not_applicable);
    st_report_finish(&report);
    const struct st_buffer_asked asked = st_buffer_asked(facts);
    if (asked.program != NULL)
        show("%s asks for a cycle of %jd", asked.program, asked.cycle_frames);
    if (st_buffer_choose(facts, 0, 0, &wish) == 0 && wish.in_use)
        show("runs with %u frames", wish.frames);
}

#define ALSA_INFO                                                                                  \
    "upload=true&script=true&cardinfo=\n!!################################\n"                      \
    "!!ALSA Information Script v 0.5.3\n!!################################\n\n"                    \
    "!!Kernel Information\n!!------------------\n\nKernel release:    6.1.0-37-amd64\n\n"          \
    "!!Sound Servers on this system\n!!----------------------------\n\n"                           \
    "PipeWire:\n      Installed - Yes (/usr/bin/pipewire)\n      Running - Yes\n\n"                \
    "Jack:\n      Installed - Yes (/usr/bin/jackd)\n      Running - No\n\n"                        \
    "!!Modprobe options (Sound related)\n!!--------------------------------\n\n"                   \
    "snd-hda-intel: power_save=1 model=auto\n\n"                                                   \
    "!!Loaded sound module options\n!!---------------------------\n\n"                             \
    "!!Module: snd_hda_intel\n\tpower_save : 10\n\tpower_save_controller : Y\n\n"                  \
    "!!Module: i2c_core\n\tpower_save : 99\n\n"                                                    \
    "!!HDA-Intel Codec information\n!!---------------------------\n\tpower_save : 7\n"

#define LISTENED(back, kernel, valid, drift)                                                       \
    "{\n  \"schema\": \"sleeptune-listen/1\",\n  \"back\": " back ",\n  \"kernel\": \"" kernel     \
    "\",\n  \"valid\": " valid ",\n  \"losses\": [],\n  \"drift_ppm\": " drift                     \
    ",\n  \"rate_ppm\": 12.7,\n}\n"

#define DUMP                                                                                       \
    "[\n  {\n    \"id\": 0,\n    \"type\": \"PipeWire:Interface:Core\",\n    \"info\": {\n"        \
    "      \"version\": \"1.0.5\"\n    }\n  },\n  {\n    \"id\": 44,\n"                            \
    "    \"type\": \"PipeWire:Interface:Node\",\n    \"info\": {\n      \"state\": \"running\",\n" \
    "      \"props\": {\n        \"node.name\": \"REAPER\",\n        \"node.latency\": "           \
    "\"64/48000\"\n      "                                                                         \
    "}\n"                                                                                          \
    "    }\n  }\n]\n"

static void texts_show_what_they_have(void **state)
{
    static const struct {
        const char *name, *text;
    } rows[] = {
        {"alsa-info", ALSA_INFO},
        {"sysctl -a of Linux",
         "abi.vsyscall32 = 1\nkernel.osrelease = 6.1.0-37-amd64\n"
         "kernel.sched_rt_period_us = 1000000\nkernel.sched_rt_runtime_us = -1\n"
         "kernel.core_pattern =\nnot a sysctl\n"},
        {"of FreeBSD",
         "kern.osreldate: 1302001\nkern.hz: 1000\nkern.timecounter.alloweddeviation: 5\n"},
        {"of FreeBSD with =", "kern.osreldate=1302001\nkern.hz=1000\n"},
        {"what sysctl -a does not have does not exist",
         "kern.osreldate: 1302001\nkern.hz: 1000\nsecurity.jail.jailed: 0\n"},
        {"of a cut one it is not known", "kern.osreldate: 1302001\nkern.hz: 1000\n"},
        {"behind quotes and prompts, one a comment",
         "> > $ sysctl kern.hz\n> > kern.hz: 100\n> root@host:~ # sysctl kern.hz=1000\n"
         "> kern.hz: 100 -> 1000\n# kern.eventtimer.periodic=1\n- `hw.snd.latency: 2`\n"},
        {"the first line of dmesg, as a report about IMA on linux-integrity has it",
         "[    0.000000] Linux version 4.14.139-rt66 (builder@vipul) (gcc version 6.3.0 20170516 "
         "(Debian 6.3.0-18+deb9u1)) #1 SMP PREEMPT RT Thu Jan 23 11:04:55 UTC 2020\n"},
        {"a run of listen by two cards", LISTENED("\"device\"", "Linux 6.1.0", "true", "-160.4")},
        {"of a monitor", LISTENED("\"monitor\"", "Linux 6.1.0", "true", "null")},
        {"no number of a clock", LISTENED("\"device\"", "Linux 6.1.0", "true", "1e300")},
        {"the signal was not heard, and the text was read",
         LISTENED("\"device\"", "Linux 6.1.0", "false", "300")},
        {"clocks 0.5 % apart, say", LISTENED("\"device\"", "Linux 6.1.0", "false", "null")},
        {"clocks too far apart: the card that plays is the wrong one",
         LISTENED("\"device\"", "Linux 6.1.0", "false", "-6000.4")},
        {"as far, the other way", LISTENED("\"device\"", "Linux 6.1.0", "false", "6000.4")},
        {"prose behind it",
         LISTENED("\"device\"", "Linux 6.1.0", "true", "30") "\"Hmm\", they said\n"},
        {"a table of ps behind it", LISTENED("\"device\"", "Linux 6.1.0", "true",
                                             "30") "FF     88 pipewire\nTS      - firefox\n"},
        {"a server without its settings", "Server Name: pulseaudio\n"},
        {"neither y nor n", "CONFIG_HIGH_RES_TIMERS=Y\nCONFIG_RT_GROUP_SCHED=Y\n"},
        {"of a recorder made elsewhere", LISTENED("null", "", "true", "300")},
        {"of FreeBSD's cards", LISTENED("\"device\"", "FreeBSD 14.3", "true", "300")},
        {"PRI of ps is no real-time priority", "PID PRI CLS COMMAND\n700 19 TS pipewire\n"},
        {"a heading of ps without the class is none",
         "CLS RTPRIO COMMAND\nPID TTY CMD\nFF 88 pipewire\n"},
        {"the columns of ps -eLo class,rtprio,comm, its ps(1); 88 is rt.prio of pipewire.conf",
         "FF     88 pipewire\nTS      - firefox\n"},
        {"heftig/rtkit issue 22", "Sep 30 08:29:16 myhost rtkit-daemon[2200]: Supervising 4 "
                                  "threads of 4 processes of 2 users.\n"},
        {"a line of grep in hw_params",
         "/proc/asound/card1/pcm0c/sub0/hw_params:rate: 48000 (48000/1)\n"},
        {"grep snd in interrupts", "  5:   0   0    XT-PIC      i801_smbus, snd_hdspm\n"},
        {"rtcqs 0.6.7 about what does not play",
         "rtcqs - version 0.6.7\nIRQs\n====\n"
         "[ OK ] USB port xhci_hcd with IRQ 125 does not share its IRQ.\n"},
        {"about a card",
         "rtcqs - version 0.6.7\n"
         "[ OK ] Soundcard snd_hda_intel:card0 with IRQ 27 does not share its IRQ.\n"},
        {"the kernel writes \"a,b\" (kernel/irq/irqdesc.c, actions_show)",
         "rtcqs - version 0.6.7\n"
         "[ OK ] Soundcard i801_smbus,snd_hda_intel:card0 with IRQ 16 does not share its IRQ.\n"},
        {"an interrupt that is shared",
         "rtcqs - version 0.6.7\n[ WARNING ] Soundcard snd_hda_intel:card0 with IRQ 16 shares its "
         "IRQ with the following other devices snd_hda_intel:card0, ata_piix\n"},
        {"madgraph5/madgraph4gpu issue 116, its options are shortened; kernel/time/clocksource.c",
         "[    0.000000] Kernel command line: BOOT_IMAGE= ... clocksource=tsc tsc=reliable\n"
         "[    1.118272] clocksource: Switched to clocksource hpet\n"},
        {"versions that differ are no version",
         "It worked on 12.4-RELEASE, and with 13.2-RELEASE it crackles.\nnow:\n"
         "13.2-RELEASE-p4\nkern.hz: 100\n"},
        {"uname -a of FreeBSD", "FreeBSD host 14.1-RELEASE FreeBSD 14.1-RELEASE GENERIC amd64\n"},
        {"a file of debugfs",
         "$ sudo cat /sys/kernel/debug/sched/preempt\nnone (voluntary) full\n"},
        {"three files, one with a comment",
         "me@host:~$ cat /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor | sort | uniq -c\n"
         "     16 powersave\n"
         "/sys/module/snd_hda_intel/parameters/power_save:1\n"
         "$ cat /etc/security/limits.d/audio.conf\n# @audio - rtprio 95\n@audio - memlock "
         "unlimited\n"},
        {"what cat could not read",
         "$ cat /proc/swaps\ncat: /proc/swaps: No such file or directory\n"
         "$ cat /sys/kernel/realtime\ncat: /sys/kernel/realtime: Permission denied\n"},
        {"two kernels are not joined",
         "My laptop crackles:\n$ uname -r\n6.16.5\n$ cat "
         "/sys/devices/system/clocksource/clocksource0/current_clocksource\nhpet\n"
         "The desktop is fine:\n$ uname -r\n6.12.48\n$ cat "
         "/sys/devices/system/clocksource/clocksource0/current_clocksource\ntsc\n"},
        {"a card that follows another one's clock is no program",
         "R 64 1024 48000 62.3us 44.2us 0.00 0.00 0 S24LE 2 48000 alsa_output.usb-Arctis-00\n"
         "R 73 0 0 12.3us 4.2us 0.00 0.00 30367 S24LE 1 48000  + alsa_input.usb-Dock-00\n"},
        {"the card's row is the cycle",
         "T   57   1024  48000  75.6us   9.8us  0.01  0.00    0    S32LE 2 48000 alsa_output.usb\n"
         "T  149    441  44100  17.8us   0,6ms  0.00  0,26  113    F32LE 2 44100  = Music Player "
         "Daemon\n"
         "t  150      0      0  17.8us   0.6ms  0.00  0.26    0    F32LE 2 48000  + scope\n"},
        {"pasted from HTML, with colours",
         "&gt; &gt; \033[1m$ cat /proc/cmdline\033[0m\r\n&gt; &gt; quiet&nbsp;threadirqs\r\n"},
        {"what a report asks for",
         "Linux host 6.1.0-37-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.140-1 x86_64 GNU/Linux\n"
         "$ cat /proc/cmdline\nquiet threadirqs\n"
         "$ sudo cat /sys/kernel/debug/sched/preempt\nnone voluntary (full)\n"},
        {"PortAudio", "alsa-pcm 0x9a1988: snd_pcm_avail after recover: Broken pipe\n"},
        {"what stands beside an answer is none",
         "$ cat /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor\npowersave\n\nThanks!\n"},
        {"the journal of a second computer is not read",
         "Nov 28 10:00:00 alpha pipewire[1]: spa.alsa: hw:0: snd_pcm_avail after recover: Broken "
         "pipe\n"
         "Nov 28 10:00:01 alpha wireplumber[7]: spa.alsa: hw:0: XRun! rate:48000\n"
         "2026-11-28T10:00:02+0100 beta pipewire[2]: spa.alsa: hw:9: XRun! rate:48000\n"},
        {"pw-dump, then uname", "$ pw-dump\n" DUMP "$ uname -r\n6.1.0-37-amd64\n"},
        {"pw-dump alone", DUMP},
        {"systemctl status",
         "$ systemctl --user status pipewire\n\xe2\x97\x8f pipewire.service - PipeWire Multimedia "
         "Service\n"
         "     Loaded: loaded (/usr/lib/systemd/user/pipewire.service; enabled; preset: enabled)\n"
         "     Active: active (running) since Mon 2025-06-10 10:00:38 CEST; 2h ago\n"},
        {"lines that grep left",
         "$ grep HZ /boot/config-6.8.0-45-generic\nCONFIG_HZ_250=y\nCONFIG_HZ=250\n"
         "# CONFIG_HIGH_RES_TIMERS is not set\n"
         "$ cat /proc/interrupts | grep snd\n"
         " 145:   0   0   0   8812  IR-PCI-MSI 514048-edge      snd_hda_intel:card1\n"},
        {"Universal_Robots_ROS_Driver's pull request 615",
         "$ id -Gn\nann adm audio realtime\n"
         "$ cat /etc/security/limits.d/99-realtime-privileges.conf\n"
         "@realtime - rtprio 98\n@realtime - memlock unlimited\n\n"
         "cat /etc/security/limits.conf | tail -n 2\n@audio\t\t -\t rtpio\t\t 95\n"},
        {"jack2's 499", "hdac0: Command 0x20220011 timeout on address 2\n"},
        {"raspberrypi/linux' 4314",
         "[  266.174889] WARNING: CPU: 0 PID: 561 at drivers/usb/dwc2/hcd.c:2683 "
         "dwc2_assign_and_init_hc+0x8a8/0x954 [dwc2]\n"},
        {"drm-kmod's 296", "% vmstat -i\ninterrupt                          total       rate\n"
                           "irq16: hdac0 ehci0               1290332      10321\n"},
        {"yabridge, src/plugin/bridges/common.h",
         "realtime:      'yes-ish, see below'\n\n   RLIMIT_RTTIME is set to 200000 us. This can "
         "happen when\n"},
        {"a command as a heading", "cat /proc/sys/vm/swappiness:\n10\n"},
        {"a version is no server that runs",
         "$ jackd -V\njackdmp version 1.9.16\n$ uname -r\n6.1.0\n"},
        {"two programs killed for memory",
         "[ 10.1] Out of memory: Killed process 4242 (firefox) total-vm:1kB, UID:1000\n"
         "[ 11.1] Out of memory: Killed process 4243 (firefox) total-vm:1kB, UID:1000\n"},
        {"a container's limit is none of the computer's",
         "[ 10.1] Memory cgroup out of memory: Killed process 4242 (java) total-vm:1kB\n"},
        {"RT watchdog",
         "Nov 28 10:00:00 host kernel: RT Watchdog Timeout (hard): easyeffects[4242]\n"},
        {"without heading and class: the command says which column is which",
         "$ ps -eLo rtprio,psr,cmd | grep pipewire\n    - 0 /usr/bin/pipewire\n"
         "   95 0 /usr/bin/pipewire\n    - 14 grep --color=auto pipewire\n"},
        {"without the command", "- 0 /usr/bin/pipewire\n95 0 /usr/bin/pipewire\n"},
        {"a unit's line ends nothing; [ alone is no dump",
         "Jul 22 08:53:39 fedora systemd[1571]: Started pipewire.service - PipeWire.\n"
         "$ uname -r\n6.1.0\n\n[\nmore prose\nand more\n"},
        {"prose behind a unit",
         "\xe2\x97\x8f pipewire.service - PipeWire Multimedia Service\n"
         "     Active: active (running) since Mon 2025-06-10 10:00:38 CEST; 2h ago\n"
         "     CGroup: /user.slice\n\nit crackles since then\n"},
        {"raboof/realtimeconfigquickscan's pull request 19",
         "Checking filesystem 'noatime' parameter... 4.18.7 kernel - good\n"
         "Checking the ability to prioritize processes with chrt... yes - good\n"
         "Checking kernel support for high resolution timers... found - good\n"},
        {"its issue 11: the configuration of a real-time kernel before 5",
         "$ grep CONFIG_PREEMPT /boot/config-4.14.6-300.rt7.2.fc27.ccrma.x86_64+rt \n"
         "CONFIG_PREEMPT=y\n# CONFIG_PREEMPT_NONE is not set\nCONFIG_PREEMPT_RT_FULL=y\n"},
        {"jack2's 865: only prose names the system",
         "ERROR: JACK: Cannot use real-time scheduling (RR/5) (1: Operation not permitted)\n\n"
         "jackit-1.9.20_1\nFreeBSD 13\n"},
        {"a program of Linux' sound beside such prose",
         "spa.alsa: front:0: snd_pcm_avail after recover: Broken pipe\nNo clicks with FreeBSD "
         "13\n"},
        {"kdoren/linux' issue 1: two computers with one release",
         "Linux raspberrypi 5.4.81-rt45-v8+ #4 SMP PREEMPT Sat Dec 12 04:48:41 PST 2020 aarch64\n"
         "I rebuilt it\n$ uname -a\n"
         "Linux jambox 5.4.81-rt45-v8+ #9 SMP PREEMPT_RT Mon Dec 28 00:13:29 PST 2020 aarch64\n"},
        {"jack2's 491: the second computer gets its period over the network",
         "ionice -c 1 -n 0 sudo -u pi jackd -P 90 -d alsa -d speakers -p 512 -n 2 -P -r 48000\n\n"
         "ionice -c 1 -n 2 sudo -u user jackd -P 90 -d netone -n 3\n"},
        {"rncbc/rtirq's 12",
         "` 126:      0      0    30151   IR-PCI-MSI 6297600-edge      xhci_hcd\n`\n"},
        {"microsoft/wslg's 684", "> PS> wsl --status\n> Kernel-Version: 5.10.60.1\n"
                                 ">fluidsynth: warning: Failed to set thread to high priority \n\n"
                                 ">@audio   -  rtprio     95\n>myUser   -  rtprio     95\n"},
        {"its 908", "WSL version: 1.0.0.0\nKernel version: 5.15.74.2\nWSLg version: 1.0.47\n"},
        {"guitarix' 54",
         "***  failed to lock memory: Cannot allocate memory\n"
         "> [16:17:44]  Jack init  ***  The jack sample rate is 48000/sec\n"
         "> [16:17:44]  Jack init  ***  The jack buffer size is 1024/frames ...\n"
         "> [16:17:44]  PitchTracker  ***  error creating realtime thread - tuner\n"},
        {"void-packages' 5191: root is refused",
         "[root@SkyLittleSystem ~]# jackd -dalsa\n"
         "Cannot use real-time scheduling (RR/10)(1: Operation not "
         "permitted)\n"},
        {"yabridge's 124", "19:01:16 [Cthulhu_x64] memlock limit: '65536 bytes, see below'\n"},
        {"aes67-linux-daemon's 79", "- stock kernel Linux 5.13.0-1025-raspi aarch64\n"
                                    "Scheduler set to Round Robin with priority 99...\n"},
        {"uname -a of NixOS 24.05, built as #1-NixOS",
         "Linux nixos 6.6.54 #1-NixOS SMP PREEMPT_DYNAMIC Fri Oct  4 14:30:05 UTC 2024 x86_64 "
         "GNU/Linux\n"
         "Cannot use real-time scheduling (RR/5)(1: Operation not permitted)\n"},
        {"fastfetch beside its picture",
         "/////76767//7676767////     Kernel: Linux 6.10.4-061004-generic\n"},
        {"microsoft/wslg's 1257: a form has each value below its heading",
         "### WSL Version\n\n2.2.4.0\n\n### Kernel "
         "Version\n\n5.15.153.1-microsoft-standard-WSL2\n\n"
         "### Distro Version\n\n23.10\n"},
        {"alsa-lib's 272, in PipeWire's form",
         "- PipeWire version (`pipewire --version`):\n    - `0.3.58` but also with `0.3.53`\n"
         "- Kernel version (`uname -r`):  \n    - `5.19.0-76051900-generic`\n"
         "spa.alsa: hw:3,0: snd_pcm_start: Broken pipe\n"},
        {"a heading has no value where a command follows",
         "Kernel:\n$ cat /proc/sys/vm/swappiness\n10\n1024 frames\n"},
        {"supercollider's 3321: JACK does not run",
         "creating alsa driver ... hw:0|hw:0|1024|2|48000|0|0|nomon|swmeter|-|32bit\n"
         "could not initialize audio.\n"},
        {"mixxx' 11341: what QjackCtl is set to",
         "Sample Rate: 96000\nFrame/Period: 2048\nPeriods/Buffer: 3\n"},
        {"musnix' 9: all CPUs; '-' is no number",
         "Checking CPU Governors... CPU 0: 'performance' CPU 1: 'powersave'  - not good\n"
         "Checking swappiness...  - warning\n"},
        {"nixpkgs' 389803", "kernel: INFO: task pipewire:4316 blocked for more than 614 seconds.\n"
                            "kernel:       Tainted: G        W          6.13.6 #1-NixOS\n"},
        {"linux-guide-split-audio-ports' 20, pactl list",
         "Sink #212\n\tState: SUSPENDED\n\tDriver: PipeWire\n"},
        {"i3status-rust's pull request 2166, wpctl inspect",
         "\tapi.alsa.period-size = \"1024\"\n\tapi.alsa.headroom = \"0\"\n"},
        {"discourse.ardour.org 113456: two groups",
         "@pipewire   -  rtprio     95\n@audio      -  rtprio     95\n"},
        {"mystang69.blogspot.com, December 2021: advice, then prose",
         "cat the following file\n\ncat /sys/module/snd_hda_intel/parameters/power_save\n\n"
         "If a 1 is returned then yes\n\ncat /etc/security/limits.conf\n\nshows the limits\n"},
        {"a blank line below ps",
         "ps -eLo rtprio,psr,cmd | grep pipewire\n\n    - 0 /usr/bin/pipewire\n"
         "   95 0 /usr/bin/pipewire\n"},
        {"OpenELEC.tv's 2146: a prompt without '@'",
         "zbox:~ # cat /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor\nondemand\n"
         "zbox:~ # cat /sys/devices/system/cpu/cpu1/cpufreq/scaling_governor\nondemand\n"},
        {"dosbox-x' 3688: uname without the host",
         "Linux 5.18.17_1 #1 SMP PREEMPT_DYNAMIC Fri Aug 12 13:53:18 UTC 2022 x86_64 GNU/Linux\n"},
        {"Focusrite-Scarlett-on-Linux' sound-usb-kernel-module 13",
         "Oct 02 17:52:51 pop-os pipewire[19565]: pw.node: (alsa_input.usb-Scarlett_18i8-69) "
         "suspended -> error (Start error: Invalid argument)\n"},
        {"wwmm/easyeffects' 2776: a list of packages",
         "My ArchLinux config:\n* easyeffects 7.1.3-1\n* pipewire 1:0.3.85-1\n* cinnamon 5.8.4-2\n"
         "* linux-zen 6.6.2.zen1-1\n"},
        {"dpkg -l in the form of hifiberry-os' 642: PipeWire's own package alone",
         "ii  libspa-0.2-bluetooth:arm64           1.4.2-1+rpt3                         arm64\n"
         "ii  pipewire:arm64                       1.4.2-1+rpt3                         arm64\n"},
        {"headings of lists",
         "- **PipeWire version:** 1.0.5\n- WirePlumber: 0.5.1\n- Kernel: 6.8\n"},
        {"a version of which something is said is none of today's",
         "It was fine with kernel 6.5\nDebian 12, kernel 6.1, works\nKernel 7.1.9  -> audio "
         "WORKS\npipewire 1.0.4 is older\n"
         "$ cat /proc/sys/vm/swappiness\n10\n"},
        {"helloSystem/ISO's 302: the kernel of FreeBSD",
         "FreeBSD kernel version: 13.0-RELEASE \nFreeBSD userland version: 13.0-RELEASE\n"},
        {"CachyOS/linux-cachyos' 665, bold", "- **Chipset:** AMD 800 Series (X870E)\n"
                                             "- **Kernel:** 6.18.3-2-cachyos #1 SMP\n"},
        {"linuxmint/cinnamon's 10425: an older inxi",
         "System:    Kernel: 5.4.0-89-generic x86_64 bits: 64 compiler: gcc v: 9.3.0 Desktop: "
         "Cinnamon 5.0.6 \n"},
        {"zynthian-ui's 430: the options of JACK without its name",
         "it works mostly with these jackd settings:\n"
         "-P 70 -t 2000 -s -d alsa -d hw:iD4 -r 44100 -p 256 -n 2 --shorts -X raw\n"},
        {"XPS13Linux' 38: prose says a setting",
         "However, /sys/module/snd_hda_intel/parameters/power_save is set to 0 and more\n"},
        {"prose does not say it",
         "Make sure /sys/module/snd_hda_intel/parameters/power_save is set "
         "to 0\n$ cat /proc/sys/vm/swappiness\n10\n"},
        {"mumble's 2179, snapcast's 16 and 937, qubes-issues' 10063, mbp2018-bridge-drv's 18, "
         "shairport-sync's 1682, settings-sound's 286, easyeffects' 900, gr-dsd's 5, C15's 2412",
         "ALSAAudio: Non-critical: w=snd_pcm_writei(pcm_handle, outbuff, period_size): "
         "Broken pipe\n"
         "2015-12-04 04-37-48 [err] XRUN\n2015-12-04 04-37-48 [err] XRUN\n"
         "1752763915.753912 Stream underrun.\n1752763915.759997 Stream started.\n"
         "rlimit-rttime = 3200000\n"
         "During the first minute or so of audio decoding, audio underruns occur.\n"
         "[  930.057663] audio-engine[879]: segfault at 7f511c0049b0 ip 00007f511c0049b0 sp "
         "00007f51451f0a58 error 15\n"
         "         0.022016076 \"audio_alsa.c:1700\" alsa: underrun while writing 352 samples to "
         "alsa device.\n"
         "Nov  8 09:13:31 rhasspysat1 snapclient[1802]: snd_pcm_delay failed: Broken pipe (-32), "
         "avail: -32, delay: 0\n"
         "Nov  8 09:13:35 rhasspysat1 snapclient[1802]: XRUN while writing to PCM: Broken pipe\n"
         "Dec 27 17:21:52 MacBook-Pro kernel: intel_powerclamp: Start idle injection to reduce "
         "power\n"
         "[W][000356477.740443][impl-node.c:1040 node_on_fd_events()] (pulseeffects_sie-30) client "
         "missed 1 wakeups\n"},
        {"pop-os/pop's 3225: a column of pw-top in words",
         "pw-top QUANT value before start a game: 1024\n"},
        {"pop's 4082: the package of a kernel, a setting in a sentence",
         "  linux-image-7.0.11-76070011-generic:\n    Installed: 7.0.11-76070011\n"
         "The root cause is a feedback loop triggered by snd_hda_intel's default power_save=1 "
         "setting\n"},
        {"Xpra's pull request 3893",
         "I: [pulseaudio] main.c: setrlimit(RLIMIT_RTPRIO, (9, 9)) failed: Operation not "
         "permitted\n"},
        {"linux-fcp's 43", "However, on Linux 6.14/PipeWire and just plain JACK2\n"},
        {"Proton's 909, and wslg's 1429: labels",
         "    Distribution: Arch Linux 4.18.5\nWSL : 2.6.3.0\nKernel : 6.6.87.2-1\n"},
        {"xruns of 0 are none", "xruns: 0\n"},
        {"but others are not", "underruns: 0, xruns: 12\n7 xruns, 0  underruns\n"},
        {"a kernel of the past ends no text",
         "Last good kernel: 6.5\n$ uname -r\n6.8.1\n$ cat /proc/sys/vm/swappiness\n10\n"},
        {"names without values", "kernel \npipewire -\nlinux-\nthe quantum\nkernel .\nlinux 6\n"},
        {"nothing", ""},
        {"empty lines", "\n\n\n"},
        {"prose", "hello, my sound crackles\nwhat can I do?\n"},
        {"a snapshot", "{\"schema\": \"sleeptune-snapshot/1\"}"},
        {"ps aux",
         "USER PID %CPU %MEM VSZ RSS TTY STAT START TIME COMMAND\nroot 1 0 0 1 1 ? S 1 1 x\n"},
        {"alsa-info without more", "!!ALSA Information Script v 0.5.3\nnothing else\n"},
        {"rtcqs without more", "rtcqs - version 0.6.7\n[ OK ] Realtime priorities can be set.\n"},
        {"settings of another FreeBSD program", "acpi.oem=\"BOCHS \"\nhint.pcm.0.eq=\"1\"\n"},
        {"a sysctl within prose", "one line\nanother\nI have kern.hz: 1000\nmore\nand more\n"}};
    ST_EACH (row, rows) {
        look(add(row->text));
        teardown(NULL);
        shown_is(row->name);
    }
    static const char wide[] =
        "\xff\xfe\0\xd8\n\0$\0 \0u\0n\0a\0m\0e\0 \0-\0r\0\n\0006\0.\0001\0.\0000\0\n\0";
    look(st_posted_add(wide, sizeof(wide) - 1, "posted.txt", &facts));
    teardown(NULL);
    look(st_posted_add(DUMP, 150, "posted.txt", &facts));
    shown_is("UTF-16, and a dump that is cut");
}

static void what_a_text_does_not_have_is_unknown(void **state)
{
    assert_int_equal(add("kernel.osrelease = 6.1.0-37-amd64\nvm.swappiness = 60\n"), 0);
    struct st_report report;
    size_t unknown_n = 0;
    assert_int_equal(st_report_make(facts, 128, 48000, &report), 0);
    for (size_t i = 0; i < report.findings_n; i++) {
        assert_true(report.findings[i].status != ST_STATUS_NOT_APPLICABLE);
        unknown_n += report.findings[i].status == ST_STATUS_UNKNOWN;
    }
    assert_true(unknown_n + 5 > report.findings_n);
    st_report_finish(&report);
}

/* --- texts as people post them: tests/fixtures/posted/README.md has the sources --- */

static int add_file(const char *name)
{
    static char text[65536];
    FILE *file = fopen(st_text(ST_POSTED_DIR "/%s", name), "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    return add(text);
}

static int is_text(const struct dirent *entry)
{
    return st_text_ends(entry->d_name, ".txt");
}

static void posts_show_what_they_have(void **state)
{
    struct dirent **entries;
    const int n = scandir(ST_POSTED_DIR, &entries, is_text, alphasort);
    assert_true(n > 0);
    ST_EACH_OF (entry, entries, n) {
        look(add_file((*entry)->d_name));
        teardown(NULL);
        shown_is((*entry)->d_name);
        free(*entry);
    }
    free(entries);
}

static void texts_of_one_machine_add_up(void **state)
{
    look(add("kern.osreldate: 1302001\nkern.hz: 1000\nsecurity.jail.jailed: 0\n"));
    look(add("FreeBSD Audio Driver\nInstalled devices:\n"
             "pcm0: <Generic (Analog)> on hdaa0 (1p:1v/1r:0v) default\n"));
    look(add(ALSA_INFO));
    teardown(NULL);
    assert_int_equal(add_file("mpv-9992.txt"), 0);
    assert_int_equal(add_file("ulimit-a.txt"), 0);
    look(add("\033[31mkernel.sched_rt_runtime_us = -1\033[0m\n"
             "> update: id:0 key:'clock.rate' value:'44100' type:''\n"));
    look(add("kern.hz: 100\n"));
    shown_is(__func__);
}

/* A forum, or who copies, may cut a text anywhere. */
static void a_cut_text_raises_no_new_problem(void **state)
{
    static char text[65536];
    DIR *folder = opendir(ST_POSTED_DIR);
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const char *name = entry->d_name;
        if (!st_text_ends(name, ".txt") || add_file(name) == -ENODATA)
            continue;
        struct st_report whole, cut;
        struct st_facts *all;
        assert_non_null(facts);
        assert_int_equal(st_report_make(facts, 128, 48000, &whole), 0);
        all = facts;
        facts = NULL;
        FILE *file = fopen(st_text(ST_POSTED_DIR "/%s", name), "r");
        assert_non_null(file);
        const size_t bytes = fread(text, 1, sizeof(text) - 1, file);
        fclose(file);
        for (size_t n = 1; n < bytes; n++) {
            if (text[n - 1] != '\n' || st_posted_add(text, n, "posted.txt", &facts) != 0)
                continue;
            assert_int_equal(st_report_make(facts, 128, 48000, &cut), 0);
            for (size_t k = 0; k < cut.findings_n; k++) {
                const char *id = cut.findings[k].rule->id;
                if (cut.findings[k].status == ST_STATUS_PROBLEM &&
                    st_report_find(&whole, id)->status != ST_STATUS_PROBLEM)
                    fail_msg("%s: %s is a problem after %zu bytes alone", name, id, n);
            }
            st_report_finish(&cut);
            teardown(NULL);
        }
        st_report_finish(&whole);
        st_facts_free(all);
    }
    closedir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(texts_show_what_they_have, teardown),
        cmocka_unit_test_teardown(what_a_text_does_not_have_is_unknown, teardown),
        cmocka_unit_test_teardown(posts_show_what_they_have, teardown),
        cmocka_unit_test_teardown(texts_of_one_machine_add_up, teardown),
        cmocka_unit_test_teardown(a_cut_text_raises_no_new_problem, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
