# WebAssembly by Debian's emscripten (./dev web). Programs run under node. protobuf-c and cmocka are looked for in OB_SYSROOT.
set(EMSCRIPTEN_SYSTEM_PROCESSOR wasm32)
set(OB_SYSROOT "" CACHE PATH "Folder with the usr/include and usr/lib of the target's libraries")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES OB_SYSROOT)
set(CMAKE_FIND_ROOT_PATH ${OB_SYSROOT})
include(/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake)
# emscripten 3.1 takes a path for an address where node has fetch
set(CMAKE_CROSSCOMPILING_EMULATOR node --no-experimental-fetch)
list(APPEND CMAKE_SYSTEM_PREFIX_PATH /usr)
