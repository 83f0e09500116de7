// sys, os, os.path, time, string and __future__; and the list of all modules.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "shell/lang/builtins.h"
#include "shell/lang/file.h"
#include "shell/lang/interp.h"
#include "shell/lang/modules/modules.h"
#include "shell/lang/vm.h"
#include "shell/values/bigint.h"
#include "shell/values/containers.h"
#include "shell/values/error.h"
#include "shell/values/ops.h"

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
  if (static_cast<StreamObject*>(a.self().object())->error) interp.WriteError(s->view());
  else interp.Write(s->view());
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
Value VersionInfo() { return MakeTuple({Value::Int(3), Value::Int(11), Value::Int(2), MakeStr("final"), Value::Int(0)}); }
Value MaxSize() { return Value::Int(INT64_MAX); }
Value Platform() { return MakeStr("linux"); }
Value Path() { return MakeList({MakeStr("")}); }
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
  return MakeTuple({TypeValue(TypeOf(exc)), exc, Value::None()});
}
Value GetSizeOf(Args&) { return Value::Int(56); }

const FunctionRow kSysRows[] = {
    {"exit", "status=None, /", Exit},
    {"getrecursionlimit", "/", GetRecursionLimit},
    {"setrecursionlimit", "limit, /", SetRecursionLimit},
    {"exc_info", "/", ExcInfo},
    {"getsizeof", "object, default=..., /", GetSizeOf},
};
const ConstantRow kSysConstants[] = {
    {"argv", Argv}, {"stdout", Stdout}, {"stderr", Stderr}, {"version", Version}, {"version_info", VersionInfo},
    {"maxsize", MaxSize}, {"platform", Platform}, {"path", Path}, {"byteorder", ByteOrder},
};

// ---- os ----

namespace fs = std::filesystem;

std::string PathArg(const Value& v) {
  if (auto* s = As<StrObject>(v)) return s->text();
  throw TypeError("expected str, bytes or os.PathLike object, not " + TypeName(v));
}

Value Join(Args& a) {
  std::string path = PathArg(a[0]);
  for (const Value& v : As<TupleObject>(a[1])->items) {
    std::string part = PathArg(v);
    if (!part.empty() && part[0] == '/') path = part;
    else if (path.empty() || path.back() == '/') path += part;
    else path += "/" + part;
  }
  return MakeStr(std::move(path));
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
  return MakeStr(p.substr(NameBegin(p)));
}
Value Dirname(Args& a) { return MakeStr(Head(PathArg(a[0]))); }
Value SplitPath(Args& a) {
  std::string p = PathArg(a[0]);
  return MakeTuple({MakeStr(Head(p)), MakeStr(p.substr(NameBegin(p)))});
}
Value SplitExt(Args& a) {
  std::string p = PathArg(a[0]);
  const size_t name = NameBegin(p);
  size_t first = name;
  while (first < p.size() && p[first] == '.') ++first;
  size_t dot = p.rfind('.');
  if (dot == p.npos || dot < first) dot = p.size();
  return MakeTuple({MakeStr(p.substr(0, dot)), MakeStr(p.substr(dot))});
}
Value Exists(Args& a) {
  std::error_code ec;
  return Value::Bool(fs::exists(PathArg(a[0]), ec));
}
Value IsFile(Args& a) {
  std::error_code ec;
  return Value::Bool(fs::is_regular_file(PathArg(a[0]), ec));
}
Value IsDir(Args& a) {
  std::error_code ec;
  return Value::Bool(fs::is_directory(PathArg(a[0]), ec));
}
Value IsLink(Args& a) {
  std::error_code ec;
  return Value::Bool(fs::is_symlink(PathArg(a[0]), ec));
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
  const auto size = fs::file_size(PathArg(a[0]), ec);
  if (ec) {
    throw PyError(New<ExceptionObject>(kFileNotFoundError,
                                       MakeTuple({Value::Int(ec.value()), MakeStr(std::strerror(ec.value())), a[0]})));
  }
  return Value::Int(static_cast<int64_t>(size));
}

[[noreturn]] void ThrowFs(const std::error_code& ec, const Value& path) {
  const TypeInfo* type = ec.value() == ENOENT ? &kFileNotFoundError : ec.value() == EEXIST ? &kFileExistsError : &kOSError;
  throw PyError(New<ExceptionObject>(*type, MakeTuple({Value::Int(ec.value()), MakeStr(std::strerror(ec.value())), path})));
}

