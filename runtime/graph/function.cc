#include "runtime/graph/function.h"

#include <algorithm>

#include "runtime/base/wire.h"
#include "runtime/graph/attr_message.h"
#include "runtime/graph/unknown_op.h"

namespace tensh {
namespace {

Status Unreadable(std::string_view what) {
  return InvalidArgument("not a function library: ", what, " cannot be read");
}

// Reads an entry of a map whose values are texts or messages.
std::pair<std::string, std::string> ReadEntry(std::string_view message) {
  std::pair<std::string, std::string> entry;
  WireReader in(message);
  while (in.Next()) {
    if (in.field() == 1) entry.first = in.text();
    if (in.field() == 2) entry.second = in.text();
  }
  return entry;
}

Result<Function::Node> ReadNode(std::string_view message) {
  Function::Node node;
  WireReader in(message);
  while (in.Next()) {
    if (in.field() == 1) node.name = in.text();
    if (in.field() == 2) node.op = in.text();
    if (in.field() == 3) node.inputs.push_back(in.text());
    if (in.field() == 4) node.device = in.text();
    if (in.field() == 5) node.attrs.insert(ReadEntry(in.bytes()));
  }
  if (!in.ok() || node.name.empty() || node.op.empty()) return Unreadable("a node");
  return node;
}

Result<ArgDef> ReadArg(std::string_view message) {
  ArgDef arg;
  WireReader in(message);
  while (in.Next()) {
    if (in.field() == 1) arg.name = in.text();
    if (in.field() == 3) {
      const int64_t type = in.integer();
      if (type < 0 || type > 255) return Unreadable("an argument");
      arg.type = BaseType(static_cast<DType>(type));
    }
    if (in.field() == 4) arg.type_attr = in.text();
    if (in.field() == 5) arg.number_attr = in.text();
    if (in.field() == 6) arg.type_list_attr = in.text();
  }
  if (!in.ok() || arg.name.empty()) return Unreadable("an argument");
  if (arg.type == DType::kInvalid && arg.type_attr.empty() && arg.type_list_attr.empty())
    return InvalidArgument("argument '", arg.name, "' of a function has no type");
  return arg;
}

bool ReadKind(std::string_view text, AttrDef* attr) {
  static constexpr std::pair<std::string_view, AttrKind> kKinds[] = {
      {"int", AttrKind::kInt},       {"float", AttrKind::kFloat},   {"bool", AttrKind::kBool},
      {"type", AttrKind::kType},     {"string", AttrKind::kString}, {"shape", AttrKind::kShape},
      {"tensor", AttrKind::kTensor}, {"func", AttrKind::kFunc}};
  if (text.starts_with("list(") && text.ends_with(")")) {
    attr->is_list = true;
    text = text.substr(5, text.size() - 6);
  }
  for (const auto& [name, kind] : kKinds) {
    if (name != text) continue;
    attr->kind = kind;
    return true;
  }
  return false;
}

Result<AttrDef> ReadAttr(std::string_view message) {
  AttrDef attr;
  std::string type;
  std::string_view default_value;
  bool has_default = false;
  WireReader in(message);
  while (in.Next()) {
    if (in.field() == 1) attr.name = in.text();
    if (in.field() == 2) type = in.text();
    if (in.field() == 3) default_value = in.bytes(), has_default = true;
    if (in.field() == 5) attr.has_minimum = in.varint() != 0;
    if (in.field() == 6) attr.minimum = in.integer();
  }
  if (!in.ok() || !ReadKind(type, &attr)) return Unreadable("an attribute");
  if (has_default) {
    TENSH_ASSIGN(AttrValue value, DecodeAttr(default_value, &attr));
    attr.default_value = std::move(value);
  }
  return attr;
}

Status ReadSignature(std::string_view message, OpDef* op) {
  WireReader in(message);
  while (in.Next()) {
    if (in.field() == 1) op->name = in.text();
    if (in.field() == 2 || in.field() == 3) {
      TENSH_ASSIGN(ArgDef arg, ReadArg(in.bytes()));
      (in.field() == 2 ? op->inputs : op->outputs).push_back(std::move(arg));
    }
    if (in.field() == 4) {
      TENSH_ASSIGN(AttrDef attr, ReadAttr(in.bytes()));
      op->attrs.push_back(std::move(attr));
    }
    if (in.field() == 6) op->doc = in.text();
    if (in.field() == 17) op->stateful = in.varint() != 0;
  }
  return in.ok() && !op->name.empty() ? Status() : Unreadable("a signature");
}

// Checks that the signature has the attributes on which the types of arguments depend.
Status CheckSignature(const OpDef& op) {
  auto is = [&](const std::string& name, AttrKind kind, bool list) {
    if (name.empty()) return true;
    const AttrDef* attr = op.FindAttr(name);
    return attr && attr->kind == kind && attr->is_list == list;
  };
  for (const auto* args : {&op.inputs, &op.outputs})
    for (const ArgDef& arg : *args)
      if (!is(arg.type_attr, AttrKind::kType, false) ||
          !is(arg.type_list_attr, AttrKind::kType, true) ||
          !is(arg.number_attr, AttrKind::kInt, false))
        return InvalidArgument("argument '", arg.name, "' of function ", op.name,
                               " has the type of an attribute that does not exist");
  return {};
}

std::string NodeMessage(const FunctionSpec::Node& node) {
  WireWriter out;
  out.Bytes(1, node.name);
  out.Bytes(2, node.op);
  for (const std::string& input : node.inputs) out.Bytes(3, input);
  for (const NamedAttr& attr : node.attrs) {
    WireWriter entry;
    entry.Bytes(1, attr.name);
    entry.AlwaysBytes(2, EncodeAttr(attr.value));
    out.AlwaysBytes(5, entry.text());
  }
  return out.Take();
}

std::string FunctionMessage(const std::string& name, const FunctionSpec& spec) {
  WireWriter signature, out;
  signature.Bytes(1, name);
  auto add = [&](int field, const FunctionSpec::Value& value) {
    WireWriter arg;
    arg.Bytes(1, value.name);
    arg.Int(3, static_cast<int64_t>(value.dtype));
    signature.AlwaysBytes(field, arg.text());
  };
  for (const auto& value : spec.args) add(2, value);
  for (const auto& value : spec.results) add(3, value);
  out.AlwaysBytes(1, signature.text());
  for (const auto& node : spec.nodes) out.AlwaysBytes(3, NodeMessage(node));
  for (const auto& value : spec.results) {
    WireWriter entry;
    entry.Bytes(1, value.name);
    entry.Bytes(2, value.from);
    out.AlwaysBytes(4, entry.text());
  }
  return out.Take();
}

}  // namespace

// Gradients are recorded only after all functions were added, so that a failure leaves no trace.
Status FunctionLibrary::AddLibrary(std::string_view message, bool clear_devices) {
  std::lock_guard lock(mu_);
  const size_t before = functions_.size();
  std::vector<std::pair<std::string, std::string>> gradients;
  Status status;
  WireReader in(message);
  while (status.ok() && in.Next()) {
    if (in.field() == 1) status = AddLocked(in.bytes(), clear_devices);
    if (in.field() == 2) gradients.push_back(ReadEntry(in.bytes()));
  }
  if (status.ok() && !in.ok()) status = Unreadable("the message");
  for (const auto& [name, gradient] : gradients) {
    if (!status.ok()) break;
    auto known = gradients_.find(name);
    if (known != gradients_.end() && known->second != gradient)
      status = InvalidArgument("Cannot assign gradient function '", gradient, "' to '", name,
                               "' because it already has gradient function '", known->second, "'");
  }
  if (status.ok())
    for (auto& entry : gradients) gradients_.insert(std::move(entry));
  else
    DropFromLocked(before);
  return status;
}

Status FunctionLibrary::Add(std::string_view function_def) {
  std::lock_guard lock(mu_);
  return AddLocked(function_def);
}

// Removes only the names. The functions stay in memory, because readers may still use them.
void FunctionLibrary::DropFromLocked(size_t mark) {
  std::erase_if(by_name_, [&](const auto& entry) { return entry.second >= mark; });
}

size_t FunctionLibrary::Mark() const {
  std::lock_guard lock(mu_);
  return functions_.size();
}

void FunctionLibrary::DropFrom(size_t mark) {
  std::lock_guard lock(mu_);
  DropFromLocked(mark);
}

Status FunctionLibrary::AddLocked(std::string_view function_def, bool clear_devices) {
  Function f;
  f.message = function_def;
  WireReader in(f.message);
  while (in.Next()) {
    if (in.field() == 1) {
      f.signature = in.text();
      TENSH_RETURN_IF_ERROR(ReadSignature(in.bytes(), &f.op));
    } else if (in.field() == 3) {
      TENSH_ASSIGN(Function::Node node, ReadNode(in.bytes()));
      if (clear_devices) node.device.clear();
      f.nodes.push_back(std::move(node));
    } else if (in.field() == 4) {
      f.rets.insert(ReadEntry(in.bytes()));
    } else if (in.field() == 6) {
      f.control_rets.insert(ReadEntry(in.bytes()));
    }
  }
  if (!in.ok() || f.op.name.empty()) return Unreadable("a function");
  TENSH_RETURN_IF_ERROR(CheckSignature(f.op));
  if (DeclaresUnknown(f.op)) f.op.role = OpRole::kUnknown;
  if (ops_.Find(f.op.name))
    return InvalidArgument("Cannot add function '", f.op.name,
                           "' because an op with the same name already exists.");
  if (auto it = by_name_.find(f.op.name); it != by_name_.end()) {
    if (functions_[it->second].SameAs(f)) return {};
    return InvalidArgument("Cannot add function '", f.op.name,
                           "' because a different function with the same name already exists.");
  }
  const uint32_t number = static_cast<uint32_t>(functions_.size());
  if (number >= kMaxFunctions) return ResourceExhausted("a graph has at most 32767 functions");
  // A call by name uses the kernels, shape function and gradient of PartitionedCall.
  if (const OpDef* call = IsUnknown(f.op) ? nullptr : ops_.Find("PartitionedCall")) {
    f.op.kernels = call->kernels;
    f.op.plugin_kernels = call->plugin_kernels;
    f.op.runs_as = call->name;
    f.op.grad = call->grad;
    f.op.shape = call->shape;
  }
  f.op.id = static_cast<uint16_t>(kFunctionOps + number);
  functions_.push_back(std::move(f));
  by_name_.emplace(functions_.back().op.name, number);
  if (number % kChunk == 0) {
    storage_.emplace_back().fill(nullptr);
    chunks_[number / kChunk].store(storage_.back().data(), std::memory_order_release);
  }
  storage_.back()[number % kChunk] = &functions_.back();
  return {};
}

Result<std::string> FunctionLibrary::Define(std::string_view prefix, const FunctionSpec& spec) {
  std::lock_guard lock(mu_);
  std::string name;
  do name = StrCat(prefix, "_", next_++);
  while (by_name_.contains(name) || ops_.Find(name));
  TENSH_RETURN_IF_ERROR(AddLocked(FunctionMessage(name, spec)));
  return name;
}

const Function* FunctionLibrary::Find(std::string_view name) const {
  std::lock_guard lock(mu_);
  auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : &functions_[it->second];
}

std::string FunctionLibrary::GradientOf(std::string_view name) const {
  std::lock_guard lock(mu_);
  auto it = gradients_.find(name);
  return it == gradients_.end() ? "" : it->second;
}

size_t FunctionLibrary::size() const {
  std::lock_guard lock(mu_);
  return by_name_.size();
}

std::vector<std::string> FunctionLibrary::names() const {
  std::lock_guard lock(mu_);
  std::vector<std::string> names;
  for (const Function& f : functions_)
    if (by_name_.contains(f.op.name) && !IsUnknown(f.op)) names.push_back(f.op.name);
  return names;
}

std::string FunctionLibrary::Message() const {
  std::lock_guard lock(mu_);
  WireWriter out;
  for (uint32_t i = 0; i < functions_.size(); ++i) {
    auto it = by_name_.find(functions_[i].op.name);
    if (it != by_name_.end() && it->second == i && !IsUnknown(functions_[i].op))
      out.AlwaysBytes(1, functions_[i].message);
  }
  for (const auto& [name, gradient] : gradients_) {
    WireWriter entry;
    entry.Bytes(1, name);
    entry.Bytes(2, gradient);
    out.AlwaysBytes(2, entry.text());
  }
  return out.Take();
}

Result<std::vector<NamedAttr>> BindAttrs(const OpDef& op, const std::vector<NamedAttr>* given) {
  constexpr int64_t kMostArguments = 1 << 15;
  std::vector<NamedAttr> bound;
  if (given) bound = *given;
  for (const AttrDef& def : op.attrs) {
    auto it = std::find_if(bound.begin(), bound.end(),
                           [&](const NamedAttr& a) { return a.name == def.name; });
    if (it == bound.end()) {
      if (!def.default_value)
        return InvalidArgument("Attr ", def.name, " is not found from the call of ", op.name);
      bound.push_back({def.name, *def.default_value});
    } else if (it->value.TypeName() != def.TypeName()) {
      return InvalidArgument("AttrValue of '", def.name, "' of ", op.name, " must have type ",
                             def.TypeName(), ", got ", it->value.TypeName());
    }
  }
  for (const auto* args : {&op.inputs, &op.outputs})
    for (const ArgDef& arg : *args) {
      if (arg.number_attr.empty()) continue;
      const int64_t count = Attrs(bound).Int(arg.number_attr);
      if (count < 0 || count > kMostArguments)
        return InvalidArgument("attribute ", arg.number_attr, " of ", op.name, " is ", count);
    }
  return bound;
}

}  // namespace tensh
