#include "devices/cuda/cuda_libraries.h"

#include <dirent.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "runtime/core/strcat.h"

namespace tensh::cuda {
namespace {

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

// Returns the paths of the entries of a folder whose names begin with `prefix`, the last name first,
// so that newer versions come first.
std::vector<std::string> Entries(const std::string& folder, std::string_view prefix) {
  std::vector<std::string> paths;
  DIR* const open = ::opendir(folder.c_str());
  if (!open) return paths;
  while (const dirent* entry = ::readdir(open))
    if (std::string_view(entry->d_name).starts_with(prefix) && entry->d_name[0] != '.')
      paths.push_back(folder + "/" + entry->d_name);
  ::closedir(open);
  std::sort(paths.rbegin(), paths.rend());
  return paths;
}

// Adds the folders of NVIDIA's packages of a Python installation.
void AddPython(const std::string& prefix, std::vector<std::string>* folders) {
  if (prefix.empty()) return;
  for (const std::string& version : Entries(prefix + "/lib", "python3"))
    for (const char* packages : {"/site-packages/nvidia", "/dist-packages/nvidia"})
      for (const std::string& package : Entries(version + packages, ""))
        folders->push_back(package + "/lib");
}

// Returns the folder above the one with the first python3 on $PATH.
std::string PythonOnPath() {
  const std::string path = Variable("PATH");
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = std::min(path.find(':', begin), path.size());
    const std::string folder = path.substr(begin, end - begin);
    if (!folder.empty() && ::access((folder + "/python3").c_str(), X_OK) == 0)
      return folder.substr(0, folder.find_last_of('/'));
    begin = end + 1;
  }
  return {};
}

std::string FolderOfPlugin() {
  Dl_info info{};
  if (!::dladdr(reinterpret_cast<void*>(&CudaLibraryFolders), &info) || !info.dli_fname) return {};
  const std::string path = info.dli_fname;
  return path.substr(0, path.rfind('/') + 1);
}

}  // namespace

std::vector<std::string> CudaLibraryFolders() {
  std::vector<std::string> folders;
  if (const std::string home = Variable("CUDA_HOME"); !home.empty())
    folders.push_back(home + "/lib64");
  folders.push_back("/usr/local/cuda/lib64");
  for (const std::string& toolkit : Entries("/usr/local", "cuda-"))
    folders.push_back(toolkit + "/lib64");
  AddPython(Variable("VIRTUAL_ENV"), &folders);
  if (const std::string conda = Variable("CONDA_PREFIX"); !conda.empty()) {
    AddPython(conda, &folders);
    folders.push_back(conda + "/lib");
  }
  const std::string python = PythonOnPath();
  AddPython(python, &folders);
  if (python == "/usr") AddPython("/usr/local", &folders);  // what pip installs on Debian
  if (const std::string home = Variable("HOME"); !home.empty())
    AddPython(home + "/.local", &folders);
  if (const std::string own = FolderOfPlugin(); !own.empty()) folders.push_back(own);
  return folders;
}

bool IsCudaLibraryInstalled(std::initializer_list<SystemLibrary> versions,
                            const std::vector<std::string>& folders) {
  std::vector<std::string> all = folders;
  for (const char* folder : {"/lib64", "/usr/lib64", "/usr/lib", "/lib/x86_64-linux-gnu",
                             "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"})
    all.push_back(folder);
  std::string rest = Variable("LD_LIBRARY_PATH");
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(':'), rest.size());
    if (end) all.push_back(rest.substr(0, end));
    rest.erase(0, end + 1);
  }
  for (const std::string& folder : all)
    for (const SystemLibrary& version : versions)
      if (::access(StrCat(folder, "/", version.file).c_str(), R_OK) == 0) return true;
  return false;
}

SharedLibrary LoadCudaLibrary(std::initializer_list<SystemLibrary> versions,
                              std::initializer_list<const char*> beside,
                              const std::vector<std::string>& folders) {
  for (const SystemLibrary& version : versions)
    if (SharedLibrary library(version); library.loaded()) return library;
  std::string error;
  for (const std::string& folder : folders)
    for (const SystemLibrary& version : versions) {
      const std::string path = folder + "/" + version.file;
      if (::access(path.c_str(), R_OK) != 0) continue;
      // The loader takes a library that is loaded for any other of the same name.
      const std::string_view suffix = std::strstr(version.file, ".so");
      for (const char* name : beside)
        (void)SharedLibrary::AtPath(StrCat(folder, "/", name, suffix));
      SharedLibrary library = SharedLibrary::AtPath(path);
      if (library.loaded()) return library;
      error = library.error();
    }
  std::string names, places;
  for (const SystemLibrary& version : versions)
    names += StrCat(names.empty() ? "" : " or ", version.file);
  for (const std::string& folder : folders) places += ", " + folder;
  if (!error.empty()) return SharedLibrary::Failed(std::move(error));
  return SharedLibrary::Failed(StrCat(names, " was not found by the system's loader",
                                      places.empty() ? "" : " or in ",
                                      places.empty() ? "" : places.substr(2)));
}

}  // namespace tensh::cuda
