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

for unit in user/tendril-capture system/tendril-agent@; do
  grep -q "^ExecStart=$prefix/bin/tendril " "$prefix/lib/systemd/$unit.service" || {
    echo "$unit starts a program of another folder"
    exit 1
  }
done
# What systemd says of the agent's rights, on a scale from 0 to 10; 9.6 is a service without restrictions.
if command -v systemd-analyze >/dev/null; then
  cp "$prefix/lib/systemd/system/tendril-agent@.service" "$work/tendril-agent@root.service"
  systemd-analyze verify --man=no "$work/tendril-agent@root.service"
  systemd-analyze security --offline=true --threshold=25 "$work/tendril-agent@root.service" | tail -1
else
  echo "skipped in part: systemd-analyze is missing"
fi

cp "$source/examples/hello/hello.c" "$source/examples/hello/kernel.c" "$work"
cd "$work"
cat >Makefile <<EOF
include $prefix/share/tendril/device/tendril.mk
\$(eval \$(call tendril_kernel,kernel,BRISC,kernel.c))
EOF
make -s # the kernel, though no target is named

# A kernel follows its headers, and options that are set after the include.
mkdir kernels
cat >kernels/Makefile <<EOF
include $prefix/share/tendril/device/tendril.mk
\$(eval \$(call tendril_kernel,dataflow,NCRISC,dataflow.cpp part.c))
TTMETAL = 1
ARGS = 3,4
EOF
echo 'static inline int value(void) { return 1; }' >kernels/value.h
cp kernels/value.h kernels/other.h
printf '#include "value.h"\nint part(void);\nint part(void) { return value(); }\n' >kernels/part.c
printf '#include "other.h"\nint main(void) { return value(); }\n' >kernels/other.c
echo 'void kernel_main() { noc_async_write_barrier(); static_assert(get_compile_time_arg_val(1) == 4); }' >kernels/dataflow.cpp
made() { # prints what make does
  make --no-print-directory -C kernels "$@"
}
made >/dev/null
made other.elf >/dev/null
if [ -z "$(made PROFILE=0 other.elf)" ]; then
  echo "a kernel does not follow the options of make"
  exit 1
fi
made other.elf >/dev/null
find kernels -type f -exec touch -d '-1 minute' {} +
touch kernels/part.c
if [ -z "$(made)" ]; then
  echo "make without a target no longer makes the kernels"
  exit 1
fi
for pair in value.h:dataflow.elf other.h:other.elf; do
  if made "${pair#*:}" | grep -q gcc; then
    echo "${pair#*:} is made again although nothing has changed"
    exit 1
  fi
  find kernels -type f -exec touch -d '-1 minute' {} +
  touch "kernels/${pair%:*}"
  if [ -z "$(made "${pair#*:}")" ]; then
    echo "${pair#*:} does not follow ${pair%:*}"
    exit 1
  fi
done

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
mkdir by-pkg-config by-cmake by-shared by-cmake-shared
# shellcheck disable=SC2046 # flags are words
cc -std=gnu11 -Wall -DTRACY_ENABLE hello.c -o by-pkg-config/hello $(pkg-config --cflags --libs tendril-client tendril-host)
# shellcheck disable=SC2046
cc -std=gnu11 -Wall -DTRACY_ENABLE hello.c -o by-shared/hello $(pkg-config --cflags --libs tendril-client-shared tendril-host)
cat >CMakeLists.txt <<'EOF'
cmake_minimum_required(VERSION 3.25)
project(outside C)
find_package(tendril REQUIRED COMPONENTS ${CLIENT} host)
add_executable(hello hello.c)
target_compile_definitions(hello PRIVATE _GNU_SOURCE TRACY_ENABLE)
target_link_libraries(hello PRIVATE tendril::${CLIENT} tendril::host)
EOF
for client in client client_shared; do
  how=by-cmake${client#client}
  cmake -S . -B "${how/_/-}" -DCMAKE_PREFIX_PATH="$prefix" -DCLIENT=$client >cmake.log
  cmake --build "${how/_/-}" >>cmake.log
done

# The shared library is where programs ask for it, with the version of its symbols; the archive leaves none to ask for.
for how in by-pkg-config by-cmake by-shared by-cmake-shared; do
  needs=$(readelf -d $how/hello | grep -c 'NEEDED.*libtendril-client.so.0' || true)
  versions=$(readelf -V $how/hello | grep -c 'TENDRIL_CLIENT_0' || true)
  case $how in
    *shared) [ "$needs" = 1 ] && [ "$versions" != 0 ] ;;
    *) [ "$needs" = 0 ] && [ "$versions" = 0 ] ;;
  esac || { echo "$how links $needs shared clients, $versions versions"; exit 1; }
done
export LD_LIBRARY_PATH=$prefix/lib

for how in by-pkg-config by-cmake by-shared by-cmake-shared; do
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
