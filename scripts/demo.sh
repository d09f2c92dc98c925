#!/usr/bin/env bash
# Writes five small invented corpora, imports them, asks, shows, scores and draws them.
set -euo pipefail
folder=${1:-demo}
rm -rf "$folder"
mkdir -p "$folder"
export COMMONGROUND_STORE=$folder/store

# What is shown can be typed: words with spaces stand in quotes.
say() {
  printf '\n\033[1m$'
  for word in "$@"; do
    case $word in *' '*) printf ' "%s"' "$word" ;; *) printf ' %s' "$word" ;; esac
  done
  printf '\033[0m\n'
}
run() { say "$@"; "$@"; }

for corpus in photobook simmc taskmaster3 frames mpchat; do
  run commonground simulate "$corpus" "$folder/$corpus" --dialogues 20 --seed 1
  images=()
  if [ -d "$folder/$corpus/images" ]; then images=(--images "$folder/$corpus/images"); fi
  run commonground import "$corpus" "$folder/$corpus" "${images[@]}"
done

run commonground list
run commonground sql "select corpus, count(distinct dialogue_id) as dialogues,
  count(*) filter (kind = 'utterance') as utterances,
  count(*) filter (kind = 'action') as actions
  from events group by corpus order by corpus"
run commonground sql "select corpus, name, count(*) as times from events
  where kind = 'action' group by all order by corpus, times desc" --limit 20
run commonground sql "select segment as round, round(avg(length(text)), 1) as characters,
  count(*) as utterances from events
  where corpus = 'photobook' and kind = 'utterance' group by 1 order by 1"

longest=$(commonground sql "select corpus, dialogue_id from dialogues qualify row_number()
  over (partition by corpus order by n_utterances desc, dialogue_id) = 1 order by corpus" --format csv)
while IFS=, read -r corpus id; do
  run commonground show "$corpus" "$id"
done < <(tail -n +2 <<< "$longest" | tr -d '"\r')

run commonground stats photobook --figure rounds
run commonground baseline photobook/reference --method random --method overlap --method linear-history
run commonground site "$folder/site" --dialogues 6
printf '\nOpen %s/site/index.html in a browser, or: commonground serve --store %s/store --open\n' \
  "$folder" "$folder"
