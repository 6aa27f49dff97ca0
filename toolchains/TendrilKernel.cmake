# Kernels inside this tree, by custom commands: the tree's own compiler is the host's.
#
#   td_add_kernel(NAME CORE BRISC SOURCES a.c b.cpp ... [TINY] [STAMPED] [IN_L1] [PROFILER | NO_PROFILER] [OUTPUT_DIR dir] [FLAGS ...] [BOARD board | LD_FOLDER dir] [NAME file]
#                 [OBJECTS a.o ...] [TTMETAL [ARGS n ...]])
#
# makes the target NAME and the image OUTPUT_DIR/FILE.elf (default <build>/kernels/NAME.elf); its path is in the target's property TD_ELF.
# BOARD is the name of a board of this tree (default tensix_sim), LD_FOLDER a folder made by td_linker_scripts().
# STAMPED: zones go to the tile's hardware timestamper, if the board has one. IN_L1: the kernel's data and stack are in L1.
# TTMETAL: the kernel is written for tt-metal, whose build includes api/dataflow/dataflow_api.h; ARGS are its compile-time arguments.
# Markers are in when TD_ENABLE_PROFILER or ENABLE_TRACY is on; PROFILER and NO_PROFILER say so for this kernel. OBJECTS are linked, too.
#
#   td_device_compile(OBJECTS_VARIABLE FOLDER dir SOURCES ... FLAGS ...)     objects, one a source

find_program(TD_RISCV_GCC riscv64-unknown-elf-gcc)
find_program(TD_RISCV_GXX riscv64-unknown-elf-g++)
find_program(TD_RISCV_AR riscv64-unknown-elf-ar)
find_program(TD_RISCV_STRIP riscv64-unknown-elf-strip)
if(NOT TD_RISCV_GCC OR NOT TD_RISCV_GXX)
  message(FATAL_ERROR "no riscv64-unknown-elf-gcc: apt-get install gcc-riscv64-unknown-elf, or configure with -DTD_BUILD_DEVICE=OFF")
endif()

if(DEFINED ENV{TD_CACHE_DIR} AND NOT "$ENV{TD_CACHE_DIR}" STREQUAL "")
  set(TD_NEWLIB_CACHE "$ENV{TD_CACHE_DIR}/newlib" CACHE PATH "Where newlib is built, once")
else()
  set(TD_NEWLIB_CACHE "${CMAKE_BINARY_DIR}/newlib" CACHE PATH "Where newlib is built, once")
endif()
set(TD_NEWLIB ${TD_NEWLIB_CACHE}/newlib)

set(TD_DEVICE_ARCH -march=rv32im -mabi=ilp32 -ffixed-tp)
set(TD_DEVICE_FLAGS ${TD_DEVICE_ARCH} -O2 -g -Wall -Wextra -ffunction-sections -fdata-sections
    -fno-asynchronous-unwind-tables -fno-unwind-tables
    -ffile-prefix-map=${PROJECT_SOURCE_DIR}/= -ffile-prefix-map=${CMAKE_BINARY_DIR}/= -ffile-prefix-map=${TD_NEWLIB_CACHE}/=
    -I${PROJECT_SOURCE_DIR}/target/include -I${PROJECT_SOURCE_DIR} -isystem ${TD_NEWLIB}/include
    -include riscv/fence.h)
set(TD_DEVICE_C_FLAGS -std=gnu11)
set(TD_DEVICE_CXX_FLAGS -std=gnu++17 -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-use-cxa-atexit
    -isystem ${PROJECT_SOURCE_DIR}/target/include/cxx)
# The headers of libstdc++ that need no library: those of the host's compiler of the same version (libstdc++-N-dev).
execute_process(COMMAND ${TD_RISCV_GXX} -dumpversion OUTPUT_VARIABLE TD_RISCV_VERSION OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REGEX MATCH "^[0-9]+" TD_RISCV_VERSION "${TD_RISCV_VERSION}")
file(GLOB TD_LIBSTDCXX /usr/include/c++/${TD_RISCV_VERSION} /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/c++/${TD_RISCV_VERSION})
foreach(folder ${TD_LIBSTDCXX})
  list(APPEND TD_DEVICE_CXX_FLAGS -isystem ${folder})
endforeach()
set(TD_DEVICE_LINK_FLAGS -nostdlib -nostartfiles -Wl,--gc-sections -Wl,--build-id=sha1 -Wl,--no-warn-rwx-segments)
set(TD_DEVICE_LIB ${CMAKE_BINARY_DIR}/lib/device)
set(TD_LD_FOLDER ${CMAKE_BINARY_DIR}/ld)

