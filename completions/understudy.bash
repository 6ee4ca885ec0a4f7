# Generated from the command tree: understudy completion bash

_understudy_paths() {
    local IFS=$'\n'
    compopt -o filenames 2>/dev/null  # only here: a command is no directory of its name
    COMPREPLY=($(compgen "$1" -- "$2"))
}

_understudy() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} noun= verb= words=
    COMPREPLY=()
    ((COMP_CWORD > 1)) && noun=${COMP_WORDS[1]}
    ((COMP_CWORD > 2)) && verb=${COMP_WORDS[2]}
    case $prev in
        --frame|--job-file|--receipt|--state|--token-file) _understudy_paths -f "$cur"; return ;;
        --frames|--out) _understudy_paths -d "$cur"; return ;;
        --actions|--at|--attempt|--button|--by|--claims|--css|--depth|--display|--env|--expect|--generation|--get|--holder|--holder-kind|--id|--job|--key|--label|--limit|--lines|--max-display-id|--min-display-id|--modifier|--name|--observation|--on-dialog|--origin|--pre-observation|--profile|--request|--role|--sequence|--session|--test-id|--text|--timeout|--to|--url|--value|--viewport|--within|--workspace) return ;;
    esac
    case "$noun $verb" in
        " ") words="open snapshot click fill type press select check uncheck clear focus hover hold drag scroll upload read wait screenshot back forward reload batch poll session receipt dialog popup download workspace display client daemon completion --version --help" ;;
        "session ") words="log resolve begin run actions status freeze observe finish close abort list pipe --help" ;;
        "receipt ") words="verify show --help" ;;
        "dialog ") words="list accept dismiss --help" ;;
        "popup ") words="list open --help" ;;
        "download ") words="list save --help" ;;
        "workspace ") words="create acquire list state close --help" ;;
        "display ") words="create list destroy --help" ;;
        "client ") words="add list remove --help" ;;
        "daemon ") words="start stop restart status logs --help" ;;
        "completion ") words="bash zsh fish --help" ;;
        "open "*) words="--new --origin --viewport --on-dialog --downloads --session --json --get --id --no-wait --timeout --expect --dry-run --help" ;;
        "snapshot "*) words="--interactive --depth --limit --within --diff --session --json --get --id --no-wait --timeout --help" ;;
        "click "*) words="--button --double --triple --modifier --role --name --label --text --test-id --css --at --renamed --session --json --get --id --no-wait --timeout --expect --dry-run --help" ;;
        "fill "*) words="--stdin --env --role --name --label --text --test-id --css --at --renamed --session --json --get --id --no-wait --timeout --expect --dry-run --help" ;;
        "type "*) words="--stdin --env --role --name --label --text --test-id --css --at --renamed --session --json --get --id --no-wait --timeout --expect --dry-run --help" ;;
        "press "*) words="--session --json --get --id --no-wait --timeout --expect --dry-run --help" ;;
        "select "*) words="--value --role --name --label --text --test-id --css --at --renamed --session --json --get --id --no-wait --timeout --expect --dry-run --help" ;;
        "check "*) words="--role --name --label --text --test-id --css --at --renamed --session --json --get --id --no-wait --timeout --expect --dry-run --help" ;;
        "uncheck "*) words="--role --name --label --text --test-id --css --at --renamed --session --json --get --id --no-wait --timeout --expect --dry-run --help" ;;
        "clear "*) words="--role --name --label --text --test-id --css --at --renamed --session --json --get --id --no-wait --timeout --expect --dry-run --help" ;;
        "focus "*) words="--role --name --label --text --test-id --css --at --renamed --session --json --get --id --no-wait --timeout --expect --dry-run --help" ;;
        "hover "*) words="--role --name --label --text --test-id --css --at --renamed --session --json --get --id --no-wait --timeout --expect --dry-run --help" ;;
        "hold "*) words="--session --json --get --id --no-wait --timeout --expect --dry-run --help" ;;
        "drag "*) words="--role --name --label --text --test-id --css --at --renamed --session --json --get --id --no-wait --timeout --expect --dry-run --help" ;;
        "scroll "*) words="--by --to --role --name --label --text --test-id --css --at --renamed --session --json --get --id --no-wait --timeout --expect --dry-run --help" ;;
        "upload "*) words="--role --name --label --text --test-id --css --at --renamed --session --json --get --id --no-wait --timeout --expect --dry-run --help" ;;
        "read "*) words="--role --name --label --text --test-id --css --at --renamed --session --json --get --id --no-wait --timeout --help" ;;
        "wait "*) words="--timeout --role --name --label --text --test-id --css --at --renamed --session --json --get --id --no-wait --help" ;;
        "screenshot "*) words="--full --role --name --label --text --test-id --css --at --renamed --session --json --get --id --no-wait --timeout --help" ;;
        "back "*) words="--session --json --get --id --no-wait --timeout --expect --dry-run --help" ;;
        "forward "*) words="--session --json --get --id --no-wait --timeout --expect --dry-run --help" ;;
        "reload "*) words="--session --json --get --id --no-wait --timeout --expect --dry-run --help" ;;
        "batch "*) words="--no-bail --session --json --get --id --no-wait --timeout --help" ;;
        "poll "*) words="--session --json --get --help" ;;
        "session log") words="--page --limit --session --json --get --help" ;;
        "session resolve") words="--done --not-done --session --json --get --help" ;;
        "session begin") words="--attempt --job --job-file --url --origin --viewport --headed --profile --workspace --display --generation --key --on-dialog --downloads --request --frame --json --get --help" ;;
        "session run") words="--actions --attempt --job --job-file --url --origin --viewport --claims --receipt --out --json --get --help" ;;
        "session actions") words="--actions --session --request --json --get --sequence --frame --help" ;;
        "session status") words="--session --request --json --get --frame --help" ;;
        "session freeze") words="--session --request --json --get --sequence --frame --help" ;;
        "session observe") words="--pre-observation --state --session --request --json --get --sequence --frame --help" ;;
        "session finish") words="--observation --claims --receipt --session --request --json --get --sequence --frame --help" ;;
        "session close") words="--session --request --json --get --sequence --help" ;;
        "session abort") words="--session --request --json --get --sequence --help" ;;
        "session list") words="--json --get --help" ;;
        "session pipe") words="--help" ;;
        "receipt verify") words="--frames --allow-unsigned --json --get --help" ;;
        "receipt show") words="--json --get --help" ;;
        "dialog list") words="--session --json --get --help" ;;
        "dialog accept") words="--session --json --get --id --no-wait --help" ;;
        "dialog dismiss") words="--session --json --get --id --no-wait --help" ;;
        "popup list") words="--session --json --get --help" ;;
        "popup open") words="--session --json --get --id --no-wait --help" ;;
        "download list") words="--session --json --get --help" ;;
        "download save") words="--session --json --get --help" ;;
        "workspace create") words="--display --url --origin --viewport --holder --holder-kind --json --get --help" ;;
        "workspace acquire") words="--holder --holder-kind --force --json --get --help" ;;
        "workspace list") words="--json --get --help" ;;
        "workspace state") words="--json --get --help" ;;
        "workspace close") words="--json --get --help" ;;
        "display create") words="--min-display-id --max-display-id --json --get --help" ;;
        "display list") words="--json --get --help" ;;
        "display destroy") words="--json --get --help" ;;
        "client add") words="--token-file --json --get --help" ;;
        "client list") words="--json --get --help" ;;
        "client remove") words="--json --get --help" ;;
        "daemon start") words="--json --get --help" ;;
        "daemon stop") words="--json --get --help" ;;
        "daemon restart") words="--json --get --help" ;;
        "daemon status") words="--json --get --help" ;;
        "daemon logs") words="--lines --json --get --help" ;;
        "completion bash") words="--help" ;;
        "completion zsh") words="--help" ;;
        "completion fish") words="--help" ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
    case "$noun $verb" in
        "upload "*|"screenshot "*|"receipt verify"|"receipt show"|"download save") [[ $cur == -* ]] || _understudy_paths -f "$cur" ;;
    esac
}
complete -F _understudy understudy
