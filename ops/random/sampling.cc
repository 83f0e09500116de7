// Multinomial: draws classes by their logits. The random stream is TensorFlow's, number for number.
#include <algorithm>
#include <cmath>

#include "ops/op_file.h"
#include "ops/random/random_inputs.h"
#include "ops/support/op_types.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {

Result<Draws> ReadDraws(KernelCtx& c) {
  const Tensor& logits = c.in(0);
  const Draws d{logits.dim(0), logits.dim(1), IndexAt(c.in(1), 0)};
  if (d.samples < 0) return InvalidArgument("num_samples should be nonnegative, got ", d.samples);
  if (d.classes <= 0) return InvalidArgument("num_classes should be positive, got ", d.classes);
  return d;
}

namespace {

double NextDouble(Philox32& bits) {
  const uint32_t high = bits.Next(), low = bits.Next();
  return UnitDouble(high, low);
}

// Stores the cumulative sums of exp(logit - max). Non-finite logits count as probability 0.
template <class T>
double Cumulate(const T* logits, int64_t n, std::vector<double>& sums) {
  T most = std::numeric_limits<T>::lowest();
  for (int64_t i = 0; i < n; ++i)
    if (std::isfinite(logits[i])) most = std::max(most, logits[i]);
  double total = 0;
  sums.resize(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) {
    if (std::isfinite(logits[i]))
      total += std::exp(static_cast<double>(logits[i]) - static_cast<double>(most));
    sums[static_cast<size_t>(i)] = total;
  }
  return total;
}

template <class T>
Status Draw(KernelCtx& c, const Draws& d, const Philox& start) {
  const int64_t dims[] = {d.rows, d.samples};
  TENSH_ASSIGN(Shape shape, Shape::Make(dims, true));
  TENSH_OUTPUT(out, c.Output(0, shape));
  if (!out->num_elements()) return {};
  Philox32 bits(start);
  std::vector<double> sums;
  for (int64_t r = 0; r < d.rows && !c.cancelled(); ++r) {
    const double total = Cumulate(c.in(0).data<T>() + r * d.classes, d.classes, sums);
    for (int64_t i = 0; i < d.samples; ++i) {
      if (i % 4096 == 0 && c.cancelled()) break;
      const double find = NextDouble(bits) * total;
      const int64_t at = std::upper_bound(sums.begin(), sums.end(), find) - sums.begin();
      if (out->dtype() == DType::kInt64)
        out->data<int64_t>()[r * d.samples + i] = at;
      else
        out->data<int32_t>()[r * d.samples + i] = static_cast<int32_t>(at);
    }
  }
  return {};
}

struct Multinomial {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const Draws d, ReadDraws(c));
    if (d.rows == 0 || d.samples == 0) return Draw<T>(c, d, {});
    return Draw<T>(c, d, c.state<RandomState>().generator->Reserve(d.reserved()));
  }
};

struct StatelessMultinomial {
  template <class T>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const Draws d, ReadDraws(c));
    const PhiloxPlace place = PlaceOfSeed(c.in(2));
    return Draw<T>(c, d, place.Start());
  }
};

Status MultinomialShape(ShapeCtx& c) {
  const std::optional<int64_t> samples = ConstantScalar(c, 1);
  if (samples && *samples < 0)
    return InvalidArgument("Dimension size, given by scalar input 1, must be non-negative but is ",
                           *samples);
  c.Set(0, Shape({c.in(0).has_rank() ? c.in(0)[0] : -1, samples.value_or(-1)}));
  return {};
}

}  // namespace

TENSH_OPS(random_sampling) {
  r.Op({.name = "Multinomial",
        .inputs = "logits: T, num_samples: int32",
        .outputs = "output: output_dtype",
        .attrs = StrCat("seed: int = 0, seed2: int = 0, ", TENSH_REALS,
                        ", output_dtype: {int32, int64} = int64"),
        .doc = "Draws classes by logits. logits: one row per distribution. num_samples: the number "
               "of classes to draw for each row. seed, seed2: determine the random stream unless "
               "both are 0. T: the type of logits. output_dtype: the type of the result.",
        .contract = "logits: matrix, num_samples: scalar",
        .shape = MultinomialShape,
        .no_gradient = true,
        .stateful = true,
        .examples = {{"tf.multinomial([[0., -1e30]], 3, seed=1)", "[[0 0 0]]"}}})
      .Cpu<float, double>(Multinomial{}, {.prepare = PrepareRandom});
  r.Op({.name = "StatelessMultinomial",
        .inputs = "logits: T, num_samples: int32, seed: Tseed",
        .outputs = "output: output_dtype",
        .attrs = StrCat(TENSH_REALS,
                        ", Tseed: {int32, int64} = int64, output_dtype: {int32, int64} = int64"),
        .doc =
            "Draws classes by logits, as a function of the seed. logits: one row per distribution. "
            "num_samples: the number of classes to draw for each row. seed: two integers of type "
            "Tseed. T: the type of logits. output_dtype: the type of the result.",
        .contract = "logits: matrix, num_samples: scalar, seed: vector of 2",
        .shape = MultinomialShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.StatelessMultinomial(logits=[[0., -1e30]], num_samples=3, "
                      "seed=[1, 2])",
                      "[[0 0 0]]"}}})
      .Cpu<float, double>(StatelessMultinomial{});
}

}  // namespace tensh::ops
