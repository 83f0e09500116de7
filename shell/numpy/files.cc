// np.save, np.load, np.savez, np.savetxt and np.loadtxt.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "shell/numpy/convert.h"
#include "shell/numpy/dtype_value.h"
#include "shell/numpy/methods.h"
#include "shell/numpy/module.h"
#include "shell/numpy/npy.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/file.h"
#include "shell/python/vm/interp.h"
#include "shell/text/replace_file.h"

namespace tensh::shell::np {
namespace {

constexpr std::streamsize kChunk = 1 << 20;      // bytes of one read
constexpr size_t kMostOfPipe = size_t{1} << 30;  // bytes
constexpr int64_t kPolled = 1024;  // rows between two looks whether the user pressed Ctrl-C

std::string TextOfPath(const Value& given) {
  const Value v = AsPath(given);
  if (!IsStr(v)) throw TypeError("expected a file name, got " + TypeName(v));
  const std::string path(StrView(v));
  if (path.find('\0') != path.npos) throw ValueError("embedded null byte");
  return path;
}

// Returns the path to write. With --sandbox, it must be below the working directory.
std::string PathToWrite(const Value& v) {
  const std::string path = TextOfPath(v);
  CheckPath(path);
  return path;
}

std::string PathToRead(const Value& v) {
  const std::string path = TextOfPath(v);
  CheckPathToRead(path);
  return path;
}

PyError FileError(const std::string& path) {
  const int code = errno;
  const std::string text =
      "[Errno " + std::to_string(code) + "] " + std::strerror(code) + ": '" + path + "'";
  return MakeError(code == ENOENT ? kFileNotFoundError : kOSError, text);
}

std::string ReadAll(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    errno = EISDIR;
    throw FileError(path);
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw FileError(path);
  const bool plain = std::filesystem::is_regular_file(path, error);
  std::string text;
  // Fails at once if the file is larger than the memory.
  if (plain) text.reserve(std::filesystem::file_size(path) + kChunk);
  do {
    // A pipe or a device may never end.
    if (!plain && text.size() > kMostOfPipe)
      throw MakeError(kMemoryError, "'" + path + "' is larger than 1 GiB");
    PollInterrupt();
    const size_t size = text.size();
    text.resize(size + kChunk);
    file.read(text.data() + size, kChunk);
    text.resize(size + static_cast<size_t>(file.gcount()));
  } while (file);
  return text;
}

void WriteAll(const std::string& path, const std::string& bytes) {
  errno = ReplaceFileContents(path, bytes);
  if (errno != 0) throw FileError(path);
}

// Returns a method of an open file, or null if `v` is a path.
Value MethodOfFile(const Value& v, const char* name) {
  return IsStr(v) || !v.is_object() ? Value() : FindAttr(v, Intern(name));
}

// Writes to an open file. Returns false if `v` is a path.
bool WriteToFile(const Value& v, const std::string& bytes, bool text) {
  const Value write = MethodOfFile(v, "write");
  if (write.is_null()) return false;
  const Value mode = FindAttr(v, Intern("mode"));
  const bool binary =
      !mode.is_null() && IsStr(mode) && StrView(mode).find('b') != std::string::npos;
  Call(write, {text && !binary ? MakeStr(bytes) : MakeBytes(bytes)});
  return true;
}

// Reads at most `count` bytes of an open file, or all of them if it is negative. Returns false if `v`
// is a path.
bool ReadFromFile(const Value& v, int64_t count, std::string* bytes) {
  const Value read = MethodOfFile(v, "read");
  if (read.is_null()) return false;
  const Value got = Call(read, {Value::Int(count)});
  const auto* data = As<BytesObject>(got);
  *bytes = data != nullptr ? data->data : ToText(got, "the content of a file");
  return true;
}

bool EndsWith(const std::string& s, std::string_view end) {
  return s.size() >= end.size() && s.compare(s.size() - end.size(), end.size(), end) == 0;
}

// Opens a file for reading by position. Throws OSError.
std::unique_ptr<ByteSource> OpenBytes(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    errno = EISDIR;
    throw FileError(path);
  }
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) throw FileError(path);
  const off_t size = ::fseeko(file, 0, SEEK_END) == 0 ? ::ftello(file) : 0;
  return std::make_unique<ByteSource>(file, static_cast<uint64_t>(std::max<off_t>(size, 0)));
}

