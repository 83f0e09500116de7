#include "runtime/core/files/message_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <mutex>
#include <vector>

#include "runtime/base/random.h"
#include "runtime/base/wire.h"
#include "runtime/core/files/files.h"
#include "runtime/core/tensor_message.h"

namespace tensh {
namespace {

constexpr uint64_t kLarge = 1 << 16;  // bytes of a value that stays in the file
constexpr uint64_t kMostStructure = uint64_t{1}
                                    << 31;  // bytes of a message, as for protocol buffers
constexpr int kMaxDepth = 64;               // of messages; only the graphs of ONNX nest at all

// The fields of a message in which large values are found, at any depth. The functions of a graph
// are left out, because the graph keeps them as messages.
struct Layout {
  int value = 0;  // the field with a large value, or 0
  struct Inner {
    int field;
    const Layout* layout;
  };
  Inner inner[2] = {};
};

extern const Layout kOnnxGraph;
constexpr Layout kTensor{.value = 4};
constexpr Layout kAttr{.inner = {{8, &kTensor}}};
constexpr Layout kAttrEntry{.inner = {{2, &kAttr}}};
constexpr Layout kNode{.inner = {{5, &kAttrEntry}}};
constexpr Layout kGraph{.inner = {{1, &kNode}}};
constexpr Layout kMeta{.inner = {{2, &kGraph}}};
constexpr Layout kSavedModel{.inner = {{2, &kMeta}}};
constexpr Layout kOnnxTensor{.value = 9};
constexpr Layout kOnnxAttribute{.inner = {{5, &kOnnxTensor}, {6, &kOnnxGraph}}};
constexpr Layout kOnnxNode{.inner = {{5, &kOnnxAttribute}}};
constexpr Layout kOnnxGraph{.inner = {{1, &kOnnxNode}, {5, &kOnnxTensor}}};
constexpr Layout kOnnxModel{.inner = {{7, &kOnnxGraph}}};

const Layout* FindInner(const Layout& layout, int field) {
  for (const Layout::Inner& inner : layout.inner)
    if (inner.layout && inner.field == field) return inner.layout;
  return nullptr;
}

// ---- references ----

struct Source {
  std::string path;
  FileVersion version;
};

// The files to which references exist. They are never removed; each is a path and four numbers.
struct Sources {
  const uint64_t key[2] = {SystemRandom(), SystemRandom()};
  std::mutex mu;
  std::deque<Source> files;
};
Sources& AllSources() {
  static auto* sources = new Sources;
  return *sources;
}

struct Reference {
  uint64_t key[2];
  uint64_t file, offset, size;
};

bool Decode(std::string_view text, Reference* to) {
  if (text.size() != sizeof *to) return false;
  std::memcpy(to, text.data(), sizeof *to);
  return std::equal(to->key, to->key + 2, AllSources().key);
}

// ---- scanning ----

// Reads a file from front to back, except for ranges that are skipped.
class FileWindow {
 public:
  FileWindow(std::FILE* file, uint64_t size) : file_(file), size_(size), buffer_(kWindow, '\0') {}
  uint64_t size() const { return size_; }

  // Returns up to `most` bytes at `offset`; fewer only at the end of the file or after an error.
  std::string_view At(uint64_t offset, size_t most) {
    most = std::min(most, kWindow);
    if (offset < begin_ || offset + most > begin_ + filled_) Fill(offset);
    const uint64_t skipped = offset - begin_;
    return std::string_view(buffer_.data(), filled_)
        .substr(std::min<uint64_t>(skipped, filled_), most);
  }

  // Appends `bytes` bytes. Returns false if the file ends before.
  bool Append(uint64_t offset, uint64_t bytes, std::string* to) {
    while (bytes > 0) {
      const std::string_view part =
          At(offset, static_cast<size_t>(std::min<uint64_t>(bytes, kWindow)));
      if (part.empty()) return false;
      *to += part;
      offset += part.size();
      bytes -= part.size();
    }
    return true;
  }

 private:
  static constexpr size_t kWindow = 1 << 16;

  void Fill(uint64_t offset) {
    begin_ = offset;
    filled_ = 0;
    while (filled_ < kWindow) {
      const ssize_t n = ::pread(fileno(file_), buffer_.data() + filled_, kWindow - filled_,
                                static_cast<off_t>(offset + filled_));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      filled_ += static_cast<size_t>(n);
    }
  }

  std::FILE* const file_;
  const uint64_t size_;
  std::string buffer_;
  uint64_t begin_ = 0;
  size_t filled_ = 0;
};

class Scanner {
 public:
  Scanner(FileWindow& file, uint64_t source) : file_(file), source_(source) {}

  // Copies the message in [at, end) and replaces its large values.
  Status Scan(const Layout& layout, uint64_t at, uint64_t end, int depth, std::string* out) {
    if (depth > kMaxDepth) return Damaged("its messages nest too deeply");
    // A small message has no large values. Its reader says where it is damaged.
    if (end - at < kLarge) return Copy(at, end, out);
    while (at < end) {
      std::string_view head = file_.At(at, 20);
      head = head.substr(0, static_cast<size_t>(std::min<uint64_t>(head.size(), end - at)));
      const char* const start = head.data();
      uint64_t tag = 0, size = 0;
      bool ok = TakeVarint(head, tag) && tag >> 3 != 0;
      const int type = static_cast<int>(tag & 7), field = static_cast<int>(tag >> 3 & 0x1fffffff);
      if (type == 0 || type == 2) ok = ok && TakeVarint(head, size);
      const uint64_t value = at + static_cast<uint64_t>(head.data() - start);
      const uint64_t length = type == 0 ? 0 : type == 1 ? 8 : type == 5 ? 4 : size;
      ok = ok && (type <= 2 || type == 5) && length <= end - value;
      if (!ok) return Damaged("it ends within a message, or is damaged there");
      const Layout* inner = type == 2 && length >= kLarge ? FindInner(layout, field) : nullptr;
      if (type == 2 && length >= kLarge && field == layout.value) {
        AppendReference(value, length, out);
      } else if (inner) {
        TENSH_RETURN_IF_ERROR(ScanInner(*inner, field, value, value + length, depth, out));
      } else {
        TENSH_RETURN_IF_ERROR(Copy(at, value + length, out));
      }
      at = value + length;
    }
    return {};
  }

