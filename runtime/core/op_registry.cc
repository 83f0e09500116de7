#include "runtime/core/op_registry.h"

#include <deque>
#include <mutex>
#include <shared_mutex>

#include "runtime/core/promote.h"
#include "runtime/core/signature.h"

namespace tensh {

struct OpRegistry::Entry {
  OpSpec spec;
  OpDef def;
  std::once_flag parsed;
};

// What is added stays where it is.
class PluginKernels {
 public:
  void Add(std::vector<PluginKernel> kernels) {
    std::unique_lock lock(mu_);
    for (PluginKernel& kernel : kernels) rows_[kernel.op].push_back(std::move(kernel));
  }
  std::vector<const PluginKernel*> Of(const std::string& op) const {
    std::shared_lock lock(mu_);
    std::vector<const PluginKernel*> list;
    if (const auto it = rows_.find(op); it != rows_.end())
      for (const PluginKernel& row : it->second) list.push_back(&row);
    return list;
  }

 private:
  mutable std::shared_mutex mu_;
  std::unordered_map<std::string, std::deque<PluginKernel>> rows_;  // by op
};

OpRegistry::OpRegistry() : plugin_kernels_(std::make_unique<PluginKernels>()) {}
OpRegistry::~OpRegistry() = default;

OpRegistry::OpEntry OpRegistry::Op(OpSpec spec) {
  auto entry = std::make_unique<Entry>();
  entry->def.name = spec.name;
  entry->def.id = static_cast<uint16_t>(ops_.size());
  entry->def.plugin_kernels = plugin_kernels_.get();
  entry->def.shape = spec.shape;
  entry->def.grad = spec.grad;
  entry->def.no_gradient = spec.no_gradient;
  entry->def.stateful = spec.stateful;
  entry->def.commutative = spec.commutative;
  entry->def.aggregate = spec.aggregate;
  entry->def.allows_uninitialized_input = spec.allows_uninitialized_input;
  entry->def.elementwise = spec.elementwise || spec.shape == BroadcastInputs;
  entry->spec = std::move(spec);
  bool added = by_name_.emplace(entry->def.name, entry->def.id).second;
  TENSH_CHECK(added, "op registered twice: ", entry->def.name);
  ops_.push_back(std::move(entry));
  return OpEntry(ops_.back()->def);
}

void OpRegistry::Alias(std::string_view alias, std::string_view name) {
  auto it = by_name_.find(name);
  TENSH_CHECK(it != by_name_.end(), "alias of an unknown op: ", name);
  aliases_.push_back(std::make_unique<std::string>(alias));
  bool added = by_name_.emplace(*aliases_.back(), it->second).second;
  TENSH_CHECK(added, "op registered twice: ", alias);
}

void OpRegistry::AddKernels(std::vector<PluginKernel> kernels) const {
  plugin_kernels_->Add(std::move(kernels));
}

const OpDef& OpRegistry::Get(uint16_t id) const {
  Entry& entry = *ops_[id];
  std::call_once(entry.parsed, [&] {
    ParseSignature(entry.spec, entry.def);
    AddPromotedKernels(entry.def);
    entry.def.doc = std::move(entry.spec.doc);
    entry.def.examples = std::move(entry.spec.examples);
  });
  return entry.def;
}

const OpDef* OpRegistry::Find(std::string_view name) const {
  auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : &Get(it->second);
}

const OpSpec* OpRegistry::FindSpec(std::string_view name) const {
  auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : &ops_[it->second]->spec;
}

const AttrDef* OpDef::FindAttr(std::string_view attr_name) const {
  for (const AttrDef& attr : attrs)
    if (attr.name == attr_name) return &attr;
  return nullptr;
}

namespace {

bool Fits(const KernelRow& row, std::string_view device_type, Attrs attrs) {
  if (row.device != device_type) return false;
  if (row.type_attr.empty()) return true;
  const AttrValue* attr = attrs.Find(row.type_attr);
  const DType* type = attr ? attr->Find<DType>() : nullptr;
  return type && BaseType(*type) == row.type;
}

}  // namespace

const KernelRow* OpDef::FindKernel(std::string_view device_type, Attrs node_attrs) const {
  for (const KernelRow& row : kernels)
    if (Fits(row, device_type, node_attrs)) return &row;
  return FindPluginKernel(device_type, node_attrs);
}

const PluginKernel* OpDef::FindPluginKernel(std::string_view device_type, Attrs node_attrs) const {
  if (device_type == "CPU") return nullptr;
  // The CPU's kernel does where it looks at no elements of the device's.
  const auto has_code = [&](const PluginKernel& row) {
    if (row.fn) return true;
    const KernelRow* cpu = FindKernel("CPU", node_attrs);
    return cpu && (row.host == "*" || !IsPromoted(*cpu));
  };
  for (const PluginKernel* row : MoreKernels())
    if (Fits(*row, device_type, node_attrs) && has_code(*row)) return row;
  return nullptr;
}

std::vector<const PluginKernel*> OpDef::MoreKernels() const {
  if (!plugin_kernels) return {};
  return plugin_kernels->Of(runs_as.empty() ? name : runs_as);
}

std::string AttrDef::TypeName() const {
  static constexpr const char* kNames[] = {"int",    "float", "bool",   "type",
                                           "string", "shape", "tensor", "func"};
  std::string name = kNames[static_cast<int>(kind)];
  return is_list ? "list(" + name + ")" : name;
}

}  // namespace tensh
