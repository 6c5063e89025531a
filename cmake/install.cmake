# Installation: headers, library, program, robots, find_package(sinew CONFIG) and pkg-config.
include(CMakePackageConfigHelpers)

# bridges.h belongs to the program.
install(DIRECTORY include/sinew DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} PATTERN bridges.h EXCLUDE)
install(TARGETS sinew EXPORT sinewTargets)
install(TARGETS sinew_program)
install(DIRECTORY robots deployments servos DESTINATION ${CMAKE_INSTALL_DATADIR}/sinew PATTERN ".*" EXCLUDE)
install(FILES apps/sinew/completion/sinew.bash RENAME sinew
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES apps/sinew/completion/_sinew DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
# The plugin for MoveIt, as sources: it is built where MoveIt is.
install(DIRECTORY ros/sinew_moveit DESTINATION ${CMAKE_INSTALL_DATADIR})

# A package of ROS: the index is what `ros2 launch` and `ros2 pkg` search.
install(FILES package.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/sinew)
install(DIRECTORY ros/launch DESTINATION ${CMAKE_INSTALL_DATADIR}/sinew FILES_MATCHING PATTERN "*.launch.py")
file(WRITE ${PROJECT_BINARY_DIR}/ament_index/sinew "")
install(FILES ${PROJECT_BINARY_DIR}/ament_index/sinew
        DESTINATION ${CMAKE_INSTALL_DATADIR}/ament_index/resource_index/packages)
install(FILES README.md CHANGELOG.md LICENSE THIRD-PARTY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md"
        PATTERN images EXCLUDE)

# The manual page, of the same table as the help.
if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
  set(SINEW_MAN ${PROJECT_BINARY_DIR}/sinew.1)
  add_custom_command(OUTPUT ${SINEW_MAN}
    COMMAND sinew_program man > ${SINEW_MAN}.new
    COMMAND ${CMAKE_COMMAND} -E rename ${SINEW_MAN}.new ${SINEW_MAN}
    DEPENDS sinew_program COMMENT "Writing the manual page" VERBATIM)
  add_custom_target(man ALL DEPENDS ${SINEW_MAN})
  install(FILES ${SINEW_MAN} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

  # The package of ROS with our messages: for who builds it in a workspace, and for tools that only read it.
  set(SINEW_MSGS ${PROJECT_BINARY_DIR}/sinew_msgs)
  add_custom_command(OUTPUT ${SINEW_MSGS}/package.xml
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${SINEW_MSGS}
    COMMAND sinew_program msgs ${SINEW_MSGS}
    DEPENDS sinew_program COMMENT "Writing the definitions for ROS" VERBATIM)
  add_custom_target(msgs ALL DEPENDS ${SINEW_MSGS}/package.xml)
  install(DIRECTORY ${SINEW_MSGS} DESTINATION ${CMAKE_INSTALL_DATADIR})
endif()

# Where systemd looks for units; below the prefix, so that an installation of one's own stays there.
set(SINEW_UNIT_DIR lib/systemd/system CACHE STRING "Folder of systemd's units, below the prefix")
configure_file(packaging/sinew@.service ${PROJECT_BINARY_DIR}/sinew@.service @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/sinew@.service DESTINATION ${SINEW_UNIT_DIR})

set(SINEW_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)
install(EXPORT sinewTargets NAMESPACE sinew:: DESTINATION ${SINEW_CMAKE_DIR})

# The build tree is a package, too: -Dsinew_DIR=build/release.
export(TARGETS sinew sinew_flags NAMESPACE sinew:: FILE ${PROJECT_BINARY_DIR}/sinewTargets.cmake)

# What a user of the library has to find besides. A shared library keeps its dependencies to itself.
get_target_property(library_type sinew TYPE)
set(SINEW_NEEDS_EXPAT OFF)
set(SINEW_NEEDS_YAML OFF)
set(SINEW_NEEDS_JSON OFF)
set(SINEW_NEEDS_COMPRESSION OFF)
if(library_type STREQUAL "STATIC_LIBRARY")
  set(SINEW_NEEDS_EXPAT ON)
  set(SINEW_NEEDS_YAML ${SINEW_YAML})
  set(SINEW_NEEDS_JSON ${SINEW_JSON})
  set(SINEW_NEEDS_COMPRESSION ${SINEW_COMPRESSION})
endif()
configure_package_config_file(cmake/sinewConfig.cmake.in ${PROJECT_BINARY_DIR}/sinewConfig.cmake
  INSTALL_DESTINATION ${SINEW_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sinewConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sinewConfig.cmake ${PROJECT_BINARY_DIR}/sinewConfigVersion.cmake
  DESTINATION ${SINEW_CMAKE_DIR})

set(SINEW_PC_REQUIRES "expat")
if(SINEW_YAML)
  string(APPEND SINEW_PC_REQUIRES ", yaml-0.1")
endif()
if(SINEW_JSON)
  string(APPEND SINEW_PC_REQUIRES ", jansson")
endif()
if(SINEW_COMPRESSION)
  string(APPEND SINEW_PC_REQUIRES ", libzstd, liblz4")
endif()
# Some distributions give these two as absolute paths, which must not be joined to the prefix.
foreach(folder LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${folder}}")
    set(SINEW_PC_${folder} "${CMAKE_INSTALL_${folder}}")
  else()
    set(SINEW_PC_${folder} "\${prefix}/${CMAKE_INSTALL_${folder}}")
  endif()
endforeach()
configure_file(cmake/sinew.pc.in ${PROJECT_BINARY_DIR}/sinew.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/sinew.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
