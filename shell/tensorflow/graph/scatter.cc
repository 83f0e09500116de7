// tf.scatter_update and similar functions, and reading rows of a resource variable. After an update
// of a resource, a read that waits for it returns the new value.
#include "shell/tensorflow/graph/scatter.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/indexed_slices.h"
#include "shell/tensorflow/graph/shape.h"
#include "shell/tensorflow/graph/variable.h"

namespace tensh::shell::tf {
namespace {

VariableObject* ResourceOf(const Value& v) {
  auto* var = As<VariableObject>(v);
  return var && var->is_resource() ? var : nullptr;
}

// `op` is a name such as "ScatterAdd". The resource form has the prefix "Resource".
Value ScatterInto(const Value& ref, const char* op, const Value& indices, const Value& updates,
                  const Value& locking, std::string_view name) {
  if (VariableObject* var = ResourceOf(ref)) {
    GraphObject& g = var->graph();
    Node node;
    {
      OpCall call(g, std::string("Resource") + op, name);
      call.In(var->Reference()).In(indices);
      node = call.In(Convert(g, updates, "updates", {.dtype = BaseType(var->DType())})).AddNode();
    }
    ControlScope after(g, {node});
    return g.Tensor(var->Read());
  }
  GraphObject& g = GraphOf({&ref, &indices, &updates});
  OpCall call(g, op, name);
  call.In(ref).In(indices).In(updates);
  if (!locking.is_none()) call.attrs().Bool("use_locking", Truth(locking));
  return call.AddValue();
}

// Arguments: ref, indices, updates, use_locking, name. The row's data is the op.
Value ScatterFn(Args& a) {
  return ScatterInto(a[0], static_cast<const char*>(a.row().data), a[1], a[2], a[3],
                     NameText(a[4]));
}

constexpr const char* kAdding = "ref, indices, updates, use_locking=False, name=None";
constexpr const char* kSetting = "ref, indices, updates, use_locking=True, name=None";

const FunctionRow kRows[] = {
    {"scatter_update", kSetting, ScatterFn, "Sets rows of a variable.", "ScatterUpdate"},
    {"scatter_add", kAdding, ScatterFn, "Adds to rows of a variable.", "ScatterAdd"},
    {"scatter_sub", kAdding, ScatterFn, "Subtracts from rows of a variable.", "ScatterSub"},
    {"scatter_mul", kAdding, ScatterFn, "Multiplies rows of a variable.", "ScatterMul"},
    {"scatter_div", kAdding, ScatterFn, "Divides rows of a variable.", "ScatterDiv"},
    {"scatter_min", kAdding, ScatterFn,
     "Replaces rows of a variable by the minimum of their value and updates.", "ScatterMin"},
    {"scatter_max", kAdding, ScatterFn,
     "Replaces rows of a variable by the maximum of their value and updates.", "ScatterMax"},
    {"scatter_nd_update", kSetting, ScatterFn, "Sets slices of a variable.", "ScatterNdUpdate"},
    {"scatter_nd_add", kAdding, ScatterFn, "Adds to slices of a variable.", "ScatterNdAdd"},
    {"scatter_nd_sub", kAdding, ScatterFn, "Subtracts from slices of a variable.", "ScatterNdSub"},
};

}  // namespace

// Arguments: sparse_delta, use_locking, name.
Value ScatterRowsMethod(Args& a) {
  auto* rows = As<IndexedSlicesObject>(a[0]);
  if (!rows) throw TypeError("sparse_delta is not IndexedSlices: " + Repr(a[0]));
  return ScatterInto(a.self(), static_cast<const char*>(a.row().data), rows->indices(),
                     rows->values(), a[1], NameText(a[2]));
}

// Arguments: indices, updates, name.
Value ScatterNdMethod(Args& a) {
  return ScatterInto(a.self(), static_cast<const char*>(a.row().data), a[0], a[1], Value::None(),
                     NameText(a[2]));
}

Value SparseReadMethod(Args& a) {
  VariableObject& var = *As<VariableObject>(a.self());
  if (!var.is_resource())
    return var.graph().Tensor(Op(var.graph(), "GatherV2",
                                 {Arg(var.Snapshot()), Arg(a[0]), Arg(Value::Int(0))},
                                 NameText(a[1])));
  return var.graph().Tensor(GatherResource(var, a[0], NameText(a[1])));
}

std::span<const FunctionRow> ScatterRows() { return kRows; }

Out GatherResource(VariableObject& var, const Value& indices, std::string_view name) {
  GraphObject& g = var.graph();
  NameScope scope(g, name.empty() ? "Gather" : name);
  OpCall call(g, "ResourceGather", g.scope);
  const Out rows = call.In(var.Reference()).In(indices).Type("dtype", BaseType(var.DType())).Add();
  const ShapeInfo table = var.Shape();
  const ShapeInfo picked = g.handle().Shape(g.handle().Input(rows.node, 1));
  if (table.rank > 0 && picked.rank >= 0 && table.rank - 1 + picked.rank <= TSH_MAX_RANK) {
    std::vector<int64_t> dims(picked.dims().begin(), picked.dims().end());
    dims.insert(dims.end(), table.dims().begin() + 1, table.dims().end());
    g.handle().NarrowShape(rows, dims);
  }
  return Op(g, "Identity", {rows});
}

}  // namespace tensh::shell::tf
