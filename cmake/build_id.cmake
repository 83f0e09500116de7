# tensh_build_id(): a target that writes generated/build_id.h with TENSH_BUILD_ID, a hash of all headers whose C++ types
# cross the boundary between tensh and its plug-in for GPUs (devices/cuda/cuda_plugin.h). The file changes only with the
# hash. Run with -P, this file writes it: -DOUT=FILE -DSOURCE_DIR=FOLDER.
if(CMAKE_SCRIPT_MODE_FILE)
  file(GLOB_RECURSE headers RELATIVE ${SOURCE_DIR} ${SOURCE_DIR}/runtime/base/*.h ${SOURCE_DIR}/runtime/core/*.h
       ${SOURCE_DIR}/ops/*.h ${SOURCE_DIR}/devices/*.h)
  list(SORT headers)
  set(hashes "")
  foreach(header ${headers})
    file(SHA256 ${SOURCE_DIR}/${header} hash)
    string(APPEND hashes "${header} ${hash}\n")
  endforeach()
  string(SHA256 id "${hashes}")
  string(SUBSTRING ${id} 0 16 id)
  file(CONFIGURE OUTPUT ${OUT} CONTENT "#define TENSH_BUILD_ID \"${id}\"\n" @ONLY)
  return()
endif()

file(GLOB_RECURSE boundary CONFIGURE_DEPENDS runtime/base/*.h runtime/core/*.h ops/*.h devices/*.h)
set(id_script ${PROJECT_SOURCE_DIR}/cmake/build_id.cmake)
set(id_header ${PROJECT_BINARY_DIR}/generated/build_id.h)
add_custom_command(
  OUTPUT ${id_header} COMMAND ${CMAKE_COMMAND} -DOUT=${id_header} -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -P ${id_script}
  DEPENDS ${boundary} ${id_script} VERBATIM)
add_custom_target(tensh_build_id DEPENDS ${id_header})
