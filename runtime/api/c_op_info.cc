// tsh_op_info: the signature of an op as structs.
#include <map>
#include <mutex>

#include "runtime/api/c_types.h"
#include "runtime/core/signature.h"

using namespace tensh;
using namespace tensh::api;

namespace {

// A tsh_op_info and what it points to. The names belong to the OpDef, which is never freed.
struct Info {
  explicit Info(const OpDef& op, const OpSpec& spec) {
    allowed_.reserve(op.attrs.size());
    for (const AttrDef& attr : op.attrs) attrs_.push_back(AttrOf(attr, spec));
    for (const ArgDef& arg : op.inputs) inputs_.push_back(ArgOf(arg, op, true));
    for (const ArgDef& arg : op.outputs) outputs_.push_back(ArgOf(arg, op, false));
    info = {op.name.c_str(), inputs_.data(), inputs_.size(), outputs_.data(),
            outputs_.size(), attrs_.data(),  attrs_.size()};
  }
  tsh_op_info info{};

 private:
  tsh_op_attr AttrOf(const AttrDef& attr, const OpSpec& spec) {
    tsh_op_attr out{};
    out.name = attr.name.c_str();
    // AttrKind numbers the kinds as tsh_attr_kind does. A function is given by its name.
    static_assert(static_cast<int>(AttrKind::kTensor) == TSH_ATTR_TENSOR);
    out.kind =
        attr.kind == AttrKind::kFunc ? TSH_ATTR_STRING : static_cast<tsh_attr_kind>(attr.kind);
    out.is_list = attr.is_list;
    out.has_default = attr.default_value.has_value();
    if (const DType* type = attr.default_value ? attr.default_value->Find<DType>() : nullptr)
      out.default_type = static_cast<int>(*type);
    std::vector<int>& types = allowed_.emplace_back();
    if (!attr.allowed_types.empty())
      for (DType type : AllowedTypes(spec, attr.name)) types.push_back(static_cast<int>(type));
    out.allowed = types.data();
    out.n_allowed = types.size();
    return out;
  }

  tsh_op_arg ArgOf(const ArgDef& arg, const OpDef& op, bool input) {
    const auto index = [&](const std::string& name) {
      const AttrDef* attr = name.empty() ? nullptr : op.FindAttr(name);
      if (!attr) return -1;
      const auto i = static_cast<size_t>(attr - op.attrs.data());
      if (input) attrs_[i].inferred = 1;
      return static_cast<int>(i);
    };
    return {arg.name.c_str(),          static_cast<int>(arg.type), index(arg.type_attr),
            index(arg.type_list_attr), index(arg.number_attr),     arg.is_ref};
  }

  std::vector<tsh_op_attr> attrs_;
  std::vector<tsh_op_arg> inputs_, outputs_;
  std::vector<std::vector<int>> allowed_;  // of each attribute
};

}  // namespace

const tsh_op_info* tsh_op_info_of(const char* name) {
  const tsh_op_info* found = nullptr;
  Guard(nullptr, [&]() -> Status {
    const OpDef* op = Ops().Find(View(name));
    if (!op) return NotFound("no such op");
    static auto* mu = new std::mutex;
    static auto* known = new std::map<const OpDef*, std::unique_ptr<const Info>>;
    std::lock_guard lock(*mu);
    std::unique_ptr<const Info>& info = (*known)[op];
    if (!info) info = std::make_unique<const Info>(*op, *Ops().FindSpec(op->name));
    found = &info->info;
    return {};
  });
  return found;
}
