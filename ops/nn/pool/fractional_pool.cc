// FractionalMaxPool and FractionalAvgPool: pooling over regions of random sizes, each the integer
// part of the pooling ratio or one more. The sequence of regions is TensorFlow's, number for
// number.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/op_file.h"
#include "ops/support/philox.h"
#include "ops/support/shape_util.h"
#include "ops/support/stop.h"
#include "ops/support/wrap.h"
#include "runtime/base/random.h"

namespace tensh::ops {
namespace {

struct PoolState : KernelState {
  float row_ratio = 1, column_ratio = 1;
  bool pseudo_random = false, overlapping = false;
  uint64_t seed = 0, seed2 = 0;  // if both are 0, each step draws another sequence
};

Status ReadRatio(Attrs attrs, PoolState& s) {
  const auto& ratio = attrs.Get<AttrValue::Floats>("pooling_ratio");
  if (ratio.size() != 4)
    return InvalidArgument("pooling_ratio field must specify 4 dimensions, got ", ratio.size());
  for (float r : ratio)
    if (!(r >= 1)) return InvalidArgument("pooling_ratio cannot be smaller than 1, got: ", r);
  s.row_ratio = ratio[1];
  s.column_ratio = ratio[2];
  return {};
}

Result<std::unique_ptr<KernelState>> PreparePool(PrepareCtx& c) {
  auto s = std::make_unique<PoolState>();
  TENSH_RETURN_IF_ERROR(ReadRatio(c.attrs(), *s));
  const auto& ratio = c.attrs().Get<AttrValue::Floats>("pooling_ratio");
  if (ratio[0] != 1 || ratio[3] != 1)
    return Unimplemented(
        "Fractional pooling is not yet supported on the batch nor channel dimension.");
  s->pseudo_random = c.attrs().Bool("pseudo_random");
  s->overlapping = c.attrs().Bool("overlapping");
  s->seed = static_cast<uint64_t>(c.attrs().Int("seed"));
  s->seed2 = static_cast<uint64_t>(c.attrs().Int("seed2"));
  if (!c.attrs().Bool("deterministic")) {
    if (s->seed || s->seed2)
      return InvalidArgument("Both seed and seed2 should be 0 if deterministic is false.");
  } else if (!s->seed && !s->seed2) {
    s->seed = (SystemRandom() >> 1) + 1;
  }
  return {std::move(s)};
}

Result<std::unique_ptr<KernelState>> PreparePoolGrad(PrepareCtx& c) {
  auto s = std::make_unique<PoolState>();
  s->overlapping = c.attrs().Bool("overlapping");
  return {std::move(s)};
}

// ---- regions ----

int64_t OutExtent(int64_t in, float ratio) {
  return static_cast<int64_t>(std::floor(static_cast<float>(in) / ratio));
}

// Draws the sizes of `out` regions of `in` elements from a single random number, following Graham
// (arXiv:1412.6071).
void PseudoRandomSizes(int64_t in, Philox32 bits, std::span<int64_t> sizes) {
  const double n = static_cast<double>(sizes.size());
  const double alpha = static_cast<double>(in) / n;
  const int64_t least = in / static_cast<int64_t>(sizes.size());
  // Limits the random number so that the first and the last region, too, are at most one element
  // larger than the smallest size.
  const double most_first = static_cast<double>(least + 2) / alpha - 1;
  const double most_last = static_cast<double>(in + 1 - least) / alpha - (n - 1);
  const uint32_t high = bits.Next(), low = bits.Next();
  const double u = UnitDouble(high, low) * std::min(most_first, most_last);
  int64_t before = 1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t end =
        i + 1 == sizes.size()
            ? in + 1
            : static_cast<int64_t>(std::ceil(alpha * (static_cast<double>(i + 1) + u)));
    sizes[i] = end - before;
    before = end;
  }
}

void RandomSizes(int64_t in, Philox32 bits, std::span<int64_t> sizes) {
  const size_t n = sizes.size(), larger = static_cast<size_t>(in) % n;
  std::fill(sizes.begin(), sizes.end(), in / static_cast<int64_t>(n));
  for (size_t i = 0; i < larger; ++i) ++sizes[i];
  for (size_t i = 0; i + 1 < n; ++i)
    std::swap(sizes[i], sizes[i + bits.Next() % static_cast<uint32_t>(n - i)]);
}

// Stores the start of each region, followed by the end of the last.
void DrawRegions(const PoolState& s, int64_t in, Philox& philox, Tensor& begins) {
  int64_t* to = begins.data<int64_t>();
  const size_t n = static_cast<size_t>(begins.num_elements() - 1);
  const std::span<int64_t> sizes(to + 1, n);
  if (s.pseudo_random) {
    PseudoRandomSizes(in, Philox32(philox), sizes);
    philox.Skip(1);
  } else {
    RandomSizes(in, Philox32(philox), sizes);
    philox.Skip((n + 3) / 4);
  }
  to[0] = 0;
  for (size_t i = 1; i <= n; ++i) to[i] += to[i - 1];
}

// The regions along one dimension. Region i is the closed range [first, last].
struct Regions {
  std::span<const int64_t> begins;
  int64_t extent;
  bool overlapping;
  int64_t count() const { return static_cast<int64_t>(begins.size()) - 1; }
  int64_t first(int64_t i) const { return begins[static_cast<size_t>(i)]; }
  int64_t last(int64_t i) const {
    const int64_t next = begins[static_cast<size_t>(i + 1)];
    return std::min(overlapping ? next : next - 1, extent - 1);
  }
  int64_t size(int64_t i) const { return last(i) - first(i) + 1; }
};

// Reads input i as the regions of an extent. Returns InvalidArgument if it is not a valid sequence.
Result<Regions> ReadRegions(KernelCtx& c, int i, int64_t extent, int64_t count, const char* name) {
  const Regions regions{c.in(i).flat<int64_t>(), extent, c.state<PoolState>().overlapping};
  if (regions.count() != count)
    return InvalidArgument("Input ", name, " must have one element more than the output has in ",
                           "this dimension, got ", regions.count() + 1, " for ", count);
  for (int64_t r = 0; r < count; ++r)
    if (regions.first(r) < 0 || regions.first(r) >= extent ||
        regions.begins[static_cast<size_t>(r + 1)] <= regions.first(r))
      return InvalidArgument(name, " must grow from 0 and end at ", extent, ", got ",
                             regions.first(r), " and ", regions.begins[static_cast<size_t>(r + 1)]);
  return regions;
}

struct Pool {
  int64_t batch, channels;
  Regions rows, columns;
  int64_t outputs() const { return rows.count() * columns.count(); }
};

// For each region of images [begin, end), calls Begin(output pixel, number of pixels), then
// fn(output pixel, input pixel) for each pixel. Pixels are given by the offset of their first
// channel.
template <class Begin, class Fn>
void ForEachPixel(const Pool& p, int64_t begin, int64_t end, Begin at_region, Fn fn) {
  for (int64_t o = begin * p.outputs(); o < end * p.outputs(); ++o) {
    StopIfCancelled();
    const int64_t q = o % p.columns.count(), r = o / p.columns.count() % p.rows.count();
    const int64_t image = o / p.outputs() * p.rows.extent;
    at_region(o * p.channels, p.rows.size(r) * p.columns.size(q));
    for (int64_t i = p.rows.first(r); i <= p.rows.last(r); ++i)
      for (int64_t j = p.columns.first(q); j <= p.columns.last(q); ++j)
        fn(o * p.channels, ((image + i) * p.columns.extent + j) * p.channels);
  }
}

// ---- forward ----

template <class T>
struct MaxOf {
  static void Begin(T* to, int64_t n) { std::fill_n(to, n, std::numeric_limits<T>::lowest()); }
  static void Take(T* to, const T* from, int64_t n) {
    for (int64_t k = 0; k < n; ++k) to[k] = from[k] > to[k] ? from[k] : to[k];
  }
  static void End(T*, int64_t, int64_t) {}
};

template <class T>
struct MeanOf {
  static void Begin(T* to, int64_t n) { std::fill_n(to, n, T{0}); }
  static void Take(T* to, const T* from, int64_t n) {
    for (int64_t k = 0; k < n; ++k) to[k] = WrapAdd(to[k], from[k]);
  }
  static void End(T* to, int64_t n, int64_t pixels) {
    for (int64_t k = 0; k < n; ++k) to[k] /= static_cast<T>(pixels);
  }
};

template <template <class> class Reduce>
struct Forward {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const auto& s = c.state<PoolState>();
    const Tensor& value = c.in(0);
    const float ratio[] = {1, s.row_ratio, s.column_ratio, 1};
    for (int d = 0; d < 4; ++d)
      if (static_cast<float>(value.dim(d)) < ratio[d])
        return InvalidArgument("Pooling ratio is higher than input dimension size for dimension ",
                               d, ". Input dim size: ", value.dim(d), " pooling ratio: ", ratio[d]);
    const int64_t rows = OutExtent(value.dim(1), s.row_ratio);
    const int64_t columns = OutExtent(value.dim(2), s.column_ratio);
    TENSH_OUTPUT(row_begins, c.Output(1, Shape({rows + 1})));
    TENSH_OUTPUT(column_begins, c.Output(2, Shape({columns + 1})));
    Philox philox =
        Generator(static_cast<int64_t>(s.seed), static_cast<int64_t>(s.seed2)).Reserve(0);
    DrawRegions(s, value.dim(1), philox, *row_begins);
    DrawRegions(s, value.dim(2), philox, *column_begins);
    TENSH_OUTPUT(out, c.Output(0, Shape({value.dim(0), rows, columns, value.dim(3)})));
    if (!out->num_elements()) return {};
    const Pool p{value.dim(0),
                 value.dim(3),
                 {row_begins->flat<int64_t>(), value.dim(1), s.overlapping},
                 {column_begins->flat<int64_t>(), value.dim(2), s.overlapping}};
    Run<T>(c, p, value.data<T>(), out->data<T>());
    return {};
  }

