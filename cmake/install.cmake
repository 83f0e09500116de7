# `cmake --install`: the FHS layout by GNUInstallDirs. The tree can be moved: the binary and
# libtensh.so find their plug-ins relative to themselves, and pkg-config and CMake find the headers
# relative to their own files.

# On Debian, libraries go to the directory of the architecture under any prefix, as in Debian's
# packages, so that one build tree serves the developer and `./dev package`.
if(NOT DEFINED CMAKE_INSTALL_LIBDIR AND CMAKE_LIBRARY_ARCHITECTURE AND EXISTS /etc/debian_version)
  set(CMAKE_INSTALL_LIBDIR lib/${CMAKE_LIBRARY_ARCHITECTURE} CACHE PATH "Libraries (lib/ARCHITECTURE on Debian)")
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(plugin_dir ${CMAKE_INSTALL_LIBDIR}/tensh)
set(cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tensh)
file(RELATIVE_PATH from_binary ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/tensh)
set_property(SOURCE runtime/api/plugin_paths.cc shell/python_bridge/host/load.cc APPEND PROPERTY COMPILE_DEFINITIONS
             TENSH_PLUGINS_FROM_BINARY="${from_binary}" TENSH_PLUGINS_FROM_LIBRARY="tensh")

install(TARGETS tensh RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
set_target_properties(tensh_c PROPERTIES EXPORT_NAME tensh)
install(TARGETS tensh_c tensh_headers EXPORT tenshTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# Addresses of functions are resolved at load time and then read-only, as Debian asks for.
target_link_options(tensh PRIVATE LINKER:-z,relro,-z,now)
target_link_options(tensh PRIVATE $<$<CONFIG:Release>:LINKER:${TENSH_SMALL}>)
target_link_options(tensh_c PRIVATE LINKER:-z,relro,-z,now $<$<CONFIG:Release>:LINKER:${TENSH_SMALL}>)
foreach(plugin tensh_dist tensh_cuda tensh_python_plugin)
  if(TARGET ${plugin})
    target_link_options(${plugin} PRIVATE LINKER:-z,relro,-z,now)
    install(TARGETS ${plugin} LIBRARY DESTINATION ${plugin_dir} OPTIONAL)  # left out if it was not built
  endif()
endforeach()

# All public headers; tensh_plugin.h is for our own plug-ins.
install(FILES runtime/include/tensh/tensh.h runtime/include/tensh/tensh.hpp runtime/include/tensh/tensh_handles.hpp
              runtime/include/tensh/tensh_op.h runtime/include/tensh/tensh_server.h
              runtime/include/tensh/tensh_import.h runtime/include/tensh/tensh_tensor.hpp
              runtime/include/tensh/tensh_devices.h runtime/include/tensh/tensh_optimize.h runtime/include/tensh/tensh_trace.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tensh)

install(EXPORT tenshTargets NAMESPACE tensh:: DESTINATION ${cmake_dir})
file(WRITE ${PROJECT_BINARY_DIR}/tenshConfig.cmake "include(\"\${CMAKE_CURRENT_LIST_DIR}/tenshTargets.cmake\")\n")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tenshConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tenshConfig.cmake ${PROJECT_BINARY_DIR}/tenshConfigVersion.cmake
        DESTINATION ${cmake_dir})

file(RELATIVE_PATH to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/tensh.pc.in ${PROJECT_BINARY_DIR}/tensh.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/tensh.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES README.md LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md")
install(DIRECTORY samples DESTINATION ${CMAKE_INSTALL_DATADIR}/tensh)

# The man pages and completions are generated from the texts in the binary, which must run on this machine.
find_package(Python3 3.9 COMPONENTS Interpreter)
if(Python3_FOUND AND NOT CMAKE_CROSSCOMPILING)
  set(manual ${PROJECT_BINARY_DIR}/manual)
  add_custom_command(
    OUTPUT ${manual}/tensh.1
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/manual.py --tensh $<TARGET_FILE:tensh> --out ${manual}
    DEPENDS tensh ${PROJECT_SOURCE_DIR}/cmake/manual.py ${PROJECT_SOURCE_DIR}/cmake/files.py VERBATIM)
  add_custom_target(tensh_manual DEPENDS ${manual}/tensh.1)
  add_dependencies(tensh_all tensh_manual)
  install(FILES ${manual}/tensh.1 ${manual}/tensh-serve.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
  install(FILES ${manual}/tensh.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME tensh OPTIONAL)
  install(FILES ${manual}/_tensh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions OPTIONAL)
  install(FILES ${manual}/tensh.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d OPTIONAL)
endif()
