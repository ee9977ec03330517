#!/bin/sh
# Looks for what the build needs besides the Rust toolchain. On Debian as root
# it installs what is missing; elsewhere it says which packages to install.
set -eu

missing=
need() { # command, package
    command -v "$1" >/dev/null || missing="$missing $2"
}
need cc gcc
need c++ g++
need perl perl
need xz xz-utils

libclang() {
    [ -n "${LIBCLANG_PATH:-}" ] && return 0
    for lib in /usr/lib/llvm-*/lib/libclang*.so* /usr/lib/libclang*.so* /usr/lib64/libclang*.so* \
        /usr/lib64/llvm*/lib/libclang*.so* /usr/lib/*/libclang*.so* \
        /Library/Developer/CommandLineTools/usr/lib/libclang.dylib \
        /Applications/Xcode.app/Contents/Developer/Toolchains/XcodeDefault.xctoolchain/usr/lib/libclang.dylib \
        /opt/homebrew/opt/llvm/lib/libclang.dylib; do
        [ ! -e "$lib" ] || return 0
    done
    return 1
}
# bindgen also reads clang's own <stddef.h>, which a bare library comes without.
headers() {
    [ "$(uname -s)" = Linux ] || return 0
    [ -z "${LIBCLANG_PATH:-}" ] || return 0
    for file in /usr/lib/llvm-*/lib/clang/*/include/stddef.h /usr/lib/clang/*/include/stddef.h \
        /usr/lib64/clang/*/include/stddef.h /usr/lib/llvm*/lib*/clang/*/include/stddef.h; do
        [ ! -e "$file" ] || return 0
    done
    return 1
}
libclang && headers || missing="$missing libclang-dev"

[ -n "$missing" ] || exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing what the build needs:$missing"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update --quiet=2
    # shellcheck disable=SC2086
    apt-get install --quiet=2 --yes --no-install-recommends $missing >/dev/null
else
    echo "The build needs more than the Rust toolchain. Install (Debian's names):$missing" >&2
    echo "For example: sudo apt-get install$missing" >&2
    exit 1
fi
