# The Python module, where Python's headers are: build/<preset>/python holds the package `sinew`.
find_package(Python3 3.11 COMPONENTS Interpreter Development.Module)
set(SINEW_HAS_PYTHON OFF)
if(Python3_Development.Module_FOUND)
  set(SINEW_HAS_PYTHON ON)
  set(SINEW_PYTHON_BUILD ${PROJECT_BINARY_DIR}/python/sinew)
  file(GLOB SINEW_PYTHON_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/module/*.c)
  add_library(sinew_python MODULE ${SINEW_PYTHON_SOURCES})
  # The stable interface: any Python from 3.11 on loads it.
  set_target_properties(sinew_python PROPERTIES PREFIX "" OUTPUT_NAME _sinew SUFFIX .abi3.so
    LIBRARY_OUTPUT_DIRECTORY ${SINEW_PYTHON_BUILD})
  target_include_directories(sinew_python PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/python/module)
  target_include_directories(sinew_python SYSTEM PRIVATE ${Python3_INCLUDE_DIRS})
  find_package(Threads REQUIRED)
  target_link_libraries(sinew_python PRIVATE sinew sinew_flags Threads::Threads)

  file(GLOB SINEW_PYTHON_FILES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/python/sinew/*)
  add_custom_command(OUTPUT ${SINEW_PYTHON_BUILD}/.copied
    COMMAND ${CMAKE_COMMAND} -E copy ${SINEW_PYTHON_FILES} ${SINEW_PYTHON_BUILD}
    COMMAND ${CMAKE_COMMAND} -E touch ${SINEW_PYTHON_BUILD}/.copied
    DEPENDS ${SINEW_PYTHON_FILES} COMMENT "Copying the Python files" VERBATIM)
  add_custom_target(sinew_python_files ALL DEPENDS ${SINEW_PYTHON_BUILD}/.copied)
  add_dependencies(sinew_python sinew_python_files)

  # Where Debian's interpreter looks: packages have no version in the path, local installations do.
  if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    set(SINEW_PYTHON_DIR lib/python3/dist-packages)
  else()
    set(SINEW_PYTHON_DIR lib/python${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR}/dist-packages)
  endif()
  install(TARGETS sinew_python LIBRARY DESTINATION ${SINEW_PYTHON_DIR}/sinew COMPONENT python)
  install(FILES ${SINEW_PYTHON_FILES} DESTINATION ${SINEW_PYTHON_DIR}/sinew COMPONENT python)
endif()
