#!/bin/sh
# Runs a command on a new X server, which chooses a free display number. Usage: on_x11.sh COMMAND [ARGUMENT...]
set -eu
folder=$(mktemp -d)
server=
clean_up() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  wait || true
  rm -rf "$folder"
}
trap clean_up EXIT
cookie=$(mcookie)
touch "$folder/server" "$folder/client"
xauth -q -f "$folder/server" add :0 . "$cookie"
mkfifo "$folder/number"
Xvfb -displayfd 3 -screen 0 1400x1000x24 -nolisten tcp -auth "$folder/server" 3>"$folder/number" 2>"$folder/log" &
server=$!
# The server writes the number when programs may connect. A server that cannot start writes nothing.
if ! read -r number <"$folder/number"; then
  cat "$folder/log" >&2
  exit 1
fi
xauth -q -f "$folder/client" add ":$number" . "$cookie"
DISPLAY=:$number XAUTHORITY=$folder/client "$@"
