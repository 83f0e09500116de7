# Builds libtensh_cuda.so: GPU devices and their kernels (devices/cuda, ops/**/*.cu). It is a
# plug-in, so that it costs nothing unless it is used. Each .cu file is compiled twice: by nvcc for
# the plug-in, if CUDA is available, and always as C++ for the fake GPU, which tests load
# (tests/modes/gpu_mode.cc).
#   TENSH_CUDA=AUTO  if nvcc compiles and links; ON  the same, but a failure is an error; OFF  never
set(TENSH_CUDA AUTO CACHE STRING "Build the plug-in for GPUs: AUTO, ON or OFF")
#   TENSH_CUDA_FMA=OFF  a*b+c is rounded twice, as on the CPU, to tell faults from last digits
option(TENSH_CUDA_FMA "Let nvcc contract a*b+c into one instruction" ON)

# The default is the code for the GPU of this machine, or for Hopper, and PTX for newer ones.
if(NOT DEFINED TENSH_CUDA_ARCH)
  set(native 90)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                  OUTPUT_VARIABLE capability RESULT_VARIABLE result ERROR_QUIET)
  if(result EQUAL 0 AND capability MATCHES "^([0-9]+)\\.([0-9]+)")
    set(native ${CMAKE_MATCH_1}${CMAKE_MATCH_2})
  endif()
  set(TENSH_CUDA_ARCH "arch=compute_${native},code=[sm_${native},compute_${native}]" CACHE STRING
      "What nvcc compiles for: a list of its -gencode")
endif()
set(cuda_targets "")
foreach(target ${TENSH_CUDA_ARCH})
  list(APPEND cuda_targets -gencode ${target})
endforeach()
# The names of the code in the plug-in, by which it leaves out GPUs that cannot run it: "sm_90 compute_90".
string(REGEX REPLACE "arch=compute_[0-9a-z]+,code=" "" cuda_images "${TENSH_CUDA_ARCH}")
string(REGEX MATCHALL "(sm|compute)_[0-9a-z]+" cuda_images "${cuda_images}")
list(JOIN cuda_images " " cuda_images)

