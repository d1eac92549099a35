# shellcheck shell=bash
# bash completion for sleeptune-lab(1)

_sleeptune_lab() {
    local cur=$2 prev=$3 command=${COMP_WORDS[1]} words=''
    COMPREPLY=()
    case $prev in
    --plot | --output | -o)
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        return
        ;;
    --kind | -k) words='box series line density' ;;
    --policy) words='fifo rr other' ;;
    --rounding) words='tvtohz tvtohz-fixed none' ;;
    --every) words='1s 100ms 10ms 1333us' ;;
    --unit | --time-unit) words='ns us ms s' ;;
    --format)
        words='text json csv markdown'
        ;;
    --methods | --method | --baseline) words=$(sleeptune-lab sleep --list 2>/dev/null | awk '/^[a-z]/ {print $1}') ;;
    --mechanisms) words=$(sleeptune-lab wake --list 2>/dev/null | awk '/^[a-z]/ {print $1}') ;;
    --calls) words=$(sleeptune-lab syscall --list 2>/dev/null | awk '/^[a-z]/ {print $1}') ;;
    --durations) words='64f 128f 256f 512f 5ms 10ms' ;;
    --budget) words='10s 60s 10m' ;;
    --slack) words='found 1ns found,1ns' ;;
    esac
    if [ -z "$words" ] && [ "$COMP_CWORD" -eq 1 ]; then
        words='sleep exec syscall wake punctual series analyse simulate compare plot table help --help --version'
    elif [ -z "$words" ]; then
        case $command in
        sleep) words='--methods --durations --all --list --budget --policy --priority --slack --baseline --precision
            --seed --brief --plot --json --format --quiet --help' ;;
        exec) words='--durations --start --runs --warmup --budget --seed --time-unit --plot --json --format --quiet --help' ;;
        syscall) words='--calls --list --count --fresh --brief --plot --json --format --quiet --help' ;;
        wake) words='--mechanisms --slices --kinds --placements --all --list --rounds --budget --cpus --policy --priority --seed
            --plot --json --format --quiet --help' ;;
        punctual) words='free 1.7 2% p97 25us curve --frames --rate --duration --cpu --policy --priority --json --format --quiet --help' ;;
        series) words='--every --frames --rate --count --sleepers --full-second --relative --clocks --method --policy --priority --plot --json --format --quiet
            --help' ;;
        analyse) words='--every --unit --frames --rate --tick-hz --plot --json --format --help' ;;
        simulate) words='--hz --rounding --drift-ppm --timer-hz --table --pll-gain --every --frames --rate --count --noise --seed --plot --json --format --help' ;;
        compare) words='--every --unit --json --format --help' ;;
        plot) words='--output -o --kind -k --every --unit --title --axis --label --overlay --csv --help' ;;
        table) words='--samples --time-unit --format --help' ;;
        help) words='sleep exec syscall wake punctual series analyse simulate compare plot table' ;;
        esac
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    if [[ $command == @(analyse|compare|plot|table) ]] && [ ${#COMPREPLY[@]} -eq 0 ]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    fi
}
complete -F _sleeptune_lab sleeptune-lab
