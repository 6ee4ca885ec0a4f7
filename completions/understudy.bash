# Generated from the command tree: understudy completion bash

_understudy_paths() {
    local IFS=$'\n'
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
        --actions|--attempt|--claims|--display|--generation|--get|--holder|--holder-kind|--job|--lines|--max-display-id|--min-display-id|--observation|--origin|--pre-observation|--profile|--request|--sequence|--session|--url|--viewport|--workspace) return ;;
    esac
    case "$noun $verb" in
        " ") words="session receipt workspace display client daemon completion --version --help" ;;
        "session ") words="begin run actions status freeze observe finish close abort list pipe --help" ;;
        "receipt ") words="verify show --help" ;;
        "workspace ") words="create acquire list state close --help" ;;
        "display ") words="create list destroy --help" ;;
        "client ") words="add list remove --help" ;;
        "daemon ") words="start stop restart status logs --help" ;;
        "completion ") words="bash zsh fish --help" ;;
        "session begin") words="--attempt --job --job-file --url --origin --viewport --headed --profile --workspace --display --generation --request --frame --json --get --help" ;;
        "session run") words="--actions --attempt --job --job-file --url --origin --viewport --claims --receipt --out --json --get --help" ;;
        "session actions") words="--session --sequence --actions --request --frame --json --get --help" ;;
        "session status") words="--session --request --frame --json --get --help" ;;
        "session freeze") words="--session --sequence --request --frame --json --get --help" ;;
        "session observe") words="--session --sequence --pre-observation --state --request --frame --json --get --help" ;;
        "session finish") words="--session --sequence --observation --claims --receipt --request --frame --json --get --help" ;;
        "session close") words="--session --sequence --request --json --get --help" ;;
        "session abort") words="--session --sequence --request --json --get --help" ;;
        "session list") words="--json --get --help" ;;
        "session pipe") words="--help" ;;
        "receipt verify") words="--frames --allow-unsigned --json --get --help" ;;
        "receipt show") words="--json --get --help" ;;
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
        "receipt verify"|"receipt show") [[ $cur == -* ]] || _understudy_paths -f "$cur" ;;
    esac
}
complete -o filenames -F _understudy understudy
