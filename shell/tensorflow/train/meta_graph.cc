// Graphs in files: reading and writing a MetaGraphDef with its collections and Saver, and
// import_graph_def.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "runtime/base/wire.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/file.h"
#include "shell/tensorflow/data/queue.h"
#include "shell/tensorflow/graph/build.h"
#include "shell/tensorflow/graph/control_flow.h"
#include "shell/tensorflow/graph/exchange/graph_def.h"
#include "shell/tensorflow/graph/fetch.h"
#include "shell/tensorflow/graph/names.h"
#include "shell/tensorflow/graph/state.h"
#include "shell/tensorflow/graph/variable.h"
#include "shell/tensorflow/io/message_text.h"
#include "shell/tensorflow/proto/scalar.h"
#include "shell/tensorflow/train/saver.h"
#include "shell/text/replace_file.h"

namespace tensh::shell::tf {

std::string SaverObject::SaverDef() const {
  WireWriter out;
  out.AlwaysBytes(1, filename_tensor);
  out.AlwaysBytes(2, save_tensor);
  out.AlwaysBytes(3, restore_op);
  out.AlwaysInt(4, max_to_keep);
  if (sharded) out.AlwaysInt(5, 1);
  out.AlwaysFloat(6, static_cast<float>(keep_hours));
  out.AlwaysInt(7, 2);  // version 2 of the checkpoint format
  return out.text();
}

namespace {

std::string OutputName(GraphObject& g, Out o) {
  return g.handle().NodeName(o.node) + (":" + std::to_string(o.index));
}

std::string VariableDef(const VariableObject& var) {
  GraphObject& g = var.graph();
  WireWriter out;
  out.AlwaysBytes(1, OutputName(g, var.Reference()));
  out.AlwaysBytes(2, g.handle().NodeName(var.Initializer()));
  out.AlwaysBytes(3, OutputName(g, var.Snapshot()));
  if (var.is_resource()) out.AlwaysInt(5, 1);
  if (Exists(var.InitialValue())) out.AlwaysBytes(6, OutputName(g, var.InitialValue()));
  if (var.trainable) out.AlwaysInt(7, 1);
  return out.text();
}

std::string QueueRunnerDef(const QueueRunnerObject& runner) {
  GraphObject& g = *runner.graph;
  const auto* queue = As<QueueObject>(runner.queue);
  WireWriter out;
  out.AlwaysBytes(1, queue ? g.handle().NodeName(queue->ref.node) : runner.queue_node);
  for (Node op : runner.enqueue_ops) out.AlwaysBytes(2, g.handle().NodeName(op));
  out.AlwaysBytes(3, g.handle().NodeName(runner.close_op));
  out.AlwaysBytes(4, g.handle().NodeName(runner.cancel_op));
  return out.text();
}

// The collections whose variables are stored as VariableDefs. Elsewhere, a variable is stored as
// the name of its tensor.
constexpr const char* kOfVariables[] = {
    kGlobalVariables,        kLocalVariables,        kModelVariables,  kTrainableVariables,
    kMovingAverageVariables, kConcatenatedVariables, kMetricVariables, kGlobalStep};

bool HoldsVariables(std::string_view collection) {
  return std::find(std::begin(kOfVariables), std::end(kOfVariables), collection) !=
         std::end(kOfVariables);
}

// Returns a collection as a CollectionDef, or "" if it contains objects that cannot be stored in a
// file.
std::string CollectionDef(GraphObject& g, const std::string& name,
                          const std::vector<Value>& items) {
  WireWriter nodes, bytes, ints, floats, out;
  int kinds = 0;
  for (const Value& item : items) {
    if (auto* var = As<VariableObject>(item)) {
      const bool whole = HoldsVariables(name);
      whole ? bytes.AlwaysBytes(1, VariableDef(*var)) : nodes.AlwaysBytes(1, var->Name());
      kinds |= whole ? 1 : 2;
    } else if (auto* runner = As<QueueRunnerObject>(item)) {
      bytes.AlwaysBytes(1, QueueRunnerDef(*runner));
      kinds |= 1;
    } else if (auto* saver = As<SaverObject>(item)) {
      if (!saver->graph) return {};
      bytes.AlwaysBytes(1, saver->SaverDef());
      kinds |= 1;
    } else if (auto* text = As<BytesObject>(item)) {
      bytes.AlwaysBytes(1, text->data);
      kinds |= 1;
    } else if (auto* t = As<TensorObject>(item)) {
      nodes.AlwaysBytes(1, OutputName(g, t->out()));
      kinds |= 2;
    } else if (auto* op = As<OperationObject>(item)) {
      nodes.AlwaysBytes(1, op->Name());
      kinds |= 2;
    } else if (item.is_int()) {
      ints.AlwaysInt(1, item.as_int());
      kinds |= 4;
    } else if (item.is_float()) {
      floats.AlwaysFloat(1, static_cast<float>(item.as_float()));
      kinds |= 8;
    } else if (IsStr(item)) {
      bytes.AlwaysBytes(1, StrView(item));
      kinds |= 1;
    } else {
      return {};
    }
  }
  if (kinds == 1) out.AlwaysBytes(2, bytes.text());
  if (kinds == 2) out.AlwaysBytes(1, nodes.text());
  if (kinds == 4) out.AlwaysBytes(3, ints.text());
  if (kinds == 8) out.AlwaysBytes(4, floats.text());
  return out.text();
}

std::string MetaGraphDef(GraphObject& g, const SaverObject* saver) {
  WireWriter info, out;
  info.AlwaysBytes(5, "1.15.0");
  info.AlwaysBytes(6, "tensh");
  out.AlwaysBytes(1, info.text());
  out.AlwaysBytes(2, ExportedGraph(g));
  if (saver && saver->graph) out.AlwaysBytes(3, saver->SaverDef());
  g.Sync();
  for (auto& [name, items] : g.collections) {
    const std::string def =
        items->items.empty() ? std::string() : CollectionDef(g, name, items->items);
    if (def.empty()) continue;
    WireWriter entry;
    entry.AlwaysBytes(1, name);
    entry.AlwaysBytes(2, def);
    out.AlwaysBytes(4, entry.text());
  }
  return out.text();
}

std::string ReadFileText(const std::string& path) {
  CheckPathToRead(path);
  std::error_code error;
  const bool waits =
      std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error);
  if (waits) throw MakeError(kOSError, path + " is not a file that holds a graph.");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw MakeError(kOSError, "File " + path + " does not exist.");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// ---- reading ----

// The parts of a MetaGraphDef, as views of the message. A graph may have a million nodes.
struct Imported {
  std::string_view graph, saver;
  std::vector<std::pair<std::string, std::string_view>> collections;
};

Imported ReadMetaGraph(std::string_view message, const std::string& path) {
  Imported found;
  WireReader in(message);
  while (in.Next()) {
    if (in.field() == 2) found.graph = in.bytes();
    if (in.field() == 3) found.saver = in.bytes();
    if (in.field() != 4) continue;
    std::string name;
    std::string_view def;
    WireReader entry(in.bytes());
    while (entry.Next()) {
      if (entry.field() == 1) name = entry.text();
      if (entry.field() == 2) def = entry.bytes();
    }
    found.collections.emplace_back(name, def);
  }
  if (!in.ok())
    throw MakeError(kOSError, "Cannot parse file " + path + ": it is not a MetaGraphDef.");
  return found;
}

// Returns the message of a file, which may also be in text form. A message contains control
// characters near its beginning, such as the lengths of names.
std::string MetaGraphIn(std::string file, const std::string& path) {
  constexpr size_t kBeginning = 4096;
  const std::string_view head = std::string_view(file).substr(0, kBeginning);
  const bool is_message = std::any_of(head.begin(), head.end(), [](char c) {
    return (c >= 0 && c < ' ' && c != '\n' && c != '\t' && c != '\r') || c == 0x7f;
  });
  if (is_message || file.empty()) return file;
  try {
    return ParseMessageText(MetaGraphDefSchema(), file);
  } catch (const PyError& error) {
    if (error.Is(kKeyboardInterrupt)) throw;
    throw MakeError(kOSError, "Cannot parse file " + path + ": it is not a MetaGraphDef.");
  }
}

class CollectionReader {
 public:
  CollectionReader(GraphObject& g, std::string prefix) : g_(g), prefix_(std::move(prefix)) {}

