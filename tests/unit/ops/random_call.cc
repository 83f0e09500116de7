#include "tests/unit/ops/random_call.h"

#include <algorithm>

#include "runtime/core/promote.h"
#include "runtime/core/run_kernel.h"
#include "runtime/exec/compile/prepare.h"

namespace tensh::test {
namespace {

const std::vector<DType> kTypes = {DType::kFloat,  DType::kFloat,    DType::kInt32,  DType::kInt64,
                                   DType::kDouble, DType::kBool,     DType::kString, DType::kHalf,
                                   DType::kUint8,  DType::kComplex64};

bool IsInferred(const OpDef& op, const std::string& attr) {
  return std::any_of(op.inputs.begin(), op.inputs.end(), [&](const ArgDef& arg) {
    return attr == arg.type_attr || attr == arg.type_list_attr || attr == arg.number_attr;
  });
}

}  // namespace

std::string RandomCall::Text() const {
  std::string text = op->name + "(";
  size_t variable = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& t = inputs[i];
    text += StrCat(i ? ", " : "", Name(in[i]), t.shape());
    if ((IsRef(in[i]) || t.dtype() == DType::kResource) && variable < variables.size()) {
      const Tensor& held = variables[variable++]->value;
      text += held ? StrCat(" of ", Name(held.dtype()), held.shape()) : " of nothing";
    } else if (IsInteger(t.dtype()) && t.num_elements() <= 16 && SizeOf(t.dtype()) >= 4) {
      text += " {";
      for (int64_t k = 0; k < t.num_elements(); ++k)
        text += StrCat(k ? " " : "", SizeOf(t.dtype()) == 8 ? t.data<int64_t>()[k]
                                                            : int64_t{t.data<int32_t>()[k]});
      text += "}";
    }
  }
  for (const NamedAttr& a : attrs) text += StrCat(", ", a.name, "=", a.value.ToString());
  return text + ")";
}

DType RandomCalls::TypeOf(const AttrDef* attr) {
  if (!attr || attr->allowed_types.empty()) return OneOf(kTypes);
  for (int tries = 0; tries < 8; ++tries)
    if (const DType t = OneOf(kTypes); attr->allowed_types.Has(t)) return t;
  std::vector<DType> all;
  for (int i = 1; i < 24; ++i)
    if (attr->allowed_types.Has(static_cast<DType>(i))) all.push_back(static_cast<DType>(i));
  return all.empty() ? DType::kFloat : OneOf(all);
}

bool RandomCalls::ChooseTypes(RandomCall& call) {
  std::vector<NamedAttr> chosen;
  auto type_of = [&](const std::string& attr) {
    for (const NamedAttr& a : chosen)
      if (a.name == attr) return *a.value.Find<DType>();
    const DType t = TypeOf(call.op->FindAttr(attr));
    chosen.push_back({attr, t});
    return t;
  };
  std::vector<std::pair<std::string, int64_t>> counts;
  for (const ArgDef& arg : call.op->inputs) {
    int64_t count = 1;
    const std::string& counted = arg.number_attr.empty() ? arg.type_list_attr : arg.number_attr;
    if (!counted.empty()) {
      auto known = std::find_if(counts.begin(), counts.end(),
                                [&](const auto& c) { return c.first == counted; });
      if (known == counts.end()) {
        const int64_t minimum = call.op->FindAttr(counted)->minimum;
        known = counts.insert(known, {counted, std::max<int64_t>(minimum, 1) + Below(3)});
      }
      count = known->second;
    }
    for (int64_t i = 0; i < count; ++i) {
      DType t = !arg.type_list_attr.empty() ? TypeOf(call.op->FindAttr(arg.type_list_attr))
                : arg.type_attr.empty()     ? arg.type
                                            : type_of(arg.type_attr);
      if (t == DType::kVariant || t == DType::kInvalid) return false;
      call.in.push_back(arg.is_ref ? RefType(t) : t);
    }
  }
  return true;
}

