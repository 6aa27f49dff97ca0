# find_package(Tracy) with this folder as prefix: Tracy::TracyClient is Tendril's client.
include(CMakeFindDependencyMacro)
find_dependency(Threads)

get_filename_component(TENDRIL_TRACY_DIR "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET Tracy::TracyClient)
  add_library(Tracy::TracyClient STATIC IMPORTED)
  set_target_properties(Tracy::TracyClient PROPERTIES
    IMPORTED_LOCATION "${TENDRIL_TRACY_DIR}/lib/libtendril-client.a"
    INTERFACE_INCLUDE_DIRECTORIES "${TENDRIL_TRACY_DIR}/public"
    INTERFACE_COMPILE_DEFINITIONS TRACY_ENABLE
    INTERFACE_LINK_LIBRARIES "Threads::Threads;lz4;m;${CMAKE_DL_LIBS}")
endif()
