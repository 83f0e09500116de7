// ParseSequenceExample and ParseSingleSequenceExample: convert tf.train.SequenceExample messages to
// tensors.
//
// A message has a context, whose features belong to the whole sequence, and lists of features with
// one entry per time step. A context feature is treated as a list of one step.
#include <algorithm>
#include <set>
#include <span>

#include "ops/formats/example_message.h"
#include "ops/op_file.h"
#include "ops/support/array_copy.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

enum class Version { kSingle, kBatch, kV2 };

// The attributes of the context or of the lists, with one entry per feature of each kind.
struct Kinds {
  AttrValue::Types sparse, dense, ragged, splits;
  AttrValue::Shapes shapes;                          // of the dense features
  std::vector<std::string> sparse_keys, dense_keys;  // in ops that have them as attributes
};

struct SequenceState : KernelState {
  Version version = Version::kSingle;
  Kinds context, lists;
  std::vector<std::string> may_be_missing;
};

Status CheckKinds(Attrs attrs, const char* name, const char* dense, Version version, Kinds* k) {
  const std::string prefix = name;
  const auto types = [&](const std::string& attr) { return attrs.Get<AttrValue::Types>(attr); };
  k->sparse = types(prefix + "_sparse_types");
  k->dense = types(dense);
  k->shapes = attrs.Get<AttrValue::Shapes>(prefix + "_dense_shapes");
  if (version == Version::kV2) {
    k->ragged = types(prefix + "_ragged_value_types");
    k->splits = types(prefix + "_ragged_split_types");
  }
  if (attrs.Int("N" + prefix + "_sparse") != static_cast<int64_t>(k->sparse.size()) ||
      k->shapes.size() != k->dense.size() || k->ragged.size() != k->splits.size())
    return InvalidArgument("the numbers of ", name, " keys, types and shapes differ");
  for (const Shape& shape : k->shapes)
    if (!shape.IsFullyKnown())
      return InvalidArgument(name, "_dense_shapes is not fully defined: ", shape);
  if (version != Version::kBatch) return {};
  k->sparse_keys = attrs.Get<AttrValue::Strings>(prefix + "_sparse_keys");
  k->dense_keys = attrs.Get<AttrValue::Strings>(prefix + "_dense_keys");
  if (k->sparse_keys.size() != k->sparse.size() || k->dense_keys.size() != k->dense.size())
    return InvalidArgument("the numbers of ", name, " keys and types differ");
  return {};
}

Status ReadAttrs(Attrs attrs, Version version, SequenceState* s) {
  s->version = version;
  TENSH_RETURN_IF_ERROR(CheckKinds(attrs, "context", "Tcontext_dense", version, &s->context));
  TENSH_RETURN_IF_ERROR(
      CheckKinds(attrs, "feature_list", "feature_list_dense_types", version, &s->lists));
  const AttrValue* dense = attrs.Find("Ncontext_dense");
  if ((dense && *dense->Find<int64_t>() != static_cast<int64_t>(s->context.dense.size())) ||
      attrs.Int("Nfeature_list_dense") != static_cast<int64_t>(s->lists.dense.size()))
    return InvalidArgument("the numbers of dense keys and types differ");
  if (version == Version::kBatch)
    s->may_be_missing = attrs.Get<AttrValue::Strings>("feature_list_dense_missing_assumed_empty");
  return {};
}

template <Version kVersion>
Result<std::unique_ptr<KernelState>> PrepareSequence(PrepareCtx& c) {
  auto s = std::make_unique<SequenceState>();
  TENSH_RETURN_IF_ERROR(ReadAttrs(c.attrs(), kVersion, s.get()));
  return std::unique_ptr<KernelState>(std::move(s));
}

// ---- the data of one step ----

struct Keys {
  std::vector<std::string> sparse, dense, ragged;
};

class Parser {
 public:
  Parser(KernelCtx& c, const SequenceState& s) : c_(c), state_(s) {}

