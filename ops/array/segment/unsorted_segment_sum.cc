// UnsortedSegmentSum: sums of slices by segment id, in any order.
#include <algorithm>

#include "ops/array/segment/segment_ids.h"
#include "ops/op_file.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

struct UnsortedSegmentSum {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &data = c.in(0), &ids = c.in(1);
    TENSH_ASSIGN(Shape shape, UnsortedSegmentOutput(data, ids, c.in(2)));
    const int64_t segments = shape[0];
    TENSH_OUTPUT(out, c.Output(0, shape));
    std::fill_n(out->data<T>(), out->num_elements(), T());
    int64_t n = ids.num_elements(), run = n ? data.num_elements() / n : 0;
    const T* from = data.data<T>();
    for (int64_t i = 0; i < n; ++i) {
      int64_t segment = IndexAt(ids, i);
      if (segment < 0) continue;
      if (segment >= segments)
        return InvalidArgument("segment_ids[", i, "] = ", segment, " is out of range [0, ",
                               segments, ")");
      Add(out->data<T>() + segment * run, from + i * run, run);
    }
    return {};
  }
  template <class T>
  static void Add(T* to, const T* from, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (std::is_integral_v<T>)
        to[i] = static_cast<T>(static_cast<uint64_t>(to[i]) + static_cast<uint64_t>(from[i]));
      else
        to[i] += from[i];
    }
  }
};

// Row i of the gradient is the row of its segment, or zero if the segment id is negative.
Status UnsortedSegmentGrad(GradScope& g) {
  Out ids = g.x(1);
  Out zeros = g.Op("ZerosLike", {ids}, {}, "zeros_like");
  Out clipped = g.Op("Maximum", {ids, zeros});
  Out rows = g.Op("GatherV2", {g.dy(0), clipped, ConstInt(g, 0, "GatherV2/axis")});
  Out zero = ConstInt(g, 0, "GreaterEqual/y", g.dtype(ids));
  Out taken = g.Op("GreaterEqual", {ids, zero});
  Out missing = g.Op("Sub", {RankOf(g, rows, "Rank"), RankOf(g, ids, "Rank_1")}, {}, "sub");
  Out count = Pack(g, {missing}, "ones/packed");
  Out ones = g.Op("Fill", {count, ConstInt(g, 1, "ones/Const")}, {}, "ones");
  Out shape = Concat(g, {g.Op("Shape", {ids}), ones}, ConstInt(g, 0, "concat/axis"));
  taken = g.Op("Reshape", {taken, shape});
  Out none = g.Op("ZerosLike", {rows}, {}, "zeros_like_1");
  return g.Return({g.Op("SelectV2", {taken, rows, none}), {}, {}});
}

}  // namespace

TENSH_OPS(array_segment_unsorted_segment_sum) {
  r.Op({.name = "UnsortedSegmentSum",
        .inputs = "data: T, segment_ids: Tindices, num_segments: Tnumsegments",
        .outputs = "output: T",
        .attrs = StrCat("T: ", kNumberTypes,
                        ", Tindices: {int16, int32, int64}, Tnumsegments: {int32, int64} = int32"),
        .doc =
            "Sums of slices by segment. Slice i of data, of type T, is added to slice "
            "segment_ids[i] of output, which has num_segments slices. Slices with negative ids are "
            "skipped. Tindices and Tnumsegments are the types of segment_ids and num_segments.",
        .contract = "num_segments: scalar",
        .shape = UnsortedSegmentShape,
        .grad = UnsortedSegmentGrad,
        .examples = {{"tf.unsorted_segment_sum([1, 2, 3], [0, 1, 0], 2)", "[4 2]"}}})
      .Cpu<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
           std::complex<float>, std::complex<double>>(UnsortedSegmentSum{});
}

}  // namespace tensh::ops
