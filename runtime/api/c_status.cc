#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "runtime/api/c_types.h"
#include "runtime/core/variant.h"

namespace tensh {
void RegisterDevice_all(DeviceRegistry& r);
namespace ops {
void AddOpFiles(OpRegistry& r);
}
}  // namespace tensh

namespace tensh::api {

// The registries live as long as the process.
const OpRegistry& Ops() {
  static const OpRegistry* registry = [] {
    auto* r = new OpRegistry;
    ops::AddOpFiles(*r);
    SetVariantReaderLoader([] { Ops().RunAllFiles(); });
    return r;
  }();
  return *registry;
}

const DeviceRegistry& Devices() {
  static const DeviceRegistry* registry = [] {
    auto* r = new DeviceRegistry;
    RegisterDevice_all(*r);
    r->Add(MakeGpuFactory());
    for (const auto& factory : r->factories()) Ops().AddKernels(factory->Kernels());
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

Status NullArgument(const char* name) { return InvalidArgument(name, " is null"); }

Status CopySized(const void* given, size_t given_size, size_t first_size, void* copy,
                 size_t known_size) {
  if (given_size < first_size)
    return InvalidArgument("a struct has size ", given_size, ", which is less than ", first_size)
        .WithHint("initialize it with its TSH_…_INIT macro, or with {} in C++");
  std::memset(copy, 0, known_size);
  std::memcpy(copy, given, std::min(given_size, known_size));
  const auto* bytes = static_cast<const unsigned char*>(given);
  for (size_t i = known_size; i < given_size; ++i)
    if (bytes[i] != 0)
      return InvalidArgument("a struct of size ", given_size, " sets a field that tensh ",
                             TENSH_VERSION, " does not know");
  return {};
}

DType TypeIn(int64_t type) {
  if (type < 0 || type > UINT8_MAX) return DType::kInvalid;
  return SignatureName(static_cast<DType>(type)) == "invalid" ? DType::kInvalid
                                                              : static_cast<DType>(type);
}

Result<Shape> ShapeIn(const int64_t* dims, int64_t rank, bool fully_known) {
  if (rank < 0 || (rank > 0 && !dims))
    return InvalidArgument("a shape of rank ", rank, dims ? "" : " without extents");
  return Shape::Make({dims, static_cast<size_t>(rank)}, fully_known);
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

const char* tsh_version(void) { return TENSH_VERSION; }
void tsh_free(char* text) { std::free(text); }

tsh_status* tsh_status_new(void) { return new (std::nothrow) tsh_status; }
void tsh_status_free(tsh_status* s) { delete s; }
int tsh_status_code(const tsh_status* s) { return s ? static_cast<int>(s->status.code()) : 0; }
const char* tsh_status_message(const tsh_status* s) { return s ? s->message.c_str() : ""; }
const char* tsh_status_hint(const tsh_status* s) { return s ? s->hint.c_str() : ""; }
const char* tsh_status_node(const tsh_status* s) { return s ? s->node.c_str() : ""; }
int tsh_status_reason(const tsh_status* s) { return s ? static_cast<int>(s->status.reason()) : 0; }
void tsh_status_set_reason(tsh_status* s, int reason) {
  const bool known = reason > 0 && reason <= TSH_REASON_NO_KERNEL;
  if (s)
    s->status = std::move(s->status).WithReason(known ? static_cast<Reason>(reason) : Reason());
}
void tsh_status_set(tsh_status* s, int code, const char* message, const char* hint) {
  Guard(s, [&] {
    const bool known = code > 0 && code <= static_cast<int>(Code::kUnauthenticated);
    return code == 0 ? Status()
                     : Status(known ? static_cast<Code>(code) : Code::kUnknown,
                              message ? message : "", hint ? hint : "");
  });
}

namespace {

// The two names of every type, made once, because the C API returns pointers that stay valid.
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

const char* tsh_dtype_name(int dtype) {
  return TypeNames().name[static_cast<size_t>(TypeIn(dtype))].c_str();
}
const char* tsh_dtype_short_name(int dtype) {
  return TypeNames().shorthand[static_cast<size_t>(TypeIn(dtype))].c_str();
}
int tsh_dtype_parse(const char* text) { return text ? static_cast<int>(ParseDType(text)) : 0; }
size_t tsh_dtype_size(int dtype) {
  const DType type = TypeIn(dtype);
  return IsPod(type) ? static_cast<size_t>(SizeOf(type)) : 0;
}