 private:
  template <class T>
  static void Run(KernelCtx& c, const Pool& p, const T* in, T* out) {
    using R = Reduce<T>;
    const double cost = static_cast<double>(p.rows.extent * p.columns.extent * p.channels);
    c.ParallelFor(p.batch, cost, [&](int64_t begin, int64_t end) {
      const StopsWith step(c.cancel());
      ForEachPixel(
          p, begin, end, [&](int64_t o, int64_t) { R::Begin(out + o, p.channels); },
          [&](int64_t o, int64_t i) { R::Take(out + o, in + i, p.channels); });
      for (int64_t o = begin * p.outputs(); o < end * p.outputs(); ++o)
        R::End(out + o * p.channels, p.channels,
               p.rows.size(o / p.columns.count() % p.rows.count()) *
                   p.columns.size(o % p.columns.count()));
    });
  }
};

Status PoolShape(ShapeCtx& c) {
  PoolState s;
  TENSH_RETURN_IF_ERROR(ReadRatio(c.attrs(), s));
  const Shape in = c.in(0).has_rank() ? c.in(0) : Shape::UnknownOfRank(4);
  const int64_t rows = in[1] < 0 ? -1 : OutExtent(in[1], s.row_ratio);
  const int64_t columns = in[2] < 0 ? -1 : OutExtent(in[2], s.column_ratio);
  c.Set(0, Shape({in[0], rows, columns, in[3]}));
  c.Set(1, Shape({rows < 0 ? -1 : rows + 1}));
  c.Set(2, Shape({columns < 0 ? -1 : columns + 1}));
  return {};
}

