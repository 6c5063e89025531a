# Completion of `sinew` for bash. The program prints the words that may follow; `:files` and `:folders`
# ask for names of files and folders.
_sinew() {
  local words=("${COMP_WORDS[@]:1:COMP_CWORD}") kind=
  mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" complete "${words[@]}" 2>/dev/null)
  [[ ${#COMPREPLY[@]} -gt 0 ]] && kind=${COMPREPLY[-1]}
  case $kind in
    :files) unset 'COMPREPLY[-1]' && compopt -o default 2>/dev/null ;;
    :folders) unset 'COMPREPLY[-1]' && compopt -o dirnames 2>/dev/null ;;
  esac
  return 0
}
complete -F _sinew sinew
