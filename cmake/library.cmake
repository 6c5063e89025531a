# libsinew. A source file belongs to the library by lying in its folder; nothing is registered twice.
find_package(EXPAT REQUIRED)

file(GLOB_RECURSE SINEW_SOURCES RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.c)
# The folders of the bridges are a library of their own (bridges.cmake).
set(SINEW_BRIDGE_FOLDERS remote foxglove ros)
list(JOIN SINEW_BRIDGE_FOLDERS "|" bridge_folders)
list(FILTER SINEW_SOURCES EXCLUDE REGEX "^src/(${bridge_folders})/")
if(SINEW_YAML)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(sinew_libyaml REQUIRED IMPORTED_TARGET yaml-0.1)
else()
  list(REMOVE_ITEM SINEW_SOURCES src/files/value_yaml.c)
endif()

if(SINEW_JSON)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(sinew_jansson REQUIRED IMPORTED_TARGET jansson)
else()
  list(REMOVE_ITEM SINEW_SOURCES src/msg/wire/msg_json.c src/msg/wire/json_value.c src/files/value_json.c)
endif()

if(SINEW_COMPRESSION)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(sinew_zstd REQUIRED IMPORTED_TARGET libzstd)
  pkg_check_modules(sinew_lz4 REQUIRED IMPORTED_TARGET liblz4)
  list(REMOVE_ITEM SINEW_SOURCES src/record/coding/mcap_codec_missing.c)
else()
  list(REMOVE_ITEM SINEW_SOURCES src/record/coding/mcap_codec.c)
endif()

# MuJoCo is opened by name when a deployment asks for it: nothing is linked.
if(SINEW_MUJOCO)
  find_library(MUJOCO_LIBRARY mujoco)
  find_path(MUJOCO_INCLUDE_DIR mujoco/mujoco.h)
endif()
if(SINEW_MUJOCO AND MUJOCO_LIBRARY AND MUJOCO_INCLUDE_DIR)
  set(SINEW_HAS_MUJOCO ON)
  file(REAL_PATH ${MUJOCO_LIBRARY} mujoco_file)
  get_filename_component(mujoco_name ${mujoco_file} NAME)
  list(REMOVE_ITEM SINEW_SOURCES src/plant/mujoco/mujoco_missing.c)
  set_source_files_properties(src/plant/mujoco/mujoco_library.c PROPERTIES
    COMPILE_DEFINITIONS "SINEW_MUJOCO_LIBRARY=\"${mujoco_name}\"")
else()
  set(SINEW_HAS_MUJOCO OFF)
  list(REMOVE_ITEM SINEW_SOURCES src/plant/mujoco/mujoco_library.c src/plant/mujoco/mujoco_ground.c
    src/plant/mujoco/mujoco_physics.c)
endif()

add_library(sinew ${SINEW_SOURCES})
add_library(sinew::sinew ALIAS sinew)
target_include_directories(sinew
  PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  PRIVATE ${PROJECT_SOURCE_DIR}/src)
if(SINEW_HAS_MUJOCO)
  target_include_directories(sinew SYSTEM PRIVATE ${MUJOCO_INCLUDE_DIR})
endif()
target_link_libraries(sinew
  PRIVATE $<BUILD_INTERFACE:sinew_flags> EXPAT::EXPAT $<$<BOOL:${SINEW_YAML}>:PkgConfig::sinew_libyaml>
          $<$<BOOL:${SINEW_JSON}>:PkgConfig::sinew_jansson>
          $<$<BOOL:${SINEW_COMPRESSION}>:PkgConfig::sinew_zstd>
          $<$<BOOL:${SINEW_COMPRESSION}>:PkgConfig::sinew_lz4> ${CMAKE_DL_LIBS}
  PUBLIC m)
include(cmake/embed_text.cmake)
sinew_embed(sinew sn__standard_deployment_text ${PROJECT_SOURCE_DIR}/deployments/standard.yaml)
sinew_embed(sinew sn__walking_deployment_text ${PROJECT_SOURCE_DIR}/deployments/walking.yaml)
sinew_embed_servos(sinew ${PROJECT_SOURCE_DIR}/servos)
target_compile_definitions(sinew PRIVATE SINEW_YAML=$<BOOL:${SINEW_YAML}> SINEW_JSON=$<BOOL:${SINEW_JSON}>)
# Version of the binary interface: tools/check_abi.py says when it has to be raised.
set(SINEW_ABI 0)
set_target_properties(sinew PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${SINEW_ABI})
