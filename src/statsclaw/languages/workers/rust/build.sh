# The worker, and the names that the package exports: build.sh TARGET ADAPTER CRATE LIBRARY
#
# rustdoc writes a file for each public name: what the compiler takes for public counts.
set -eu
export PATH="${CARGO_BIN:+$CARGO_BIN:}$PATH"
target=$1 adapter=$2 name=$3 lib=$4
cargo doc --quiet --offline --no-deps --manifest-path "$adapter/Cargo.toml" --package "$name" || true
(cd "$target/doc/$lib" && ls */index.html *.html) 2> /dev/null |
  sed -nE 's:^([a-z]+\.)?([A-Za-z0-9_]+)(/index|)\.html$:\1 \2\3:p' |
  sed -nE '/^ (all|index)$/!s:^.* ([A-Za-z0-9_]+).*$:\1:p' | LC_ALL=C sort -u > "$adapter/src/exports"
cargo build --quiet --offline --release --manifest-path "$adapter/Cargo.toml"
cp "$target/release/worker" "$adapter/worker"
