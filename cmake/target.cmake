# What depends on the machine that is built for, which need not be the one that builds.

# ---- Floating-point numbers. ----------------------------------------------------------------------------------------
# Expected bits do not depend on the machine, and sums round where the kernels rely on it: each operation is computed in its own
# type, neither in a wider one (FLT_EVAL_METHOD) nor fused with the next.
include(CheckCSourceCompiles)
set(OB_FLOAT_OPTIONS -ffp-contract=off)
set(ob_float_source "#include <float.h>\n#if FLT_EVAL_METHOD != 0\n#error wider\n#endif\nint main(void) { return 0; }\n")
foreach(options "" "-fexcess-precision=fast" "-msse2 -mfpmath=sse") # s390x; i386
  string(MAKE_C_IDENTIFIER "OB_FLOAT_AS_FLOAT${options}" variable)
  set(CMAKE_REQUIRED_FLAGS "-std=c11 ${options}")
  set(CMAKE_REQUIRED_QUIET ON)
  check_c_source_compiles("${ob_float_source}" ${variable})
  unset(CMAKE_REQUIRED_FLAGS)
  unset(CMAKE_REQUIRED_QUIET)
  if(${variable})
    separate_arguments(options UNIX_COMMAND "${options}")
    list(APPEND OB_FLOAT_OPTIONS ${options})
    break()
  endif()
endforeach()
if(NOT ${variable})
  message(FATAL_ERROR "The compiler computes float in a wider type (FLT_EVAL_METHOD is not 0), which would give other numbers; "
                      "put an option into CMAKE_C_FLAGS that ends this.")
endif()

# ---- Atomic operations. ---------------------------------------------------------------------------------------------
# Those that the processor does not have (64 bits on powerpc, small ones on riscv64) are functions of libatomic.
string(CONCAT ob_atomic_source "#include <stdatomic.h>\n#include <stdint.h>\n"
    "static _Atomic uint64_t a;\nstatic atomic_flag b;\nstatic atomic_uchar c;\n"
    "int main(void) { uint64_t old = atomic_load(&a); atomic_fetch_add(&c, 1);\n"
    "return atomic_compare_exchange_weak(&a, &old, old + 1) + atomic_fetch_sub(&a, 1) + atomic_flag_test_and_set(&b) > 1; }\n")
check_c_source_compiles("${ob_atomic_source}" OB_ATOMIC_IN_COMPILER)
if(NOT OB_ATOMIC_IN_COMPILER)
  set(CMAKE_REQUIRED_LIBRARIES atomic)
  check_c_source_compiles("${ob_atomic_source}" OB_ATOMIC_IN_LIBRARY)
  unset(CMAKE_REQUIRED_LIBRARIES)
  if(OB_ATOMIC_IN_LIBRARY)
    ob_link(atomic atomic)
  elseif(CMAKE_SYSTEM_NAME STREQUAL "Generic") # a microcontroller: kernels and operators do with 32 bits, sessions do not
    add_compile_definitions(OB_NO_ATOMIC_64)
  else()
    message(FATAL_ERROR "Atomic operations on 64 bits are needed: neither the compiler nor libatomic has them.")
  endif()
endif()

# ---- Libraries. -----------------------------------------------------------------------------------------------------
# By default pkg-config finds the libraries of the machine that builds, and a toolchain file alone does not change that.
if(CMAKE_CROSSCOMPILING AND NOT DEFINED ENV{PKG_CONFIG_LIBDIR} AND NOT PKG_CONFIG_EXECUTABLE)
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-multiarch
                  OUTPUT_VARIABLE ob_multiarch OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(roots ${CMAKE_SYSROOT} ${CMAKE_FIND_ROOT_PATH})
  set(ob_pc_folders)
  foreach(root IN LISTS roots)
    foreach(folder lib/${ob_multiarch} lib lib64 share)
      list(APPEND ob_pc_folders ${root}/usr/${folder}/pkgconfig ${root}/${folder}/pkgconfig)
    endforeach()
    file(GLOB found
         ${root}/usr/lib/pkgconfig/libprotobuf-c.pc
         ${root}/usr/lib*/*/libprotobuf-c.pc
         ${root}/usr/lib/*/pkgconfig/libprotobuf-c.pc)
    if(found AND NOT DEFINED ENV{PKG_CONFIG_SYSROOT_DIR})
      set(ENV{PKG_CONFIG_SYSROOT_DIR} ${root})
    endif()
  endforeach()
  if(NOT roots AND ob_multiarch) # Debian's libraries of another architecture
    set(ob_pc_folders /usr/lib/${ob_multiarch}/pkgconfig)
  endif()
  list(JOIN ob_pc_folders ":" ob_pc_folders)
  set(ENV{PKG_CONFIG_LIBDIR} "${ob_pc_folders}:")
  message(STATUS "onnx_broadcast: built for ${CMAKE_SYSTEM_PROCESSOR}; pkg-config looks in ${ob_pc_folders}")
endif()

# ob_is_for_target(VARIABLE LIBRARY...): whether programs for the target can be linked with the library. They cannot if it is one
# of the machine that builds.
function(ob_is_for_target variable)
  if(CMAKE_CROSSCOMPILING)
    set(CMAKE_REQUIRED_LIBRARIES ${ARGN})
    set(CMAKE_REQUIRED_QUIET ON)
    check_c_source_compiles("int main(void) { return 0; }" ${variable})
    if(NOT ${variable})
      message(STATUS "onnx_broadcast: ${ARGN} is not for ${CMAKE_SYSTEM_PROCESSOR}")
    endif()
  else()
    set(${variable} TRUE)
  endif()
  set(${variable} ${${variable}} PARENT_SCOPE)
endfunction()

# C++, for tests only: when there is a compiler for the target. The one that CMake would find is that of the machine that builds.
macro(ob_enable_cxx)
  include(CheckLanguage)
  if(NOT CMAKE_CROSSCOMPILING)
    check_language(CXX)
  endif()
  if(CMAKE_CXX_COMPILER)
    enable_language(CXX)
  endif()
endmacro()