  Status Run() {
    TENSH_RETURN_IF_ERROR(state_.version == Version::kSingle  ? ReadSingleInputs()
                          : state_.version == Version::kBatch ? ReadBatchInputs()
                                                              : ReadV2Inputs());
    TENSH_RETURN_IF_ERROR(ReadMessages());
    TENSH_RETURN_IF_ERROR(Sparse(state_.context, context_.sparse, false));
    TENSH_RETURN_IF_ERROR(DenseContext());
    TENSH_RETURN_IF_ERROR(Ragged(state_.context, context_.ragged, false));
    TENSH_RETURN_IF_ERROR(Sparse(state_.lists, lists_.sparse, true));
    TENSH_RETURN_IF_ERROR(DenseLists());
    return Ragged(state_.lists, lists_.ragged, true);
  }

 private:
  using Steps = std::span<const FeatureValues>;

  // ---- inputs ----

  std::vector<std::string> TakeStrings(int input) {
    const auto values = c_.in(input).flat<std::string>();
    return {values.begin(), values.end()};
  }
  // Reads `n` inputs of one string each and advances *at.
  Status TakeKeys(size_t n, int* at, std::vector<std::string>* keys) {
    for (size_t i = 0; i < n; ++i, ++*at) {
      if (c_.in(*at).num_elements() != 1) return InvalidArgument("Expected a key to be a scalar");
      keys->push_back(*c_.in(*at).data<std::string>());
    }
    return {};
  }

  Status ReadSingleInputs() {
    batch_ = false;
    int at = 2;
    TENSH_RETURN_IF_ERROR(TakeKeys(state_.context.sparse.size(), &at, &context_.sparse));
    TENSH_RETURN_IF_ERROR(TakeKeys(state_.context.dense.size(), &at, &context_.dense));
    TENSH_RETURN_IF_ERROR(TakeKeys(state_.lists.sparse.size(), &at, &lists_.sparse));
    TENSH_RETURN_IF_ERROR(TakeKeys(state_.lists.dense.size(), &at, &lists_.dense));
    defaults_ = at;
    for (std::string& key : TakeStrings(1)) missing_.insert(std::move(key));
    return TakeNames(at + static_cast<int>(state_.context.dense.size()));
  }

  Status ReadBatchInputs() {
    context_ = {state_.context.sparse_keys, state_.context.dense_keys, {}};
    lists_ = {state_.lists.sparse_keys, state_.lists.dense_keys, {}};
    missing_.insert(state_.may_be_missing.begin(), state_.may_be_missing.end());
    defaults_ = 2;
    return TakeNames(1);
  }

  Status ReadV2Inputs() {
    batch_ = c_.in(0).rank() == 1;
    context_ = {TakeStrings(2), TakeStrings(3), TakeStrings(4)};
    lists_ = {TakeStrings(5), TakeStrings(6), TakeStrings(7)};
    defaults_ = 9;
    const auto fits = [](const Kinds& kinds, const Keys& keys) {
      return keys.sparse.size() == kinds.sparse.size() && keys.dense.size() == kinds.dense.size() &&
             keys.ragged.size() == kinds.ragged.size();
    };
    if (!fits(state_.context, context_) || !fits(state_.lists, lists_))
      return InvalidArgument("the numbers of keys and types differ");
    const Tensor& may = c_.in(8);
    if (may.num_elements() != static_cast<int64_t>(lists_.dense.size()))
      return InvalidArgument(
          "Expected feature_list_dense_missing_assumed_empty to have one entry per dense key");
    for (size_t i = 0; i < lists_.dense.size(); ++i)
      if (may.data<bool>()[i]) missing_.insert(lists_.dense[i]);
    return TakeNames(1);
  }

  Status TakeNames(int input) {
    const Tensor& names = c_.in(input);
    if (names.num_elements() && names.num_elements() != c_.in(0).num_elements())
      return InvalidArgument("example_names must be empty or have the correct number of elements: ",
                             names.num_elements(), " for ", c_.in(0).num_elements());
    if (names.num_elements()) names_ = names.data<std::string>();
    return {};
  }

