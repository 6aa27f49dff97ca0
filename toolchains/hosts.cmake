# The hosts that Tendril runs on: 64-bit little-endian Linux. What includes this is refused elsewhere, in one line.
cmake_policy(VERSION 3.25) # for `cmake -P`
function(td_check_host)
  set(hosts x86_64 AMD64 aarch64 arm64 riscv64)
  if(NOT CMAKE_SYSTEM_NAME STREQUAL Linux)
    set(why "${CMAKE_SYSTEM_NAME} is not supported")
  elseif(CMAKE_C_BYTE_ORDER STREQUAL BIG_ENDIAN)
    set(why "${CMAKE_SYSTEM_PROCESSOR} in big-endian order is not supported")
  elseif(NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
    set(why "a host with addresses of ${CMAKE_SIZEOF_VOID_P} bytes is not supported")
  elseif(NOT CMAKE_SYSTEM_PROCESSOR IN_LIST hosts)
    set(why "${CMAKE_SYSTEM_PROCESSOR} is not supported")
  else()
    return()
  endif()
  message(FATAL_ERROR "${why}: Tendril runs on Linux on x86-64, AArch64 and 64-bit RISC-V.")
endfunction()
td_check_host()

# Another machine's libraries are described by its own .pc files, never by those of the machine that builds. A sysroot
# has its own; else Debian's packages of that architecture have them, or PKG_CONFIG_LIBDIR names them.
if(CMAKE_CROSSCOMPILING AND NOT DEFINED ENV{PKG_CONFIG_LIBDIR})
  set(ENV{PKG_CONFIG_LIBDIR} "${CMAKE_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig")
  set(ENV{PKG_CONFIG_SYSROOT_DIR} "${CMAKE_SYSROOT}")
endif()
