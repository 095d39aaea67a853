set(CMAKE_SYSTEM_PROCESSOR i686)
set(OB_TRIPLET i686-linux-gnu)
set(OB_QEMU qemu-i386)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
