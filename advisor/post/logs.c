/* Line patterns of logs in posted texts, and the sentence that each row of the table says. */
#include "advisor/parse/answer.h"
#include "advisor/post/post.h"
#include "xruns/server_log.h"

#define NS_PER_US 1e3
#define NS_PER_MS 1e6
#define RIGHT_BY_LIMITS                                                                            \
    "To get real-time priority without rtkit: sudo usermod -aG GROUP USER; GROUP is the one in "   \
    "/etc/security/limits.d with rtprio (pipewire, realtime, audio). Then log in again"

#define NO_RIGHT      ", but this user may not use it"
#define RTKIT_UNKNOWN "*RTKit error: org.freedesktop.DBus.Error.ServiceUnknown"
#define USB_GONE      "*usb %l: * submit urb *-19"

static bool resync(const char *line, struct st_pattern_parts *ret)
{
    struct st_resync_log_line read;
    ret->n = 1;
    ST_PRINT(ret->text[0], "%s", st_server_log_resync(line, &read) ? read.card : "");
    return ret->text[0][0] != '\0';
}

/** Does the line name xruns without "no" or 0 before them, or 0 behind them? A line can name
 * several kinds, of which some were 0. */
static bool speaks_of_xrun(const char *line, ST_UNUSED struct st_pattern_parts *ret)
{
    static const char *const none[] = {"no ", "No ", "0 ", NULL};
    const char *word = line, *before = "";
    for (; *line != '\0'; line++) {
        if (line[0] == ' ' && line[1] != ' ') {
            before = word;
            word = line + 1;
        }
        const char *behind = line + strcspn(line, " :=,");
        behind += strspn(behind, " :=");
        if ((st_text_begins(line, "xrun") || st_text_begins(line, "nderrun")) &&
            !st_text_begins_among(before, none) &&
            (behind[0] != '0' || strspn(behind, "0123456789") > 1))
            return true;
    }
    return false;
}

double st_post_time_of(const char *line)
{
    unsigned hours, minutes;
    double seconds;
    for (size_t i = 0; i < 24 && line[i] != '\0'; i++) {
        if (line[i] >= '0' && line[i] <= '9' && (i == 0 || strchr(" T[", line[i - 1]) != NULL) &&
            sscanf(line + i, "%2u:%2u:%9lf", &hours, &minutes, &seconds) == 3)
            return 3600.0 * hours + 60.0 * minutes + seconds;
    }
    return line[0] == '[' && sscanf(line, "[%15lf]", &seconds) == 1 ? seconds : -1;
}

static bool late_client(const char *line, struct st_pattern_parts *ret)
{
    bool ran;
    ret->n = 1;
    return st_server_log_jack(line, ret->text[0], &ran);
}

/* A row of a log: a pattern, and the sentence for all lines that match. In the sentence, "$s": the
 * first part of each line, or the part with the number `subject`; "$f": swap is full, if it is;
 * "$n": " 5 times"; "$t": " in 11 s"; "$m": the largest last part, a number of `unit_ns`, printed
 * in ms; "$u": ", for up to 2 ms"; "$k": the kernel; "$1": a part of the last line. Sentence NULL:
 * the row above has the sentence; "": the line means nothing. The most important rows come first;
 * the first row that matches counts. */
