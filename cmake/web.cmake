# The cockpit's files, put into the program: web/dist, which npm makes of web/. Where there is no npm, or it
# fails, a page that says so takes its place; the rest of the program does not depend on it.
set(web_source ${PROJECT_SOURCE_DIR}/web)
set(web_build ${PROJECT_BINARY_DIR}/web)
set(web_inputs)
if(EXISTS ${web_source}/package.json)
  file(GLOB_RECURSE web_inputs CONFIGURE_DEPENDS ${web_source}/*)
  list(FILTER web_inputs EXCLUDE REGEX "/web/(dist|node_modules|[.]lock)")
endif()
add_custom_command(OUTPUT ${web_build}/web_files.c
  COMMAND ${PROJECT_SOURCE_DIR}/tools/build_web.sh ${web_source} ${web_build}
  COMMAND ${CMAKE_COMMAND} -DFOLDER=${web_build}/dist -DOUT=${web_build}/web_files.c
          -P ${PROJECT_SOURCE_DIR}/cmake/embed_folder.cmake
  DEPENDS ${web_inputs} ${PROJECT_SOURCE_DIR}/tools/build_web.sh ${PROJECT_SOURCE_DIR}/cmake/embed_folder.cmake
  COMMENT "Building the cockpit" VERBATIM)
target_sources(sinew_bridges PRIVATE ${web_build}/web_files.c)
