#include "shell/tensorflow/graph/variable.h"
#include "shell/python/vm/library.h"

#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/control_flow.h"
#include "shell/tensorflow/graph/names.h"
#include "shell/tensorflow/graph/op_call.h"
#include "shell/tensorflow/graph/scatter.h"
#include "shell/tensorflow/graph/session.h"
#include "shell/tensorflow/graph/shape.h"
#include "shell/tensorflow/graph/tensor.h"

namespace tensh::shell::tf {

// ---- VariableObject ----

bool VariableObject::IsLive() const { return graph_->Live(snapshot_.node, generation_); }
void VariableObject::Check() const { graph_->CheckLive(snapshot_.node, generation_, "variable"); }
Out VariableObject::Reference() const { return Check(), reference_; }
Out VariableObject::Snapshot() const { return Check(), snapshot_; }
Node VariableObject::Initializer() const { return Check(), initializer_; }
Out VariableObject::InitialValue() const { return Check(), initial_value_; }
Out VariableObject::Element() const { return is_resource_ ? Snapshot() : Reference(); }
ShapeInfo VariableObject::Shape() const { return graph_->handle().Shape(Element()); }
int VariableObject::DType() const { return graph_->handle().DType(Element()); }
std::string VariableObject::OpName() const { return graph_->handle().NodeName(Reference().node); }
std::string VariableObject::Name() const { return OpName() + ":0"; }

Out VariableObject::SaveTensor() const { return Element(); }

Node VariableObject::AddRestore(Out value, bool validate_shape) const {
  if (is_resource_) {
    const Out copy = Op(*graph_, "Identity", {value});
    OpCall call(*graph_, "AssignVariableOp");
    return call.In(Reference()).In(copy).AddNode();
  }
  OpCall call(*graph_, "Assign");
  call.In(Reference()).In(value).attrs().Bool("validate_shape", validate_shape);
  return call.AddNode();
}

// ---- construction ----

class VariableMaker {
 public:
  VariableMaker(GraphObject& g, const VariableSpec& spec) : g_(g), spec_(spec) {}

  Ref<VariableObject> Make() {
    ControlScope no_controls(g_);
    // A variable that is created in a loop or branch is not part of it.
    FlowScope outside(g_, nullptr);
    NameScope scope(g_, spec_.name.empty() ? "Variable" : spec_.name);
    made_ = New<VariableObject>(g_, spec_.use_resource);
    made_->trainable = spec_.trainable;
    made_->constraint = spec_.constraint;
    MakeInitial();
    spec_.use_resource ? AddResourceNodes() : AddNodes();
    AddToCollections();
    return made_;
  }

 private:
  void MakeInitial() {
    if (!spec_.make_initial && !spec_.use_resource) {
      ConvertOptions options;
      options.dtype = spec_.dtype;
      made_->initial_value_ = Convert(g_, spec_.initial, "initial_value", options);
      return;
    }
    std::string variable_name = g_.scope.substr(0, g_.scope.size() - 1);
    NameScope scope(g_, "Initializer");
    g_.colocations.push_back({variable_name});
    std::vector<DeviceFrame> devices = std::exchange(g_.devices, {});
    g_.RebuildDevice();
    struct Restore {
      GraphObject& g;
      std::vector<DeviceFrame>& devices;
      ~Restore() {
        g.colocations.pop_back();
        g.devices = std::move(devices);
        g.RebuildDevice();
      }
    } restore{g_, devices};
    if (spec_.make_initial) {
      made_->initial_value_ = spec_.make_initial();
      return;
    }
    ConvertOptions options;
    options.dtype = spec_.dtype;
    made_->initial_value_ = Convert(g_, spec_.initial, "initial_value", options);
  }

  bool InitialShape(ShapeInfo* shape) {
    *shape = g_.handle().Shape(made_->initial_value_);
    bool known = shape->rank >= 0;
    for (int64_t d : shape->dims()) known &= d >= 0;
    if (known || !spec_.validate_shape) return known;
    throw ValueError("initial_value must have a shape specified: " +
                     Str(g_.Tensor(made_->initial_value_)));
  }

