# Levels of optimization (docs/adr/0066-size.md), unless who builds has chosen one: in the flags, or MinSizeRel. Code that plans
# and checks is made small, what every run passes through is made fast, and the kernels are vectorised whatever the build type.
string(TOUPPER "${CMAKE_BUILD_TYPE}" ob_type)
set(ob_chosen "${CMAKE_C_FLAGS}")
string(STRIP "${CMAKE_C_FLAGS_${ob_type}_INIT}" ob_default)
if(NOT "${CMAKE_C_FLAGS_${ob_type}}" STREQUAL ob_default)
  string(APPEND ob_chosen " ${CMAKE_C_FLAGS_${ob_type}}")
endif()
set(OB_LOOP_LEVELS OFF)   # the kernels have levels of their own
set(OB_FOLDER_LEVELS OFF) # the other folders, too
if(NOT OB_SANITIZE AND NOT ob_chosen MATCHES "(^| )-O" AND NOT ob_type STREQUAL "MINSIZEREL")
  set(OB_LOOP_LEVELS ON)
  if(ob_type MATCHES "^REL" AND NOT OB_COVERAGE AND NOT OB_ANALYZE)
    set(OB_FOLDER_LEVELS ON)
  endif()
endif()

# What each folder is compiled with, if levels are not chosen: small code, without tables for unwinding. No exception passes
# through C, and debuggers have tables of their own (-g).
set(OB_SMALL_OPTIONS "")
if(OB_FOLDER_LEVELS)
  set(OB_SMALL_OPTIONS -Os -fno-unwind-tables -fno-asynchronous-unwind-tables)
elseif(ob_type STREQUAL "MINSIZEREL")
  set(OB_SMALL_OPTIONS -fno-unwind-tables -fno-asynchronous-unwind-tables)
endif()

# For loops over elements: they are vectorised, and the few elements behind whole vectors are computed one by one.
set(OB_LOOP_OPTIONS -O2)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  list(APPEND OB_LOOP_OPTIONS -fvect-cost-model=dynamic --param=vect-epilogues-nomask=0)
endif()

# ob_fast(FILE...): files of the current folder that runs pass through.
function(ob_fast)
  if(OB_FOLDER_LEVELS)
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS ${OB_LOOP_OPTIONS})
  endif()
endfunction()

# ob_fastest(FILE...): the same for loops that are unrolled, and for steps of which small models have many.
function(ob_fastest)
  if(OB_FOLDER_LEVELS)
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -O3)
  endif()
endfunction()

# Addresses in constant tables take 24 bytes each for the loader, or a bit where the linker packs them and the loader knows that:
# glibc from 2.36 on. A library for an older one is built where that is.
include(CheckCSourceCompiles)
set(CMAKE_REQUIRED_LINK_OPTIONS LINKER:-z,pack-relative-relocs LINKER:--fatal-warnings)
set(CMAKE_REQUIRED_QUIET ON)
check_c_source_compiles("#include <features.h>
#if !defined __GLIBC__ || !__GLIBC_PREREQ(2, 36)
#error other
#endif
int main(void) { return 0; }" OB_PACKS_ADDRESSES)
unset(CMAKE_REQUIRED_LINK_OPTIONS)
unset(CMAKE_REQUIRED_QUIET)
set(OB_LINK_OPTIONS "")
if(OB_PACKS_ADDRESSES)
  set(OB_LINK_OPTIONS LINKER:-z,pack-relative-relocs)
endif()
