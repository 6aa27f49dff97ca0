#!/usr/bin/env bash
# Makes the guest's initramfs from files of installed Debian packages (busybox, the kernel's modules, the libraries of
# the programs that tests start inside) and tests/guest/module. Prints the path of the kernel. Exit 77: a needed file
# or program is missing.
# Usage: make-image.sh BUILD_DIR OUT.cpio
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$1
out=$2

missing() {
  echo "skipped: $*" >&2
  exit 77
}

PATH=$PATH:/sbin:/usr/sbin
for tool in qemu-system-x86_64 busybox cpio modprobe xz; do
  command -v "$tool" >/dev/null || missing "$tool is not installed"
done
kernel=
for k in /boot/vmlinuz-*-amd64; do
  [ -d "/lib/modules/${k#/boot/vmlinuz-}" ] && kernel=$k
done
[ -n "$kernel" ] || missing "no kernel of Debian's under /boot (package linux-image-amd64)"
release=${kernel#/boot/vmlinuz-}
unpacked=$build/guest/vmlinux-$release

# Tests that run at the same time share the module's folder and the image: one makes them, then the next finds them.
mkdir -p "$build/guest" "$(dirname "$out")"
exec 9>"$build/guest/lock"
flock 9
began=$(date +%s.%N)

# What tests start inside. More would make the image larger, and each machine slower to start.
programs=()
for program in bin/tendril examples/{hello/hello,matmul/matmul} tests/usb_talk tests/usb_echo_probe tests/test_usb_live; do
  programs+=("$build/$program")
done
if [ -e "$out" ] && [ -e "$unpacked" ] && [ -z "$(find "$here" "$kernel" /var/lib/dpkg/status "${programs[@]}" -newer "$out" -print -quit)" ]; then
  echo "$unpacked"
  exit
fi

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/{bin,sbin,lib,lib64,usr/lib,etc,proc,sys,dev,tmp,root,share,run}
cp "$(command -v busybox)" "$root/bin/busybox"
ln -s busybox "$root/bin/sh"
cp "$here/init" "$root/init"
chmod +x "$root/init"
echo 'root::0:0:root:/root:/bin/sh' >"$root/etc/passwd"

# Modules and their dependencies, from the kernel's modules.dep.
modules=(virtio_pci virtio_console 9pnet_virtio 9p vfio-pci vfio_iommu_type1 usbcore udc-core dummy_hcd libcomposite usb_f_fs)
for module in "${modules[@]}"; do
  modprobe --set-version "$release" --show-depends --ignore-install "$module" || missing "kernel $release has no module $module"
done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | sort -u >"$root/modules"
while read -r file; do
  mkdir -p "$root$(dirname "$file")"
  cp "$file" "$root$file"
done <"$root/modules"
cp /lib/modules/"$release"/modules.{builtin,builtin.modinfo,order} "$root/lib/modules/$release/"

# tests/guest/module, if the headers of that kernel are installed. It is kept in the build folder for the next run.
if [ -d "/lib/modules/$release/build" ]; then
  made=$build/guest/module-$release
  mkdir -p "$made"
  cp -ru "$here"/module/. "$made"
  source=$(cd "$here/../.." && pwd)
  if ! make -C "/lib/modules/$release/build" M="$made" TD_SOURCE_DIR="$source" modules >"$made/make.log" 2>&1; then
    cat "$made/make.log" >&2
    exit 1
  fi
  mkdir -p "$root/lib/modules/$release/extra"
  cp "$made/tendril_kmd.ko" "$root/lib/modules/$release/extra/"
fi
depmod -b "$root" "$release"

# The libraries of these programs, at the same paths as outside.
{ ldd "${programs[@]}" 2>/dev/null || true; } | sed -nE 's/^[^/]*(\/[^ ]+) \(0x.*/\1/p' | sort -u >"$root/libraries"
while read -r file; do
  mkdir -p "$root$(dirname "$file")"
  cp -L "$file" "$root$file"
done <"$root/libraries"
rm "$root/modules" "$root/libraries"

(cd "$root" && find . | cpio -o -H newc --quiet) >"$out.new"
touch -d "@$began" "$out.new" # what is built meanwhile is newer

# The kernel without its compression, which an emulated processor would take seconds to undo. If it is not compressed by
# xz, QEMU gets it as it is.
begin=$(LC_ALL=C grep -obUaP '\xfd7zXZ\x00' "$kernel" | head -n 1 | cut -d: -f1 || true)
if [ -z "$begin" ] || ! xz -dc --single-stream < <(tail -c "+$((begin + 1))" "$kernel") >"$unpacked" 2>/dev/null; then
  cp "$kernel" "$unpacked"
fi
mv "$out.new" "$out"
echo "$unpacked"
