# libsinew. A source file belongs to the library by lying in its folder; nothing is registered twice.
find_package(EXPAT REQUIRED)

file(GLOB SINEW_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/*.c)
if(SINEW_YAML)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(sinew_libyaml REQUIRED IMPORTED_TARGET yaml-0.1)
else()
  list(REMOVE_ITEM SINEW_SOURCES ${PROJECT_SOURCE_DIR}/src/model/props_yaml.c)
endif()

if(SINEW_JSON)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(sinew_jansson REQUIRED IMPORTED_TARGET jansson)
else()
  list(REMOVE_ITEM SINEW_SOURCES ${PROJECT_SOURCE_DIR}/src/msg/msg_json.c)
endif()

add_library(sinew ${SINEW_SOURCES})
add_library(sinew::sinew ALIAS sinew)
target_include_directories(sinew
  PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(sinew
  PRIVATE $<BUILD_INTERFACE:sinew_flags> EXPAT::EXPAT $<$<BOOL:${SINEW_YAML}>:PkgConfig::sinew_libyaml>
          $<$<BOOL:${SINEW_JSON}>:PkgConfig::sinew_jansson> ${CMAKE_DL_LIBS}
  PUBLIC m)
include(cmake/embed.cmake)
sinew_embed(sinew sn__standard_deployment_text ${PROJECT_SOURCE_DIR}/deployments/standard.yaml)
target_compile_definitions(sinew PRIVATE SINEW_YAML=$<BOOL:${SINEW_YAML}> SINEW_JSON=$<BOOL:${SINEW_JSON}>)
set_target_properties(sinew PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0)
