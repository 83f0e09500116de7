#include "runtime/core/op_registry.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <unordered_map>
#include <utility>

#include "runtime/core/external_op.h"
#include "runtime/core/promote.h"
#include "runtime/core/signature.h"

namespace tensh {

OpText::OpText(std::string_view text) {
  static std::mutex mu;
  static auto* const copies = new std::deque<std::string>;  // never freed
  std::lock_guard lock(mu);
  static_cast<std::string_view&>(*this) = copies->emplace_back(text);
}

OpText& OpText::operator+=(std::string_view text) { return *this = StrCat(*this, text); }

Examples::Examples() = default;
Examples::Examples(std::initializer_list<Example> examples) : vector(examples) {}
Examples::Examples(const Examples& other) = default;
Examples::Examples(Examples&& other) noexcept = default;
Examples& Examples::operator=(const Examples& other) = default;
Examples& Examples::operator=(Examples&& other) noexcept = default;
Examples::~Examples() = default;

struct OpRegistry::Entry {
  using TypedKernel = OpEntry::TypedKernel;
  // Kernels that one call of Cpu or CpuAny adds.
  struct KernelGroup {
    std::span<const TypedKernel> typed = {};
    KernelFn any = nullptr;  // for all types, if `typed` is empty
    KernelOptions options;
  };

  OpSpec spec;
  std::vector<KernelGroup> kernels;
  uint16_t id = 0;
  std::once_flag written, defined;
  std::optional<OpDef> def;  // set when `defined` is

  // Returns the definition with all of its texts.
  OpSpec& Spec() {
    std::call_once(written, [this] {
      if (spec.writer) spec.writer->Write(spec);
    });
    return spec;
  }
};

// The ops by id and by name. One thread adds while others look up: an entry of the tables is written
// once, before its name becomes visible. The table of names is open addressing.
class OpRegistry::Table {
 public:
  Table(OpRegistry& registry) : registry_(registry) {}

  void AddFiles(std::span<const File> files, std::span<const NameInFile> names) {
    files_ = files;
    names_in_files_ = names;
    done_.resize(files.size());
    complete_.store(files.empty());
  }

  // Returns null if no file has registered the name yet.
  Entry* Lookup(std::string_view name) const {
    const size_t hash = Hash(name);
    Group* group = groups_[hash % kGroups].load(std::memory_order_acquire);
    if (!group) return nullptr;
    const Name* found = SlotOf(*group, hash, name).load(std::memory_order_acquire);
    return found ? found->entry : nullptr;
  }
  // Runs the files that may register the name until one does, and returns the op or null.
  Entry* Find(std::string_view name) {
    Entry* entry = Lookup(name);
    if (entry || complete_.load(std::memory_order_acquire)) return entry;
    const std::lock_guard lock(mu_);
    const auto before = [](const NameInFile& row, std::string_view n) { return row.name < n; };
    auto row = std::lower_bound(names_in_files_.begin(), names_in_files_.end(), name, before);
    for (; row != names_in_files_.end() && row->name == name; ++row) {
      Run(row->file);
      entry = Lookup(name);
      if (entry) return entry;
    }
    RunAll();
    return Lookup(name);
  }
  void RunAll() {
    const std::lock_guard lock(mu_);
    for (size_t file = 0; file < files_.size(); ++file) Run(file);
    complete_.store(true, std::memory_order_release);
  }

