#include "runtime/exec/nonfinite.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>

#include "runtime/core/half.h"
#include "runtime/core/strcat.h"
#include "runtime/exec/reference_value.h"

namespace tensh {
namespace {

constexpr size_t kMaxInputs = 16;    // of a node; further ones are left out
constexpr size_t kMaxEvents = 1000;  // of a partition

// Ops whose output has the shape of an input although its elements are not computed from the same
// elements of the input. Compared with the beginning of the op's name.
constexpr std::string_view kNotByElement[] = {
    "MatMul",    "BatchMatMul", "Softmax", "LogSoftmax", "Cum",      "Conv",
    "Depthwise", "MaxPool",     "AvgPool", "Matrix",     "Cholesky", "Einsum",
    "FFT",       "IFFT",        "RFFT",    "IRFFT",      "LRN",      "Sparse",
    "Scatter",   "Resource",    "Segment", "Unsorted"};

bool IsByElement(std::string_view op) {
  return std::none_of(std::begin(kNotByElement), std::end(kNotByElement),
                      [op](std::string_view start) { return op.starts_with(start); });
}

// Returns true for the types that have NaN and Inf.
bool MayBeNonFinite(DType dtype) { return IsFloating(dtype) || IsComplex(dtype); }

// Returns the tensor in host memory, or an empty one if that fails.
Tensor OnHost(const Tensor& tensor) {
  if (!tensor || tensor.on_host()) return tensor;
  Result<Tensor> copy = tensor.CopyTo(HostAllocator());
  return copy.ok() ? *std::move(copy) : Tensor();
}

// Counts from the bits, in a loop that compilers vectorize. `kExponent` is the exponent of numbers
// that are not finite, and all other bits but the sign are 0 for Inf.
template <class Bits, Bits kExponent, Bits kSign>
NonFiniteCount CountBits(const void* data, int64_t n, int64_t per_element) {
  const Bits* bits = static_cast<const Bits*>(data);
  int64_t not_finite = 0;
  for (int64_t i = 0; i < n * per_element; ++i)
    not_finite += (bits[i] & kExponent) == kExponent ? 1 : 0;
  NonFiniteCount count;
  if (not_finite == 0) return count;
  for (int64_t i = 0; i < n; ++i) {
    bool nan = false, inf = false;
    for (int64_t k = i * per_element; k < (i + 1) * per_element; ++k) {
      const Bits rest = static_cast<Bits>(bits[k] & static_cast<Bits>(~kSign));
      nan |= rest > kExponent;
      inf |= rest == kExponent;
    }
    count.nan += nan ? 1 : 0;
    count.inf += inf && !nan ? 1 : 0;
  }
  return count;
}

// Returns element i as a number; NaN if a part of it is NaN.
std::complex<double> ElementOf(const Tensor& tensor, int64_t i) {
  switch (tensor.dtype()) {
    case DType::kFloat:
      return tensor.data<float>()[i];
    case DType::kDouble:
      return tensor.data<double>()[i];
    case DType::kHalf:
      return HalfToFloat(tensor.data<Half>()[i].bits);
    case DType::kBfloat16:
      return Bfloat16ToFloat(tensor.data<Bfloat16>()[i].bits);
    case DType::kComplex64:
      return tensor.data<std::complex<float>>()[i];
    case DType::kComplex128:
      return tensor.data<std::complex<double>>()[i];
    case DType::kInt32:
      return tensor.data<int32_t>()[i];
    case DType::kInt64:
      return static_cast<double>(tensor.data<int64_t>()[i]);
    default:
      return tensor.data<bool>()[i] ? 1. : 0.;
  }
}
bool HasElements(DType dtype) {
  return MayBeNonFinite(dtype) || dtype == DType::kInt32 || dtype == DType::kInt64 ||
         dtype == DType::kBool;
}

bool IsIt(std::complex<double> value, bool nan) {
  const bool has_nan = std::isnan(value.real()) || std::isnan(value.imag());
  return nan ? has_nan : !has_nan && (std::isinf(value.real()) || std::isinf(value.imag()));
}

// Formats a number as numpy does: "1.0", "-inf". Numbers of fewer bits than a double are floats.
std::string RealText(double value, DType dtype) {
  if (std::isnan(value)) return "nan";
  char text[32];
  const bool wide = dtype == DType::kDouble || dtype == DType::kComplex128;
  const auto end = wide ? std::to_chars(text, text + sizeof text, value)
                        : std::to_chars(text, text + sizeof text, static_cast<float>(value));
  std::string out(text, end.ptr);
  const bool whole =
      MayBeNonFinite(dtype) && out.find_first_not_of("-0123456789") == std::string::npos;
  return whole ? out + ".0" : out;
}
std::string ElementText(const Tensor& tensor, int64_t i) {
  const DType dtype = tensor.dtype();
  if (dtype == DType::kBool) return tensor.data<bool>()[i] ? "True" : "False";
  if (dtype == DType::kInt64) return std::to_string(tensor.data<int64_t>()[i]);
  if (dtype == DType::kInt32) return std::to_string(tensor.data<int32_t>()[i]);
  const std::complex<double> value = ElementOf(tensor, i);
  if (!IsComplex(dtype)) return RealText(value.real(), dtype);
  const std::string imag = RealText(value.imag(), dtype);
  return "(" + RealText(value.real(), dtype) + (imag[0] == '-' ? "" : "+") + imag + "j)";
}

// Returns the element of a tensor that broadcasting pairs with element `at` of the output, or -1 if
// the shapes do not allow it.
int64_t Broadcast(const Shape& from, const Shape& to, int64_t at) {
  int64_t element = 0, stride = 1;
  for (int d = 1; d <= to.rank(); ++d) {
    const int64_t extent = to[to.rank() - d], index = at % extent;
    at /= extent;
    if (d > from.rank()) continue;
    const int64_t own = from[from.rank() - d];
    if (own != 1 && own != extent) return -1;
    element += own == 1 ? 0 : index * stride;
    stride *= own;
  }
  return from.rank() > to.rank() ? -1 : element;
}

// Returns the members of an object with the type and the counts of a tensor, with element `at` unless
// that is negative, and with the range of its finite elements if it is asked for.
std::string Looked(const Tensor& tensor, const NonFiniteCount& count, int64_t at, bool with_range) {
  const DType dtype = tensor.dtype();
  const int64_t n = with_range && IsFloating(tensor.dtype()) ? tensor.num_elements() : 0;
  std::string out = StrCat("\"type\":\"", ShortName(dtype), tensor.shape().ToString(),
                           "\",\"elements\":", tensor.num_elements(), ",\"nan\":", count.nan,
                           ",\"inf\":", count.inf);
  if (at >= 0) out += StrCat(",\"value\":\"", ElementText(tensor, at), "\"");
  double least = INFINITY, most = -INFINITY;
  for (int64_t i = 0; i < n; ++i) {
    const double value = ElementOf(tensor, i).real();
    if (!std::isfinite(value)) continue;
    least = std::min(least, value), most = std::max(most, value);
  }
  if (least > most) return out;
  return out + StrCat(",\"least\":\"", RealText(least, dtype), "\",\"most\":\"",
                      RealText(most, dtype), "\"");
}

// Returns the variable that an input refers to, or null if the slot holds a value. `declared` is the
// type of the input. References to variables of integers are of no interest.
Variable* VariableBehind(const Tensor& slot, DType declared) {
  const bool reference = IsRef(declared) && MayBeNonFinite(BaseType(declared)) &&
                         (slot.dtype() == DType::kInt64 || slot.dtype() == DType::kResource);
  return reference || slot.dtype() == DType::kResource ? VariableOf(slot) : nullptr;
}

// Returns the declared type of input i. The read of a variable is not a node; its input is what the
// variable's node makes.
DType DeclaredType(const Graph& graph, const Instr& instr, uint32_t i) {
  if (i < graph.num_inputs(instr.node)) return graph.dtype(graph.input(instr.node, i));
  const bool reads = instr.is_read && graph.num_outputs(instr.node) > 0;
  return reads ? graph.dtype(graph.output(instr.node, 0)) : DType::kInvalid;
}

}  // namespace

NonFiniteCount CountNonFinite(const Tensor& given) {
  if (!given || !MayBeNonFinite(given.dtype())) return {};
  const Tensor tensor = OnHost(given);
  if (!tensor) return {};
  const int64_t n = tensor.num_elements();
  const void* data = tensor.raw();
  switch (tensor.dtype()) {
    case DType::kHalf:
      return CountBits<uint16_t, 0x7c00, 0x8000>(data, n, 1);
    case DType::kBfloat16:
      return CountBits<uint16_t, 0x7f80, 0x8000>(data, n, 1);
    case DType::kDouble:
    case DType::kComplex128:
      return CountBits<uint64_t, 0x7ff0'0000'0000'0000, 0x8000'0000'0000'0000>(
          data, n, IsComplex(tensor.dtype()) ? 2 : 1);
    default:
      return CountBits<uint32_t, 0x7f80'0000, 0x8000'0000>(data, n,
                                                           IsComplex(tensor.dtype()) ? 2 : 1);
  }
}

std::string LookForNonFinite(const Tensor& made, bool is_nan, std::string_view op, int64_t slot,
                             std::span<const KernelInput> inputs) {
  const NonFiniteCount count = CountNonFinite(made);
  const Tensor value = (is_nan ? count.nan : count.inf) == 0 ? Tensor() : OnHost(made);
  int64_t at = 0;
  while (value && at < value.num_elements() && !IsIt(ElementOf(value, at), is_nan)) ++at;
  // Another thread may have changed a variable.
  if (!value || at == value.num_elements()) return "";
  std::string index, read;
  const Shape& shape = value.shape();
  int64_t rest = at;
  for (int d = shape.rank(); d-- > 0; rest /= shape[d])
    index = StrCat(rest % shape[d], index.empty() ? "" : ",", index);
  bool is_origin = true;
  for (const KernelInput& input : inputs.first(std::min(inputs.size(), kMaxInputs))) {
    const Tensor from = OnHost(input.variable ? input.variable->Read() : input.held);
    const bool numbers = from && HasElements(from.dtype());
    // The kernel may have overwritten the elements of a variable, so only their number is told.
    const NonFiniteCount has = input.variable ? input.before : CountNonFinite(from);
    is_origin = is_origin && has.nan == 0 && (is_nan || has.inf == 0);
    const bool pairs = numbers && !input.variable && IsByElement(op) && from.num_elements() > 0;
    read += StrCat(read.empty() ? "{" : ",{",
                   numbers ? Looked(from, has, pairs ? Broadcast(from.shape(), shape, at) : -1,
                                    !input.variable)
                           : std::string(),
                   "}");
  }
  return StrCat("\"kind\":\"", is_nan ? "nan" : "inf", "\",\"made\":", is_origin ? 1 : 0,
                ",\"index\":[", index, "],\"output\":{\"slot\":", slot, ",",
                Looked(value, count, at, false), "},\"inputs\":[", read, "]");
}

bool NonFiniteWatch::IsNew(NodeId node, bool is_nan) const {
  return seen_.size() < kMaxEvents && seen_.count({Index(node), is_nan}) == 0;
}

void NonFiniteWatch::Before(const Graph& graph, const Instr& instr,
                            const std::vector<Tensor>& slots) {
  inputs_.clear();
  if (instr.node == kNoNode || instr.is_move) return;
  for (uint32_t i = 0; i < instr.call.n_in; ++i) {
    KernelInput& input = inputs_.emplace_back();
    const Tensor& slot = slots[instr.call.in[i]];
    if (!slot) continue;
    input.variable = VariableBehind(slot, DeclaredType(graph, instr, i));
    if (input.variable == nullptr)
      input.held = slot;
    else if (IsNew(instr.node, true) || IsNew(instr.node, false))
      input.before = CountNonFinite(input.variable->Read());
  }
}

std::string NonFiniteWatch::After(const Graph& graph, const Instr& instr,
                                  const std::vector<Tensor>& slots, bool is_nan) {
  if (instr.node == kNoNode || instr.is_move || !IsNew(instr.node, is_nan)) return "";
  const std::string_view op = graph.op(instr.node).name;
  std::string found;
  const uint32_t outputs = std::min<uint32_t>(instr.call.n_out, graph.num_outputs(instr.node));
  for (uint32_t i = 0; i < outputs && found.empty(); ++i)
    if (const Tensor& made = slots[instr.call.out[i]])
      found = LookForNonFinite(made, is_nan, op, i, inputs_);
  // An update leaves its result in a variable.
  for (size_t i = 0; i < inputs_.size() && found.empty() && !instr.is_read; ++i) {
    const NonFiniteCount& before = inputs_[i].before;
    if (inputs_[i].variable != nullptr && (is_nan ? before.nan : before.inf) == 0)
      found = LookForNonFinite(inputs_[i].variable->Read(), is_nan, op,
                               -1 - static_cast<int64_t>(i), inputs_);
  }
  if (!found.empty()) seen_.insert({Index(instr.node), is_nan});
  return found;
}

}  // namespace tensh
