# Kernels of the end-to-end tests, and the program that launches them.
add_executable(e2e_launch launch.c)
target_link_libraries(e2e_launch PRIVATE td_flags td_device)
set_target_properties(e2e_launch PROPERTIES OUTPUT_NAME launch RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/e2e)
add_executable(e2e_together together.c)
target_link_libraries(e2e_together PRIVATE td_flags td_device)
set_target_properties(e2e_together PROPERTIES OUTPUT_NAME together RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/e2e)

set(e2e_out ${CMAKE_BINARY_DIR}/tests/kernels)
set(e2e_flags -DTD_PROFILE -Werror -Wno-unused-parameter)

# An object compiled in its source's folder, by the file's bare name.
function(td_e2e_object object compiler folder file)
  add_custom_command(OUTPUT ${object}
    COMMAND ${compiler} ${TD_DEVICE_FLAGS} ${e2e_flags} ${ARGN} -c ${file} -o ${object}
    WORKING_DIRECTORY ${folder}
    DEPENDS ${folder}/${file} ${CMAKE_CURRENT_SOURCE_DIR}/kernels/shared.hpp ${TD_NEWLIB_CACHE}/stamp
            ${PROJECT_SOURCE_DIR}/target/include/tendril/site.h ${PROJECT_SOURCE_DIR}/target/include/tendril/zone.h
            ${PROJECT_SOURCE_DIR}/target/include/tendril/markers.h
    COMMENT "Cross-compiling ${file} in ${folder}" VERBATIM)
endfunction()

function(td_e2e_same_base kind)
  set(to ${CMAKE_BINARY_DIR}/kernels.obj/e2e_same_base_${kind}.parts)
  file(MAKE_DIRECTORY ${to})
  set(here ${CMAKE_CURRENT_SOURCE_DIR}/kernels)
  td_e2e_object(${to}/left.o ${TD_RISCV_GCC} ${here}/left part.c ${ARGN})
  td_e2e_object(${to}/right.o ${TD_RISCV_GCC} ${here}/right part.c ${ARGN})
  set(cxx ${TD_DEVICE_CXX_FLAGS} ${ARGN})
  td_e2e_object(${to}/first.o ${TD_RISCV_GXX} ${here} again.cpp ${cxx} -DFUNCTION=first_time "-DNAME=\"first time\"" -DOTHERS=1)
  td_e2e_object(${to}/second.o ${TD_RISCV_GXX} ${here} again.cpp ${cxx} -DFUNCTION=second_time "-DNAME=\"second time\"" -DOTHERS=1)
  set(parts ${to}/left.o ${to}/right.o ${to}/first.o ${to}/second.o)
  if(kind STREQUAL relocatable)
    add_custom_command(OUTPUT ${to}/all.o
      COMMAND ${TD_RISCV_GCC} ${TD_DEVICE_ARCH} -nostdlib -r ${parts} -o ${to}/all.o
      DEPENDS ${parts} COMMENT "Joining the parts of e2e_same_base_${kind}" VERBATIM)
    set(parts ${to}/all.o)
  endif()
  td_add_kernel(e2e_same_base_${kind} CORE BRISC PROFILER OUTPUT_DIR ${e2e_out} SOURCES kernels/same_base.c OBJECTS ${parts} FLAGS ${ARGN})
endfunction()
td_e2e_same_base(plain)
td_e2e_same_base(lto -flto -O2)
td_e2e_same_base(lto_whole -flto -flto-partition=none -O3)
td_e2e_same_base(relocatable)

td_add_kernel(e2e_makes CORE BRISC PROFILER OUTPUT_DIR ${e2e_out} SOURCES kernels/hand_over.c FLAGS -DPRODUCES)
td_add_kernel(e2e_takes CORE NCRISC PROFILER OUTPUT_DIR ${e2e_out} SOURCES kernels/hand_over.c)
td_add_kernel(e2e_wild_store CORE BRISC PROFILER OUTPUT_DIR ${e2e_out} SOURCES kernels/wild_store.c
              FLAGS -I${PROJECT_SOURCE_DIR})
