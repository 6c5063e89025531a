# libsinew_bridges: what stands between a running system and the world, with the libraries that it takes.
# The program links it; libsinew stays free of all that.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)

set(SINEW_BRIDGE_SOURCES)
if(NOT SINEW_COCKPIT)
  list(REMOVE_ITEM SINEW_BRIDGE_ROOMS foxglove)
endif()
foreach(room IN LISTS SINEW_BRIDGE_ROOMS)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.c)
  list(APPEND SINEW_BRIDGE_SOURCES ${sources})
endforeach()
add_library(sinew_bridges STATIC ${SINEW_BRIDGE_SOURCES})
target_include_directories(sinew_bridges PUBLIC ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(sinew_bridges PUBLIC sinew PkgConfig::JANSSON Threads::Threads PRIVATE sinew_flags EXPAT::EXPAT)
target_compile_definitions(sinew_bridges PRIVATE
  SINEW_COCKPIT=$<BOOL:${SINEW_COCKPIT}> SINEW_VERSION="${PROJECT_VERSION}")
if(SINEW_COCKPIT)
  pkg_check_modules(LIBWEBSOCKETS REQUIRED IMPORTED_TARGET libwebsockets)
  target_link_libraries(sinew_bridges PRIVATE PkgConfig::LIBWEBSOCKETS)
  include(cmake/web.cmake)
endif()