  // Does the same for a message that is a field of another one. The length, which is known
  // afterwards, has as many bytes as the longest one.
  Status ScanInner(const Layout& layout, int field, uint64_t at, uint64_t end, int depth,
                   std::string* out) {
    AppendVarint(*out, static_cast<uint64_t>(field) << 3 | 2);
    const size_t length_at = out->size();
    out->append(kLengthBytes, '\0');
    TENSH_RETURN_IF_ERROR(Scan(layout, at, end, depth + 1, out));
    const uint64_t length = out->size() - length_at - kLengthBytes;
    for (size_t i = 0; i < kLengthBytes; ++i)
      (*out)[length_at + i] =
          static_cast<char>((length >> (7 * i) & 127) | (i + 1 < kLengthBytes ? 128 : 0));
    return {};
  }

 private:
  static constexpr size_t kLengthBytes = 6;

  static Status Damaged(const char* how) { return InvalidArgument(how); }

  Status Copy(uint64_t at, uint64_t end, std::string* out) {
    if (out->size() > kMostStructure || end - at > kMostStructure - out->size())
      return Damaged("it has more than 2 GB beside the values of large tensors");
    if (!file_.Append(at, end - at, out)) return Damaged("it became shorter while it was read");
    return {};
  }

  void AppendReference(uint64_t offset, uint64_t size, std::string* out) const {
    const Sources& sources = AllSources();
    const Reference made{{sources.key[0], sources.key[1]}, source_, offset, size};
    AppendVarint(*out, uint64_t{kReferenceField} << 3 | 2);
    AppendVarint(*out, sizeof made);
    out->append(reinterpret_cast<const char*>(&made), sizeof made);
  }

  FileWindow& file_;
  const uint64_t source_;
};

}  // namespace

Result<std::string> ReadMessageFile(const std::string& path, MessageKind kind) {
  TENSH_ASSIGN(const FilePtr file, OpenFile(path, "rb"));
  TENSH_ASSIGN(const FileVersion version, VersionOf(file.get(), path));
  SetReferenceReader({ReferencedSize, ReadReferenced});
  Sources& sources = AllSources();
  uint64_t source;
  {
    std::lock_guard lock(sources.mu);
    source = sources.files.size();
    sources.files.push_back({path, version});
  }
  const auto size = static_cast<uint64_t>(version.size);
  FileWindow window(file.get(), size);
  Scanner scanner(window, source);
  std::string out;
  // Most of a graph of many small nodes is structure. Memory that is not used costs nothing.
  out.reserve(static_cast<size_t>(std::min<uint64_t>(size + 64, 1 << 28)));
  switch (kind) {
    case MessageKind::kGraphDef:
      TENSH_RETURN_IF_ERROR(scanner.ScanInner(kGraph, 2, 0, size, 0, &out));
      break;
    case MessageKind::kMetaGraphDef:
      TENSH_RETURN_IF_ERROR(scanner.Scan(kMeta, 0, size, 0, &out));
      break;
    case MessageKind::kSavedModel:
      TENSH_RETURN_IF_ERROR(scanner.Scan(kSavedModel, 0, size, 0, &out));
      break;
    case MessageKind::kOnnxModel:
      TENSH_RETURN_IF_ERROR(scanner.Scan(kOnnxModel, 0, size, 0, &out));
      break;
  }
  return out;
}

int64_t ReferencedSize(std::string_view reference) {
  Reference at;
  return Decode(reference, &at) ? static_cast<int64_t>(at.size) : -1;
}

Status ReadReferenced(std::string_view reference, void* to) {
  Reference at;
  Source source;
  {
    Sources& sources = AllSources();
    std::lock_guard lock(sources.mu);
    if (!Decode(reference, &at) || at.file >= sources.files.size())
      return InvalidArgument("a message refers to a file of another process");
    source = sources.files[at.file];
  }
  TENSH_ASSIGN(const FilePtr file, OpenFile(source.path, "rb"));
  TENSH_ASSIGN(const FileVersion version, VersionOf(file.get(), source.path));
  char* next = static_cast<char*>(to);
  uint64_t left = version == source.version ? at.size : 0, offset = at.offset;
  while (left > 0) {
    const ssize_t n = ::pread(fileno(file.get()), next, left, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return FileError(errno, source.path, " while reading");
    if (n == 0) break;
    next += n;
    offset += static_cast<uint64_t>(n);
    left -= static_cast<uint64_t>(n);
  }
  // The file may also have changed in the meantime.
  TENSH_ASSIGN(const FileVersion after, VersionOf(file.get(), source.path));
  if (left > 0 || !(after == source.version))
    return DataLoss("the file ", source.path, " changed while it was read; open it again");
  return {};
}

}  // namespace tensh