// ---- gradients ----

Status MakePoolGrad(KernelCtx& c, const Shape& in, const Tensor& dy, int regions, Pool& p) {
  if (dy.dim(0) != in[0] || dy.dim(3) != in[3])
    return InvalidArgument("out_backprop ", dy.shape(), " does not fit the input ", in);
  p.batch = in[0];
  p.channels = in[3];
  TENSH_ASSIGN(p.rows, ReadRegions(c, regions, in[1], dy.dim(1), "row_pooling_sequence"));
  TENSH_ASSIGN(p.columns, ReadRegions(c, regions + 1, in[2], dy.dim(2), "col_pooling_sequence"));
  return {};
}

struct MaxGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    const Tensor &in = c.in(0), &most = c.in(1), &dy = c.in(2);
    if (most.shape() != dy.shape())
      return InvalidArgument("orig_output and out_backprop must have one shape, got ", most.shape(),
                             " and ", dy.shape());
    Pool p{};
    TENSH_RETURN_IF_ERROR(MakePoolGrad(c, in.shape(), dy, 3, p));
    TENSH_OUTPUT(out, c.Output(0, in.shape()));
    T* dx = out->data<T>();
    std::fill_n(dx, out->num_elements(), T{0});
    if (!dy.num_elements()) return {};
    std::vector<int64_t> place(static_cast<size_t>(dy.num_elements()), -1);
    const T* x = in.data<T>();
    ForEachPixel(
        p, 0, p.batch, [](int64_t, int64_t) {},
        [&](int64_t o, int64_t i) {
          for (int64_t k = 0; k < p.channels; ++k) {
            int64_t& at = place[static_cast<size_t>(o + k)];
            if (at < 0 || x[i + k] > x[at]) at = i + k;
          }
        });
    for (size_t o = 0; o < place.size(); ++o) {
      const int64_t at = place[o];
      if (at < 0 || !(x[at] == most.data<T>()[o]))
        return InvalidArgument("tensor_out_dup is not the same as tensor_out: orig_output is not ",
                               "the result of orig_input with these sequences");
      dx[at] = WrapAdd(dx[at], dy.data<T>()[o]);
    }
    return {};
  }
};

