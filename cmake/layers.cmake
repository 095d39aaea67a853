# Layers: one object library per folder. A folder can include the public headers, its own headers and those of the layers that it
# names. The headers of a layer are reachable only through a directory that holds a link to that one folder.

include(CheckCSourceCompiles)
set(OB_WARNINGS -Wall -Wextra -Wshadow -Wundef -Wstrict-prototypes -Wmissing-declarations -Wdouble-promotion
                -Wpointer-arith -Wwrite-strings -Wvla)

if(CMAKE_C_COMPILER_ID MATCHES Clang)
  # GCC's loop pragmas; clang counts INFINITY and NAN in a double expression as promotions. Templates compare integers with
  # themselves where floats may be NaN, rows of tables name the members that are not 0, and not every loop becomes vectors.
  list(APPEND OB_WARNINGS -Wno-unknown-pragmas -Wno-double-promotion -Wno-tautological-compare -Wno-missing-field-initializers
       -Wno-pass-failed)
endif()

# newlib on Arm: int32_t is a long of the same size, so %d and %u are right for it all the same; enums are as small as their
# values, so tests of others are always false.
check_c_source_compiles("#include <stdint.h>\nint main(void) { return _Generic((int32_t)0, int: 0); }\n" OB_INT32_IS_INT)
if(NOT OB_INT32_IS_INT)
  list(APPEND OB_WARNINGS -Wno-format -Wno-type-limits)
endif()

# Compile settings that every target of the project shares.
function(ob_target_settings target)
  target_compile_options(${target} PRIVATE ${OB_FLOAT_OPTIONS} ${OB_WARNINGS} $<$<BOOL:${OB_WERROR}>:-Werror>)
  target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L _FILE_OFFSET_BITS=64)
  if(NOT OB_MAX_RANK EQUAL 32)
    target_compile_definitions(${target} PRIVATE OB_MAX_RANK=${OB_MAX_RANK})
  endif()
  if(OB_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${OB_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    # Instrumentation hides from GCC that a buffer was filled; the sanitizers look for themselves.
    target_compile_options(${target} PRIVATE $<$<C_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  endif()
  if(OB_COVERAGE)
    target_compile_options(${target} PRIVATE --coverage -fprofile-update=atomic)
    target_link_options(${target} PRIVATE --coverage)
  endif()
  if(OB_ANALYZE)
    # GCC 12 does not follow arrays that loops or other functions fill: each of its 14 reports of this kind was read and is none.
    # Valgrind and the fuzzers look for values that are not set.
    target_compile_options(${target} PRIVATE -fanalyzer -Wno-analyzer-use-of-uninitialized-value)
  endif()
endfunction()

# ob_layer(NAME [USES layer...]): declares target ob_NAME and what it may include. The folder's CMakeLists.txt adds the sources.
function(ob_layer name)
  cmake_parse_arguments(ARG "" "" "USES" ${ARGN})
  set(door ${PROJECT_BINARY_DIR}/layers/${name})
  file(MAKE_DIRECTORY ${door})
  if(NOT EXISTS ${door}/${name})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${name} ${door}/${name} SYMBOLIC)
  endif()
  add_library(ob_${name} OBJECT)
  ob_target_settings(ob_${name})
  # Threads of some systems have 128 KiB of stack (docs/embedding.md): no function of the library may take more than 2 KiB of it.
  # Only release builds are measured: in others locals do not share their places, and sanitizers put red zones between them.
  if(OB_WERROR AND NOT OB_SANITIZE AND NOT OB_COVERAGE AND NOT OB_ANALYZE)
    set(most 2048)
    if(CMAKE_C_COMPILER_ID MATCHES Clang)
      set(most 2304) # it saves more registers
    endif()
    target_compile_options(ob_${name} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-Wframe-larger-than=${most}>)
  endif()
  # Static links take functions and tables, not files: a kernel's `run` without its planning.
  target_compile_options(ob_${name} PRIVATE ${OB_SMALL_OPTIONS} -ffunction-sections -fdata-sections)
  target_compile_definitions(ob_${name} PRIVATE OB_BUILDING)
  target_include_directories(ob_${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${door})
  foreach(used ${ARG_USES})
    target_include_directories(ob_${name} PRIVATE ${PROJECT_BINARY_DIR}/layers/${used})
    if(TARGET ob_${used}_headers) # those that the build makes
      add_dependencies(ob_${name} ob_${used}_headers)
    endif()
  endforeach()
endfunction()

# ob_see_all_layers(TARGET): a program, linked with onnx_broadcast, that includes headers of every layer: a test, or the generator
# of pages.
function(ob_see_all_layers target)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/layers/core)
endfunction()

# ob_link(NAME LINK... [DEBIAN PACKAGE]): a library that onnx_broadcast needs. NAME is the name behind -l, for those who link the
# installed static library. LINK is the library or target that this build links. PACKAGE is its development package in Debian, by
# default libNAME-dev.
function(ob_link name)
  cmake_parse_arguments(ARG "" "DEBIAN" "" ${ARGN})
  if(NOT DEFINED ARG_DEBIAN)
    set(ARG_DEBIAN lib${name}-dev)
  endif()
  set_property(GLOBAL APPEND PROPERTY OB_NEEDED_NAMES ${name})
  set_property(GLOBAL APPEND PROPERTY OB_NEEDED_LINKS ${ARG_UNPARSED_ARGUMENTS})
  set_property(GLOBAL APPEND PROPERTY OB_NEEDED_PACKAGES ${ARG_DEBIAN})
endfunction()

# Optional libraries: each is used where it is found and works for the target; without it what wants it says so.
# ob_optional(NAME FILES LIBRARY HEADER PACKAGE WHAT): option OB_WITH_NAME; FILES see OB_WITH_NAME and the header, LIBRARY is the
# name behind -l.
function(ob_optional name files library header package what)
  option(OB_WITH_${name} "Use it for ${what} when it is found" ON)
  if(NOT OB_WITH_${name})
    return()
  endif()
  find_path(OB_${name}_DIR ${header} PATH_SUFFIXES openjpeg-2.5 openjpeg-2.4)
  find_library(OB_${name}_LIBRARY ${library})
  mark_as_advanced(OB_${name}_DIR OB_${name}_LIBRARY)
  if(OB_${name}_DIR AND OB_${name}_LIBRARY)
    ob_is_for_target(OB_${name}_IS_FOR_TARGET ${OB_${name}_LIBRARY})
  endif()
  if(NOT OB_${name}_IS_FOR_TARGET)
    message(STATUS "onnx_broadcast: built without ${library} (${package}): ${what}")
    return()
  endif()
  set_property(SOURCE ${files} APPEND PROPERTY COMPILE_DEFINITIONS OB_WITH_${name})
  set_property(SOURCE ${files} APPEND PROPERTY INCLUDE_DIRECTORIES ${OB_${name}_DIR})
  ob_link(${library} ${OB_${name}_LIBRARY} DEBIAN ${package})
  set_property(GLOBAL APPEND PROPERTY OB_OPTIONAL_DEFINITIONS OB_WITH_${name}) # for tests that make files
  set_property(GLOBAL APPEND PROPERTY OB_OPTIONAL_FOLDERS ${OB_${name}_DIR})
endfunction()
