# riscv64 with the level RVV, by clang: Debian's GCC 12 makes no vectors for it.
set(CMAKE_SYSTEM_PROCESSOR riscv64)
set(OB_TRIPLET riscv64-linux-gnu)
set(OB_COMPILER clang-19)
set(OB_QEMU qemu-riscv64)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
