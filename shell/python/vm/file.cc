#include "shell/python/vm/file.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

#include "shell/python/values/class.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/format.h"
#include "shell/python/values/ops.h"
#include "shell/python/values/text/str_methods.h"
#include "shell/python/vm/interp.h"

namespace tensh::shell {
namespace {

constexpr size_t kMaxText = size_t{1} << 30;     // bytes of a text
constexpr size_t kMaxBytes = size_t{1} << 33;    // bytes read at once
constexpr size_t kMaxDevice = size_t{64} << 20;  // of a device or a pipe, which may have no end

class FileObject;
std::set<FileObject*>& LivingFiles() {
  static auto* files = new std::set<FileObject*>();
  return *files;
}

class FileObject : public Object {
 public:
  static const TypeInfo kType;
  FileObject() : Object(kType) { LivingFiles().insert(this); }
  ~FileObject() override {
    LivingFiles().erase(this);
    Close();
  }

  // Writes the buffer to the file and drops it. Returns 0, or the errno if not all of it was
  // written.
  int Flush() {
    if (!writing || !handle) return 0;
    const std::string text = std::exchange(data, std::string());
    const bool ok = std::fwrite(text.data(), 1, text.size(), handle) == text.size();
    return std::fflush(handle) == 0 && ok ? 0 : errno;
  }
  int Close() {
    const int error = Flush();
    if (handle) std::fclose(handle);
    handle = nullptr;
    closed = true;
    return error;
  }

