#include "tests/oracle/compare.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "runtime/core/half.h"
#include "tests/oracle/tensor_text.h"

namespace tensh::oracle {
namespace {

struct Row {
  std::string_view op;
  Tolerance tolerance;
};

constexpr Tolerance kSum = {.ulp = 4, .relative_float = 1e-5, .relative_double = 1e-12};

// Terms of magnitude 100 that nearly cancel.
constexpr Tolerance kProducts = {.ulp = 4, .relative_float = 4e-5, .relative_double = 1e-12};

// TensorFlow computes these in float for every type.
constexpr Tolerance kInFloat = {.ulp = 4, .relative_float = 1e-5, .relative_double = 1e-5};
constexpr Tolerance kSpecial = {.ulp = 16, .relative_float = 4e-6, .relative_double = 1e-11};
constexpr Tolerance kDecomposition = {.ulp = 16, .relative_float = 1e-4, .relative_double = 1e-11};

// Ops that are not listed must match exactly.
constexpr Row kRows[] = {
    // Eigen's polynomials and libm differ by this much, even between vector lanes of TensorFlow.
    {"Exp", {.ulp = 2}},
    {"Log", {.ulp = 2}},
    {"Log1p", {.ulp = 2}},
    {"Expm1", {.ulp = 4}},
    {"Sin", {.ulp = 2}},
    {"Cos", {.ulp = 2}},
    // TensorFlow's vector code uses an approximate root and one Newton step, which is off by up to
    // 3 ulp.
    {"Rsqrt", {.ulp = 4}},
    {"Asin", {.ulp = 4}},
    {"Acos", {.ulp = 4}},
    {"Atan", {.ulp = 4}},
    // TensorFlow's float vectors use the processor's approximate reciprocal, with which 1/1 is
    // 0.99999994.
    {"Reciprocal", {.ulp = 2}},
    {"Sigmoid", {.ulp = 2}},
    // A quotient of polynomials.
    {"Tanh", {.ulp = 4}},
    // TensorFlow computes dy * (0.5 / y) in whole vectors, and 0.5 * dy / y after the last one.
    {"SqrtGrad", {.ulp = 1}},
    // TensorFlow multiplies in a different order in whole vectors than after the last one.
    {"SigmoidGrad", {.ulp = 2}},
    // exp(y log x) multiplies the error of the logarithm.
    {"Pow", {.ulp = 4}},
    // An exponential, a sum and a division.
    {"Softmax", {.ulp = 4, .relative_float = 1e-6, .relative_double = 1e-14}},
    {"LogSoftmax", {.ulp = 4, .relative_float = 1e-6, .relative_double = 1e-14}},
    {"SparseSoftmax", {.ulp = 4, .relative_float = 1e-6, .relative_double = 1e-14}},
    {"SoftmaxCrossEntropyWithLogits", kSum},
    {"SparseSoftmaxCrossEntropyWithLogits", kSum},
    // The order of summation is not part of the definition.
    {"Sum", kSum},
    {"Mean", kSum},
    {"Prod", kSum},
    {"MatMul", kProducts},
    {"BatchMatMulV2", kProducts},
    {"AddN", kSum},
    {"BiasAddGrad", kSum},
    {"L2Loss", kSum},
    // TensorFlow computes these in the precision of the type, with other approximations.
    {"Erf", kSpecial},
    {"Erfc", kSpecial},
    {"Erfinv", {.ulp = 16, .relative_float = 1e-5, .relative_double = 1e-11}},
    {"Ndtri", kSpecial},
    {"Lgamma", kSpecial},
    {"Digamma", kSpecial},
    {"Asinh", kSpecial},
    {"Acosh", kSpecial},
    {"Atanh", kSpecial},
    {"BesselI0e", kSpecial},
    {"BesselI1e", kSpecial},
    {"Atan2", kSpecial},
    {"Igamma", kSpecial},
    {"Igammac", kSpecial},
    {"IgammaGradA", kSpecial},
    {"Betainc", kSpecial},
    {"Polygamma", kSpecial},
    {"Zeta", kSpecial},
    {"Xlogy", kSpecial},
    {"Xlog1py", kSpecial},
    {"BesselI0", kSpecial},
    {"BesselI1", kSpecial},
    {"BesselJ0", kSpecial},
    {"BesselJ1", kSpecial},
    {"BesselK0", kSpecial},
    {"BesselK0e", kSpecial},
    {"BesselK1", kSpecial},
    {"BesselK1e", kSpecial},
    {"BesselY0", kSpecial},
    {"BesselY1", kSpecial},
    {"Dawsn", kSpecial},
    {"Expint", kSpecial},
    {"FresnelCos", kSpecial},
    {"FresnelSin", kSpecial},
    {"Spence", kSpecial},
    {"RandomGammaGrad", {.ulp = 16, .relative_float = 1e-4, .relative_double = 1e-8}},
    {"ParameterizedTruncatedNormal", {.ulp = 4, .relative_float = 1e-6, .relative_double = 1e-14}},
    {"Einsum", kSum},
    {"CumulativeLogsumexp", {.ulp = 16, .relative_float = 1e-6, .relative_double = 1e-14}},
    {"SparseMatMul", kProducts},
    {"AudioSpectrogram", kSum},
    {"Mfcc", kSum},
    {"LSTMBlockCell", kSum},
    {"LSTMBlockCellGrad", kSum},
    {"BlockLSTM", kSum},
    {"BlockLSTMV2", kSum},
    {"BlockLSTMGrad", kSum},
    {"BlockLSTMGradV2", kSum},
    {"GRUBlockCell", kSum},
    {"GRUBlockCellGrad", kSum},
    // Rounding errors accumulate through the whole decomposition.
    {"MatrixInverse", kDecomposition},
    {"MatrixDeterminant", kDecomposition},
    {"LogMatrixDeterminant", kDecomposition},
    {"Cholesky", kDecomposition},
    {"CholeskyGrad", kDecomposition},
    {"Qr", kDecomposition},
    {"Svd", kDecomposition},
    {"SelfAdjointEigV2", kDecomposition},
    {"Lu", kDecomposition},
    {"MatrixSquareRoot", kDecomposition},
    {"MatrixLogarithm", kDecomposition},
    {"TridiagonalSolve", kDecomposition},
    {"TridiagonalMatMul", kSum},
    {"MatrixSolve", kDecomposition},
    {"MatrixTriangularSolve", kDecomposition},
    {"MatrixSolveLs", {.ulp = 16, .relative_float = 1e-3, .relative_double = 1e-9}},
    {"SegmentSum", kSum},
    {"SegmentMean", kSum},
    {"SegmentProd", kSum},
    {"UnsortedSegmentProd", kSum},
    {"SparseSegmentSum", kSum},
    {"SparseSegmentMean", kSum},
    {"SparseSegmentSqrtN", kSum},
    {"SparseSegmentSumWithNumSegments", kSum},
    {"SparseSegmentMeanWithNumSegments", kSum},
    {"SparseSegmentSumGrad", kSum},
    {"SparseSegmentMeanGrad", kSum},
    {"SparseSegmentSqrtNGrad", kSum},
    {"SparseSegmentSumGradV2", kSum},
    {"SparseSegmentMeanGradV2", kSum},
    {"SparseSegmentSqrtNGradV2", kSum},
    {"EuclideanNorm", kSum},
    {"MirrorPadGrad", kSum},
    {"Cross", kSum},
    {"NthElement", kSum},
    {"SegmentMax", kSum},
    {"SegmentMin", kSum},
    {"UnsortedSegmentMax", kSum},
    {"UnsortedSegmentMin", kSum},
    {"TensorScatterMax", kSum},
    {"TensorScatterMin", kSum},
    {"Xdivy", {.ulp = 2}},
    {"DivNoNan", {.ulp = 2}},
    // The sums of products have a different order.
    {"Conv2D", kProducts},
    {"FusedPadConv2D", kProducts},
    {"FusedResizeAndPadConv2D", kProducts},
    {"ScaleAndTranslate", kProducts},
    {"ScaleAndTranslateGrad", kProducts},
    {"Conv2DBackpropInput", kProducts},
    {"Conv2DBackpropFilter", kProducts},
    {"DepthwiseConv2dNative", kProducts},
    {"DepthwiseConv2dNativeBackpropInput", kProducts},
    {"DepthwiseConv2dNativeBackpropFilter", kProducts},
    {"AvgPool", kSum},
    {"AvgPoolGrad", kSum},
    {"LRN", kSum},
    {"LRNGrad", kSum},
    {"FusedBatchNorm", kSum},
    {"Conv", kDecomposition},
    {"SparseSegmentSqrtNWithNumSegments", kSum},
    {"FusedBatchNormV2", kSum},
    {"FusedBatchNormV3", kSum},
    {"FusedBatchNormGrad", kDecomposition},
    {"FusedBatchNormGradV2", kDecomposition},
    {"FusedBatchNormGradV3", kDecomposition},
    // The expected counts are logarithms and powers.
    {"LogUniformCandidateSampler", {.ulp = 4}},
    {"MaxPoolGrad", kSum},
    {"SparseTensorDenseMatMul", kSum},
    {"SparseReduceSum", kSum},
    {"SparseReduceSumSparse", kSum},
    {"ApplyFtrl", kSum},
    {"ApplyFtrlV2", kSum},
    {"RFFT", kSum},
    {"IRFFT", kSum},
    {"IRFFT2D", kSum},
    {"IRFFT3D", kSum},
    {"ResizeBilinearGrad", kSum},
    {"Conv3D", kProducts},
    {"Conv3DBackpropInputV2", kProducts},
    {"Conv3DBackpropFilterV2", kProducts},
    {"AvgPool3D", kSum},
    {"AvgPool3DGrad", kSum},
    {"MaxPool3DGrad", kSum},
    {"MaxPoolGradWithArgmax", kSum},
    {"CropAndResizeGradBoxes", kDecomposition},
    {"CropAndResizeGradImage", kSum},
    {"ResizeBicubic", kInFloat},
    {"ResizeBicubicGrad", kInFloat},
    {"ResizeArea", kSum},
    {"AdjustHue", kSum},
    {"AdjustSaturation", kSum},
    {"AdjustContrastv2", kSum},
    {"RGBToHSV", kSum},
    {"HSVToRGB", kSum},
    {"FakeQuantWithMinMaxVarsGradient", kSum},
    {"FakeQuantWithMinMaxVarsPerChannelGradient", kSum},
    {"QuantizeAndDequantizeV4Grad", kSum},
    {"CTCLoss", kInFloat},
    {"CTCGreedyDecoder", kSum},
    {"CTCBeamSearchDecoder", kInFloat},
    {"IsotonicRegression", kSum},
    {"BatchMatMulV3", kProducts},
    // TensorFlow subtracts 1 from the exponential, which loses digits for small numbers.
    {"Elu", {.ulp = 2, .relative_float = 6e-8, .relative_double = 1e-15}},
    {"Selu", {.ulp = 4, .relative_float = 4e-7, .relative_double = 1e-15}},
    {"SeluGrad", {.ulp = 2}},
    {"Softplus", {.ulp = 4, .relative_double = 1e-15}},
    {"SoftplusGrad", {.ulp = 4}},
    {"Softsign", {.ulp = 2}},
    {"SoftsignGrad", {.ulp = 2}},
    // Box-Muller: a logarithm, a sine and a cosine.
    {"RandomStandardNormal", {.ulp = 4}},
    {"TruncatedNormal", {.ulp = 4}},
    {"ApplyMomentum", {.ulp = 1}},
    {"ApplyAdagrad", {.ulp = 2}},
    {"ApplyAdam", {.ulp = 4, .relative_float = 1e-6, .relative_double = 1e-14}},
};

// Returns the number of floats between the two. Both zeros count as the same number.
template <class Bits, class T>
Bits Distance(T x, T y) {
  Bits a, b;
  std::memcpy(&a, &x, sizeof a);
  std::memcpy(&b, &y, sizeof b);
  const Bits sign = Bits{1} << (sizeof(Bits) * 8 - 1);
  const Bits p = a & ~sign, q = b & ~sign;
  if ((a ^ b) & sign) return p + q;
  return p < q ? q - p : p - q;
}

template <class Bits, class T>
bool Close(T got, T want, int ulp, double relative) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
  if (got == want) return std::signbit(got) == std::signbit(want) || ulp > 0 || relative > 0;
  if (std::isinf(want) || std::isinf(got)) return false;
  // Denormals are flushed. TensorFlow's maximum does so in some vector lanes only, in an
  // unpredictable way.
  if (std::fabs(want) < std::numeric_limits<T>::min() &&
      std::fabs(got) < std::numeric_limits<T>::min()) {
    return true;
  }
  if (Distance<Bits>(got, want) <= static_cast<Bits>(ulp)) return true;
  return std::fabs(static_cast<double>(got) - static_cast<double>(want)) <=
         relative * std::fmax(std::fabs(static_cast<double>(want)), 1.0);
}

// For 16-bit floats, TensorFlow rounds after each operation in a kernel, and tensh once at the end.
bool CloseHalf(float got, float want, double step, const Tolerance& t) {
  if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
  if (got == want) return true;
  if (std::isinf(want) || std::isinf(got)) return false;
  return std::fabs(got - want) <= (t.cancels || t.relative_float >= 1e-5 ? 48 : 8) * step *
                                      std::fmax(std::fabs(static_cast<double>(want)), 1.0);
}

// Compares the distance in the complex plane, relative to the absolute value. If a part is
// infinite, the other is ignored.
template <class T>
bool CloseComplex(const T* got, const T* want, double relative) {
  const bool finite = std::isfinite(want[0]) && std::isfinite(want[1]);
  if (!finite) return !std::isfinite(got[0]) || !std::isfinite(got[1]);
  const double size = std::hypot(static_cast<double>(want[0]), static_cast<double>(want[1]));
  const double distance =
      std::hypot(static_cast<double>(got[0] - want[0]), static_cast<double>(got[1] - want[1]));
  return distance <= relative * std::fmax(size, 1.0);
}

bool SameOther(int dtype, void* a, void* b, int64_t i, const Tolerance& t) {
  switch (dtype) {
    case TSH_HALF:
      return CloseHalf(HalfToFloat(static_cast<uint16_t*>(a)[i]),
                       HalfToFloat(static_cast<uint16_t*>(b)[i]), 0x1p-10, t);
    case TSH_BFLOAT16:
      return CloseHalf(Bfloat16ToFloat(static_cast<uint16_t*>(a)[i]),
                       Bfloat16ToFloat(static_cast<uint16_t*>(b)[i]), 0x1p-7, t);
    case TSH_COMPLEX64:
      return CloseComplex(static_cast<float*>(a) + 2 * i, static_cast<float*>(b) + 2 * i, 2e-5);
    case TSH_COMPLEX128:
      return CloseComplex(static_cast<double*>(a) + 2 * i, static_cast<double*>(b) + 2 * i, 1e-11);
    default: {
      const size_t size = tsh_dtype_size(dtype);
      const size_t at = static_cast<size_t>(i) * size;
      return std::memcmp(static_cast<char*>(a) + at, static_cast<char*>(b) + at, size) == 0;
    }
  }
}

bool SameElement(tsh_tensor* got, tsh_tensor* want, int64_t i, const Tolerance& t) {
  void* a = tsh_tensor_data(got);
  void* b = tsh_tensor_data(want);
  switch (tsh_tensor_dtype(want)) {
    case TSH_FLOAT:
      return Close<uint32_t>(static_cast<float*>(a)[i], static_cast<float*>(b)[i], t.ulp,
                             t.relative_float);
    case TSH_DOUBLE:
      return Close<uint64_t>(static_cast<double*>(a)[i], static_cast<double*>(b)[i], t.ulp,
                             t.relative_double);
    case TSH_STRING: {
      size_t m = 0, n = 0;
      const char* x = tsh_tensor_string(got, i, &m);
      const char* y = tsh_tensor_string(want, i, &n);
      return std::string_view(x, m) == std::string_view(y, n);
    }
    default:
      return SameOther(tsh_tensor_dtype(want), a, b, i, t);
  }
}

std::string TypeAndShape(tsh_tensor* t) {
  return std::string(tsh_dtype_name(tsh_tensor_dtype(t))) +
         FormatShape(tsh_tensor_dims(t), tsh_tensor_rank(t));
}

}  // namespace

