_memcli_completion() {
    # bash splits desktop:main at the colon; put the words back together, then answer with what follows the last colon.
    local line="${COMP_LINE:0:COMP_POINT}" words cword current IFS=$' \t\n'
    read -ra words <<<"$line"
    [[ "$line" == *[[:space:]] ]] && words+=("")
    cword=$((${#words[@]} - 1))
    current="${words[cword]}"
    local IFS=$'\n'
    COMPREPLY=($(env COMP_WORDS="$(printf '%s\n' "${words[@]}")" COMP_CWORD="$cword" _MEMCLI_COMPLETE=complete_bash "$1"))
    if [[ "$current" == *:* && "$COMP_WORDBREAKS" == *:* ]]; then
        local prefix="${current%"${current##*:}"}" i
        for i in "${!COMPREPLY[@]}"; do
            COMPREPLY[i]="${COMPREPLY[i]#"$prefix"}"
        done
    fi
    if ((${#COMPREPLY[@]} == 0)); then
        compopt -o default 2>/dev/null
    fi
    return 0
}

complete -o nosort -F _memcli_completion memcli
