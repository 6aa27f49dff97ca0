# The target `manual`: these pages as HTML, in <build>/manual. Packages make and install it (TD_BUILD_MANUAL).
find_program(TD_CMARK cmark-gfm)
if(TD_BUILD_MANUAL AND NOT TD_CMARK)
  message(FATAL_ERROR "TD_BUILD_MANUAL needs cmark-gfm; Debian: apt-get install cmark-gfm")
endif()
if(NOT TD_CMARK)
  return()
endif()
if(TD_BUILD_MANUAL)
  set(always ALL)
  install(DIRECTORY ${CMAKE_BINARY_DIR}/manual/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tendril/html COMPONENT doc)
endif()
add_custom_target(manual ${always} VERBATIM COMMENT "Making the manual"
                  COMMAND ${CMAKE_COMMAND} -E rm -rf ${CMAKE_BINARY_DIR}/manual
                  COMMAND python3 ${CMAKE_CURRENT_LIST_DIR}/make_manual.py ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR}/manual ${TD_CMARK})
