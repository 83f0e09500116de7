// Creation of the various kinds of lookup tables.
#include "ops/data_flow/before_v2.h"
#include "ops/data_flow/lookup_table.h"
#include "ops/op_file.h"
#include "ops/support/shape_util.h"

namespace tensh::ops {
namespace {

struct TableState : KernelState {
  TableSpec spec;
  ResourceTable* resources = nullptr;  // null for an anonymous table
  std::string name;
  int64_t buckets = 0;  // of a dense table
  float max_load = 0;
  Tensor handle;  // set if it can be created before the step
};

Result<Tensor> MakeHandle(const TableState& state, const TableSpec& spec) {
  if (!state.resources)
    return Tensor::Scalar(ResourceHandle{std::make_shared<LookupTable>(spec), spec.kind});
  auto table = state.resources->FindOrMake<LookupTable>(
      state.name, [&] { return std::make_shared<LookupTable>(spec); });
  if (!table) return InvalidArgument("the resource '", state.name, "' is not a table");
  const TableSpec& have = table->spec();
  if (have.key != spec.key || have.value != spec.value || have.kind != spec.kind)
    return InvalidArgument("Conflicting key/value dtypes ", SignatureName(spec.key), "->",
                           SignatureName(spec.value), " with ", SignatureName(have.key), "->",
                           SignatureName(have.value), " for table ", state.name);
  return Tensor::Scalar(ResourceHandle{std::move(table), state.name});
}

Status CheckTypes(const TableSpec& spec) {
  if (!IsInteger(spec.key) && spec.key != DType::kString && spec.key != DType::kBool)
    return InvalidArgument("a table's keys are integers or strings, not ", SignatureName(spec.key));
  if (!IsPod(spec.value) && spec.value != DType::kString)
    return InvalidArgument("a table's values cannot be of type ", SignatureName(spec.value));
  return {};
}

template <bool kFixed, bool kAnonymous>
Result<std::unique_ptr<KernelState>> PrepareTable(PrepareCtx& c) {
  auto state = std::make_unique<TableState>();
  TableSpec& spec = state->spec;
  spec.key = c.attrs().Type("key_dtype");
  spec.value = c.attrs().Type("value_dtype");
  spec.fixed = kFixed;
  spec.kind = kFixed ? "HashTable" : c.num_inputs() ? "MutableDenseHashTable" : "MutableHashTable";
  if (const AttrValue* shape = c.attrs().Find("value_shape")) {
    spec.value_shape = *shape->Find<Shape>();
    if (!spec.value_shape.IsFullyKnown())
      return InvalidArgument("value_shape must be fully known, got ", spec.value_shape);
    if (spec.value_shape.rank() > 1 && !c.num_inputs())
      return InvalidArgument("Default value must be a vector, got shape ", spec.value_shape);
  }
  TENSH_RETURN_IF_ERROR(CheckTypes(spec));
  if (!kAnonymous) {
    const std::string& shared = c.attrs().String("shared_name");
    spec.name = shared.empty() ? std::string(c.node_name()) : shared;
    state->name = InContainer(c.attrs(), spec.name);
    state->resources = &c.resources();
  }
  if (c.num_inputs()) {
    const int64_t buckets = c.attrs().Int("initial_num_buckets");
    if (buckets < 1 || (buckets & (buckets - 1)))
      return InvalidArgument("initial_num_buckets must be a power of 2, got: ", buckets);
    const float load = c.attrs().Float("max_load_factor");
    if (!(load > 0 && load < 1))
      return InvalidArgument("max_load_factor must be between 0 and 1, got: ", load);
    state->buckets = buckets;
    state->max_load = load;
  } else if (!kAnonymous) {
    TENSH_ASSIGN(state->handle, MakeHandle(*state, spec));
  }
  return std::unique_ptr<KernelState>(std::move(state));
}

Status Handle(KernelCtx& c) {
  const auto& state = c.state<TableState>();
  if (state.handle) {
    c.SetOutput(0, state.handle);
    return {};
  }
  TENSH_ASSIGN(Tensor handle, MakeHandle(state, state.spec));
  c.SetOutput(0, std::move(handle));
  return {};
}

// Creates a dense table. The inputs are two reserved keys, which also define the shape of a key.
Status DenseHandle(KernelCtx& c) {
  const auto& state = c.state<TableState>();
  const Tensor &empty = c.in(0), &deleted = c.in(1);
  if (empty.rank() > 1)
    return InvalidArgument("Empty key must be a scalar or a vector, got shape ", empty.shape());
  if (!(empty.shape() == deleted.shape()))
    return InvalidArgument("Empty and deleted keys must have same shape, got shapes: ",
                           empty.shape(), " and ", deleted.shape());
  TableSpec spec = state.spec;
  spec.key_shape = empty.shape();
  TENSH_ASSIGN(Tensor handle, MakeHandle(state, spec));
  auto* table = static_cast<LookupTable*>(handle.data<ResourceHandle>()->resource.get());
  if (!(table->spec().key_shape == empty.shape()))
    return InvalidArgument("the table '", state.name, "' has keys of shape ",
                           table->spec().key_shape);
  TENSH_RETURN_IF_ERROR(table->Reserve(empty, deleted, state.buckets, state.max_load));
  c.SetOutput(0, std::move(handle));
  return {};
}

Status DenseShape(ShapeCtx& c) {
  TENSH_RETURN_IF_ERROR(MergeShapes(c.in(0), c.in(1)).status());
  c.Set(0, Shape());
  return {};
}

constexpr char kNames[] =
    "container: string = '', shared_name: string = '', use_node_name_sharing: bool = false, ";
constexpr char kTypes[] = "key_dtype: type, value_dtype: type";
constexpr char kDense[] =
    ", value_shape: shape = [], initial_num_buckets: int = 131072, "
    "max_load_factor: float = 0.800000011920929";

OpSpec Spec(const char* name, bool anonymous, const char* more, const char* what, bool dense,
            OpText call) {
  std::string doc = StrCat(
      what, " table_handle refers to it. Keys are of type key_dtype, values of type value_dtype.");
  if (*more) doc += " value_shape: the shape of one value.";
  if (dense)
    doc +=
        " empty_key and deleted_key: two keys that must not be used. initial_num_buckets and "
        "max_load_factor determine the number of buckets, which LookupTableExportV2 shows.";
  if (!anonymous)
    doc +=
        " Nodes with the same shared_name in the same container refer to the same table; with "
        "use_node_name_sharing, an empty shared_name is replaced by the name of the node.";
  return {.name = name,
          .inputs = dense ? "empty_key: key_dtype, deleted_key: key_dtype" : "",
          .outputs = "table_handle: resource",
          .attrs = StrCat(anonymous ? "" : kNames, kTypes, more),
          .doc = doc,
          .shape = dense ? DenseShape : ScalarOutput,
          .no_gradient = true,
          .stateful = true,
          .examples = {{StrCat("tf.raw_ops.LookupTableSizeV2(table_handle=", call, ")"), "0"}}};
}

std::string Call(const char* op, const char* first) {
  return StrCat("tf.raw_ops.", op, "(", first, *first ? "" : "key_dtype=tf.int64, ",
                "value_dtype=tf.float32)");
}

void Register(OpRegistry& r, bool anonymous) {
  const auto add = [&](const char* name, const char* more, const char* what, KernelFn fn,
                       PrepareFn prepare) {
    const bool dense = fn == DenseHandle;
    OpSpec spec = Spec(name, anonymous, more, what, dense,
                       Call(name, dense ? "empty_key=tf.constant(-1, tf.int64), "
                                          "deleted_key=tf.constant(-2, tf.int64), "
                                        : ""));
    // The older dense table has no input deleted_key, which TensorFlow's kernel requires.
    if (!anonymous && !dense)
      r.Op(BeforeV2(spec,
                    {StrCat("tf.raw_ops.LookupTableSize(table_handle=",
                            Call(std::string(spec.name, 0, spec.name.size() - 2).c_str(), ""), ")"),
                     "0"}))
          .CpuAny(fn, prepare);
    r.Op(std::move(spec)).CpuAny(fn, prepare);
  };
  const PrepareFn change = anonymous ? PrepareTable<false, true> : PrepareTable<false, false>;
  const char* shape = ", value_shape: shape = []";
  add(anonymous ? "AnonymousHashTable" : "HashTableV2", "",
      "An immutable table, which InitializeTableV2 fills.", Handle,
      anonymous ? PrepareTable<true, true> : PrepareTable<true, false>);
  add(anonymous ? "AnonymousMutableHashTable" : "MutableHashTableV2", "",
      "A mutable table, into which LookupTableInsertV2 inserts values.", Handle, change);
  add(anonymous ? "AnonymousMutableHashTableOfTensors" : "MutableHashTableOfTensorsV2", shape,
      "A mutable table whose values are tensors.", Handle, change);
  add(anonymous ? "AnonymousMutableDenseHashTable" : "MutableDenseHashTableV2", kDense,
      "A mutable table whose keys may be vectors.", DenseHandle, change);
}

}  // namespace

TENSH_OPS(data_flow_make_table) {
  Register(r, false);
  Register(r, true);
}

}  // namespace tensh::ops