file(GLOB_RECURSE CUDA_KERNELS CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ops/*.cu)
tensh_registry(cuda_list RegisterCuda "KernelTable" "devices/cuda/cuda_kernel.h" tensh::cuda "^ops/" ${CUDA_KERNELS})
list(APPEND CUDA_KERNELS devices/cuda/halves.cu devices/cuda/moves.cu devices/cuda/products.cu devices/cuda/sort.cu)
set(CUDA_DEVICE devices/cuda/cuda_allocator.cc devices/cuda/cuda_device.cc devices/cuda/cuda_timer.cc
    devices/cuda/convolutions.cc devices/cuda/math_libraries.cc devices/cuda/staging.cc)
# The files that call CUDA and its libraries.
set(CUDA_CALLS devices/cuda/real_driver.cc devices/cuda/blas.cc devices/cuda/dnn.cc devices/cuda/fft.cc devices/cuda/solver.cc
    devices/cuda/cuda_libraries.cc devices/cuda/cuda_status.cc)

# The plug-in has a separate copy of the runtime, like the plug-in for gRPC. Only data passes
# between the two.
function(tensh_cuda_plugin name)
  add_library(${name} MODULE devices/cuda/plugin.cc ${ARGN})
  target_link_libraries(${name} PRIVATE tensh_warnings tensh_ops tensh_core)
  add_dependencies(${name} tensh_build_id)
  target_link_options(${name} PRIVATE -Wl,--exclude-libs,ALL)
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endfunction()

# The fake GPU need not be fast, so its code is compiled in a third of the time. Every memory access
# of its kernels calls a function of devices/cuda/fake_checks.cc.
set(fake_gpu_checked "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT TENSH_SANITIZE)
  set(fake_gpu_checked -O0 -fsanitize=thread --param=tsan-instrument-func-entry-exit=0)
endif()
set_source_files_properties(${CUDA_KERNELS} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-xc++;-O0;-g0;${fake_gpu_checked}")
tensh_library(tensh_fake_gpu SOURCES ${CUDA_DEVICE} devices/cuda/fake_driver.cc devices/cuda/fake_checks.cc tests/cuda_double/fake_libraries.cc
              ${CUDA_KERNELS} ${cuda_list} DEPENDS tensh_ops)
tensh_cuda_plugin(tensh_cuda_fake)
target_link_libraries(tensh_cuda_fake PRIVATE tensh_fake_gpu)
target_compile_definitions(tensh_cuda_fake PRIVATE TENSH_FAKE_CUDA)

# Checks that this nvcc works with this compiler, has what the plug-in needs, and produces something that links.
set(TENSH_HAVE_CUDA FALSE)
if(NOT TENSH_CUDA STREQUAL "OFF" AND NOT TENSH_SANITIZE)
  find_program(NVCC nvcc HINTS /usr/local/cuda/bin ENV CUDA_HOME PATH_SUFFIXES bin)
  if(NVCC)
    get_filename_component(cuda_root ${NVCC} REALPATH)
    get_filename_component(cuda_root ${cuda_root} DIRECTORY)
    get_filename_component(cuda_root ${cuda_root} DIRECTORY)
    find_library(CUDART_STATIC libcudart_static.a HINTS ${cuda_root} PATH_SUFFIXES lib64 lib targets/x86_64-linux/lib)
  endif()
  if(NVCC AND NOT DEFINED TENSH_CUDA_WORKS)
    set(probe ${PROJECT_BINARY_DIR}/cuda_probe)
    file(WRITE ${probe}.cu "#include <cublas_v2.h>\n__global__ void k() {}\nint main() { k<<<1, 1>>>(); return 0; }\n")
    execute_process(COMMAND ${NVCC} -std=c++20 ${cuda_targets} ${probe}.cu -o ${probe}
                    RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE why)
    if(result EQUAL 0 AND NOT CUDART_STATIC)
      set(result 1)
      set(why "libcudart_static.a is not below ${cuda_root}")
    endif()
    if(result EQUAL 0)
      set(TENSH_CUDA_WORKS TRUE CACHE INTERNAL "nvcc compiles and links")
    else()
      set(TENSH_CUDA_WORKS FALSE CACHE INTERNAL "nvcc compiles and links")
      message(STATUS "nvcc does not work: ${why}")
    endif()
  endif()
  if(NVCC AND TENSH_CUDA_WORKS)
    set(TENSH_HAVE_CUDA TRUE)
  elseif(TENSH_CUDA STREQUAL "ON")
    message(FATAL_ERROR "TENSH_CUDA=ON, but no nvcc that works was found. ${why}\nInstall CUDA 13's nvcc, cudart and cuBLAS "
                        "(with headers), or configure with -DTENSH_CUDA=OFF")
  else()
    message(STATUS "No CUDA: tensh is built without GPU devices")
  endif()
endif()

if(TENSH_HAVE_CUDA)
  # Denormals are flushed, as on the CPU (runtime/core/device/float_mode.h). -lineinfo names lines to profilers and
  # compute-sanitizer.
  set(nvcc_flags -std=c++20 -O2 --extended-lambda --expt-relaxed-constexpr --ftz=true -lineinfo
      ${cuda_targets} -I${PROJECT_SOURCE_DIR} -Xcompiler=-fPIC,-fvisibility=hidden)
  # Code for all GPUs is compressed to a third, so that the plug-in has about the size of one for a single GPU.
  list(LENGTH TENSH_CUDA_ARCH count)
  if(count GREATER 2)
    list(APPEND nvcc_flags --compress-mode=size)
  endif()
  if(NOT TENSH_CUDA_FMA)
    list(APPEND nvcc_flags --fmad=false)
  endif()
  set(objects "")
  find_package(Python3 3.9 QUIET COMPONENTS Interpreter)
  foreach(file ${CUDA_KERNELS})
    string(REPLACE "/" "_" stem ${file})
    set(object ${PROJECT_BINARY_DIR}/cuda/${stem}.o)
    set(keep_usage "")  # what ptxas says of the kernels, for `cmake/kernels.py check`
    if(Python3_FOUND)
      set(keep_usage ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/kernels.py compile
          ${PROJECT_BINARY_DIR}/cuda/${stem}.ptxas)
    endif()
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${keep_usage} ${CCACHE} ${NVCC} ${nvcc_flags} -Xptxas -v -MD -MF ${object}.d -c ${PROJECT_SOURCE_DIR}/${file} -o ${object}
      DEPENDS ${PROJECT_SOURCE_DIR}/${file} DEPFILE ${object}.d COMMENT "nvcc ${file}" VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/cuda)
  # tensh_cuda_tenth0 to 9 compile a tenth of the files each, so that CI need not compile all of them every time.
  foreach(tenth RANGE 9)
    set(some "")
    set(at 0)
    foreach(object ${objects})
      math(EXPR of "${at} % 10")
      if(of EQUAL tenth)
        list(APPEND some ${object})
      endif()
      math(EXPR at "${at} + 1")
    endforeach()
    add_custom_target(tensh_cuda_tenth${tenth} DEPENDS ${some})
  endforeach()
  # Compiles all .cu files with nvcc and links them, as CI does.
  tensh_cuda_plugin(tensh_cuda ${CUDA_DEVICE} ${CUDA_CALLS} ${objects} ${cuda_list})
  target_compile_definitions(tensh_cuda PRIVATE "TENSH_CUDA_IMAGES=\"${cuda_images}\"")
  set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  target_include_directories(tensh_cuda SYSTEM PRIVATE ${cuda_root}/include)
  target_link_libraries(tensh_cuda PRIVATE ${CUDART_STATIC} rt ${CMAKE_DL_LIBS})
endif()
