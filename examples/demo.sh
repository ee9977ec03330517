#!/bin/sh
# The main job from end to end, in a store of its own: add a bundle, run it,
# show the thread, walk the chain of nodes from its head to its start.
set -eu
program=$1
here=$(cd "$(dirname "$0")" && pwd)
UNCAGED_WORKFLOW_STORAGE_ROOT=$(mktemp -d)
export UNCAGED_WORKFLOW_STORAGE_ROOT
trap 'rm -rf "$UNCAGED_WORKFLOW_STORAGE_ROOT"' EXIT
say() { printf '\n$ uncaged-workflow %s\n' "$*"; }

say add haiku examples/haiku.esm.js
"$program" add haiku "$here/haiku.esm.js" | sed "s|$here|examples|"

say run haiku --prompt "'the compiler'" --wait
"$program" run haiku --prompt "the compiler" --wait

say threads
"$program" threads
thread=$("$program" threads | cut -f1)

say thread "$thread" --last 1
"$program" thread "$thread" --last 1

printf '\nThe chain of nodes, from the head to the start:\n'
field() { sed -n "s/^  $1: //p"; }
node=$("$program" thread "$thread" --last 1 | sed -n 's/^  "head": "\(.*\)",$/\1/p')
while [ -n "$node" ]; do
    blob=$("$program" cas get "$node")
    start=$(printf '%s\n' "$blob" | field start)
    printf '  %s  %s\n' "$node" "$(printf '%s\n' "$blob" | field role)"
    node=$(printf '%s\n' "$blob" | sed -n '/^  ancestors:$/{n;s/^ *- //p;q;}')
done
printf '  %s  start: %s\n' "$start" "$("$program" cas get "$start" | tr '\n' ' ')"
