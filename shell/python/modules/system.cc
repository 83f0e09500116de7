// The modules sys, os, os.path, string and __future__, and the list of all modules.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "shell/python/modules/modules.h"
#include "shell/python/values/bigint.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/values/traceback.h"
#include "shell/python/vm/builtins.h"
#include "shell/python/vm/file.h"
#include "shell/python/vm/interp.h"
#include "shell/python/vm/library.h"
#include "shell/python/vm/local_module.h"
#include "shell/python/vm/namespaces.h"
#include "shell/python/vm/vm.h"
#include "shell/text/replace_file.h"

namespace tensh::shell {
namespace {

// ---- sys ----

class StreamObject : public Object {
 public:
  static const TypeInfo kType;
  explicit StreamObject(bool error) : Object(kType), error(error) {}
  bool error;
};

Value StreamWrite(Args& a) {
  auto* s = As<StrObject>(a[0]);
  if (!s) throw TypeError("write() argument must be str, not " + TypeName(a[0]));
  Interp& interp = Interp::Current();
  if (static_cast<StreamObject*>(a.self().object())->error)
    interp.WriteError(s->view());
  else
    interp.Print(s->view());
  return Value::Int(s->length());
}
Value StreamFlush(Args&) { return Interp::Current().Flush(), Value::None(); }
Value StreamIsATty(Args& a) {
  return Value::Bool(isatty(static_cast<StreamObject*>(a.self().object())->error ? 2 : 1) != 0);
}
const FunctionRow kStreamMethods[] = {
    {"write", "s, /", StreamWrite}, {"flush", "/", StreamFlush}, {"isatty", "/", StreamIsATty}};

Value Stdout() { return New<StreamObject>(false); }
Value Stderr() { return New<StreamObject>(true); }
Value Argv() {
  std::vector<Value> items;
  for (const std::string& s : Interp::Current().options().argv) items.push_back(MakeStr(s));
  if (items.empty()) items.push_back(MakeStr(""));
  return MakeList(std::move(items));
}
Value Version() { return MakeStr("3.11.2 (tensh)"); }
Value VersionInfo() {
  return MakeTuple({Value::Int(3), Value::Int(11), Value::Int(2), MakeStr("final"), Value::Int(0)});
}
Value MaxSize() { return Value::Int(INT64_MAX); }
Value Platform() { return MakeStr("linux"); }
Value Path() { return MakeList({MakeStr(ScriptFolder())}); }
Value ByteOrder() { return MakeStr("little"); }
Value Exit(Args& a) {
  auto exc = New<ExceptionObject>(kSystemExit, a[0].is_none() ? MakeTuple() : MakeTuple({a[0]}));
  exc->payload = a[0];
  throw PyError(exc);
}
Value GetRecursionLimit(Args&) { return Value::Int(Vm::recursion_limit()); }
Value SetRecursionLimit(Args& a) {
  const int64_t n = ToIndex(a[0]);
  if (n < 1) throw ValueError("recursion limit must be greater or equal than 1");
  Vm::set_recursion_limit(static_cast<int>(std::min<int64_t>(n, 100000)));
  return Value::None();
}
Value ExcInfo(Args&) {
  const Value& exc = Interp::Current().vm().handled();
  if (exc.is_null()) return MakeTuple({Value::None(), Value::None(), Value::None()});
  return MakeTuple({TypeValue(TypeOf(exc)), exc, TracebackOf(exc)});
}
Value GetSizeOf(Args&) { return Value::Int(56); }
Value GetFrame(Args& a) { return FrameOfCaller(ToIndex(a[0])); }

const FunctionRow kSysRows[] = {
    {"exit", "status=None, /", Exit},
    {"getrecursionlimit", "/", GetRecursionLimit},
    {"setrecursionlimit", "limit, /", SetRecursionLimit},
    {"exc_info", "/", ExcInfo},
    {"getsizeof", "object, default=..., /", GetSizeOf},
    {"_getframe", "depth=0, /", GetFrame},
};
const ConstantRow kSysConstants[] = {
    {"argv", Argv},
    {"stdout", Stdout},
    {"stderr", Stderr},
    {"version", Version},
    {"version_info", VersionInfo},
    {"maxsize", MaxSize},
    {"platform", Platform},
    {"path", Path},
    {"byteorder", ByteOrder},
};

// ---- os ----

namespace fs = std::filesystem;

std::string PathArg(const Value& given) {
  const Value v = AsPath(given);
  if (auto* s = As<StrObject>(v)) return s->text();
  if (auto* bytes = As<BytesObject>(v)) return bytes->data;
  throw TypeError("expected str, bytes or os.PathLike object, not " + TypeName(v));
}

Value FsPath(Args& a) {
  PathArg(a[0]);
  return AsPath(a[0]);
}

// Returns the path as bytes if bytes were given, otherwise as str.
Value PathLike(const Value& given, std::string path) {
  return As<BytesObject>(given) ? MakeBytes(std::move(path)) : MakeStr(std::move(path));
}

Value Join(Args& a) {
  std::string path = PathArg(a[0]);
  for (const Value& v : As<TupleObject>(a[1])->items) {
    std::string part = PathArg(v);
    if (!As<BytesObject>(v) != !As<BytesObject>(a[0]))
      throw TypeError("Can't mix strings and bytes in path components");
    if (!part.empty() && part[0] == '/')
      path = part;
    else if (path.empty() || path.back() == '/')
      path += part;
    else
      path += "/" + part;
  }
  return PathLike(a[0], std::move(path));
}
size_t NameBegin(const std::string& p) {
  const size_t slash = p.rfind('/');
  return slash == p.npos ? 0 : slash + 1;
}
std::string Head(const std::string& p) {
  std::string head = p.substr(0, NameBegin(p));
  if (head.find_first_not_of('/') != head.npos) {
    while (!head.empty() && head.back() == '/') head.pop_back();
  }
  return head;
}
Value Basename(Args& a) {
  std::string p = PathArg(a[0]);
  return PathLike(a[0], p.substr(NameBegin(p)));
}
Value Dirname(Args& a) { return PathLike(a[0], Head(PathArg(a[0]))); }
Value SplitPath(Args& a) {
  std::string p = PathArg(a[0]);
  return MakeTuple({PathLike(a[0], Head(p)), PathLike(a[0], p.substr(NameBegin(p)))});
}
Value SplitExt(Args& a) {
  std::string p = PathArg(a[0]);
  const size_t name = NameBegin(p);
  size_t first = name;
  while (first < p.size() && p[first] == '.') ++first;
  size_t dot = p.rfind('.');
  if (dot == p.npos || dot < first) dot = p.size();
  return MakeTuple({PathLike(a[0], p.substr(0, dot)), PathLike(a[0], p.substr(dot))});
}
// Returns a path whose properties are read. With --sandbox, these are as private as the content.
std::string PathToRead(const Value& v) {
  std::string path = PathArg(v);
  CheckPathToRead(path);
  return path;
}
Value Exists(Args& a) {
  std::error_code ec;
  return Value::Bool(fs::exists(PathToRead(a[0]), ec));
}
Value IsFile(Args& a) {
  std::error_code ec;
  return Value::Bool(fs::is_regular_file(PathToRead(a[0]), ec));
}
Value IsDir(Args& a) {
  std::error_code ec;
  return Value::Bool(fs::is_directory(PathToRead(a[0]), ec));
}
Value IsLink(Args& a) {
  std::error_code ec;
  return Value::Bool(fs::is_symlink(PathToRead(a[0]), ec));
}
Value NormPathText(const std::string& p) {
  std::string s = fs::path(p).lexically_normal().string();
  while (s.size() > 1 && s.back() == '/') s.pop_back();
  return MakeStr(s.empty() ? "." : s);
}
Value NormPath(Args& a) { return NormPathText(PathArg(a[0])); }
Value AbsPath(Args& a) {
  std::error_code ec;
  return NormPathText((fs::current_path(ec) / PathArg(a[0])).string());
}
// Follows links as far as the path exists.
Value RealPath(Args& a) {
  std::error_code ec;
  const fs::path real = fs::weakly_canonical(fs::current_path(ec) / PathArg(a[0]), ec);
  return ec ? AbsPath(a) : NormPathText(real.string());
}
Value IsAbs(Args& a) {
  std::string p = PathArg(a[0]);
  return Value::Bool(!p.empty() && p[0] == '/');
}
Value ExpandUser(Args& a) {
  std::string p = PathArg(a[0]);
  const char* home = std::getenv("HOME");
  if (home && !p.empty() && p[0] == '~' && (p.size() == 1 || p[1] == '/')) p.replace(0, 1, home);
  return MakeStr(std::move(p));
}
Value GetSize(Args& a) {
  std::error_code ec;
  const auto size = fs::file_size(PathToRead(a[0]), ec);
  if (ec) {
    throw PyError(New<ExceptionObject>(
        kFileNotFoundError,
        MakeTuple({Value::Int(ec.value()), MakeStr(std::strerror(ec.value())), a[0]})));
  }
  return Value::Int(static_cast<int64_t>(size));
}

[[noreturn]] void ThrowFs(const std::error_code& ec, const Value& path) {
  const TypeInfo* type = ec.value() == ENOENT   ? &kFileNotFoundError
                         : ec.value() == EEXIST ? &kFileExistsError
                                                : &kOSError;
  throw PyError(New<ExceptionObject>(
      *type, MakeTuple({Value::Int(ec.value()), MakeStr(std::strerror(ec.value())), path})));
}

Value GetCwd(Args&) {
  std::error_code ec;
  return MakeStr(fs::current_path(ec).string());
}
// Files below the old folder stay accessible.
Value ChangeDir(Args& a) {
  const std::string path = PathArg(a[0]);
  CheckPath(path);
  std::error_code ec;
  const fs::path before = fs::current_path(ec);
  fs::current_path(path, ec);
  if (ec) ThrowFs(ec, a[0]);
  AllowFolder(before.string());
  return Value::None();
}
Value GetMTime(Args& a) {
  struct stat found {};
  if (::stat(PathToRead(a[0]).c_str(), &found) != 0)
    ThrowFs(std::error_code(errno, std::generic_category()), a[0]);
  return Value::Float(static_cast<double>(found.st_mtim.tv_sec) +
                      static_cast<double>(found.st_mtim.tv_nsec) * 1e-9);
}
Value ListDir(Args& a) {
  std::vector<Value> names;
  std::error_code ec;
  const std::string path = PathToRead(a[0]);
  for (const auto& entry : fs::directory_iterator(path, ec))
    names.push_back(MakeStr(entry.path().filename().string()));
  if (ec) ThrowFs(ec, a[0]);
  return MakeList(std::move(names));
}
// Appends (folder, names of folders, names of files) for the folder and, top down, for every folder
// below it.
void Walk(const std::string& folder, int depth, std::vector<Value>* out) {
  std::error_code ec;
  std::vector<Value> folders, files;
  for (const auto& entry : fs::directory_iterator(folder, ec))
    (entry.is_directory(ec) ? folders : files).push_back(MakeStr(entry.path().filename().string()));
  if (ec) return;
  out->push_back(MakeTuple({MakeStr(folder), MakeList(folders), MakeList(std::move(files))}));
  for (const Value& name : folders) {
    const std::string below = (fs::path(folder) / As<StrObject>(name)->text()).string();
    if (depth < 256 && !fs::is_symlink(below, ec)) Walk(below, depth + 1, out);
  }
}
Value WalkAll(Args& a) {
  std::vector<Value> out;
  const std::string folder = PathToRead(a[0]);
  Walk(folder, 0, &out);
  return CallMethod(MakeList(std::move(out)), "__iter__", {});
}
Value MakeDirs(Args& a) {
  std::string path = PathArg(a[0]);
  CheckPath(path);
  std::error_code ec;
  if (fs::exists(path, ec)) {
    if (Truth(a[2])) return Value::None();
    ThrowFs(std::make_error_code(std::errc::file_exists), a[0]);
  }
  fs::create_directories(path, ec);
  if (ec) ThrowFs(ec, a[0]);
  return Value::None();
}
// Makes a new folder and allows the script to write in it, although the folder for temporary files is
// outside the working directory.
Value MakeTempDir(Args& a) {
  std::string path = PathArg(a[0]) + "XXXXXX";
  std::error_code error;
  const fs::path parent = fs::absolute(path, error).parent_path();
  if (!fs::equivalent(parent, fs::temp_directory_path(error), error) || error) CheckPath(path);
  if (!::mkdtemp(path.data())) ThrowFs(std::error_code(errno, std::generic_category()), a[0]);
  std::string suffix = PathArg(a[1]);
  if (!suffix.empty()) {
    if (suffix.find('/') != suffix.npos ||
        std::rename(path.c_str(), (path + suffix).c_str()) != 0) {
      ::rmdir(path.c_str());
      throw ValueError("mkdtemp: no folder can end in " + Repr(a[1]));
    }
    path += suffix;
  }
  AllowFolder(path);
  return MakeStr(std::move(path));
}
Value RelPath(Args& a) {
  std::error_code ec;
  const fs::path from = a[1].is_none() ? fs::current_path(ec) : fs::path(PathArg(a[1]));
  return NormPathText(fs::absolute(PathArg(a[0]), ec)
                          .lexically_normal()
                          .lexically_relative(fs::absolute(from, ec).lexically_normal())
                          .string());
}
Value CommonPrefix(Args& a) {
  std::string common;
  bool first = true;
  for (const Value& v : ToVector(a[0])) {
    const std::string p = PathArg(v);
    common =
        first ? p
              : common.substr(
                    0, static_cast<size_t>(
                           std::mismatch(common.begin(), common.end(), p.begin(), p.end()).first -
                           common.begin()));
    first = false;
  }
  return MakeStr(std::move(common));
}
Value MakeDir(Args& a) {
  std::string path = PathArg(a[0]);
  CheckPath(path);
  if (::mkdir(path.c_str(), 0777) != 0)
    ThrowFs(std::error_code(errno, std::generic_category()), a[0]);
  return Value::None();
}
Value RemoveFile(Args& a) {
  std::string path = PathArg(a[0]);
  CheckPath(path);
  if (::unlink(path.c_str()) != 0) ThrowFs(std::error_code(errno, std::generic_category()), a[0]);
  return Value::None();
}
Value RemoveDir(Args& a) {
  std::string path = PathArg(a[0]);
  CheckPath(path);
  if (::rmdir(path.c_str()) != 0) ThrowFs(std::error_code(errno, std::generic_category()), a[0]);
  return Value::None();
}
Value Rename(Args& a) {
  std::string from = PathArg(a[0]), to = PathArg(a[1]);
  CheckPath(from);
  CheckPath(to);
  std::error_code ec;
  fs::rename(from, to, ec);
  if (ec) ThrowFs(ec, a[0]);
  return Value::None();
}
// Arguments: path, pieces. Replaces the contents of a file with the bytes of all pieces, which may
// come from a generator.
Value ReplaceFile(Args& a) {
  const std::string path = PathArg(a[0]);
  CheckPath(path);
  const auto fail = [&](int code) {
    ThrowFs(std::error_code(code, std::generic_category()), a[0]);
  };
  FileReplacement file(path);
  if (const int code = file.Open()) fail(code);
  const Value pieces = Iter(a[1]);
  for (Value piece; Next(pieces, &piece);) {
    PollInterrupt();
    const auto* bytes = As<BytesObject>(piece);
    if (bytes == nullptr) throw TypeError("a piece of a file is bytes, got " + TypeName(piece));
    if (const int code = file.Write(bytes->data)) fail(code);
  }
  if (const int code = file.Commit()) fail(code);
  return Value::None();
}
// Arguments: made, path. Makes a folder the one at `path`, and removes the old one, which Ctrl-C
// cannot interrupt.
Value ReplaceFolder(Args& a) {
  const std::string made = PathArg(a[0]), path = PathArg(a[1]);
  CheckPath(made);
  CheckPath(path);
  bool swapped = false;
  if (const int code = shell::ReplaceFolder(made, path, &swapped))
    ThrowFs(std::error_code(code, std::generic_category()), a[1]);
  std::error_code ignored;
  if (swapped) fs::remove_all(made, ignored);
  return Value::None();
}
// Removes a folder with all that is in it, if it exists.
Value RemoveTree(Args& a) {
  const std::string path = PathArg(a[0]);
  CheckPath(path);
  std::error_code ignored;
  fs::remove_all(path, ignored);
  return Value::None();
}
Value TemporaryName(Args& a) { return MakeStr(TemporaryBeside(PathArg(a[0]))); }
Value GetEnv(Args& a) {
  const char* v = std::getenv(PathArg(a[0]).c_str());
  return v ? MakeStr(v) : a[1];
}
// Returns a copy of the environment. A script sees its own changes (TF_CPP_MIN_LOG_LEVEL), but they
// have no other effect.
Value Environ() {
  Value out = MakeDict();
  for (char** e = environ; *e; ++e) {
    const char* equals = std::strchr(*e, '=');
    if (equals)
      As<DictObject>(out)->dict.Set(std::string_view(*e, static_cast<size_t>(equals - *e)),
                                    MakeStr(equals + 1));
  }
  return out;
}
Value GetPid(Args&) { return Value::Int(::getpid()); }
Value PathModule() { return ModuleValue(kOsPathModule); }
Value Sep() { return MakeStr("/"); }
Value LineSep() { return MakeStr("\n"); }
Value OsName() { return MakeStr("posix"); }

const FunctionRow kOsPathRows[] = {
    {"join", "a, *p", Join},
    {"basename", "p", Basename},
    {"dirname", "p", Dirname},
    {"split", "p", SplitPath},
    {"splitext", "p", SplitExt},
    {"exists", "path", Exists},
    {"isfile", "path", IsFile},
    {"isdir", "s", IsDir},
    {"islink", "path", IsLink},
    {"abspath", "path", AbsPath},
    {"realpath", "filename", RealPath},
    {"normpath", "path", NormPath},
    {"isabs", "s", IsAbs},
    {"expanduser", "path", ExpandUser},
    {"getsize", "filename", GetSize},
    {"getmtime", "filename", GetMTime},
    {"relpath", "path, start=None", RelPath},
    {"commonprefix", "m", CommonPrefix},
    {"lexists", "path", Exists},
};
const ConstantRow kOsPathConstants[] = {{"sep", Sep},
                                        {"curdir", [] { return MakeStr("."); }},
                                        {"pardir", [] { return MakeStr(".."); }}};
// Arguments: path. Returns the numbers of os.stat: mode, inode, device, links, user, group, size and
// the times of access, modification and change, in nanoseconds.
Value Stat(Args& a) {
  struct stat found {};
  if (::stat(PathToRead(a[0]).c_str(), &found) != 0)
    ThrowFs(std::error_code(errno, std::generic_category()), a[0]);
  const auto time = [](const timespec& t) {
    return Value::Int(static_cast<int64_t>(t.tv_sec) * 1000000000 + t.tv_nsec);
  };
  const auto number = [](auto n) { return Value::Int(static_cast<int64_t>(n)); };
  return MakeTuple({number(found.st_mode), number(found.st_ino), number(found.st_dev),
                    number(found.st_nlink), number(found.st_uid), number(found.st_gid),
                    number(found.st_size), time(found.st_atim), time(found.st_mtim),
                    time(found.st_ctim)});
}
const FunctionRow kOsRows[] = {
    {"_stat", "path", Stat},
    {"fspath", "path", FsPath},
    {"getcwd", "/", GetCwd},
    {"chdir", "path", ChangeDir},
    {"listdir", "path='.'", ListDir},
    {"walk", "top", WalkAll},
    {"makedirs", "name, mode=511, exist_ok=False", MakeDirs},
    {"mkdir", "path, mode=511", MakeDir},
    {"remove", "path", RemoveFile},
    {"unlink", "path", RemoveFile},
    {"rmdir", "path", RemoveDir},
    {"rename", "src, dst", Rename},
    {"replace", "src, dst", Rename},
    {"getenv", "key, default=None", GetEnv},
    {"getpid", "/", GetPid},
    {"_mkdtemp", "prefix, suffix", MakeTempDir},
    {"_replace_file", "path, pieces", ReplaceFile},
    {"_replace_folder", "made, path", ReplaceFolder},
    {"_remove_tree", "path", RemoveTree},
    {"_temporary", "path", TemporaryName},
};
const ConstantRow kOsConstants[] = {{"path", PathModule},
                                    {"environ", Environ},
                                    {"sep", Sep},
                                    {"linesep", LineSep},
                                    {"name", OsName}};

// ---- string, __future__ ----

#define TEXT(name, text)                          \
  {                                               \
    name, []() -> Value { return MakeStr(text); } \
  }
const ConstantRow kStringConstants[] = {
    TEXT("ascii_lowercase", "abcdefghijklmnopqrstuvwxyz"),
    TEXT("ascii_uppercase", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    TEXT("ascii_letters", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    TEXT("digits", "0123456789"),
    TEXT("hexdigits", "0123456789abcdefABCDEF"),
    TEXT("octdigits", "01234567"),
    TEXT("punctuation", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"),
    TEXT("whitespace", " \t\n\r\x0b\x0c"),
    TEXT("printable",
         "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!\"#$%&'()*+,-./"
         ":;<=>?@[\\]^_`{|}~ \t\n\r\x0b\x0c"),
};
#undef TEXT
Value CapWords(Args& a) {
  Value words = CallMethod(a[0], "split", {});
  std::vector<Value> out;
  for (const Value& w : As<ListObject>(words)->items)
    out.push_back(CallMethod(w, "capitalize", {}));
  return CallMethod(MakeStr(" "), "join", {MakeList(std::move(out))});
}
const FunctionRow kStringRows[] = {{"capwords", "s", CapWords}};

Value Feature() { return Value::None(); }
const ConstantRow kFeatures[] = {
    {"print_function", Feature},   {"division", Feature},    {"absolute_import", Feature},
    {"unicode_literals", Feature}, {"generators", Feature},  {"nested_scopes", Feature},
    {"with_statement", Feature},   {"annotations", Feature},
};

}  // namespace

const TypeInfo StreamObject::kType = {
    .name = "TextIOWrapper", .module = "_io", .methods = kStreamMethods};

const ModuleDef kSysModule = {
    .name = "sys",
    .functions = kSysRows,
    .constants = kSysConstants,
    .missing = [](StrObject* name) { return FromLibrary("sys_more", name); }};
const ModuleDef kOsModule = {
    .name = "os", .functions = kOsRows, .constants = kOsConstants, .missing = [](StrObject* name) {
      return FromLibrary("os_more", name);
    }};
const ModuleDef kOsPathModule = {
    .name = "posixpath", .functions = kOsPathRows, .constants = kOsPathConstants};
const ModuleDef kStringModule = {
    .name = "string", .functions = kStringRows, .constants = kStringConstants};
const ModuleDef kFutureModule = {.name = "__future__", .constants = kFeatures};

void RegisterStandardModules(Interp* interp) {
  static constexpr struct {
    const char* name;
    const ModuleDef* def;
  } kModules[] = {
      {"math", &kMathModule},
      {"time", &kTimeModule},
      {"random", &kRandomModule},
      {"os", &kOsModule},
      {"os.path", &kOsPathModule},
      {"sys", &kSysModule},
      {"collections", &kCollectionsModule},
      {"string", &kStringModule},
      {"itertools", &kItertoolsModule},
      {"functools", &kFunctoolsModule},
      {"__future__", &kFutureModule},
      {"_re", &kRegexModule},
      {"_zlib", &kZlibModule},
      {"_hash", &kHashModule},
      {"_codecs", &kCodecsModule},
      {"_wire", &kWireModule},
  };
  for (const auto& m : kModules) interp->AddModule(m.name, *m.def);
  AddPythonModules(interp);
  interp->AddBuiltins(TextRunners());
}

}  // namespace tensh::shell
