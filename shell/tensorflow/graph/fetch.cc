#include "shell/tensorflow/graph/fetch.h"
#include "shell/tensorflow/graph/needs.h"

#include <algorithm>

#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/interp.h"
#include "shell/tensorflow/graph/arrays.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/convert.h"
#include "shell/tensorflow/graph/errors.h"
#include "shell/tensorflow/graph/shape.h"
#include "shell/tensorflow/graph/variable.h"

namespace tensh::shell::tf {
namespace {

constexpr int kMaxNesting = 200;

std::string Quoted(std::string_view text) { return Repr(MakeStr(text)); }

Element ElementByName(GraphObject& g, std::string_view name) {
  const size_t colon = name.find(':');
  const std::string op(name.substr(0, colon));
  const Node node = g.handle().Find(op);
  if (colon == name.npos) {
    if (node != TSH_NO_NODE) return {kNoOut, node};
    throw KeyError(
        MakeStr("The name " + Quoted(name) + " refers to an Operation not in the graph."));
  }
  const std::string index(name.substr(colon + 1));
  const bool number = !index.empty() && index.size() < 6 &&
                      index.find_first_not_of("0123456789") == std::string::npos;
  if (!number) {
    throw ValueError("The name " + Quoted(name) +
                     " looks a like a Tensor name, but is not a valid one. "
                     "Tensor names must be of the form \"<op_name>:<output_index>\".");
  }
  if (node == TSH_NO_NODE) {
    throw KeyError(MakeStr("The name " + Quoted(name) +
                           " refers to a Tensor which does not exist. The "
                           "operation, " +
                           Quoted(op) + ", does not exist in the graph."));
  }
  const uint32_t i = static_cast<uint32_t>(std::stoul(index));
  const size_t outputs = g.handle().NumOutputs(node);
  if (i < outputs) return {{node, i}, TSH_NO_NODE};
  throw KeyError(MakeStr("The name " + Quoted(name) +
                         " refers to a Tensor which does not exist. The "
                         "operation, " +
                         Quoted(op) + ", exists but only has " + std::to_string(outputs) +
                         " outputs."));
}

PyError NotInGraph(const Value& v, const char* kind) {
  return ValueError(std::string(kind) + " " + Str(v) + " is not an element of this graph.")
      .Explain(kWhyNotInGraph);
}

// Returns the tensors that represent an object of the Python libraries (such as a sparse tensor) in
// fetches and feeds, or null for other values.
Value PartsOf(const Value& v) {
  if (!v.is_object() || As<TensorObject>(v) || As<OperationObject>(v) || As<VariableObject>(v) ||
      IsStr(v)) {
    return Value();
  }
  const Value parts = FindAttr(v, Intern("_fetch_parts"));
  return parts.is_null() ? parts : Call(parts, {});
}

bool IsSequenceFetch(const Value& v) { return As<ListObject>(v) || As<TupleObject>(v); }

// Returns the message of a KeyError without the quotes that str() adds.
std::string PlainMessage(const PyError& e) { return e.Message(); }

}  // namespace

Element ToElement(GraphObject& g, const Value& v, const char*) {
  if (auto* t = As<TensorObject>(v)) {
    if (&t->graph() != &g) throw NotInGraph(v, "Tensor");
    g.CheckLive(t->out().node, t->generation(), "tensor");
    return {t->out(), TSH_NO_NODE};
  }
  if (auto* var = As<VariableObject>(v)) {
    if (&var->graph() != &g) throw NotInGraph(var->graph().Tensor(var->Element()), "Tensor");
    return {var->Element(), TSH_NO_NODE};
  }
  if (auto* op = As<OperationObject>(v)) {
    if (&op->graph() != &g) throw NotInGraph(v, "Operation");
    g.CheckLive(op->node(), op->generation(), "operation");
    return {kNoOut, op->node()};
  }
  if (IsStr(v)) return ElementByName(g, StrView(v));
  if (auto* bytes = As<BytesObject>(v)) return ElementByName(g, bytes->data);
  throw TypeError("Can not convert a " + TypeName(v) + " into a Tensor or Operation.");
}

// ---- fetches ----

namespace {

// Returns the line that helps after the fetch of a value that is not in the graph, or "".
std::string FetchHint(const Value& v) {
  if (IsStr(v)) {
    const Value named = Interp::Current().GetGlobal(StrView(v));
    const bool fetchable =
        As<TensorObject>(named) || As<VariableObject>(named) || As<OperationObject>(named);
    return fetchable ? "Fetch the variable of the program without quotes: sess.run(" + Str(v) + ")"
                     : "";
  }
  if (const auto* t = As<TensorObject>(v); t || As<OperationObject>(v))
    return "A session runs one graph. Open one for the graph of the fetch: tf.Session(graph=" +
           std::string(t ? "TENSOR.graph" : "OP.graph") + ")";
  if (IsCallable(v))
    return "Call the function, and fetch what " + Str(GetAttr(v, "__name__")) + "() returns";
  if (IsArray(v) || v.is_int() || v.is_float())
    return "It is a value. If a result of sess.run was assigned to the name of the tensor, give it "
           "another name";
  return "";
}

}  // namespace

FetchPlan::FetchPlan(GraphObject& g, const Value& fetches) : g_(g), structure_(fetches) {
  Flatten(structure_, 0);
}

void FetchPlan::Flatten(const Value& v, int depth) {
  if (depth > kMaxNesting) throw MakeError(kRecursionError, "The fetches are nested too deeply.");
  if (IsSequenceFetch(v)) {
    for (const Value& item : *Sequence(v)) Flatten(item, depth + 1);
  } else if (auto* dict = As<DictObject>(v)) {
    for (size_t i = 0; const Dict::Entry* e = dict->dict.At(&i);) Flatten(e->value, depth + 1);
  } else if (const Value parts = PartsOf(v); !parts.is_null()) {
    Flatten(parts, depth + 1);
  } else {
    AddLeaf(v);
  }
}

void FetchPlan::AddLeaf(const Value& v) {
  if (v.is_none()) {
    throw TypeError("Fetch argument None has invalid type <class 'NoneType'>")
        .Hint("A function returned None: tf.summary.merge_all() does so if there are no summaries");
  }
  Element element;
  try {
    element = ToElement(g_, v, "fetch");
  } catch (const PyError& e) {
    if (e.Is(kTypeError)) {
      throw TypeError("Fetch argument " + Repr(v) + " has invalid type " +
                      Repr(TypeValue(TypeOf(v))) + ", must be a string or Tensor. (" +
                      PlainMessage(e) + ")")
          .Hint(FetchHint(v));
    }
    if (!e.Is(kValueError) && !e.Is(kKeyError)) throw;
    throw ValueError("Fetch argument " + Repr(v) + " cannot be interpreted as a Tensor. (" +
                     PlainMessage(e) + ")")
        .Hint(FetchHint(v));
  }
  const Node node = element.node != TSH_NO_NODE ? element.node : element.out.node;
  if (g_.not_fetchable.count(node)) {
    const Node user = FetchableUser(g_.handle(), node);
    throw ValueError("Operation " + Quoted(g_.handle().NodeName(node)) +
                     " has been marked as not fetchable.")
        .Hint(user == TSH_NO_NODE ? "It is inside a tf.cond or tf.while_loop: fetch their result"
                                  : "It is inside a tf.cond or tf.while_loop. Their result: eval " +
                                        std::string(g_.handle().NodeName(user)));
  }
  if (element.node != TSH_NO_NODE) {
    if (std::find(targets_.begin(), targets_.end(), element.node) == targets_.end()) {
      targets_.push_back(element.node);
    }
    leaves_.push_back(kNothing);
    return;
  }
  for (size_t i = 0; i < fetches_.size(); ++i) {
    if (fetches_[i].node == element.out.node && fetches_[i].index == element.out.index) {
      leaves_.push_back(static_cast<int32_t>(i));
      return;
    }
  }
  leaves_.push_back(static_cast<int32_t>(fetches_.size()));
  fetches_.push_back(element.out);
}

Value FetchPlan::Rebuild(const std::vector<TensorHandle>& fetched,
                         const std::vector<Out>& feeds) const {
  std::vector<Value> values;
  values.reserve(fetched.size());
  for (const TensorHandle& t : fetched) values.push_back(ToValue(t));
  for (const Out& feed : feeds) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (fetches_[i].node != feed.node || fetches_[i].index != feed.index) continue;
      if (fetched[i].dims().empty() && IsArray(values[i])) values[i] = AsArray(values[i]);
    }
  }
  size_t leaf = 0;
  return Build(structure_, &leaf, values);
}

