#!/usr/bin/env bash
# Builds the Debian packages twice, in two folders, and tries them:
# * both builds have the same contents, byte for byte;
# * lintian reports no error;
# * in a copy of this system's files that is thrown away (an overlay), all packages install, their programs run, a kernel
#   and a host program outside of the tree are built and recorded, and nothing is left once the packages are removed.
#
#   build_packages.sh [DIR]    packages are left in DIR (default: a new folder below /tmp)
#
# Needs root, and the packages debhelper, dh-python and lintian. Takes two builds of everything.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
to=${1:-$(mktemp -d /tmp/tendril-packages.XXXXXX)}
mkdir -p "$to"

fail() {
  echo "build_packages.sh: $*" >&2
  exit 1
}
[ "$(id -u)" = 0 ] || fail "needs root, for the overlay that packages are installed in"
for program in dh dh_python3 lintian; do
  command -v $program >/dev/null || fail "no $program: apt-get install debhelper dh-python lintian"
done

build() {
  mkdir -p "$1/tendril"
  git -C "$source" archive HEAD | tar x -C "$1/tendril"
  (cd "$1/tendril" && SOURCE_DATE_EPOCH=$(git -C "$source" log -1 --format=%ct) dpkg-buildpackage -us -uc -b) >"$1/log" 2>&1 ||
    { tail -n 40 "$1/log" >&2; fail "the packages do not build, see $1/log"; }
  rm -rf "$1/tendril"
}
build "$to/first"
build "$to/second-folder-of-another-length"
(cd "$to/first" && sha256sum -- *.deb) >"$to/sums"
(cd "$to/second-folder-of-another-length" && sha256sum --quiet -c "$to/sums") || fail "two builds differ"
echo "two builds are equal: $(wc -l <"$to/sums") packages"
rm -rf "$to/second-folder-of-another-length"
mv "$to"/first/*.deb "$to"

lintian --allow-root --fail-on error "$to"/*.deb
echo "lintian reports no error"

root=$to/root
mkdir -p "$root" "$to/changes"
mount -t tmpfs tmpfs "$to/changes"
mkdir "$to/changes/upper" "$to/changes/work"
mount -t overlay overlay -o "lowerdir=/,upperdir=$to/changes/upper,workdir=$to/changes/work" "$root"
trap 'umount -R "$root"; umount "$to/changes"; rmdir "$root" "$to/changes"' EXIT
for folder in proc dev; do
  mount --rbind /$folder "$root/$folder"
  mount --make-rslave "$root/$folder"
done
mkdir -p "$root/trial"
cp "$to"/*.deb "$root/trial"
cp "$source/tests/install/try_packages.sh" "$root/trial"
chroot "$root" /bin/bash /trial/try_packages.sh
