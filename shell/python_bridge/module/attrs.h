// The attributes of a node, converted from a Python dict.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "shell/python_bridge/python_api.h"
#include "tensh/tensh.h"

namespace tensh::shell::module {

// Owns the attributes and everything that they point to.
class AttrList {
 public:
  AttrList() = default;
  ~AttrList();
  AttrList(const AttrList&) = delete;
  AttrList& operator=(const AttrList&) = delete;

  // Converts the dict by the signature of the op. Sets an exception and returns false on failure.
  bool Read(const char* op, PyObject* dict);
  const tsh_attr* data() const { return attrs_.data(); }
  size_t size() const { return attrs_.size(); }

 private:
  bool ReadOne(const tsh_op_attr& kind, PyObject* value, tsh_attr* attr);
  bool ReadList(const tsh_op_attr& kind, PyObject* value, tsh_attr* attr);
  bool ReadShape(PyObject* value, tsh_attr* attr);
  bool ReadText(PyObject* value, const char** text, size_t* length);

  std::vector<tsh_attr> attrs_;
  std::deque<std::string> texts_;
  std::deque<std::vector<int64_t>> ints_;
  std::deque<std::vector<double>> floats_;
  std::deque<std::vector<const char*>> lists_;
  std::deque<std::vector<size_t>> lengths_;
  std::vector<tsh_tensor*> tensors_;
};

}  // namespace tensh::shell::module