struct MeanGrad {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const Shape in, ShapeFromTensor(c.in(0)));
    const Tensor& dy = c.in(1);
    Pool p{};
    TENSH_RETURN_IF_ERROR(MakePoolGrad(c, in, dy, 2, p));
    TENSH_OUTPUT(out, c.Output(0, in));
    TENSH_ASSIGN(Tensor sums, Tensor::Make(DType::kDouble, in, c.allocator()));
    double* sum = sums.data<double>();
    const int64_t n = out->num_elements();
    std::fill_n(sum, n, 0.0);
    double pixels = 1;
    if (dy.num_elements())
      ForEachPixel(
          p, 0, p.batch, [&](int64_t, int64_t size) { pixels = static_cast<double>(size); },
          [&](int64_t o, int64_t i) {
            for (int64_t k = 0; k < p.channels; ++k)
              sum[i + k] += static_cast<double>(dy.data<T>()[o + k]) / pixels;
          });
    for (int64_t i = 0; i < n; ++i) out->data<T>()[i] = static_cast<T>(sum[i]);
    return {};
  }
};

Status MaxGradShape(ShapeCtx& c) {
  c.Set(0, c.in(0).has_rank() ? c.in(0) : Shape::UnknownOfRank(4));
  return {};
}

Status MeanGradShape(ShapeCtx& c) {
  TENSH_ASSIGN(const Shape out, ShapeInput(c, 0));
  c.Set(0, c.constant(0) || out.rank() == 4 ? out : Shape::UnknownOfRank(4));
  return {};
}

std::vector<NamedAttr> Overlapping(GradScope& g) {
  return {{"overlapping", g.attrs().Bool("overlapping")}};
}

Status MaxPoolGradient(GradScope& g) {
  return g.Return(
      {g.Op("FractionalMaxPoolGrad", {g.x(0), g.y(0), g.dy(), g.y(1), g.y(2)}, Overlapping(g))});
}

Status MeanPoolGradient(GradScope& g) {
  return g.Return(
      {g.Op("FractionalAvgPoolGrad", {ShapeOf(g, g.x(0), DType::kInt64), g.dy(), g.y(1), g.y(2)},
            Overlapping(g))});
}

constexpr char kOutputs[] = "output: T, row_pooling_sequence: int64, col_pooling_sequence: int64";
constexpr char kAttrs[] =
    "pooling_ratio: list(float) >= 4, pseudo_random: bool = false, overlapping: bool = false, "
    "deterministic: bool = false, seed: int = 0, seed2: int = 0, T: {float, double, int32, int64}";
constexpr char kDoc[] =
    " value: images [batch, rows, columns, channels] of type T. pooling_ratio: the ratio of input "
    "and output size in each dimension; 1 for batch and channels. pseudo_random: derive all "
    "regions from one random number, otherwise draw each size. overlapping: neighbors share the "
    "elements on their border. deterministic: use the same regions in every step, determined by "
    "seed and seed2. row_pooling_sequence, col_pooling_sequence: the starts of the regions, and "
    "the end of the last.";