  void Add(const std::string& name, std::string_view def) {
    WireReader in(def);
    while (in.Next()) {
      WireReader list(in.bytes());
      while (list.Next()) AddItem(name, in.field(), list);
    }
  }

 private:
  void AddItem(const std::string& name, int kind, const WireReader& item) {
    std::vector<Value>& to = g_.Collection(name);
    if (kind == 1) {
      const Element e = ToElement(g_, MakeStr(prefix_ + item.text()), "collection");
      to.push_back(Exists(e.out) ? g_.Tensor(e.out) : g_.Operation(e.node));
    } else if (kind == 2) {
      Value v = OfBytes(name, item.text());
      if (!v.is_null()) to.push_back(v);
    } else if (kind == 3 && item.type() == 0) {
      to.push_back(Value::Int(item.integer()));
    } else if (kind == 4 && item.type() == 5) {
      to.push_back(Value::Float(static_cast<double>(item.as_float())));
    } else if (kind == 3 || kind == 4) {
      AddPacked(kind, item.bytes(), &to);
    }
  }

  // Protocol buffers write the numbers of a list one after the other in one field.
  static void AddPacked(int kind, std::string_view numbers, std::vector<Value>* to) {
    constexpr MessageField kInt{1, "value", FieldKind::kInt64},
        kFloat{1, "value", FieldKind::kFloat};
    for (;;) {
      Value number = TakePacked(kind == 3 ? kInt : kFloat, &numbers);
      if (number.is_null()) return;
      to->push_back(std::move(number));
    }
  }