  Entry& Get(size_t id) { return *(*chunks_[id / kChunk])[id % kChunk]; }
  size_t size() const { return ops_.size(); }
  Entry& Add(OpSpec spec) {
    const size_t id = ops_.size();
    TENSH_CHECK(id < kMostOps, "too many ops");
    Entry& entry = ops_.emplace_back();
    entry.spec = std::move(spec);
    entry.id = static_cast<uint16_t>(id);
    if (!chunks_[id / kChunk]) chunks_[id / kChunk] = std::make_unique<Chunk>();
    (*chunks_[id / kChunk])[id % kChunk] = &entry;
    AddName(entry.spec.name, entry);
    return entry;
  }
  // Aborts if the name exists. `name` must be valid as long as the table.
  void AddName(std::string_view name, Entry& entry) {
    const size_t hash = Hash(name);
    std::atomic<Group*>& made = groups_[hash % kGroups];
    Group* group = made.load(std::memory_order_relaxed);
    if (!group) {
      group = &group_storage_.emplace_back();
      made.store(group, std::memory_order_release);
    }
    std::atomic<const Name*>& slot = SlotOf(*group, hash, name);
    TENSH_CHECK(!slot.load(std::memory_order_relaxed), "op registered twice: ", name);
    TENSH_CHECK(++group->used < kSlots, "too many names of ops");
    slot.store(&names_.emplace_back(Name{name, &entry}), std::memory_order_release);
  }

  static constexpr size_t kMostOps = 2048;

 private:
  static constexpr size_t kChunk = 256;
  // The names are in a hash table of groups, which are allocated when they get their first name: a
  // short session uses a few ops, and its start must not touch the memory for all.
  static constexpr size_t kGroups = 32, kSlots = 256;
  using Chunk = std::array<Entry*, kChunk>;
  struct Name {
    std::string_view text;
    Entry* entry = nullptr;
  };

  struct Group {
    std::array<std::atomic<const Name*>, kSlots> slots{};
    size_t used = 0;  // less than kSlots, so that a search ends
  };

  static size_t Hash(std::string_view name) { return std::hash<std::string_view>()(name); }
  // Returns the slot of the name, or the free slot where it belongs.
  static std::atomic<const Name*>& SlotOf(Group& group, size_t hash, std::string_view name) {
    for (size_t at = hash / kGroups;; ++at) {
      std::atomic<const Name*>& slot = group.slots[at % kSlots];
      const Name* found = slot.load(std::memory_order_acquire);
      if (!found || found->text == name) return slot;
    }
  }
  // Requires mu_. A file may look up ops of other files, for an alias.
  void Run(size_t file) {
    if (done_[file]) return;
    done_[file] = true;
    files_[file](registry_);
  }

  OpRegistry& registry_;
  std::recursive_mutex mu_;  // held while files run
  std::span<const File> files_;
  std::span<const NameInFile> names_in_files_;
  std::vector<bool> done_;            // the files that ran
  std::atomic<bool> complete_{true};  // all files ran
  std::deque<Entry> ops_;
  std::array<std::unique_ptr<Chunk>, kMostOps / kChunk> chunks_;
  std::deque<Name> names_;
  std::array<std::atomic<Group*>, kGroups> groups_{};
  std::deque<Group> group_storage_;
};

namespace {

struct ExternalEntry {
  OpSpec spec;
  OpDef def;
  std::unique_ptr<const ExternalOp> op;
};

// The ids of external ops, between those of the built-in ops and those of functions.
constexpr uint16_t kExternalOps = 0x4000;

// The external ops of a registry.
class ExternalTable {
 public:
  const ExternalEntry& Get(size_t i) const { return *(*entries_)[i]; }
  size_t size() const { return size_.load(std::memory_order_acquire); }
  const ExternalEntry* Find(std::string_view name) const {
    for (size_t i = 0, n = size(); i < n; ++i)
      if ((*entries_)[i]->def.name == name) return (*entries_)[i].get();
    return nullptr;
  }
  std::mutex& mutex() { return mu_; }
  // mu_ must be locked.
  bool Add(std::unique_ptr<const ExternalEntry> entry) {
    const size_t n = size();
    if (!entries_) entries_ = std::make_unique<Entries>();
    if (n == entries_->size()) return false;
    (*entries_)[n] = std::move(entry);
    size_.store(n + 1, std::memory_order_release);
    return true;
  }

