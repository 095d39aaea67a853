# ONNX Runtime, for the plugin (headers only) and for the tests that run the real library. Looked for in OB_ONNXRUNTIME_DIR, where
# `./dev onnxruntime` puts it, then in the system (Debian 13: libonnxruntime-dev). Afterwards:
#   onnxruntime_headers     interface target with the include path; exists when the headers were found
#   OB_ONNXRUNTIME_LIBRARY  full path of libonnxruntime.so*, or empty. Nothing links it: tests load it by this path.
option(OB_WITH_ONNXRUNTIME "Build what needs ONNX Runtime's headers, when they are found" ON)
set(OB_ONNXRUNTIME_DIR ${PROJECT_SOURCE_DIR}/build/onnxruntime CACHE PATH "ONNX Runtime: include/, lib/ and node/")

set(OB_ONNXRUNTIME_LIBRARY "")
if(OB_WITH_ONNXRUNTIME)
  # Nothing is cached: what `./dev onnxruntime` brings later is found by the next configuration.
  find_path(ob_onnxruntime_include onnxruntime_c_api.h NO_CACHE HINTS ${OB_ONNXRUNTIME_DIR}/include PATH_SUFFIXES onnxruntime)
  find_library(ob_onnxruntime_library NAMES libonnxruntime.so.1 onnxruntime NO_CACHE HINTS ${OB_ONNXRUNTIME_DIR}/lib)
  if(ob_onnxruntime_include)
    add_library(onnxruntime_headers INTERFACE)
    target_include_directories(onnxruntime_headers SYSTEM INTERFACE ${ob_onnxruntime_include})
  endif()
  if(ob_onnxruntime_library)
    set(OB_ONNXRUNTIME_LIBRARY ${ob_onnxruntime_library})
  endif()
  if(ob_onnxruntime_include AND ob_onnxruntime_library)
    message(STATUS "ONNX Runtime: ${OB_ONNXRUNTIME_LIBRARY}, headers in ${ob_onnxruntime_include}")
  elseif(ob_onnxruntime_include)
    message(STATUS "ONNX Runtime: headers in ${ob_onnxruntime_include}, no library: its tests are skipped (./dev onnxruntime)")
  else()
    message(STATUS "ONNX Runtime: not found, the plugin and its tests are left out (./dev onnxruntime brings it)")
  endif()
else()
  message(STATUS "ONNX Runtime: left out (OB_WITH_ONNXRUNTIME is OFF)")
endif()