// On a GPU, functions and the order of sums are CUDA's.
Tolerance OnThisDevice(Tolerance t) {
  static const char* mode = std::getenv("TENSH_MODE");
  if (!mode || std::string_view(mode) != "gpu") return t;
  t.ulp = std::max(t.ulp, 16);
  t.relative_float = std::max(t.relative_float, 4e-5);
  t.relative_double = std::max(t.relative_double, 1e-11);
  return t;
}

Tolerance ToleranceOf(std::string_view op) {
  for (const Row& row : kRows) {
    if (row.op == op) return OnThisDevice(row.tolerance);
  }
  // Optimizers: TensorFlow's compiler fuses a product and a sum into one rounding in whole vectors,
  // but not after the last one.
  if (op.find("Apply") != std::string_view::npos)
    return OnThisDevice(
        {.ulp = 4, .relative_float = 1e-6, .relative_double = 1e-15, .cancels = true});
  return OnThisDevice({});
}

std::string Difference(tsh_tensor* got, tsh_tensor* want, const Tolerance& tolerance,
                       int64_t* index) {
  *index = -1;
  const std::string have = TypeAndShape(got), expected = TypeAndShape(want);
  if (have != expected) return "got " + have + ", want " + expected;
  const int64_t n = tsh_tensor_elements(want);
  int64_t bad = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (SameElement(got, want, i, tolerance)) continue;
    if (bad++ == 0) *index = i;
  }
  if (bad == 0) return {};
  return std::to_string(bad) + " of " + std::to_string(n) + " elements differ, first at " +
         std::to_string(*index) + ": got " + FormatElement(got, *index) + ", want " +
         FormatElement(want, *index);
}

}  // namespace tensh::oracle
