// The signatures of ops, looked up once per name.
#include <map>

#include "shell/python/values/error.h"
#include "shell/tensorflow/graph/op_call.h"

namespace tensh::shell::tf {

const OpInfo* FindOp(std::string_view name) {
  // Lives as long as the process, like the signatures.
  static auto* ops = new std::map<std::string, OpInfo, std::less<>>();
  if (auto it = ops->find(name); it != ops->end()) return &it->second;
  const std::string key(name);
  const tsh_op_info* info = tsh_op_info_of(key.c_str());
  if (!info) return nullptr;
  if (info->n_attrs > kMaxOpAttrs)
    throw NotImplementedError("The op " + key + " has more than " + std::to_string(kMaxOpAttrs) +
                              " attributes.");
  return &ops->try_emplace(key, name, *info).first->second;
}

const OpInfo& GetOp(std::string_view name) {
  const OpInfo* op = FindOp(name);
  if (op) return *op;
  throw NotImplementedError("tensh has no kernel for the op " + std::string(name) + " yet.")
      .Hint("`ops` lists the registered ops");
}

}  // namespace tensh::shell::tf
