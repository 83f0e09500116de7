#pragma once

// Conversion of the attributes of recorded cases to the C API.

#include <deque>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/oracle/tensor_text.h"

namespace tensh::oracle {

using Json = nlohmann::json;

// The attributes of one node. Owns everything that attrs() points to.
class AttrList {
 public:
  // `type` is as in opdefs.json ("list(type)"). Throws on an unknown kind.
  void Add(const std::string& name, const std::string& type, const Json& value);
  // Adds those of `values` that are attributes of the op, in the order of its definition.
  void AddAll(const Json& definition, const Json& values);
  const std::vector<tsh_attr>& attrs() const { return attrs_; }

 private:
  struct Storage {
    std::string name, text;
    std::vector<int64_t> ints, dims;
    std::vector<double> floats;
    std::vector<std::string> strings;
    std::vector<const char*> pointers;
    std::vector<size_t> lengths;
    TensorPtr tensor;
  };
  static void FillOne(const std::string& type, const Json& value, Storage* s, tsh_attr* a);
  static void FillList(const std::string& type, const Json& value, Storage* s, tsh_attr* a);

  std::deque<Storage> storage_;  // a deque, because its elements keep their addresses
  std::vector<tsh_attr> attrs_;
};

}  // namespace tensh::oracle
