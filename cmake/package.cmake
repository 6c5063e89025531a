# `make deb`: a Debian package of what is installed below /usr.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sinew)
# Two packages: all that is installed, and the Python module, which needs nothing of the other one.
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL Unspecified)
set(CPACK_DEBIAN_UNSPECIFIED_PACKAGE_NAME sinew)
if(SINEW_HAS_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-sinew)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.11), python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "sinew")
  set(CPACK_COMPONENT_PYTHON_DESCRIPTION
"The Python module: models, kinematics, dynamics, collision distances, trajectories, servos and
recordings of robots as numpy arrays, and a client of robots that run.")
endif()
set(CPACK_PACKAGE_VENDOR "The Sinew developers")
set(CPACK_PACKAGE_CONTACT "The Sinew developers <sinew@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "motion control between what a robot should do and its servos")
set(CPACK_COMPONENT_UNSPECIFIED_DESCRIPTION
"Runs robots that are described by a URDF: controllers that take turns, a gate
that lets nothing unsafe through, inverse dynamics, servos real or simulated,
recordings, and a cockpit in the browser. 'sinew demo' shows all of it.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
if(CMAKE_CROSSCOMPILING)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${SINEW_ARCH})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/package_cross.cmake.in ${PROJECT_BINARY_DIR}/package_cross.cmake @ONLY)
  set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_BINARY_DIR}/package_cross.cmake)
else()
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libexpat1-dev, libyaml-dev, libjansson-dev, libzstd-dev, liblz4-dev")
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package_files.cmake)
include(CPack)
