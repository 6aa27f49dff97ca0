#!/usr/bin/env bash
# lib/tendril/tracy replaces a checkout of Tracy, or an installed Tracy. A C++ program and its library, both with markers,
# are built in each of the ways that projects use; `tendril capture` records the same of all.
set -eu
build=${TD_BINARY_DIR:?}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
cmake --install "$build" --prefix "$prefix" >"$work/install.log"
tracy=$(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --variable=tracy tendril-client)
cd "$work"

cat >library.cpp <<'EOS'
#include <tracy/Tracy.hpp>
void draw(int i)
{
    ZoneScopedN("draw");
    TracyPlot("i", std::min(i, 100)); // without <algorithm>, which Tracy.hpp brings along
}
EOS
cat >program.cpp <<'EOS'
#include <tracy/Tracy.hpp>
void draw(int);
int main()
{
    for (int i = 0; i < 10; i++) {
        ZoneScoped;
        draw(i);
        FrameMark;
    }
}
EOS
target='add_library(drawing library.cpp)
target_link_libraries(drawing PUBLIC Tracy::TracyClient)
add_executable(program program.cpp)
target_link_libraries(program PRIVATE drawing)
install(TARGETS drawing EXPORT drawing)
install(EXPORT drawing DESTINATION lib/cmake)'

# With on-demand builds, only events after the connection are recorded, so the program waits for its recorder.
check() {
  local how=$1 program=$2 port
  port=$(python3 "$(dirname "$0")/../ports.py")
  TENDRIL_WAIT_CONNECT_MS=30000 TRACY_PORT=$port "$program" &
  local pid=$!
  timeout 200 "$prefix/bin/tendril" capture -q -f -p "$port" -o "$how.tracy"
  wait "$pid"
  "$prefix/bin/tendril" csvexport "$how.tracy" >"$how.csv"
  for zone in draw main; do
    grep -q "^$zone,.*,10," "$how.csv" || {
      echo "$how: no ten zones $zone in:"
      cat "$how.csv"
      exit 1
    }
  done
  echo "$how: ok"
}

subdirectory() { # name, options
  local name=$1
  shift
  mkdir "$name"
  cp library.cpp program.cpp "$name"
  ln -s "$tracy" "$name/tracy"
  printf 'cmake_minimum_required(VERSION 3.13)\nproject(outside CXX)\nadd_subdirectory(tracy)\n%s\n' "$target" >"$name/CMakeLists.txt"
  cmake -S "$name" -B "$name/build" "$@" >"$name.log"
  cmake --build "$name/build" >>"$name.log"
  check "$name" "$name/build/program"
}
subdirectory static
subdirectory shared -DBUILD_SHARED_LIBS=ON
[ -z "${TD_THOROUGH:-}" ] || subdirectory static-in-shared -DBUILD_SHARED_LIBS=ON -DTRACY_STATIC=ON
subdirectory on-demand -DTRACY_ON_DEMAND=ON -DTRACY_FIBERS=ON -DTRACY_CALLSTACK=ON

mkdir fetched
cp library.cpp program.cpp fetched
cat >fetched/CMakeLists.txt <<EOS
cmake_minimum_required(VERSION 3.14)
project(outside CXX)
include(FetchContent)
FetchContent_Declare(tracy GIT_REPOSITORY https://example.invalid/tracy.git GIT_TAG v0.11.1)
FetchContent_MakeAvailable(tracy)
$target
EOS
cmake -S fetched -B fetched/build -DFETCHCONTENT_SOURCE_DIR_TRACY="$tracy" >fetched.log
cmake --build fetched/build >>fetched.log
check fetched fetched/build/program

mkdir package
cp library.cpp program.cpp package
printf 'cmake_minimum_required(VERSION 3.14)\nproject(outside CXX)\nfind_package(Tracy 0.11.1 REQUIRED)\n%s\n' "$target" >package/CMakeLists.txt
cmake -S package -B package/build -DCMAKE_PREFIX_PATH="$tracy" >package.log
cmake --build package/build >>package.log
check package package/build/program

export PKG_CONFIG_PATH=$tracy/lib/pkgconfig
# shellcheck disable=SC2046 # flags are words
c++ -Wall -Wextra -Werror program.cpp library.cpp -o by-pkg-config $(pkg-config --cflags --libs tracy)
check pkg-config ./by-pkg-config

c++ -DTRACY_ENABLE -DTRACY_ON_DEMAND -I"$tracy/public" program.cpp library.cpp "$tracy/public/TracyClient.cpp" -o by-source \
  -L"$tracy/lib" -ltendril-client -llz4 -lpthread
check by-source ./by-source

if command -v meson >meson.log; then
  mkdir -p meson/subprojects
  cp library.cpp program.cpp meson
  ln -s "$tracy" meson/subprojects/tracy
  cat >meson/meson.build <<'EOS'
project('outside', 'cpp')
tracy = dependency('tracy', fallback : 'tracy', default_options : ['on_demand=false', 'tracy_enable=true'])
executable('program', 'program.cpp', 'library.cpp', dependencies : tracy)
EOS
  env -u PKG_CONFIG_PATH meson setup meson/build meson >>meson.log
  ninja -C meson/build >>meson.log
  check meson meson/build/program
else
  echo "meson is not here: not tried"
fi
