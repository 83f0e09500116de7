#include "shell/python/values/number_subclass.h"

#include "shell/python/values/class.h"
#include "shell/python/values/ops.h"

namespace tensh::shell {
namespace {

class NumberObject : public TrackedObject {
 public:
  NumberObject(const TypeInfo& cls, Value number)
      : TrackedObject(cls), number(std::move(number)), class_(cls.type_object) {}
  void DropRefs() override { attrs_.Clear(); }
  void Visit(HeldVisitor& visit) const override { visit(attrs_); }
  Dict* attrs() override { return &attrs_; }
  const Value number;

 private:
  Dict attrs_;
  Value class_;
};

const Value& Number(const Value& v) { return static_cast<NumberObject*>(v.object())->number; }

std::string NumberRepr(const Value& v) { return Repr(Number(v)); }
std::string NumberFormat(const Value& v, std::string_view spec) {
  return spec.empty() ? Str(v) : Format(Number(v), spec);
}
bool NumberTruth(const Value& v) { return Truth(Number(v)); }
uint64_t NumberHash(const Value& v) { return Hash(Number(v)); }

bool BothNumbers(const Value& a, const Value& b) {
  return (a.is_float() || IsInt(a)) && (b.is_float() || IsInt(b));
}

Value NumberCompare(CompareOp op, const Value& a, const Value& b) {
  const Value x = PlainNumber(a), y = PlainNumber(b);
  return BothNumbers(x, y) ? Compare(op, x, y) : Value::NotImplemented();
}

// Handles numbers only. If the other operand is a list or an array, its slot must decide.
Value NumberBinary(BinaryOp op, const Value& a, const Value& b, bool) {
  const Value x = PlainNumber(a), y = PlainNumber(b);
  if (!BothNumbers(x, y)) return Value::NotImplemented();
  auto slot = FindSlot(TypeOf(x), &TypeInfo::binary);
  if (Value r = slot(op, x, y, false); !r.is_not_implemented()) return r;
  return FindSlot(TypeOf(y), &TypeInfo::binary)(op, x, y, true);
}

Value NumberUnary(UnaryOp op, const Value& v) {
  return FindSlot(TypeOf(Number(v)), &TypeInfo::unary)(op, Number(v));
}

Value NumberIndex(const Value& v) { return Number(v); }
Value NumberToInt(const Value& v) {
  const Value& n = Number(v);
  return n.is_float() ? FindSlot(kFloatType, &TypeInfo::to_int)(n) : n;
}
Value NumberToFloat(const Value& v) { return Value::Float(ToDouble(Number(v))); }

const TypeInfo kIntLayout = {.name = "int",
                             .base = &kIntType,
                             .repr = NumberRepr,
                             .format = NumberFormat,
                             .truth = NumberTruth,
                             .hash = NumberHash,
                             .compare = NumberCompare,
                             .binary = NumberBinary,
                             .unary = NumberUnary,
                             .index = NumberIndex,
                             .to_int = NumberToInt,
                             .to_float = NumberToFloat};
const TypeInfo kFloatLayout = {.name = "float",
                               .base = &kFloatType,
                               .repr = NumberRepr,
                               .format = NumberFormat,
                               .truth = NumberTruth,
                               .hash = NumberHash,
                               .compare = NumberCompare,
                               .binary = NumberBinary,
                               .unary = NumberUnary,
                               .to_int = NumberToInt,
                               .to_float = NumberToFloat};

}  // namespace

const TypeInfo* LayoutOf(const TypeInfo& native) {
  if (&native == &kIntType) return &kIntLayout;
  return &native == &kFloatType ? &kFloatLayout : &native;
}

Value PlainNumber(const Value& v) {
  if (!v.is_object()) return v;
  const TypeInfo& type = TypeOf(v);
  return DerivesFrom(type, kIntLayout) || DerivesFrom(type, kFloatLayout) ? Number(v) : v;
}

Value NewNumber(const TypeInfo& cls, const CallArgs& args) {
  const TypeInfo& plain = DerivesFrom(cls, kIntLayout) ? kIntType : kFloatType;
  return New<NumberObject>(cls, Call(TypeValue(plain), args));
}

}  // namespace tensh::shell