  Status ReadMessages() {
    const auto messages = c_.in(0).flat<std::string>();
    messages_.resize(messages.size());
    for (size_t e = 0; e < messages.size(); ++e)
      if (!ReadSequence(messages[e], &messages_[e]))
        return InvalidArgument("Could not parse example input, value: '", messages[e].substr(0, 80),
                               "'");
    return {};
  }

  // ---- lookup ----

  std::string Where(size_t example, const std::string& key, bool in_list) const {
    return StrCat("Name: ", names_ ? names_[example] : "<unknown>",
                  in_list ? ", Feature list: " : ", Context feature: ", key);
  }

  // Finds the steps of a key in an example. If the example does not have it, there are no steps,
  // and *there is false.
  Status Find(size_t e, const std::string& key, DType type, bool in_list, Steps* steps,
              bool* there) const {
    *steps = {};
    if (in_list) {
      const auto found = messages_[e].lists.find(key);
      *there = found != messages_[e].lists.end();
      if (*there) *steps = found->second;
    } else {
      const auto found = messages_[e].context.find(key);
      *there = found != messages_[e].context.end() && found->second.type != DType::kInvalid;
      if (*there) *steps = {&found->second, 1};
    }
    for (size_t t = 0; t < steps->size(); ++t) {
      const DType got = (*steps)[t].type;
      if (got != DType::kInvalid && got != type)
        return InvalidArgument(Where(e, key, in_list), in_list ? StrCat(", Index: ", t) : "",
                               ".  Data types don't match. Expected type: ", SignatureName(type),
                               ", got ", SignatureName(got));
    }
    return {};
  }

  Status FindAll(const std::string& key, DType type, bool in_list, std::vector<Steps>* rows) const {
    for (size_t e = 0; e < messages_.size(); ++e) {
      bool there = false;
      TENSH_RETURN_IF_ERROR(Find(e, key, type, in_list, &rows->emplace_back(), &there));
    }
    return {};
  }

  int64_t examples() const { return static_cast<int64_t>(messages_.size()); }

  // ---- outputs, by kind ----

  Status Sparse(const Kinds& kinds, const std::vector<std::string>& keys, bool in_list) {
    const int n = static_cast<int>(keys.size()), first = output_;
    output_ += 3 * n;
    for (int i = 0; i < n; ++i) {
      std::vector<Steps> rows;
      const size_t k = static_cast<size_t>(i);
      TENSH_RETURN_IF_ERROR(FindAll(keys[k], kinds.sparse[k], in_list, &rows));
      TENSH_RETURN_IF_ERROR(GiveSparse(rows, in_list, first + i, n));
    }
    return {};
  }

  // Stores a sparse tensor in the outputs `output`, output + n and output + 2n.
  Status GiveSparse(const std::vector<Steps>& rows, bool in_list, int output, int n) {
    int64_t total = 0, most_steps = 0, most = 0;
    for (const Steps& steps : rows) {
      most_steps = std::max(most_steps, static_cast<int64_t>(steps.size()));
      for (const FeatureValues& values : steps) {
        total += values.size();
        most = std::max(most, values.size());
      }
    }
    const int64_t rank = 1 + in_list + batch_;
    KernelCtx& c = c_;
    TENSH_OUTPUT(indices, c.Output(output, Shape({total, rank})));
    TENSH_OUTPUT(values, c.Output(output + n, Shape({total})));
    TENSH_OUTPUT(shape, c.Output(output + 2 * n, Shape({rank})));
    int64_t* index = indices->data<int64_t>();
    int64_t at = 0;
    for (size_t e = 0; e < rows.size(); ++e) {
      for (size_t t = 0; t < rows[e].size(); ++t) {
        for (int64_t j = 0; j < rows[e][t].size(); ++j) {
          if (batch_) *index++ = static_cast<int64_t>(e);
          if (in_list) *index++ = static_cast<int64_t>(t);
          *index++ = j;
        }
        CopyValues(rows[e][t], values, at);
        at += rows[e][t].size();
      }
    }
    int64_t* dims = shape->data<int64_t>();
    if (batch_) *dims++ = examples();
    if (in_list) *dims++ = most_steps;
    *dims = most;
    return {};
  }

