# The rest of a toolchain file: Debian's cross compiler for OB_TRIPLET, and OB_QEMU to run the programs that it makes, or
# OB_LOADER, with which this machine runs them itself. Libraries of the target, for instance protobuf-c, are looked for in
# OB_SYSROOT (where `./dev cross` puts them) and beside the compiler, but not among those of the machine that builds.
set(CMAKE_SYSTEM_NAME Linux)
if(OB_COMPILER) # another than Debian's cross compiler, but with its libraries
  set(CMAKE_C_COMPILER ${OB_COMPILER})
  set(CMAKE_C_COMPILER_TARGET ${OB_TRIPLET})
else()
  set(CMAKE_C_COMPILER ${OB_TRIPLET}-gcc)
endif()
set(OB_SYSROOT "" CACHE PATH "Folder with the usr/include and usr/lib of the target's libraries")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES OB_SYSROOT)
set(CMAKE_FIND_ROOT_PATH ${OB_SYSROOT} /usr/${OB_TRIPLET})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
if(OB_LOADER)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${OB_LOADER};--library-path;/usr/${OB_TRIPLET}/lib)
else()
  set(CMAKE_CROSSCOMPILING_EMULATOR ${OB_QEMU};-L;/usr/${OB_TRIPLET})
endif()
