# Peers from Debian's packages, for oracles and benchmarks only: targets sinew_peer_kdl, sinew_peer_fcl and
# sinew_peer_mujoco, where found. By find_library(): the packages' own configurations ask for a ROS
# environment.
include(CheckLanguage)
check_language(CXX)
if(CMAKE_CXX_COMPILER)
  enable_language(CXX)
  find_library(KDL_LIBRARY orocos-kdl)
  find_library(KDL_PARSER_LIBRARY kdl_parser)
  find_library(URDFDOM_LIBRARY urdfdom_model)
  find_path(KDL_INCLUDE_DIR kdl/chain.hpp)
  find_path(KDL_PARSER_INCLUDE_DIR kdl_parser/kdl_parser.hpp)
  find_path(EIGEN_INCLUDE_DIR Eigen/Core PATH_SUFFIXES eigen3)
  if(KDL_LIBRARY AND KDL_PARSER_LIBRARY AND URDFDOM_LIBRARY AND KDL_INCLUDE_DIR AND
     KDL_PARSER_INCLUDE_DIR AND EIGEN_INCLUDE_DIR)
    add_library(sinew_peer_kdl INTERFACE)
    target_include_directories(sinew_peer_kdl SYSTEM INTERFACE
      ${KDL_INCLUDE_DIR} ${KDL_PARSER_INCLUDE_DIR} ${EIGEN_INCLUDE_DIR})
    target_link_libraries(sinew_peer_kdl INTERFACE
      ${KDL_PARSER_LIBRARY} ${KDL_LIBRARY} ${URDFDOM_LIBRARY})
  endif()
  find_library(FCL_LIBRARY fcl)
  find_library(CCD_LIBRARY ccd)
  find_path(FCL_INCLUDE_DIR fcl/fcl.h)
  if(FCL_LIBRARY AND CCD_LIBRARY AND FCL_INCLUDE_DIR AND EIGEN_INCLUDE_DIR)
    add_library(sinew_peer_fcl INTERFACE)
    target_include_directories(sinew_peer_fcl SYSTEM INTERFACE ${FCL_INCLUDE_DIR} ${EIGEN_INCLUDE_DIR})
    target_link_libraries(sinew_peer_fcl INTERFACE ${FCL_LIBRARY} ${CCD_LIBRARY})
  endif()
endif()

find_library(MUJOCO_LIBRARY mujoco)
find_path(MUJOCO_INCLUDE_DIR mujoco/mujoco.h)
if(MUJOCO_LIBRARY AND MUJOCO_INCLUDE_DIR)
  add_library(sinew_peer_mujoco STATIC ${CMAKE_CURRENT_LIST_DIR}/mujoco_load.c)
  target_include_directories(sinew_peer_mujoco PUBLIC ${CMAKE_CURRENT_LIST_DIR})
  target_include_directories(sinew_peer_mujoco SYSTEM PUBLIC ${MUJOCO_INCLUDE_DIR})
  target_link_libraries(sinew_peer_mujoco PUBLIC ${MUJOCO_LIBRARY})
endif()