// The result of np.load for an .npz file: arrays by name, each read when it is first used. The file
// stays open, so that replacing it does no harm.
class NpzFile : public TrackedObject {
 public:
  static const TypeInfo kType;
  explicit NpzFile(std::unique_ptr<ByteSource> file)
      : TrackedObject(kType), source(std::move(file)), arrays(MakeDict()) {
    for (ZipMember& member : ReadZipDirectory(*source)) {
      if (EndsWith(member.name, ".npy")) member.name.resize(member.name.size() - 4);
      if (ZipMember* same = Find(member.name))
        *same = std::move(member);
      else
        members.push_back(std::move(member));
    }
  }
  void DropRefs() override { arrays = Value(); }

  ZipMember* Find(std::string_view name) {
    for (ZipMember& member : members)
      if (member.name == name) return &member;
    return nullptr;
  }
  Value Get(const Value& key) {
    const ZipMember* member = IsStr(key) ? Find(StrView(key)) : nullptr;
    if (!member) throw KeyError(MakeStr(Str(key) + " is not a file in the archive"));
    if (!Contains(arrays, key)) SetItem(arrays, key, MakeArray(ReadZipArray(*source, *member)));
    return GetItem(arrays, key);
  }

  const std::unique_ptr<ByteSource> source;
  std::vector<ZipMember> members;
  Value arrays;  // those that were read
};
NpzFile& NpzOf(const Value& v) { return *static_cast<NpzFile*>(v.object()); }

Value Keys(const Value& v) {
  std::vector<Value> names;
  for (const ZipMember& member : NpzOf(v).members) names.push_back(MakeStr(member.name));
  return MakeList(std::move(names));
}
// Returns all arrays by name.
Value Loaded(const Value& v) {
  const Value all = MakeDict();
  for (const Value& name : ToVector(Keys(v))) SetItem(all, name, NpzOf(v).Get(name));
  return all;
}

// name: returns the dtype and the shape of an array, which is read only if it is compressed.
Value Peek(Args& a) {
  NpzFile& file = NpzOf(a.self());
  const ZipMember* member = file.Find(ToText(a[0], "name"));
  int dtype = 0;
  Extents dims;
  if (!member || !ReadZipShape(*file.source, *member, &dtype, &dims)) {
    const Array array = ToArray(file.Get(a[0]));
    dtype = array.dtype;
    dims.assign(array.dims().begin(), array.dims().end());
  }
  std::vector<Value> shape;
  for (const int64_t d : dims) shape.push_back(Value::Int(d));
  return MakeTuple({MakeStr(GetType(dtype).name), MakeTuple(std::move(shape))});
}

constexpr FunctionRow kNpzMethods[] = {
    {"_peek", "name, /", Peek, "The dtype and the shape of an array."},
    {"keys", "", [](Args& a) { return Keys(a.self()); }, "The names."},
    {"values", "", [](Args& a) { return CallMethod(Loaded(a.self()), "values", {}); },
     "The arrays."},
    {"items", "", [](Args& a) { return CallMethod(Loaded(a.self()), "items", {}); },
     "Names and arrays."},
    {"close", "", [](Args&) { return Value::None(); },
     "Does nothing: arrays can still be read afterwards."},
};
constexpr PropertyRow kNpzProperties[] = {{"files", Keys, nullptr, "The names."}};
const TypeInfo NpzFile::kType = {
    .name = "NpzFile",
    .module = "numpy.lib.npyio",
    .methods = kNpzMethods,
    .properties = kNpzProperties,
    .len = [](const Value& v) { return static_cast<int64_t>(NpzOf(v).members.size()); },
    .getitem = [](const Value& v, const Value& key) { return NpzOf(v).Get(key); },
    .contains =
        [](const Value& v, const Value& key) {
          return IsStr(key) && NpzOf(v).Find(StrView(key)) != nullptr;
        },
    .iter = [](const Value& v) { return Iter(Keys(v)); },
    .enter = [](const Value& v) { return v; },
    .exit = [](const Value&, const Value&) { return false; },
};

