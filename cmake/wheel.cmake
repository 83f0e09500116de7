# Builds tensh/_tensh.abi3.so, the extension module of the Python package (`./dev wheel`). It contains the
# runtime and the shell, and exports only its init function. One build serves every CPython from 3.9 on,
# because it uses the limited API. It is left out if Python's headers are missing.
find_path(PYTHON_HEADERS Python.h PATHS /usr/include/python3.13 /usr/include/python3.12 /usr/include/python3.11
          /usr/include/python3.10 /usr/include/python3.9)
if(NOT PYTHON_HEADERS)
  find_package(Python3 3.9 QUIET COMPONENTS Interpreter)
endif()
if(NOT PYTHON_HEADERS AND Python3_EXECUTABLE)
  execute_process(COMMAND ${Python3_EXECUTABLE} -c "import sysconfig; print(sysconfig.get_paths()['include'])"
                  OUTPUT_VARIABLE headers OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(EXISTS "${headers}/Python.h")
    set(PYTHON_HEADERS ${headers} CACHE PATH "The folder of Python.h" FORCE)
  endif()
endif()
if(NOT PYTHON_HEADERS)
  message(STATUS "No Python.h: tensh is built without the Python package (python3-dev)")
elseif(NOT TENSH_SANITIZE)
  file(GLOB module_sources CONFIGURE_DEPENDS shell/python_bridge/module/*.cc)
  add_library(tensh_module MODULE EXCLUDE_FROM_ALL ${module_sources} $<TARGET_OBJECTS:tensh_api>)
  target_include_directories(tensh_module SYSTEM PRIVATE ${PYTHON_HEADERS})
  target_link_libraries(tensh_module PRIVATE tensh_warnings tensh_shell)
  target_link_options(tensh_module PRIVATE LINKER:--exclude-libs,ALL LINKER:-z,relro,-z,now
                      $<$<CONFIG:Release>:LINKER:${TENSH_SMALL}>
                      LINKER:--version-script=${PROJECT_SOURCE_DIR}/shell/python_bridge/module/module.map)
  set_target_properties(tensh_module PROPERTIES PREFIX "" OUTPUT_NAME _tensh SUFFIX .abi3.so
                        LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python/tensh
                        LINK_DEPENDS ${PROJECT_SOURCE_DIR}/shell/python_bridge/module/module.map)
endif()
