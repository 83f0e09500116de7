// Opens the input as a file, whatever its format is, and reports on it.
#include <sys/stat.h>

#include <cstdint>

#include "tests/fuzz/targets/fuzz_shell.h"

namespace {

constexpr std::string_view kSavedModel = "\x08\x01\x12";
constexpr std::string_view kTableEnd = "\x57\xfb\x80\x8b\x24\x75\x47\xdb";

// Errors of these types are mistakes of tensh, and not of the file. Others are expected.
std::string Script(std::string_view path) {
  const std::string open = "        open '" + std::string(path) + "' as m\n";
  return "with tf.Graph().as_default(), tf.Session().as_default():\n    try:\n" + open +
         "        about\n        about --json\n    except Exception as e:\n"
         "        if type(e).__name__ in ('SystemError', 'RecursionError', 'InternalError', "
         "'UnboundLocalError', 'NameError', 'AttributeError', 'ZeroDivisionError', "
         "'AssertionError'): raise\n";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static auto* shell = [] {
    tensh::shell::EnterFolder();
    return new tensh::shell::FuzzShell;
  }();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // The files of a checkpoint and of a SavedModel are found by their names.
  const bool table = bytes.ends_with(kTableEnd);
  const char* path = table ? "f.index" : "f";
  if (bytes.starts_with(kSavedModel)) {
    ::mkdir("m", 0700);
    path = "m/saved_model.pb";
  }
  tensh::shell::WriteFile(path, bytes);
  if (table) tensh::shell::WriteFile("f.data-00000-of-00001", std::string(12, 'x'));
  const int code = shell->Run(Script(path));
  ::unlink("f.index");
  if (code != 0 && code != tensh::shell::kExitInterrupted) {
    std::fprintf(stderr, "not an error for a user: %s\n", shell->errors().c_str());
    std::abort();
  }
  return 0;
}
