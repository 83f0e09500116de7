#include "runtime/core/promote.h"

#include <algorithm>
#include <mutex>

#include "runtime/core/external_op.h"
#include "runtime/core/half.h"
#include "runtime/core/promote_halves.h"

namespace tensh {
namespace {

// ---- conversions ----

using ConvertFn = void (*)(const void* in, void* out, int64_t n);

template <class From, class To>
void ConvertRange(const void* in, void* out, int64_t n) {
  const From* from = static_cast<const From*>(in);
  To* to = static_cast<To*>(out);
  if constexpr (kIsHalf<From>)
    WidenHalves(from, to, n);
  else if constexpr (kIsHalf<To>)
    NarrowToHalves(from, to, n);
  else
    for (int64_t i = 0; i < n; ++i) to[i] = static_cast<To>(from[i]);
}

struct Promotion {
  DType type, compute;
  ConvertFn widen, narrow;
};

template <class T, class C>
constexpr Promotion Promote() {
  return {kDTypeOf<T>, kDTypeOf<C>, ConvertRange<T, C>, ConvertRange<C, T>};
}

// In order of preference for each type.
constexpr Promotion kPromotions[] = {
    Promote<Half, float>(),       Promote<Bfloat16, float>(),  Promote<int8_t, int64_t>(),
    Promote<uint8_t, int64_t>(),  Promote<int16_t, int64_t>(), Promote<uint16_t, int64_t>(),
    Promote<uint32_t, int64_t>(), Promote<int8_t, int32_t>(),  Promote<uint8_t, int32_t>(),
    Promote<int16_t, int32_t>(),  Promote<uint16_t, int32_t>()};

Tensor Convert(KernelCtx& c, const Tensor& from, DType to, ConvertFn fn) {
  Result<Tensor> made = Tensor::Make(to, from.shape(), c.allocator());
  if (!made.ok()) return {};
  const char* in = static_cast<const char*>(from.raw());
  char* out = static_cast<char*>(made->raw());
  const int64_t in_size = SizeOf(from.dtype()), out_size = SizeOf(to);
  c.ParallelForAll(from.num_elements(), 0.6, [=](int64_t begin, int64_t end) {
    fn(in + begin * in_size, out + begin * out_size, end - begin);
  });
  return *std::move(made);
}

// ---- one call ----

struct PromotedState : KernelState {
  const Promotion* promotion = nullptr;
  KernelFn fn = nullptr;
  // The node's attributes in the computing type; `inner` may refer to them.
  std::vector<NamedAttr> attrs;
  std::vector<bool> ref_in, ref_out;
  std::unique_ptr<KernelState> inner;
};

// Takes the place of a variable during the call.
struct Shadow {
  Variable* variable;
  bool resource;
  Variable wide;
};

// Lends the threads of the step to the inner kernel.
class Lent : public ParallelRunner {
 public:
  explicit Lent(KernelCtx& c) : c_(c) {}
  void For(int64_t total, double ns_per_unit, RangeFn fn, void* context) override {
    c_.ParallelForAll(total, ns_per_unit, [=](int64_t b, int64_t e) { fn(context, b, e); });
  }
  int threads() const override { return c_.threads(); }

 private:
  KernelCtx& c_;
};

class PromotedCall {
 public:
  explicit PromotedCall(KernelCtx& c)
      : c_(c), state_(c.state<PromotedState>()), p_(*state_.promotion), n_in_(c.num_inputs()) {}
  ~PromotedCall() {
    for (auto it = locked_.rbegin(); it != locked_.rend(); ++it) (*it)->mu.unlock();
  }
  PromotedCall(const PromotedCall&) = delete;
  PromotedCall& operator=(const PromotedCall&) = delete;

  Status Run() {
    const int n_out = c_.num_outputs();
    slots_.resize(static_cast<size_t>(n_in_) + static_cast<size_t>(n_out));
    std::vector<uint32_t> ids(slots_.size());
    for (uint32_t i = 0; i < ids.size(); ++i) ids[i] = i;
    TENSH_RETURN_IF_ERROR(BindVariables());
    uint32_t forwardable = 0;
    for (int i = 0; i < n_in_; ++i) {
      if (slots_[i]) continue;  // The shadow of a variable.
      const Tensor& in = c_.in(i);
      if (!in || in.dtype() != p_.type) {
        slots_[i] = in;
        continue;
      }
      slots_[i] = Convert(c_, in, p_.compute, p_.widen);
      if (!slots_[i]) return OutOfMemory(in.shape());
      if (i < 32) forwardable |= 1u << i;
    }
    std::vector<DType> out_dtypes;
    for (int i = 0; i < n_out; ++i)
      out_dtypes.push_back(c_.out_dtype(i) == p_.type ? p_.compute : c_.out_dtype(i));
    const KernelCall call{.in = ids.data(),
                          .out = ids.data() + n_in_,
                          .out_dtypes = out_dtypes.data(),
                          .state = state_.inner.get(),
                          .n_in = static_cast<uint16_t>(n_in_),
                          .n_out = static_cast<uint16_t>(n_out),
                          .forwardable = forwardable};
    Lent runner(c_);
    KernelCtx inner(slots_.data(), &runner, c_.cancel(), c_.allocator());
    inner.Bind(call);
    TENSH_RETURN_IF_ERROR(state_.fn(inner));
    for (auto& shadow : shadows_) TENSH_RETURN_IF_ERROR(WriteBack(*shadow));
    for (int i = 0; i < n_out; ++i) TENSH_RETURN_IF_ERROR(SetOutput(i));
    return {};
  }

