#include "shell/session/results.h"

#include "shell/python/values/containers.h"

namespace tensh::shell {

void Results::Add(Interp& interp, const Value& value, ResultOrigin origin) {
  Value out = interp.GetGlobal("Out");
  auto* dict = As<DictObject>(out);
  if (dict == nullptr) {
    out = MakeDict();
    interp.SetGlobal("Out", out);
    dict = As<DictObject>(out);
  }
  dict->dict.Set(Value::Int(origin.cell), value);
  if (origins_.size() >= kMax) origins_.erase(origins_.begin());
  origins_.push_back(std::move(origin));
  size_t first = 0;
  if (dict->dict.size() <= kMax) return;
  if (const Dict::Entry* oldest = dict->dict.At(&first)) dict->dict.Erase(Value(oldest->key));
}

}  // namespace tensh::shell