  // The name of a collection tells which messages it holds. A collection of the user holds texts.
  Value OfBytes(const std::string& name, const std::string& bytes) {
    if (HoldsVariables(name)) return Variable(bytes);
    if (name == kQueueRunners) return QueueRunner(bytes);
    if (name == kSavers) return SaverOf(g_, bytes, prefix_);
    // Nothing here needs the contexts, but they are written back. They consist of names, which are
    // others below a prefix.
    const bool is_context = name == kCondContext || name == kWhileContext;
    return is_context && !prefix_.empty() ? Value() : MakeBytes(bytes);
  }

  Value QueueRunner(const std::string& def) {
    Ref<QueueRunnerObject> made = New<QueueRunnerObject>();
    made->graph = Ref<GraphObject>(&g_);
    WireReader in(def);
    while (in.Next()) {
      if (in.field() == 1) made->queue_node = prefix_ + in.text();
      if (in.field() == 2) made->enqueue_ops.push_back(Find(in.text()).node);
      if (in.field() == 3) made->close_op = Find(in.text()).node;
      if (in.field() == 4) made->cancel_op = Find(in.text()).node;
    }
    if (made->enqueue_ops.empty() || made->close_op == TSH_NO_NODE ||
        made->cancel_op == TSH_NO_NODE)
      throw ValueError("a queue runner of the graph is not complete");
    made->name = made->queue_node.substr(made->queue_node.rfind('/') + 1);
    return made;
  }

  // Each variable becomes one object, even if it is in several collections.
  Value Variable(const std::string& def) {
    if (auto it = made_.find(def); it != made_.end()) return it->second;
    VariableParts parts;
    WireReader in(def);
    while (in.Next()) {
      if (in.field() == 1) parts.reference = Find(in.text()).out;
      if (in.field() == 2) parts.initializer = Find(in.text()).node;
      if (in.field() == 3) parts.snapshot = Find(in.text()).out;
      if (in.field() == 5) parts.is_resource = in.varint() != 0;
      if (in.field() == 6) parts.initial_value = Find(in.text()).out;
      if (in.field() == 7) parts.trainable = in.varint() != 0;
    }
    if (!Exists(parts.reference)) return Value();
    if (!Exists(parts.snapshot)) parts.snapshot = parts.reference;
    return made_[def] = VariableOf(g_, parts);
  }

  Element Find(const std::string& name) {
    return ToElement(g_, MakeStr(prefix_ + name), "variable");
  }

