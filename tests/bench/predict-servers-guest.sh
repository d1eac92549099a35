#!/bin/bash
# In the instruction-counted guest (tests/vm/vm-boot.sh -i -c dummy): tests/bench/predict_servers.py with jackd and PipeWire on a card of
# snd-dummy. SHARE is the installed tree, with tests/ as scripts/test makes it.
#   predict-servers-guest.sh SHARE [SECONDS [OPTION...]]       default: 240 s for the three sizes of JACK, and for each of PipeWire
set -euo pipefail
share=$1 seconds=${2:-240}
build=$(mktemp -d)
mkdir -p "$build"/{cli,tests,xruns/helpers}
cp "$share/usr/bin/sleeptune" "$build/cli/"
cp "$share"/usr/libexec/sleeptune/sleeptune-observe-{jack,pipewire} "$build/xruns/helpers/"
ln -s "$share/tests" "$build/tests/integration"
modprobe snd-dummy
mkdir -p /run/systemd/{seats,sessions,users,machines} # without systemd: WirePlumber ends where there is nothing to watch
# snd-dummy's interrupt is a thread of the RT kernel. The stalls shall delay the server, not the card.
for thread in ktimers ksoftirqd; do
    for pid in $(pgrep "^$thread/"); do chrt -f -p 95 "$pid"; done
done
exec python3 "$share/tests/predict_servers.py" --build "$build" --seconds "$seconds" --card hw:0 "${@:3}"
