set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(OB_TRIPLET aarch64-linux-gnu)
set(OB_QEMU qemu-aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
