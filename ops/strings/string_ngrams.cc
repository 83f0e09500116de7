// StringNGrams: the n-grams of each row of a ragged tensor of strings.
#include <algorithm>

#include "ops/op_file.h"
#include "ops/support/prepare.h"
#include "ops/support/shape_util.h"
#include "ops/support/stop.h"

namespace tensh::ops {
namespace {

struct NgramState : KernelState {
  std::string separator, left, right;
  std::vector<int64_t> widths;
  int64_t pad = 0;
  bool keep_short = false;
  void Read(PrepareCtx& c) {
    separator = c.attrs().String("separator");
    left = c.attrs().String("left_pad");
    right = c.attrs().String("right_pad");
    const auto& given = c.attrs().Get<AttrValue::Ints>("ngram_widths");
    widths.assign(given.begin(), given.end());
    pad = c.attrs().Int("pad_width");
    keep_short = c.attrs().Bool("preserve_short_sequences");
  }
  // Returns the number of pads on each side for n-grams of this width: at least one token of each
  // n-gram comes from the row. A negative attribute stands for as many as possible.
  int64_t PadFor(int64_t width) const { return std::min(pad < 0 ? width - 1 : pad, width - 1); }
};

// The n-grams of one width of a row: how many there are, and of how many tokens.
struct Group {
  int64_t row, width, count;
};

// Limits the tokens of all n-grams together. A few bytes of attributes could request any number.
constexpr int64_t kMostTokens = int64_t{1} << 28;

Status CheckSplits(const std::vector<int64_t>& splits, int64_t n) {
  if (splits.empty()) return {};
  if (splits[0] != 0) return InvalidArgument("First split value must be 0, got ", splits[0]);
  for (size_t i = 1; i < splits.size(); ++i)
    if (splits[i] < splits[i - 1] || splits[i] > n)
      return InvalidArgument("Invalid split value ", splits[i], ", must be in [", splits[i - 1],
                             ", ", n, "]");
  if (splits.back() != n)
    return InvalidArgument("Last split value must be data size. Expected ", n, ", got ",
                           splits.back());
  return {};
}

// Adds the groups of a row, and returns the number of its n-grams.
Result<int64_t> AddGroups(const NgramState& s, int64_t row, int64_t length,
                          std::vector<Group>& groups, int64_t& tokens) {
  int64_t count = 0;
  const auto add = [&](int64_t width, int64_t n) {
    if (n <= 0) return true;
    groups.push_back({row, width, n});
    count += n;
    if (width > kMostTokens || n > kMostTokens || (tokens += width * n) > kMostTokens) return false;
    return true;
  };
  for (const int64_t width : s.widths)
    if (!add(width, length + 2 * s.PadFor(width) - width + 1))
      return ResourceExhausted("the n-grams have more than ", kMostTokens, " tokens");
  if (count == 0 && s.keep_short && length > 0 && !add(length + 2 * std::max<int64_t>(s.pad, 0), 1))
    return ResourceExhausted("the n-grams have more than ", kMostTokens, " tokens");
  return count;
}

std::string Ngram(const NgramState& s, const std::string* row, const Group& group, int64_t index) {
  const int64_t pad = s.PadFor(group.width);
  const int64_t left = std::max<int64_t>(0, pad - index);
  const int64_t right = std::max<int64_t>(0, pad - (group.count - (index + 1)));
  const int64_t first = left > 0 ? 0 : index - pad;
  std::string out;
  for (int64_t i = 0; i < group.width; ++i) {
    if (i) out += s.separator;
    out += i < left ? s.left : i < group.width - right ? row[first + i - left] : s.right;
  }
  return out;
}

Status StringNGrams(KernelCtx& c) {
  const auto& s = c.state<NgramState>();
  const Tensor& data = c.in(0);
  const std::vector<int64_t> splits = IndexValues(c.in(1));
  TENSH_RETURN_IF_ERROR(CheckSplits(splits, data.num_elements()));
  if (data.num_elements() == 0 || splits.empty()) {
    TENSH_ASSIGN(Tensor none, Tensor::Make(DType::kString, data.shape()));
    c.SetOutput(0, std::move(none));
    c.SetOutput(1, c.in(1));
    return {};
  }
  std::vector<Group> groups;
  std::vector<int64_t> ends = {0};
  int64_t tokens = 0;
  for (size_t row = 0; row + 1 < splits.size(); ++row) {
    TENSH_ASSIGN(const int64_t count,
                 AddGroups(s, splits[row], splits[row + 1] - splits[row], groups, tokens));
    ends.push_back(ends.back() + count);
  }
  TENSH_OUTPUT(out, c.Output(0, Shape({ends.back()})));
  std::string* next = out->data<std::string>();
  for (const Group& group : groups) {
    StopIfCancelled();
    for (int64_t i = 0; i < group.count; ++i)
      *next++ = Ngram(s, data.data<std::string>() + group.row, group, i);
  }
  c.SetOutput(1, IndexVector(c.out_dtype(1), ends));
  return {};
}

Status NgramShape(ShapeCtx& c) {
  c.Set(0, Shape({-1}));
  TENSH_ASSIGN(const Shape splits, MergeShapes(c.in(1), Shape::UnknownOfRank(1)));
  c.Set(1, splits);
  return {};
}

}  // namespace

TENSH_OPS(strings_string_ngrams) {
  r.Op({.name = "StringNGrams",
        .inputs = "data: string, data_splits: Tsplits",
        .outputs = "ngrams: string, ngrams_splits: Tsplits",
        .attrs = "separator: string, ngram_widths: list(int) >= 0, left_pad: string, "
                 "right_pad: string, pad_width: int, preserve_short_sequences: bool, "
                 "Tsplits: {int32, int64} = int64",
        .doc =
            "The n-grams of each row of a ragged tensor, whose tokens are data and whose row "
            "splits, of type Tsplits, are data_splits. ngram_widths are the numbers of tokens, "
            "which separator joins. pad_width pads with left_pad and right_pad are put before and "
            "after each row; -1 means as many as each width allows. preserve_short_sequences: a "
            "row that is too short for any n-gram becomes one. ngrams and ngrams_splits are the "
            "result.",
        .contract = "data: vector, data_splits: vector",
        .shape = NgramShape,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.StringNGrams(data=['a', 'b', 'c'], data_splits=tf.constant([0, "
                      "3], tf.int64), separator=' ', ngram_widths=[2], left_pad='', right_pad='', "
                      "pad_width=0, preserve_short_sequences=False)[0]",
                      "[b'a b' b'b c']"}}})
      .CpuAny(StringNGrams, PrepareFrom<NgramState>);
}

}  // namespace tensh::ops