 private:
  std::mutex mu_;  // serializes writers; readers do not lock
  using Entries = std::array<std::unique_ptr<const ExternalEntry>, 1024>;
  std::unique_ptr<Entries> entries_;  // null until the first op; the pointer does not change then
  std::atomic<size_t> size_{0};
};

}  // namespace

// The kernels of plug-ins. Their addresses are stable.
class PluginKernels {
 public:
  mutable ExternalTable external;

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

OpRegistry::OpRegistry()
    : table_(std::make_unique<Table>(*this)), plugin_kernels_(std::make_unique<PluginKernels>()) {}
OpRegistry::~OpRegistry() = default;

namespace {

// Fills in everything except the signature.
void Describe(const OpSpec& spec, size_t id, const PluginKernels* plugin_kernels, OpDef& def) {
  def.name = spec.name;
  def.id = static_cast<uint16_t>(id);
  def.plugin_kernels = plugin_kernels;
  def.shape = spec.shape;
  def.grad = spec.grad;
  def.no_gradient = spec.no_gradient;
  def.stateful = spec.stateful;
  def.commutative = spec.commutative;
  def.aggregate = spec.aggregate;
  def.allows_uninitialized_input = spec.allows_uninitialized_input;
  def.elementwise = spec.elementwise;
  if (spec.elementwise == Elementwise::kNo && spec.shape == BroadcastInputs)
    def.elementwise = Elementwise::kBroadcast;
  def.role = spec.role;
  def.variable_type = spec.variable_type;
  def.first_call_input = spec.first_call_input;
  def.never_waits = spec.never_waits || spec.variable_type;
  def.waits_for = spec.waits_for;
}

}  // namespace

OpRegistry::OpEntry OpRegistry::Op(OpSpec spec) { return OpEntry(table_->Add(std::move(spec))); }

void OpRegistry::OpEntry::Add(std::span<const TypedKernel> kernels, const KernelOptions& options) {
  entry_.kernels.push_back({.typed = kernels, .options = options});
}

OpRegistry::OpEntry& OpRegistry::OpEntry::CpuAny(KernelFn fn, PrepareFn prepare) {
  entry_.kernels.push_back({.any = fn, .options = {.prepare = prepare, .type_attr = ""}});
  return *this;
}

void OpRegistry::AddFiles(std::span<const File> files, std::span<const NameInFile> names) {
  table_->AddFiles(files, names);
}

void OpRegistry::Alias(std::string_view alias, std::string_view name) {
  Entry* entry = FindEntry(name);
  TENSH_CHECK(entry, "alias of an unknown op: ", name);
  table_->AddName(OpText(alias), *entry);
}

OpRegistry::Entry* OpRegistry::FindEntry(std::string_view name) const { return table_->Find(name); }

void OpRegistry::RunAllFiles() const { table_->RunAll(); }

std::vector<const OpDef*> OpRegistry::All() const {
  RunAllFiles();
  std::vector<const OpDef*> all;
  for (size_t id = 0; id < table_->size(); ++id) all.push_back(&Get(static_cast<uint16_t>(id)));
  return all;
}

void OpRegistry::AddKernels(std::vector<PluginKernel> kernels) const {
  plugin_kernels_->Add(std::move(kernels));
}

const OpDef& OpRegistry::Get(uint16_t id) const {
  if (__builtin_expect(id >= kExternalOps, 0))
    return plugin_kernels_->external.Get(id - kExternalOps).def;
  Entry& entry = table_->Get(id);
  std::call_once(entry.defined, [&] {
    OpSpec& spec = entry.Spec();
    OpDef& def = entry.def.emplace();
    Describe(spec, id, plugin_kernels_.get(), def);
    for (const Entry::KernelGroup& group : entry.kernels) {
      const std::string type_attr(group.options.type_attr);
      for (const Entry::TypedKernel& kernel : group.typed)
        def.kernels.push_back({"CPU", type_attr, kernel.type, kernel.fn, group.options.prepare});
      if (group.any)
        def.kernels.push_back(
            {"CPU", type_attr, DType::kInvalid, group.any, group.options.prepare});
    }
    const Status parsed = ParseSignature(spec, def);
    TENSH_CHECK(parsed.ok(), parsed.message());
    AddPromotedKernels(def);
    def.doc = spec.doc;
    def.examples = std::move(spec.examples);
  });
  return *entry.def;
}

const OpDef* OpRegistry::Find(std::string_view name) const {
  if (const Entry* entry = FindEntry(name)) return &Get(entry->id);
  const ExternalEntry* external = plugin_kernels_->external.Find(name);
  return external ? &external->def : nullptr;
}

OpRole OpRegistry::RoleOf(std::string_view name) const {
  const Entry* entry = FindEntry(name);
  return entry ? entry->spec.role : OpRole::kOrdinary;
}

const OpSpec* OpRegistry::FindSpec(std::string_view name) const {
  if (Entry* entry = FindEntry(name)) return &entry->Spec();
  const ExternalEntry* external = plugin_kernels_->external.Find(name);
  return external ? &external->spec : nullptr;
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
  // A registration without code uses the CPU's kernel. That kernel must not read elements in device
  // memory.
  const auto has_code = [&](const PluginKernel& row) {
    if (row.fn) return true;
    const KernelRow* cpu = FindKernel("CPU", node_attrs);
    return cpu && (row.host == "*" || !IsPromoted(*cpu));
  };
  for (const PluginKernel* row : LoadedPluginKernels())
    if (Fits(*row, device_type, node_attrs) && has_code(*row)) return row;
  return nullptr;
}

std::vector<const PluginKernel*> OpDef::LoadedPluginKernels() const {
  if (!plugin_kernels) return {};
  return plugin_kernels->Of(runs_as.empty() ? name : runs_as);
}

std::string AttrDef::TypeName() const {
  static constexpr const char* kNames[] = {"int",    "float", "bool",   "type",
                                           "string", "shape", "tensor", "func"};
  std::string name = kNames[static_cast<int>(kind)];
  return is_list ? "list(" + name + ")" : name;
}

// ---- external ops ----

Status AddExternalOp(const OpRegistry& registry, OpSpec spec,
                     std::unique_ptr<const ExternalOp> op) {
  const auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  if (spec.name.empty() || !upper(spec.name[0]) || !IsIdentifier(spec.name))
    return InvalidArgument("'", spec.name, "' cannot be the name of an op: use CamelCase");
  const PluginKernels& kernels = registry.plugin_kernels();
  ExternalTable& table = kernels.external;
  std::lock_guard lock(table.mutex());
  if (registry.Find(spec.name)) return AlreadyExists("there is already an op '", spec.name, "'");
  auto entry = std::make_unique<ExternalEntry>();
  Describe(spec, kExternalOps + table.size(), &kernels, entry->def);
  entry->spec = std::move(spec);
  TENSH_RETURN_IF_ERROR(ParseSignature(entry->spec, entry->def));
  entry->def.doc = entry->spec.doc;
  KernelRow& kernel = entry->def.kernels.emplace_back();  // for all types of the signature
  kernel.device = "CPU";
  kernel.fn = RunExternal;
  entry->op = std::move(op);
  if (!table.Add(std::move(entry))) return ResourceExhausted("too many ops were registered");
  return {};
}

std::vector<const OpDef*> ExternalOps(const OpRegistry& registry) {
  const ExternalTable& table = registry.plugin_kernels().external;
  std::vector<const OpDef*> ops;
  for (size_t i = 0, n = table.size(); i < n; ++i) ops.push_back(&table.Get(i).def);
  return ops;
}

const ExternalOp* FindExternal(const OpDef& op) {
  if (op.kernels.size() != 1 || op.kernels[0].fn != RunExternal) return nullptr;
  const ExternalEntry* entry = op.plugin_kernels->external.Find(op.name);
  return entry ? entry->op.get() : nullptr;
}

}  // namespace tensh