 private:
  // Returns the variable behind input i if it has the narrow type; otherwise null.
  Variable* VariableAt(int i) const {
    const Tensor& in = c_.in(i);
    if (!in) return nullptr;
    if (in.dtype() == DType::kResource) {
      auto* variable = dynamic_cast<Variable*>(in.data<ResourceHandle>()->resource.get());
      return variable && variable->dtype == p_.type ? variable : nullptr;
    }
    return state_.ref_in[i] && in.dtype() == DType::kInt64 ? c_.variable(i) : nullptr;
  }

  Status BindVariables() {
    for (int i = 0; i < n_in_; ++i) {
      if (Variable* v = VariableAt(i)) {
        if (std::find(locked_.begin(), locked_.end(), v) == locked_.end()) locked_.push_back(v);
      }
    }
    std::sort(locked_.begin(), locked_.end());
    for (Variable* v : locked_) v->mu.lock();
    for (int i = 0; i < n_in_; ++i) {
      Variable* v = VariableAt(i);
      if (!v) continue;
      TENSH_ASSIGN(Shadow * shadow, ShadowOf(v, c_.in(i).dtype() == DType::kResource));
      if (shadow->resource) {
        std::shared_ptr<Resource> lent(std::shared_ptr<void>(), &shadow->wide);
        slots_[i] = Tensor::Scalar<ResourceHandle>({std::move(lent), v->name});
      } else {
        slots_[i] = Tensor::Scalar<int64_t>(
            static_cast<int64_t>(reinterpret_cast<intptr_t>(&shadow->wide)));
      }
    }
    return {};
  }

  Result<Shadow*> ShadowOf(Variable* v, bool resource) {
    for (auto& shadow : shadows_)
      if (shadow->variable == v) return shadow.get();
    auto made = std::make_unique<Shadow>();
    made->variable = v;
    made->resource = resource;
    made->wide.name = v->name;
    made->wide.dtype = p_.compute;
    if (v->value) {
      made->wide.value = Convert(c_, v->value, p_.compute, p_.widen);
      if (!made->wide.value) return OutOfMemory(v->value.shape());
    }
    shadows_.push_back(std::move(made));
    return shadows_.back().get();
  }

  // Writes in place if others may see the buffer (resource.h).
  Status WriteBack(Shadow& shadow) {
    const Tensor& wide = shadow.wide.value;
    Tensor& value = shadow.variable->value;
    if (!wide) return {};
    if (value && value.shape() == wide.shape() && (!shadow.resource || value.unique())) {
      p_.narrow(wide.raw(), value.raw(), wide.num_elements());
      return {};
    }
    Tensor made = Convert(c_, wide, p_.type, p_.narrow);
    if (!made) return OutOfMemory(wide.shape());
    value = std::move(made);
    return {};
  }

  Status SetOutput(int i) {
    Tensor& out = slots_[n_in_ + i];
    if (!out) return {};
    if (state_.ref_out[i] && c_.out_dtype(i) == p_.type) {
      for (int from = 0; from < n_in_; ++from)
        if (slots_[from] && state_.ref_in[from] && slots_[from].SharesDataWith(out))
          c_.SetOutput(i, c_.in(from));
      return {};
    }
    if (c_.out_dtype(i) != p_.type || out.dtype() != p_.compute) {
      c_.SetOutput(i, std::move(out));
      return {};
    }
    Tensor* narrow = c_.Output(i, out.shape());
    if (!narrow) return c_.OutOfMemory();
    const char* in = static_cast<const char*>(out.raw());
    char* to = static_cast<char*>(narrow->raw());
    const int64_t in_size = SizeOf(p_.compute), out_size = SizeOf(p_.type);
    c_.ParallelFor(out.num_elements(), 0.6, [&](int64_t begin, int64_t end) {
      p_.narrow(in + begin * in_size, to + begin * out_size, end - begin);
    });
    return {};
  }

  static Status OutOfMemory(const Shape& shape) {
    return ResourceExhausted("OOM when allocating tensor with shape", shape.ToString());
  }

