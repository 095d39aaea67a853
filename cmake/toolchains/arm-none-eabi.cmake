# A Cortex-M4 with FPU, without an operating system: Debian's compiler with newlib. Programs need the start-up code and the memory
# map of a board (examples/microcontroller/mps2_an386/); OB_QEMU runs those for that board.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR cortex-m4)
set(OB_TRIPLET arm-none-eabi)
set(OB_QEMU qemu-system-arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
# Tables that are written as C have enumerations of the size of int.
set(CMAKE_C_FLAGS_INIT "-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 -fno-short-enums -ffunction-sections")
set(CMAKE_EXE_LINKER_FLAGS_INIT "--specs=nosys.specs -Wl,--gc-sections") # for questions to the linker: system calls that fail
set(OB_SYSROOT "" CACHE PATH "Folder with the usr/include and usr/lib of the target's libraries")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES OB_SYSROOT)
set(CMAKE_FIND_ROOT_PATH ${OB_SYSROOT} /usr/arm-none-eabi)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