  void AddResourceNodes() {
    const Out initial = made_->initial_value_;
    const std::string path = g_.scope, name = path.substr(0, path.size() - 1);
    const int dtype = BaseType(g_.handle().DType(initial));
    ShapeInfo shape;
    const bool known = InitialShape(&shape);
    Attrs attrs;
    attrs.Type("dtype", dtype).String("shared_name", name);
    known ? attrs.Shape("shape", shape.dims()) : attrs.UnknownShape("shape");
    made_->reference_ = {g_.Add("VarHandleOp", path, {}, attrs), 0};
    {
      NameScope scope(g_, "IsInitialized");
      Op(g_, "VarIsInitializedOp", {made_->reference_});
    }
    {
      OpCall assign(g_, "AssignVariableOp", "Assign");
      made_->initializer_ = assign.In(made_->reference_).In(initial).AddNode();
    }
    {
      NameScope scope(g_, "Read");
      OpCall read(g_, "ReadVariableOp");
      read.In(made_->reference_).Type("dtype", dtype);
      made_->snapshot_ = read.Add();
    }
    g_.handle().NarrowShape(made_->snapshot_, shape);
    made_->generation_ = g_.handle().generation();
  }

  void AddNodes() {
    const Out initial = made_->initial_value_;
    const int dtype = BaseType(g_.handle().DType(initial));
    ShapeInfo shape;
    const bool known = InitialShape(&shape);
    Attrs attrs;
    attrs.Type("dtype", dtype);
    known ? attrs.Shape("shape", shape.dims()) : attrs.UnknownShape("shape");
    made_->reference_ = {g_.Add("VariableV2", g_.scope, {}, attrs), 0};
    {
      OpCall assign(g_, "Assign");  // its name scope ends here
      assign.In(made_->reference_).In(initial);
      if (!spec_.validate_shape) assign.attrs().Bool("validate_shape", false);
      made_->initializer_ = assign.AddNode();
    }
    {
      ColocateScope with(g_, made_->reference_.node);
      made_->snapshot_ = Op(g_, "Identity", {made_->reference_}, "read");
    }
    made_->generation_ = g_.handle().generation();
  }

  void AddToCollections() {
    std::vector<std::string> names = {spec_.local ? kLocalVariables : kGlobalVariables};
    if (spec_.collections) names = *spec_.collections;
    const bool listed = std::find(names.begin(), names.end(), kTrainableVariables) != names.end();
    if (spec_.trainable && !spec_.local && !listed) names.push_back(kTrainableVariables);
    for (const std::string& name : names) g_.Collection(name).push_back(made_);
  }

