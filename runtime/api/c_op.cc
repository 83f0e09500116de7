// Ops that a program registers: their registration, the calls of their shape functions and kernels,
// and libraries of ops.
#include <dlfcn.h>
#include <unistd.h>

#include <map>

#include "runtime/api/c_types.h"
#include "runtime/api/plugin_paths.h"
#include "runtime/core/external_op.h"
#include "tensh/tensh_op.h"

using namespace tensh;
using namespace tensh::api;

struct tsh_attrs {
  Attrs attrs;
};

struct tsh_shape_call {
  ShapeCtx& c;
  tsh_attrs attrs;
};

struct tsh_kernel_call {
  KernelCtx& c;
  const tsh_attrs& attrs;
  std::vector<bool> made;  // by output
};

namespace {

// Converts the result of a function of the program. A failure without a status becomes Internal.
Status Outcome(int returned, tsh_status& said, const std::string& op, const char* what) {
  if (returned != 0) return {};
  if (said.status.ok()) return Internal(op, ": its ", what, " failed without a status");
  return std::move(said.status);
}

class Kernel : public ExternalKernel {
 public:
  Kernel(const std::string& op, const tsh_op_spec& spec, Attrs attrs)
      : op_(op), spec_(spec), owned_(attrs.all()), attrs_{Attrs(owned_)} {}
  Status Run(KernelCtx& c) const override {
    tsh_kernel_call call{c, attrs_, std::vector<bool>(static_cast<size_t>(c.num_outputs()))};
    tsh_status said;
    TENSH_RETURN_IF_ERROR(Outcome(spec_.kernel(&call, spec_.data, &said), said, op_, "kernel"));
    for (size_t i = 0; i < call.made.size(); ++i)
      if (!call.made[i]) return Internal(op_, ": its kernel did not make output ", i);
    return {};
  }

 private:
  const std::string& op_;
  const tsh_op_spec& spec_;
  const std::vector<NamedAttr> owned_;
  const tsh_attrs attrs_;
};

class Op : public ExternalOp {
 public:
  explicit Op(const tsh_op_spec& spec) : name_(spec.name), spec_(spec) {}
  Status InferShapes(ShapeCtx& c) const override {
    if (!spec_.shape) return {};
    tsh_shape_call call{c, {c.attrs()}};
    tsh_status said;
    return Outcome(spec_.shape(&call, spec_.data, &said), said, name_, "shape function");
  }
  Result<std::unique_ptr<KernelState>> Prepare(PrepareCtx& node) const override {
    return std::unique_ptr<KernelState>(std::make_unique<Kernel>(name_, spec_, node.attrs()));
  }

 private:
  const std::string name_;
  const tsh_op_spec spec_;  // only the functions and data; the texts belonged to the caller
};

// The names that are being registered by the library that this thread loads.
thread_local std::vector<std::string>* registering = nullptr;

template <class T>
const T* FindAttr(const tsh_attrs* a, const char* name) {
  const AttrValue* value = a ? a->attrs.Find(View(name)) : nullptr;
  return value ? value->Find<T>() : nullptr;
}

const char* TextAt(const std::string& text, size_t* length) {
  if (length) *length = text.size();
  return text.c_str();
}

int ShapeOut(const Shape& shape, int64_t* dims) {
  for (int i = 0; dims && i < shape.rank(); ++i) dims[i] = shape[i];
  return shape.rank();
}

bool Has(int count, size_t i) { return i < static_cast<size_t>(count); }

}  // namespace

// ---- attributes ----

int tsh_attrs_int(const tsh_attrs* a, const char* name, int64_t* value) {
  if (!value) return 0;
  if (const auto* i = FindAttr<int64_t>(a, name)) return *value = *i, 1;
  if (const auto* b = FindAttr<bool>(a, name)) return *value = *b, 1;
  if (const auto* t = FindAttr<DType>(a, name)) return *value = static_cast<int64_t>(*t), 1;
  return 0;
}

int tsh_attrs_float(const tsh_attrs* a, const char* name, double* value) {
  const auto* f = FindAttr<float>(a, name);
  return f && value ? (*value = *f, 1) : 0;
}

const char* tsh_attrs_string(const tsh_attrs* a, const char* name, size_t* length) {
  const auto* text = FindAttr<std::string>(a, name);
  return text ? TextAt(*text, length) : nullptr;
}

int tsh_attrs_shape(const tsh_attrs* a, const char* name, int64_t* dims, int* rank) {
  const auto* shape = FindAttr<Shape>(a, name);
  if (!shape || !rank) return 0;
  *rank = ShapeOut(*shape, dims);
  return 1;
}

tsh_tensor* tsh_attrs_tensor(const tsh_attrs* a, const char* name) {
  const auto* tensor = FindAttr<Tensor>(a, name);
  return tensor ? Handle(*tensor) : nullptr;
}

