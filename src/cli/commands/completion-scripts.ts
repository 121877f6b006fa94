/**
 * The completion scripts. Each passes the words to `plant-store complete --` as they are typed.
 * They are data: no script may evaluate them, or TAB would run commands and write files that are
 * part of a line not yet entered.
 */

export const completionScripts = {
  // Not `compgen -W`, which expands its words. "=" is a word of its own in COMP_WORDS.
  bash: `_plant_store() {
  local word
  local -a words=()
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == '=' ]] || words+=("$word")
  done
  COMPREPLY=()
  while IFS=' ' read -r word _; do
    COMPREPLY+=("$word")
  done < <(plant-store complete -- "\${words[@]}" "$2" 2>/dev/null)
}
complete -o bashdefault -o default -F _plant_store plant-store
`,
  zsh: `#compdef plant-store
_plant_store() {
  local word help
  local -a found
  while IFS=' ' read -r word help; do
    found+=("\${word//:/\\:}\${help:+:$help}")
  done < <(plant-store complete -- "\${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)
  if (( $#found )); then
    _describe 'plant-store' found
  else
    _files
  fi
}
compdef _plant_store plant-store
`,
  fish: `function __plant_store_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l found (plant-store complete -- $words[2..] "$word" 2>/dev/null)
    if set -q found[1]
        string replace ' ' \\t -- $found
    else
        __fish_complete_path "$word"
    end
end
complete -c plant-store -f -a '(__plant_store_complete)'
`,
} as const;

export type Shell = keyof typeof completionScripts;
