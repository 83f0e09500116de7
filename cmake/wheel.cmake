# Builds tensh/_tensh.abi3.so, the extension module of the Python package (`./dev wheel`). It contains the
# runtime and the shell, and exports only its init function. One build serves every CPython from 3.9 on,
# because it uses the limited API. It is left out if Python's headers are missing
# (cmake/python.cmake).
if(PYTHON_HEADERS AND NOT TENSH_SANITIZE)
  # The module contains the bridge, without what only the plug-in needs.
  file(GLOB module_sources CONFIGURE_DEPENDS shell/python_bridge/module/*.cc shell/python_bridge/bridge/*.cc)
  list(FILTER module_sources EXCLUDE REGEX "bridge/(plugin|program_values)\\.cc$")
  add_library(tensh_module MODULE EXCLUDE_FROM_ALL ${module_sources} $<TARGET_OBJECTS:tensh_api>)
  target_include_directories(tensh_module PRIVATE ${PROJECT_BINARY_DIR}/generated/python)
  target_include_directories(tensh_module SYSTEM PRIVATE ${PYTHON_HEADERS})
  target_link_libraries(tensh_module PRIVATE tensh_warnings tensh_shell)
  target_link_options(tensh_module PRIVATE LINKER:--exclude-libs,ALL LINKER:-z,relro,-z,now
                      $<$<CONFIG:Release>:LINKER:${TENSH_SMALL}>
                      LINKER:--version-script=${PROJECT_SOURCE_DIR}/shell/python_bridge/module/module.map)
  set_target_properties(tensh_module PROPERTIES PREFIX "" OUTPUT_NAME _tensh SUFFIX .abi3.so
                        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python/tensh
                        LINK_DEPENDS ${PROJECT_SOURCE_DIR}/shell/python_bridge/module/module.map)
endif()
