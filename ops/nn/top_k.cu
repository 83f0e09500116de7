// TopK and InTopK. A few elements of a row are found one after the other by a team of threads; for
// many, the rows are sorted.
#include <bit>

#include "devices/cuda/cuda_sort.h"
#include "ops/nn/top_dims.h"

namespace tensh::cuda {
namespace {

// A candidate and its index; a negative index means none.
template <class T>
struct Found {
  T value;
  int64_t at;

  // True if this candidate comes first in the output: larger values first, the lower index first
  // among equals, NaN last.
  TENSH_DEVICE bool Before(const Found& other) const {
    if (at < 0 || other.at < 0) return at >= 0;
    const bool nan = value != value, other_nan = other.value != other.value;
    if (nan != other_nan) return other_nan;
    if (!nan && value != other.value) return value > other.value;
    return at < other.at;
  }
};

// Sends floats and integers to numbers whose ascending order is that of the output.
template <class T>
TENSH_DEVICE uint64_t KeyOf(T x) {
  using Word = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  constexpr Word kSign = Word{1} << (8 * sizeof(T) - 1);
  if (x != x) return Word(-1);
  if (x == T(0)) x = T(0);  // -0 equals 0
  Word bits;
  memcpy(&bits, &x, sizeof bits);
  if (std::is_integral_v<T> || !(bits & kSign)) return static_cast<Word>(~(bits ^ kSign));
  return bits;
}

// A team splits its row into as many pieces as it has threads. Each thread remembers the first
// candidate of its piece, so that after the best of them was found, only its piece is read again.
template <class T, class Put>
Status FindFirst(KernelCtx& c, int64_t rows, int64_t n, int64_t k, Dev<const T> in, Put put) {
  return ForRows(c, rows, n, [=] TENSH_DEVICE(Team team, int64_t row) {
    const Found<T> none{T(0), -1};
    const auto first = [](Found<T> x, Found<T> y) { return y.Before(x) ? y : x; };
    const int64_t piece = (n + team.size() - 1) / team.size();
    const auto at = [&](int64_t j) { return j < n ? Found<T>{in[row * n + j], j} : none; };
    Found<T> mine = none;
    for (int64_t j = team.me() * piece; j < (team.me() + 1) * piece; ++j) mine = first(mine, at(j));
    for (int64_t i = 0; i < k; ++i) {
      const Found<T> best = team.Combined(mine, first);
      if (team.leads()) put(row * k + i, best.value, best.at);
      const int64_t owner = best.at / piece;
      const Found<T> next = team.Reduce(
          piece, none,
          [&](int64_t j) {
            const Found<T> here = at(owner * piece + j);
            return best.Before(here) ? here : none;
          },
          first);
      if (team.me() == owner) mine = next;
    }
  });
}

// Sorts by row and element. If a key is too short for both, sorts by element first and then, stably, by row.
template <class T, class Put>
Status SortRows(KernelCtx& c, int64_t rows, int64_t n, int64_t k, Dev<const T> in, Put put) {
  constexpr int kBits = 8 * sizeof(T);
  const int row_bits = std::bit_width(static_cast<uint64_t>(rows - 1));
  const bool at_once = kBits + row_bits <= 64;
  TENSH_ASSIGN(Pairs pairs, Pairs::Make(c, rows * n));
  const auto key = Out<uint64_t>(pairs.keys);
  const auto value = Out<int64_t>(pairs.values);
  TENSH_RETURN_IF_ERROR(ForEach(c, rows * n, [=] TENSH_DEVICE(int64_t i) {
    const auto row = static_cast<uint64_t>(i / n);
    key[i] = KeyOf(in[i]) | (at_once && kBits < 64 ? row << kBits % 64 : 0);
    value[i] = i;
  }));
  TENSH_ASSIGN(pairs, SortPairs(c, pairs, at_once ? kBits + row_bits : kBits));
  if (!at_once) {
    const auto by_row = Out<uint64_t>(pairs.keys);
    const auto from = In<int64_t>(pairs.values);
    TENSH_RETURN_IF_ERROR(ForEach(c, rows * n, [=] TENSH_DEVICE(int64_t i) {
      by_row[i] = static_cast<uint64_t>(from[i] / n);
    }));
    TENSH_ASSIGN(pairs, SortPairs(c, pairs, row_bits));
  }
  const auto from = In<int64_t>(pairs.values);
  return ForEach(c, rows * k, [=] TENSH_DEVICE(int64_t i) {
    const int64_t row = i / k, at = from[row * n + i % k];
    put(i, in[at], at - row * n);
  });
}

struct TopK {
  template <class T>
  Status operator()(KernelCtx& c) const {
    constexpr int64_t kFew = 128;  // elements, which are found sooner than the rows are sorted
    TENSH_ASSIGN(const ops::TopDims d, ops::TopDimsOf(c));
    TENSH_OUTPUT(values, c.Output(0, d.out));
    TENSH_OUTPUT(indices, c.Output(1, d.out));
    if (!values->num_elements()) return {};
    const int64_t rows = c.in(0).num_elements() / d.n;
    const auto in = In<T>(c.in(0));
    const auto best = Out<T>(values);
    const auto where = Out<char>(indices);
    const int64_t size = SizeOf(indices->dtype());
    const auto put = [=] TENSH_DEVICE(int64_t i, T value, int64_t at) {
      best[i] = value;
      char* const to = where.at + i * size;
      if (size == 8)
        *reinterpret_cast<int64_t*>(to) = at;
      else if (size == 4)
        *reinterpret_cast<int32_t*>(to) = static_cast<int32_t>(at);
      else
        *reinterpret_cast<int16_t*>(to) = static_cast<int16_t>(at);
    };
    return d.k <= kFew ? FindFirst(c, rows, d.n, d.k, in, put)
                       : SortRows(c, rows, d.n, d.k, in, put);
  }
};

struct InTopK {
  template <class I>
  Status operator()(KernelCtx& c) const {
    TENSH_ASSIGN(const int64_t k, ops::InTopCount(c));
    TENSH_OUTPUT(y, c.Output(0, c.in(1).shape()));
    const int64_t n = c.in(0).dim(1);
    const auto in = In<float>(c.in(0));
    const auto target = In<I>(c.in(1));
    const auto out = Out<bool>(y);
    return ForRows(c, y->num_elements(), n, [=] TENSH_DEVICE(Team team, int64_t row) {
      const int64_t at = target[row];
      const bool known = at >= 0 && at < n;
      const float wanted = known ? in[row * n + at] : 0.0f;
      // A non-finite logit makes the count exceed n, so that the result is false.
      const int64_t above = team.Reduce(
          n, int64_t{0},
          [&](int64_t j) {
            const float x = in[row * n + j];
            return x - x != x - x ? n + 1 : int64_t{x > wanted};
          },
          [](int64_t a, int64_t c) { return a + c; });
      if (team.leads()) out[row] = known && above <= n && above < k;
    });
  }
};

}  // namespace

TENSH_CUDA_KERNELS(nn_top_k) {
  r.Add<float, double, Half, Bfloat16, int64_t>("TopKV2", TopK(),
                                                {.host = "k", .prepare = ops::PrepareTop});
  r.Add<float, double, Half, Bfloat16, int64_t>("TopK", TopK(), {.prepare = ops::PrepareTop});
  r.Add<int32_t, int64_t>("InTopKV2", InTopK(), {.host = "k", .prepare = ops::PrepareTop});
  r.Add<int32_t, int64_t>("InTopK", InTopK(), {.prepare = ops::PrepareTop});
}

}  // namespace tensh::cuda
