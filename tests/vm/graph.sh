# shellcheck shell=bash disable=SC2034
# Sourced by 42-listen-hda.sh: PipeWire without a session manager, of user nobody, in /tmp/s. All cards have one clock, by its
# name: nothing is resampled.
export PATH=/usr/local/bin:$PATH XDG_RUNTIME_DIR=/tmp/s HOME=/tmp/s
as_user=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all)
mkdir -p /tmp/s
cd /tmp/s || exit
chown nobody .
module() { printf '{ name = libpipewire-module-%s } ' "$@"; }
adapter() { # NODE sink|source DEVICE PRIORITY FORMAT HEADROOM
    local kind=${2^}
    echo "{ factory = adapter args = { factory.name = api.alsa.pcm.$2 node.name = $1 media.class = Audio/$kind api.alsa.path = \"hw:$3\" clock.name = clock.one
        device.id = 90 priority.driver = $4 audio.format = $5 audio.rate = 48000 audio.channels = 2 api.alsa.headroom = $6
        adapter.auto-port-config = { mode = dsp monitor = true } } }"
}
# configure QUANTUM ADAPTERS
configure() {
    chmod a+rw /dev/snd/*
    cat >pipewire.conf <<CONF
context.properties = { core.daemon = true core.name = pipewire-0 default.clock.quantum = $1 }
context.spa-libs = { audio.convert.* = audioconvert/libspa-audioconvert api.alsa.* = alsa/libspa-alsa support.* = support/libspa-support }
context.modules = [ { name = libpipewire-module-rt args = { rt.prio = 20 rtportal.enabled = false rtkit.enabled = false } flags = [ ifexists nofail ] }
    $(module protocol-native profiler metadata spa-node-factory client-node access adapter link-factory) ]
context.objects = [ { factory = metadata args = { metadata.name = default } } $2 ]
CONF
}
begin() {
    PIPEWIRE_LOG_SYSTEMD=false "${as_user[@]}" pipewire -c /tmp/s/pipewire.conf >>server.log 2>&1 &
    wait_for "${as_user[@]}" pw-cli info 0
    server=$(pidof pipewire)
}
format='{ mediaType: audio, mediaSubtype: raw, format: F32P, rate: 48000, channels: 2, position: [ FL FR ] }'
# called by wait_for
has_ports() { "${as_user[@]}" pw-cli set-param pw-play PortConfig "{ direction: Output, mode: dsp, format: $format }" >/dev/null && "${as_user[@]}" pw-link -o | grep -q pw-play; }
# links SINK...: pw-play, which runs
links() {
    local sink channel
    wait_for has_ports
    for sink; do for channel in FL FR; do "${as_user[@]}" pw-link pw-play:output_$channel "$sink:playback_$channel"; done; done
}
