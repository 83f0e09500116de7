// ParseExample, ParseExampleV2 and ParseSingleExample: convert tf.train.Example messages to tensors.
//
// A message maps keys to lists of bytes, floats or ints. A dense feature has as many values in
// every example as its shape requires, or a default. A sparse or ragged feature has any number of
// values.
#include <algorithm>

#include "ops/formats/example_message.h"
#include "ops/op_file.h"
#include "ops/support/rows_shape.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

enum class Version : uint8_t { kSingle, kBatch, kV2 };

struct ParseState : KernelState {
  Version version = Version::kSingle;
  size_t n_sparse = 0, n_dense = 0;
  std::vector<std::string> sparse_keys, dense_keys;  // attributes of ParseSingleExample
  AttrValue::Types sparse_types;
  AttrValue::Shapes dense_shapes;
  size_t n_ragged = 0;
};

// ---- the data of one step ----

struct Batch {
  std::vector<FeatureMap> examples;
  std::vector<std::string> sparse_keys, dense_keys, ragged_keys;
  bool single = false;
  size_t defaults = 0;                 // index of the first input with a default
  const std::string* names = nullptr;  // names of the examples for error messages, or null
};

std::string Where(const Batch& b, const std::string& key, size_t example) {
  return b.single ? StrCat("Feature: ", key)
                  : StrCat("Name: ", b.names ? b.names[example] : "<unknown>", ", Key: ", key,
                           ", Index: ", example);
}

// Returns the values of a key, or null if the example does not have it.
Result<const FeatureValues*> Find(const Batch& b, size_t example, const std::string& key,
                                  DType type) {
  const auto found = b.examples[example].find(key);
  if (found == b.examples[example].end() || found->second.type == DType::kInvalid)
    return static_cast<const FeatureValues*>(nullptr);
  if (found->second.type != type)
    return InvalidArgument(Where(b, key, example), ".  Data types don't match. Data type: ",
                           SignatureName(found->second.type),
                           " but expected type: ", SignatureName(type));
  return &found->second;
}

// Fills elements [at, at + count) of `out` from the default. A single value is repeated.
void CopyDefault(const Tensor& from, Tensor* out, int64_t at, int64_t count) {
  const bool one = from.num_elements() == 1;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t k = one ? 0 : i;
    if (out->dtype() == DType::kString)
      out->data<std::string>()[at + i] = from.data<std::string>()[k];
    else if (out->dtype() == DType::kFloat)
      out->data<float>()[at + i] = from.data<float>()[k];
    else
      out->data<int64_t>()[at + i] = from.data<int64_t>()[k];
  }
}

Status Sparse(KernelCtx& c, const Batch& b, const ParseState& s, size_t k) {
  const int n = static_cast<int>(s.n_sparse), i = static_cast<int>(k);
  std::vector<const FeatureValues*> rows;
  int64_t total = 0, longest = 0;
  for (size_t e = 0; e < b.examples.size(); ++e) {
    auto found = Find(b, e, b.sparse_keys[k], s.sparse_types[k]);
    if (!found.ok()) return found.status();
    rows.push_back(*found);
    const int64_t size = *found ? (*found)->size() : 0;
    total += size;
    longest = std::max(longest, size);
  }
  TENSH_OUTPUT(indices, c.Output(i, Shape{total, b.single ? 1 : 2}));
  TENSH_OUTPUT(values, c.Output(n + i, Shape{total}));
  TENSH_OUTPUT(shape, c.Output(2 * n + i, Shape{b.single ? 1 : 2}));
  int64_t* index = indices->data<int64_t>();
  int64_t at = 0;
  for (size_t e = 0; e < rows.size(); ++e) {
    if (!rows[e]) continue;
    CopyValues(*rows[e], values, at);
    at += rows[e]->size();
    for (int64_t j = 0; j < rows[e]->size(); ++j) {
      if (!b.single) *index++ = static_cast<int64_t>(e);
      *index++ = j;
    }
  }
  int64_t* dims = shape->data<int64_t>();
  if (!b.single) *dims++ = static_cast<int64_t>(rows.size());
  *dims = longest;
  return {};
}