  std::string name, mode;
  bool reading = false, writing = false, binary = false, closed = false;
  // The content being read, or the bytes not yet written. A binary file is read when its bytes are
  // requested, from the handle, as long as no lines are requested.
  std::string data;
  bool loaded = false;
  size_t at = 0;
  FILE* handle = nullptr;
};

[[noreturn]] void ThrowErrno(int code, const std::string& path) {
  const TypeInfo* type = code == ENOENT    ? &kFileNotFoundError
                         : code == EACCES  ? &kPermissionError
                         : code == EISDIR  ? &kIsADirectoryError
                         : code == EEXIST  ? &kFileExistsError
                         : code == ENOTDIR ? &kNotADirectoryError
                                           : &kOSError;
  throw PyError(New<ExceptionObject>(
      *type, MakeTuple({Value::Int(code), MakeStr(std::strerror(code)), MakeStr(path)})));
}

// Throws OSError for a nonzero result of Flush or Close.
void Check(const FileObject& f, int error) {
  if (error) ThrowErrno(error, f.name);
}

FileObject& F(const Value& v) { return *static_cast<FileObject*>(v.object()); }

FileObject& Open(const Value& v, bool reading) {
  FileObject& f = F(v);
  if (f.closed) throw ValueError("I/O operation on closed file.");
  const bool able = reading ? f.reading : f.writing;
  if (!able) {
    PyError error = MakeError(kOSError, reading ? "not readable" : "not writable");
    if (f.mode.find('+') == f.mode.npos) throw error;
    throw error.Hint("tensh reads or writes a file: open it again with '" +
                     std::string(reading ? "r" : "a") + "'");
  }
  return f;
}

[[noreturn]] void ThrowTooLarge(const FileObject& f, size_t limit) {
  throw MakeError(kMemoryError, "'" + f.name + "' is " +
                                    (limit == kMaxDevice
                                         ? std::string("not a file, and gives more than 64 MiB")
                                         : "larger than " + std::to_string(limit >> 30) + " GiB"));
}

// Reads up to `most` bytes from the handle. `hint` is the number that is expected.
std::string ReadBytes(const FileObject& f, size_t most, size_t limit, size_t hint) {
  std::string bytes;
  bytes.reserve(hint);
  for (size_t piece = 1 << 16; bytes.size() < most; piece = size_t{1} << 26) {
    const size_t had = bytes.size();
    bytes.resize(had + std::min(most - had, piece));
    const size_t n = std::fread(bytes.data() + had, 1, bytes.size() - had, f.handle);
    const bool ended = n < bytes.size() - had;
    bytes.resize(had + n);
    if (bytes.size() > limit) ThrowTooLarge(f, limit);
    if (ended && std::ferror(f.handle)) ThrowErrno(errno, f.name);
    if (ended) break;
  }
  return bytes;
}

// Returns the size of a regular file, or -1 for a device or a pipe.
int64_t SizeOf(const FileObject& f) {
  struct stat status {};
  const bool regular = ::fstat(::fileno(f.handle), &status) == 0 && S_ISREG(status.st_mode);
  return regular ? status.st_size : -1;
}

void GoTo(const FileObject& f, size_t at) {
  if (::fseeko(f.handle, static_cast<off_t>(at), SEEK_SET) != 0) ThrowErrno(errno, f.name);
}

// Reads the whole file. A device or a pipe must not have been read before.
void Load(FileObject& f) {
  if (f.loaded) return;
  const int64_t size = SizeOf(f);
  if (size >= 0) GoTo(f, 0);
  if (size > int64_t{kMaxText}) ThrowTooLarge(f, kMaxText);
  f.data = ReadBytes(f, SIZE_MAX, size < 0 ? kMaxDevice : kMaxText, 0);
  f.loaded = true;
}

// Reads up to `most` bytes of a file that was not loaded, from its position on.
std::string ReadNext(FileObject& f, size_t most) {
  GoTo(f, f.at);
  const auto size = static_cast<size_t>(std::max<int64_t>(SizeOf(f), 0));
  const size_t left = size > f.at ? size - f.at : 0;
  if (std::min(most, left) > kMaxBytes) ThrowTooLarge(f, kMaxBytes);
  std::string bytes = ReadBytes(f, most, kMaxBytes, std::min(most, left));
  f.at += bytes.size();
  return bytes;
}

Value TextOf(const FileObject& f, std::string text) {
  return f.binary ? MakeBytes(std::move(text)) : MakeStr(std::move(text));
}

bool Line(FileObject& f, std::string* out) {
  Load(f);
  if (f.at >= f.data.size()) return false;
  const size_t newline = f.data.find('\n', f.at);
  const size_t end = newline == f.data.npos ? f.data.size() : newline + 1;
  *out = f.data.substr(f.at, end - f.at);
  f.at = end;
  return true;
}

Value Read(Args& a) {
  FileObject& f = Open(a.self(), true);
  int64_t n = a[0].is_none() ? -1 : ToIndex(a[0]);
  if (!f.loaded) return MakeBytes(ReadNext(f, n < 0 ? SIZE_MAX : static_cast<size_t>(n)));
  std::string_view rest = std::string_view(f.data).substr(std::min(f.at, f.data.size()));
  if (n >= 0)
    rest = rest.substr(
        0, f.binary ? static_cast<size_t>(n) : CodePointOffset(rest, static_cast<size_t>(n)));
  f.at += rest.size();
  return TextOf(f, std::string(rest));
}
Value ReadLine(Args& a) {
  FileObject& f = Open(a.self(), true);
  std::string line;
  Line(f, &line);
  return TextOf(f, std::move(line));
}
Value ReadLines(Args& a) {
  FileObject& f = Open(a.self(), true);
  std::vector<Value> lines;
  for (std::string line; Line(f, &line);) lines.push_back(TextOf(f, line));
  return MakeList(std::move(lines));
}
Value WriteTo(FileObject& f, const Value& v) {
  if (f.binary) {
    auto* b = As<BytesObject>(v);
    if (!b) throw TypeError("a bytes-like object is required, not '" + TypeName(v) + "'");
    f.data += b->data;
    if (f.data.size() > (1 << 16)) Check(f, f.Flush());
    return Value::Int(static_cast<int64_t>(b->data.size()));
  }
  auto* s = As<StrObject>(v);
  if (!s) throw TypeError("write() argument must be str, not " + TypeName(v));
  f.data += s->view();
  if (f.data.size() > (1 << 16)) Check(f, f.Flush());
  return Value::Int(s->length());
}
Value Write(Args& a) { return WriteTo(Open(a.self(), false), a[0]); }
Value WriteLines(Args& a) {
  FileObject& f = Open(a.self(), false);
  for (const Value& v : ToVector(a[0])) WriteTo(f, v);
  return Value::None();
}
Value FlushMethod(Args& a) {
  FileObject& f = F(a.self());
  Check(f, f.Flush());
  return Value::None();
}
Value Close(Args& a) {
  FileObject& f = F(a.self());
  Check(f, f.Close());
  return Value::None();
}
Value Seek(Args& a) {
  FileObject& f = Open(a.self(), true);
  f.at = static_cast<size_t>(std::max<int64_t>(0, ToIndex(a[0])));
  if (f.loaded) f.at = std::min(f.data.size(), f.at);
  return Value::Int(static_cast<int64_t>(f.at));
}

Value Name(const Value& v) { return MakeStr(F(v).name); }
Value Mode(const Value& v) { return MakeStr(F(v).mode); }
Value Closed(const Value& v) { return Value::Bool(F(v).closed); }

std::string FileRepr(const Value& v) {
  return "<_io.TextIOWrapper name=" + QuoteStr(F(v).name) + " mode=" + QuoteStr(F(v).mode) +
         " encoding='UTF-8'>";
}
Value Self(const Value& v) { return v; }
bool NextLine(const Value& v, Value* out) {
  std::string line;
  if (!Line(Open(v, true), &line)) return false;
  *out = TextOf(F(v), std::move(line));
  return true;
}
bool Leave(const Value& v, const Value&) {
  Check(F(v), F(v).Close());
  return false;
}

const FunctionRow kMethods[] = {
    {"read", "size=None, /", Read},
    {"readline", "/", ReadLine},
    {"readlines", "/", ReadLines},
    {"write", "text, /", Write},
    {"writelines", "lines, /", WriteLines},
    {"flush", "/", FlushMethod},
    {"close", "/", Close},
    {"seek", "offset, /", Seek},
};
const PropertyRow kProperties[] = {{"name", Name}, {"mode", Mode}, {"closed", Closed}};

}  // namespace

const TypeInfo FileObject::kType = {.name = "TextIOWrapper",
                                    .module = "_io",
                                    .methods = kMethods,
                                    .properties = kProperties,
                                    .repr = FileRepr,
                                    .iter = Self,
                                    .next = NextLine,
                                    .enter = Self,
                                    .exit = Leave};

namespace {

std::vector<std::filesystem::path>& AllowedFolders() {
  static auto* folders = new std::vector<std::filesystem::path>;
  return *folders;
}
void (*tell_allowed)(const std::string&) = nullptr;
std::string confined_by;  // the hint of ConfineFiles, or ""

bool IsBelow(const std::filesystem::path& folder, const std::filesystem::path& path) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

// Returns an absolute path without links and `..`, or "" if it cannot be resolved. Only its last
// components may be missing. A dangling link is resolved to its target, because opening it would
// create a file there.
std::filesystem::path Resolved(std::filesystem::path path) {
  namespace fs = std::filesystem;
  std::error_code ec;
  for (int links = 0; links < 40; ++links) {
    path = fs::weakly_canonical(path, ec);
    if (ec) return {};
    if (!fs::is_symlink(fs::symlink_status(path, ec))) return path;
    const fs::path target = fs::read_symlink(path, ec);
    if (ec) return {};
    path = path.parent_path() / target;
  }
  return {};
}

}  // namespace

void AllowFolder(const std::string& path) {
  std::error_code ec;
  std::filesystem::path folder = Resolved(std::filesystem::absolute(path, ec));
  if (folder.empty()) return;
  AllowedFolders().push_back(std::move(folder));
  if (tell_allowed) tell_allowed(AllowedFolders().back().string());
}

void FlushFiles() {
  for (FileObject* file : LivingFiles()) file->Flush();
}

bool FilesConfined() { return Interp::Current().options().sandbox || !confined_by.empty(); }

void ConfineFiles(std::string hint) { confined_by = std::move(hint); }

void OnFolderAllowed(void (*tell)(const std::string& path)) { tell_allowed = tell; }

namespace {

// Returns the folder of the script, or "" if there is no script.
std::filesystem::path ScriptFolder() {
  namespace fs = std::filesystem;
  const std::vector<std::string>& argv = Interp::Current().options().argv;
  std::error_code ec;
  if (argv.empty() || !fs::is_regular_file(argv[0], ec)) return {};
  return fs::canonical(argv[0], ec).parent_path();
}

void CheckAccess(const std::string& path, bool reads) {
  if (!FilesConfined()) return;
  namespace fs = std::filesystem;
  std::error_code ec, broken;
  const fs::path here = fs::canonical(fs::current_path(ec), broken);
  const fs::path there = ec || broken ? fs::path() : Resolved(here / path);
  if (!there.empty()) {
    if (IsBelow(here, there)) return;
    for (const fs::path& folder : AllowedFolders()) {
      if (IsBelow(folder, there)) return;
    }
    const fs::path script = reads ? ScriptFolder() : fs::path();
    if (!script.empty() && IsBelow(script, there)) return;
  }
  throw MakeError(kPermissionError, "'" + path + "' is outside the working directory")
      .Hint(confined_by.empty() ? "start tensh without --sandbox to open files anywhere"
                                : confined_by);
}

}  // namespace

void CheckPath(const std::string& path) { CheckAccess(path, false); }
void CheckPathToRead(const std::string& path) { CheckAccess(path, true); }

Value AsPath(const Value& v) {
  const Value method = UserMethod(v, Intern("__fspath__"));
  return method.is_null() ? v : Call(method, {v});
}

Value OpenFile(Args& a) {
  const std::string path = ToText(AsPath(a[0]), "open() path"),
                    mode = ToText(a[1], "open() argument 'mode'");
  auto f = New<FileObject>();
  f->name = path;
  f->mode = mode;
  f->binary = mode.find('b') != mode.npos;
  const char kind = mode.empty() ? 'x' : mode[0] == 'b' || mode[0] == 't' ? mode[1] : mode[0];
  // With a '+', a file still does only the one thing that its letter says.
  if (!std::strchr("rwa", kind))
    throw ValueError("invalid mode: '" + mode + "': use 'r', 'w' or 'a'");
  f->reading = kind == 'r';
  f->writing = !f->reading;
  f->reading ? CheckPathToRead(path) : CheckPath(path);
  std::error_code ec;
  if (std::filesystem::is_directory(path, ec)) ThrowErrno(EISDIR, path);
  f->handle = std::fopen(path.c_str(), kind == 'r' ? "rb" : kind == 'w' ? "wb" : "ab");
  if (!f->handle) ThrowErrno(errno, path);
  if (f->reading) {
    // A pipe or a device cannot be read twice, and text is decoded as a whole.
    if (!f->binary || SizeOf(*f) < 0) Load(*f);
    if (!f->binary) {
      const std::string encoding = a[3].is_none() ? "utf-8" : ToText(a[3], "encoding");
      const std::string errors = a[4].is_none() ? "strict" : ToText(a[4], "errors");
      Value text = Decode(f->data, encoding, errors);
      f->data = std::string(StrView(text));
      // Universal newlines.
      std::string plain;
      for (size_t i = 0; i < f->data.size(); ++i) {
        if (f->data[i] == '\r') {
          plain += '\n';
          if (i + 1 < f->data.size() && f->data[i + 1] == '\n') ++i;
        } else {
          plain += f->data[i];
        }
      }
      f->data = std::move(plain);
    }
  }
  return f;
}

}  // namespace tensh::shell
