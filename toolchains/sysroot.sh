#!/bin/bash
# Unpacks Debian's packages of another processor, and what they need, into a folder: a sysroot for cross builds.
# Nothing is installed on this machine. Usage: sysroot.sh ARCHITECTURE RELEASE FOLDER PACKAGE...
# Example: toolchains/sysroot.sh arm64 bookworm /tmp/arm64 libc6-dev liblz4-dev
set -eu
[ $# -gt 3 ] || { echo "usage: $0 ARCHITECTURE RELEASE FOLDER PACKAGE..." >&2; exit 2; }
architecture=$1 release=$2 folder=$3
shift 3
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
apt=$folder/.apt
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
: > "$apt/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $release main" > "$apt/sources.list"
of_the_folder=(-o "APT::Architecture=$architecture" -o "APT::Architectures::=$architecture" -o "Dir::State=$apt"
  -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt/cache" -o "Dir::Etc::sourcelist=$apt/sources.list"
  -o Dir::Etc::sourceparts=- -o APT::Install-Recommends=false -o Acquire::Languages=none -o "APT::Sandbox::User=$(id -un)")
apt-get "${of_the_folder[@]}" -qq update
apt-get "${of_the_folder[@]}" -qq -y --download-only install "$@"
for package in "$apt"/cache/archives/*.deb; do
  dpkg-deb -x "$package" "$folder"
done
rm -r "$apt"
# Links with whole paths lead into this machine.
find "$folder" -type l -lname '/*' | while read -r link; do
  ln -sfrn "$folder$(readlink "$link")" "$link"
done
# Where the C library looks for its loader.
for name in lib lib64; do
  if [ -d "$folder/$name" ] && [ ! -L "$folder/$name" ] && [ -d "$folder/usr/$name" ]; then
    cp -a "$folder/$name/." "$folder/usr/$name/" && rm -r "${folder:?}/$name"
  fi
  [ -e "$folder/$name" ] || [ ! -d "$folder/usr/$name" ] || ln -s "usr/$name" "$folder/$name"
done
