# Toolchain of a cross build for another Debian architecture.
# SINEW_ARCH is arm64 or armhf; SINEW_SYSROOT is a folder that tools/sysroot.sh has made.
# Tests and generators of the build run under QEMU.
set(SINEW_ARCH arm64 CACHE STRING "Debian architecture to build for")
set(SINEW_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../build/sysroot/${SINEW_ARCH} CACHE PATH "its packages")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SINEW_ARCH SINEW_SYSROOT)

if(SINEW_ARCH STREQUAL arm64)
  set(CMAKE_SYSTEM_PROCESSOR aarch64)
  set(triplet aarch64-linux-gnu)
  set(emulator qemu-aarch64)
elseif(SINEW_ARCH STREQUAL armhf)
  set(CMAKE_SYSTEM_PROCESSOR armv7l)
  set(triplet arm-linux-gnueabihf)
  set(emulator qemu-arm)
else()
  message(FATAL_ERROR "SINEW_ARCH is '${SINEW_ARCH}', expected arm64 or armhf")
endif()

get_filename_component(CMAKE_SYSROOT ${SINEW_SYSROOT} ABSOLUTE)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER ${triplet}-gcc)
set(CMAKE_CXX_COMPILER ${triplet}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${triplet})
set(CMAKE_CROSSCOMPILING_EMULATOR ${emulator} -L ${CMAKE_SYSROOT})
# The interpreter is this machine's, the headers are those of the other one.
file(GLOB Python3_INCLUDE_DIR ${CMAKE_SYSROOT}/usr/include/python3.*)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/${triplet}/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)
