# Parts that a build can leave out, for a device that does not need them (docs/embedding.md says what each saves). What needs a
# part that is missing is not built, and what can still be asked for is refused by name.
include(CMakeDependentOption)
option(OB_WITH_PROTOBUF "Read and run model files; OFF: core, kernels and operators only, for ahead-of-time C" ON)
cmake_dependent_option(OB_WITH_CHECKER "Check, report, compare, fix and rewrite models; OFF: sessions only" ON
                       OB_WITH_PROTOBUF OFF)
cmake_dependent_option(OB_WITH_TEXT "Models in ONNX's text, protobuf's text and JSON; OFF: binary files only" ON
                       OB_WITH_PROTOBUF OFF)
cmake_dependent_option(OB_WITH_BODIES "Functions, operators defined by others, rules; OFF: nodes with kernels" ON
                       OB_WITH_PROTOBUF OFF)
cmake_dependent_option(OB_WITH_GRADIENT "The operator Gradient, and the derivatives of operators" ON OB_WITH_BODIES OFF)
cmake_dependent_option(OB_WITH_TERMS "Terms of sizes, and the solver of conditions on them; OFF: sizes are numbers and names" ON
                       OB_WITH_PROTOBUF OFF)
cmake_dependent_option(OB_WITH_DYNAMIC "If, Loop, Scan, sequences, sizes that a run decides; OFF: all is planned before a run" ON
                       OB_WITH_PROTOBUF OFF)
cmake_dependent_option(OB_WITH_GROUPS "Nodes that are computed together; OFF: each node is a step of its own" ON
                       OB_WITH_PROTOBUF OFF)
foreach(part TERMS BODIES GROUPS)
  if(OB_WITH_CHECKER AND NOT OB_WITH_${part})
    message(FATAL_ERROR "OB_WITH_${part} is off, which the checker needs (-DOB_WITH_CHECKER=OFF)")
  endif()
endforeach()

# Those that are there, for ob_build_info and for packages; and what tells the public headers about the others.
set(OB_PARTS)
set(OB_PART_DEFINITIONS)
foreach(part PROTOBUF CHECKER TEXT GRADIENT BODIES TERMS DYNAMIC GROUPS)
  string(TOLOWER ${part} name)
  if(OB_WITH_${part})
    list(APPEND OB_PARTS ${name})
  else()
    list(APPEND OB_PART_DEFINITIONS OB_WITHOUT_${part})
  endif()
endforeach()
# Shapes and views have room for this many axes, each some 16 bytes, and planning holds dozens of them at once.
set(OB_MAX_RANK 32 CACHE STRING "The most axes of a tensor, 8 to 32")
if(OB_MAX_RANK LESS 8 OR OB_MAX_RANK GREATER 32)
  message(FATAL_ERROR "OB_MAX_RANK is ${OB_MAX_RANK}, it must be 8 to 32")
elseif(NOT OB_MAX_RANK EQUAL 32)
  list(APPEND OB_PART_DEFINITIONS OB_MAX_RANK=${OB_MAX_RANK})
endif()
if(OB_PART_DEFINITIONS)
  list(JOIN OB_PARTS " " parts)
  message(STATUS "onnx_broadcast: parts in this build: ${parts}")
  if(EMSCRIPTEN)
    message(FATAL_ERROR "The WebAssembly module needs all parts: "
                        "OB_WITH_PROTOBUF, OB_WITH_CHECKER, OB_WITH_TEXT, OB_WITH_GRADIENT, "
                        "OB_WITH_BODIES, OB_WITH_TERMS, OB_WITH_DYNAMIC, OB_WITH_GROUPS.")
  endif()
  # Tests, generated pages and benchmarks use all parts; tests/package/parts.sh tests these builds.
  if(OB_BUILD_TESTS OR OB_BUILD_BENCH)
    message(STATUS "onnx_broadcast: no tests and benchmarks in this build: they need all parts")
  endif()
  set(OB_BUILD_TESTS OFF)
  set(OB_BUILD_BENCH OFF)
endif()
if(NOT OB_WITH_PROTOBUF)
  # What ahead-of-time C calls is in the static library, and needs neither a loader nor threads.
  foreach(option OB_BUILD_SHARED OB_BUILD_TOOLS OB_BUILD_ORT OB_WITH_THREADS OB_WITH_DLOPEN OB_WITH_OPENBLAS)
    set(${option} OFF)
  endforeach()
  set(OB_BUILD_STATIC ON)
endif()
