// SparseCross and its hashed variants: all combinations of the values of several feature columns in
// a row, as text or as a hash.
#include <algorithm>
#include <limits>

#include "ops/op_file.h"
#include "ops/sparse/sparse_tensor.h"
#include "ops/strings/fingerprint.h"
#include "ops/support/prepare.h"

namespace tensh::ops {
namespace {

struct CrossState : KernelState {
  int sparse = 0, values = 0;  // number of inputs of each kind
  bool text_only = false;      // from SparseCross's attribute internal_type
  uint64_t hash_key = 0, buckets = 0;
  Status Read(PrepareCtx& c) {
    const Attrs attrs = c.attrs();
    sparse = static_cast<int>(attrs.Int("N"));
    values = static_cast<int>(attrs.Get<AttrValue::Types>("sparse_types").size());
    if (attrs.Find("hash_key")) {
      text_only = attrs.Type("internal_type") == DType::kString;
      hash_key = static_cast<uint64_t>(attrs.Int("hash_key"));
      buckets = static_cast<uint64_t>(attrs.Int("num_buckets"));
    }
    if (sparse != values)
      return InvalidArgument("Expected as many values as indices, ", sparse, ", got ", values);
    return {};
  }
};

// One feature column: its values in each row.
struct Column {
  struct Run {
    int64_t row, first, count;
  };
  Tensor values;
  bool dense = false;
  std::vector<Run> runs;  // of a sparse column; rows in ascending order

