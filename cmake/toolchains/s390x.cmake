set(CMAKE_SYSTEM_PROCESSOR s390x)
set(OB_TRIPLET s390x-linux-gnu)
set(OB_QEMU qemu-s390x)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
