#include "shell/numpy/matrix.h"

#include "shell/numpy/methods.h"
#include "shell/numpy/ndarray.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/library.h"

namespace tensh::shell::np {
namespace {

class Matrix : public NdArray {
 public:
  static const TypeInfo kType;
  explicit Matrix(Array a) : NdArray(std::move(a)) { set_type(kType); }
};

Value MakeMatrix(Array a) {
  if (a.rank > 2) throw ValueError("shape too large to be a matrix.");
  while (a.rank < 2) a = WithAxis(a, 0);
  return New<Matrix>(std::move(a));
}

const Array& ArrayOf(const Value& v) { return As<NdArray>(v)->array; }
// Converts arrays of one or two dimensions to matrices; returns other values unchanged.
Value Wrapped(const Value& v) {
  auto* array = As<NdArray>(v);
  return array && array->array.rank <= 2 ? MakeMatrix(array->array) : v;
}

// Arguments: data, dtype, copy. The data are numbers, nested lists, or text such as "1 2; 3 4".
Value Construct(Args& a) {
  const Value given =
      IsStr(a[0]) ? Call(FromLibrary("numpy_matrix", Intern("rows_of_text")), {a[0]}) : a[0];
  const Array array = ToArray(given, DTypeArgument(a[1]));
  return MakeMatrix(Truth(a[2]) ? Copy(array) : array);
}
constexpr FunctionRow kConstruct = {"matrix", "data, dtype=None, copy=True", Construct,
                                    "A matrix made from nested lists or text."};

bool IsScalar(const Value& v) {
  auto* array = As<NdArray>(v);
  return array ? array->array.rank == 0 : !Sequence(v);
}

Value Power(const Value& a, const Value& n) {
  return Wrapped(
      Call(FromLibrary("numpy_linalg", Intern("matrix_power")), {MakeArray(ArrayOf(a)), n}));
}

Value MatrixBinary(BinaryOp op, const Value& a, const Value& b, bool) {
  const auto plain = [](const Value& v) { return As<Matrix>(v) ? MakeArray(ArrayOf(v)) : v; };
  if (op == BinaryOp::kMul && !IsScalar(a) && !IsScalar(b)) {
    const Value x = MakeMatrix(ToArray(a)), y = MakeMatrix(ToArray(b));
    return Wrapped(MakeArray(Dot(ArrayOf(x), ArrayOf(y))));
  }
  if (op == BinaryOp::kPow && As<Matrix>(a)) return Power(a, b);
  return Wrapped(BinaryValues(op, plain(a), plain(b)));
}

Value MatrixCompare(CompareOp op, const Value& a, const Value& b) {
  return Wrapped(Compare(op, MakeArray(ArrayOf(a)), b));
}

// A single row or column remains a matrix. It is a column if the second index is one number.
Value MatrixGetItem(const Value& v, const Value& key) {
  const Value got = GetItem(MakeArray(ArrayOf(v)), key);
  auto* array = As<NdArray>(got);
  if (array && array->array.rank == 0) return ArrayOrScalar(array->array);
  if (array && array->array.rank > 2) return New<Matrix>(array->array);
  if (!array || array->array.rank != 1) return Wrapped(got);
  const auto* keys = Sequence(key);
  const bool column = keys && keys->size() > 1 && IsIndex((*keys)[1]) && !As<NdArray>((*keys)[1]);
  return MakeMatrix(WithAxis(array->array, column ? 1 : 0));
}

std::string MatrixRepr(const Value& v) {
  std::string out = "matrix(";
  const std::string text = Repr(MakeArray(ArrayOf(v))).substr(6);  // The text after "array(".
  for (size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] == '\n' && text[i + 1] != '\n') out += ' ';
  }
  return out;
}

const PropertyRow kProperties[] = {
    {"T", [](const Value& v) { return MakeMatrix(Transposed(ArrayOf(v))); }},
    {"H",
     [](const Value& v) {
       return Wrapped(CallMethod(MakeArray(Transposed(ArrayOf(v))), "conj", {}));
     }},
    {"I",
     [](const Value& v) {
       return Wrapped(
           Call(FromLibrary("numpy_matrix", Intern("inverse")), {MakeArray(ArrayOf(v))}));
     }},
    {"A", [](const Value& v) { return MakeArray(ArrayOf(v)); }},
    {"A1", [](const Value& v) { return MakeArray(Flat(ArrayOf(v))); }},
};

struct MatrixIterator : Object {
  static const TypeInfo kType;
  explicit MatrixIterator(Array a) : Object(kType), array(std::move(a)) {}
  Array array;
  int64_t next = 0;
};
const TypeInfo MatrixIterator::kType = {.name = "iterator",
                                        .iter = [](const Value& v) { return v; },
                                        .next =
                                            [](const Value& v, Value* out) {
                                              auto& it = *static_cast<MatrixIterator*>(v.object());
                                              if (it.next >= it.array.dim(0)) return false;
                                              *out = MakeMatrix(DropAxis(it.array, 0, it.next++));
                                              return true;
                                            }};

const TypeInfo Matrix::kType = {
    .name = "matrix",
    .base = &NdArray::kType,
    .module = "numpy",
    .doc = "A matrix: an array that always has two dimensions and whose * is the matrix product.",
    .properties = kProperties,
    .construct = &kConstruct,
    .repr = MatrixRepr,
    .str = [](const Value& v) { return Str(MakeArray(ArrayOf(v))); },
    .compare = MatrixCompare,
    .binary = MatrixBinary,
    .inplace = [](BinaryOp op, const Value& a,
                  const Value& b) { return MatrixBinary(op, a, b, false); },
    .unary = [](UnaryOp op,
                const Value& v) { return Wrapped(UnaryValues(op, MakeArray(ArrayOf(v)))); },
    .getitem = MatrixGetItem,
    .iter = [](const Value& v) -> Value { return New<MatrixIterator>(ArrayOf(v)); },
    .getattr = [](const Value& v,
                  StrObject* name) { return LibraryMethod("numpy_matrix", v, name); },
};

}  // namespace

const TypeInfo& kMatrixType = Matrix::kType;

}  // namespace tensh::shell::np