td_add_kernel(e2e_crossing CORE BRISC PROFILER OUTPUT_DIR ${e2e_out} SOURCES kernels/crossing.c)
td_add_kernel(e2e_open CORE BRISC PROFILER OUTPUT_DIR ${e2e_out} SOURCES kernels/open.c)
td_add_kernel(e2e_open_tiny CORE BRISC PROFILER TINY OUTPUT_DIR ${e2e_out} SOURCES kernels/open.c)
td_add_kernel(e2e_deep CORE BRISC PROFILER OUTPUT_DIR ${e2e_out} SOURCES kernels/deep.c)
td_add_kernel(e2e_crowd CORE BRISC PROFILER OUTPUT_DIR ${e2e_out} SOURCES kernels/crowd.c)

# Loops whose cost is known: with all zones, with the outer ones, without markers.
td_add_kernel(e2e_loops CORE BRISC PROFILER OUTPUT_DIR ${e2e_out} SOURCES kernels/loops.c)
td_add_kernel(e2e_loops_tiny CORE BRISC PROFILER TINY OUTPUT_DIR ${e2e_out} SOURCES kernels/loops.c)
td_add_kernel(e2e_loops_outer CORE BRISC PROFILER OUTPUT_DIR ${e2e_out} SOURCES kernels/loops.c FLAGS -DLOOPS_OUTER)
td_add_kernel(e2e_loops_off CORE BRISC NO_PROFILER OUTPUT_DIR ${e2e_out} SOURCES kernels/loops.c)

# Sampled cores: a kernel without markers, and the program that runs it on all cores.
add_executable(e2e_hot hot.c)
target_link_libraries(e2e_hot PRIVATE td_flags td_device)
set_target_properties(e2e_hot PROPERTIES OUTPUT_NAME hot RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/e2e)
foreach(core BRISC NCRISC TRISC0 TRISC1 TRISC2)
  td_add_kernel(hot.${core} CORE ${core} NO_PROFILER SOURCES kernels/hot.c OUTPUT_DIR ${CMAKE_BINARY_DIR}/tests/hot_kernels
                FLAGS -I${PROJECT_SOURCE_DIR})
  add_dependencies(e2e_hot hot.${core})
endforeach()
# Tiles that wait for each other, and a program that has a look at them.
td_add_kernel(e2e_ring CORE BRISC PROFILER OUTPUT_DIR ${e2e_out} SOURCES kernels/ring.c)
add_executable(e2e_ring_program ring.c)
target_link_libraries(e2e_ring_program PRIVATE td_flags td_device)
set_target_properties(e2e_ring_program PROPERTIES OUTPUT_NAME ring RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/e2e)

td_add_kernel(e2e_noc_events CORE BRISC TTMETAL FLAGS -DPROFILE_NOC_EVENTS OUTPUT_DIR ${e2e_out}
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/kernels/noc_events.cpp)
# Tiles that move data between DRAM and each other, with events of it.
td_add_kernel(e2e_traffic CORE BRISC TTMETAL FLAGS -DPROFILE_NOC_EVENTS OUTPUT_DIR ${e2e_out}
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/kernels/traffic.cpp)
add_executable(e2e_traffic_program traffic.c)
target_link_libraries(e2e_traffic_program PRIVATE td_flags td_device)
set_target_properties(e2e_traffic_program PROPERTIES OUTPUT_NAME traffic RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/e2e)
td_add_kernel(e2e_counters CORE TRISC1 TTMETAL FLAGS -DPROFILE_PERF_COUNTERS=1 OUTPUT_DIR ${e2e_out}
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/kernels/counters.cpp)
td_add_kernel(e2e_dispatch CORE NCRISC TTMETAL OUTPUT_DIR ${e2e_out}
              SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/kernels/dispatch.cpp)

# Zones by the software and by the hardware timestamper.
foreach(core BRISC TRISC1)
  td_add_kernel(e2e_stamps_${core} CORE ${core} PROFILER OUTPUT_DIR ${e2e_out} SOURCES kernels/stamps.c)
  td_add_kernel(e2e_stamps_stamped_${core} CORE ${core} PROFILER STAMPED OUTPUT_DIR ${e2e_out} SOURCES kernels/stamps.c)
endforeach()
td_add_kernel(e2e_stamps_flood CORE BRISC PROFILER STAMPED OUTPUT_DIR ${e2e_out} SOURCES kernels/flood.c)
td_add_kernel(e2e_open_stamped CORE BRISC PROFILER STAMPED IN_L1 OUTPUT_DIR ${e2e_out} SOURCES kernels/open.c)
