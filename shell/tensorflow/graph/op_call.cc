#include "shell/tensorflow/graph/op_call.h"

#include <algorithm>

#include "shell/python/values/class.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/tensorflow/graph/arrays.h"
#include "shell/tensorflow/graph/errors.h"
#include "shell/tensorflow/graph/indexed_slices.h"
#include "shell/tensorflow/graph/shape.h"
#include "shell/tensorflow/graph/state.h"
#include "shell/tensorflow/graph/variable.h"

namespace tensh::shell::tf {
namespace {

std::string ReprOf(GraphObject& g, Out o) { return Repr(g.Tensor(o)); }

[[noreturn]] void ThrowOtherGraph(const Value& v, const Value& first) {
  throw ValueError(Str(v) + " must be from the same graph as " + Str(first) + ".")
      .Explain(kWhyOtherGraph);
}

void CheckSame(GraphObject& g, GraphObject& other, const Value& v) {
  if (&g == &other) return;
  throw ValueError(Str(v) + " belongs to another graph than the one that is being built.")
      .Hint("Create both in one graph: with g.as_default(): …");
}

// Nested lists that contain tensors become Pack nodes, like in TensorFlow's autopacking.
int FirstTensorType(const Value& v) {
  if (auto* t = As<TensorObject>(v)) return BaseType(t->DType());
  if (auto* var = As<VariableObject>(v)) return BaseType(var->DType());
  if (const auto* items = Sequence(v)) {
    for (const Value& item : *items) {
      if (int dtype = FirstTensorType(item)) return dtype;
    }
  }
  return 0;
}

Out Pack(GraphObject& g, const Value& v, int dtype, std::string_view name) {
  NameScope scope(g, name);
  std::vector<Out> parts;
  size_t i = 0;
  for (const Value& item : *Sequence(v)) {
    const std::string number = std::to_string(i++);
    if (Sequence(item) && HoldsTensor(item)) {
      parts.push_back(Pack(g, item, dtype, number));
      continue;
    }
    const Out known = AsOut(g, item);
    if (Exists(known) && BaseType(g.handle().DType(known)) != dtype) {
      throw TypeError("Cannot convert a list containing a tensor of dtype " +
                      Str(DTypeValue(g.handle().DType(known))) + " to " + Str(DTypeValue(dtype)) +
                      " (Tensor is: " + ReprOf(g, known) + ")");
    }
    parts.push_back(Exists(known) ? known : Constant(g, ToConstant(item, dtype), number));
  }
  OpCall call(g, "Pack", g.scope);
  return call.InList(std::span<const Out>(parts)).Add();
}

// Returns true if an int in `v`, which may be a nested list, does not fit an int32.
bool HasWideInt(const Value& v) {
  if (const auto* items = Sequence(v)) return std::ranges::any_of(*items, HasWideInt);
  return v.is_int() && (v.as_int() > INT32_MAX || v.as_int() < INT32_MIN);
}

Out ConvertConstant(GraphObject& g, const Value& v, std::string_view name, ConvertOptions options) {
  if (options.dtype == 0 && options.preferred != 0) {
    try {
      const TensorHandle value = ToConstant(v, options.preferred);
      if (options.preferred != TSH_INT32 || !HasWideInt(v)) return Constant(g, value, name);
    } catch (const PyError& e) {
      if (!e.Is(kTypeError) && !e.Is(kValueError)) throw;
    }
  }
  return Constant(g, ToConstant(v, options.dtype), name);
}

// Converts a user-defined object with its registered function. Returns kNoOut if none is
// registered.
Out ConvertByUser(GraphObject& g, const Value& v, std::string_view name, ConvertOptions options) {
  // Callers hold views of the scope's text, so it must not move while the function opens other
  // scopes.
  struct Kept {
    explicit Kept(GraphObject& g) : g(g), scope(g.scope) { std::swap(g.scope, scope); }
    ~Kept() { std::swap(g.scope, scope); }
    GraphObject& g;
    std::string scope;
  } kept(g);
  for (const LayerState::Conversion& conversion : State().conversions) {
    if (!IsInstance(v, conversion.of_type)) continue;
    const Value keywords = MakeTuple({MakeStr("dtype"), MakeStr("name"), MakeStr("as_ref")});
    const Value args[] = {v, options.dtype ? DTypeValue(options.dtype) : Value::None(),
                          name.empty() ? Value::None() : MakeStr(name), Value::Bool(false)};
    const Value made = Call(conversion.function, CallArgs{args, As<TupleObject>(keywords)});
    if (Exists(AsOut(g, made))) return Convert(g, made, name, options);
    if (!made.Is(Value::NotImplemented()))
      throw RuntimeError("Conversion function " + Repr(conversion.function) + " for type " +
                         Repr(conversion.of_type) + " returned non-Tensor: " + Repr(made));
  }
  return kNoOut;
}

std::span<const int> AllowedTypes(const OpAttr& attr) { return {attr.allowed, attr.n_allowed}; }

bool Allows(const OpAttr& attr, int dtype) {
  const std::span<const int> allowed = AllowedTypes(attr);
  return allowed.empty() || std::find(allowed.begin(), allowed.end(), dtype) != allowed.end();
}

}  // namespace

std::string_view NameText(const Value& name) {
  if (name.is_none() || name.is_null()) return {};
  if (auto* bytes = As<BytesObject>(name)) return bytes->data;
  if (!IsStr(name)) throw TypeError("name must be a string, got " + Repr(name));
  return StrView(name);
}

Out AsOut(GraphObject& g, const Value& v, bool as_ref) {
  if (!v.is_object()) return kNoOut;
  if (auto* t = As<TensorObject>(v)) {
    CheckSame(g, t->graph(), v);
    g.CheckLive(t->out().node, t->generation(), "tensor");
    return t->out();
  }
  if (auto* var = As<VariableObject>(v)) {
    CheckSame(g, var->graph(), v);
    return as_ref ? var->Reference() : var->Read();
  }
  return kNoOut;
}

Out Constant(GraphObject& g, const TensorHandle& t, std::string_view name) {
  Attrs attrs;
  attrs.Tensor("value", t).Type("dtype", t.dtype());
  return {g.Add("Const", name, {}, attrs), 0};
}

bool IsConvertedByUser(const Value& v) {
  const auto& all = State().conversions;
  return !all.empty() && UserClass::Of(v) &&
         std::any_of(all.begin(), all.end(),
                     [&](const auto& c) { return IsInstance(v, c.of_type); });
}

Out Convert(GraphObject& g, const Value& v, std::string_view name, ConvertOptions options) {
  const Out known = AsOut(g, v, options.as_ref);
  if (Exists(known)) {
    const int have = g.handle().DType(known);
    if (options.dtype && BaseType(have) != BaseType(options.dtype)) {
      throw ValueError("Tensor conversion requested dtype " + DTypeName(options.dtype) +
                       " for Tensor with dtype " + DTypeName(BaseType(have)) + ": " +
                       ReprOf(g, known));
    }
    return known;
  }
  if (auto* rows = As<IndexedSlicesObject>(v)) {
    const Out dense = rows->Dense(g, name == "Const" ? "" : name);
    if (options.dtype && BaseType(g.handle().DType(dense)) != BaseType(options.dtype)) {
      throw ValueError("Tensor conversion requested dtype " + DTypeName(options.dtype) +
                       " for IndexedSlices with dtype " + DTypeName(g.handle().DType(dense)));
    }
    return dense;
  }
  if (IsConvertedByUser(v)) {
    if (const Out made = ConvertByUser(g, v, name, options); Exists(made)) return made;
  }
  if (v.is_object() && HoldsTensor(v)) {
    const int dtype = options.dtype ? options.dtype : FirstTensorType(v);
    return Pack(g, v, dtype, name.empty() ? "packed" : name);
  }
  if (As<OperationObject>(v)) {
    throw TypeError("Can't convert Operation '" + As<OperationObject>(v)->Name() +
                    "' to Tensor (target dtype=" +
                    (options.dtype ? "'" + DTypeName(options.dtype) + "'" : "None") +
                    ", name=" + Repr(MakeStr(name)) + ", as_ref=False)");
  }
  return ConvertConstant(g, v, name.empty() ? "Const" : name, options);
}

GraphObject* FindGraphOf(const Value& v) {
  if (!v.is_object()) return nullptr;
  if (auto* t = As<TensorObject>(v)) return &t->graph();
  if (auto* var = As<VariableObject>(v)) return &var->graph();
  if (auto* op = As<OperationObject>(v)) return &op->graph();
  if (auto* rows = As<IndexedSlicesObject>(v)) return &rows->graph();
  const auto* items = Sequence(v);
  if (!items || items->size() > 4096) return nullptr;
  for (const Value& item : *items) {
    if (Sequence(item)) continue;  // one level only, like TensorFlow's flat list of inputs
    if (GraphObject* g = FindGraphOf(item)) return g;
  }
  return nullptr;
}

GraphObject& GraphOf(std::initializer_list<const Value*> values) {
  GraphObject* found = nullptr;
  const Value* first = nullptr;
  for (const Value* v : values) {
    GraphObject* g = FindGraphOf(*v);
    if (!g) continue;
    if (found && g != found) ThrowOtherGraph(*v, *first);
    if (!found) found = g, first = v;
  }
  return found ? *found : DefaultGraph();
}

// ---- OpCall ----

OpCall::OpCall(GraphObject& g, std::string_view op, std::string_view name)
    : OpCall(g, GetOp(op), name, op) {}

OpCall::OpCall(GraphObject& g, const OpInfo& op, std::string_view name,
               std::string_view default_name)
    : g_(g), op_(op), scope_(g, name.empty() ? default_name : name) {
  inputs_.reserve(4);
}

PyError OpCall::Mismatch(const OpArg& arg, const Value& v, const PyError& error) {
  const int wanted = arg.dtype ? arg.dtype : types_[static_cast<size_t>(arg.type_attr)];
  if (error.Is(kTypeError)) {
    return TypeError("Expected " + DTypeName(wanted) + " passed to parameter '" + arg.name +
                     "' of op '" + op_.name + "', got " + Repr(v) + " of type '" + TypeName(v) +
                     "' instead. Error: " + error.Message());
  }
  const Out out = AsOut(g_, v);
  if (!Exists(out)) return error;
  std::string prefix = std::string("Input '") + arg.name + "' of '" + op_.name + "' Op has type " +
                       DTypeName(BaseType(g_.handle().DType(out))) + " that does not match";
  const OpArg* from =
      arg.type_attr >= 0 ? inferred_from_[static_cast<size_t>(arg.type_attr)] : nullptr;
  mismatched_ = true;
  if (!from) return TypeError(prefix + " expected type of " + DTypeName(wanted) + ".");
  return TypeError(prefix + " type " + DTypeName(wanted) + " of argument '" + from->name + "'.")
      .Hint(std::string("Convert one with tf.cast(") + arg.name + ", tf." + DTypeName(wanted) +
            ")");
}

Out OpCall::ConvertOne(const OpArg& arg, const Value& v, std::string_view const_name) {
  ConvertOptions options;
  options.as_ref = arg.is_ref;
  options.dtype = arg.dtype;
  if (arg.type_attr >= 0) {
    options.dtype = types_[static_cast<size_t>(arg.type_attr)];
    // An array has a fixed type. Other values are converted to the default type if possible.
    const OpAttr& attr = op_.attrs[static_cast<size_t>(arg.type_attr)];
    if (!IsArray(v) || !Allows(attr, ArrayDType(v))) options.preferred = attr.default_type;
  }
  if (options.dtype == 0) return Convert(g_, v, const_name, options);
  try {
    return Convert(g_, v, const_name, options);
  } catch (const PyError& e) {
    if (!e.Is(kTypeError) && !e.Is(kValueError)) throw;
    throw Mismatch(arg, v, e);
  }
}

void OpCall::Accept(const OpArg& arg, Out o, const Value* v) {
  inputs_.push_back(o);
  const int full = g_.handle().DType(o);
  const int dtype = BaseType(full);
  if (arg.is_ref && !IsRef(full)) {
    throw TypeError("'" + op_.name + "' Op requires that input '" + arg.name +
                    "' be a mutable tensor (e.g.: a tf.Variable)");
  }
  if (arg.type_attr < 0) {
    if (arg.dtype && dtype != arg.dtype) {
      mismatched_ = true;
      throw TypeError(std::string("Input '") + arg.name + "' of '" + op_.name + "' Op has type " +
                      DTypeName(dtype) + " that does not match expected type of " +
                      DTypeName(arg.dtype) + ".");
    }
    return;
  }
  const size_t k = static_cast<size_t>(arg.type_attr);
  if (types_[k] == 0) {
    types_[k] = dtype;
    inferred_from_[k] = &arg;
    if (!Allows(op_.attrs[k], dtype)) {
      std::string list;
      for (int d : AllowedTypes(op_.attrs[k])) list += (list.empty() ? "" : ", ") + DTypeName(d);
      throw TypeError(std::string("Value passed to parameter '") + arg.name + "' has DataType " +
                      DTypeName(dtype) + " not in list of allowed values: " + list);
    }
  } else if (types_[k] != dtype) {
    throw Mismatch(arg, v ? *v : g_.Tensor(o), ValueError(""));
  }
}

OpCall& OpCall::In(const Arg& a) {
  const OpArg& arg = op_.inputs[next_++];
  if (!a.value) {
    Accept(arg, a.out, nullptr);
  } else if (arg.number_attr >= 0 || arg.type_list_attr >= 0) {
    --next_;
    const auto* items = Sequence(*a.value);
    if (!items) {
      throw TypeError(std::string("Expected list for '") + arg.name + "' argument to '" + op_.name +
                      "' Op, not " + Repr(*a.value) + ".");
    }
    InList(std::span<const Value>(*items));
  } else {
    Accept(arg, ConvertOne(arg, *a.value, arg.name), a.value);
  }
  return *this;
}

OpCall& OpCall::InList(std::span<const Value> values) {
  const OpArg& arg = op_.inputs[next_++];
  const size_t k = arg.type_attr < 0 ? kMaxOpAttrs : static_cast<size_t>(arg.type_attr);
  if (k < kMaxOpAttrs && types_[k] == 0) {
    // The first tensor in the list determines the type of the constants.
    for (const Value& v : values) {
      if (int dtype = FirstTensorType(v)) {
        types_[k] = dtype;
        inferred_from_[k] = &arg;
        break;
      }
    }
  }
  // If two lists follow each other, the graph cannot tell where the first one ends.
  const bool tells = std::any_of(op_.inputs.begin(), op_.inputs.end(), [&](const OpArg& a) {
    return (a.number_attr >= 0 && a.number_attr != arg.number_attr) ||
           (a.type_list_attr >= 0 && a.type_list_attr != arg.type_list_attr);
  });
  if (tells && arg.number_attr >= 0) {
    attrs().Int(op_.attrs[static_cast<size_t>(arg.number_attr)].name,
                static_cast<int64_t>(values.size()));
  }
  const size_t first = inputs_.size();
  size_t i = 0;
  for (const Value& v : values) {
    const std::string name = std::string(arg.name) + "_" + std::to_string(i++);
    if (arg.type_list_attr >= 0) {
      inputs_.push_back(Convert(g_, v, name));
      continue;
    }
    try {
      Accept(arg, ConvertOne(arg, v, name), &v);
    } catch (const PyError&) {
      if (!mismatched_) throw;
      std::string types;
      for (const Value& t : values) {
        const Out o = AsOut(g_, t);
        types += (types.empty() ? "" : ", ");
        types += Exists(o) ? DTypeName(BaseType(g_.handle().DType(o)))
                           : DTypeName(ToConstant(t, 0).dtype());
      }
      throw TypeError(std::string("Tensors in list passed to '") + arg.name + "' of '" + op_.name +
                      "' Op have types [" + types + "] that don't all match.");
    }
  }
  if (tells && arg.type_list_attr >= 0) TellTypes(arg, first);
  return *this;
}

OpCall& OpCall::InList(std::span<const Out> values) {
  const OpArg& arg = op_.inputs[next_++];
  for (Out o : values) Accept(arg, o, nullptr);
  return *this;
}

OpCall& OpCall::Type(const char* attr, int dtype) {
  for (size_t i = 0; i < op_.attrs.size(); ++i) {
    if (std::string_view(op_.attrs[i].name) == attr) types_[i] = dtype;
  }
  attrs_.Type(attr, dtype);
  return *this;
}

struct OpCall::Kept {
  std::vector<int64_t> ints, dims;
  std::vector<double> floats;
  std::string text;
  std::vector<std::string> texts;
  std::vector<const char*> strings;
  std::vector<size_t> lengths;
  TensorHandle tensor;
};

namespace {

std::string TextFor(const OpAttr& attr, const Value& v) {
  return As<BytesObject>(v) ? As<BytesObject>(v)->data : ToText(v, attr.name);
}

int64_t IntegerFor(tsh_attr_kind kind, const Value& v) {
  if (kind == TSH_ATTR_BOOL) return Truth(v);
  return kind == TSH_ATTR_TYPE ? ToDType(v) : ToIndex(v);
}

}  // namespace

// Sets the attributes for the number and types of the inputs from `first` on.
void OpCall::TellTypes(const OpArg& arg, size_t first) {
  auto kept = kept_.emplace_back(std::make_shared<Kept>());
  for (size_t i = first; i < inputs_.size(); ++i)
    kept->ints.push_back(BaseType(g_.handle().DType(inputs_[i])));
  attrs().Types(op_.attrs[static_cast<size_t>(arg.type_list_attr)].name, kept->ints);
}

// Adds the elements in order: integers, the ranks and extents of shapes, or strings.
void OpCall::ListAttr(const OpAttr& attr, const Value& v, Kept* kept, tsh_attr* a) {
  a->is_list = 1;
  const std::vector<Value> items = v.is_int() ? std::vector<Value>{v} : ToVector(v);
  for (const Value& item : items) {
    if (a->kind == TSH_ATTR_FLOAT) {
      kept->floats.push_back(ToDouble(item));
    } else if (a->kind <= TSH_ATTR_TYPE) {
      kept->ints.push_back(IntegerFor(a->kind, item));
    } else if (a->kind == TSH_ATTR_STRING) {
      kept->texts.push_back(TextFor(attr, item));
    } else if (a->kind == TSH_ATTR_SHAPE) {
      const Ref<ShapeObject> shape = ToShape(item);
      kept->ints.push_back(shape->rank());
      kept->dims.insert(kept->dims.end(), shape->dims().begin(), shape->dims().end());
    } else {
      throw NotImplementedError(std::string("The list attribute '") + attr.name +
                                "' cannot be set from Python yet.");
    }
  }
  for (const std::string& text : kept->texts) {
    kept->strings.push_back(text.data());
    kept->lengths.push_back(text.size());
  }
  a->n = items.size();
  a->ints = kept->ints.data();
  a->dims = kept->dims.data();
  a->floats = kept->floats.data();
  a->strings = kept->strings.data();
  a->lengths = kept->lengths.data();
}

OpCall& OpCall::Attr(std::string_view name, const Value& v) {
  for (const OpAttr& attr : op_.attrs) {
    if (attr.name == name) return Attr(attr, v);
  }
  throw NotImplementedError("The op " + op_.name + " has no attribute '" + std::string(name) +
                            "'.");
}

OpCall& OpCall::Attr(const OpAttr& attr, const Value& v) {
  if (v.is_none()) return *this;
  auto kept = kept_.emplace_back(std::make_shared<Kept>());
  tsh_attr a{};
  a.name = attr.name;
  a.kind = attr.kind;
  if (attr.is_list) {
    ListAttr(attr, v, kept.get(), &a);
  } else if (a.kind == TSH_ATTR_STRING) {
    kept->text = TextFor(attr, v);
    a.string = kept->text.data();
    a.length = kept->text.size();
  } else if (a.kind == TSH_ATTR_SHAPE) {
    Ref<ShapeObject> shape = ToShape(v);
    kept->ints = shape->dims();
    a.rank = shape->rank();
    a.dims = kept->ints.data();
  } else if (a.kind == TSH_ATTR_TENSOR) {
    kept->tensor = ToConstant(v, 0);
    a.tensor = kept->tensor.get();
  } else if (a.kind == TSH_ATTR_FLOAT) {
    a.f = ToDouble(v);
  } else {
    a.i = IntegerFor(a.kind, v);
    if (a.kind == TSH_ATTR_TYPE)
      types_[static_cast<size_t>(&attr - op_.attrs.data())] = static_cast<int>(a.i);
  }
  attrs_.Add(a);
  return *this;
}

Node OpCall::AddNode() { return g_.Add(op_.name.c_str(), scope_.path(), inputs_, attrs_); }

Out Op(GraphObject& g, std::string_view op, std::initializer_list<Arg> inputs,
       std::string_view name) {
  OpCall call(g, op, name);
  for (const Arg& a : inputs) call.In(a);
  return call.Add();
}

}  // namespace tensh::shell::tf
