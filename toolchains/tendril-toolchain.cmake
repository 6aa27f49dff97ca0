# CMake toolchain file for kernels outside of Tendril's tree:
#
#   cmake -S . -B build -DCMAKE_TOOLCHAIN_FILE=/usr/local/share/tendril/device/tendril-toolchain.cmake
#
# and in CMakeLists.txt one line a kernel, which makes NAME.elf:
#
#   tendril_add_kernel(NAME CORE SOURCE... [TINY] [STAMPED] [IN_L1] [NO_PROFILER] [BOARD board] [TTMETAL [ARGS n ...]])
#
# CORE is BRISC or another core of the board; BOARD is a name that `tendril boards` lists (default tensix_sim);
# TTMETAL: the kernel is written for tt-metal, whose build includes api/dataflow/dataflow_api.h; ARGS are its
# compile-time arguments.
# -DTENDRIL_BOARD_LD=folder takes the linker scripts of a board that is not installed.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR riscv32)
set(CMAKE_C_COMPILER riscv64-unknown-elf-gcc)
set(CMAKE_CXX_COMPILER riscv64-unknown-elf-g++)
set(CMAKE_ASM_COMPILER riscv64-unknown-elf-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

get_filename_component(TENDRIL_DEVICE "${CMAKE_CURRENT_LIST_DIR}" ABSOLUTE)
set(tendril_flags "-march=rv32im -mabi=ilp32 -ffixed-tp -ffunction-sections -fdata-sections -fno-asynchronous-unwind-tables -isystem ${TENDRIL_DEVICE}/newlib/include")
set(CMAKE_C_FLAGS_INIT "${tendril_flags}")
set(CMAKE_ASM_FLAGS_INIT "${tendril_flags}")
set(CMAKE_CXX_FLAGS_INIT "-fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-use-cxa-atexit -isystem ${TENDRIL_DEVICE}/include/cxx")
# The headers of libstdc++ that need no library: those of the host's compiler of the same version (libstdc++-N-dev).
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -dumpversion OUTPUT_VARIABLE tendril_version)
string(REGEX MATCH "^[0-9]+" tendril_version "${tendril_version}")
file(GLOB tendril_folders /usr/include/c++/${tendril_version} /usr/include/*-linux-gnu/c++/${tendril_version})
foreach(folder ${tendril_folders})
  string(APPEND CMAKE_CXX_FLAGS_INIT " -isystem ${folder}")
endforeach()
string(APPEND CMAKE_CXX_FLAGS_INIT " ${tendril_flags}")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

function(tendril_add_kernel name core)
  cmake_parse_arguments(A "TINY;STAMPED;IN_L1;NO_PROFILER;TTMETAL" "BOARD" "ARGS" ${ARGN})
  set(device "${TENDRIL_DEVICE}")
  set(scripts "${device}/ld")
  if(A_BOARD)
    set(scripts "${device}/ld/${A_BOARD}")
  endif()
  if(TENDRIL_BOARD_LD)
    set(scripts "${TENDRIL_BOARD_LD}")
  endif()
  add_executable(${name} ${A_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES SUFFIX .elf RULE_LAUNCH_LINK ${device}/link-kernel.sh)
  target_include_directories(${name} PRIVATE ${device}/include)
  # The names by which tt-metal's kernels ask for their core.
  string(REGEX REPLACE "^(TRISC)([0-9]+)$" "\\1=\\2" define "${core}")
  target_compile_definitions(${name} PRIVATE COMPILE_FOR_${define})
  if(A_TTMETAL)
    target_compile_options(${name} PRIVATE -DKERNEL_BUILD "SHELL:-include api/dataflow/dataflow_api.h")
    if(DEFINED A_ARGS)
      list(JOIN A_ARGS "," args)
      target_compile_definitions(${name} PRIVATE "KERNEL_COMPILE_TIME_ARGS=${args}")
      set(n 0)
      foreach(arg ${A_ARGS})
        target_compile_definitions(${name} PRIVATE KERNEL_COMPILE_TIME_ARG_${n}=${arg})
        math(EXPR n "${n} + 1")
      endforeach()
    endif()
  endif()
  set(runtime libtendril_rt_off.a)
  if(NOT A_NO_PROFILER)
    set(runtime libtendril_rt.a)
    target_compile_definitions(${name} PRIVATE TD_PROFILE $<$<BOOL:${A_TINY}>:TD_TINY>
                               $<$<BOOL:${A_STAMPED}>:TD_STAMPED>)
    if(A_STAMPED)
      target_link_options(${name} PRIVATE -Wl,--defsym,td_stamped=1)
    endif()
  endif()
  target_link_options(${name} PRIVATE -nostdlib -nostartfiles -Wl,--gc-sections -Wl,--build-id=sha1
                      -Wl,--no-warn-rwx-segments -L${device}/ld -L${device}/ld/$<IF:$<BOOL:${A_IN_L1}>,l1,local>
                      -T${scripts}/${core}.ld)
  target_link_libraries(${name} PRIVATE ${device}/lib/crt0.o -Wl,--start-group ${device}/lib/${runtime}
                        ${device}/newlib/lib/libc.a ${device}/newlib/lib/libm.a -lgcc -Wl,--end-group)
endfunction()
