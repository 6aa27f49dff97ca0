# CMake toolchain file for hosts of another processor with Debian's cross compilers:
#   cmake -B build-arm64 --toolchain toolchains/linux-cross.cmake -DTD_HOST=aarch64 [-DTD_SYSROOT=FOLDER]
# TD_HOST: aarch64 or riscv64. TD_SYSROOT: the other machine's files (toolchains/sysroot.sh makes such a folder);
# without it, the libraries are those of `dpkg --add-architecture`.
set(TD_HOST aarch64 CACHE STRING "Processor of the host")
set(TD_SYSROOT "" CACHE PATH "Files of the host")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TD_HOST TD_SYSROOT)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${TD_HOST})
set(CMAKE_LIBRARY_ARCHITECTURE ${TD_HOST}-linux-gnu)
set(CMAKE_C_COMPILER ${TD_HOST}-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER ${TD_HOST}-linux-gnu-g++)
if(TD_SYSROOT)
  set(CMAKE_SYSROOT ${TD_SYSROOT})
  set(CMAKE_FIND_ROOT_PATH ${TD_SYSROOT})
  # The compiler looks first for its own C library, which may be older than the one that these libraries need.
  foreach(kind EXE SHARED MODULE)
    set(CMAKE_${kind}_LINKER_FLAGS_INIT "-L${TD_SYSROOT}/usr/lib/${TD_HOST}-linux-gnu")
  endforeach()
endif()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# Programs that a build runs, and its tests, run in the emulator.
find_program(emulator NAMES qemu-${TD_HOST}-static qemu-${TD_HOST})
if(emulator AND TD_SYSROOT)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${emulator};-L;${TD_SYSROOT})
elseif(emulator)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${emulator};-L;/usr/${TD_HOST}-linux-gnu)
endif()
