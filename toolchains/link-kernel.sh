#!/bin/sh
# link-kernel.sh COMMAND...: links a kernel with this command, which names the image with -o. If the image does
# not fit into L1, a line says how many markers it has, what they take, and what TD_TINY would save.
# TENDRIL: path of the program `tendril`, if it is neither next to this installation nor in PATH.
messages=$(mktemp) || exit 1
trap 'rm -f "$messages"' EXIT
"$@" 2>"$messages"
status=$?
cat "$messages" >&2
if [ $status -eq 0 ] || ! grep -q "does not fit the core's part of L1" "$messages"; then
    exit $status
fi
image=
last=
for argument; do
    [ "$last" = -o ] && image=$argument
    last=$argument
done
for tendril in "${TENDRIL:-}" "$(dirname "$0")/../../../bin/tendril" "$(command -v tendril)"; do
    if [ -z "$image" ] || [ ! -x "$tendril" ]; then
        continue
    fi
    # The same image, however large it is, only to be measured.
    "$@" -Wl,--noinhibit-exec -o "$image.unfit" 2>/dev/null
    "$tendril" size --advice "$image.unfit" >&2
    rm -f "$image.unfit"
    break
done
exit $status
