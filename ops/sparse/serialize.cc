// Serialized sparse tensors, for queues and batches: as messages, or in a map under an integer
// handle.
#include <map>

#include "ops/op_file.h"
#include "ops/sparse/sparse_message.h"
#include "ops/support/prepare.h"
#include "ops/support/shared_name.h"

namespace tensh::ops {
namespace {

// ---- messages ----

Status Serialize(KernelCtx& c) {
  TENSH_OUTPUT(out, c.Output(0, Shape({3})));
  return PutSparse({c.in(0), c.in(1), c.in(2)}, *out, 0);
}

// Returns the sparse tensor for rows without values.
Result<Sparse> NoRows(const Sparse& s) {
  TENSH_ASSIGN(Tensor indices, Tensor::Make(DType::kInt64, Shape({0, s.rank - 1})));
  TENSH_ASSIGN(Tensor values, Tensor::Make(s.values.dtype(), Shape({0})));
  Sparse none;
  none.indices = std::move(indices);
  none.values = std::move(values);
  none.dims.assign(s.dims.begin() + 1, s.dims.end());
  none.rank = s.rank - 1;
  return none;
}

Status SerializeMany(KernelCtx& c) {
  TENSH_ASSIGN(const Sparse s, ReadSparse(c.in(0), &c.in(1), c.in(2), false));
  TENSH_RETURN_IF_ERROR(CheckRows(s));
  TENSH_ASSIGN(const Shape shape, DenseShape({s.dims[0], 3}));
  TENSH_OUTPUT(out, c.Output(0, shape));
  TENSH_ASSIGN(const Sparse none, NoRows(s));
  const Tensor rest = DimsTensor(none.dims);
  int64_t next = 0;
  const auto fill = [&](int64_t end) -> Status {
    for (; next < end; ++next)
      TENSH_RETURN_IF_ERROR(PutSparse({none.indices, none.values, rest}, *out, next * 3));
    return {};
  };
  TENSH_RETURN_IF_ERROR(ForEachRow(s, [&](int64_t row, const SparseParts& parts) -> Status {
    TENSH_RETURN_IF_ERROR(fill(row));
    next = row + 1;
    return PutSparse(parts, *out, row * 3);
  }));
  return fill(s.dims[0]);
}

Status Deserialize(KernelCtx& c) {
  const Tensor& in = c.in(0);
  std::vector<int64_t> outer;
  for (int d = 0; d + 1 < in.rank(); ++d) outer.push_back(in.dim(d));
  const int64_t n = in.num_elements() / 3;
  if (n == 0)
    return InvalidArgument(
        "Serialized sparse should have at least 1 serialized tensor, but has a zero dimension ",
        in.shape());
  std::vector<Sparse> parts;
  for (int64_t i = 0; i < n; ++i) {
    TENSH_ASSIGN(Sparse part, GetSparse(in, i * 3, c.out_dtype(1)));
    parts.push_back(std::move(part));
  }
  return GiveStacked(c, parts, std::move(outer));
}

// ---- sparse tensors in a map ----

class SparseTensorsMap : public Resource {
 public:
  int64_t Add(Sparse s) {
    std::lock_guard lock(mu_);
    tensors_.emplace(next_, std::move(s));
    return next_++;
  }
  Result<std::vector<Sparse>> Take(std::span<const int64_t> handles, const std::string& name) {
    std::lock_guard lock(mu_);
    std::vector<Sparse> taken;
    for (int64_t handle : handles) {
      auto found = tensors_.find(handle);
      if (found == tensors_.end())
        return InvalidArgument("Unable to find SparseTensor: ", handle, " in map: ", name);
      taken.push_back(std::move(found->second));
      tensors_.erase(found);
    }
    return taken;
  }

