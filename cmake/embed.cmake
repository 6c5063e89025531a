# Files that are part of the binary: `NAME` and `NAME_size` in a C file that is made of FILE.
function(sinew_embed target name file)
  set(source ${PROJECT_BINARY_DIR}/embedded/${name}.c)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
  get_filename_component(title ${file} NAME)
  file(CONFIGURE OUTPUT ${source} CONTENT "/* ${title}, as it was at build time. */
#include <stddef.h>

extern const char ${name}[];
extern const size_t ${name}_size;
const char ${name}[] = {
${bytes}0};
const size_t ${name}_size = sizeof ${name} - 1;
" @ONLY)
  target_sources(${target} PRIVATE ${source})
endfunction()
