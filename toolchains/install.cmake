# What `cmake --install` puts where, for host programs. (The device runtime installs itself, see target/CMakeLists.txt.)

# One archive a library, with all that it needs from this tree.
function(td_bundle name)
  cmake_parse_arguments(A "" "OUTPUT" "MODULES" ${ARGN})
  set(objects)
  foreach(module ${A_MODULES})
    list(APPEND objects $<TARGET_OBJECTS:${module}>)
  endforeach()
  add_library(${name} STATIC ${objects})
  set_target_properties(${name} PROPERTIES OUTPUT_NAME ${A_OUTPUT} LINKER_LANGUAGE C)
  install(TARGETS ${name} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  configure_file(${PROJECT_SOURCE_DIR}/toolchains/${A_OUTPUT}.pc.in ${CMAKE_BINARY_DIR}/${A_OUTPUT}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${A_OUTPUT}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

td_bundle(tendril_client OUTPUT tendril-client MODULES td_client td_wire td_base)
td_bundle(tendril_device OUTPUT tendril-device MODULES td_device td_transport td_base)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/host/client/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tendril-client)
foreach(header host/device/device.h host/device/board.h host/transport/transport.h host/base/err.h)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tendril-device/${folder})
endforeach()

file(RELATIVE_PATH TD_PREFIX_FROM_CMAKE ${CMAKE_INSTALL_FULL_LIBDIR}/cmake/tendril ${CMAKE_INSTALL_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/toolchains/tendrilConfig.cmake.in ${CMAKE_BINARY_DIR}/tendrilConfig.cmake @ONLY)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/tendrilConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/tendrilConfig.cmake ${CMAKE_BINARY_DIR}/tendrilConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tendril)

# Boards are data that tendril and tensix_sim look up.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/boards/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tendril/boards
        FILES_MATCHING PATTERN "*.board")
