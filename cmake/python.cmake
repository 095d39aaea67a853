# The Python package for Debian: the module of python/, linked with the shared library, beside the sources of the package.
# `pip install .` does not come here: setup.py builds its own.
find_program(OB_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(NOT OB_PYTHON)
  message(STATUS "Python package: skipped, no /usr/bin/python3")
  return()
endif()
execute_process(COMMAND ${OB_PYTHON} -c "import cffi, sysconfig; print(sysconfig.get_path('include'), end='')"
                OUTPUT_VARIABLE include RESULT_VARIABLE status ERROR_QUIET)
if(status OR NOT EXISTS ${include}/Python.h)
  message(STATUS "Python package: skipped, python3-cffi and python3-dev are not there")
  return()
endif()
set(sources ${PROJECT_SOURCE_DIR}/python)
set(generated ${PROJECT_BINARY_DIR}/python/_native.c)
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/onnx_broadcast/*.h)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/python)
add_custom_command(OUTPUT ${generated} COMMAND ${CMAKE_COMMAND} -E env CC=${CMAKE_C_COMPILER} ${OB_PYTHON} ${sources}/native.py
                           ${generated}
                   DEPENDS ${sources}/native.py ${sources}/glue.c ${sources}/glue.cdef ${headers} VERBATIM)
add_library(onnx_broadcast_python MODULE ${generated})
target_include_directories(onnx_broadcast_python SYSTEM PRIVATE ${include})
target_compile_definitions(onnx_broadcast_python PRIVATE Py_LIMITED_API=0x03090000)
target_compile_options(onnx_broadcast_python PRIVATE -std=gnu11 -Werror=incompatible-pointer-types -Werror=int-conversion)
target_link_libraries(onnx_broadcast_python PRIVATE onnx_broadcast::shared)
set_target_properties(onnx_broadcast_python PROPERTIES PREFIX "" OUTPUT_NAME _native SUFFIX .abi3.so
                      LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python)

set(folder lib/python3/dist-packages)
install(TARGETS onnx_broadcast_python LIBRARY DESTINATION ${folder}/onnx_broadcast COMPONENT python)
install(DIRECTORY ${sources}/onnx_broadcast DESTINATION ${folder} COMPONENT python
        FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/python/METADATA CONTENT "Metadata-Version: 2.1
Name: onnx-broadcast
Version: ${PROJECT_VERSION}
Summary: ${PROJECT_DESCRIPTION}
License: Apache-2.0
")
install(FILES ${PROJECT_BINARY_DIR}/python/METADATA DESTINATION ${folder}/onnx_broadcast-${PROJECT_VERSION}.dist-info
        COMPONENT python)