Value LoadFunction(Args& a) {
  if (std::string bytes; ReadFromFile(a[0], -1, &bytes)) return MakeArray(DecodeNpy(bytes));
  std::unique_ptr<ByteSource> source = OpenBytes(PathToRead(a[0]));
  if (source->size() >= 2 && source->Bytes(0, 2) == "PK") return New<NpzFile>(std::move(source));
  return MakeArray(ReadNpy(*source, 0, source->size()));
}

// Arguments: file, dtype, count, sep, offset.
Value FromFile(Args& a) {
  const bool swap = TakeByteOrder(&a[1]);
  const int dtype = DTypeArgument(a[1]) ? DTypeArgument(a[1]) : +TSH_DOUBLE;
  if (!HasBytes(dtype)) throw ValueError("Cannot read into object array");
  if (Len(a[3])) throw ValueError("np.fromfile reads binary files only; use np.loadtxt for text");
  const int64_t offset = ToIndex(a[4]), count = ToIndex(a[2]);
  std::string bytes;
  const bool open = ReadFromFile(a[0], count < 0 ? -1 : offset + count * ItemSize(dtype), &bytes);
  const std::unique_ptr<ByteSource> source =
      open ? std::make_unique<ByteSource>(bytes) : OpenBytes(PathToRead(a[0]));
  const auto size = static_cast<int64_t>(source->size());
  if (offset < 0) throw ValueError("offset must not be negative");
  const int64_t have = std::max<int64_t>(size - offset, 0) / ItemSize(dtype);
  const int64_t n = count < 0 ? have : std::min(count, have);
  const Array out = Empty(dtype, {&n, 1});
  if (n)
    source->Read(static_cast<uint64_t>(offset), static_cast<uint64_t>(n * ItemSize(dtype)),
                 out.WritableData());
  if (swap) SwapBytes(out);
  return MakeArray(out);
}

Value SaveFunction(Args& a) {
  const std::string bytes = EncodeNpy(ToArray(a[1]));
  if (WriteToFile(a[0], bytes, false)) return Value::None();
  std::string path = PathToWrite(a[0]);
  if (!EndsWith(path, ".npy")) path += ".npy";
  WriteAll(path, bytes);
  return Value::None();
}

// Arguments: file, *args, **kwds.
template <bool kCompress>
Value SaveManyFunction(Args& a) {
  std::string path = PathToWrite(a[0]);
  if (!EndsWith(path, ".npz")) path += ".npz";
  Members members;
  const auto* args = Sequence(a[1]);
  for (size_t i = 0; i < args->size(); ++i)
    members.emplace_back("arr_" + std::to_string(i) + ".npy", EncodeNpy(ToArray((*args)[i])));
  for (const Value& name : ToVector(a[2]))
    members.emplace_back(Str(name) + ".npy", EncodeNpy(ToArray(GetItem(a[2], name))));
  WriteAll(path, EncodeZip(members, kCompress));
  return Value::None();
}

// Arguments: fname, X, fmt, delimiter, newline, header, footer, comments.
Value SaveTextFunction(Args& a) {
  Array x = ToArray(a[1]);
  if (x.rank < 2) x = WithAxis(x.rank ? x : WithAxis(x, 0), 1);
  if (x.rank != 2)
    throw ValueError("Expected 1D or 2D array, got " + std::to_string(x.rank) + "D array instead");
  const std::string delimiter = Str(a[3]), newline = a[4].is_none() ? "\n" : Str(a[4]),
                    comments = Str(a[7]);
  std::string out;
  if (Len(a[5])) out += comments + Str(a[5]) + newline;
  for (int64_t i = 0; i < x.dim(0); ++i) {
    if (i % kPolled == 0) PollInterrupt();
    for (int64_t j = 0; j < x.dim(1); ++j) {
      const Value v = PythonElement(x, x.offset + i * x.step(0) + j * x.step(1));
      out += (j ? delimiter : "") + Str(Binary(BinaryOp::kMod, a[2], MakeTuple({v})));
    }
    out += newline;
  }
  if (Len(a[6])) out += comments + Str(a[6]) + newline;
  if (!WriteToFile(a[0], out, true)) WriteAll(PathToWrite(a[0]), out);
  return Value::None();
}

