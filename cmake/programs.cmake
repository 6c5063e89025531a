# The program `sinew` and the examples.
file(GLOB_RECURSE SINEW_APP_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/sinew/*.c)
list(REMOVE_ITEM SINEW_APP_SOURCES ${PROJECT_SOURCE_DIR}/apps/sinew/main.c)
# All but main(), so that tests and fuzz targets can call parts of it.
add_library(sinew_app STATIC ${SINEW_APP_SOURCES})
target_include_directories(sinew_app PUBLIC ${PROJECT_SOURCE_DIR}/apps/sinew)
target_link_libraries(sinew_app PUBLIC sinew_bridges sinew PRIVATE sinew_flags)
# What `sinew new controller` writes.
set(SINEW_NEW ${PROJECT_SOURCE_DIR}/apps/sinew/new)
sinew_embed(sinew_app new_controller_source ${PROJECT_SOURCE_DIR}/examples/06_controller.c)
sinew_embed(sinew_app new_controller_yaml ${SINEW_NEW}/controller.yaml.in)
sinew_embed(sinew_app new_controller_cmake ${SINEW_NEW}/CMakeLists.txt.in)
sinew_embed(sinew_app new_controller_readme ${SINEW_NEW}/README.md.in)
target_compile_definitions(sinew_app PRIVATE
  SINEW_VERSION="${PROJECT_VERSION}" SINEW_COCKPIT=$<BOOL:${SINEW_COCKPIT}> SINEW_ROS2=$<BOOL:${SINEW_HAS_ROS2}>
  SINEW_SHARE_FOLDER="${CMAKE_INSTALL_FULL_DATADIR}/sinew"
  SINEW_LIBEXEC_FOLDER="${CMAKE_INSTALL_FULL_LIBEXECDIR}/sinew")
add_executable(sinew_program ${PROJECT_SOURCE_DIR}/apps/sinew/main.c)
set_target_properties(sinew_program PROPERTIES OUTPUT_NAME sinew)
target_link_libraries(sinew_program PRIVATE sinew_app sinew_flags)
target_compile_definitions(sinew_program PRIVATE SINEW_VERSION="${PROJECT_VERSION}")
if(BUILD_SHARED_LIBS)
  # The installed program finds its library beside it, in whatever prefix.
  file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(sinew_program PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
endif()

# Plugins with components take the library from the program, all of it, so that there is one copy.
set_target_properties(sinew_program PROPERTIES ENABLE_EXPORTS ON)
if(NOT BUILD_SHARED_LIBS)
  target_link_options(sinew_program PRIVATE
    "LINKER:--whole-archive,$<TARGET_FILE:sinew>,--no-whole-archive")
endif()

file(GLOB SINEW_EXAMPLES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.c)
list(FILTER SINEW_EXAMPLES EXCLUDE REGEX "_controller\\.c$") # a plugin, see below
foreach(source IN LISTS SINEW_EXAMPLES)
  get_filename_component(name ${source} NAME_WE)
  add_executable(example_${name} ${source})
  target_link_libraries(example_${name} PRIVATE sinew sinew_flags)
endforeach()

# A controller is a plugin that takes the library from the program that loads it.
add_library(nod MODULE ${PROJECT_SOURCE_DIR}/examples/06_controller.c)
set_target_properties(nod PROPERTIES PREFIX "")
target_include_directories(nod PRIVATE $<TARGET_PROPERTY:sinew,INTERFACE_INCLUDE_DIRECTORIES>)
target_link_libraries(nod PRIVATE sinew_flags m)

# Solvers of inverse kinematics are modules that carry the parts of the library they use; they share no state with it.
file(GLOB SINEW_PLUGINS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/plugins/*.c)
foreach(source IN LISTS SINEW_PLUGINS)
  get_filename_component(name ${source} NAME_WE)
  add_library(${name} MODULE ${source})
  set_target_properties(${name} PROPERTIES PREFIX "")
  target_link_libraries(${name} PRIVATE sinew sinew_flags)
endforeach()
