# Files that are part of the binary: `NAME` and `NAME_size` in a C file that is made of FILE.
function(sinew_embed target name file)
  set(source ${PROJECT_BINARY_DIR}/embedded/${name}.c)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  string(REGEX REPLACE "(....................................................................................)" "\\1\n" bytes "${bytes}")
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

# The files of a folder as `sn__servo_file_table` (src/servo/servo_library.h).
function(sinew_embed_servos target folder)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*.yaml)
  set(declared "")
  set(rows "")
  foreach(file ${files})
    get_filename_component(name ${file} NAME_WE)
    set(text sn__servo_file_${name}_text)
    sinew_embed(${target} ${text} ${file})
    string(APPEND declared "extern const char ${text}[];\n")
    file(SIZE ${file} size)
    string(APPEND rows "    {\"${name}\", ${text}, ${size}},\n")
  endforeach()
  set(source ${PROJECT_BINARY_DIR}/embedded/sn__servo_file_table.c)
  file(CONFIGURE OUTPUT ${source} CONTENT "/* The files of the library of servos. */
#include \"servo/servo_library.h\"

${declared}extern const sn__servo_file sn__servo_file_table[];
extern const size_t sn__servo_file_table_size;
const sn__servo_file sn__servo_file_table[] = {
${rows}};
const size_t sn__servo_file_table_size = sizeof sn__servo_file_table / sizeof *sn__servo_file_table;
" @ONLY)
  target_sources(${target} PRIVATE ${source})
endfunction()