static const struct log_row {
    const char *pattern, *sentence;
    int subject; /* number of the part that is "$s"; 0: the first part; -1: prose matches, too */
    double unit_ns;
    /* parses a line that matched, and fills `ret` with its parts; NULL: the pattern has the parts.
     * Programs that follow a log live use the same function */
    bool (*read)(const char *line, struct st_pattern_parts *ret);
    const char *unless; /* pattern of another row: if the text has a line that matches it, this
                           row's sentence is left out */
} logs[] = {
    /* PipeWire: spa/plugins/alsa/alsa-pcm.c, src/pipewire/impl-node.c of 0.3.30 to 1.6 */
    {"*spa.alsa: %l: *snd_pcm_*No such device",
     "$s went away$n$t: the kernel lost the device (cable, hub, power); no setting of PipeWire "
     "cures that"},
    {"*spa.alsa: set_hw_params: Cannot allocate memory",
     "The kernel had no memory for a card's buffer$n$t, so the card did not start: memory is "
     "fragmented or full, or the card's driver fails. Another kernel than $k may help"},
    {"*spa.alsa: %l: snd_pcm_start: %l",
     "$s could not be started$n$t ($2): its driver or its plugin (a52, iec958) gave up"},
    {"*pw.node: (%l) suspended -> error (%l)"},
    {"*spa.alsa: %l: *snd_pcm_avail after recover:",
     "$s ran dry$n$t (xrun): PipeWire came too late for the card's buffer"},
    {"*spa.alsa: %l: snd_pcm_mmap_%s error:"},
    {"*spa.alsa: %l: XRun! "},
    {"*get_avail()] %l: (%d suppressed) snd_pcm_avail after recover:"},
    {"*snd_pcm_avail after recover:"},
    {"*: follower ",
     "PipeWire resynchronised the second card $s$n$t, because its clock differs from that of the "
     "first card: sound is lost each time. Use one card to play and to record, or give the second "
     "one a reserve (api.alsa.headroom = 1024: man sleeptune-rules)",
     .read = resync},
    {"* (alsa_%l) xrun state:", ""},
    {"* (%l) xrun state:", "$s did not finish in time for PipeWire's cycle$n$t"},
    {"* (%l) client missed %d wakeups"},
    {"*pw.node: (bluez_%l) graph xrun ",
     "The cycle of a Bluetooth device was not done in time$n$t: its radio link, not a setting, is "
     "the usual reason"},
    {"*: (%l) XRun! ", "$s lost sound$n$t (xrun)"},
    {"*graph xrun ", "PipeWire's cycle was not done in time$n$t"},
    {"*XRun! count:%d time:"},
    {"*out of buffers on port %d",
     "A converter or loopback of PipeWire had no free buffer$n$t, so sound was lost: the device "
     "behind it (such as a failed Bluetooth link) kept all buffers"},
    {"*out of playback buffers"},
    {"*protocol-pulse: * [%l] overrun recover read:",
     "$s took recorded sound from PipeWire too late$n$t (overrun), or its buffer is shorter than "
     "PipeWire's cycle"},
    {"*Failure in Bluetooth audio transport",
     "A Bluetooth link failed$n$t: its radio or its device, not a setting, is the usual reason"},
    /* messages of systemd and audit about programs that ended */
    {"*ANOM_ABEND*comm=\"%l\"*sig=%d", "$s was ended by signal $2$t: a crash, not a late cycle"},
    {"*rocess %d (%l) of user %d terminated abnormally with signal %l,",
     "$s ended with signal $4$t: a crash, not a late cycle", 2},
    {"*] %l[%d]: segfault at ",
     "$s crashed$n$t (segfault): a fault of the program, not a late cycle"},
    {"*kernel: %l[%d]: segfault at "},
    {"*State 'stop-sigterm' timed out. Killing",
     "systemd killed a service that did not stop in time, which is no dropout"},
    {"*]: %l: Failed with result 'signal'",
     "$s was ended by a signal$n: a crash, or the kernel killed it (memory ran out, or its "
     "real-time thread did not sleep)"},
    {"%l: Failed with result 'signal'"},
    {"Unit rtkit-daemon.service could not be found",
     "rtkit is not installed: programs get real-time priority only from /etc/security/limits.d"},
    {"Max realtime timeout 0 ", "A program's limit RLIMIT_RTTIME is 0: as soon as one of its "
                                "threads takes real-time priority the kernel kills it"},
    {"RTTIME * tasks 0 "},
    {"*RLIMIT_RTTIME is set to %d us", /* a message of yabridge */
     "A program's limit RLIMIT_RTTIME is $1 us: the kernel kills the program when a real-time "
     "thread computes longer without a sleep. " RIGHT_BY_LIMITS},
    /* sources: rtkit-daemon.c; PipeWire's module-rt.c; xdg-desktop-portal's realtime.c */
    {"*rtkit-daemon.service: Failed with result",
     "rtkit failed or did not start: until it runs, programs get real-time priority only from "
     "/etc/security/limits.d"},
    {"*rtkit-daemon[*pthread_create failed: "},
    {"*rtkit-daemon[*ailed to make ourselves RT: %l",
     "rtkit itself could not take real-time priority ($1), so it refused each request$n$t. A "
     "container or CONFIG_RT_GROUP_SCHED of the kernel may forbid real-time priority"},
    {"*rtkit-daemon[*Recovering from system lockup, not allowing",
     "rtkit refused real-time priority$n$t: shortly before, its watchdog got no CPU time (or the "
     "computer slept). " RIGHT_BY_LIMITS},
    {"*Demoted 0 threads", ""},
    {"*rtkit-daemon[*Demoted %d threads", "rtkit took real-time priority away from programs$t, "
                                          "because its watchdog got no CPU time: start them again"},
    {"*rtkit-daemon[*uccessfully demoted thread %d"},
    {"*Reached burst limit for user '%l'",
     "rtkit got too many requests at once (its burst limit)$n$t and refused those of user "
     "$s. " RIGHT_BY_LIMITS},
    {"*Reached maximum concurrent %s limit for user '%l'",
     "rtkit refused requests of user $s$n$t: its limit of concurrent $1 was "
     "reached. " RIGHT_BY_LIMITS,
     2},
    {"*Realtime error: %l", "The desktop portal refused real-time priority$n$t ($1), so programs "
                            "run without it. " RIGHT_BY_LIMITS},
    {RTKIT_UNKNOWN,
     "A sound server asked for rtkit, which is not installed or does not run: install it, or give "
     "the right to real-time priority in /etc/security/limits.d"},
    {"*could not make thread *realtime",
     "A sound program asked for real-time priority and was refused$n$t"},
    {"*Failed to set thread to high priority"}, /* FluidSynth */
    {"*ailed to set real-time priority"},
    {"*PitchTracker *error creating realtime thread"}, /* guitarix */
    {"*RTKit does not give us MinNiceLevel",
     "rtkit did not tell PipeWire its lowest nice level: this does no harm, real-time priority "
     "was not refused",
     .unless = RTKIT_UNKNOWN},
    /* sources: jack2's common/JackEngine.cpp, posix/JackPosixThread.cpp, linux/alsa; QjackCtl */
    {"*JackEngine::XRun: client ", "JACK did not wait for $s, which was not finished in time$n$t",
     1, .read = late_client},
    {"*subgraph starting at %l timed out"}, /* from jack1's engine.c */
    {"*alsa_pcm: xrun of at least %d msecs", "JACK's card ran dry$n$t$u", .unit_ns = NS_PER_MS},
    {"*delay of %d usecs exceeds estimated spare time", "JACK woke up too late for its cycle$n$t$u",
     .unit_ns = NS_PER_US}, /* from jack1 */
    {"*JackAudioDriver::Process%l: %s error, stopping",
     "JACK stopped: it could not $2 the data of its card"},
    {"*Cannot initialize driver", "JACK did not start, so no program can play through it",
     .unless = "*ALSA: cannot set period size to %d frames for %l"},
    {"could not initialize audio"}, /* SuperCollider */
    {"*JACK server starting in non-realtime mode",
     "JACK runs without real-time priority, so any busy program can delay all sound: start it "
     "without -r (QjackCtl's settings: Realtime)"},
    {"*annot use real-time scheduling (%l)", "JACK asked for real-time priority ($1)" NO_RIGHT},
    {"JACK is running in realtime mode, but you are not allowed",
     "A program asked for real-time priority$n$t" NO_RIGHT},
    {"!!!Scheduler set to Round Robin with priority %d FAILED"},
    {"*RTPRIO*not permitted"},
    {"*ealtime*prio*not permitted"},
    {"*eal-time*prio*not permitted"},
    {"*ealtime*sched*not permitted"},
    {"*eal-time*sched*not permitted"},
    {"*could not get realtime scheduling"},
    {"*ailed to acquire real-time scheduling: "},
    {"*udio device %s cannot be acquired",
     "The card $s could not be opened$n: another program uses it, such as another sound server"},
    {"*device \"%l\" is already in use"},
    {"*spa.alsa: '%l': *: Device or resource busy"},
    {"*rror opening PCM device %l: Device or resource busy"},
    {"*annot lock down %d byte memory area",
     "A program could not lock $1 bytes of memory: the limit memlock is too low"},
    {"*ailed to mlock memory 0x* %d:"},
    {"*failed to lock memory: Cannot allocate",
     "A program could not lock its memory: the limit memlock is too low"},
    {"*memlock limit: '%d bytes, see below"}, /* yabridge */
    {"*LockedTimedWait error usec = %d",
     "JACK's card did not run$n: JACK waited for a cycle that did not come"},
    {"*ALSA: poll time out, polled for "},
    {"*configuring for %dHz, period = %d frames (%d ms), buffer = %d periods",
     "JACK asked its ALSA card for $4 periods of $2 frames ($3 ms) at $1 Hz"},
    {"*ALSA: cannot set period size to %d frames for %l",
     "The card does not take periods of $1 frames for $2, so JACK did not start: try another size "
     "(-p) or number of periods (-n)"},
    {"*XRUN callback (%d)", "QjackCtl counted $1 xruns"},
    /* PulseAudio: src/modules/alsa/alsa-util.c */
    {"*ALSA woke us up to *, but there was actually nothing to ",
     "The card's driver woke PulseAudio too early, with nothing to write: this is no dropout"},
    {"*alsa-sink.c: Underrun!", "PulseAudio's card ran dry$n$t"},
    {"*alsa-sink.c: Increasing minimal latency"},
    {"*module-loopback.c: Too many underruns, increasing latency to %l ms",
     "A loopback of PulseAudio ran dry, so PulseAudio raised its latency$n$t, to $1 ms in the end"},
    {"*Implicit underrun of '%l'", "$s gave PulseAudio its sound too late$n$t"},
    /* messages of the kernel */
    {"*Out of memory: %s process %d (%l)",
     "The computer's memory ran out$t: the kernel killed $s. Until then it may stop any program "
     "that waits for memory: close programs, or add swap (zram)",
     3},
    {"*INFO: task %s blocked for more than %d seconds",
     "$s waited for more than $2 s inside the kernel$n: a driver or a disk hangs, which no setting "
     "cures. Another kernel than $k may help",
     1},
    {"*RT Watchdog Timeout (hard): %l[", "The kernel killed $s$n: its real-time thread did not "
                                         "sleep for longer than its limit (RLIMIT_RTTIME)"},
    {"*Memory cgroup out of memory: Killed process %d (%l)",
     "$s reached the memory limit of its container or service and was killed; this says nothing "
     "about the computer's memory",
     2},
    {USB_GONE, "The USB device at $s went away while it was in use (-19): its cable, port, hub or "
               "power fails, and no setting cures that"},
    {"*usb %l: clock source %d is not valid",
     "The USB interface at $s has no valid clock: its USB connection or its firmware fails, and no "
     "setting cures that. Another cable, port or clock source of the interface may help",
     .unless = USB_GONE},
    {"*usb %l: uac_clock_source_is_valid(): cannot get clock validity"},
    {"*gh bandwidth", "A USB bus had no room left for a stream$t: use a port of another "
                      "controller, fewer channels or a lower rate"},
    {"*usb_set_interface failed (-28)"},
    {"*Not enough host controller resources"},
    {"*usb %l: urb status %d",
     "The USB device at $s answered with error $2$n$t: its USB connection or its firmware fails",
     .unless = USB_GONE},
    {"*usb %l: *usb_set_interface failed (%d)"},
    {"*usb %l: *annot *freq*: err %d"},
    {"*usb %l: *cannot set freq %d",
     "The USB interface at $s did not accept its sample rate$n: its USB connection or its firmware "
     "fails. Try another cable and port",
     .unless = USB_GONE},
    {"*snd-usb-audio %l: *error %d",
     "The driver of USB sound could not start the device at $s (error $2): its USB connection or "
     "its firmware fails. Try another cable and port"},
    {"*snd-usb-audio: probe of %l failed with error %d"},
    {"*usb_set_interface failed", "A USB device did not answer the sound driver$n$t: its USB "
                                  "connection or its firmware fails. Try another cable and port"},
    {"*: cannot set freq %d to ep"},
    {"*clock.c:%d clock source %d is not valid"},
    {"*disabled by hub (EMI?), re-enabling",
     "A hub switched a USB port off$n$t: electrical noise, a bad cable or too little power"},
    {"*over-current c"},
    {"*usb %l: reset *USB device ",
     "The kernel reset the USB device at $s$n$t: its USB connection failed"},
    {"*usb %l: device descriptor read/%s error %d",
     "The USB device at $s did not answer$n$t: its cable, port, hub or power fails"},
    {"*usb %l: *evice not "},
    {"*WARNING: CPU: %d PID: %d at drivers/usb/%s",
     "The kernel's USB driver reported a fault of its own$n$t (drivers/usb/$3): another kernel "
     "than $k may help"},
    {"*WARNING: CPU: %d PID: %d at sound/%s",
     "The kernel's sound driver reported a fault of its own$n$t (sound/$3): another kernel than $k "
     "may help"},
    {"*xhci_hcd *HC died",
     "The USB controller died$n$t (xhci_hcd), and all its devices with it: its driver, its "
     "firmware or a device fails. Another kernel than $k may help"},
    {"*xhci_hcd *WARN",
     "The USB controller complained$n$t (xhci_hcd): its driver or the device misbehaves"},
    {"*xhci_hcd *ERROR"},
    /* sound/core/pcm_lib.c of the kernel */
    {"*invalid position: *, pos = %d",
     "The driver of the sound card gave the kernel an invalid position$n$t: the driver fails. "
     "Another kernel than $k may help"},
    {"*BUG: *, pos = %d, buffer size = %d"},
    {"*XRUN: pcm%l:", "The kernel saw pcm$s run dry$n$t (xrun)"},
    {"*delay: estimated %d, actual %d",
     "The USB sound driver misjudged by more than 2 ms how much sound was on its way$n$t"},
    {"*retire_%s_urb: %d callbacks suppressed",
     "Packets of sound were lost on USB$n$t (the kernel's log left out $2 lines about that)"},
    {"*cannot submit urb*error %d", "The kernel could not send sound over USB$n$t (error $1)"},
    {"*cannot submit urb (err = %d)"},
    {"*FIQ reported NYET",
     "The USB driver of the Raspberry Pi lost data, such as sound$n$t (NYET)"},
    {"*usb %l: USB disconnect, ",
     "The USB device at $s went away$n$t: unplugged, or its cable, port, hub or power fails"},
    {"Endpoint: %l (SYNC)",
     "The USB interface does not report how fast its clock runs (it has a SYNC endpoint). If the "
     "number ERR of its row in pw-top grows, give it a reserve (api.alsa.headroom = 1024: man "
     "sleeptune-rules)"},
    {"Momentary freq = 0 Hz",
     "The USB sound that plays has no rate (Momentary freq = 0 Hz): the interface reports nothing "
     "to the driver. No setting cures that: try an older kernel than $k, another port and cable"},
    {"Momentary freq = %d Hz", "The USB interface plays or records at $1 Hz"},
    {"api.alsa.headroom = \"%d\"",
     "A sound card in this text has a reserve of $1 frames (api.alsa.headroom)"},
    {"*Marking clocksource '%l' as unstable",
     "The kernel found the system clock $1 unstable and uses a slower one (hpet, acpi_pm): each "
     "clock read takes longer now"},
    {"*Marking TSC unstable"},
    {"*Clocksource tsc unstable"},
    {"*snd_pcm_%l() *(%d ms)",
     "The sound card's driver gave PulseAudio an impossible position$n$t: the driver fails, or "
     "PulseAudio did not run for a long time"},
    {"*returned strange values: delay "},
    {"*hrtimer: interrupt took %d ns",
     "A timer interrupt of the kernel took up to $m ms: threads on that CPU waited", .unit_ns = 1},
    {"*sched: RT throttling activated", "The kernel stopped real-time threads$n$t (RT throttling): "
                                        "one of them used the CPU without a pause"},
    {"*nder*voltage detected", "The computer got too little voltage$n$t: its power supply or cable "
                               "is too weak. Its CPU slows down and USB devices fail"},
    {"throttled=0x0", ""},
    {"throttled=0x%s", "The Raspberry Pi was slowed down (throttled=0x$1): bits 0 and 16 mean too "
                       "little voltage, the others a limited clock or heat"},
    {"*intel_powerclamp: Start idle injection",
     "The kernel made CPUs idle by force$n$t (intel_powerclamp), against heat or to save power: "
     "each time all programs wait"},
    {"*temperature above threshold, cpu clock*throttled",
     "The processor was too hot$n$t and was slowed down"},
    {"*soft lockup - CPU#%d stuck for %d",
     "A CPU was stuck in the kernel$n$t, for $2 s: its threads waited"},
    {"*IRQ timing workaround is activated for card #%d",
     "The HDA card $s sends its interrupts at wrong times, which the kernel corrects"},
    {"*Unstable LPIB", "The HDA card reported a wrong position$n$t, so the kernel ignores it"},
    {"*azx_get_response timeout",
     "The codec of the HDA card did not answer$n$t: its power saving (power_save=0 of "
     "snd_hda_intel), its driver or its firmware. Another kernel than $k may help"},
    {"*No response from codec"},
    {"*CORB reset timeout"},
    {"*azx_single_send_cmd: "},
    {"irq%d: hdac%d %s %d %d",
     "The sound card hdac$2 shares interrupt $1 with $3, which may delay the card"},
    {"irq%d: hdac%d %d %d", "The sound card hdac$2 sent $4 interrupts a second on average"},
    {"*hdac%d: Command *timeout on address",
     "The HDA controller hdac$s did not answer$n: its driver or its firmware fails"},
    {"*sof-audio*ipc * for 0x",
     "The firmware of the sound chip (SOF, a DSP) did not answer or failed$n$t: sound stops, "
     "whatever the settings. Another version of the firmware or another kernel than $k may help"},
    {"*sof-audio*DSP Firmware Oops"},
    {"*sof-audio*DSP panic"},
    {"*intel_sst_acpi *Wait timed-out"},
    {"*I2S SYNC error", "The I2S sound card lost its clock$n$t"},
    {"*, underruns 0,", ""},
    {"xruns = 0", ""},
    {"*, underruns %d,", "A sound channel of FreeBSD ran dry: it counted $1 underruns$n"},
    {"xruns = %d"},
    {"*pcm%d:*play interrupt timeout, channel dead",
     "The interrupts of pcm$s did not arrive$n (channel dead): its sound stopped"},
    {"@%s - rtprio %d", "Members of $s have the right to real-time priority (rtprio $2): the "
                        "command 'id' shows whether the user is a member"},
    /* lines of PipeWire's configuration; a line that begins with '#' does not match, as it sets
       nothing */
    {"pulse.min.quantum = %l", "pulse.min.quantum is $1 in this text: below 1024/48000 some games "
                               "and PulseAudio's programs crackle"},
    {"pulse.min.req = %l"},
    {"%s - rtprio %d",
     "The limits in this text give $s the right to real-time priority (rtprio $2)"},
    {"rlimit-rttime = %d", "PulseAudio's real-time thread may compute for $1 us without a sleep "
                           "(rlimit-rttime), else the kernel kills it"},
    {"*(snd_pcm_recover) underrun", "A program filled its sound device too late$n$t (underrun)"},
    {"*audio write error, underrun"},
    {"*underrun!!! (at least"},
    {"*Audio device underrun detected"},
    {"*] XRUN$"},           /* snapcast */
    {"%d Stream underrun"}, /* Qubes */
    {"*writei(*: Broken pipe"},
    {"*snd_pcm_* failed: Broken pipe"},
    {"*XRUN while writing to PCM: "},
    /* any words */
    {"CONFIG_%l", ""},
    {"*run", "This text speaks of underruns or xruns$n$t: sound that was not ready in time", -1,
     .read = speaks_of_xrun},
    {"*XRUN"},
    {"*nderrun", ""},
    {"*xrun"},
    {"*(snd_pcm_recover) overrun", "A program took its recording too late$n$t (overrun)"},
    {"*overrun!!! (at least"},
    /* states and measurements that programs print */
    {"T:*P:*%d I:*Max: %d",
     "cyclictest: threads of priority $1 woke up at most $m ms late, because of the kernel, the "
     "firmware or interrupts, not of a sound server",
     .unit_ns = NS_PER_US},
    {"Swap: %v %v %v", "$2 of $1 of swap memory are in use$f"},
    {"*uccessfully made thread %d of process %d *RT at priority %d",
     "rtkit gave a program real-time priority $3$n"},
    {"WSL", "This is WSL: sound goes through Windows, whose settings matter, too"},
    {"*> wsl --"},
};

