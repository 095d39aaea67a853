# Debian packages by CPack, one for each component of install.cmake; `./dev package` makes, checks and tries them.
set(OB_PACKAGE_MAINTAINER "onnx-broadcast maintainers <maintainers@onnx-broadcast.invalid>"
    CACHE STRING "Who made the packages: NAME <ADDRESS>")
set(OB_DEBIAN_REVISION 1 CACHE STRING "Number of the packaging of one version")
set(OB_DEBIAN_VERSION ${PROJECT_VERSION}-${OB_DEBIAN_REVISION})
set(debian ${CMAKE_CURRENT_LIST_DIR}/debian)
set(made ${PROJECT_BINARY_DIR}/debian)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME onnx-broadcast)
set(CPACK_PACKAGE_CONTACT ${OB_PACKAGE_MAINTAINER})
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_POST_BUILD_SCRIPTS ${debian}/only_triggers.cmake)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${OB_DEBIAN_REVISION})
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

# One state of the source gives one package: ./dev sets SOURCE_DATE_EPOCH to the time of the last commit.
set(when)
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  set(when --date=@$ENV{SOURCE_DATE_EPOCH})
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C TZ=UTC date ${when} -R
                OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE)
configure_file(${debian}/changelog.in ${made}/changelog @ONLY)
execute_process(COMMAND gzip -9n -c ${made}/changelog OUTPUT_FILE ${made}/changelog.Debian.gz COMMAND_ERROR_IS_FATAL ANY)

# ob_package(COMPONENT NAME SECTION SUMMARY LINE...): the component as a package. Its description is the summary, the text common
# to all packages, and the lines.
set(about "Broadcasting stretches the operands of an operator until their shapes agree."
          "onnx-broadcast finds every broadcast of an ONNX model, proves or refutes it,"
          "writes it down as an operator, and runs models without copying operands." ".")
set(CPACK_COMPONENTS_ALL)
macro(ob_package component name section summary)
  string(TOUPPER ${component} upper)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SOURCE onnx-broadcast)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  list(JOIN about "\n" CPACK_DEBIAN_${upper}_DESCRIPTION)
  string(JOIN "\n" CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}" "${CPACK_DEBIAN_${upper}_DESCRIPTION}" ${ARGN})
  install(FILES ${debian}/copyright ${made}/changelog.Debian.gz
          DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${name} COMPONENT ${component})
endmacro()

set(library_package libonnx-broadcast${OB_SOVERSION})

ob_package(runtime ${library_package} libs "broadcasting in ONNX models: shared library"
  "This package contains the shared library.")
# Calls of what a later version adds need that version: the bound is the version itself.
file(CONFIGURE OUTPUT ${made}/shlibs CONTENT "libonnx_broadcast ${OB_SOVERSION} ${library_package} (>= ${PROJECT_VERSION})\n")
file(CONFIGURE OUTPUT ${made}/triggers CONTENT "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${made}/shlibs ${made}/triggers)

ob_package(development libonnx-broadcast-dev libdevel "broadcasting in ONNX models: development files"
  "This package contains the headers, the static library, and what CMake's"
  "find_package and pkg-config read. The libraries that it recommends are"
  "needed for linking with the static library only.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${library_package} (= ${OB_DEBIAN_VERSION})")
set(recommended)
get_property(needed_packages GLOBAL PROPERTY OB_NEEDED_PACKAGES)
foreach(package ${needed_packages})
  if(NOT package STREQUAL "libdl-dev") # part of the C library
    list(APPEND recommended ${package})
  endif()
endforeach()
list(JOIN recommended ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS)

# Loaded at run time by sessions with relaxed numerics: nothing is linked that dpkg-shlibdeps would see.
get_property(loads_openblas GLOBAL PROPERTY OB_LOADS_OPENBLAS)
if(loads_openblas)
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS libopenblas0-serial)
  set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS libopenblas0-serial)
endif()

if(OB_BUILD_TOOLS)
  foreach(page onnx-broadcast-check onnx-broadcast-run)
    execute_process(COMMAND gzip -9n -c ${PROJECT_SOURCE_DIR}/docs/man/${page}.1
                    OUTPUT_FILE ${made}/${page}.1.gz COMMAND_ERROR_IS_FATAL ANY)
    install(FILES ${made}/${page}.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
  endforeach()
  ob_package(tools onnx-broadcast science "broadcasting in ONNX models: commands"
    "This package contains two commands: onnx-broadcast-check checks and rewrites"
    "models, onnx-broadcast-run runs them.")
endif()

if(TARGET onnx_broadcast_ort)
  ob_package(plugin onnx-broadcast-ort science "broadcasting in ONNX models: operators for ONNX Runtime"
    "This package contains the library of custom operators with which ONNX Runtime"
    "runs models whose broadcasts were made explicit.")
endif()

if(OB_BUILD_SHARED)
  include(${CMAKE_CURRENT_LIST_DIR}/python.cmake)
endif()
if(TARGET onnx_broadcast_python)
  ob_package(python python3-onnx-broadcast python "broadcasting in ONNX models: Python package"
    "This package contains the Python package onnx_broadcast.")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
      "${library_package} (= ${OB_DEBIAN_VERSION}), python3 (>= 3.9), python3-cffi-backend, python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-onnx")
  # dpkg-shlibdeps finds the library in the build folder; the package that has it stands above.
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
  # The scripts compile the modules, and remove what was compiled.
  foreach(script postinst prerm)
    configure_file(${debian}/python_${script} ${made}/${script} COPYONLY
                   FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    list(APPEND CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${made}/${script})
  endforeach()
endif()

include(CPack)
