// Plain records that TensorFlow hands out as protocol messages or named tuples: devices of a
// session, a NodeDef, the statistics of a step. Attributes only; made from the C API's JSON
// documents.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "shell/tf/graph.h"

namespace tensh::shell::tf {

class RecordObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  explicit RecordObject(const char* name) : TrackedObject(kType), name(name) {}
  void DropRefs() override { fields.Clear(); }
  Dict* attrs() override { return &fields; }
  const char* name;  // of the class, for printing
  Dict fields;
};

Value MakeRecord(const char* name,
                 std::initializer_list<std::pair<std::string_view, Value>> fields);
Value DevicesOf(const SessionHandle& session);                     // sess.list_devices()
Value StepStatsOf(const std::string& report_json);                 // run_metadata.step_stats
Value NodeDefOf(GraphObject& g, Node node);                        // op.node_def
Value AttrOf(GraphObject& g, Node node, const std::string& name);  // op.get_attr(name)

}  // namespace tensh::shell::tf