  GraphObject& g_;
  const VariableSpec& spec_;
  Ref<VariableObject> made_;
};

Ref<VariableObject> MakeVariable(GraphObject& g, const VariableSpec& spec) {
  return VariableMaker(g, spec).Make();
}

std::vector<Value> VariablesOf(GraphObject& g, const char* collection) {
  return g.Collection(collection);
}

Value VariableOf(GraphObject& g, const VariableParts& parts) {
  Ref<VariableObject> made = New<VariableObject>(g, parts.is_resource);
  made->reference_ = parts.reference;
  made->snapshot_ = parts.snapshot;
  made->initial_value_ = parts.initial_value;
  made->initializer_ = parts.initializer;
  made->trainable = parts.trainable;
  made->generation_ = g.handle().generation();
  return made;
}

VariableObject* FindVariable(const Value& v) {
  if (auto* var = As<VariableObject>(v)) return var;
  auto* t = As<TensorObject>(v);
  if (!t) return nullptr;
  for (const char* name : {kGlobalVariables, kLocalVariables}) {
    for (const Value& item : t->graph().Collection(name)) {
      auto* var = As<VariableObject>(item);
      if (!var) continue;
      const Out ref = var->Reference(), read = var->Snapshot();
      if (t->out().node == ref.node || t->out().node == read.node) return var;
    }
  }
  return nullptr;
}

namespace {

VariableObject& Self(const Value& v) { return *As<VariableObject>(v); }
VariableObject& Self(Args& a) { return Self(a.self()); }

std::string VariableRepr(const Value& v) {
  VariableObject& var = Self(v);
  return "<tf.Variable '" + var.Name() + "' shape=" + ShapeText(var.Shape()) +
         " dtype=" + DTypeName(var.DType()) + ">";
}

Value AsTensor(const Value& v) { return Self(v).graph().Tensor(Self(v).Read()); }

std::vector<std::string> CollectionNames(const Value& v) {
  std::vector<std::string> names;
  for (const Value& name : ToVector(v)) names.push_back(ToText(name, "collection"));
  return names;
}

}  // namespace

Value CheckedConstraint(const Value& v) {
  if (v.is_none() || IsCallable(v)) return v;
  throw ValueError("The `constraint` argument must be a callable.");
}

namespace {

// Returns the variable of nodes that exist: (handle, read, initializer). The opener of models passes
// these in place of a VariableDef.
Value VariableOfNodes(const Value& nodes, bool trainable) {
  const std::vector<Value> given = As<TupleObject>(nodes) ? ToVector(nodes) : std::vector<Value>{};
  auto* handle = given.size() == 3 ? As<TensorObject>(given[0]) : nullptr;
  if (!handle) throw TypeError("variable_def must be (handle, read, initializer)");
  GraphObject& g = handle->graph();
  VariableParts parts;
  parts.reference = handle->out();
  parts.snapshot = parts.initial_value = ToElement(g, given[1], "variable_def").out;
  parts.initializer = ToElement(g, given[2], "variable_def").node;
  if (!Exists(parts.snapshot) || parts.initializer == TSH_NO_NODE)
    throw TypeError("variable_def must be (handle, read, initializer)");
  parts.is_resource = true;
  parts.trainable = trainable;
  return VariableOf(g, parts);
}

Value NewVariable(Args& a) {
  if (!a[6].is_none()) return VariableOfNodes(a[6], a[1].is_none() || Truth(a[1]));
  VariableSpec spec;
  spec.initial = a[0];
  if (a[0].is_none()) throw ValueError("initial_value must be specified.");
  spec.trainable = a[1].is_none() || Truth(a[1]);
  if (!a[2].is_none()) spec.collections = CollectionNames(a[2]);
  spec.validate_shape = Truth(a[3]);
  spec.name = NameText(a[5]);
  spec.dtype = a[7].is_none() ? 0 : BaseType(ToDType(a[7]));
  spec.use_resource = a[11].is_none() ? ResourceByDefault() : Truth(a[11]);
  spec.constraint = CheckedConstraint(a[10]);
  GraphObject* found = FindGraphOf(a[0]);
  GraphObject& g = found ? *found : DefaultGraph();
  if (IsCallable(a[0]) && !As<TensorObject>(a[0]) && !As<VariableObject>(a[0])) {
    Value make = a[0];
    const int dtype = spec.dtype;
    spec.make_initial = [&g, make, dtype] {
      ConvertOptions options;
      options.dtype = dtype;
      return Convert(g, Call(make, {}), "initial_value", options);
    };
  }
  return MakeVariable(g, spec);
}

// assign, assign_add, assign_sub. The row's data is the op.
Value Update(Args& a) {
  VariableObject& var = Self(a);
  const std::string op = static_cast<const char*>(a.row().data);
  if (var.is_resource())
    return UpdateResource(var, (op + "VariableOp").c_str(), a[0], NameText(a[2]), Truth(a[3]));
  OpCall call(var.graph(), op, NameText(a[2]));
  call.In(var.Reference()).In(a[0]);
  if (!a[1].is_none()) call.attrs().Bool("use_locking", Truth(a[1]));
  Value updated = call.AddValue();
  if (Truth(a[3])) return updated;
  return As<TensorObject>(updated)->graph().Operation(As<TensorObject>(updated)->out().node);
}

Value ReadValue(Args& a) {
  GraphObject& g = Self(a).graph();
  if (Self(a).is_resource()) return AsTensor(a.self());
  return g.Tensor(Op(g, "Identity", {Self(a).Reference()}, "read"));
}

Value GetValue(Args& a) { return AsTensor(a.self()); }

// Returns the value for a later initializer: an uninitialized variable is represented by its
// initial value. No control flow is needed, because the initializing step reads both.
Value InitializedValue(Args& a) {
  return Call(FromLibrary("core", Intern("_initialized_value")), {a.self()});
}

Value EvalVariable(Args& a) {
  const Value read = Self(a).graph().Tensor(Self(a).Snapshot());
  return EvalTensor(read, Value::None(), a[0]);
}

Value Load(Args& a) {
  VariableObject& var = Self(a);
  SessionObject& session = SessionFor(
      a[1], var.graph(),
      "Either session argument should be provided or default session should be established");
  const Node init = var.Initializer();
  session.RunFeeding(init, var.graph().handle().Input(init, 1), a[0]);
  return Value::None();
}

Value SetShape(Args& a) {
  if (!Self(a).is_resource()) SetTensorShape(Self(a).graph(), Self(a).Reference(), a[0]);
  SetTensorShape(Self(a).graph(), Self(a).Snapshot(), a[0]);
  return Value::None();
}

constexpr const char* kDelta = "sparse_delta, use_locking=False, name=None";
constexpr const char* kPlaces = "indices, updates, name=None";

const FunctionRow kMethods[] = {
    {"assign", "value, use_locking=False, name=None, read_value=True", Update,
     "Assigns a new value.", "Assign"},
    {"assign_add", "delta, use_locking=False, name=None, read_value=True", Update,
     "Adds to the variable.", "AssignAdd"},
    {"assign_sub", "delta, use_locking=False, name=None, read_value=True", Update,
     "Subtracts from the variable.", "AssignSub"},
    {"value", "", GetValue, "Returns the tensor that reads the variable."},
    {"read_value", "", ReadValue, "Adds a new read of the variable."},
    {"initialized_value", "", InitializedValue,
     "Returns the value, or the initial value if the variable is uninitialized."},
    {"eval", "session=None", EvalVariable, "Evaluates the variable in a session."},
    {"load", "value, session=None", Load, "Sets the value from Python without adding a node."},
    {"get_shape", "", [](Args& a) { return GetAttr(a.self(), "shape"); },
     "Returns the static shape."},
    {"set_shape", "shape", SetShape, "Adds information to the static shape."},
    {"_set_initializer", "op",
     [](Args& a) -> Value {
       auto* op = As<OperationObject>(a[0]);
       if (op == nullptr) throw TypeError("an initializer is an operation, got " + Repr(a[0]));
       As<VariableObject>(a.self())->SetInitializer(op->node());
       return Value::None();
     },
     "Replaces the operation that assigns the initial value."},
    {"count_up_to", "limit",
     [](Args& a) -> Value {
       OpCall call(Self(a).graph(), "CountUpTo");
       call.In(Self(a).Reference()).attrs().Int("limit", ToIndex(a[0]));
       return call.AddValue();
     },
     "Increments the variable up to a limit."},
    {"scatter_add", kDelta, ScatterRowsMethod, "Adds to rows.", "ScatterAdd"},
    {"scatter_sub", kDelta, ScatterRowsMethod, "Subtracts from rows.", "ScatterSub"},
    {"scatter_update", kDelta, ScatterRowsMethod, "Sets rows.", "ScatterUpdate"},
    {"scatter_mul", kDelta, ScatterRowsMethod, "Multiplies rows.", "ScatterMul"},
    {"scatter_div", kDelta, ScatterRowsMethod, "Divides rows.", "ScatterDiv"},
    {"scatter_min", kDelta, ScatterRowsMethod,
     "Replaces rows by the minimum of their value and updates.", "ScatterMin"},
    {"scatter_max", kDelta, ScatterRowsMethod,
     "Replaces rows by the maximum of their value and updates.", "ScatterMax"},
    {"scatter_nd_add", kPlaces, ScatterNdMethod, "Adds to slices.", "ScatterNdAdd"},
    {"scatter_nd_sub", kPlaces, ScatterNdMethod, "Subtracts from slices.", "ScatterNdSub"},
    {"scatter_nd_update", kPlaces, ScatterNdMethod, "Sets slices.", "ScatterNdUpdate"},
    {"sparse_read", "indices, name=None", SparseReadMethod, "Reads rows of the value."},
};

Value NodeTensor(const Value& v, Out (VariableObject::*get)() const) {
  return Self(v).graph().Tensor((Self(v).*get)());
}

const PropertyRow kProperties[] = {
    {"name", [](const Value& v) { return MakeStr(Self(v).Name()); }},
    {"op", [](const Value& v) { return Self(v).graph().Operation(Self(v).Reference().node); }},
    {"dtype", [](const Value& v) { return DTypeValue(Self(v).DType()); }},
    {"shape", [](const Value& v) { return ShapeValue(Self(v).Shape()); }},
    {"device",
     [](const Value& v) {
       return MakeStr(Self(v).graph().handle().Device(Self(v).Reference().node));
     }},
    {"graph", [](const Value& v) { return Value(&Self(v).graph()); }},
    {"initializer",
     [](const Value& v) { return Self(v).graph().Operation(Self(v).Initializer()); }},
    {"initial_value", [](const Value& v) { return NodeTensor(v, &VariableObject::InitialValue); }},
    {"trainable", [](const Value& v) { return Value::Bool(Self(v).trainable); }},
    {"constraint", [](const Value& v) { return Self(v).constraint; }},
    {"_variable", [](const Value& v) { return NodeTensor(v, &VariableObject::Reference); }},
    {"_snapshot", [](const Value& v) { return NodeTensor(v, &VariableObject::Snapshot); }},
};

const FunctionRow kNewVariable = {
    "Variable",
    "initial_value=None, trainable=None, collections=None, validate_shape=True, "
    "caching_device=None, name=None, variable_def=None, dtype=None, expected_shape=None, "
    "import_scope=None, constraint=None, use_resource=None, synchronization=None, "
    "aggregation=None, shape=None",
    NewVariable, "A value that persists between steps."};

// Returns the operand of an operator. AsOut documents when it differs from the usual read.
Value Operand(const Value& v) {
  GraphObject& g = Self(v).graph();
  return g.Tensor(AsOut(g, v));
}

Value VariableBinary(BinaryOp op, const Value& a, const Value& b, bool reflected) {
  return TensorBinary(op, As<VariableObject>(a) ? Operand(a) : a,
                      As<VariableObject>(b) ? Operand(b) : b, reflected);
}

Value VariableCompare(CompareOp op, const Value& a, const Value& b) {
  if (op == CompareOp::kEq || op == CompareOp::kNe) return Value::NotImplemented();
  return TensorCompare(op, Operand(a), b);
}

Value VariableGetItem(const Value& v, const Value& key) { return TensorGetItem(Operand(v), key); }
Value VariableUnary(UnaryOp op, const Value& v) { return TensorUnary(op, Operand(v)); }
Value VariableIter(const Value&) { throw TypeError("'Variable' object is not iterable."); }

}  // namespace

namespace {

constexpr TypeInfo VariableType(const char* name, const TypeInfo* base) {
  return {.name = name,
          .base = base,
          .module = "tensorflow.python.ops.variables",
          .doc = "A value that persists between steps.",
          .methods = kMethods,
          .properties = kProperties,
          .construct = &kNewVariable,
          .repr = VariableRepr,
          .compare = VariableCompare,
          .binary = VariableBinary,
          .unary = VariableUnary,
          .getitem = VariableGetItem,
          .iter = VariableIter,
          .setattr = OpenObject::SetAttribute};
}

const PropertyRow kResourceProperties[] = {
    {"handle", [](const Value& v) { return NodeTensor(v, &VariableObject::Reference); }},
    {"_graph_element", [](const Value& v) { return NodeTensor(v, &VariableObject::Snapshot); }},
    {"create", [](const Value& v) { return Self(v).graph().Operation(Self(v).Initializer()); }},
};

}  // namespace

const TypeInfo VariableObject::kType = VariableType("RefVariable", nullptr);
const TypeInfo VariableObject::kResourceType = [] {
  TypeInfo type = VariableType("ResourceVariable", &VariableObject::kType);
  type.module = "tensorflow.python.ops.resource_variable_ops";
  type.methods = {};
  type.properties = kResourceProperties;
  return type;
}();

}  // namespace tensh::shell::tf
