# shellcheck shell=bash
# bash completion for sleeptune(1)

_sleeptune() {
    local cur=$2 prev=$3 command=${COMP_WORDS[1]} words=''
    COMPREPLY=()
    case $prev in
    --snapshot | --root | --input | --measurement | --config | --record | --hlog | --socket | --output | --plot | --db | --textfile | -o)
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return
        ;;
    --policy) words='fifo rr other' ;;
    --rounding) words='tvtohz tvtohz-fixed none' ;;
    --kind | -k)
        words='box series hist quantile'
        [ "$command" != events ] || words='late-wake simulated-xrun own-xrun observed-xrun starved-client observe observe-lost suspend clock-jump pause degraded recovered demoted starved loop-stalled loop-resumed rtkit audio-open audio-unavailable audio-lost config-read config-rejected loop-restart http-failed socket-rights history-aside state-not-stored unclean-end'
        ;;
    --every) words='1s 100ms 10ms 1333us' ;;
    --wait) words='plain precise' ;;
    --format) words='text json' ; case $command in report | check) words="$words html markdown prometheus" ;; esac ;;
    --user) words=$(cut -d: -f1 /etc/passwd) ;;
    --profile) words='studio desktop laptop server' ;;
    --only) words=$(sleeptune explain --list 2>/dev/null | awk '{print $1}') ;;
    --threshold) words='problem advice unknown ok not-applicable' ;;
    --frames | -f) words='16 32 64 128 256 512 1024' ;;
    --rate | -r) words='44100 48000 88200 96000 192000' ;;
    --duration | -d) words='10s 30s 1m 10m 1h' ;;
    --cpu | -a) words=all ;;
    --methods | --method | --baseline) words=$(sleeptune bench sleep --list 2>/dev/null | awk '/^[a-z]/ {print $1}') ;;
    --mechanisms) words=$(sleeptune bench wake --list 2>/dev/null | awk '/^[a-z]/ {print $1}') ;;
    --calls) words=$(sleeptune bench syscall --list 2>/dev/null | awk '/^[a-z]/ {print $1}') ;;
    --durations) words='64f 128f 256f 512f 5ms 10ms' ;;
    --budget) words='10s 60s 10m' ;;
    --slack) words='found 1ns found,1ns' ;;
    --difference) words='1us 10us 5% 10%' ;;
    --os) words='linux freebsd' ;;
    esac
    if [ -z "$words" ] && [ "$COMP_CWORD" -eq 1 ]; then
        words='check measure bench report explain guide apply verify revert snapshot export analyse compare simulate plot status causes watch history events devices help version --help --version'
    elif [ -z "$words" ]; then
        case $command in
        measure) words='--rate --frames --periods --duration --cpu --policy --priority --load --warmup --wait
            --timer-slack --punctual --cause-above --no-lock --record --hlog --plot --json --format --fail-on-miss --quiet --help' ;;
        bench)
            words='sleep syscall wake series --help'
            case ${COMP_WORDS[2]-} in
            sleep) words='--methods --durations --all --list --budget --policy --priority --slack --baseline --precision
                --seed --brief --exec --exec-start --runs --warmup --plot --json --format --quiet --help' ;;
            syscall) words='--calls --list --count --fresh --brief --plot --json --format --quiet --help' ;;
            wake) words='--mechanisms --slices --kinds --peers --all --list --rounds --budget --cpus --policy --priority --seed
                --plot --json --format --quiet --help' ;;
            series) words='--every --frames --rate --count --relative --clocks --method --policy --priority --plot --json --format --quiet
                --help' ;;
            esac ;;
        check) words='--duration --frames --rate --profile --only --config --format --json --threshold --all --output
            --textfile --quiet --no-servers --help' ;;
        report) words='--frames --rate --snapshot --root --input --user --no-servers --measure --measurement --profile --only --config --format --json --threshold --all
            --output -o --textfile --help' ;;
        explain) words="--list --snapshot --root --input --frames --rate --help $(sleeptune explain --list 2>/dev/null | awk '{print $1}')" ;;
        guide) words='--os --help' ;;
        apply) words="--dry-run --yes --measure --no-measure --run-generators --user --snapshot --frames --rate --root --help $(sleeptune explain --list 2>/dev/null | awk '{print $1}')" ;;
        verify) words='--frames --rate --measure --no-measure --user --root --format --json --help' ;;
        revert) words="--all --run-generators --root --help $(sleeptune explain --list 2>/dev/null | awk '{print $1}')" ;;
        snapshot) words='--root --no-servers --output -o --help' ;;
        export) words='--csv --npy --output -o --help' ;;
        analyse) words='--every --frames --rate --tick-hz --plot --json --format --help' ;;
        compare) words='--difference --every --plot --kind -k --json --format --help' ;;
        simulate) words='--hz --rounding --drift-ppm --pll-gain --every --frames --rate --count --noise --seed --plot --json --format --help' ;;
        plot) words='--output -o --kind -k --width --every --help' ;;
        history) words='--since --until --step --plot --json --format --socket --db --help' ;;
        events) words='--since --until --kind --limit --follow --json --format --socket --db --help' ;;
        causes) words='--since --until --json --format --socket --db --help' ;;
        status) words='--json --format --socket --help' ;;
        watch) words='--once --json --socket --help' ;;
        devices) words='--json --format --help' ;;
        help) words='check measure bench report explain guide apply verify revert snapshot export analyse compare simulate plot status causes watch history events devices version' ;;
        esac
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    if [[ $command == @(export|analyse|compare|plot) ]] && [ ${#COMPREPLY[@]} -eq 0 ]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    fi
}
complete -F _sleeptune sleeptune
