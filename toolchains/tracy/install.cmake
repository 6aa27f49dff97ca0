# lib/tendril/tracy: a folder that replaces a checkout of Tracy, and a prefix that Tracy is installed in. Projects that build
# Tracy's client themselves get Tendril's without a change (docs/client.md). It needs nothing outside of it, so it may be copied.
set(TD_TRACY_API 0.14.0)
set(TD_TRACY_FOLDER ${CMAKE_INSTALL_LIBDIR}/tendril/tracy)

# Tracy's options that are yes or no; in meson they are called the same, without TRACY_ and in small letters.
set(switches
    ON_DEMAND NO_CALLSTACK NO_CALLSTACK_INLINES ONLY_LOCALHOST NO_BROADCAST ONLY_IPV4 NO_CODE_TRANSFER NO_CONTEXT_SWITCH NO_EXIT
    NO_SAMPLING NO_VERIFY NO_VSYNC_CAPTURE NO_FRAME_IMAGE NO_SYSTEM_TRACING PATCHABLE_NOPSLEDS DELAYED_INIT MANUAL_LIFETIME FIBERS
    NO_CRASH_HANDLER TIMER_FALLBACK DISALLOW_HW_TIMER LIBUNWIND_BACKTRACE SYMBOL_OFFLINE_RESOLVE LIBBACKTRACE_ELF_DYNLOAD_SUPPORT
    DEBUGINFOD IGNORE_MEMORY_FAULTS OPENGL_AUTO_CALIBRATION VERBOSE NO_INTERNAL_MESSAGE DEMANGLE)
set(TD_TRACY_SWITCHES)
set(TD_TRACY_MESON_NAMES)
set(meson_options "option('tracy_enable', type : 'boolean', value : true, yield : true)\noption('callstack', type : 'string', value : '')\n")
foreach(switch ${switches})
  string(TOLOWER ${switch} name)
  list(APPEND TD_TRACY_SWITCHES TRACY_${switch})
  list(APPEND TD_TRACY_MESON_NAMES "'${name}'")
  string(APPEND meson_options "option('${name}', type : 'boolean', value : false)\n")
endforeach()
list(JOIN TD_TRACY_SWITCHES " " TD_TRACY_SWITCHES)
list(JOIN TD_TRACY_MESON_NAMES ", " TD_TRACY_MESON_NAMES)

set(made ${CMAKE_BINARY_DIR}/tracy)
foreach(file CMakeLists.txt meson.build tracy.pc)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${file}.in ${made}/${file} @ONLY)
endforeach()
file(WRITE ${made}/meson_options.txt "${meson_options}")
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${made}/TracyConfigVersion.cmake VERSION ${TD_TRACY_API} COMPATIBILITY AnyNewerVersion)

install(FILES ${made}/CMakeLists.txt ${made}/meson.build ${made}/meson_options.txt DESTINATION ${TD_TRACY_FOLDER} COMPONENT client)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/host/client/include/ DESTINATION ${TD_TRACY_FOLDER}/public COMPONENT client)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/TracyClient.cpp DESTINATION ${TD_TRACY_FOLDER}/public COMPONENT client)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/TracyConfig.cmake ${made}/TracyConfigVersion.cmake DESTINATION ${TD_TRACY_FOLDER}/lib/cmake/Tracy COMPONENT client)
install(FILES ${made}/tracy.pc DESTINATION ${TD_TRACY_FOLDER}/lib/pkgconfig COMPONENT client)
install(TARGETS td_client ARCHIVE DESTINATION ${TD_TRACY_FOLDER}/lib COMPONENT client)
