#pragma once
// Where CUDA's libraries are. Neither the driver nor the plug-in brings them, and the system's loader
// rarely knows the folders into which NVIDIA's installer and Python's packages put them.
#include <initializer_list>
#include <string>
#include <vector>

#include "runtime/base/shared_library.h"

namespace tensh::cuda {

// Returns the folders that may contain CUDA's libraries, in the order in which they are tried: those
// of $CUDA_HOME, of /usr/local/cuda and /usr/local/cuda-*, of the Python packages of $VIRTUAL_ENV,
// $CONDA_PREFIX and the python3 on $PATH (site-packages/nvidia/*/lib), and the plug-in's.
std::vector<std::string> CudaLibraryFolders();

// Returns true if a version of a library is in one of the folders, in one of LD_LIBRARY_PATH, or where systems keep their
// libraries. Loads nothing.
bool IsCudaLibraryInstalled(std::initializer_list<SystemLibrary> versions,
                            const std::vector<std::string>& folders);

// Loads the first version of a library that the system's loader finds, or else the first that is in
// one of the folders. `beside` are libraries that it needs, which are loaded from its folder first.
// The error names the places that were searched.
SharedLibrary LoadCudaLibrary(std::initializer_list<SystemLibrary> versions,
                              std::initializer_list<const char*> beside,
                              const std::vector<std::string>& folders);

}  // namespace tensh::cuda