size_t tsh_attrs_list_size(const tsh_attrs* a, const char* name) {
  if (const auto* l = FindAttr<AttrValue::Ints>(a, name)) return l->size();
  if (const auto* l = FindAttr<AttrValue::Bools>(a, name)) return l->size();
  if (const auto* l = FindAttr<AttrValue::Types>(a, name)) return l->size();
  if (const auto* l = FindAttr<AttrValue::Floats>(a, name)) return l->size();
  if (const auto* l = FindAttr<AttrValue::Strings>(a, name)) return l->size();
  return 0;
}

int tsh_attrs_int_at(const tsh_attrs* a, const char* name, size_t i, int64_t* value) {
  if (!value || i >= tsh_attrs_list_size(a, name)) return 0;
  if (const auto* l = FindAttr<AttrValue::Ints>(a, name)) return *value = (*l)[i], 1;
  if (const auto* l = FindAttr<AttrValue::Bools>(a, name)) return *value = (*l)[i], 1;
  if (const auto* l = FindAttr<AttrValue::Types>(a, name))
    return *value = static_cast<int64_t>((*l)[i]), 1;
  return 0;
}

int tsh_attrs_float_at(const tsh_attrs* a, const char* name, size_t i, double* value) {
  const auto* l = FindAttr<AttrValue::Floats>(a, name);
  return l && value && i < l->size() ? (*value = (*l)[i], 1) : 0;
}

const char* tsh_attrs_string_at(const tsh_attrs* a, const char* name, size_t i, size_t* length) {
  const auto* l = FindAttr<AttrValue::Strings>(a, name);
  return l && i < l->size() ? TextAt((*l)[i], length) : nullptr;
}

// ---- shape functions ----

size_t tsh_shape_num_inputs(const tsh_shape_call* s) {
  return s ? static_cast<size_t>(s->c.num_inputs()) : 0;
}
size_t tsh_shape_num_outputs(const tsh_shape_call* s) {
  return s ? static_cast<size_t>(s->c.num_outputs()) : 0;
}

int tsh_shape_input(const tsh_shape_call* s, size_t i, int64_t* dims) {
  if (!s || !Has(s->c.num_inputs(), i)) return -1;
  return ShapeOut(s->c.in(static_cast<int>(i)), dims);
}

int tsh_shape_input_dtype(const tsh_shape_call* s, size_t i) {
  if (!s || !Has(s->c.num_inputs(), i)) return 0;
  return static_cast<int>(s->c.in_dtype(static_cast<int>(i)));
}

tsh_tensor* tsh_shape_constant(tsh_shape_call* s, size_t i) {
  tsh_tensor* value = nullptr;
  Guard(nullptr, [&]() -> Status {
    if (!s || !Has(s->c.num_inputs(), i)) return NullArgument("the call or its input");
    if (const Tensor* known = s->c.constant(static_cast<int>(i))) value = Handle(*known);
    return {};
  });
  return value;
}

const tsh_attrs* tsh_shape_attrs(const tsh_shape_call* s) { return s ? &s->attrs : nullptr; }

int tsh_shape_set(tsh_shape_call* s, size_t i, const int64_t* dims, int rank, tsh_status* status) {
  return Guard(status, [&]() -> Status {
    TENSH_NEED(s);
    if (!Has(s->c.num_outputs(), i)) return InvalidArgument("there is no output ", i);
    Shape shape = Shape::Unknown();
    if (rank >= 0) {
      TENSH_ASSIGN(shape, ShapeIn(dims, rank, false));
    }
    s->c.Set(static_cast<int>(i), shape);
    return {};
  });
}

// ---- kernels ----

size_t tsh_kernel_num_inputs(const tsh_kernel_call* k) {
  return k ? static_cast<size_t>(k->c.num_inputs()) : 0;
}
size_t tsh_kernel_num_outputs(const tsh_kernel_call* k) { return k ? k->made.size() : 0; }

tsh_tensor* tsh_kernel_input(const tsh_kernel_call* k, size_t i) {
  if (!k || !Has(k->c.num_inputs(), i)) return nullptr;
  return *reinterpret_cast<tsh_tensor* const*>(&k->c.in(static_cast<int>(i)));
}

int tsh_kernel_output_dtype(const tsh_kernel_call* k, size_t i) {
  return i < tsh_kernel_num_outputs(k) ? static_cast<int>(k->c.out_dtype(static_cast<int>(i))) : 0;
}

namespace {

// Borrows an output that was just made, or fails the call.
Status Made(tsh_kernel_call* k, size_t i, Tensor* output, tsh_tensor** borrowed) {
  if (!output) return k->c.OutOfMemory();
  k->made[i] = true;
  *borrowed = *reinterpret_cast<tsh_tensor**>(output);
  return {};
}

}  // namespace

tsh_tensor* tsh_kernel_output(tsh_kernel_call* k, size_t i, const int64_t* dims, int rank,
                              tsh_status* status) {
  tsh_tensor* borrowed = nullptr;
  Guard(status, [&]() -> Status {
    TENSH_NEED(k);
    if (i >= k->made.size()) return InvalidArgument("there is no output ", i);
    TENSH_ASSIGN(const Shape shape, ShapeIn(dims, rank, true));
    return Made(k, i, k->c.Output(static_cast<int>(i), shape), &borrowed);
  });
  return borrowed;
}

