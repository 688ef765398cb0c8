_memcli_completion() {
    # bash breaks words at : and = too; put together what no blank parts, then answer with what follows the last break.
    local rest="${COMP_LINE:0:COMP_POINT}" word words=() i prefix IFS=$'\n'
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word="${COMP_WORDS[i]}"
        if ((i == 0)) || [[ "$rest" == [[:space:]]* ]]; then
            words+=("")
        fi
        rest="${rest#"${rest%%[![:space:]]*}"}"
        [[ "$rest" == "$word"* ]] || word="$rest"
        rest="${rest#"$word"}"
        words[${#words[@]}-1]+="$word"
    done
    word="${words[${#words[@]}-1]}"
    COMPREPLY=($(env COMP_WORDS="${words[*]}" COMP_CWORD="$((${#words[@]} - 1))" _MEMCLI_COMPLETE=complete_bash "$1"))
    if [[ "$word" == *:* && "$COMP_WORDBREAKS" == *:* ]]; then
        prefix="${word%"${word##*:}"}"
        for i in "${!COMPREPLY[@]}"; do
            COMPREPLY[i]="${COMPREPLY[i]#"$prefix"}"
        done
    fi
    if ((${#COMPREPLY[@]} == 0)); then
        compopt -o default 2>/dev/null
    fi
    return 0
}

complete -o nosort -F _memcli_completion memcli 2>/dev/null || complete -F _memcli_completion memcli
