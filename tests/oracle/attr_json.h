#pragma once

// Attributes of the recorded cases as the C API takes them.

#include <deque>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/oracle/tensor_text.h"

namespace tensh::oracle {

using Json = nlohmann::json;

// Holds the attributes of one node; what attrs() points to lives as long as it does.
class AttrList {
 public:
  // type: as in opdefs.json ("list(type)"). Throws on a kind the record has not.
  void Add(const std::string& name, const std::string& type, const Json& value);
  // Those of `values` that are attributes of the op, in the order of its definition.
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

  std::deque<Storage> storage_;  // a deque: the addresses stay
  std::vector<tsh_attr> attrs_;
};

}  // namespace tensh::oracle
