# Finds Python.h for the two libraries that use the limited API of CPython 3.9, so that one build of each serves
# every later version. Builds the first of them, libtensh_python.so: the plug-in with which a script imports
# packages of CPython (shell/python_bridge). It is left out if the headers are missing, and in the build with TSan.
option(TENSH_PYTHON "Build the plug-in for CPython if its headers are found" ON)
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
  message(STATUS "No Python.h: tensh is built without packages of CPython and without the Python package (libpython3-dev)")
elseif(NOT TENSH_SANITIZE MATCHES "thread")
  set(helpers ${PROJECT_SOURCE_DIR}/shell/python_bridge/bridge/helpers.py)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${helpers})
  file(READ ${helpers} text)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/python/shell/python_bridge/bridge/helpers_text.h @ONLY
       CONTENT "#pragma once\ninline constexpr char kHelpersText[] = R\"python(@text@)python\";\n")
endif()
if(PYTHON_HEADERS AND TENSH_PYTHON AND NOT TENSH_SANITIZE MATCHES "thread")
  file(GLOB bridge CONFIGURE_DEPENDS shell/python_bridge/bridge/*.cc)
  add_library(tensh_python_plugin MODULE ${bridge})
  target_include_directories(tensh_python_plugin PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated/python)
  target_include_directories(tensh_python_plugin SYSTEM PRIVATE ${PYTHON_HEADERS})
  target_link_libraries(tensh_python_plugin PRIVATE tensh_warnings tensh_headers)
  target_compile_options(tensh_python_plugin PRIVATE $<$<CONFIG:Release>:-Os>)
  if(TENSH_SANITIZE)  # the program does not export the type information that these two need
    target_compile_options(tensh_python_plugin PRIVATE -fno-sanitize=vptr,function)
  endif()
  target_link_options(tensh_python_plugin PRIVATE $<$<CONFIG:Release>:LINKER:${TENSH_SMALL}>)
  set_target_properties(tensh_python_plugin PROPERTIES OUTPUT_NAME tensh_python LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endif()
