#include "shell/python/vm/missing_file.h"

#include <filesystem>
#include <system_error>
#include <vector>

#include "shell/python/vm/file.h"

namespace tensh::shell {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxNames = 10000;  // of a folder that are compared

bool IsAddress(const std::string& path) {
  return path.starts_with("http://") || path.starts_with("https://");
}

}  // namespace

ErrorHint HintForMissingFile(const std::string& path) {
  if (IsAddress(path))
    return {ErrorHint::Kind::kPhrase, "Download the file first: curl -LO '" + path + "'"};
  if (FilesConfined()) return {};
  std::error_code error;
  fs::path given(path);
  if (!given.has_filename()) given = given.parent_path();  // "model/"
  if (fs::exists(given, error)) return {};
  std::vector<std::string> names;
  const fs::path folder = given.has_parent_path() ? given.parent_path() : fs::path(".");
  for (fs::directory_iterator entry(folder, error), end;
       !error && entry != end && names.size() < kMaxNames; entry.increment(error))
    names.push_back((given.parent_path() / entry->path().filename()).string());
  return DidYouMean(given.string(), names);
}

}  // namespace tensh::shell