  Status DenseContext() {
    for (size_t k = 0; k < context_.dense.size(); ++k, ++output_) {
      const Shape& one = state_.context.shapes[k];
      const Tensor& fallback = c_.in(defaults_ + static_cast<int>(k));
      if (fallback.num_elements() && !(fallback.shape() == one))
        return InvalidArgument("default_value[", k, "].shape() == ", fallback.shape(),
                               " != context_dense_shapes[", k, "] == ", one);
      KernelCtx& c = c_;
      TENSH_ASSIGN(const Shape shape, Stacked(one, -1));
      TENSH_OUTPUT(out, c.Output(output_, shape));
      for (size_t e = 0; e < messages_.size(); ++e) {
        Steps steps;
        bool there = false;
        const std::string& key = context_.dense[k];
        TENSH_RETURN_IF_ERROR(Find(e, key, out->dtype(), false, &steps, &there));
        const int64_t n = one.num_elements(), at = static_cast<int64_t>(e) * n;
        if (there && steps[0].size() != n)
          return InvalidArgument(Where(e, key, false), ".  Number of ", SignatureName(out->dtype()),
                                 " values != expected.  values size: ", steps[0].size(),
                                 " but output shape: ", one);
        if (!there && !fallback.num_elements())
          return InvalidArgument(Where(e, key, false), ".  Feature: ", key,
                                 " (data type: ", SignatureName(out->dtype()),
                                 ") is required but could not be found.");
        if (there)
          CopyValues(steps[0], out, at);
        else
          CopyElements(out->dtype(), At(*out, at), fallback.raw(), n);
      }
    }
    return {};
  }

  Status DenseLists() {
    const int n = static_cast<int>(lists_.dense.size()), first = output_;
    output_ += state_.version == Version::kSingle ? n : 2 * n;
    for (int i = 0; i < n; ++i) {
      const size_t k = static_cast<size_t>(i);
      std::vector<Steps> rows;
      TENSH_RETURN_IF_ERROR(FindDense(k, &rows));
      TENSH_RETURN_IF_ERROR(GiveDense(rows, state_.lists.shapes[k], first + i));
      if (state_.version != Version::kSingle)
        TENSH_RETURN_IF_ERROR(GiveLengths(rows, first + n + i));
    }
    return {};
  }

  Status FindDense(size_t k, std::vector<Steps>* rows) const {
    const std::string& key = lists_.dense[k];
    const Shape& one = state_.lists.shapes[k];
    for (size_t e = 0; e < messages_.size(); ++e) {
      bool there = false;
      TENSH_RETURN_IF_ERROR(
          Find(e, key, state_.lists.dense[k], true, &rows->emplace_back(), &there));
      if (!there && !missing_.count(key))
        return InvalidArgument(
            Where(e, key, true),
            " is required but could not be found.  Did you mean to include it in "
            "feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?");
      for (size_t t = 0; t < rows->back().size(); ++t)
        if (rows->back()[t].size() != one.num_elements())
          return InvalidArgument(Where(e, key, true), ", Index: ", t,
                                 ".  Number of values != expected.  values size: ",
                                 rows->back()[t].size(), " but output shape: ", one);
    }
    return {};
  }

  // Pads shorter rows with zeros to the length of the longest.
  Status GiveDense(const std::vector<Steps>& rows, const Shape& one, int output) {
    int64_t most = 0;
    for (const Steps& steps : rows) most = std::max(most, static_cast<int64_t>(steps.size()));
    KernelCtx& c = c_;
    TENSH_ASSIGN(const Shape shape, Stacked(one, most));
    TENSH_OUTPUT(out, c.Output(output, shape));
    ZeroElements(out->dtype(), out->raw(), out->num_elements());
    const int64_t n = one.num_elements();
    for (size_t e = 0; e < rows.size(); ++e)
      for (size_t t = 0; t < rows[e].size(); ++t)
        if (n)
          CopyValues(rows[e][t], out,
                     (static_cast<int64_t>(e) * most + static_cast<int64_t>(t)) * n);
    return {};
  }

