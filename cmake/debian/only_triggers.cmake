# CPack gives a package with a shared library scripts that call ldconfig. The trigger does the same once for all packages that are
# installed together, so the scripts are removed.
foreach(package ${CPACK_PACKAGE_FILES})
  set(unpacked ${CPACK_TEMPORARY_DIRECTORY}/only_triggers)
  file(REMOVE_RECURSE ${unpacked})
  execute_process(COMMAND dpkg-deb -R ${package} ${unpacked} COMMAND_ERROR_IS_FATAL ANY)
  if(EXISTS ${unpacked}/DEBIAN/triggers)
    foreach(script postinst postrm)
      file(REMOVE ${unpacked}/DEBIAN/${script})
    endforeach()
    execute_process(COMMAND dpkg-deb --root-owner-group -Zxz -b ${unpacked} ${package} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
  endif()
  file(REMOVE_RECURSE ${unpacked})
endforeach()