Value FetchPlan::Build(const Value& v, size_t* leaf, const std::vector<Value>& values) const {
  if (auto* dict = As<DictObject>(v)) {
    Value made =
        &dict->type() == &DictObject::kType ? MakeDict() : Call(TypeValue(dict->type()), {});
    for (size_t i = 0; const Dict::Entry* e = dict->dict.At(&i);) {
      Value item = Build(e->value, leaf, values);
      SetItem(made, e->key, item);
    }
    return made;
  }
  if (IsSequenceFetch(v)) {
    std::vector<Value> items;
    for (const Value& item : *Sequence(v)) items.push_back(Build(item, leaf, values));
    if (As<ListObject>(v)) return MakeList(std::move(items));
    const TypeInfo& type = TypeOf(v);
    if (&type == &TupleObject::kType) return MakeTuple(std::move(items));
    return Call(TypeValue(type), std::span<const Value>(items));  // a named tuple
  }
  if (const Value parts = PartsOf(v); !parts.is_null()) {
    return CallMethod(v, "_fetch_value", {Build(parts, leaf, values)});
  }
  const int32_t at = leaves_[(*leaf)++];
  return at == kNothing ? Value::None() : values[static_cast<size_t>(at)];
}

// ---- feeds ----

namespace {

// Returns the line that makes a value fit a placeholder, or "" if its elements do not.
std::string FeedHint(const ShapeInfo& want, Dims have) {
  int64_t elements = 1, known = 1;
  std::string shape;
  for (int i = 0; i < want.rank; ++i) {
    const int64_t extent = want.extents[static_cast<size_t>(i)];
    if (extent >= 0) known *= extent;
    shape += (i > 0 ? ", " : "") + std::to_string(std::max<int64_t>(extent, -1));
  }
  for (const int64_t extent : have) elements *= extent;
  if (static_cast<size_t>(want.rank) == have.size() + 1 && elements == known)
    return "To feed a batch of one, write the value in brackets: [value]";
  const auto open = std::count_if(shape.begin(), shape.end(), [](char c) { return c == '-'; });
  const bool fits =
      known > 0 && (open == 1 ? elements % known == 0 : open == 0 && elements == known);
  return fits ? "If its elements are in that order: np.reshape(value, [" + shape + "])" : "";
}

void CheckFeedShape(GraphObject& g, Out feed, const TensorHandle& value) {
  const ShapeInfo want = g.handle().Shape(feed);
  if (want.rank < 0) return;
  const Dims have = value.dims();
  bool fits = static_cast<size_t>(want.rank) == have.size();
  for (size_t i = 0; fits && i < have.size(); ++i) {
    fits = want.extents[i] < 0 || want.extents[i] == have[i];
  }
  if (fits) return;
  throw ValueError("Cannot feed value of shape " + ShapeText(have, true) + " for Tensor '" +
                   Str(GetAttr(g.Tensor(feed), "name")) + "', which has shape '" + ShapeText(want) +
                   "'")
      .Explain(kWhyFeedShape)
      .Hint(FeedHint(want, have));
}

Out FeedKey(GraphObject& g, const Value& key) {
  Element element;
  try {
    const bool named = IsStr(key);
    element =
        ToElement(g, named ? CallMethod(Value(&g), "get_tensor_by_name", {key}) : key, "feed");
  } catch (const PyError& e) {
    if (!e.Is(kTypeError) && !e.Is(kValueError) && !e.Is(kKeyError)) throw;
    const bool bare = IsStr(key) && StrView(key).find(':') == std::string_view::npos;
    throw TypeError("Cannot interpret feed_dict key as Tensor: " + PlainMessage(e))
        .Hint(bare ? "Name the output of the operation: '" + Str(key) + ":0'" : "");
  }
  if (Exists(element.out)) return element.out;
  throw TypeError(
      "Cannot interpret feed_dict key as Tensor: Can not convert a Operation into a Tensor.");
}

}  // namespace

