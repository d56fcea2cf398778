# The worker is compiled as one more program of the package's own module: build.sh TREE ADAPTER SCRATCH FOLDER
#
# An overlay puts it there without a file in the tree, so that what go.mod requires and replaces, and a folder vendor,
# hold for it too.
set -eu
tree=$1 adapter=$2 scratch=$3 folder=$4
cd "$tree/$folder"
package=$(go list -f '{{.ImportPath}}' .)
files=$(go list -f '{{range .GoFiles}}{{.}} {{end}}{{range .CgoFiles}}{{.}} {{end}}' .)
native=$(go list -deps -f '{{if not .Standard}}{{range .CgoFiles}}{{.}}{{end}}{{end}}' .)
(cd "$adapter/look" && go build -o "$scratch/look" .)
"$scratch/look" "$adapter/source/names.go" "$package" $files
separator='{"Replace": {'
for file in "$adapter"/source/*.go; do
  printf '%s"%s/statsclaw_worker/%s": "%s"' "$separator" "$tree" "${file##*/}" "$file"
  separator=', '
done > "$scratch/overlay.json"
printf '}}' >> "$scratch/overlay.json"
cd "$tree"
if [ -n "$native" ]; then  # cgo wants a folder that is there
  mkdir -p statsclaw_worker
  trap 'rmdir statsclaw_worker' EXIT
fi
go build -overlay "$scratch/overlay.json" ${native:+-tags statsclaw_native} -o "$adapter/worker" \
  ./statsclaw_worker
