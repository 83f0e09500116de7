#pragma once
// One node's attributes as AttrValue and back. What a tsh_attr points to lives in an AttrStore.
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/dist/handles.h"
#include "tensorflow_wire.pb.h"

namespace tensh::dist {

// Kinds of an op's attributes by name, read off its signature: what an empty list is a list of, and
// which attributes the op has at all.
class OpAttrs {
 public:
  explicit OpAttrs(const char* op);
  // -1: no such attribute; else a tsh_attr_kind, or kFunction.
  int Kind(const std::string& name) const;
  static constexpr int kFunction = 100;

 private:
  std::unordered_map<std::string, int> kinds_;
};

struct AttrStore {
  std::deque<std::vector<int64_t>> ints;
  std::deque<std::vector<double>> floats;
  std::deque<std::vector<const char*>> strings;
  std::deque<std::vector<size_t>> lengths;
  std::deque<TensorPtr> tensors;
};

// Appends to attrs, or leaves out what says nothing: a default of a newer op, an annotation of no
// use here. The message must outlive the attributes.
Status DecodeAttr(const OpAttrs& op, const std::string& name, const tensorflow::AttrValue& value,
                  AttrStore* store, std::vector<tsh_attr>* attrs);
void EncodeAttr(const tsh_attr& attr, tensorflow::AttrValue* value);

}  // namespace tensh::dist
