# What identifies a build (ob_build_info): the commit, which every build looks up again, and the options, which are known now.
# Both are headers that change only with their text, and runtime/build_info.c alone includes them.
set(OB_COMMIT "" CACHE STRING "Commit of the source, where neither git nor the archive knows it")
set(folder ${PROJECT_BINARY_DIR}/layers/runtime/generated/runtime)
add_custom_target(ob_commit
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DHEADER=${folder}/commit.h -DCOMMIT=${OB_COMMIT}
          -P ${CMAKE_CURRENT_LIST_DIR}/commit.cmake
  BYPRODUCTS ${folder}/commit.h
  COMMENT "Looking up the commit"
  VERBATIM)
add_dependencies(ob_runtime ob_commit)

get_property(libraries GLOBAL PROPERTY OB_NEEDED_NAMES)
get_property(loads_openblas GLOBAL PROPERTY OB_LOADS_OPENBLAS)
get_target_property(definitions ob_runtime COMPILE_DEFINITIONS)
set(options ${OB_PARTS})
if("OB_HAVE_THREADS" IN_LIST definitions)
  list(APPEND options threads)
endif()
if(OB_WITH_DLOPEN)
  list(APPEND options operator-libraries)
endif()
if(loads_openblas)
  list(APPEND options openblas)
endif()
if(OB_OPS) # which ones: a digest, as their names are many
  file(SHA256 ${PROJECT_BINARY_DIR}/ops/selection/selected.h digest)
  string(SUBSTRING ${digest} 0 12 digest)
  list(APPEND options selected-operators=${digest})
  if(OB_SELECTS_LOOPS)
    file(SHA256 ${PROJECT_BINARY_DIR}/kernels/selection/loops.h digest)
    string(SUBSTRING ${digest} 0 12 digest)
    list(APPEND options selected-loops=${digest})
  endif()
endif()
if(OB_COVERAGE)
  list(APPEND options coverage)
endif()
if(OB_SANITIZE)
  string(REPLACE "," " sanitize=" sanitizers "${OB_SANITIZE}")
  list(APPEND options sanitize=${sanitizers})
endif()

# Flags that name a folder are left out: one source gives one library wherever it is built.
string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
separate_arguments(flags UNIX_COMMAND "${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${type}}")
list(APPEND flags ${OB_FLOAT_OPTIONS})
list(FILTER flags EXCLUDE REGEX "[/\"\\\\]")

foreach(list libraries options flags)
  list(JOIN ${list} " " ${list})
endforeach()
set(build_type "${CMAKE_BUILD_TYPE}")
list(JOIN OB_ISA_LEVELS " " levels)
string(STRIP "baseline ${levels}" levels)
file(CONFIGURE OUTPUT ${folder}/build_options.h CONTENT [[
#define OB_BUILD_COMPILER "@CMAKE_C_COMPILER_ID@ @CMAKE_C_COMPILER_VERSION@"
#define OB_BUILD_TARGET "@CMAKE_SYSTEM_NAME@ @CMAKE_SYSTEM_PROCESSOR@"
#define OB_BUILD_TYPE "@build_type@"
#define OB_BUILD_FLAGS "@flags@"
#define OB_BUILD_OPTIONS "@options@"
#define OB_BUILD_LIBRARIES "@libraries@"
#define OB_BUILD_LEVELS "@levels@"
]] @ONLY)