namespace {

// Appends the leaves of nested lists, tuples and dicts to `leaves`, as tf.nest.flatten does: the values
// of a dict are ordered by their keys.
void FlattenNest(const Value& v, int depth, std::vector<Value>* leaves) {
  if (depth > kMaxNesting) throw MakeError(kRecursionError, "The feeds are nested too deeply.");
  if (IsSequenceFetch(v)) {
    for (const Value& item : *Sequence(v)) FlattenNest(item, depth + 1, leaves);
  } else if (As<DictObject>(v)) {
    std::vector<Value> keys = ToVector(v);
    std::stable_sort(keys.begin(), keys.end(), [](const Value& a, const Value& b) {
      return CompareTruth(CompareOp::kLt, a, b);
    });
    for (const Value& key : keys) FlattenNest(GetItem(v, key), depth + 1, leaves);
  } else {
    leaves->push_back(v);
  }
}

void AddFeed(GraphObject& g, const Value& key, const Value& given, FlatRun* run);

// Feeds a key that is a tuple, such as the state of a recurrent cell: each of its tensors takes the
// value at the same position of the flattened value.
void AddNestedFeed(GraphObject& g, const Value& key, const Value& given, FlatRun* run) {
  std::vector<Value> keys, values;
  FlattenNest(key, 0, &keys);
  FlattenNest(given, 0, &values);
  if (keys.size() != values.size())
    throw ValueError("Could not flatten dictionary. Key had " + std::to_string(keys.size()) +
                     " elements, but value had " + std::to_string(values.size()) +
                     " elements. Key: " + Repr(MakeList(keys)) +
                     ", value: " + Repr(MakeList(values)) + ".");
  for (size_t i = 0; i < keys.size(); ++i) AddFeed(g, keys[i], values[i], run);
}

void AddFeed(GraphObject& g, const Value& key, const Value& given, FlatRun* run) {
  if (As<TupleObject>(key)) return AddNestedFeed(g, key, given, run);
  if (const Value parts = PartsOf(key); !parts.is_null()) {
    const std::vector<Value> keys = ToVector(parts), values = ToVector(given);
    if (keys.size() != values.size())
      throw ValueError("The value fed for " + Str(key) + " must have " +
                       std::to_string(keys.size()) + " parts, got " + Repr(given));
    for (size_t i = 0; i < keys.size(); ++i) AddFeed(g, keys[i], values[i], run);
    return;
  }
  const Out feed = FeedKey(g, key);
  if (As<TensorObject>(given) || As<VariableObject>(given)) {
    throw TypeError(
        "The value of a feed cannot be a tf.Tensor object. Acceptable feed values "
        "include Python scalars, strings, lists, numpy ndarrays, or TensorHandles. For "
        "reference, the tensor object was " +
        Str(given) + " which was passed to the feed with key " + Str(key) + ".")
        .Hint("Feed its value: sess.run('" + Str(GetAttr(given, "name")) + "')");
  }
  if (g.not_feedable.count(feed.node))
    throw ValueError("Tensor " + Str(g.Tensor(feed)) + " may not be fed.");
  const std::string name = g.handle().NodeName(feed.node);
  const int dtype = BaseType(g.handle().DType(feed));
  TensorHandle value;
  try {
    value = ToFeed(given, dtype, name);
  } catch (PyError& e) {
    if (e.exception().hint.empty())
      e.Hint("The value is fed to '" + name + "', which takes " + DTypeName(dtype));
    throw;
  }
  CheckFeedShape(g, feed, value);
  run->feeds.push_back(feed);
  run->values.push_back(std::move(value));
}

}  // namespace

void FlattenFeeds(GraphObject& g, const Value& feed_dict, FlatRun* run) {
  if (feed_dict.is_none() || feed_dict.is_null()) return;
  auto* dict = As<DictObject>(feed_dict);
  if (!dict) throw TypeError("The feed_dict argument must be a dictionary, got " + Repr(feed_dict));
  for (size_t i = 0; const Dict::Entry* e = dict->dict.At(&i);) AddFeed(g, e->key, e->value, run);
}

}  // namespace tensh::shell::tf