Value GetCwd(Args&) {
  std::error_code ec;
  return MakeStr(fs::current_path(ec).string());
}
Value ListDir(Args& a) {
  std::vector<Value> names;
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator(PathArg(a[0]), ec)) names.push_back(MakeStr(entry.path().filename().string()));
  if (ec) ThrowFs(ec, a[0]);
  return MakeList(std::move(names));
}
// (folder, names of folders, names of files) of the folder and, top down, of all below it.
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
  Walk(PathArg(a[0]), 0, &out);
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
Value MakeDir(Args& a) {
  std::string path = PathArg(a[0]);
  CheckPath(path);
  if (::mkdir(path.c_str(), 0777) != 0) ThrowFs(std::error_code(errno, std::generic_category()), a[0]);
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
Value GetEnv(Args& a) {
  const char* v = std::getenv(PathArg(a[0]).c_str());
  return v ? MakeStr(v) : a[1];
}
// A copy: what a script sets in it is seen by that script (TF_CPP_MIN_LOG_LEVEL), and by nothing else.
Value Environ() {
  Value out = MakeDict();
  for (char** e = environ; *e; ++e) {
    const char* equals = std::strchr(*e, '=');
    if (equals) As<DictObject>(out)->dict.Set(std::string_view(*e, static_cast<size_t>(equals - *e)), MakeStr(equals + 1));
  }
  return out;
}
Value GetPid(Args&) { return Value::Int(::getpid()); }
Value PathModule() { return ModuleValue(kOsPathModule); }
Value Sep() { return MakeStr("/"); }
Value LineSep() { return MakeStr("\n"); }
Value OsName() { return MakeStr("posix"); }

const FunctionRow kOsPathRows[] = {
    {"join", "a, *p", Join}, {"basename", "p", Basename}, {"dirname", "p", Dirname}, {"split", "p", SplitPath},
    {"splitext", "p", SplitExt}, {"exists", "path", Exists}, {"isfile", "path", IsFile}, {"isdir", "s", IsDir},
    {"islink", "path", IsLink},
    {"abspath", "path", AbsPath}, {"realpath", "filename", AbsPath}, {"normpath", "path", NormPath},
    {"isabs", "s", IsAbs}, {"expanduser", "path", ExpandUser}, {"getsize", "filename", GetSize},
};
const FunctionRow kOsRows[] = {
    {"getcwd", "/", GetCwd}, {"listdir", "path='.'", ListDir}, {"walk", "top", WalkAll}, {"makedirs", "name, mode=511, exist_ok=False", MakeDirs},
    {"mkdir", "path, mode=511", MakeDir}, {"remove", "path", RemoveFile}, {"unlink", "path", RemoveFile},
    {"rmdir", "path", RemoveDir}, {"rename", "src, dst", Rename}, {"replace", "src, dst", Rename},
    {"getenv", "key, default=None", GetEnv}, {"getpid", "/", GetPid},
};
const ConstantRow kOsConstants[] = {
    {"path", PathModule}, {"environ", Environ}, {"sep", Sep}, {"linesep", LineSep}, {"name", OsName}};

// ---- time ----

double Now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}
double Steady() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
Value Time(Args&) { return Value::Float(Now()); }
Value PerfCounter(Args&) { return Value::Float(Steady()); }
Value PerfCounterNs(Args&) { return Value::Int(static_cast<int64_t>(Steady() * 1e9)); }
Value TimeNs(Args&) { return Value::Int(static_cast<int64_t>(Now() * 1e9)); }
Value ProcessTime(Args&) { return Value::Float(static_cast<double>(std::clock()) / CLOCKS_PER_SEC); }
Value Sleep(Args& a) {
  const double seconds = ToDouble(a[0]);
  if (!(seconds >= 0)) throw ValueError("sleep length must be non-negative");
  Interp& interp = Interp::Current();
  interp.Flush();
  // In slices, so that Ctrl-C is answered.
  const double end = Steady() + std::min(seconds, 1e9);
  for (double left; (left = end - Steady()) > 0;) {
    interp.CheckInterrupt();
    ::usleep(static_cast<useconds_t>(std::min(left, 0.05) * 1e6));
  }
  return Value::None();
}
Value StrFTime(Args& a) {
  std::time_t now = std::time(nullptr);
  std::tm tm{};
  localtime_r(&now, &tm);
  if (a.has(1)) {
    const auto* items = Sequence(a[1]);
    if (!items || items->size() < 6) throw TypeError("Tuple or struct_time argument required");
    int* fields[] = {&tm.tm_year, &tm.tm_mon, &tm.tm_mday, &tm.tm_hour, &tm.tm_min, &tm.tm_sec};
    for (size_t i = 0; i < 6; ++i) *fields[i] = static_cast<int>(ToIndex((*items)[i]));
    tm.tm_year -= 1900;
    tm.tm_mon -= 1;
    tm.tm_isdst = -1;
    std::tm copy = tm;
    std::mktime(&copy);
    tm.tm_wday = copy.tm_wday;
    tm.tm_yday = copy.tm_yday;
  }
  char buffer[512];
  const size_t n = std::strftime(buffer, sizeof buffer, ToText(a[0], "format").c_str(), &tm);
  return MakeStr(std::string(buffer, n));
}
Value Broken(const Value& seconds, bool local) {
  std::time_t t = seconds.is_null() || seconds.is_none() ? std::time(nullptr) : static_cast<std::time_t>(ToDouble(seconds));
  std::tm tm{};
  if (local) localtime_r(&t, &tm);
  else gmtime_r(&t, &tm);
  std::vector<Value> items;
  for (int v : {tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, (tm.tm_wday + 6) % 7,
                tm.tm_yday + 1, tm.tm_isdst}) {
    items.push_back(Value::Int(v));
  }
  return MakeTuple(std::move(items));
}
Value LocalTime(Args& a) { return Broken(a[0], true); }
Value GmTime(Args& a) { return Broken(a[0], false); }
Value CTime(Args&) {
  std::time_t now = std::time(nullptr);
  char buffer[64];
  std::string text = ctime_r(&now, buffer);
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return MakeStr(std::move(text));
}
const FunctionRow kTimeRows[] = {
    {"time", "/", Time}, {"perf_counter", "/", PerfCounter}, {"monotonic", "/", PerfCounter},
    {"perf_counter_ns", "/", PerfCounterNs}, {"time_ns", "/", TimeNs}, {"process_time", "/", ProcessTime},
    {"clock", "/", ProcessTime}, {"sleep", "seconds, /", Sleep}, {"strftime", "format, t=..., /", StrFTime},
    {"localtime", "seconds=..., /", LocalTime}, {"gmtime", "seconds=..., /", GmTime}, {"ctime", "seconds=..., /", CTime},
};