// Returns the shape of a dense feature in this batch. An unknown first extent becomes the largest
// in the batch.
Result<Shape> DenseShape(const Batch& b, const std::vector<const FeatureValues*>& rows, Shape shape,
                         const std::string& key) {
  if (shape.IsFullyKnown()) return shape;
  int64_t each = 1, longest = 0;
  for (int d = 1; d < shape.rank(); ++d) each *= shape[d];
  if (shape.rank() < 1 || each <= 0)
    return InvalidArgument("Key: ", key, ".  The shape is not known: ", shape.ToString());
  for (size_t e = 0; e < rows.size(); ++e) {
    const int64_t size = rows[e] ? rows[e]->size() : 0;
    if (size % each)
      return InvalidArgument(Where(b, key, e),
                             ".  Number of values is not a multiple of stride length. Saw ", size,
                             " values but output shape is: ", shape.ToString());
    longest = std::max(longest, size / each);
  }
  shape.set_dim(0, longest);
  return shape;
}

Status Dense(KernelCtx& c, const Batch& b, const ParseState& s, size_t k) {
  const int output = static_cast<int>(3 * s.n_sparse + k);
  const std::string& key = b.dense_keys[k];
  const Tensor& fallback = c.in(static_cast<int>(b.defaults + k));
  std::vector<const FeatureValues*> rows;
  for (size_t e = 0; e < b.examples.size(); ++e) {
    auto found = Find(b, e, key, c.out_dtype(output));
    if (!found.ok()) return found.status();
    rows.push_back(*found);
  }
  const bool fixed = s.dense_shapes[k].IsFullyKnown();
  auto one = DenseShape(b, rows, s.dense_shapes[k], key);
  if (!one.ok()) return one.status();
  const int64_t each = one->num_elements();
  Shape shape = *one;
  if (!b.single) {
    TENSH_ASSIGN(shape, RowsShape(static_cast<int64_t>(rows.size()), *one));
  }
  TENSH_OUTPUT(out, c.Output(output, shape));
  for (size_t e = 0; e < rows.size(); ++e) {
    const int64_t at = static_cast<int64_t>(e) * each, size = rows[e] ? rows[e]->size() : 0;
    if (rows[e] && fixed && size != each)
      return InvalidArgument(Where(b, key, e), ".  Number of ", SignatureName(out->dtype()),
                             " values != expected.  values size: ", size,
                             " but output shape: ", one->ToString());
    if (rows[e]) CopyValues(*rows[e], out, at);
    if (rows[e] && size == each) continue;
    if (fallback.num_elements() == 0)
      return InvalidArgument(Where(b, key, e), ".  Feature: ", key,
                             " (data type: ", SignatureName(out->dtype()),
                             ") is required but could not be found.");
    CopyDefault(fallback, out, at + size, each - size);
  }
  return {};
}

// All values of a ragged feature, and where the row of each example begins, and the end. A single
// example has no rows.
Status Ragged(KernelCtx& c, const Batch& b, const ParseState& s, size_t k) {
  const int values_at = static_cast<int>(3 * s.n_sparse + s.n_dense + k);
  const int splits_at = values_at + static_cast<int>(s.n_ragged);
  std::vector<const FeatureValues*> rows;
  std::vector<int64_t> splits = {0};
  for (size_t e = 0; e < b.examples.size(); ++e) {
    TENSH_ASSIGN(rows.emplace_back(), Find(b, e, b.ragged_keys[k], c.out_dtype(values_at)));
    splits.push_back(splits.back() + (rows.back() ? rows.back()->size() : 0));
  }
  if (c.out_dtype(splits_at) == DType::kInt32 && splits.back() > INT32_MAX)
    return InvalidArgument("the ragged feature ", b.ragged_keys[k],
                           " has too many values for splits of type int32");
  TENSH_OUTPUT(values, c.Output(values_at, Shape{splits.back()}));
  for (size_t e = 0; e < rows.size(); ++e)
    if (rows[e]) CopyValues(*rows[e], values, splits[e]);
  if (b.single) splits.clear();
  c.SetOutput(splits_at, IndexVector(c.out_dtype(splits_at), splits));
  return {};
}

