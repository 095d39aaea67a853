set(CMAKE_SYSTEM_PROCESSOR i686)
set(OB_TRIPLET i686-linux-gnu)
set(OB_QEMU qemu-i386)
# x86-64 runs it itself. qemu-user of Debian 12 does not end some programs with threads.
set(OB_LOADER /usr/i686-linux-gnu/lib/ld-linux.so.2)
# At other levels of inlining arrays that a loop fills look as if they were not.
set(CMAKE_C_FLAGS_INIT -Wno-maybe-uninitialized)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
