# The library, static and shared, made of the layers' objects. The libraries that it needs are linked privately: programs see
# neither their headers nor their names.
get_property(OB_NEEDED_NAMES GLOBAL PROPERTY OB_NEEDED_NAMES)
get_property(OB_NEEDED_LINKS GLOBAL PROPERTY OB_NEEDED_LINKS)
set(objects)
foreach(layer core core_hosted kernels proto ops passes runtime)
  if(TARGET ob_${layer})
    list(APPEND objects $<TARGET_OBJECTS:ob_${layer}>)
  endif()
endforeach()

# ob_library(NAME TYPE EXPORT_NAME): one form of the library, onnx_broadcast::EXPORT_NAME to those who use it.
function(ob_library name type export_name)
  add_library(${name} ${type} ${objects})
  add_library(onnx_broadcast::${export_name} ALIAS ${name})
  set_target_properties(${name} PROPERTIES OUTPUT_NAME onnx_broadcast EXPORT_NAME ${export_name})
  target_include_directories(${name} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  target_compile_definitions(${name} INTERFACE ${OB_PART_DEFINITIONS})
  if(OB_OPS AND type STREQUAL "STATIC") # programs take what is selected
    target_link_options(${name} INTERFACE LINKER:--gc-sections)
  endif()
  if(OB_SANITIZE)
    target_link_options(${name} PUBLIC -fsanitize=${OB_SANITIZE})
  endif()
  if(OB_COVERAGE)
    target_link_options(${name} PUBLIC --coverage)
  endif()
endfunction()

# ob_needs(NAME LINKS NAMES): programs of a static library are linked with these, too. The installed package looks for its own
# copies (install.cmake).
function(ob_needs name links names)
  foreach(link ${links})
    target_link_libraries(${name} INTERFACE $<LINK_ONLY:$<BUILD_INTERFACE:${link}>>)
  endforeach()
  foreach(needed ${names})
    target_link_libraries(${name} INTERFACE $<INSTALL_INTERFACE:onnx_broadcast::needs_${needed}>)
  endforeach()
endfunction()

# The commands and the tests are linked with the static library, so it is there when it is not installed, too.
ob_library(onnx_broadcast STATIC static)
ob_needs(onnx_broadcast "${OB_NEEDED_LINKS}" "${OB_NEEDED_NAMES}")
target_link_libraries(onnx_broadcast INTERFACE m)
add_library(onnx_broadcast::onnx_broadcast ALIAS onnx_broadcast)

if(OB_BUILD_SHARED)
  ob_library(onnx_broadcast_shared SHARED shared)
  set_target_properties(onnx_broadcast_shared PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${OB_SOVERSION})
  target_link_libraries(onnx_broadcast_shared PRIVATE ${OB_NEEDED_LINKS} m)
  # Calls inside the library stay inside; nothing of a static library that it contains is exported.
  target_link_options(onnx_broadcast_shared PRIVATE LINKER:-Bsymbolic-functions LINKER:--exclude-libs,ALL LINKER:--as-needed
                      LINKER:--gc-sections ${OB_LINK_OPTIONS})
  if(NOT OB_SANITIZE)
    target_link_options(onnx_broadcast_shared PRIVATE LINKER:-z,defs)
  endif()
endif()

# What emitted models link: kernels, the operators' `run` functions, and what they call. A linker takes only the sections in use.
set(ahead_objects)
foreach(layer core kernels ops)
  list(APPEND ahead_objects $<TARGET_OBJECTS:ob_${layer}>)
endforeach()
file(GLOB ahead_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/runtime/ahead/*.c)
add_library(onnx_broadcast_ahead STATIC ${ahead_sources} ${ahead_objects})
add_library(onnx_broadcast::ahead ALIAS onnx_broadcast_ahead)
ob_target_settings(onnx_broadcast_ahead)
foreach(layer runtime ops kernels core)
  target_include_directories(onnx_broadcast_ahead PRIVATE ${PROJECT_BINARY_DIR}/layers/${layer})
endforeach()
set_target_properties(onnx_broadcast_ahead PROPERTIES EXPORT_NAME ahead)
target_compile_options(onnx_broadcast_ahead PRIVATE -ffunction-sections -fdata-sections)
target_include_directories(onnx_broadcast_ahead PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
target_link_libraries(onnx_broadcast_ahead INTERFACE m)
if(NOT APPLE) # there it is the default
  target_link_options(onnx_broadcast_ahead INTERFACE LINKER:--gc-sections)
endif()
# Kernels call no other library than SLEEF. A sanitizer keeps what nothing calls, which needs all of them.
if(OB_SANITIZE)
  ob_needs(onnx_broadcast_ahead "${OB_NEEDED_LINKS}" "${OB_NEEDED_NAMES}")
elseif("sleef" IN_LIST OB_NEEDED_NAMES)
  ob_needs(onnx_broadcast_ahead ${OB_SLEEF_LIBRARY} sleef)
endif()