function(td_device_compile result)
  cmake_parse_arguments(A "" "FOLDER" "SOURCES;FLAGS" ${ARGN})
  file(MAKE_DIRECTORY ${A_FOLDER})
  set(objects "")
  foreach(source ${A_SOURCES})
    get_filename_component(path ${source} ABSOLUTE)
    get_filename_component(file ${source} NAME)
    set(object ${A_FOLDER}/${file}.o)
    if(object IN_LIST objects) # another folder's source of this name
      string(MD5 path_hash ${path})
      set(object ${A_FOLDER}/${path_hash}.${file}.o)
    endif()
    set(last "")
    if(file MATCHES "\\.(cpp|cc|cxx)$")
      set(compiler ${TD_RISCV_GXX} ${TD_DEVICE_CXX_FLAGS})
    elseif(file MATCHES "\\.c$")
      set(compiler ${TD_RISCV_GCC} ${TD_DEVICE_C_FLAGS})
    else()
      set(compiler ${TD_RISCV_GCC})
      set(last -g0) # the assembler keeps no prefix map for its line tables
    endif()
    add_custom_command(OUTPUT ${object}
      COMMAND ${compiler} ${TD_DEVICE_FLAGS} ${A_FLAGS} ${last} -MMD -MF ${object}.d -MT ${object} -c ${path} -o ${object}
      DEPENDS ${path} ${TD_NEWLIB_CACHE}/stamp DEPFILE ${object}.d
      COMMENT "Cross-compiling ${file}" VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set(${result} ${objects} PARENT_SCOPE)
endfunction()

function(td_add_kernel name)
  cmake_parse_arguments(A "TINY;STAMPED;IN_L1;PROFILER;NO_PROFILER;TTMETAL" "CORE;OUTPUT_DIR;BOARD;LD_FOLDER;NAME" "SOURCES;FLAGS;OBJECTS;ARGS" ${ARGN})
  if(NOT A_OUTPUT_DIR)
    set(A_OUTPUT_DIR ${CMAKE_BINARY_DIR}/kernels)
  endif()
  if(A_BOARD)
    set(A_LD_FOLDER ${TD_LD_FOLDER}/${A_BOARD})
  elseif(NOT A_LD_FOLDER)
    set(A_LD_FOLDER ${TD_LD_FOLDER})
  endif()
  # What only markers use is unused without them.
  # COMPILE_FOR_...: the names by which tt-metal's kernels ask for their core.
  string(REGEX REPLACE "^(TRISC)([0-9]+)$" "\\1=\\2" define "${A_CORE}")
  set(flags -Werror -Wno-unused-parameter -Wno-unused-variable -Wno-unused-but-set-variable -DCOMPILE_FOR_${define}
      ${A_FLAGS})
  if(A_TTMETAL)
    list(APPEND flags -DKERNEL_BUILD -include api/dataflow/dataflow_api.h)
    if(DEFINED A_ARGS)
      list(JOIN A_ARGS "," args)
      list(APPEND flags -DKERNEL_COMPILE_TIME_ARGS=${args})
      set(n 0)
      foreach(arg ${A_ARGS})
        list(APPEND flags -DKERNEL_COMPILE_TIME_ARG_${n}=${arg})
        math(EXPR n "${n} + 1")
      endforeach()
    endif()
  endif()
  set(link -L${PROJECT_SOURCE_DIR}/ld/local)
  if(A_IN_L1)
    set(link -L${PROJECT_SOURCE_DIR}/ld/l1)
  endif()
  set(runtime ${TD_DEVICE_LIB}/libtendril_rt_off.a)
  if((TD_ENABLE_PROFILER OR ENABLE_TRACY OR A_PROFILER) AND NOT A_NO_PROFILER)
    list(APPEND flags -DTD_PROFILE)
    set(runtime ${TD_DEVICE_LIB}/libtendril_rt.a)
    if(A_TINY)
      list(APPEND flags -DTD_TINY)
    endif()
    if(A_STAMPED)
      list(APPEND flags -DTD_STAMPED)
      list(APPEND link -Wl,--defsym,td_stamped=1)
    endif()
  endif()
  td_device_compile(objects FOLDER ${CMAKE_BINARY_DIR}/kernels.obj/${name} SOURCES ${A_SOURCES} FLAGS ${flags})
  list(APPEND objects ${A_OBJECTS})
  if(NOT A_NAME)
    set(A_NAME ${name})
  endif()
  set(elf ${A_OUTPUT_DIR}/${A_NAME}.elf)
  file(MAKE_DIRECTORY ${A_OUTPUT_DIR})
  add_custom_command(OUTPUT ${elf}
    COMMAND ${CMAKE_COMMAND} -E env TENDRIL=${CMAKE_BINARY_DIR}/bin/tendril ${PROJECT_SOURCE_DIR}/toolchains/link-kernel.sh
            ${TD_RISCV_GCC} ${TD_DEVICE_ARCH} ${TD_DEVICE_LINK_FLAGS} -L${PROJECT_SOURCE_DIR}/ld ${link}
            -T${A_LD_FOLDER}/${A_CORE}.ld ${TD_DEVICE_LIB}/crt0.o ${objects} ${A_FLAGS}
            -Wl,--start-group ${runtime} ${TD_NEWLIB}/lib/libc.a ${TD_NEWLIB}/lib/libm.a -lgcc -Wl,--end-group -o ${elf}
    DEPENDS ${objects} ${runtime} ${TD_DEVICE_LIB}/crt0.o ${A_LD_FOLDER}/scripts ${PROJECT_SOURCE_DIR}/ld/kernel.ld
            ${PROJECT_SOURCE_DIR}/ld/local/stack.ld ${PROJECT_SOURCE_DIR}/ld/l1/stack.ld
    COMMENT "Linking ${name}.elf for ${A_CORE}" VERBATIM)
  add_custom_target(${name} ALL DEPENDS ${elf})
  add_dependencies(${name} td_runtime td_ld)
  set_target_properties(${name} PROPERTIES TD_ELF ${elf})
endfunction()