 private:
  std::mutex mu_;
  std::map<int64_t, Sparse> tensors_;
  int64_t next_ = 0;
};

struct MapState : KernelState {
  std::shared_ptr<SparseTensorsMap> map;
  std::string name;
  Status Read(PrepareCtx& c) {
    name = SharedName(c);
    map = c.resources().FindOrMake<SparseTensorsMap>(
        name, [] { return std::make_shared<SparseTensorsMap>(); });
    if (!map) return InvalidArgument("the resource '", name, "' is not a map of sparse tensors");
    return {};
  }
};

// Copies the tensor, because the value of a variable would change while it is in the map.
Result<Sparse> Kept(KernelCtx& c, const Tensor& indices, const Tensor& values,
                    const Tensor& shape) {
  Tensor own_indices = indices.DeepCopy(), own_values = values.DeepCopy();
  if (!own_indices || !own_values) return c.OutOfMemory();
  return ReadSparse(own_indices, &own_values, shape, false);
}

Status AddOne(KernelCtx& c) {
  TENSH_ASSIGN(Sparse s, Kept(c, c.in(0), c.in(1), c.in(2)));
  TENSH_OUTPUT(out, c.Output(0, Shape()));
  *out->data<int64_t>() = c.state<MapState>().map->Add(std::move(s));
  return {};
}

// As in TensorFlow, rows that have values get the first handles.
Status AddMany(KernelCtx& c) {
  TENSH_ASSIGN(const Sparse s, ReadSparse(c.in(0), &c.in(1), c.in(2), false));
  TENSH_RETURN_IF_ERROR(CheckRows(s));
  TENSH_ASSIGN(const Shape shape, DenseShape({s.dims[0]}));
  TENSH_OUTPUT(out, c.Output(0, shape));
  int64_t* handles = out->data<int64_t>();
  std::fill_n(handles, s.dims[0], int64_t{-1});
  SparseTensorsMap& map = *c.state<MapState>().map;
  TENSH_RETURN_IF_ERROR(ForEachRow(s, [&](int64_t row, const SparseParts& parts) -> Status {
    TENSH_ASSIGN(Sparse part, ReadSparse(parts[0], &parts[1], parts[2], false));
    handles[row] = map.Add(std::move(part));
    return {};
  }));
  TENSH_ASSIGN(const Sparse none, NoRows(s));
  for (int64_t row = 0; row < s.dims[0]; ++row)
    if (handles[row] < 0) handles[row] = map.Add(none);
  return {};
}

Status TakeMany(KernelCtx& c) {
  const auto& state = c.state<MapState>();
  const Tensor& handles = c.in(0);
  TENSH_ASSIGN(const std::vector<Sparse> parts,
               state.map->Take(handles.flat<int64_t>(), state.name));
  for (const Sparse& part : parts)
    if (part.values.dtype() != c.out_dtype(1))
      return InvalidArgument("Requested SparseTensor of type ", SignatureName(c.out_dtype(1)),
                             " but the map holds one of type ", SignatureName(part.values.dtype()));
  if (parts.empty())
    return InvalidArgument(
        "Must have at least 1 serialized SparseTensor, but input vector is empty");
  return GiveStacked(c, parts, {handles.dim(0)});
}

// ---- shapes ----

Status ThreeParts(ShapeCtx& c) {
  c.Set(0, Shape({3}));
  return {};
}
Status RowsOfParts(ShapeCtx& c) {
  c.Set(0, Shape({-1, 3}));
  return {};
}
Status SomeSparse(ShapeCtx& c) {
  c.Set(0, Shape({-1, -1}));
  c.Set(1, Shape({-1}));
  c.Set(2, Shape({-1}));
  return {};
}
Status SomeHandles(ShapeCtx& c) {
  c.Set(0, Shape({-1}));
  return {};
}

// ---- definitions ----

constexpr char kInputs[] = "sparse_indices: int64, sparse_values: T, sparse_shape: int64";
constexpr char kInputsDoc[] =
    " sparse_indices, sparse_values, of type T, and sparse_shape are the sparse tensor.";
constexpr char kOutputs[] = "sparse_indices: int64, sparse_values: dtype, sparse_shape: int64";
constexpr char kOutputsDoc[] =
    " sparse_indices, sparse_values, of type dtype, and sparse_shape are the result.";
constexpr char kContract[] = "sparse_indices: matrix, sparse_values: vector, sparse_shape: vector";
constexpr char kMapDoc[] =
    " The map is named shared_name, or after the node; container groups such names.";
constexpr char kMapAttrs[] = ", container: string = '', shared_name: string = ''";
const char* const kOne = "sparse_indices=[[0, 2]], sparse_values=[5], sparse_shape=[2, 3]";

void RegisterMessages(OpRegistry& r) {
  const std::string types = "T: type, out_type: {string, variant} = string";
  r.Op({.name = "SerializeSparse",
        .inputs = kInputs,
        .outputs = "serialized_sparse: out_type",
        .attrs = types,
        .doc = StrCat("Serializes a sparse tensor as three messages: serialized_sparse.",
                      kInputsDoc, " out_type: whether they are strings or variants."),
        .contract = kContract,
        .shape = ThreeParts,
        .no_gradient = true,
        .examples = {{StrCat("tf.strings.length(tf.raw_ops.SerializeSparse(", kOne, "))"),
                      "[30 14 26]"}}})
      .CpuAny(Serialize);
  r.Op({.name = "SerializeManySparse",
        .inputs = kInputs,
        .outputs = "serialized_sparse: out_type",
        .attrs = types,
        .doc = StrCat("Serializes a sparse tensor as three messages for each index of its first "
                      "dimension: serialized_sparse.",
                      kInputsDoc, " out_type: whether they are strings or variants."),
        .contract = kContract,
        .shape = RowsOfParts,
        .no_gradient = true,
        .examples = {{StrCat("tf.shape(tf.raw_ops.SerializeManySparse(", kOne, "))"), "[2 3]"}}})
      .CpuAny(SerializeMany);
  r.Op({.name = "DeserializeSparse",
        .inputs = "serialized_sparse: Tserialized",
        .outputs = kOutputs,
        .attrs = "dtype: type, Tserialized: {string, variant} = string",
        .doc = StrCat("Deserializes a sparse tensor from three messages, or several from rows of "
                      "three, which are stacked along new leading dimensions: serialized_sparse, "
                      "of type Tserialized.",
                      kOutputsDoc),
        .contract = "serialized_sparse: rank 1+ of 3",
        .shape = SomeSparse,
        .no_gradient = true,
        .examples = {{StrCat("tf.raw_ops.DeserializeSparse(serialized_sparse=tf.raw_ops."
                             "SerializeManySparse(",
                             kOne, "), dtype=tf.int32)[0]"),
                      "[[0 2]]"}}})
      .CpuAny(Deserialize);
  r.Op({.name = "DeserializeManySparse",
        .inputs = "serialized_sparse: string",
        .outputs = kOutputs,
        .attrs = "dtype: type",
        .doc = StrCat("Deserializes several sparse tensors and stacks them: each row of "
                      "serialized_sparse has the three messages of one.",
                      kOutputsDoc),
        .contract = "serialized_sparse: matrix of 3",
        .shape = SomeSparse,
        .no_gradient = true,
        .examples = {{StrCat("tf.raw_ops.DeserializeManySparse(serialized_sparse=tf.raw_ops."
                             "SerializeManySparse(",
                             kOne, "), dtype=tf.int32)[2]"),
                      "[2 3]"}}})
      .CpuAny(Deserialize);
}

}  // namespace

TENSH_OPS(sparse_serialize) {
  AddReaderOfParts();
  RegisterMessages(r);
  r.Op({.name = "AddSparseToTensorsMap",
        .inputs = kInputs,
        .outputs = "sparse_handle: int64",
        .attrs = StrCat("T: type", kMapAttrs),
        .doc = StrCat("Stores a sparse tensor in a map, under the number sparse_handle.",
                      kInputsDoc, kMapDoc),
        .contract = kContract,
        .shape = ScalarOutput,
        .no_gradient = true,
        .stateful = true,
        .examples = {{StrCat("tf.raw_ops.AddSparseToTensorsMap(", kOne, ")"), "0"}}})
      .CpuAny(AddOne, PrepareFrom<MapState>);
  r.Op({.name = "AddManySparseToTensorsMap",
        .inputs = kInputs,
        .outputs = "sparse_handles: int64",
        .attrs = StrCat("T: type", kMapAttrs),
        .doc =
            StrCat("Stores the rows of a sparse tensor in a map, under the numbers sparse_handles.",
                   kInputsDoc, kMapDoc),
        .contract = kContract,
        .shape = SomeHandles,
        .no_gradient = true,
        .stateful = true,
        .examples = {{StrCat("tf.raw_ops.AddManySparseToTensorsMap(", kOne, ")"), "[0 1]"}}})
      .CpuAny(AddMany, PrepareFrom<MapState>);
  r.Op({.name = "TakeManySparseFromTensorsMap",
        .inputs = "sparse_handles: int64",
        .outputs = kOutputs,
        .attrs = StrCat("dtype: type", kMapAttrs),
        .doc = StrCat("Takes sparse tensors out of a map, by their numbers sparse_handles, and "
                      "stacks them along a new first dimension.",
                      kOutputsDoc, kMapDoc),
        .contract = "sparse_handles: vector",
        .shape = SomeSparse,
        .no_gradient = true,
        .stateful = true,
        .examples = {{StrCat("tf.raw_ops.TakeManySparseFromTensorsMap(sparse_handles=tf.raw_ops."
                             "AddManySparseToTensorsMap(",
                             kOne, ", shared_name='m'), dtype=tf.int32, shared_name='m')[0]"),
                      "[[0 2]]"}}})
      .CpuAny(TakeMany, PrepareFrom<MapState>);
}

}  // namespace tensh::ops