AttrValue RandomCalls::ListOf(const AttrDef& attr) {
  const size_t n =
      Chance(70) ? static_cast<size_t>(std::max(base_.rank(), 0)) : static_cast<size_t>(Below(6));
  switch (attr.kind) {
    case AttrKind::kInt: {
      const std::vector<int64_t> usual = {1, 1, 2, 2, 0, 3};
      AttrValue::Ints list(attr.name == "explicit_paddings" ? 2 * n : n);
      for (int64_t& v : list) v = OneOf(usual);
      if (n && Chance(70)) list.front() = list.back() = 1;
      if (n > 1 && Chance(30)) list[1] = 1;
      return list;
    }
    case AttrKind::kFloat:
      return AttrValue::Floats(n, Chance(50) ? 1.f : 0.5f);
    case AttrKind::kBool:
      return AttrValue::Bools(n, Chance(50));
    case AttrKind::kType:
      return AttrValue::Types(n, TypeOf(&attr));
    case AttrKind::kString:
      return AttrValue::Strings(n, Chance(50) ? "a" : "");
    default:
      return AttrValue::Shapes(n, Chance(50) ? base_ : ShapeOfRank(Below(4)));
  }
}

AttrValue RandomCalls::ValueOf(const AttrDef& attr) {
  if (attr.is_list) return ListOf(attr);
  switch (attr.kind) {
    case AttrKind::kInt: {
      const std::vector<int64_t> usual = {0, 1, 1, 2, 2, 3, -1};
      return attr.has_minimum ? attr.minimum + Below(3) : OneOf(usual);
    }
    case AttrKind::kFloat: {
      const std::vector<float> usual = {0.f, 1.f, 0.5f, -1.f};
      return OneOf(usual);
    }
    case AttrKind::kBool:
      return Chance(50);
    case AttrKind::kType:
      return TypeOf(&attr);
    case AttrKind::kString:
      return attr.allowed_strings.empty() ? std::string(Chance(50) ? "a" : "")
                                          : OneOf(attr.allowed_strings);
    case AttrKind::kShape:
      return Chance(20) ? Shape::Unknown() : Chance(60) ? base_ : ShapeOfRank(Below(4));
    default:
      return Elements(DType::kFloat, base_, nullptr, *std::make_unique<RandomCall>());
  }
}

void RandomCalls::ChooseAttr(const AttrDef& attr, RandomCall& call) {
  if (IsInferred(*call.op, attr.name) || (attr.default_value && Chance(35))) return;
  call.attrs.push_back({attr.name, ValueOf(attr)});
}

int64_t RandomCalls::Extent() {
  static constexpr int64_t kExtents[] = {0, 0, 0, 1, 1, 1, 2, 2, 3, 5};
  return kExtents[Below(10)];
}

// Of a high rank, most extents are 1. The tensor has at most kMostElements.
Shape RandomCalls::ShapeOfRank(int rank) {
  constexpr int64_t kMostElements = 1 << 20;
  Shape shape;
  int64_t elements = 1;
  for (int i = 0; i < rank; ++i) {
    const bool small = rank > 5 && !Chance(1000 / (rank + 100));
    int64_t extent = small                            ? 1
                     : base_.rank() > 0 && Chance(40) ? base_[Below(base_.rank())]
                                                      : Extent();
    if (elements * extent > (rank > 5 ? 100 : kMostElements)) extent = 1;
    elements *= std::max<int64_t>(extent, 1);
    shape.Append(extent);
  }
  return shape;
}

Shape RandomCalls::Base() {
  static constexpr int kHighRanks[] = {9, 10, 17, 33, 70, 127, 253, 254};
  return ShapeOfRank(Chance(90) ? Below(6) : kHighRanks[Below(8)]);
}

Shape RandomCalls::Related() {
  const int rank = base_.rank(), kind = Below(8);
  if (kind < 3 || rank == 0) return base_;
  const int from = kind == 3 ? Below(rank) : 0, to = kind == 4 ? Below(rank + 1) : rank;
  if (kind < 5) return Shape(base_.dims().subspan(from, std::max(to - from, 0)));
  if (kind == 5) return Shape({base_[Below(rank)]});
  if (kind == 6) return Shape({rank});
  return ShapeOfRank(Below(6));
}

Shape RandomCalls::ShapeFor(const InputRule* rule) {
  Shape shape = Related();
  if (!rule || Chance(3)) return shape;
  const int least = rule->min_rank, most = std::max(least, std::min(rule->max_rank, 5));
  if (shape.rank() < least || shape.rank() > rule->max_rank)
    shape = ShapeOfRank(least + Below(most - least + 1));
  if (rule->last_dim != InputRule::kAny && shape.rank() > 0)
    shape.set_dim(shape.rank() - 1, rule->last_dim);
  if (rule->not_empty)
    for (int i = 0; i < shape.rank(); ++i) shape.set_dim(i, std::max<int64_t>(shape[i], 1));
  return shape;
}

