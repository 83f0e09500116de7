// tf.variable_scope and tf.get_variable.
#include "shell/tensorflow/train/variable_scope.h"

#include <memory>

#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/library.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/names.h"
#include "shell/tensorflow/graph/rows.h"
#include "shell/tensorflow/graph/shape.h"
#include "shell/tensorflow/graph/types/context.h"
#include "shell/tensorflow/graph/variable.h"
#include "shell/tensorflow/train/initializers.h"

namespace tensh::shell::tf {
namespace {

struct AutoReuse : public Object {
  static const TypeInfo kType;
  AutoReuse() : Object(kType) {}
};
const TypeInfo AutoReuse::kType = {
    .name = "_ReuseMode",
    .module = "tensorflow.python.ops.variable_scope",
    .repr = [](const Value&) { return std::string("<_ReuseMode.AUTO_REUSE: 1>"); },
    .str = [](const Value&) { return std::string("_ReuseMode.AUTO_REUSE"); }};

Reuse ReuseOf(const Value& v, Reuse inherited) {
  if (v.is_none() || v.is_null()) return inherited;
  if (As<AutoReuse>(v)) return Reuse::kAuto;
  return Truth(v) ? Reuse::kYes : inherited;
}

std::string Join(const std::string& a, const std::string& b) { return a.empty() ? b : a + "/" + b; }

std::string UniqueScope(GraphObject& g, const std::string& prefix) {
  const std::string name = Join(CurrentVariableScope(g).name, prefix);
  if (g.variable_scope_counts[name] == 0) return prefix;
  int i = 1;
  while (g.variable_scope_counts[name + "_" + std::to_string(i)] > 0) ++i;
  return prefix + "_" + std::to_string(i);
}

void Inherit(VariableScopeObject* made, const VariableScopeObject& from) {
  made->initializer = from.initializer;
  made->regularizer = from.regularizer;
  made->custom_getter = from.custom_getter;
  made->constraint = from.constraint;
  made->partitioner = from.partitioner;
  made->dtype = from.dtype;
}

// Returns a getter that calls `custom` with the getter of the outer scope.
Value JoinGetters(const Value& custom, const Value& outer) {
  if (outer.is_none() || outer.is_null()) return custom;
  return Call(FromLibrary("getters", Intern("joined")), {custom, outer});
}

}  // namespace

Value AutoReuseValue() {
  static auto* value = new Value(New<AutoReuse>());
  return *value;
}

VariableScopeObject& CurrentVariableScope(GraphObject& g) {
  if (g.variable_scope.is_null()) g.variable_scope = New<VariableScopeObject>();
  return *As<VariableScopeObject>(g.variable_scope);
}

VariableScopeBlock::VariableScopeBlock(GraphObject& g, const VariableScopeSpec& spec) : g_(g) {
  const VariableScopeObject& outer = CurrentVariableScope(g);
  auto* given = As<VariableScopeObject>(spec.name_or_scope);
  std::string name;
  if (spec.name_or_scope.is_none()) {
    if (spec.default_name.empty())
      throw TypeError("If default_name is None then name_or_scope is required");
    if (ReuseOf(spec.reuse, Reuse::kNo) != Reuse::kNo && !As<AutoReuse>(spec.reuse)) {
      throw ValueError("reuse=True cannot be used without a name_or_scope");
    }
    name = UniqueScope(g, spec.default_name);
  } else if (!given) {
    if (!IsStr(spec.name_or_scope))
      throw TypeError("VariableScope: name_or_scope must be a string or VariableScope.");
    name = StrView(spec.name_or_scope);
  } else {
    name = given->name;
  }
  const std::string path = given ? given->name : Join(outer.name, name);
  Ref<VariableScopeObject> made = New<VariableScopeObject>();
  made->name = path;
  Inherit(made.get(), given ? *given : outer);
  made->reuse = ReuseOf(spec.reuse, given ? given->reuse : outer.reuse);
  if (!spec.initializer.is_none()) made->initializer = spec.initializer;
  if (!spec.regularizer.is_none()) made->regularizer = spec.regularizer;
  if (!spec.constraint.is_none()) made->constraint = spec.constraint;
  if (!spec.partitioner.is_none()) made->partitioner = spec.partitioner;
  if (!spec.custom_getter.is_none()) {
    made->custom_getter = JoinGetters(spec.custom_getter, made->custom_getter);
  }
  if (!spec.dtype.is_none()) made->dtype = BaseType(ToDType(spec.dtype));

  std::string entered = g.scope;
  if (spec.name_scope) {
    const std::string last = given                          ? name.substr(name.rfind('/') + 1)
                             : spec.name_or_scope.is_none() ? spec.default_name
                                                            : name;
    if (!last.empty()) entered = EnterScope(g, last);  // The root scope does not change names.
  }
  old_scope_ = std::exchange(g.scope, entered);
  made->original_name_scope = given ? given->original_name_scope : g.scope;
  if (given) {
    restore_counts_ = true;
    old_counts_ = g.variable_scope_counts;
  } else {
    closes_ = path;
  }
  ++g.variable_scope_counts[path];
  old_ = std::exchange(g.variable_scope, Value(made));
}

VariableScopeBlock::~VariableScopeBlock() {
  g_.scope = std::move(old_scope_);
  g_.variable_scope = std::move(old_);
  if (restore_counts_) {
    g_.variable_scope_counts = std::move(old_counts_);
    return;
  }
  for (auto& [name, count] : g_.variable_scope_counts) {
    if (closes_.empty() || name.rfind(closes_ + "/", 0) == 0) count = 0;
  }
}

// ---- get_variable ----

namespace {

std::string DTypeText(int dtype) { return Repr(DTypeValue(dtype)); }

Value Existing(GraphObject& g, const Value& found, const GetVariableSpec& spec,
               const std::string& name, Reuse reuse) {
  auto* var = As<VariableObject>(found);
  if (reuse == Reuse::kNo) {
    throw ValueError("Variable " + name +
                     " already exists, disallowed. Did you mean to set reuse=True or "
                     "reuse=tf.AUTO_REUSE in VarScope?");
  }
  Ref<ShapeObject> wanted = ToShape(spec.shape);
  Ref<ShapeObject> have(As<ShapeObject>(ShapeValue(var->Shape())));
  const bool fits = Truth(CallMethod(wanted, "is_compatible_with", {Value(have)}));
  if (!fits) {
    throw ValueError("Trying to share variable " + name + ", but specified shape " +
                     wanted->Text() + " and found shape " + have->Text() + ".");
  }
  const int dtype = spec.dtype ? spec.dtype : CurrentVariableScope(g).dtype;
  if (BaseType(var->DType()) != BaseType(dtype)) {
    throw ValueError("Trying to share variable " + name + ", but specified dtype " +
                     DTypeName(dtype) + " and found dtype " + DTypeName(var->DType()) + ".");
  }
  return found;
}

// Calls a user's initializer as initializer(shape, dtype=dtype), and ours directly.
Out CallInitializer(GraphObject& g, const Value& initializer, const std::vector<int64_t>& dims,
                    int dtype) {
  if (auto* own = As<InitializerObject>(initializer)) return own->Make(g, dims, dtype);
  std::vector<Value> items;
  for (int64_t d : dims) items.push_back(Value::Int(d));
  const Value keywords = MakeTuple({MakeStr("dtype")});
  const Value args[] = {MakeList(std::move(items)), DTypeValue(dtype)};
  CallArgs call{args, As<TupleObject>(keywords)};
  return Convert(g, Call(initializer, call), "initial_value", {.dtype = dtype});
}

// Returns true for tf.zeros_initializer without parentheses, which is a class in TensorFlow but a
// function here.
bool IsInitializerClass(const Value& v) {
  auto* function = As<NativeFunction>(v);
  if (!function) return false;
  auto within = [&](std::span<const FunctionRow> rows) {
    return &function->row() >= rows.data() && &function->row() < rows.data() + rows.size();
  };
  return within(InitializerRows()) || within(ShortInitializerRows());
}

bool IsInitializer(const Value& v) {
  return !As<TensorObject>(v) && !As<VariableObject>(v) && IsCallable(v);
}

void AddRegularization(GraphObject& g, const Ref<VariableObject>& var, const std::string& name) {
  const Value& regularizer = CurrentVariableScope(g).regularizer;
  if (regularizer.is_none() || regularizer.is_null()) return;
  NameScope scope(g, name + "/Regularizer/");
  const Value loss = Call(regularizer, {Value(var)});
  if (!loss.is_none()) g.Collection(kRegularizationLosses).push_back(loss);
}

Value GetNamed(GraphObject& g, const GetVariableSpec& spec, const std::string& name, Reuse reuse);

Value MakeNew(GraphObject& g, const GetVariableSpec& spec, const std::string& name) {
  const VariableScopeObject& scope = CurrentVariableScope(g);
  VariableSpec make;
  make.name = name;
  make.local = spec.local;
  make.use_resource = spec.use_resource;
  make.collections = spec.collections;
  make.constraint = spec.constraint.is_none() ? scope.constraint : spec.constraint;
  make.trainable = spec.trainable.is_none() ? !spec.local : Truth(spec.trainable);
  const int dtype = spec.dtype ? spec.dtype : scope.dtype;
  Value initializer = spec.initializer.is_none() ? scope.initializer : spec.initializer;
  if (As<Type>(initializer) || IsInitializerClass(initializer)) initializer = Call(initializer, {});
  if (!initializer.is_none() && !IsInitializer(initializer)) {
    if (!spec.shape.is_none())
      throw ValueError("If initializer is a constant, do not specify shape.");
    make.initial = initializer;
  } else {
    Ref<ShapeObject> shape = ToShape(spec.shape);
    if (!shape->IsFullyDefined()) {
      throw ValueError("Shape of a new variable (" + name +
                       ") must be fully defined, but instead was " + shape->Text() + ".")
          .Hint("Give its shape: tf.get_variable('" + name + "', shape=[…])");
    }
    if (initializer.is_none()) {
      if (dtype == TSH_STRING) {
        throw ValueError("An initializer for variable " + name + " of " + DTypeText(dtype) +
                         " is required");
      }
      initializer = DefaultInitializer(dtype);
    }
    make.dtype = dtype;
    make.make_initial = [&g, initializer, shape, dtype] {
      return CallInitializer(g, initializer, shape->dims(), dtype);
    };
  }
  std::string outer = std::exchange(g.scope, {});
  struct Restore {
    GraphObject& g;
    std::string& scope;
    ~Restore() { g.scope = std::move(scope); }
  } restore{g, outer};
  Ref<VariableObject> var = MakeVariable(g, make);
  AddRegularization(g, var, name);
  return var;
}

}  // namespace

Value GetVariable(GraphObject& g, const GetVariableSpec& spec) {
  const VariableScopeObject& scope = CurrentVariableScope(g);
  return GetNamed(g, spec, Join(scope.name, spec.name), scope.reuse);
}

namespace {

Value FindNamed(GraphObject& g, const GetVariableSpec& spec, const std::string& name, Reuse reuse) {
  g.Sync();
  auto it = g.variable_store.find(name);
  if (it != g.variable_store.end()) return Existing(g, it->second, spec, name, reuse);
  if (reuse == Reuse::kYes) {
    throw ValueError("Variable " + name +
                     " does not exist, or was not created with tf.get_variable(). Did "
                     "you mean to set reuse=tf.AUTO_REUSE in VarScope?");
  }
  return Value();
}

Value GetNamed(GraphObject& g, const GetVariableSpec& spec, const std::string& name, Reuse reuse) {
  if (Value found = FindNamed(g, spec, name, reuse); !found.is_null()) return found;
  Value made = MakeNew(g, spec, name);
  g.variable_store[name] = made;
  return made;
}

}  // namespace

Value FindShared(GraphObject& g, const std::string& full_name, const GetVariableSpec& wanted) {
  return FindNamed(g, wanted, full_name, CurrentVariableScope(g).reuse);
}

namespace {

VariableScopeObject& Self(const Value& v) { return *As<VariableScopeObject>(v); }

GetVariableSpec SpecOf(Args& a) {
  GetVariableSpec spec;
  spec.name = ToText(a[0], "name");
  if (spec.name.empty()) throw ValueError("The name of a variable must not be empty.");
  spec.shape = a[1];
  spec.dtype = a[2].is_none() ? 0 : BaseType(ToDType(a[2]));
  spec.initializer = a[3];
  spec.trainable = a[5];
  spec.constraint = CheckedConstraint(a[12]);
  spec.use_resource = a[10].is_none() ? ResourceByDefault() : Truth(a[10]);
  if (!a[6].is_none()) {
    std::vector<std::string> names;
    for (const Value& v : ToVector(a[6])) names.push_back(ToText(v, "collection"));
    spec.collections = std::move(names);
  }
  return spec;
}

constexpr const char* kGetVariable =
    "name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=None, "
    "collections=None, caching_device=None, partitioner=None, validate_shape=True, "
    "use_resource=None, "
    "custom_getter=None, constraint=None, synchronization=None, aggregation=None";

// Sets the regularizer of the scope temporarily.
struct RegularizerBlock {
  RegularizerBlock(VariableScopeObject& scope, const Value& given) : scope(&scope) {
    old = scope.regularizer;
    if (!given.is_none()) scope.regularizer = given;
  }
  ~RegularizerBlock() { scope->regularizer = std::move(old); }
  Ref<VariableScopeObject> scope;
  Value old;
};

extern const FunctionRow kTrueGetter;

// Creates the variable in parts, as the partitioner a[8] divides it
// (shell/tensorflow/python/train/partitioned.py).
Value GetPartitioned(Args& a, const VariableScopeObject& scope, const std::string& name,
                     const Value& partitioner, const Value& reuse) {
  const Value dtype = a[2].is_none() ? DTypeValue(scope.dtype) : a[2];
  const Value initializer = a[3].is_none() ? scope.initializer : a[3];
  const Value more = MakeDict();
  Dict& alike = As<DictObject>(more)->dict;
  const std::pair<const char*, Value> given[] = {{"regularizer", a[4]}, {"trainable", a[5]},
                                                 {"collections", a[6]}, {"use_resource", a[10]},
                                                 {"constraint", a[12]}, {"reuse", reuse}};
  for (const auto& [key, value] : given) alike.Set(MakeStr(key), value);
  return Call(FromLibrary("partitioned", Intern("get_partitioned")),
              {New<NativeFunction>(kTrueGetter, nullptr), partitioner, MakeStr(name), a[1], dtype,
               initializer, more});
}

// A scalar is never partitioned.
bool IsPartitioned(Args& a, const Value& partitioner) {
  if (partitioner.is_none() || partitioner.is_null()) return false;
  return a[1].is_none() || ToShape(a[1])->rank() != 0;
}

// The getter at the end of the chain of custom getters: get_variable with the full name.
Value TrueGetter(Args& a) {
  GraphObject& g = DefaultGraph();
  VariableScopeObject& scope = CurrentVariableScope(g);
  if (IsPartitioned(a, a[8])) return GetPartitioned(a, scope, ToText(a[0], "name"), a[8], a[15]);
  RegularizerBlock block(scope, a[4]);
  GetVariableSpec spec = SpecOf(a);
  return GetNamed(g, spec, spec.name, ReuseOf(a[15], scope.reuse));
}

const FunctionRow kTrueGetter = {
    "getter",
    "name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=None, "
    "collections=None, caching_device=None, partitioner=None, validate_shape=True, "
    "use_resource=None, custom_getter=None, constraint=None, synchronization=None, "
    "aggregation=None, reuse=None",
    TrueGetter, "Returns the variable with this full name, and creates it if necessary."};

// custom_getter(getter, name=..., shape=..., ...)
Value GetCustom(const Value& getter, const VariableScopeObject& scope, Args& a, bool local) {
  static constexpr const char* kNames[] = {
      "name",           "shape",        "dtype",      "initializer",     "regularizer",
      "trainable",      "collections",  "reuse",      "caching_device",  "partitioner",
      "validate_shape", "use_resource", "constraint", "synchronization", "aggregation"};
  const Value dtype = a[2].is_none() ? DTypeValue(scope.dtype) : a[2];
  std::vector<Value> args = {New<NativeFunction>(kTrueGetter, nullptr),
                             MakeStr(Join(scope.name, ToText(a[0], "name"))),
                             a[1],
                             dtype,
                             a[3].is_none() ? scope.initializer : a[3],
                             a[4].is_none() ? scope.regularizer : a[4],
                             a[5].is_none() ? Value::Bool(!local) : a[5],
                             local ? MakeList({MakeStr(kLocalVariables)}) : a[6],
                             Value::Bool(scope.reuse == Reuse::kYes),
                             a[7],
                             a[8].is_none() ? scope.partitioner : a[8],
                             a[9],
                             a[10],
                             a[12],
                             a[13],
                             a[14]};
  if (scope.reuse == Reuse::kAuto) args[8] = AutoReuseValue();
  std::vector<Value> names;
  for (const char* name : kNames) names.push_back(MakeStr(name));
  const Value keywords = MakeTuple(std::move(names));
  return Call(getter, CallArgs{args, As<TupleObject>(keywords)});
}

Value GetVariableFn(Args& a) {
  GraphObject& g = DefaultGraph();
  GetVariableSpec spec = SpecOf(a);
  if (a.row().data) spec.local = true;
  VariableScopeObject& scope = CurrentVariableScope(g);
  const Value getter =
      a[11].is_none() ? scope.custom_getter : JoinGetters(a[11], scope.custom_getter);
  if (!getter.is_none()) {
    NameScope root(g, "");
    return GetCustom(getter, scope, a, spec.local);
  }
  const Value& partitioner = a[8].is_none() ? scope.partitioner : a[8];
  if (IsPartitioned(a, partitioner)) {
    const Value reuse =
        scope.reuse == Reuse::kAuto ? AutoReuseValue() : Value::Bool(scope.reuse == Reuse::kYes);
    return GetPartitioned(a, scope, Join(scope.name, spec.name), partitioner, reuse);
  }
  RegularizerBlock block(scope, a[4]);
  return GetVariable(g, spec);
}

Value VariableScopeFn(Args& a) {
  VariableScopeSpec spec;
  spec.name_or_scope = a[0];
  if (!a[1].is_none()) spec.default_name = ToText(a[1], "default_name");
  spec.initializer = a[3];
  spec.regularizer = a[4];
  spec.custom_getter = a[7];
  spec.reuse = a[8];
  spec.dtype = a[9];
  spec.constraint = CheckedConstraint(a[11]);
  spec.partitioner = a[6];
  spec.name_scope = Truth(a[12]);
  Ref<GraphObject> g(&DefaultGraph());
  auto block = std::make_shared<std::unique_ptr<VariableScopeBlock>>();
  return New<ContextObject>(
      [g, spec, block] {
        *block = std::make_unique<VariableScopeBlock>(*g, spec);
        return g->variable_scope;
      },
      [block] { block->reset(); });
}

Value ReuseValue(const Value& v) {
  const Reuse reuse = Self(v).reuse;
  return reuse == Reuse::kAuto ? AutoReuseValue() : Value::Bool(reuse == Reuse::kYes);
}

const FunctionRow kMethods[] = {
    {"reuse_variables", "",
     [](Args& a) -> Value {
       Self(a.self()).reuse = Reuse::kYes;
       return Value::None();
     },
     "Makes get_variable return existing variables from now on."},
    {"get_variable", kGetVariable, GetVariableFn,
     "Returns the variable with this name, and creates it if necessary."},
    {"set_initializer", "initializer",
     [](Args& a) -> Value {
       Self(a.self()).initializer = a[0];
       return Value::None();
     },
     "Sets the default initializer."},
    {"set_regularizer", "regularizer",
     [](Args& a) -> Value {
       Self(a.self()).regularizer = a[0];
       return Value::None();
     },
     "Sets the default regularizer."},
    {"global_variables", "",
     [](Args& a) -> Value {
       std::vector<Value> items = VariablesOf(DefaultGraph(), kGlobalVariables);
       const std::string prefix = Self(a.self()).name + "/";
       std::erase_if(items, [&](const Value& v) {
         return As<VariableObject>(v)->OpName().rfind(prefix, 0) != 0;
       });
       return MakeList(std::move(items));
     },
     "Returns the variables of this scope."},
    {"trainable_variables", "",
     [](Args& a) -> Value {
       std::vector<Value> items = VariablesOf(DefaultGraph(), kTrainableVariables);
       const std::string prefix = Self(a.self()).name + "/";
       std::erase_if(items, [&](const Value& v) {
         return As<VariableObject>(v)->OpName().rfind(prefix, 0) != 0;
       });
       return MakeList(std::move(items));
     },
     "Returns the trainable variables of this scope."},
};
const PropertyRow kProperties[] = {
    {"name", [](const Value& v) { return MakeStr(Self(v).name); }},
    {"original_name_scope", [](const Value& v) { return MakeStr(Self(v).original_name_scope); }},
    {"reuse", ReuseValue},
    {"initializer", [](const Value& v) { return Self(v).initializer; }},
    {"regularizer", [](const Value& v) { return Self(v).regularizer; }},
    {"dtype", [](const Value& v) { return DTypeValue(Self(v).dtype); }},
};

const FunctionRow kRows[] = {
    {"get_variable", kGetVariable, GetVariableFn,
     "Returns the variable with this name, and creates it if necessary."},
    {"get_local_variable", kGetVariable, GetVariableFn,
     "Like get_variable, for a variable that is not saved or trained.", "local"},
    {"variable_scope",
     "name_or_scope, default_name=None, values=None, initializer=None, regularizer=None, "
     "caching_device=None, partitioner=None, custom_getter=None, reuse=None, dtype=None, "
     "use_resource=None, constraint=None, auxiliary_name_scope=True",
     VariableScopeFn, "Sets the name prefix and the reuse of variables for get_variable inside."},
    {"get_variable_scope", "",
     [](Args&) -> Value {
       CurrentVariableScope(DefaultGraph());
       return DefaultGraph().variable_scope;
     },
     "Returns the current variable scope."},
    {"no_regularizer", "_", [](Args&) { return Value::None(); }, "No regularization."},
};

}  // namespace

const TypeInfo VariableScopeObject::kType = {.name = "VariableScope",
                                             .module = "tensorflow.python.ops.variable_scope",
                                             .methods = kMethods,
                                             .properties = kProperties};

std::span<const FunctionRow> VariableScopeRows() { return kRows; }

}  // namespace tensh::shell::tf