  GraphObject& g_;
  const std::string prefix_;
  std::map<std::string, Value> made_;
};

// Arguments: meta_graph_or_file, clear_devices, import_scope, **kwargs.
Value ImportMetaGraph(Args& a) {
  std::string path = "message";
  Encoded message;
  if (auto* def = AsMessage(a[0], MetaGraphDefSchema())) {
    message = def->Bytes();
  } else if (auto* bytes = As<BytesObject>(a[0])) {
    message = Encoded(Ref(bytes));
  } else {
    path = PathText(a[0], "meta_graph_or_file", true);
    message = Encoded(MetaGraphIn(ReadFileText(path), path));
  }
  const Imported file = ReadMetaGraph(message.bytes, path);
  GraphObject& g = DefaultGraph();
  std::string scope = a[2].is_none() ? "" : ToText(a[2], "import_scope");
  if (!scope.empty()) scope = g.UniqueName(scope);
  // The verb open keeps nodes of unknown ops, so that one can look at the rest.
  auto* options = As<DictObject>(a[3]);
  const bool keep = options && options->dict.Find("_keep_unknown") != nullptr;
  ImportGraph(g, file.graph, {.prefix = scope, .clear_devices = Truth(a[1]), .keep_unknown = keep});
  const std::string prefix = scope.empty() ? "" : scope + "/";
  CollectionReader reader(g, prefix);
  for (const auto& [name, def] : file.collections) reader.Add(name, def);
  if (!file.saver.empty()) return SaverOf(g, file.saver, prefix);
  if (g.Collection(kGlobalVariables).empty()) return Value::None();
  Ref<SaverObject> saver = New<SaverObject>();
  saver->Build();
  return saver;
}

// Arguments: filename, meta_info_def, graph_def, saver_def, collection_list, as_text, graph, …
Value ExportMetaGraph(Args& a) {
  GraphObject& g = a[6].is_none() ? DefaultGraph() : *As<GraphObject>(a[6]);
  const Ref<SaverObject> saver = a[3].is_none() ? Ref<SaverObject>() : SaverFrom(g, a[3]);
  return WriteMetaGraph(g, saver.get(), a[0], Truth(a[5]));
}

// Returns the names that the nodes of a message got, by their names in it. `lines` has a line for each node.
std::map<std::string, std::string> NewNames(std::string_view message, const std::string& lines) {
  std::map<std::string, std::string> names;
  size_t at = 0;
  WireReader in(message);
  while (in.Next() && at < lines.size()) {
    if (in.field() != 1) continue;
    const size_t end = lines.find('\n', at);
    WireReader node(in.bytes());
    while (node.Next())
      if (node.field() == 1) names[node.text()] = lines.substr(at, end - at);
    at = end + 1;
  }
  return names;
}

// Arguments: graph_def, input_map, return_elements, name, op_dict, producer_op_list.
Value ImportGraphDefFn(Args& a) {
  auto* def = AsMessage(a[0], GraphDefSchema());
  if (!def) throw TypeError("graph_def must be a GraphDef proto.");
  const Encoded message = def->Bytes();
  GraphObject& g = DefaultGraph();
  ImportOptions options;
  options.prefix = a[3].is_none() ? "import" : std::string(NameText(a[3]));
  if (!options.prefix.empty()) options.prefix = g.UniqueName(options.prefix);
  if (auto* map = As<DictObject>(a[1])) {
    for (size_t i = 0; const Dict::Entry* e = map->dict.At(&i);) {
      std::string name = ToText(e->key, "input_map");
      if (name.find(':') == name.npos) name += ":0";
      const Out input = Convert(g, e->value, "input");
      options.input_map.emplace_back(name, g.flow ? g.flow->AddValue(input) : input);
    }
  }
  const Node first = static_cast<Node>(g.handle().size());
  std::string new_names;
  ImportGraph(g, message.bytes, options, &new_names);
  NoteNodes(g, first);
  if (a[2].is_none()) return Value::None();
  const std::map<std::string, std::string> renamed = NewNames(message.bytes, new_names);
  std::vector<Value> elements;
  for (const Value& v : ToVector(a[2])) {
    std::string name = ToText(v, "return_elements");
    const size_t end = std::min(name.find(':'), name.size());
    const auto found = renamed.find(name.substr(0, end));
    if (found == renamed.end())
      name = (options.prefix.empty() ? "" : options.prefix + "/") + name;
    else
      name = found->second + name.substr(end);
    const Element e = ToElement(g, MakeStr(name), "element");
    elements.push_back(Exists(e.out) ? g.Tensor(e.out) : g.Operation(e.node));
  }
  return MakeList(std::move(elements));
}

void WriteText(const std::string& path, std::string_view text) {
  CheckPath(path);
  std::error_code error;
  const auto directory = std::filesystem::path(path).parent_path();
  if (!directory.empty()) std::filesystem::create_directories(directory, error);
  if (const int code = ReplaceFileContents(path, text))
    throw MakeError(kOSError, "cannot write " + path + ": " + std::strerror(code));
}

// Arguments: graph_or_graph_def, logdir, name, as_text.
Value WriteGraph(Args& a) {
  std::string message;
  if (auto* g = As<GraphObject>(a[0])) message = ExportedGraph(*g);
  if (auto* def = AsMessage(a[0], GraphDefSchema())) message = def->Bytes().bytes;
  const std::string path =
      (std::filesystem::path(ToText(a[1], "logdir")) / ToText(a[2], "name")).string();
  WriteText(path, Truth(a[3]) ? MessageText(GraphDefSchema(), message) : message);
  return MakeStr(path);
}

const FunctionRow kRows[] = {
    {"import_meta_graph", "meta_graph_or_file, clear_devices=False, import_scope=None, **kwargs",
     ImportMetaGraph, "Adds the graph of a .meta file and returns its Saver."},
    {"export_meta_graph",
     "filename=None, meta_info_def=None, graph_def=None, saver_def=None, collection_list=None, "
     "as_text=False, graph=None, export_scope=None, clear_devices=False, "
     "clear_extraneous_savers=False, strip_default_attrs=False, save_debug_info=False, **kwargs",
     ExportMetaGraph, "Writes the graph to a file."},
    {"write_graph", "graph_or_graph_def, logdir, name, as_text=True", WriteGraph,
     "Writes a graph as text or as a message."},
};

const FunctionRow kGraphRows[] = {
    {"import_graph_def",
     "graph_def, input_map=None, return_elements=None, name=None, op_dict=None, "
     "producer_op_list=None",
     ImportGraphDefFn, "Adds the nodes of a GraphDef."},
};

}  // namespace

Ref<SaverObject> SaverOf(GraphObject& g, std::string_view def, const std::string& prefix) {
  Ref<SaverObject> saver = New<SaverObject>();
  WireReader in(def);
  while (in.Next()) {
    if (in.field() == 1) saver->filename_tensor = prefix + in.text();
    if (in.field() == 2) saver->save_tensor = prefix + in.text();
    if (in.field() == 3) saver->restore_op = prefix + in.text();
    if (in.field() == 4) saver->max_to_keep = in.integer();
    if (in.field() == 5) saver->sharded = in.integer() != 0;
    if (in.field() == 6) saver->keep_hours = static_cast<double>(in.as_float());
  }
  saver->graph = Ref<GraphObject>(&g);
  return saver;
}

Ref<SaverObject> SaverFrom(GraphObject& g, const Value& def) {
  const Value message = CallMethod(def, "SerializeToString", {});
  const auto* bytes = As<BytesObject>(message);
  if (bytes == nullptr) throw TypeError("saver_def must be a SaverDef, not " + TypeName(def));
  return SaverOf(g, bytes->data, "");
}

Value WriteMetaGraph(GraphObject& g, const SaverObject* saver, const Value& path, bool as_text) {
  std::string message = MetaGraphDef(g, saver);
  if (!path.is_none())
    WriteText(PathText(path, "filename"),
              as_text ? MessageText(MetaGraphDefSchema(), message) : message);
  return MakeMessage(MetaGraphDefSchema(), std::move(message));
}

std::span<const FunctionRow> MetaGraphRows() { return kRows; }
std::span<const FunctionRow> GraphDefRows() { return kGraphRows; }

}  // namespace tensh::shell::tf
