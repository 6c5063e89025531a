# What a Debian package has besides what is installed: compressed manual and changelog, the copyright.
set(root ${CPACK_TEMPORARY_DIRECTORY}/usr)
get_filename_component(source ${CMAKE_CURRENT_LIST_DIR}/.. ABSOLUTE)
file(COPY ${source}/packaging/copyright DESTINATION ${root}/share/doc/sinew)
file(REMOVE ${root}/share/doc/sinew/LICENSE)
file(RENAME ${root}/share/doc/sinew/CHANGELOG.md ${root}/share/doc/sinew/changelog)
foreach(file share/man/man1/sinew.1 share/doc/sinew/changelog)
  execute_process(COMMAND gzip -9nf ${root}/${file} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
