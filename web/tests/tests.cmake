# Tests of the cockpit: web/unit, web/style and one for each tests/browser/NAME.test.mjs, with the
# built program and the system's Chromium. Only in the GCC build: other builds do not change the page.
if(NOT SINEW_COCKPIT OR SINEW_SANITIZE OR NOT CMAKE_C_COMPILER_ID STREQUAL "GNU")
  return()
endif()
set(web ${PROJECT_SOURCE_DIR}/web)
add_test(NAME web/unit COMMAND ${web}/tests/run.sh unit ${CMAKE_CURRENT_BINARY_DIR}/web $<TARGET_FILE:msg_vectors>)
add_test(NAME web/style COMMAND ${web}/tests/run.sh style ${CMAKE_CURRENT_BINARY_DIR}/web)
set_tests_properties(web/unit web/style PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
file(GLOB browser_tests CONFIGURE_DEPENDS ${web}/tests/browser/*.test.mjs)
set(lane 0)
foreach(file IN LISTS browser_tests)
  get_filename_component(name ${file} NAME)
  string(REPLACE ".test.mjs" "" name ${name})
  add_test(NAME web/${name} COMMAND ${web}/tests/run.sh browser ${file} $<TARGET_FILE:sinew_program>)
  # Two at a time: without a graphics card a browser uses a whole core. First, because they take long.
  set_tests_properties(web/${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900 RESOURCE_LOCK browser_${lane} COST 1000)
  math(EXPR lane "1 - ${lane}")
endforeach()