void RandomCalls::FillIntegers(const Tensor& t, const InputRule* rule) {
  const int kind = Below(6);
  const int64_t same = Below(4) - 1;
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    int64_t v = kind == 0   ? 0
                : kind == 1 ? i
                : kind == 2 ? same
                : kind == 3 ? Below(5) - 1
                : kind == 4 ? i / 2
                            : (base_.rank() > 0 ? base_[static_cast<int>(i % base_.rank())] : 1);
    if (rule && rule->LimitsValues()) v = std::clamp(v, rule->min, rule->max);
    if (t.dtype() == DType::kInt64)
      t.data<int64_t>()[i] = v;
    else
      t.data<int32_t>()[i] = static_cast<int32_t>(v);
  }
}

void RandomCalls::FillNumbers(const Tensor& t) {
  static constexpr float kValues[] = {0.f, 1.f, -1.f, 0.5f, 2.f, 3.f};
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    const float v = kValues[Below(6)];
    if (t.dtype() == DType::kFloat)
      t.data<float>()[i] = v;
    else if (t.dtype() == DType::kDouble)
      t.data<double>()[i] = static_cast<double>(v);
    else if (t.dtype() == DType::kComplex64)
      t.data<std::complex<float>>()[i] = {v, 1.f};
  }
}

Tensor RandomCalls::VariableHandle(DType held, bool reference, RandomCall& call) {
  auto variable = std::make_shared<Variable>();
  variable->name = "v";
  variable->dtype = held;
  if (!Chance(5)) variable->value = Elements(held, ShapeFor(nullptr), nullptr, call);
  call.variables.push_back(variable);
  if (reference) return ReferenceTo(variable.get());
  return Tensor::Scalar(ResourceHandle{variable, "v"});
}

Tensor RandomCalls::Elements(DType dtype, const Shape& shape, const InputRule* rule,
                             RandomCall& call) {
  if (dtype == DType::kResource) {
    const AttrDef* attr = call.op->FindAttr("dtype");
    if (!attr) attr = call.op->FindAttr("T");
    DType held = DType::kFloat;
    for (const NamedAttr& a : call.attrs)
      if (attr && a.name == attr->name && a.value.Find<DType>()) held = *a.value.Find<DType>();
    return VariableHandle(held, false, call);
  }
  Tensor t = *Tensor::Make(dtype, shape, &memory_);
  if (IsPod(dtype)) std::memset(t.raw(), 0, static_cast<size_t>(t.bytes()));
  if (dtype == DType::kInt32 || dtype == DType::kInt64)
    FillIntegers(t, rule);
  else if (dtype == DType::kString)
    for (std::string& s : t.flat<std::string>()) s = Chance(50) ? "" : Chance(50) ? "a" : "1 b";
  else if (dtype == DType::kBool)
    for (bool& b : t.flat<bool>()) b = Chance(50);
  else
    FillNumbers(t);
  return t;
}

bool RandomCalls::Next(const OpDef& op, RandomCall* call) {
  *call = RandomCall{};
  call->op = &op;
  base_ = Shape();
  base_ = Base();
  if (!ChooseTypes(*call)) return false;
  // Layouts belong to a rank, which the contract knows before the types do.
  for (const InputRule& rule : op.contract)
    if (rule.argument == 0) base_ = ShapeFor(&rule);
  for (const AttrDef& attr : op.attrs) {
    if (attr.kind == AttrKind::kFunc || attr.kind == AttrKind::kTensor) return false;
    ChooseAttr(attr, *call);
  }
  Result<std::vector<NamedAttr>> attrs = ResolveAttrs(op, call->in, call->attrs);
  if (!attrs.ok()) return false;
  call->attrs = *std::move(attrs);
  call->out = OutputTypes(op, Attrs(call->attrs));
  Contract placed;
  const Contract& rules = PlaceContract(op, Attrs(call->attrs), &placed) ? placed : op.contract;
  for (int i = 0; i < static_cast<int>(call->in.size()); ++i) {
    const InputRule* rule = nullptr;
    for (const InputRule& r : rules)
      if (i >= r.first && i < r.first + r.count) rule = &r;
    const DType t = call->in[static_cast<size_t>(i)];
    if (IsRef(t)) {
      call->inputs.push_back(VariableHandle(BaseType(t), true, *call));
      continue;
    }
    const Shape shape = i == 0 && !op.contract.empty() && Chance(60) ? base_ : ShapeFor(rule);
    call->inputs.push_back(Elements(t, shape, rule, *call));
  }
  return true;
}

}  // namespace tensh::test
