# Completion of `sinew` for bash. The program knows what may follow: commands, options, and the names
# of a running system. Where it knows nothing, names of files are offered.
_sinew() {
  local words=("${COMP_WORDS[@]:1:COMP_CWORD}")
  mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" complete "${words[@]}" 2>/dev/null)
  case ${COMP_WORDS[1]} in
    ls | get | set | call | echo | pub | top | log)
      [[ ${COMP_WORDS[COMP_CWORD - 1]} == --socket ]] || compopt +o default 2>/dev/null
      ;;
  esac
  return 0
}
complete -o default -F _sinew sinew
