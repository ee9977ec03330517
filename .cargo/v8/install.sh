#!/bin/sh
# Puts V8's static library where the build script of the `v8` crate looks first,
# when the official download cannot be reached. Does nothing where it is there
# already or the download answers, so plain `cargo build` works afterwards.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
version=150.4.0

[ -z "${RUSTY_V8_ARCHIVE:-}" ] || exit 0
case "$(uname -s)-$(uname -m)" in
Linux-x86_64) target=x86_64-unknown-linux-gnu ;;
Linux-aarch64) target=aarch64-unknown-linux-gnu ;;
Darwin-x86_64) target=x86_64-apple-darwin ;;
Darwin-arm64) target=aarch64-apple-darwin ;;
*) exit 0 ;;
esac
library=librusty_v8_simdutf_release_$target.a
base=${RUSTY_V8_MIRROR:-https://github.com/denoland/rusty_v8/releases/download}
url=$base/v$version/$library.gz
cache=${CARGO_HOME:-$HOME/.cargo}/.rusty_v8
file=$cache/$(printf %s "$url" | sed 's/[^A-Za-z0-9]/_/g')
[ ! -s "$file" ] || exit 0

answers() {
    if command -v curl >/dev/null; then
        curl --fail --silent --location --head --max-time 20 --output /dev/null "$url"
    elif command -v wget >/dev/null; then
        wget --quiet --spider --timeout=20 --tries=1 "$url"
    else
        false
    fi
}
if answers 2>/dev/null; then
    exit 0
fi

if [ "$target" != x86_64-unknown-linux-gnu ]; then
    echo "V8's library cannot be downloaded from $url; fetch it where you can and name it in RUSTY_V8_ARCHIVE." >&2
    exit 1
fi
command -v xz >/dev/null || {
    echo "xz is needed to unpack V8's library: install the package xz-utils." >&2
    exit 1
}
echo "The official V8 library cannot be reached; installing the copy in .cargo/v8."
sum() { sha256sum "$1" | cut -d' ' -f1; }
wanted() { awk -v name="$1" '$2 == name { print $1 }' "$here/SHA256SUMS"; }
[ "$(sum "$here/$library.xz")" = "$(wanted "$library.xz")" ] || {
    echo "$here/$library.xz is damaged: its SHA-256 is not the one in SHA256SUMS. Check it out again." >&2
    exit 1
}
mkdir -p "$cache"
part=$file.part.$$
trap 'rm -f "$part"' EXIT
xz --decompress --stdout "$here/$library.xz" >"$part"
[ "$(sum "$part")" = "$(wanted "$library")" ] || {
    echo "The unpacked V8 library is damaged; is the disk full?" >&2
    exit 1
}
mv "$part" "$file"
