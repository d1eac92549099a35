# shellcheck shell=bash
# bash completion for sleeptune(1)

_sleeptune() {
    local cur=$2 prev=$3 command=${COMP_WORDS[1]} words=''
    COMPREPLY=()
    case $prev in
    --snapshot | --root | --input | --record | --socket | --output | --db | --textfile | -o)
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return
        ;;
    --policy) words='fifo rr other' ;;
    --stress) [ "$command" != measure ] || words='cpu memory disk programs' ;;
    --kind)
        words='late-wake own-dropout device-dropout client-dropout observe observe-lost suspend clock-jump pause degraded recovered demoted starved loop-stalled loop-resumed rtkit audio-open audio-unavailable audio-lost config-read config-rejected loop-restart loop-rests loop-runs http-failed socket-rights history-aside history-changed history-lost kernel-log heard unclean-end'
        ;;
    --wait) words='plain precise' ;;
    --back) words='jack monitor aloop cable virtual_oss' ;;
    --line) words='waybar i3blocks polybar plain' ;;
    --user) words=$(cut -d: -f1 /etc/passwd) ;;
    --profile) words='studio desktop laptop server' ;;
    --only) words=$(sleeptune report --list 2>/dev/null | awk '{print $1}') ;;
    --threshold) words='problem advice unknown ok not-applicable' ;;
    --frames | -f) words='16 32 64 128 256 512 1024' ;;
    --rate | -r) words='44100 48000 88200 96000 192000' ;;
    --duration | -d) words='10s 30s 1m 10m 1h' ;;
    --budget) words='5m 10m 30m 1h' ;;
    esac
    if [ -z "$words" ] && [ "$COMP_CWORD" -eq 1 ]; then
        words='check measure listen report share tune apply verify revert snapshot predict status heard history lab help --help --version'
    elif [ -z "$words" ]; then
        case $command in
        measure) words='--rate --frames --duration --cpu --policy --priority --load --warmup --wait
            --timer-slack --cause-above --stress --no-lock --record --details --json --fail-on-miss --at-most --quiet --help' ;;
        check) words='--duration --frames --rate --profile --only --json --threshold --ok --details --output
            --textfile --quiet --stress --no-servers --help' ;;
        listen) words='--back --play --duration --frames --signal --input --json --help' ;;
        report) words="--list --frames --rate --snapshot --root --input --user --no-servers --profile --only --json --threshold --ok --details
            --output -o --textfile --help $(sleeptune report --list 2>/dev/null | awk '{print $1}')" ;;
        tune) words='--dry-run --keep --ask --budget --only --frames --rate --profile --while-recording --user --json --help' ;;
        apply) words="--dry-run --yes --measure --no-measure --run-generators --user --frames --rate --root --help linux-pipewire-quantum= linux-device-headroom= $(sleeptune report --list 2>/dev/null | awk '{print $1}')" ;;
        verify) words='--no-measure --user --root --json --help' ;;
        revert) words="--all --run-generators --root --help $(sleeptune report --list 2>/dev/null | awk '{print $1}')" ;;
        share) words='--root --no-servers --help' ;;
        snapshot) words='--root --no-servers --output -o --help' ;;
        predict) words='--history --frames --json --help' ;;
        heard) words='--key --system --socket --quiet --help' ;;
        history) words='--events --causes --heard --changes --trace --output --since --until --step --kind --limit --details --json --system --socket --db --help' ;;
        status) words='--details --watch --html --json --line --follow --system --socket --help' ;;
        help) words='check measure listen report share tune apply verify revert snapshot predict status heard history lab' ;;
        esac
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    if [[ $command = predict || $command = listen ]] && [ ${#COMPREPLY[@]} -eq 0 ]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    fi
}
complete -F _sleeptune sleeptune