tsh_tensor* tsh_kernel_forward(tsh_kernel_call* k, size_t from, size_t i, tsh_status* status) {
  tsh_tensor* borrowed = nullptr;
  Guard(status, [&]() -> Status {
    TENSH_NEED(k);
    if (i >= k->made.size()) return InvalidArgument("there is no output ", i);
    if (!Has(k->c.num_inputs(), from)) return InvalidArgument("there is no input ", from);
    const int input = static_cast<int>(from), output = static_cast<int>(i);
    const Shape shape = k->c.in(input).shape();
    // Only the first 32 inputs are tracked.
    return Made(k, i, from < 32 ? k->c.Forward(input, output, shape) : k->c.Output(output, shape),
                &borrowed);
  });
  return borrowed;
}

int tsh_kernel_set_output(tsh_kernel_call* k, size_t i, tsh_tensor* tensor, tsh_status* status) {
  return Guard(status, [&]() -> Status {
    TENSH_NEED(k);
    TENSH_NEED(tensor);
    if (i >= k->made.size()) return InvalidArgument("there is no output ", i);
    Tensor shared = FromHandle(tensor);
    if (shared.dtype() != k->c.out_dtype(static_cast<int>(i)))
      return InvalidArgument("output ", i, " is ", Name(k->c.out_dtype(static_cast<int>(i))),
                             ", not ", Name(shared.dtype()));
    k->c.SetOutput(static_cast<int>(i), std::move(shared));
    k->made[i] = true;
    return {};
  });
}

const tsh_attrs* tsh_kernel_attrs(const tsh_kernel_call* k) { return k ? &k->attrs : nullptr; }
int tsh_kernel_cancelled(const tsh_kernel_call* k) { return k && k->c.cancelled(); }

void tsh_kernel_parallel_for(tsh_kernel_call* k, int64_t total, double ns_per_unit,
                             void (*fn)(void* context, int64_t begin, int64_t end), void* context) {
  if (!k || !fn || total <= 0) return;
  k->c.ParallelForAll(total, ns_per_unit,
                      [&](int64_t begin, int64_t end) { fn(context, begin, end); });
}

// ---- registering ----

int tsh_op_register(const tsh_op_spec* given, tsh_status* status) {
  return Guard(status, [&]() -> Status {
    Sized<tsh_op_spec> spec;
    TENSH_RETURN_IF_ERROR(spec.Read(given));
    TENSH_NEED(spec->name);
    TENSH_NEED(spec->kernel);
    auto op = std::make_unique<Op>(*spec);
    OpSpec row{.name = spec->name,
               .inputs = std::string(View(spec->inputs)),
               .outputs = std::string(View(spec->outputs)),
               .attrs = std::string(View(spec->attrs)),
               .doc = std::string(View(spec->doc)),
               .no_gradient = spec->no_gradient != 0,
               .stateful = spec->stateful != 0};
    for (const OpText* args : {&row.inputs, &row.outputs})
      if (args->find("Ref(") != args->npos)
        return Unimplemented(row.name, ": kernels from outside cannot take references");
    TENSH_RETURN_IF_ERROR(AddExternalOp(Ops(), std::move(row), std::move(op)));
    if (registering) registering->emplace_back(spec->name);
    return {};
  });
}

// ---- libraries of ops ----

namespace {

struct Libraries {
  std::mutex mu;
  std::map<void*, std::string> names;  // by handle of dlopen
};

// Loads a library that was not loaded before, and gives the names of its ops.
Result<std::string> RegisterOpsOf(void* library, const std::string& path) {
  const auto init = reinterpret_cast<int (*)(tsh_status*)>(::dlsym(library, "tensh_register_ops"));
  if (!init) return InvalidArgument(path, " has no function tensh_register_ops");
  std::vector<std::string> made;
  registering = &made;
  tsh_status said;
  const int returned = init(&said);
  registering = nullptr;
  TENSH_RETURN_IF_ERROR(Outcome(returned, said, path, "tensh_register_ops"));
  std::string names;
  for (const std::string& name : made) names += name + "\n";
  return names;
}

}  // namespace

int tsh_load_library(const char* path, char** names, tsh_status* status) {
  return Guard(status, [&]() -> Status {
    TENSH_NEED(path);
    static auto* libraries = new Libraries;
    std::lock_guard lock(libraries->mu);
    TENSH_ASSIGN(void* library, OpenLibrary(path));
    auto known = libraries->names.find(library);
    if (known == libraries->names.end()) {
      TENSH_ASSIGN(std::string made, RegisterOpsOf(library, path));
      known = libraries->names.emplace(library, std::move(made)).first;
    }
    if (!names) return {};
    *names = TextOut(known->second);
    return *names ? Status() : ResourceExhausted("out of memory");
  });
}
