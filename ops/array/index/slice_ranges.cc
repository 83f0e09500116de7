#include "ops/array/index/slice_ranges.h"

#include <algorithm>

#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

constexpr int kNewAxis = -2, kShrunk = -1;
constexpr int64_t kMaxSpec = 32;  // number of bits in a mask

// The specification expanded to one entry per dimension of the input.
struct Dense {
  struct Dim {
    int64_t begin = 0, end = 0, stride = 1;
    bool begin_masked = true, end_masked = true, shrink = false;
  };
  PerDim<Dim> dims;
  // Numbers of input dimensions, kNewAxis or kShrunk. Parts that name no dimension add to them.
  int final_dims[Shape::kMaxRank + kMaxSpec];
  int n_final = 0;
};

bool Bit(int64_t mask, int64_t i) { return mask >> i & 1; }

Status CheckSpec(const Tensor* begin, const Tensor* end, const Tensor& strides,
                 const SliceMasks& masks) {
  auto shape_of = [&](const Tensor* t) { return t ? t->shape() : strides.shape(); };
  if (!IsVector(strides) || !(shape_of(begin) == strides.shape()) ||
      !(shape_of(end) == strides.shape()))
    return InvalidArgument(
        "Expected begin, end, and strides to be 1D equal size tensors, but got "
        "shapes ",
        shape_of(begin), ", ", shape_of(end), ", and ", strides.shape(), " instead.");
  if (strides.num_elements() >= kMaxSpec)
    return InvalidArgument("A slice of ", strides.num_elements(), " parts; at most ", kMaxSpec - 1,
                           " are possible");
  const auto ellipsis = static_cast<uint64_t>(masks.ellipsis);
  if (ellipsis & (ellipsis - 1))
    return InvalidArgument("Multiple ellipses in slice spec not allowed");
  return {};
}

Result<Dense> MakeDense(int rank, const Tensor* begin, const Tensor* end, const Tensor& strides,
                        const SliceMasks& masks) {
  int64_t n = strides.num_elements();
  int64_t ellipsis = masks.ellipsis ? __builtin_ctzll(static_cast<uint64_t>(masks.ellipsis)) : n;
  if (ellipsis >= n) ellipsis = n, n += 1;  // an ellipsis is implied at the end
  int64_t new_after = 0;
  for (int64_t i = ellipsis + 1; i < n; ++i) new_after += Bit(masks.new_axis, i);
  Dense dense;
  dense.dims = PerDim<Dense::Dim>(rank);
  int full = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (i == ellipsis) {
      int64_t next = std::min<int64_t>(rank - (n - i) + 1 + new_after, rank);
      for (; full < next; ++full) dense.final_dims[dense.n_final++] = full;
    } else if (Bit(masks.new_axis, i)) {
      dense.final_dims[dense.n_final++] = kNewAxis;
    } else {
      if (full == rank)
        return InvalidArgument("Index out of range using input dim ", full, "; input has only ",
                               rank, " dims");
      Dense::Dim& d = dense.dims[full];
      if (begin) d.begin = IndexAt(*begin, i);
      if (end) d.end = IndexAt(*end, i);
      d.stride = IndexAt(strides, i);
      d.begin_masked = Bit(masks.begin, i);
      d.end_masked = Bit(masks.end, i);
      d.shrink = Bit(masks.shrink, i);
      dense.final_dims[dense.n_final++] = d.shrink ? kShrunk : full;
      ++full;
    }
  }
  return dense;
}

// Returns begin or end clamped to [low, high]; a negative value counts from the end.
int64_t Canonical(int64_t x, int64_t extent, int64_t low, int64_t high) {
  return std::clamp(x < 0 ? extent + x : x, low, high);
}

Status ResolveDim(int i, const Dense::Dim& d, int64_t extent, bool known, ResolvedSlice& out) {
  if (d.stride == 0) return InvalidArgument("strides[", i, "] must be non-zero");
  out.begin[i] = 0;
  out.stride[i] = d.stride;
  out.sizes.set_dim(i, d.shrink ? 1 : Shape::kUnknownDim);
  if (extent < 0) return {};
  if (d.shrink && d.stride <= 0)
    return InvalidArgument("only stride 1 allowed on non-range indexing.");
  bool both_masked = d.begin_masked && d.end_masked;
  if (!known && (d.shrink || !both_masked)) return {};
  if (d.shrink) {
    int64_t at = d.begin < 0 ? extent + d.begin : d.begin;
    if (at < 0 || at >= extent)
      return InvalidArgument("slice index ", d.begin, " of dimension ", i, " out of bounds.");
    out.begin[i] = at;
    return {};
  }
  int64_t low = d.stride > 0 ? 0 : -1, high = d.stride > 0 ? extent : extent - 1;
  int64_t first = d.stride > 0 ? low : high, last = d.stride > 0 ? high : low;
  int64_t begin = d.begin_masked ? first : Canonical(d.begin, extent, low, high);
  int64_t end = d.end_masked ? last : Canonical(d.end, extent, low, high);
  int64_t interval = end - begin;
  out.begin[i] = begin;
  bool empty = interval == 0 || (interval < 0) != (d.stride < 0);
  out.sizes.set_dim(i, empty ? 0 : interval / d.stride + (interval % d.stride != 0));
  // With at most one element the stride is never used. Any value is allowed, so it is set to 1 to
  // keep huge values out of the arithmetic that follows.
  if (out.sizes[i] <= 1) out.stride[i] = 1;
  return {};
}

}  // namespace

SliceMasks SliceMasks::From(Attrs attrs) {
  return {attrs.Int("begin_mask"), attrs.Int("end_mask"), attrs.Int("ellipsis_mask"),
          attrs.Int("new_axis_mask"), attrs.Int("shrink_axis_mask")};
}

std::vector<NamedAttr> SliceMasks::ToAttrs() const {
  return {{"begin_mask", begin},
          {"end_mask", end},
          {"ellipsis_mask", ellipsis},
          {"new_axis_mask", new_axis},
          {"shrink_axis_mask", shrink}};
}

Result<ResolvedSlice> ResolveSlice(const Shape& in, const Tensor* begin, const Tensor* end,
                                   const Tensor& strides, const SliceMasks& masks) {
  TENSH_RETURN_IF_ERROR(CheckSpec(begin, end, strides, masks));
  TENSH_ASSIGN(Dense dense, MakeDense(in.rank(), begin, end, strides, masks));
  ResolvedSlice out;
  out.sizes = in;
  out.begin = out.stride = PerDim<int64_t>(in.rank());
  for (int i = 0; i < in.rank(); ++i)
    TENSH_RETURN_IF_ERROR(ResolveDim(i, dense.dims[i], in[i], begin && end, out));
  int64_t dims[Shape::kMaxRank + kMaxSpec];
  size_t rank = 0;
  for (int i = 0; i < dense.n_final; ++i) {
    const int from = dense.final_dims[i];
    if (from != kShrunk) dims[rank++] = from == kNewAxis ? 1 : out.sizes[from];
  }
  TENSH_ASSIGN(out.final_shape, Shape::Make({dims, rank}, false));
  return out;
}

}  // namespace tensh::ops