// A default is a single padding element, a complete value, or empty, which means that there is
// none.
Status CheckDefaults(KernelCtx& c, const Batch& b, const ParseState& s) {
  for (size_t d = 0; d < s.n_dense; ++d) {
    const Tensor& value = c.in(static_cast<int>(b.defaults + d));
    const Shape& shape = s.dense_shapes[d];
    if (!shape.IsFullyKnown() && value.num_elements() != 1)
      return InvalidArgument("dense_shape[", d, "] is a variable length shape: ", shape,
                             ", therefore def_value[", d,
                             "] must contain a single element (the padding element).  But its "
                             "shape is: ",
                             value.shape());
    if (shape.IsFullyKnown() && value.num_elements() > 0 && !(value.shape() == shape))
      return InvalidArgument("def_value[", d, "].shape() == ", value.shape(),
                             " is not compatible with dense_shapes_[", d, "] == ", shape);
  }
  return {};
}

// Reads the keys, which are one input for each kind.
Status ReadKeyVectors(KernelCtx& c, const ParseState& s, Batch& b) {
  const size_t counts[] = {s.n_sparse, s.n_dense, s.n_ragged};
  std::vector<std::string>* const keys[] = {&b.sparse_keys, &b.dense_keys, &b.ragged_keys};
  for (int i = 0; i < 3; ++i) {
    const auto given = c.in(2 + i).flat<std::string>();
    if (given.size() != counts[i])
      return InvalidArgument("Expected ", counts[i], " keys, got ", given.size());
    keys[i]->assign(given.begin(), given.end());
  }
  b.defaults = 5;
  return {};
}

Status ReadNames(KernelCtx& c, Batch& b) {
  const Tensor &serialized = c.in(0), &names = c.in(1);
  if (names.num_elements() > 0 && !(names.shape() == serialized.shape()))
    return InvalidArgument("Expected names have the same shape as serialized: name.shape=",
                           names.shape(), ", serialized.shape=", serialized.shape());
  if (names.num_elements() > 0) b.names = names.data<std::string>();
  return {};
}

Status Parse(KernelCtx& c) {
  const auto& s = c.state<ParseState>();
  Batch b;
  const Tensor& serialized = c.in(0);
  b.single = s.version == Version::kSingle || (s.version == Version::kV2 && serialized.rank() == 0);
  if (b.single ? serialized.rank() != 0 : serialized.rank() != 1)
    return InvalidArgument("Expected serialized to be a ", b.single ? "scalar" : "vector",
                           ", got shape: ", serialized.shape().ToString());
  if (s.version == Version::kSingle) {
    b.sparse_keys = s.sparse_keys, b.dense_keys = s.dense_keys, b.defaults = 1;
  } else if (s.version == Version::kV2) {
    TENSH_RETURN_IF_ERROR(ReadKeyVectors(c, s, b));
    TENSH_RETURN_IF_ERROR(ReadNames(c, b));
  } else {
    const size_t keys = s.n_sparse + s.n_dense;
    for (size_t i = 0; i < keys; ++i) {
      const Tensor& key = c.in(static_cast<int>(2 + i));
      if (key.num_elements() != 1) return InvalidArgument("Expected a key to be a scalar");
      (i < s.n_sparse ? b.sparse_keys : b.dense_keys).push_back(*key.data<std::string>());
    }
    b.defaults = 2 + keys;
    TENSH_RETURN_IF_ERROR(ReadNames(c, b));
  }
  TENSH_RETURN_IF_ERROR(CheckDefaults(c, b, s));
  b.examples.resize(static_cast<size_t>(serialized.num_elements()));
  for (size_t e = 0; e < b.examples.size(); ++e)
    if (!ReadExample(serialized.data<std::string>()[e], &b.examples[e]))
      return InvalidArgument("Could not parse example input, value: '",
                             serialized.data<std::string>()[e].substr(0, 80), "'");
  for (size_t k = 0; k < s.n_sparse; ++k) TENSH_RETURN_IF_ERROR(Sparse(c, b, s, k));
  for (size_t k = 0; k < s.n_dense; ++k) TENSH_RETURN_IF_ERROR(Dense(c, b, s, k));
  for (size_t k = 0; k < s.n_ragged; ++k) TENSH_RETURN_IF_ERROR(Ragged(c, b, s, k));
  return {};
}

