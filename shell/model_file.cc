#include "shell/model_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

namespace tensh::shell {
namespace {

constexpr size_t kHead = 4096;

// The first fields of graphs in text form. A field is followed by a brace or a colon.
constexpr std::string_view kFields[] = {"node",
                                        "library",
                                        "versions",
                                        "graph_def",
                                        "meta_graphs",
                                        "meta_info_def",
                                        "saver_def",
                                        "collection_def",
                                        "signature_def",
                                        "saved_model_schema_version",
                                        "model_checkpoint_path",
                                        "ir_version",
                                        "opset_import"};
constexpr std::string_view kKeys[] = {"\"node\"",          "\"graphDef\"",        "\"graph_def\"",
                                      "\"modelTopology\"", "\"weightsManifest\"", "\"class_name\"",
                                      "\"weight_map\""};
// Texts that no script begins with: pointers of Git LFS, OpenVINO and ncnn.
constexpr std::string_view kBeginnings[] = {"version https://git-lfs", "<?xml", "7767517\n"};
// Endings of files that are no scripts, even if they are empty.
constexpr std::string_view kEndings[] = {".onnx",  ".pb",  ".pbtxt", ".meta", ".tflite",
                                         ".keras", ".h5",  ".npy",   ".npz",  ".safetensors",
                                         ".png",   ".jpg", ".wav"};

bool IsControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < ' ' && (byte < '\t' || byte > '\r') && byte != 0x1b) || byte == 0x7f;
}

// Removes blanks and comments from the front.
void SkipComments(std::string_view& text) {
  while (true) {
    const size_t at = text.find_first_not_of(" \t\r\n");
    text.remove_prefix(std::min(at, text.size()));
    if (!text.starts_with('#') || text.starts_with("#!")) return;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
}

bool BeginsLikeGraph(std::string_view text) {
  SkipComments(text);
  if (std::any_of(std::begin(kBeginnings), std::end(kBeginnings),
                  [&](std::string_view beginning) { return text.starts_with(beginning); }))
    return true;
  if (text.starts_with('{'))
    return std::any_of(std::begin(kKeys), std::end(kKeys),
                       [&](std::string_view key) { return text.find(key) != text.npos; });
  return std::any_of(std::begin(kFields), std::end(kFields), [&](std::string_view field) {
    if (!text.starts_with(field)) return false;
    std::string_view rest = text.substr(field.size());
    const bool colon = rest.starts_with(':');
    if (colon) rest.remove_prefix(1);
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    // `node: int = 1` is Python.
    const bool number = !rest.empty() && rest[0] >= '0' && rest[0] <= '9';
    return rest.starts_with('{') ||
           (colon && (field.starts_with("saved_") || (field.starts_with("ir_") && number) ||
                      (field.starts_with("model_") && rest.starts_with('"'))));
  });
}

bool HasEnding(std::string_view path, std::string_view ending) {
  return path.size() > ending.size() && path.substr(path.size() - ending.size()) == ending;
}

}  // namespace

bool LooksLikeModel(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)  // the prefix of a checkpoint?
    return ::stat((path + ".index").c_str(), &status) == 0 && S_ISREG(status.st_mode);
  if (S_ISDIR(status.st_mode)) return true;
  if (!S_ISREG(status.st_mode)) return false;
  if (HasEnding(path, ".csv") || HasEnding(path, ".tsv")) return true;
  if (status.st_size == 0)
    return std::any_of(std::begin(kEndings), std::end(kEndings),
                       [&](std::string_view ending) { return HasEnding(path, ending); });
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return false;
  char head[kHead];
  const ssize_t size = ::read(fd, head, sizeof head);
  ::close(fd);
  const std::string_view text(head, static_cast<size_t>(std::max<ssize_t>(size, 0)));
  return std::any_of(text.begin(), text.end(), IsControl) || BeginsLikeGraph(text);
}

}  // namespace tensh::shell
