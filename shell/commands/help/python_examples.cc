#include "shell/commands/help/python_examples.h"

#include <span>

#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/native.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/catalogue.h"
#include "shell/python/vm/interp.h"

namespace tensh::shell {

std::span<const ExamplesFile> PythonExamples();  // generated from shell/python/names

namespace {

// Returns the value at a path: "json.dumps", "os.path.join", or "len" for a builtin. Returns null if
// it does not exist.
Value ValueAt(std::string_view path) {
  try {
    size_t dot = path.find('.');
    if (dot == path.npos) return GetAttr(Interp::Current().Import("builtins"), path);
    Value value = Interp::Current().Import(path.substr(0, dot));
    while (dot != path.npos) {
      const size_t next = path.find('.', dot + 1);
      value = GetAttr(value, path.substr(dot + 1, next == path.npos ? next : next - dot - 1));
      dot = next;
    }
    return value;
  } catch (const PyError& error) {
    if (error.Is(kKeyboardInterrupt)) throw;
    return Value();
  }
}

// Native functions are made anew by each lookup.
bool Same(const Value& a, const Value& b) {
  const auto* f = As<NativeFunction>(a);
  const auto* g = As<NativeFunction>(b);
  if (f != nullptr && g != nullptr) return &f->row() == &g->row();
  return !a.is_null() && a.Is(b);
}

// Calls `found` with each path and its transcript until it returns true.
template <class F>
void ForEachExample(F found) {
  for (const ExamplesFile& file : PythonExamples()) {
    const std::string unpacked = file.text.str();
    const std::string_view text = unpacked;
    for (size_t at = text.find("== "); at < text.size();) {
      const size_t line = text.find('\n', at);
      const size_t next = text.find("\n== ", line - 1);
      const size_t end = next == text.npos ? text.size() : next + 1;
      if (found(text.substr(at + 3, line - at - 3), text.substr(line + 1, end - line - 1))) return;
      at = end;
    }
  }
}

}  // namespace

std::string PythonExample(const Value& value) {
  if (!value.is_object()) return "";
  std::string out, name;
  try {
    const Value own = FindAttr(value, Intern("__name__"));
    if (!own.is_null() && IsStr(own)) name = StrView(own);
  } catch (const PyError& error) {
    if (error.Is(kKeyboardInterrupt)) throw;
  }
  // Objects such as itertools.chain, which are called and also have functions, have no name.
  if (name.empty()) name = TypeName(value);
  ForEachExample([&](std::string_view path, std::string_view transcript) {
    if (path.substr(path.rfind('.') + 1) != name || !Same(ValueAt(path), value)) return false;
    out = transcript;
    return true;
  });
  return out;
}

Value PythonName(std::string_view path) {
  const std::string module = std::string(path.substr(0, path.find('.'))) + ".";
  bool known = false;
  ForEachExample(
      [&](std::string_view each, std::string_view) { return known = each.starts_with(module); });
  if (!known) return Value();
  return path.find('.') == path.npos ? Interp::Current().Import(path) : ValueAt(path);
}

}  // namespace tensh::shell
