# What `cmake --install` puts where, for host programs. (The device runtime installs itself, see target/CMakeLists.txt.)

# The client library is whole as it is built; the one for launching kernels is bundled from the folders it needs.
install(TARGETS td_client ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET td_malloc)
  install(TARGETS td_malloc td_malloc_shared ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
add_library(tendril_host STATIC $<TARGET_OBJECTS:td_device> $<TARGET_OBJECTS:td_transport>
            $<TARGET_OBJECTS:td_proto> $<TARGET_OBJECTS:td_base>)
set_target_properties(tendril_host PROPERTIES OUTPUT_NAME tendril-host LINKER_LANGUAGE C)
install(TARGETS tendril_host ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
file(RELATIVE_PATH TD_PREFIX_FROM_PKGCONFIG ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
foreach(package tendril-client tendril-malloc tendril-host)
  configure_file(${PROJECT_SOURCE_DIR}/toolchains/${package}.pc.in ${CMAKE_BINARY_DIR}/${package}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/host/client/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tendril-client)
foreach(header host/device/device.h host/device/kernel_env.h host/device/board/board.h host/transport/transport.h host/base/err.h host/base/export.h
        proto/probe/control.h)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tendril-host/${folder})
endforeach()

file(RELATIVE_PATH TD_PREFIX_FROM_CMAKE ${CMAKE_INSTALL_FULL_LIBDIR}/cmake/tendril ${CMAKE_INSTALL_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/toolchains/tendrilConfig.cmake.in ${CMAKE_BINARY_DIR}/tendrilConfig.cmake @ONLY)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/tendrilConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/tendrilConfig.cmake ${CMAKE_BINARY_DIR}/tendrilConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tendril)

include(${CMAKE_CURRENT_LIST_DIR}/tracy/install.cmake)

# Boards are data that tendril and tensix_sim look up.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/boards/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tendril/boards
        FILES_MATCHING PATTERN "*.board")

# `tendril capture --daemon` as a service of the user.
configure_file(${PROJECT_SOURCE_DIR}/toolchains/tendril-capture.service.in ${CMAKE_BINARY_DIR}/tendril-capture.service @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/tendril-capture.service DESTINATION lib/systemd/user)
