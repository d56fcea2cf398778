# Holds a conversation with a worker that counts lines, and tells them when it has ended: run INPUT OUTPUT SITE PACKAGE
#
# ADAPTER/counting is the copy of the tree that was compiled with counters, ADAPTER/counted-site what it installed.
here=${0%/*}
adapter=${here%/*}
place=$STATSCLAW_COVERAGE
own=${place%/*}/gcov
unset STATSCLAW_COVERAGE
status=0
GCOV_PREFIX=$own "$here/worker" "$@" || status=$?
case "$(cc --version)" in *clang*) gcov='llvm-cov gcov' ;; *) gcov=gcov ;; esac
if ! command -v ${gcov%% *} > /dev/null; then
  echo '{"missing": "gcov"}' > "$place-$$.json"
  exit $status
fi
find "$adapter" -name '*.gcno' | while read -r notes; do
  folder=$own${notes%/*}
  mkdir -p "$folder"
  cp "$notes" "$folder"
  (cd "$adapter/counting" && $gcov -t -o "$folder" "${notes##*/}" 2> /dev/null)
done > "$place.gcov"
awk -v adapter="$adapter/" '
  BEGIN { FS = ":" }
  { count = $1; line = $2 + 0; gsub(/[ *]/, "", count) }
  line == 0 && $3 == "Source" {
    path = $4
    sub(adapter "counting/", "", path)
    sub(adapter "counted-site/", "", path)
    known = path ~ /^[A-Za-z0-9_.+-][A-Za-z0-9_.+\/-]*$/ && path !~ /\.\./
  }
  line > 0 && known && count != "-" && count != "" { rows[path] = rows[path] ", [" line ", " (count + 0) "]" }
  END {
    printf "{\"lines\": {"
    for (path in rows) { printf "%s\"%s\": [%s]", separator, path, substr(rows[path], 3); separator = ", " }
    printf "}}\n"
  }
' "$place.gcov" > "$place-$$.json"
exit $status