/** Lines that begin like this have no meaning for the report, but count as understood. */
static const char *const silent[] = {"*[%d]: ",
                                     "*kernel: ",
                                     "[%d] ",
                                     "[ %d] ",
                                     "[%s %s %d %d:",
                                     "*ERROR: ",
                                     "*jackd ",
                                     "JACK server starting",
                                     "ALSA: ",
                                     "policy: ",
                                     "*Failed with result 'timeout'",
                                     "*Main process exited, code=killed",
                                     "RTTimeUSecMax: x %d",
                                     "MaxRealtimePriority: i %d",
                                     "MinNiceLevel: i %d",
                                     "*ALSA XRun wait_status =",
                                     "*JackAudioDriver::Process",
                                     "*usb %l: *cannot get freq at ep",
                                     "USER PID ",
                                     NULL};
_Static_assert(ST_ARRAY_LEN(logs) <= ST_POST_SEEN_MAX, "a row in struct st_post for each");

static int64_t suppressed(const char *line)
{
    const char *at = strstr(line, " suppressed)");
    if (at == NULL)
        at = strstr(line, " missed)");
    while (at != NULL && at > line && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return at != NULL && at > line && at[-1] == '(' ? strtol(at, NULL, 10) : 0;
}

static void see(struct st_post_seen *seen, const struct log_row *row, const char *line,
                const struct st_pattern_parts *parts, bool has_subject)
{
    const double now_s = st_post_time_of(line),
                 number = parts->n > 0 ? strtod(parts->text[parts->n - 1], NULL) : 0;
    if (seen->n++ == 0)
        seen->first_s = now_s;
    seen->last_s = now_s;
    seen->suppressed_n += suppressed(line);
    seen->most = fmax(seen->most, number);
    if (parts->n >= seen->parts.n)
        seen->parts = *parts;
    if (!has_subject || parts->n == 0)
        return;
    const char *name = parts->text[ST_MAX(row->subject, 1) - 1],
               *subject = name[0] == '-' ? st_text("a node without a name, %.40s", name + 1) : name;
    ST_EACH_OF (known, seen->subjects, ST_MIN(seen->subjects_n, ST_ARRAY_LEN(seen->subjects))) {
        if (strncmp(*known, subject, sizeof(*known) - 1) == 0)
            return;
    }
    if (seen->subjects_n < ST_ARRAY_LEN(seen->subjects))
        ST_PRINT(seen->subjects[seen->subjects_n], "%.79s", subject);
    seen->subjects_n++;
}

/** Adds the line to the fact that counts lines of its kind. Rules read this fact; on a live
 * machine, collect/ask.c puts it from the logs of the kernel and rtkit. */
static void count(struct st_post *post, const char *line)
{
    static const char *const not_counted[] = {ST_KEY_KERNEL_LOG_USB_N, ST_KEYS_KERNEL_LOG "clock_n",
                                              ST_KEYS_KERNEL_LOG "heat_n", NULL};
    const char *key = st_answer_log_key(line, ST_ROOM(80));
    if (key == NULL || st_text_is_among(key, not_counted))
        return;
    st_post_int(post, key, st_facts_int_or(post->facts, key, 0) + 1);
    if (!st_text_begins(key, ST_KEYS_RTKIT))
        return;
    st_post_int(post, ST_KEY_DAEMON_RTKIT_DAEMON, 1);
    st_post_int(post, ST_KEY_PROCESSES_N, 1);
    st_post_int(post, ST_KEY_THREADS_PART, 1);
}

bool st_post_logs(struct st_post *post, const char *line)
{
    struct st_pattern_parts parts;
    size_t first = 0;
    ST_EACH (row, logs) {
        const size_t i = (size_t)(row - logs);
        if (row->sentence != NULL)
            first = i;
        if (!st_post_may_match(post, line, row->pattern) ||
            !st_pattern_match(line, row->pattern, &parts) ||
            (row->read != NULL && !row->read(line, &parts)))
            continue;
        if (logs[first].sentence[0] != '\0') {
            post->votes[ST_OS_FREEBSD] += strstr(row->pattern, "hdac") != NULL;
            post->votes[ST_OS_LINUX] += strstr(row->pattern, "alsa") != NULL;
            see(&post->seen[first], row, line, &parts, strstr(logs[first].sentence, "$s") != NULL);
            count(post, line);
            if (strstr(logs[first].sentence, NO_RIGHT) != NULL) {
                st_post_int(post, ST_KEY_RT_FIFO_ERRNO, EPERM);
                st_post_int(post, ST_KEY_FREEBSD_RT_FIFO_ERRNO, EPERM);
            }
            st_post_kind(post, "log");
        }
        return true;
    }
    for (const char *const *pattern = silent; *pattern != NULL; pattern++) {
        if (st_post_may_match(post, line, *pattern) && st_pattern_match(line, *pattern, &parts))
            return true;
    }
    return false;
}

/** Bytes of a size that `free` prints, such as "3.9Gi". */
static double size_of(const char *text)
{
    char *end;
    const double number = strtod(text, &end);
    return number * pow(1024, (double)(strcspn("BKMGT", (char[]){*end, '\0'}) % 5));
}

static void say(struct st_post *post, const struct log_row *row, const struct st_post_seen *seen)
{
    char subjects[256] = "", *text;
    const double most_ms = seen->most * row->unit_ns / NS_PER_MS;
    const size_t n = ST_MIN(seen->subjects_n, ST_ARRAY_LEN(seen->subjects));
    for (size_t i = 0; i < n; i++)
        st_text_join(subjects, sizeof(subjects),
                     i + 1 == n && seen->subjects_n == n ? " and " : ", ", "%s", seen->subjects[i]);
    if (seen->subjects_n > n)
        ST_APPEND(subjects, " and %zu more", seen->subjects_n - n);
    const char *most = st_text("%.*f", 1 + 2 * (most_ms < 1), most_ms);
    const bool is_full = size_of(seen->parts.text[1]) > 0.9 * size_of(seen->parts.text[0]),
               has_time = seen->n > 1 && seen->first_s >= 0 && seen->last_s >= seen->first_s + 1;
    const char *up_to = "", *full = "", *times = "", *in = "";
    if (most_ms > 0) /* not positive: jackd's clock may have jumped, so no length is printed */
        up_to = st_text(", for up to %s ms", most);
    if (is_full)
        full = ": it is nearly full, so memory runs out, and programs wait for the disk";
    if (seen->n > 1)
        times = st_text(" %jd times", seen->n);
    if (has_time)
        in = st_text(" in %.0f s", seen->last_s - seen->first_s);
    const char *const texts[] = {st_text_or(subjects, "A card"),
                                 st_text_or(post->release, "this one"),
                                 most,
                                 up_to,
                                 full,
                                 times,
                                 in};
    text = st_post_fill(row->sentence, &seen->parts, "skmufnt", texts);
    if (seen->suppressed_n > 0)
        text = st_text("%s (at least: the log left out %jd more lines like these, and not each "
                       "line is a dropout)",
                       text, seen->suppressed_n);
    st_post_say(post, "%s", text);
}

/** Did the text have a line that matches this pattern? */
static bool is_seen(const struct st_post *post, const char *pattern)
{
    ST_EACH (row, logs) {
        if (st_text_is(row->pattern, pattern))
            return post->seen[row - logs].n > 0;
    }
    return false;
}

void st_post_logs_end(struct st_post *post)
{
    ST_EACH (row, logs) {
        const struct st_post_seen *seen = &post->seen[row - logs];
        /* prose of more than 50 lines is no post, but a document about sound */
        if (seen->n > 0 && (row->unless == NULL || !is_seen(post, row->unless)) &&
            (row->subject >= 0 || post->line_n < 50 + 3 * (size_t)seen->n))
            say(post, row, seen);
    }
}
