#pragma once
// Libraries of the system that are loaded at their first use. Neither the start of a process nor
// an installation depends on them: a graph without images needs no libpng. This table is the only
// place with their names. Plug-ins of tensh are found beside the binary instead
// (runtime/api/plugin_paths.h).
#include <string>
#include <type_traits>

namespace tensh {

// The file name of a library, which includes the ABI version that this code was written for, and
// the Debian package that contains it.
struct SystemLibrary {
  const char* file;
  const char* package;
};
inline constexpr SystemLibrary kPngLibrary = {"libpng16.so.16", "libpng16-16"};
// Two ABIs of libjpeg-turbo, for Debian and for Ubuntu. jpeglib.h tells which one the code uses.
inline constexpr SystemLibrary kJpeg62Library = {"libjpeg.so.62", "libjpeg62-turbo"};
inline constexpr SystemLibrary kJpeg8Library = {"libjpeg.so.8", "libjpeg-turbo8"};
inline constexpr SystemLibrary kGifLibrary = {"libgif.so.7", "libgif7"};
inline constexpr SystemLibrary kCryptoLibrary = {"libcrypto.so.3", "libssl3"};
inline constexpr SystemLibrary kSqliteLibrary = {"libsqlite3.so.0", "libsqlite3-0"};
inline constexpr SystemLibrary kLapackLibrary = {"liblapack.so.3", "liblapack3"};
inline constexpr SystemLibrary kCudaDriverLibrary = {"libcuda.so.1", "libcuda1"};
inline constexpr SystemLibrary kCublas13Library = {"libcublas.so.13", "libcublas-13"};
inline constexpr SystemLibrary kCudnn9Library = {"libcudnn.so.9", "libcudnn9-cuda-13"};
inline constexpr SystemLibrary kCublas12Library = {"libcublas.so.12", "libcublas-12"};
inline constexpr SystemLibrary kCufft13Library = {"libcufft.so.12", "libcufft-13-0"};
inline constexpr SystemLibrary kCufft12Library = {"libcufft.so.11", "libcufft-12-9"};
inline constexpr SystemLibrary kCusolver13Library = {"libcusolver.so.12", "libcusolver-13-0"};
inline constexpr SystemLibrary kCusolver12Library = {"libcusolver.so.11", "libcusolver-12-9"};
inline constexpr SystemLibrary kNvrtc13Library = {"libnvrtc.so.13", "cuda-nvrtc-13-0"};
inline constexpr SystemLibrary kNvrtc12Library = {"libnvrtc.so.12", "cuda-nvrtc-12-9"};

// A loaded library. It stays loaded until the process ends, so that functions found in it remain
// valid. Not thread-safe: callers keep the functions in a function-local static.
class SharedLibrary {
 public:
  explicit SharedLibrary(const SystemLibrary& library);
  static SharedLibrary AtPath(const std::string& path);
  static SharedLibrary Failed(std::string error);  // a library that was not found
  // Sets `*function` to the function with this name, or to null.
  template <class F>
  void Find(const char* name, F** function) {
    static_assert(std::is_function_v<F>);
    *function = reinterpret_cast<F*>(Address(name));
    complete_ &= *function != nullptr;
  }
  void* Address(const char* name) const;  // Returns null if the symbol does not exist.
  bool loaded() const { return handle_ != nullptr; }
  // Returns true if the library was loaded and has all functions that Find was called for.
  bool complete() const { return loaded() && complete_; }
  const std::string& error() const { return error_; }  // why it was not loaded

 private:
  SharedLibrary() = default;
  void* handle_ = nullptr;
  bool complete_ = true;
  std::string error_;
};

// Returns "libgif.so.7 is not installed: apt-get install libgif7".
std::string NotInstalled(const SystemLibrary& library);

}  // namespace tensh
