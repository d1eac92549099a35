"""The outline of the setup guides: the chapters, their rules in the order of their effect, and their introductions."""

LINUX = [
    ("The right to real-time priority",
     "This decides more than everything else together. Do the first section; the others of this chapter are for when it does not help.",
     "linux-rt-permission linux-audio-group linux-memlock linux-rtkit linux-rt-lost linux-rt-time linux-service-limits linux-cpu-quota linux-rt-group-sched"),
    ("CPU and power",
     "A machine that saves power is slow to wake up. On a laptop these settings cost battery, so make them for the time you play.",
     "linux-idle-states linux-idle-request-access linux-cpu-frequency linux-power-daemons linux-heat linux-hybrid-cores"),
    ("Timers and clocks",
     "Kernels of today have all of this right, unless an option on the kernel command line, often from an old guide, spoils it.",
     "linux-high-res-timers linux-clocksource linux-timer-slack"),
    ("Kernel",
     "What the kernel is doing at that moment comes before your thread. For periods above 5 ms the defaults do; below that, preemption "
     "comes first.",
     "linux-preemption linux-sched-ext linux-threaded-irqs linux-irq-priorities linux-irq-sharing linux-huge-pages linux-numa-balancing "
     "linux-swap linux-memory-out linux-firmware "
     "linux-rt-throttling linux-watchdogs"),
    ("Sound server",
     "The best kernel does not help a server that runs as a normal program, or whose buffer is shorter than what it writes.",
     "linux-server-priority linux-client-priority linux-priority-order linux-alsa-buffer linux-pipewire-clients "
     "linux-pipewire-rates linux-pipewire-quantum linux-jack-realtime "
     "linux-jack-period linux-jack-soft-mode linux-pulseaudio"),
    ("Sound devices and disks",
     "These cause single gaps, clicks at the start of a sound and lost interfaces, not a steady crackle.",
     "linux-card-faults linux-usb-autosuspend linux-usb-path linux-card-rate linux-card-clocks linux-device-headroom linux-hda-power-save "
     "linux-idle-suspend linux-usb-audio-options"),
]

FREEBSD = [
    ("The right to real-time priority",
     "A normal user has no right to it. The first section is what matters, and the second keeps it.",
     "freebsd-rt-permission freebsd-mac-priority freebsd-memlock freebsd-jail"),
    ("Timers and clocks",
     "Up to FreeBSD 14 the first of these is the strongest single setting there is. From 15.0 on the kernel has it right for most "
     "programs.",
     "freebsd-alloweddeviation freebsd-nanosleep-precise freebsd-eventtimer freebsd-hz freebsd-timecounter "
     "freebsd-fast-gettime"),
    ("CPU and power",
     "A machine that saves power is slow to wake up. On a laptop these settings cost battery, so make them for the time you play.",
     "freebsd-cpu-idle freebsd-cpu-frequency freebsd-epp"),
    ("Kernel",
     "GENERIC has both of these right. Look here if you build your own kernel or have old recipes in /etc/sysctl.conf.",
     "freebsd-preemption freebsd-interrupt-storm"),
    ("Sound",
     "Most of this is about delay, the time from a key to the sound, and not about gaps. Shorter buffers are quicker, and crackle on a "
     "machine that does not keep up: measure first. Not judged, because they change no wake-up: which device plays "
     "(hw.snd.default_unit), whether the kernel mixes several programs (dev.pcm.N.play.vchans) and how well it resamples "
     "(hw.snd.feeder_rate_quality). See sound(4).",
     "freebsd-uaudio-buffer freebsd-snd-latency freebsd-virtual-oss freebsd-sound-polling"),
    ("Does it last, and does it help?",
     "A setting that is in the file but not in force is the usual reason why a guide did not help.",
     "freebsd-sysctl-conf freebsd-loader-conf"),
]

AUDIENCE = """For people who record, play software instruments or run live effects, and hear clicks. What comes first can delay your
sound without limit, what comes last by microseconds. Whoever only listens needs none of it: a longer buffer does the same for nothing.

With 128 frames a period at 48 kHz an audio program has 2.67 ms to wake up, compute and be done; with 64 frames 1.33 ms. Every delay
named here comes out of that time."""

GUIDES = {
    "linux": {"title": "Setting up Linux for real-time audio", "root": "sudo ", "chapters": LINUX,
              "intro": AUDIENCE + "\n\nNAME is your user name. What belongs on the kernel command line: on Debian and Ubuntu, in "
              "/etc/default/grub.d/sleeptune.cfg, the line 'GRUB_CMDLINE_LINUX_DEFAULT=\"$GRUB_CMDLINE_LINUX_DEFAULT OPTION\"', then "
              "'sudo update-grub'; on Fedora 'sudo grubby --update-kernel=ALL --args=OPTION'."},
    "freebsd": {"title": "Setting up FreeBSD for real-time audio", "root": "", "chapters": FREEBSD,
                "intro": AUDIENCE + "\n\nCommands are for root. NAME is you, N the number of your sound device in /dev/sndstat."},
}