  Run Of(int64_t row) const {
    if (dense) return {row, row * values.dim(1), values.dim(1)};
    const auto at = std::lower_bound(runs.begin(), runs.end(), row,
                                     [](const Run& run, int64_t r) { return run.row < r; });
    return at == runs.end() || at->row != row ? Run{row, 0, 0} : *at;
  }
};

struct Columns {
  std::vector<Column> columns;
  int64_t rows = -1;  // -1: not known yet
};

Status HasRows(Columns& all, int64_t rows, int position) {
  if (all.rows < 0) all.rows = rows;
  if (all.rows == rows) return {};
  return InvalidArgument("Expected batch size ", all.rows, " got ", rows, " at position ",
                         position);
}

// Builds a sparse column. Values after a row that is less than its predecessor are ignored, as in
// TensorFlow.
Result<Column> SparseColumn(const Tensor& indices, const Tensor& values, int64_t rows) {
  Column column{values, false, {}};
  for (int64_t i = 0; i < indices.dim(0); ++i) {
    const int64_t row = indices.data<int64_t>()[i * 2];
    const int64_t last = column.runs.empty() ? -1 : column.runs.back().row;
    if (row < last || row < 0 || row >= rows) break;
    if (row > last) column.runs.push_back({row, i, 0});
    ++column.runs.back().count;
  }
  return column;
}

Result<Columns> ReadColumns(KernelCtx& c, int parameters) {
  const auto& state = c.state<CrossState>();
  Columns all;
  const int n = state.sparse;
  for (int k = 0; k < n; ++k) {
    const Tensor &indices = c.in(k), &values = c.in(n + k), &shape = c.in(2 * n + k);
    if (indices.dim(1) != 2)
      return InvalidArgument("Expected D2 of index to be 2 got ", indices.dim(1), " at position ",
                             k);
    if (values.dim(0) != indices.dim(0))
      return InvalidArgument("Expected size of values to be ", indices.dim(0), " got ",
                             values.dim(0), " at position ", k);
    if (shape.dim(0) != 2)
      return InvalidArgument("shape should imply a 2D tensor, but got shape ", shape.shape(),
                             " at position ", k);
    const int64_t rows = shape.data<int64_t>()[0];
    if (rows < 0) return InvalidArgument("a batch of ", rows, " rows at position ", k);
    TENSH_RETURN_IF_ERROR(HasRows(all, rows, k));
    TENSH_ASSIGN(Column column, SparseColumn(indices, values, rows));
    all.columns.push_back(std::move(column));
  }
  for (int i = 3 * n; i < c.num_inputs() - parameters; ++i) {
    TENSH_RETURN_IF_ERROR(HasRows(all, c.in(i).dim(0), i - 3 * n));
    all.columns.push_back({c.in(i), true, {}});
  }
  for (const Column& column : all.columns)
    if (state.text_only && column.values.dtype() != DType::kString)
      return InvalidArgument("Input values should be of internal type string, got ",
                             SignatureName(column.values.dtype()));
  all.rows = std::max(all.rows, int64_t{0});
  return all;
}

struct Counted {
  std::vector<Column::Run> rows;  // first: offset of the row's crosses; count: their number
  int64_t total = 0, most = 0;
};

Result<Counted> CountCrosses(const Columns& all) {
  Counted counted;
  const auto count = [&](int64_t row) {
    int64_t product = 1;
    for (const Column& column : all.columns)
      if (__builtin_mul_overflow(product, column.Of(row).count, &product)) return false;
    if (product) counted.rows.push_back({row, counted.total, product});
    counted.most = std::max(counted.most, product);
    return !__builtin_add_overflow(counted.total, product, &counted.total);
  };
  bool fits = true;
  const auto sparse = std::find_if(all.columns.begin(), all.columns.end(),
                                   [](const Column& column) { return !column.dense; });
  // The rows are untrusted in a sparse tensor, so only those that have values are visited.
  if (sparse != all.columns.end())
    for (const Column::Run& run : sparse->runs) fits = fits && count(run.row);
  else if (!all.columns.empty())
    for (int64_t row = 0; row < all.rows; ++row) fits = fits && count(row);
  if (!fits) return InvalidArgument("there are too many combinations of the features' values");
  return counted;
}

// Stores outputs 0 to 2. value(columns, picks) returns the cross of one value from each column.
template <class T, class Fn>
Status GiveCrosses(KernelCtx& c, const Columns& all, Fn value) {
  TENSH_ASSIGN(const Counted counted, CountCrosses(all));
  TENSH_ASSIGN(const Shape shape, DenseShape({counted.total, 2}));
  TENSH_OUTPUT(indices, c.Output(0, shape));
  TENSH_OUTPUT(values, c.Output(1, Shape({counted.total})));
  int64_t* at = indices->data<int64_t>();
  std::vector<int64_t> picks(all.columns.size());
  for (const Column::Run& row : counted.rows) {
    std::vector<Column::Run> runs;
    for (const Column& column : all.columns) runs.push_back(column.Of(row.row));
    for (size_t k = 0; k < runs.size(); ++k) picks[k] = runs[k].first;
    for (int64_t i = 0; i < row.count; ++i) {
      if (c.cancelled()) return c.cancel()->Why();
      *at++ = row.row;
      *at++ = i;
      values->data<T>()[row.first + i] = value(all.columns, picks);
      for (size_t k = runs.size(); k-- > 0 && ++picks[k] == runs[k].first + runs[k].count;)
        picks[k] = runs[k].first;
    }
  }
  c.SetOutput(2, DimsTensor({all.rows, counted.most}));
  return {};
}

std::string TextOf(const Column& column, int64_t i) {
  return column.values.dtype() == DType::kString ? column.values.data<std::string>()[i]
                                                 : std::to_string(column.values.data<int64_t>()[i]);
}

Status GiveTexts(KernelCtx& c, const Columns& all, const std::string& between) {
  return GiveCrosses<std::string>(
      c, all, [&](const std::vector<Column>& columns, const std::vector<int64_t>& picks) {
        std::string text = TextOf(columns[0], picks[0]);
        for (size_t k = 1; k < picks.size(); ++k) text += between + TextOf(columns[k], picks[k]);
        return text;
      });
}

// FarmHash's combination of two fingerprints.
uint64_t JoinFingerprints(uint64_t a, uint64_t b) {
  constexpr uint64_t kFactor = 0xc6a4a7935bd1e995;
  const auto mix = [](uint64_t x) { return x ^ (x >> 47); };
  const uint64_t both = (a ^ kFactor ^ (mix(b * kFactor) * kFactor)) * kFactor;
  return mix(mix(both) * kFactor);
}

int64_t BucketOf(uint64_t hash, uint64_t buckets) {
  return static_cast<int64_t>(
      hash % (buckets ? buckets : static_cast<uint64_t>(std::numeric_limits<int64_t>::max())));
}

Status SparseCross(KernelCtx& c) {
  const auto& state = c.state<CrossState>();
  TENSH_ASSIGN(const Columns all, ReadColumns(c, 0));
  if (c.out_dtype(1) == DType::kString) return GiveTexts(c, all, "_X_");
  return GiveCrosses<int64_t>(
      c, all, [&](const std::vector<Column>& columns, const std::vector<int64_t>& picks) {
        uint64_t hash = state.hash_key;
        for (size_t k = 0; k < picks.size(); ++k) {
          const Tensor& values = columns[k].values;
          hash =
              JoinFingerprints(hash, values.dtype() == DType::kString
                                         ? FarmFingerprint64(values.data<std::string>()[picks[k]])
                                         : static_cast<uint64_t>(values.data<int64_t>()[picks[k]]));
        }
        return BucketOf(hash, state.buckets);
      });
}

Status SparseCrossV2(KernelCtx& c) {
  TENSH_ASSIGN(const Columns all, ReadColumns(c, 1));
  return GiveTexts(c, all, *c.in(c.num_inputs() - 1).data<std::string>());
}

// Returns the hashed bytes of a value. Of a number, only the low half is hashed, as in TensorFlow.
std::string_view BytesOf(const Tensor& values, int64_t i) {
  if (values.dtype() == DType::kString) return values.data<std::string>()[i];
  return {reinterpret_cast<const char*>(values.data<int64_t>() + i), sizeof(int32_t)};
}

Status SparseCrossHashed(KernelCtx& c) {
  TENSH_ASSIGN(const Columns all, ReadColumns(c, 3));
  const int last = c.num_inputs() - 1;
  if (c.in(last - 2).num_elements() != 1 || c.in(last - 1).num_elements() != 1)
    return InvalidArgument("num_buckets and strong_hash must be scalars, got shapes ",
                           c.in(last - 2).shape(), " and ", c.in(last - 1).shape());
  const int64_t buckets = *c.in(last - 2).data<int64_t>();
  const bool strong = *c.in(last - 1).data<bool>();
  const auto salt = c.in(last).flat<int64_t>();
  const auto feature = [&](const Column& column, int64_t i) {
    const std::string_view bytes = BytesOf(column.values, i);
    return strong ? SipHash24(static_cast<uint64_t>(salt[0]), static_cast<uint64_t>(salt[1]), bytes)
                  : FarmFingerprint64(bytes);
  };
  return GiveCrosses<int64_t>(
      c, all, [&](const std::vector<Column>& columns, const std::vector<int64_t>& picks) {
        uint64_t hash = feature(columns[0], picks[0]);
        for (size_t k = 1; k < picks.size(); ++k)
          hash = JoinFingerprints(hash, feature(columns[k], picks[k]));
        return BucketOf(hash, static_cast<uint64_t>(std::max(buckets, int64_t{0})));
      });
}

Status CrossShape(ShapeCtx& c) {
  c.Set(0, Shape({-1, 2}));
  c.Set(1, Shape({-1}));
  c.Set(2, Shape({2}));
  return {};
}

constexpr char kInputs[] =
    "indices: N * int64, values: sparse_types, shapes: N * int64, dense_inputs: dense_types";
constexpr char kTypes[] =
    "sparse_types: list({int64, string}) >= 0, dense_types: list({int64, string}) >= 0";
constexpr char kContract[] =
    "indices: matrix at run, values: vector at run, shapes: vector at run, dense_inputs: matrix "
    "at run";
constexpr char kDoc[] =
    " The features are the N sparse matrices of indices, values, of the types sparse_types, and "
    "shapes, followed by dense_inputs, matrices of the types dense_types. output_indices, "
    "output_values and output_shape are a sparse matrix: the crosses of each row.";

OpSpec Spec(const char* name, const char* more, const char* values, OpText attrs, const char* doc,
            const char* contract, OpText arguments, const char* result) {
  return {
      .name = name,
      .inputs = StrCat(kInputs, more),
      .outputs = StrCat("output_indices: int64, output_values: ", values, ", output_shape: int64"),
      .attrs = attrs,
      .doc = StrCat("Crosses of features: all combinations of the values in a row, ", doc, kDoc),
      .contract = StrCat(kContract, contract),
      .shape = CrossShape,
      .no_gradient = true,
      .examples = {{StrCat("tf.raw_ops.", name,
                           "(indices=[], values=[], shapes=[], dense_inputs=[[['a', 'b']], "
                           "[['x']]], ",
                           arguments, ")[1]"),
                    result}}};
}

}  // namespace

TENSH_OPS(sparse_cross) {
  r.Op(Spec("SparseCross", "", "out_type",
            StrCat("N: int >= 0, hashed_output: bool, num_buckets: int >= 0, hash_key: int, ",
                   kTypes, ", out_type: {int64, string}, internal_type: {int64, string}"),
            "joined by _X_ or, if out_type is int64, as a hash that starts at hash_key, modulo "
            "num_buckets if that is not 0. hashed_output is ignored; internal_type string accepts "
            "only strings.",
            "",
            "hashed_output=False, num_buckets=0, hash_key=0, out_type=tf.string, "
            "internal_type=tf.string",
            "[b'a_X_x' b'b_X_x']"))
      .CpuAny(SparseCross, PrepareFrom<CrossState>);
  r.Op(Spec("SparseCrossV2", ", sep: string", "string", StrCat("N: int >= 0, ", kTypes),
            "joined by sep.", ", sep: scalar at run", "sep='-'", "[b'a-x' b'b-x']"))
      .CpuAny(SparseCrossV2, PrepareFrom<CrossState>);
  r.Op(Spec("SparseCrossHashed", ", num_buckets: int64, strong_hash: bool, salt: int64", "int64",
            StrCat("N: int >= 0, ", kTypes),
            "as a hash, modulo num_buckets if that is not 0. strong_hash: use a hash keyed by the "
            "two numbers in salt.",
            ", salt: vector of 2 at run", "num_buckets=10, strong_hash=False, salt=[0, 0]",
            "[8 0]"))
      .CpuAny(SparseCrossHashed, PrepareFrom<CrossState>);
}

}  // namespace tensh::ops
