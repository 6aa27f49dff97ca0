# What `cmake --install` puts where, for host programs. (The device runtime installs itself, see target/CMakeLists.txt.)

# The client library is whole as it is built; the one for launching kernels is bundled from the folders it needs.
install(TARGETS td_client ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT client)
if(TARGET td_malloc)
  install(TARGETS td_client_shared td_malloc td_malloc_shared ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT client
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT client)
endif()
set(packages client client-shared malloc)
if(NOT TD_CLIENT_ONLY)
  list(APPEND packages host)
  add_library(tendril_host STATIC $<TARGET_OBJECTS:td_device> $<TARGET_OBJECTS:td_transport>
              $<TARGET_OBJECTS:td_proto> $<TARGET_OBJECTS:td_base>)
  set_target_properties(tendril_host PROPERTIES OUTPUT_NAME tendril-host LINKER_LANGUAGE C)
  install(TARGETS tendril_host ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT host)
  foreach(header host/device/device.h host/device/kernel_env.h host/device/board/board.h host/transport/transport.h host/base/err.h host/base/export.h
          proto/probe/control.h)
    get_filename_component(folder ${header} DIRECTORY)
    install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tendril-host/${folder} COMPONENT host)
  endforeach()
endif()
file(RELATIVE_PATH TD_PREFIX_FROM_PKGCONFIG ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
foreach(package ${packages})
  configure_file(${PROJECT_SOURCE_DIR}/toolchains/tendril-${package}.pc.in ${CMAKE_BINARY_DIR}/tendril-${package}.pc @ONLY)
  string(REGEX REPLACE "malloc|client-shared" client component ${package})
  install(FILES ${CMAKE_BINARY_DIR}/tendril-${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${component})
endforeach()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/host/client/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tendril-client COMPONENT client)

file(RELATIVE_PATH TD_PREFIX_FROM_CMAKE ${CMAKE_INSTALL_FULL_LIBDIR}/cmake/tendril ${CMAKE_INSTALL_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/toolchains/tendrilConfig.cmake.in ${CMAKE_BINARY_DIR}/tendrilConfig.cmake @ONLY)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/tendrilConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/tendrilConfig.cmake ${CMAKE_BINARY_DIR}/tendrilConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tendril COMPONENT client)

include(${CMAKE_CURRENT_LIST_DIR}/tracy/install.cmake)
if(TD_CLIENT_ONLY)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tendril COMPONENT client)
  return()
endif()

# Boards are data that tendril and tensix_sim look up.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/boards/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tendril/boards
        FILES_MATCHING PATTERN "*.board")

# The viewer in a desktop's menu, and as the program for *.tracy.
if(TD_BUILD_VIEWER)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/desktop/tendril.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/desktop/tendril.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
endif()
install(FILES ${CMAKE_CURRENT_LIST_DIR}/desktop/tendril.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages)

# Pages and examples, in the folders that links between them expect. Every component has the licence.
set(doc ${CMAKE_INSTALL_DATADIR}/doc/tendril)
install(FILES README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md DESTINATION ${doc} COMPONENT doc)
install(DIRECTORY docs examples DESTINATION ${doc} COMPONENT doc)
include(${CMAKE_CURRENT_LIST_DIR}/manual/manual.cmake)
foreach(component tools client host device python doc)
  install(FILES LICENSE DESTINATION ${doc} COMPONENT ${component})
endforeach()

# `tendril capture --daemon` as a service of the user, `tendril agent` as one of the machine.
foreach(service user/tendril-capture system/tendril-agent@)
  cmake_path(GET service FILENAME name)
  install(CODE "set(bin \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
    set(unit \"\${CMAKE_INSTALL_PREFIX}/lib/systemd/${service}.service\")
    configure_file(\"${PROJECT_SOURCE_DIR}/toolchains/${name}.service.in\" \"\$ENV{DESTDIR}\${unit}\" @ONLY)
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"\${unit}\")" COMPONENT tools)
endforeach()

# Removes what the last installation from this folder installed; DESTDIR is honoured.
add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -P ${CMAKE_CURRENT_LIST_DIR}/uninstall.cmake
                  WORKING_DIRECTORY ${CMAKE_BINARY_DIR} VERBATIM)

# `cpack` in the build folder makes an archive of all components.
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_VENDOR Tendril)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Profiler for programs and for the cores of accelerators")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
include(CPack)