  Status GiveLengths(const std::vector<Steps>& rows, int output) {
    KernelCtx& c = c_;
    TENSH_OUTPUT(out, c.Output(output, batch_ ? Shape({examples()}) : Shape()));
    for (size_t e = 0; e < rows.size(); ++e)
      out->data<int64_t>()[e] = static_cast<int64_t>(rows[e].size());
    return {};
  }

  // Stores the values, the row splits of the examples and, for lists, of the steps. A single
  // example has no splits of examples; TensorFlow leaves that output unset.
  Status Ragged(const Kinds& kinds, const std::vector<std::string>& keys, bool in_list) {
    const int n = static_cast<int>(keys.size()), first = output_;
    output_ += (in_list ? 3 : 2) * n;
    for (int i = 0; i < n; ++i) {
      const size_t k = static_cast<size_t>(i);
      std::vector<Steps> rows;
      TENSH_RETURN_IF_ERROR(FindAll(keys[k], kinds.ragged[k], in_list, &rows));
      std::vector<int64_t> outer{0}, inner{0};
      for (const Steps& steps : rows) {
        for (const FeatureValues& values : steps) inner.push_back(inner.back() + values.size());
        outer.push_back(in_list ? static_cast<int64_t>(inner.size()) - 1 : inner.back());
      }
      KernelCtx& c = c_;
      TENSH_OUTPUT(out, c.Output(first + i, Shape({inner.back()})));
      int64_t at = 0;
      for (const Steps& steps : rows)
        for (const FeatureValues& values : steps) {
          CopyValues(values, out, at);
          at += values.size();
        }
      const DType splits = kinds.splits[k];
      c.SetOutput(first + n + i, batch_ ? IndexVector(splits, outer) : IndexVector(splits, {}));
      if (in_list) c.SetOutput(first + 2 * n + i, IndexVector(splits, inner));
    }
    return {};
  }

  // Returns [examples, steps, one], without `examples` for a single example and without `steps` if
  // it is negative.
  Result<Shape> Stacked(const Shape& one, int64_t steps) const {
    std::vector<int64_t> dims;
    if (batch_) dims.push_back(examples());
    if (steps >= 0) dims.push_back(steps);
    for (int64_t d : one.dims()) dims.push_back(d);
    return Shape::Make(dims, true);
  }

  KernelCtx& c_;
  const SequenceState& state_;
  bool batch_ = true;
  Keys context_, lists_;
  std::set<std::string> missing_;  // keys of dense lists that may be missing
  int defaults_ = 0;               // index of the first input with a default
  const std::string* names_ = nullptr;
  std::vector<SequenceMessage> messages_;
  int output_ = 0;  // index of the next output
};

Status Parse(KernelCtx& c) { return Parser(c, c.state<SequenceState>()).Run(); }

template <Version kVersion>
Status SequenceShape(ShapeCtx& c) {
  SequenceState s;
  TENSH_RETURN_IF_ERROR(ReadAttrs(c.attrs(), kVersion, &s));
  const bool unknown = kVersion == Version::kV2 && !c.in(0).has_rank();  // one example or a vector
  const bool batch = kVersion == Version::kBatch || c.in(0).rank() == 1;
  const int64_t messages = batch && c.in(0).has_rank() ? c.in(0)[0] : -1;
  int output = 0;
  const auto stacked = [&](bool steps, const Shape& one) -> Result<Shape> {
    if (unknown) return Shape::Unknown();
    std::vector<int64_t> dims;
    if (batch) dims.push_back(messages);
    if (steps) dims.push_back(-1);
    for (int64_t d : one.dims()) dims.push_back(d);
    return Shape::Make(dims, false);
  };
  const auto give = [&](size_t n, const Shape& shape) {
    for (size_t i = 0; i < n; ++i) c.Set(output++, shape);
  };
  const auto sparse = [&](const Kinds& kinds, bool steps) {
    const int64_t rank = unknown ? -1 : 1 + steps + batch;
    give(kinds.sparse.size(), Shape({-1, rank}));
    give(kinds.sparse.size(), Shape({-1}));
    give(kinds.sparse.size(), Shape({rank}));
  };
  const auto dense = [&](const Kinds& kinds, bool steps) -> Status {
    for (const Shape& one : kinds.shapes) {
      TENSH_ASSIGN(const Shape shape, stacked(steps, one));
      c.Set(output++, shape);
    }
    return {};
  };
  const Shape splits({messages >= 0 ? messages + 1 : -1});
  sparse(s.context, false);
  TENSH_RETURN_IF_ERROR(dense(s.context, false));
  give(s.context.ragged.size(), Shape({-1}));
  give(s.context.ragged.size(), splits);
  sparse(s.lists, true);
  TENSH_RETURN_IF_ERROR(dense(s.lists, true));
  if (kVersion != Version::kSingle)
    give(s.lists.dense.size(), unknown ? Shape::Unknown() : batch ? Shape({messages}) : Shape());
  give(s.lists.ragged.size(), Shape({-1}));
  give(s.lists.ragged.size(), splits);
  give(s.lists.ragged.size(), Shape({-1}));
  return {};
}

}  // namespace