std::vector<std::string> Fields(const std::string& line, const std::string& delimiter) {
  std::vector<std::string> out;
  if (delimiter.empty()) {
    std::istringstream words(line);
    for (std::string word; words >> word;) out.push_back(word);
    return out;
  }
  size_t at = 0;
  for (size_t next; (next = line.find(delimiter, at)) != line.npos; at = next + delimiter.size())
    out.push_back(line.substr(at, next - at));
  out.push_back(line.substr(at));
  return out;
}

// Arguments: fname, dtype, comments, delimiter, skiprows, usecols, unpack.
Value LoadTextFunction(Args& a) {
  std::string content;
  if (!ReadFromFile(a[0], -1, &content)) content = ReadAll(PathToRead(a[0]));
  std::istringstream text(content);
  const int dtype = DTypeArgument(a[1]) ? DTypeArgument(a[1]) : +TSH_DOUBLE;
  const std::string comment = a[2].is_none() ? "" : Str(a[2]);
  const std::string delimiter = a[3].is_none() ? "" : Str(a[3]);
  const Extents columns = a[5].is_none() ? Extents{} : ShapeArgument(a[5]);
  int64_t skip = ToIndex(a[4]);
  std::vector<Value> rows;
  for (std::string line; std::getline(text, line);) {
    if (rows.size() % static_cast<size_t>(kPolled) == 0) PollInterrupt();
    if (skip-- > 0) continue;
    if (!comment.empty()) line = line.substr(0, line.find(comment));
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.find_first_not_of(" \t") == line.npos) continue;
    const std::vector<std::string> fields = Fields(line, delimiter);
    std::vector<Value> row;
    const auto add = [&](int64_t i) {
      if (i < 0) i += static_cast<int64_t>(fields.size());
      if (i < 0 || i >= static_cast<int64_t>(fields.size()))
        throw ValueError("invalid column index " + std::to_string(i) + " at row " +
                         std::to_string(rows.size() + 1));
      row.push_back(MakeStr(fields[static_cast<size_t>(i)]));
    };
    if (columns.empty())
      for (size_t i = 0; i < fields.size(); ++i) add(static_cast<int64_t>(i));
    for (int64_t i : columns) add(i);
    if (!rows.empty() && row.size() != Sequence(rows[0])->size()) {
      throw ValueError("the number of columns changed from " +
                       std::to_string(Sequence(rows[0])->size()) + " to " +
                       std::to_string(row.size()) + " at row " + std::to_string(rows.size() + 1));
    }
    rows.push_back(MakeList(std::move(row)));
  }
  Array out = ToArray(MakeList(std::move(rows)), dtype);
  if (out.rank == 2) out = SqueezeArray(out, Value::None());
  return MakeArray(Truth(a[6]) ? Transposed(out) : out);
}

constexpr FunctionRow kRows[] = {
    {"load", "file, mmap_mode=None, allow_pickle=False, fix_imports=True, encoding='ASCII'",
     LoadFunction, "Read an .npy or .npz file."},
    {"fromfile", "file, dtype=None, count=-1, sep='', offset=0", FromFile,
     "Read an array of numbers from the bytes of a file."},
    {"save", "file, arr, allow_pickle=True", SaveFunction, "Write an array to an .npy file."},
    {"savez", "file, *args, **kwds", SaveManyFunction<false>, "Write arrays to an .npz file."},
    {"savez_compressed", "file, *args, **kwds", SaveManyFunction<true>,
     "Write arrays to a compressed .npz file."},
    {"savetxt",
     "fname, X, fmt='%.18e', delimiter=' ', newline=None, header='', footer='', comments='# '",
     SaveTextFunction, "Write numbers as text."},
    {"loadtxt",
     "fname, dtype=None, comments='#', delimiter=None, skiprows=0, usecols=None, unpack=False",
     LoadTextFunction, "Read numbers from text."},
    {"genfromtxt",
     "fname, dtype=None, comments='#', delimiter=None, skip_header=0, usecols=None, unpack=False",
     LoadTextFunction, "Read numbers from text."},
};

}  // namespace

std::span<const FunctionRow> FileFunctions() { return kRows; }

}  // namespace tensh::shell::np
