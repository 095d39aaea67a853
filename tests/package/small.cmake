# cmake -C: the options of a build for something small, as the tests build and measure it.
set(CMAKE_BUILD_TYPE MinSizeRel CACHE STRING "")
set(OB_ISA_LEVELS "" CACHE STRING "")
set(OB_WERROR ON CACHE BOOL "")
foreach(option BUILD_TESTS BUILD_BENCH BUILD_SHARED BUILD_ORT WITH_SLEEF WITH_ZLIB WITH_JPEG WITH_PNG WITH_WEBP WITH_TIFF
        WITH_OPENJPEG WITH_PCRE2 WITH_UNISTRING)
  set(OB_${option} OFF CACHE BOOL "")
endforeach()
set(OB_PAGE_LAYOUT_DIR none CACHE STRING "") # the figures do not depend on npm
