set(CMAKE_SYSTEM_PROCESSOR ppc)
set(OB_TRIPLET powerpc-linux-gnu)
set(OB_QEMU qemu-ppc)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