TENSH_OPS(io_parse_sequence_example) {
  const std::string list = ": list({float, int64, string}) >= 0 = []";
  const std::string counts =
      "Ncontext_sparse: int >= 0 = 0, Nfeature_list_sparse: int >= 0 = 0, Nfeature_list_dense: int "
      ">= 0 = 0, ";
  const std::string dense_count = "Ncontext_dense: int >= 0 = 0, ";
  const std::string types = "context_sparse_types" + list + ", Tcontext_dense" + list +
                            ", feature_list_dense_types" + list +
                            ", context_dense_shapes: list(shape) >= 0 = [], "
                            "feature_list_sparse_types" +
                            list + ", feature_list_dense_shapes: list(shape) >= 0 = []";
  const std::string context =
      "context_sparse_indices: Ncontext_sparse * int64, context_sparse_values: "
      "context_sparse_types, context_sparse_shapes: Ncontext_sparse * int64, context_dense_values: "
      "Tcontext_dense";
  const std::string lists =
      ", feature_list_sparse_indices: Nfeature_list_sparse * int64, feature_list_sparse_values: "
      "feature_list_sparse_types, feature_list_sparse_shapes: Nfeature_list_sparse * int64, "
      "feature_list_dense_values: feature_list_dense_types";
  const std::string lengths = ", feature_list_dense_lengths: Nfeature_list_dense * int64";
  const std::string doc =
      ". Features of the context, and lists of features, are sparse, with any number of values, or "
      "dense, with a fixed shape. context_sparse_keys, context_dense_keys, "
      "feature_list_sparse_keys and feature_list_dense_keys name them; context_sparse_types, "
      "Tcontext_dense, feature_list_sparse_types and feature_list_dense_types are their types, "
      "context_dense_shapes and feature_list_dense_shapes their shapes, Ncontext_sparse, "
      "Nfeature_list_sparse and Nfeature_list_dense their numbers. context_dense_defaults: for "
      "each dense feature of the context, a default, or an empty tensor if the feature is "
      "required. feature_list_dense_missing_assumed_empty: the dense lists that may be missing. "
      "debug_name: the names of the messages for errors. context_sparse_indices, "
      "context_sparse_values and context_sparse_shapes are the sparse features, "
      "context_dense_values the dense ones; feature_list_sparse_indices, "
      "feature_list_sparse_values, feature_list_sparse_shapes and feature_list_dense_values are "
      "those of the lists";
  const std::string length_doc =
      ", padded with zeros; feature_list_dense_lengths has the length of each dense list.";
  r.Op({.name = "ParseSingleSequenceExample",
        .inputs = "serialized: string, feature_list_dense_missing_assumed_empty: string, "
                  "context_sparse_keys: Ncontext_sparse * string, context_dense_keys: "
                  "Ncontext_dense * string, feature_list_sparse_keys: Nfeature_list_sparse * "
                  "string, feature_list_dense_keys: Nfeature_list_dense * string, "
                  "context_dense_defaults: Tcontext_dense, debug_name: string",
        .outputs = context + lists,
        .attrs = counts + dense_count + types,
        .doc = "Parses a serialized tf.train.SequenceExample message" + doc +
               ". Ncontext_dense: the number of dense features in the context.",
        .contract = "serialized: scalar, feature_list_dense_missing_assumed_empty: vector, "
                    "debug_name: scalar",
        .shape = SequenceShape<Version::kSingle>,
        .no_gradient = true,
        .examples = {{"tf.parse_single_sequence_example(b'', {'a': tf.FixedLenFeature([], "
                      "tf.int64, 3)})[0]['a']",
                      "3"}}})
      .CpuAny(Parse, PrepareSequence<Version::kSingle>);
  r.Op({.name = "ParseSequenceExample",
        .inputs = "serialized: string, debug_name: string, context_dense_defaults: Tcontext_dense",
        .outputs = context + lists + lengths,
        .attrs = "feature_list_dense_missing_assumed_empty: list(string) >= 0, "
                 "context_sparse_keys: list(string) >= 0, context_dense_keys: list(string) >= 0, "
                 "feature_list_sparse_keys: list(string) >= 0, feature_list_dense_keys: "
                 "list(string) >= 0, " +
                 counts + dense_count + types,
        .doc = "Parses a vector of serialized tf.train.SequenceExample messages" + doc +
               length_doc + " Ncontext_dense: the number of dense features in the context.",
        .contract = "serialized: vector, debug_name: vector",
        .shape = SequenceShape<Version::kBatch>,
        .no_gradient = true,
        .examples = {{"tf.io.parse_sequence_example([b''], {'a': tf.FixedLenFeature([2], "
                      "tf.int64, [3, 4])})[0]['a']",
                      "[[3 4]]"}}})
      .CpuAny(Parse, PrepareSequence<Version::kBatch>);
  const std::string splits = ": list({int32, int64}) >= 0 = []";
  r.Op({.name = "ParseSequenceExampleV2",
        .inputs = "serialized: string, debug_name: string, context_sparse_keys: string, "
                  "context_dense_keys: string, context_ragged_keys: string, "
                  "feature_list_sparse_keys: string, feature_list_dense_keys: string, "
                  "feature_list_ragged_keys: string, feature_list_dense_missing_assumed_empty: "
                  "bool, context_dense_defaults: Tcontext_dense",
        .outputs = context +
                   ", context_ragged_values: context_ragged_value_types, "
                   "context_ragged_row_splits: context_ragged_split_types" +
                   lists + lengths +
                   ", feature_list_ragged_values: feature_list_ragged_value_types, "
                   "feature_list_ragged_outer_splits: feature_list_ragged_split_types, "
                   "feature_list_ragged_inner_splits: feature_list_ragged_split_types",
        .attrs = counts + types + ", context_ragged_value_types" + list +
                 ", context_ragged_split_types" + splits + ", feature_list_ragged_value_types" +
                 list + ", feature_list_ragged_split_types" + splits,
        .doc = "Parses one serialized tf.train.SequenceExample message, or a vector of them" + doc +
               length_doc +
               " Ragged features, named by context_ragged_keys and feature_list_ragged_keys, have "
               "values of the types context_ragged_value_types and feature_list_ragged_value_types "
               "and row splits of the types context_ragged_split_types and "
               "feature_list_ragged_split_types. They are returned as context_ragged_values with "
               "context_ragged_row_splits, and as feature_list_ragged_values with "
               "feature_list_ragged_outer_splits, the splits of the lists, and "
               "feature_list_ragged_inner_splits, the splits of their steps.",
        .contract = "serialized: rank 0..1, context_sparse_keys: vector, context_dense_keys: "
                    "vector, context_ragged_keys: vector, feature_list_sparse_keys: vector, "
                    "feature_list_dense_keys: vector, feature_list_ragged_keys: vector, "
                    "feature_list_dense_missing_assumed_empty: vector",
        .shape = SequenceShape<Version::kV2>,
        .no_gradient = true,
        .examples = {{"tf.raw_ops.ParseSequenceExampleV2.__name__", "ParseSequenceExampleV2"}}})
      .CpuAny(Parse, PrepareSequence<Version::kV2>);
}

}  // namespace tensh::ops
