# A second worker, which counts what is executed of the package's module: count.sh TREE ADAPTER SCRATCH FOLDER
#
# build.sh has run before. A module whose counters cannot be made has no such worker.
tree=$1 adapter=$2 scratch=$3 folder=$4
made=$adapter/counted

count() {
  cd "$tree/$folder" || return
  go list -deps -f '{{$it := .}}{{if .Module}}{{if .Module.Main}}{{range .GoFiles}}{{$it.ImportPath}} {{$it.Dir}} {{.}}
{{end}}{{end}}{{end}}' . > "$scratch/counted.files" || return
  number=0
  sed 's/}}$//' "$scratch/overlay.json" > "$scratch/counted.json"
  : > "$scratch/imports" > "$scratch/rows"
  while read -r import place file; do
    [ -n "$file" ] || continue
    number=$((number + 1))
    go tool cover -mode=count -var="StatsclawCount$number" -o "$made/$number.go" "$place/$file" || return
    printf ', "%s/%s": "%s/%s.go"' "$place" "$file" "$made" "$number" >> "$scratch/counted.json"
    of="p$number.StatsclawCount$number" path=$place/$file
    printf '\tp%s "%s"\n' "$number" "$import" >> "$scratch/imports"
    printf '\t\t{"%s", %s.Count[:], %s.Pos[:]},\n' "${path#"$tree"/}" "$of" "$of" >> "$scratch/rows"
  done < "$scratch/counted.files"
  {
    printf 'package main\n\nimport (\n'
    cat "$scratch/imports"
    printf ')\n\nfunc init() {\n\tcounters = []counted{\n'
    cat "$scratch/rows"
    printf '\t}\n}\n'
  } > "$made/counters.go"
  printf ', "%s/statsclaw_worker/counters.go": "%s/counters.go"}}' "$tree" "$made" >> "$scratch/counted.json"
  cd "$tree" || return
  go build -overlay "$scratch/counted.json" -o "$made/worker" ./statsclaw_worker
}

count || rm -f "$made/run"
