# cmake --install, in components: runtime (shared library), development (headers, static library, files for CMake and pkg-config),
# tools, plugin. No installed file contains a path of this machine, so the installed tree can be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(OB_INSTALL_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/onnx_broadcast)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/onnx_broadcast DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
        FILES_MATCHING PATTERN "*.h")
if(OB_BUILD_SHARED)
  install(TARGETS onnx_broadcast_shared EXPORT onnx_broadcast-shared
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()
if(OB_BUILD_STATIC)
  install(TARGETS onnx_broadcast EXPORT onnx_broadcast-static
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()
if(OB_BUILD_STATIC)
  install(TARGETS onnx_broadcast_ahead EXPORT onnx_broadcast-ahead
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT onnx_broadcast-ahead NAMESPACE onnx_broadcast:: FILE onnx_broadcast-ahead-targets.cmake
          DESTINATION ${OB_INSTALL_CMAKEDIR} COMPONENT development)
endif()
if(OB_BUILD_TOOLS)
  install(TARGETS ${OB_TOOLS} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
  if(NOT OB_PACKAGE) # there they are compressed (package.cmake)
    list(TRANSFORM OB_TOOLS REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/docs/man/\\1.1" OUTPUT_VARIABLE pages)
    install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
  endif()
endif()
# The operator library of ONNX Runtime is opened by its path, never linked: it stays out of the linker's folder.
if(TARGET onnx_broadcast_ort)
  install(TARGETS onnx_broadcast_ort LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/onnx_broadcast COMPONENT plugin)
endif()

# ---- For those who use the library: find_package(onnx_broadcast), pkg-config onnx_broadcast. -------------------------
set(forms)
foreach(form shared static)
  string(TOUPPER OB_BUILD_${form} wanted)
  if(${wanted})
    list(APPEND forms ${form})
    install(EXPORT onnx_broadcast-${form} NAMESPACE onnx_broadcast:: FILE onnx_broadcast-${form}-targets.cmake
            DESTINATION ${OB_INSTALL_CMAKEDIR} COMPONENT development)
  endif()
endforeach()
if(NOT forms)
  return()
endif()
set(OB_CONFIG_DIR ${PROJECT_BINARY_DIR}/config)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/onnx_broadcast-config.cmake.in
                              ${OB_CONFIG_DIR}/onnx_broadcast-config.cmake
                              INSTALL_DESTINATION ${OB_INSTALL_CMAKEDIR} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${OB_CONFIG_DIR}/onnx_broadcast-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${OB_CONFIG_DIR}/onnx_broadcast-config.cmake ${OB_CONFIG_DIR}/onnx_broadcast-config-version.cmake
        DESTINATION ${OB_INSTALL_CMAKEDIR} COMPONENT development)

# The prefix is found from where the .pc file lies; a library folder given as an absolute path cannot be.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
  set(pc_prefix ${CMAKE_INSTALL_PREFIX})
  set(pc_libdir ${CMAKE_INSTALL_FULL_LIBDIR})
  set(pc_includedir ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
  file(RELATIVE_PATH up /x/${CMAKE_INSTALL_LIBDIR}/pkgconfig /x)
  string(REGEX REPLACE "/$" "" up "${up}")
  set(pc_prefix "\${pcfiledir}/${up}")
  set(pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
list(TRANSFORM OB_NEEDED_NAMES PREPEND "-l" OUTPUT_VARIABLE pc_needed)
list(JOIN pc_needed " " pc_needed)
list(JOIN OB_PARTS " " pc_parts)
list(TRANSFORM OB_PART_DEFINITIONS PREPEND " -D" OUTPUT_VARIABLE pc_definitions)
list(JOIN pc_definitions "" pc_definitions)
string(APPEND pc_needed " -lm")
if(OB_BUILD_SHARED)
  set(pc_libs "-lonnx_broadcast")
  set(pc_private "${pc_needed}")
else() # nobody should need --static where there is no other form
  set(pc_libs "-lonnx_broadcast ${pc_needed}")
  set(pc_private "")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/onnx_broadcast.pc.in ${OB_CONFIG_DIR}/onnx_broadcast.pc @ONLY)
install(FILES ${OB_CONFIG_DIR}/onnx_broadcast.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
