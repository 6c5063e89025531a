# Installation: headers, library, program, robots, find_package(sinew CONFIG) and pkg-config.
include(CMakePackageConfigHelpers)

install(DIRECTORY include/sinew DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS sinew EXPORT sinewTargets)
install(TARGETS sinew_program)
install(DIRECTORY robots DESTINATION ${CMAKE_INSTALL_DATADIR}/sinew)
install(FILES package.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/sinew)

set(SINEW_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)
install(EXPORT sinewTargets NAMESPACE sinew:: DESTINATION ${SINEW_CMAKE_DIR})
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
configure_file(cmake/sinew.pc.in ${PROJECT_BINARY_DIR}/sinew.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/sinew.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