template <Version kVersion>
Result<std::unique_ptr<KernelState>> Prepare(PrepareCtx& c) {
  constexpr bool kSingle = kVersion == Version::kSingle, kBatch = kVersion == Version::kBatch;
  auto s = std::make_unique<ParseState>();
  s->version = kVersion;
  s->sparse_types = c.attrs().Get<AttrValue::Types>("sparse_types");
  s->dense_shapes = c.attrs().Get<AttrValue::Shapes>("dense_shapes");
  s->n_sparse = s->sparse_types.size();
  s->n_dense = c.attrs().Get<AttrValue::Types>("Tdense").size();
  if (kSingle) {
    s->sparse_keys = c.attrs().Get<AttrValue::Strings>("sparse_keys");
    s->dense_keys = c.attrs().Get<AttrValue::Strings>("dense_keys");
    if (s->sparse_keys.size() != s->n_sparse || s->dense_keys.size() != s->n_dense)
      return InvalidArgument("len(sparse_keys) != num_sparse or len(dense_keys) != len(Tdense)");
  }
  if (kVersion == Version::kV2) {
    s->n_ragged = c.attrs().Get<AttrValue::Types>("ragged_value_types").size();
    if (c.attrs().Get<AttrValue::Types>("ragged_split_types").size() != s->n_ragged)
      return InvalidArgument("len(ragged_value_types) must be len(ragged_split_types)");
  }
  const int64_t n = c.attrs().Int(kBatch ? "Nsparse" : "num_sparse");
  if (n != static_cast<int64_t>(s->n_sparse) || s->dense_shapes.size() != s->n_dense ||
      (kBatch && c.attrs().Int("Ndense") != static_cast<int64_t>(s->n_dense)))
    return InvalidArgument(
        "len(sparse_types), len(Tdense) and len(dense_shapes) must agree with the keys");
  return std::unique_ptr<KernelState>(std::move(s));
}

template <Version kVersion>
Status ParseShape(ShapeCtx& c) {
  const size_t n = c.attrs().Get<AttrValue::Types>("sparse_types").size();
  const size_t ragged =
      kVersion == Version::kV2 ? c.attrs().Get<AttrValue::Types>("ragged_value_types").size() : 0;
  const auto& shapes = c.attrs().Get<AttrValue::Shapes>("dense_shapes");
  if (shapes.size() + 3 * n + 2 * ragged != static_cast<size_t>(c.num_outputs()))
    return InvalidArgument("len(dense_shapes) must be len(Tdense)");
  if (kVersion != Version::kV2)
    TENSH_RETURN_IF_ERROR(c.WithRank(0, kVersion == Version::kSingle ? 0 : 1));
  // Without the rank of `serialized`, neither the number of rows nor their rank is known.
  const bool unknown = kVersion == Version::kV2 && !c.in(0).has_rank();
  const bool single = c.in(0).has_rank() ? c.in(0).rank() == 0 : kVersion == Version::kSingle;
  const int64_t rank = unknown ? -1 : single ? 1 : 2;
  for (size_t i = 0; i < ragged; ++i) {
    const int64_t rows = unknown || (!single && c.in(0)[0] < 0) ? -1 : single ? 0 : c.in(0)[0] + 1;
    c.Set(static_cast<int>(3 * n + shapes.size() + i), Shape{-1});
    c.Set(static_cast<int>(3 * n + shapes.size() + ragged + i), Shape{rows});
  }
  for (size_t i = 0; i < n; ++i) {
    c.Set(static_cast<int>(i), Shape{-1, rank});
    c.Set(static_cast<int>(n + i), Shape{-1});
    c.Set(static_cast<int>(2 * n + i), Shape{rank});
  }
  for (size_t i = 0; i < shapes.size() && !unknown; ++i) {
    Shape shape = shapes[i];
    if (!single && shape.has_rank()) {
      TENSH_ASSIGN(shape, RowsShape(c.in(0).has_rank() ? c.in(0)[0] : -1, shapes[i]));
    }
    c.Set(static_cast<int>(3 * n + i), shape);
  }
  return {};
}

}  // namespace

