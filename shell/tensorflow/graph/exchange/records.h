// Simple objects for data that TensorFlow returns as protocol messages or named tuples: the devices
// of a session, the statistics of a step. They have only attributes and are built from
// JSON documents of the C API.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "shell/tensorflow/graph/graph.h"
#include "shell/text/json.h"

namespace tensh::shell::tf {

class RecordObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  explicit RecordObject(const char* name) : TrackedObject(kType), name(name) {}
  void DropRefs() override { fields.Clear(); }
  Dict* attrs() override { return &fields; }
  const char* name;  // name of the class, for printing
  Dict fields;
};

Value MakeRecord(const char* name,
                 std::initializer_list<std::pair<std::string_view, Value>> fields);
// Returns a JSON document as dicts, lists, strings and numbers.
Value ValueOf(const Json& json);
Value DevicesOf(const SessionHandle& session);                     // sess.list_devices()
Value AttrOf(GraphObject& g, Node node, const std::string& name);  // op.get_attr(name)

}  // namespace tensh::shell::tf
