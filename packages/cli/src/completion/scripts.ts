// The script of each shell. At Tab it passes on the words without evaluating them, and shows the
// lines that come back: a value, a tab and its description. `:files` means names of files.
export const SCRIPTS = {
  bash: `_toolrack() {
  local cur=\${COMP_WORDS[COMP_CWORD]} line
  [[ $cur == [=:] ]] && cur=
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      compopt -o filenames 2>/dev/null
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$cur")
    else
      COMPREPLY+=("\${line%%$'\\t'*}")
    fi
  done < <(toolrack complete bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _toolrack toolrack`,

  zsh: `#compdef toolrack
_toolrack() {
  local -a values
  local line files
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      files=1
    else
      line=\${line//:/\\\\:}
      values+=("\${line/$'\\t'/:}")
    fi
  done < <(toolrack complete zsh -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
  (( $#values )) && _describe toolrack values
  [[ -n $files ]] && _files
  return 0
}
compdef _toolrack toolrack`,

  fish: `function __toolrack_complete
  set -l words (commandline -opc) "$(commandline -ct)"
  for line in (toolrack complete fish -- $words[2..-1] 2>/dev/null)
    if test "$line" = :files
      __fish_complete_path "$(commandline -ct)"
    else
      echo $line
    end
  end
end
complete -c toolrack -f -a '(__toolrack_complete)'`,
} as const

export const SHELLS: readonly string[] = Object.keys(SCRIPTS)
