#include <cstdlib>
#include <cstring>

#include "devices/cpu/cpu_device.h"
#include "runtime/api/c_types.h"
#include "runtime/api/tensh_server.h"

namespace tensh::ops {
void RegisterOps_all(OpRegistry& r);
}

namespace tensh::api {

// The process's registries live as long as it does.
const OpRegistry& Ops() {
  static const OpRegistry* registry = [] {
    auto* r = new OpRegistry;
    ops::RegisterOps_all(*r);
    return r;
  }();
  return *registry;
}

const DeviceRegistry& Devices() {
  static const DeviceRegistry* registry = [] {
    auto* r = new DeviceRegistry;
    RegisterDevice_cpu(*r);
    r->Add(MakeGpuFactory());
    return r;
  }();
  return *registry;
}

const SessionFactoryRegistry& SessionFactories() {
  static const SessionFactoryRegistry* registry = [] {
    auto* r = new SessionFactoryRegistry;
    r->Add(MakeDirectSessionFactory(Devices()));
    r->Add(MakeRemoteSessionFactory());
    return r;
  }();
  return *registry;
}

int Set(tsh_status* out, Status status) {
  bool ok = status.ok();
  if (out && !(ok && out->status.ok())) {
    out->message = status.message();
    out->hint = status.hint();
    out->node = status.node();
    out->status = std::move(status);
  }
  return ok;
}

char* TextOut(std::string_view text) {
  auto* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (!copy) return nullptr;
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

}  // namespace tensh::api

using namespace tensh;
using namespace tensh::api;

const char* tsh_version(void) { return "0.1"; }
void tsh_free(char* text) { std::free(text); }

tsh_status* tsh_status_new(void) { return new (std::nothrow) tsh_status; }
void tsh_status_free(tsh_status* s) { delete s; }
int tsh_status_code(const tsh_status* s) { return static_cast<int>(s->status.code()); }
const char* tsh_status_message(const tsh_status* s) { return s->message.c_str(); }
const char* tsh_status_hint(const tsh_status* s) { return s->hint.c_str(); }
const char* tsh_status_node(const tsh_status* s) { return s->node.c_str(); }
void tsh_status_set(tsh_status* s, int code, const char* message, const char* hint) {
  bool known = code > 0 && code <= static_cast<int>(Code::kUnauthenticated);
  Set(s, code == 0 ? Status()
                   : Status(known ? static_cast<Code>(code) : Code::kUnknown,
                            message ? message : "", hint ? hint : ""));
}

namespace {

// Every type's two names, made once: the C API hands out pointers that live for ever.
struct DTypeNames {
  std::string name[256], shorthand[256];
  DTypeNames() {
    for (int i = 0; i < 256; ++i) {
      name[i] = Name(static_cast<DType>(i));
      shorthand[i] = ShortName(static_cast<DType>(i));
    }
  }
};
const DTypeNames& TypeNames() {
  static const DTypeNames* names = new DTypeNames;
  return *names;
}

}  // namespace

const char* tsh_dtype_name(int dtype) { return TypeNames().name[dtype & 255].c_str(); }
const char* tsh_dtype_short_name(int dtype) { return TypeNames().shorthand[dtype & 255].c_str(); }
int tsh_dtype_parse(const char* text) { return text ? static_cast<int>(ParseDType(text)) : 0; }
size_t tsh_dtype_size(int dtype) {
  auto type = static_cast<DType>(dtype);
  return IsPod(type) ? static_cast<size_t>(SizeOf(type)) : 0;
}
