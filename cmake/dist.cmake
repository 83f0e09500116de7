# Builds libtensh_dist.so: gRPC sessions and the server (runtime/dist). It is a plug-in, so that it
# costs nothing unless it is used. It is built if gRPC and protobuf are installed, except in
# sanitizer builds, which would need both libraries instrumented.
option(TENSH_DIST "Build the gRPC plug-in where its packages are" ON)
find_program(PROTOC protoc)
find_program(GRPC_CPP_PLUGIN grpc_cpp_plugin)
find_library(GRPCPP_LIBRARY grpc++)
find_library(GRPC_LIBRARY grpc)
find_library(GPR_LIBRARY gpr)
find_library(PROTOBUF_LITE_LIBRARY protobuf-lite)  # the messages have no descriptors
# gRPC's headers use this mutex, which is installed with gRPC.
find_library(ABSL_SYNCHRONIZATION_LIBRARY absl_synchronization)
find_path(GRPCPP_INCLUDE grpcpp/grpcpp.h)

set(TENSH_HAVE_DIST FALSE)
if(TENSH_DIST AND NOT TENSH_SANITIZE)
  if(PROTOC AND GRPC_CPP_PLUGIN AND GRPCPP_LIBRARY AND GRPC_LIBRARY AND GPR_LIBRARY AND PROTOBUF_LITE_LIBRARY AND GRPCPP_INCLUDE)
    set(TENSH_HAVE_DIST TRUE)
  else()
    message(STATUS "No gRPC: tensh is built without serve and grpc:// (libgrpc++-dev, protobuf-compiler-grpc)")
  endif()
endif()

if(TENSH_HAVE_DIST)
  set(wire ${PROJECT_BINARY_DIR}/generated/wire)
  set(proto ${PROJECT_SOURCE_DIR}/runtime/dist/proto/tensorflow_wire.proto)
  file(MAKE_DIRECTORY ${wire})
  add_custom_command(
    OUTPUT ${wire}/tensorflow_wire.pb.cc ${wire}/tensorflow_wire.pb.h ${wire}/tensorflow_wire.grpc.pb.cc
           ${wire}/tensorflow_wire.grpc.pb.h
    COMMAND ${PROTOC} --cpp_out=${wire} --grpc_out=${wire} --plugin=protoc-gen-grpc=${GRPC_CPP_PLUGIN}
            -I ${PROJECT_SOURCE_DIR}/runtime/dist/proto ${proto}
    DEPENDS ${proto} VERBATIM)
  # Generated code is compiled without warnings.
  add_library(tensh_wire STATIC ${wire}/tensorflow_wire.pb.cc ${wire}/tensorflow_wire.grpc.pb.cc)
  target_include_directories(tensh_wire SYSTEM PUBLIC ${wire} ${GRPCPP_INCLUDE})
  # The network and the kernels take the time, so the size of both libraries matters more than their speed.
  target_compile_options(tensh_wire PRIVATE -w $<$<CONFIG:Release>:-Os>)

  set(TENSH_DIST_LIBRARIES nlohmann_json::nlohmann_json ZLIB::ZLIB ${GRPCPP_LIBRARY} ${GRPC_LIBRARY} ${GPR_LIBRARY}
      ${PROTOBUF_LITE_LIBRARY})
  if(ABSL_SYNCHRONIZATION_LIBRARY)
    list(APPEND TENSH_DIST_LIBRARIES ${ABSL_SYNCHRONIZATION_LIBRARY})
  endif()
  file(GLOB DIST_SOURCES CONFIGURE_DEPENDS runtime/dist/*.cc runtime/dist/*/*.cc)
  list(REMOVE_ITEM DIST_SOURCES ${PROJECT_SOURCE_DIR}/runtime/dist/plugin.cc)
  tensh_library(tensh_dist_parts SOURCES ${DIST_SOURCES} DEPENDS tensh_headers tensh_wire ZLIB::ZLIB)
  add_dependencies(tensh_dist_parts tensh_wire)
  target_compile_options(tensh_dist_parts PRIVATE $<$<CONFIG:Release>:-Os>)
  # gRPC's headers take 4 of the 5 seconds of a file.
  target_precompile_headers(tensh_dist_parts PRIVATE <algorithm> <condition_variable> <functional> <map> <memory> <mutex> <string>
                            <thread> <vector> <grpcpp/grpcpp.h> <grpcpp/generic/generic_stub.h>
                            [["tensorflow_wire.grpc.pb.h"]])
  add_library(tensh_dist MODULE runtime/dist/plugin.cc)
  # Links only Status from the runtime. Everything else is reached through tensh.h at load time.
  target_link_libraries(tensh_dist PRIVATE tensh_warnings tensh_dist_parts tensh_wire tensh_core
                        ${TENSH_DIST_LIBRARIES})
  target_link_options(tensh_dist PRIVATE -Wl,--exclude-libs,ALL)
  set_target_properties(tensh_dist PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

  # The plug-in of the relocatable archive, which contains gRPC instead of linking to it. The linker leaves out what
  # nothing calls, which makes the archive 0.4 MB smaller. Debian's static libraries of Abseil and RE2 cannot be linked
  # into shared libraries, so these stay outside.
  set(static_grpc "")
  foreach(name grpc++ grpc gpr upb address_sorting)
    find_library(STATIC_${name} lib${name}.a)
    list(APPEND static_grpc ${STATIC_${name}})
  endforeach()
  find_package(PkgConfig QUIET)
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(GRPC_PARTS QUIET grpc++)
  endif()
  if(GRPC_PARTS_FOUND AND NOT static_grpc MATCHES NOTFOUND)
    add_library(tensh_dist_archive MODULE EXCLUDE_FROM_ALL runtime/dist/plugin.cc)
    set(shared ${GRPC_PARTS_STATIC_LIBRARIES})
    list(FILTER shared INCLUDE REGEX "^(absl_.*|re2|cares|ssl|crypto|z)$")
    list(REMOVE_DUPLICATES shared)
    target_link_libraries(tensh_dist_archive PRIVATE tensh_warnings tensh_dist_parts tensh_wire tensh_core
                          nlohmann_json::nlohmann_json -Wl,--start-group ${static_grpc} -Wl,--end-group
                          ${shared} ${PROTOBUF_LITE_LIBRARY})
    target_link_options(tensh_dist_archive PRIVATE LINKER:--exclude-libs,ALL LINKER:${TENSH_SMALL},--as-needed
                        LINKER:-z,relro,-z,now)
    set_target_properties(tensh_dist_archive PROPERTIES OUTPUT_NAME tensh_dist
                          LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/archive)
  endif()
endif()
