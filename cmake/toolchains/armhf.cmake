set(CMAKE_SYSTEM_PROCESSOR armv7l)
set(OB_TRIPLET arm-linux-gnueabihf)
set(OB_QEMU qemu-arm)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
