# Compiler settings shared by every target. Standard C17; no -ffast-math, since NaN checks must work,
# and no fused multiply-add behind our back, so that every compiler gives the same bits.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

add_library(sinew_flags INTERFACE)
target_compile_options(sinew_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
  -Wformat=2 -Wundef -Wvla -Wwrite-strings
  # On 32-bit machines a component's first member is less aligned than the component. Arenas align both.
  $<$<EQUAL:${CMAKE_SIZEOF_VOID_P},8>:-Wcast-align>
  # Files above 2 GB and times after 2038 on 32-bit machines.
  "$<$<EQUAL:${CMAKE_SIZEOF_VOID_P},4>:-D_FILE_OFFSET_BITS=64;-D_TIME_BITS=64>"
  -ffp-contract=off -fno-math-errno
  # Assertions name their file as it is called in the project, wherever it was built.
  $<$<CONFIG:Release>:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>
  $<$<BOOL:${SINEW_WERROR}>:-Werror>)

if(SINEW_SANITIZE)
  target_compile_options(sinew_flags INTERFACE
    -fsanitize=${SINEW_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(sinew_flags INTERFACE -fsanitize=${SINEW_SANITIZE})
endif()
if(SINEW_FUZZ)
  # Coverage for the fuzzer everywhere; its main() only in the fuzz targets (tests/fuzz).
  target_compile_options(sinew_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
