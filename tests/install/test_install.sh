#!/usr/bin/env bash
# With only an installed prefix: builds a kernel with one line of make, and host programs with pkg-config and with CMake,
# then records them with the installed tools.
set -eu
build=${TD_BINARY_DIR:?}
source=${TD_SOURCE_DIR:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
cmake --install "$build" --prefix "$prefix" >"$work/install.log"

# Man pages and completion are where man and the shells look.
for command in $("$prefix/bin/tendril" commands); do
  [ -s "$prefix/share/man/man1/tendril-$command.1" ] || {
    echo "no man page of $command"
    exit 1
  }
done
for file in man/man1/tendril.1 bash-completion/completions/tendril zsh/site-functions/_tendril fish/vendor_completions.d/tendril.fish; do
  [ -s "$prefix/share/$file" ] || {
    echo "share/$file is not installed"
    exit 1
  }
done

cp "$source/examples/hello/hello.c" "$source/examples/hello/kernel.c" "$work"
cd "$work"
cat >Makefile <<EOF
include $prefix/share/tendril/device/tendril.mk
\$(eval \$(call tendril_kernel,kernel,BRISC,kernel.c))
EOF
make -s kernel.elf

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
mkdir by-pkg-config by-cmake
# shellcheck disable=SC2046 # flags are words
cc -std=gnu11 -Wall -DTRACY_ENABLE hello.c -o by-pkg-config/hello $(pkg-config --cflags --libs tendril-client tendril-host)
cat >CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.25)
project(outside C)
find_package(tendril REQUIRED)
add_executable(hello hello.c)
target_compile_definitions(hello PRIVATE _GNU_SOURCE TRACY_ENABLE)
target_link_libraries(hello PRIVATE tendril::client tendril::host)
EOF
cmake -S . -B by-cmake -DCMAKE_PREFIX_PATH="$prefix" >cmake.log
cmake --build by-cmake >>cmake.log

for how in by-pkg-config by-cmake; do
  cp kernel.elf "$how"
  TENDRIL_BOARDS='' "$prefix/bin/tendril" record -q -o "$how.tracy" -- "$how/hello"
  "$prefix/bin/tendril" csvexport "$how.tracy" >"$how.csv"
  grep -q '^hello,.*,10,' "$how.csv" || {
    echo "$how: no ten zones of the kernel in:"
    cat "$how.csv"
    exit 1
  }
  grep -q '^BRISC-KERNEL,' "$how.csv"
  echo "$how: $(wc -l <"$how.csv") kinds of zones"
done