TENSH_OPS(io_parse_example) {
  const std::string types =
      "sparse_types: list({float, int64, string}) >= 0, Tdense: list({float, int64, string}) >= 0, "
      "dense_shapes: list(shape) >= 0";
  const std::string doc =
      " serialized: the message. dense_defaults: for each dense feature, a default of the types "
      "Tdense and the dense_shapes, or an empty tensor if the feature is required. sparse_indices, "
      "sparse_values and sparse_shapes are the sparse features, of the sparse_types; dense_values "
      "are the dense ones, in the order of sparse_keys and dense_keys.";
  r.Op({.name = "ParseSingleExample",
        .inputs = "serialized: string, dense_defaults: Tdense",
        .outputs = "sparse_indices: num_sparse * int64, sparse_values: sparse_types, "
                   "sparse_shapes: num_sparse * int64, dense_values: Tdense",
        .attrs = "num_sparse: int >= 0, sparse_keys: list(string) >= 0, dense_keys: list(string) "
                 ">= 0, " +
                 types,
        .doc = "Parses a tf.train.Example message." + doc +
               " num_sparse: the number of sparse features.",
        .shape = ParseShape<Version::kSingle>,
        .no_gradient = true,
        .examples =
            {{"tf.parse_single_example(b'', {'a': tf.FixedLenFeature([2], tf.int64, [3, 4])})['a']",
              "[3 4]"}}})
      .CpuAny(Parse, Prepare<Version::kSingle>);
  r.Op({.name = "ParseExample",
        .inputs = "serialized: string, names: string, sparse_keys: Nsparse * string, "
                  "dense_keys: Ndense * string, dense_defaults: Tdense",
        .outputs = "sparse_indices: Nsparse * int64, sparse_values: sparse_types, "
                   "sparse_shapes: Nsparse * int64, dense_values: Tdense",
        .attrs = "Nsparse: int >= 0, Ndense: int >= 0, " + types,
        .doc = "Parses a vector of tf.train.Example messages." + doc +
               " names: the names of the messages for errors. Nsparse, Ndense: the numbers of "
               "features.",
        .contract = "serialized: vector",
        .shape = ParseShape<Version::kBatch>,
        .no_gradient = true,
        .examples =
            {{"tf.parse_example([b'', b''], {'a': tf.FixedLenFeature([], tf.float32, 1.5)})['a']",
              "[1.5 1.5]"}}})
      .CpuAny(Parse, Prepare<Version::kBatch>);
  r.Op({.name = "ParseExampleV2",
        .inputs = "serialized: string, names: string, sparse_keys: string, dense_keys: string, "
                  "ragged_keys: string, dense_defaults: Tdense",
        .outputs = "sparse_indices: num_sparse * int64, sparse_values: sparse_types, "
                   "sparse_shapes: num_sparse * int64, dense_values: Tdense, "
                   "ragged_values: ragged_value_types, ragged_row_splits: ragged_split_types",
        .attrs = "Tdense: list({float, int64, string}) >= 0, num_sparse: int >= 0, sparse_types: "
                 "list({float, int64, string}) >= 0, ragged_value_types: list({float, int64, "
                 "string}) >= 0, ragged_split_types: list({int32, int64}) >= 0, dense_shapes: "
                 "list(shape) >= 0",
        .doc = "Parses one tf.train.Example message, or a vector of them." + doc +
               " ragged_values and ragged_row_splits, of the ragged_value_types and "
               "ragged_split_types, are the ragged features, whose keys are ragged_keys. names: "
               "the names of the messages for errors. num_sparse: the number of sparse features.",
        .contract = "serialized: rank 0..1, sparse_keys: vector, dense_keys: vector, ragged_keys: "
                    "vector",
        .shape = ParseShape<Version::kV2>,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.ParseExampleV2(serialized=[b'', b''], names=[], sparse_keys=[], "
                      "dense_keys=['a'], ragged_keys=[], dense_defaults=[[1.5]], num_sparse=0, "
                      "sparse_types=[], ragged_value_types=[], ragged_split_types=[], "
                      "dense_shapes=[[1]])[0]",
                      "[[1.5]\n [1.5]]"}}})
      .CpuAny(Parse, Prepare<Version::kV2>);
}

}  // namespace tensh::ops