// ---- string, __future__ ----

#define TEXT(name, text) \
  {name, []() -> Value { return MakeStr(text); }}
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
         "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ \t\n\r\x0b\x0c"),
};
#undef TEXT
Value CapWords(Args& a) {
  Value words = CallMethod(a[0], "split", {});
  std::vector<Value> out;
  for (const Value& w : As<ListObject>(words)->items) out.push_back(CallMethod(w, "capitalize", {}));
  return CallMethod(MakeStr(" "), "join", {MakeList(std::move(out))});
}
const FunctionRow kStringRows[] = {{"capwords", "s", CapWords}};

Value Feature() { return Value::None(); }
const ConstantRow kFeatures[] = {
    {"print_function", Feature}, {"division", Feature}, {"absolute_import", Feature}, {"unicode_literals", Feature},
    {"generators", Feature}, {"nested_scopes", Feature}, {"with_statement", Feature}, {"annotations", Feature},
};

}  // namespace

const TypeInfo StreamObject::kType = {.name = "TextIOWrapper", .module = "_io", .methods = kStreamMethods};

const ModuleDef kSysModule = {.name = "sys", .functions = kSysRows, .constants = kSysConstants};
const ModuleDef kOsModule = {.name = "os", .functions = kOsRows, .constants = kOsConstants};
const ModuleDef kOsPathModule = {.name = "posixpath", .functions = kOsPathRows};
const ModuleDef kTimeModule = {.name = "time", .functions = kTimeRows};
const ModuleDef kStringModule = {.name = "string", .functions = kStringRows, .constants = kStringConstants};
const ModuleDef kFutureModule = {.name = "__future__", .constants = kFeatures};

void RegisterStandardModules(Interp* interp) {
  static constexpr struct {
    const char* name;
    const ModuleDef* def;
  } kModules[] = {
      {"math", &kMathModule}, {"time", &kTimeModule}, {"random", &kRandomModule}, {"os", &kOsModule},
      {"os.path", &kOsPathModule}, {"sys", &kSysModule}, {"collections", &kCollectionsModule},
      {"string", &kStringModule}, {"itertools", &kItertoolsModule}, {"functools", &kFunctoolsModule},
      {"__future__", &kFutureModule}, {"_re", &kRegexModule},
  };
  for (const auto& m : kModules) interp->AddModule(m.name, *m.def);
  AddPythonModules(interp);
}

}  // namespace tensh::shell