constexpr char kGradAttrs[] = "overlapping: bool = false, T: {float, double, int32, int64}";
constexpr char kGradDoc[] =
    " out_backprop: the incoming gradient, of type T. row_pooling_sequence, col_pooling_sequence, "
    "overlapping: the regions, as the op returned them.";

}  // namespace

TENSH_OPS(nn_pool_fractional_pool) {
  constexpr KernelOptions kPool = {.prepare = PreparePool}, kGrad = {.prepare = PreparePoolGrad};
  const char* const ratio = "(value=[[[[1], [5]], [[7], [3]]]], pooling_ratio=[1., 2., 2., 1.])[0]";
  r.Op({.name = "FractionalMaxPool",
        .inputs = "value: T",
        .outputs = kOutputs,
        .attrs = kAttrs,
        .doc = StrCat("The largest element of each region of images.", kDoc),
        .contract = "value: rank 4",
        .shape = PoolShape,
        .grad = MaxPoolGradient,
        .examples = {{StrCat("tf.raw_ops.FractionalMaxPool", ratio), "[[[[7]]]]"}}})
      .Cpu<float, double, int32_t, int64_t>(Forward<MaxOf>{}, kPool);
  r.Op({.name = "FractionalMaxPoolGrad",
        .inputs = "orig_input: T, orig_output: T, out_backprop: T, row_pooling_sequence: int64, "
                  "col_pooling_sequence: int64",
        .outputs = "output: T",
        .attrs = kGradAttrs,
        .doc = StrCat("The gradient of FractionalMaxPool. orig_input, orig_output: its input and "
                      "output.",
                      kGradDoc),
        .contract = "orig_input: rank 4, orig_output: rank 4 at run, out_backprop: rank 4 at run, "
                    "row_pooling_sequence: vector at run, col_pooling_sequence: vector at run",
        .shape = MaxGradShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.FractionalMaxPoolGrad(orig_input=[[[[1], [5]]]], "
                      "orig_output=[[[[5]]]], out_backprop=[[[[2]]]], row_pooling_sequence=[0, 1], "
                      "col_pooling_sequence=[0, 2])[0, 0]",
                      "[[0]\n [2]]"}}})
      .Cpu<float, double, int32_t, int64_t>(MaxGrad{}, kGrad);
  r.Op({.name = "FractionalAvgPool",
        .inputs = "value: T",
        .outputs = kOutputs,
        .attrs = kAttrs,
        .doc = StrCat("The mean of each region of images.", kDoc),
        .contract = "value: rank 4",
        .shape = PoolShape,
        .grad = MeanPoolGradient,
        .examples = {{StrCat("tf.raw_ops.FractionalAvgPool", ratio), "[[[[4]]]]"}}})
      .Cpu<float, double, int32_t, int64_t>(Forward<MeanOf>{}, kPool);
  r.Op({.name = "FractionalAvgPoolGrad",
        .inputs = "orig_input_tensor_shape: int64, out_backprop: T, row_pooling_sequence: int64, "
                  "col_pooling_sequence: int64",
        .outputs = "output: T",
        .attrs = kGradAttrs,
        .doc = StrCat("The gradient of FractionalAvgPool. orig_input_tensor_shape: the shape of "
                      "its input.",
                      kGradDoc),
        .contract = "orig_input_tensor_shape: vector of 4 >= 0 at run, "
                    "out_backprop: rank 4 at run, "
                    "row_pooling_sequence: vector at run, col_pooling_sequence: vector at run",
        .shape = MeanGradShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.FractionalAvgPoolGrad(orig_input_tensor_shape=[1, 1, 2, 1], "
                      "out_backprop=[[[[2.]]]], row_pooling_sequence=[0, 1], "
                      "col_pooling_sequence=[0, 2])[0, 0]",
                      "[[1.]\n [1.]]"}}})
      .Cpu<float, double, int32_t, int64_t>(MeanGrad{}, kGrad);
}

}  // namespace tensh::ops