  KernelCtx& c_;
  const PromotedState& state_;
  const Promotion& p_;
  const int n_in_;
  std::vector<std::unique_ptr<Shadow>> shadows_;
  // Declared after the shadows, because the handles must be destroyed first.
  std::vector<Tensor> slots_;
  std::vector<Variable*> locked_;
};

Status RunPromoted(KernelCtx& c) { return PromotedCall(c).Run(); }

// The kernel that a promoted kernel runs, and the conversion.
struct Base {
  const KernelRow* row = nullptr;
  const Promotion* promotion = nullptr;
};

Base FindBase(const OpDef& op, const KernelRow& promoted) {
  for (const Promotion& p : kPromotions) {
    if (p.type != promoted.type) continue;
    for (const KernelRow& row : op.kernels)
      if (row.device == promoted.device && row.type_attr == promoted.type_attr &&
          row.type == p.compute)
        return {&row, &p};
  }
  return {};
}

// ---- once per plan ----

class PromotedPrepareCtx : public PrepareCtx {
 public:
  PromotedPrepareCtx(PrepareCtx& node, const Promotion& p, const std::vector<NamedAttr>& attrs)
      : node_(node), p_(p), attrs_(attrs) {}
  std::string_view node_name() const override { return node_.node_name(); }
  Attrs attrs() const override { return Attrs(attrs_); }
  int num_inputs() const override { return node_.num_inputs(); }
  DType input_dtype(int i) const override { return Widened(node_.input_dtype(i)); }
  int num_outputs() const override { return node_.num_outputs(); }
  DType output_dtype(int i) const override { return Widened(node_.output_dtype(i)); }
  Shape input_shape(int i) const override { return node_.input_shape(i); }
  ResourceTable& resources() override { return node_.resources(); }
  FunctionRuntime* functions() override { return node_.functions(); }
  std::string_view op_name() const override { return node_.op_name(); }
  std::string_view device_name() const override { return node_.device_name(); }

 private:
  DType Widened(DType t) const {
    if (BaseType(t) != p_.type) return t;
    return IsRef(t) ? RefType(p_.compute) : p_.compute;
  }
  PrepareCtx& node_;
  const Promotion& p_;
  const std::vector<NamedAttr>& attrs_;
};

Result<std::unique_ptr<KernelState>> PreparePromoted(const Base& base, PrepareCtx& node) {
  const KernelRow& row = *base.row;
  const DType narrow = base.promotion->type;
  auto state = std::make_unique<PromotedState>();
  state->promotion = base.promotion;
  state->fn = row.fn;
  state->attrs = node.attrs().all();
  for (NamedAttr& attr : state->attrs) {
    const DType* type = attr.value.Find<DType>();
    if (type && *type == narrow) attr.value = row.type;
  }
  for (int i = 0; i < node.num_inputs(); ++i) {
    const DType t = node.input_dtype(i);
    state->ref_in.push_back(IsRef(t) && BaseType(t) == narrow);
  }
  for (int i = 0; i < node.num_outputs(); ++i)
    state->ref_out.push_back(IsRef(node.output_dtype(i)));
  if (row.prepare) {
    PromotedPrepareCtx wide(node, *state->promotion, state->attrs);
    TENSH_ASSIGN(state->inner, row.prepare(wide));
  }
  return {std::move(state)};
}

bool HasRow(const OpDef& op, const KernelRow& like, DType type) {
  for (const KernelRow& row : op.kernels)
    if (row.device == like.device && row.type_attr == like.type_attr && row.type == type)
      return true;
  return false;
}

}  // namespace

void AddPromotedKernels(OpDef& op) {
  const size_t own = op.kernels.size();
  for (const Promotion& p : kPromotions) {
    for (size_t i = 0; i < own; ++i) {
      const KernelRow row = op.kernels[i];
      if (row.type_attr.empty() || row.type != p.compute || HasRow(op, row, p.type)) continue;
      const AttrDef* attr = op.FindAttr(row.type_attr);
      if (!attr || (!attr->allowed_types.empty() && !attr->allowed_types.Has(p.type))) continue;
      op.kernels.push_back(
          {.device = row.device, .type_attr = row.type_attr, .type = p.type, .fn = RunPromoted});
    }
  }
}

bool IsPromoted(const KernelRow& row) { return row.fn == RunPromoted; }

Result<std::unique_ptr<KernelState>> PrepareKernel(const OpDef& op, const KernelRow& row,
                                                   PrepareCtx& node) {
  if (const ExternalOp* external = FindExternal(op)) return external->Prepare(node);
  if (row.fn == RunPromoted) return PreparePromoted(FindBase(op, row), node);
  if (row.prepare) return row.prepare(node);
  return std::unique_ptr<KernelState>();
}

}  // namespace tensh
