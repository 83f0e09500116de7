// tf.IndexedSlices: a tensor of which only some rows are given. What tf.gradients answers for a
// variable that is gathered from, so that an update need not touch the other rows.
//
// Holds tensors, and through them the graph. Threads: the interpreter's only.
#pragma once

#include "shell/tf/graph.h"

namespace tensh::shell::tf {

class IndexedSlicesObject : public TrackedObject {
 public:
  static const TypeInfo kType;
  IndexedSlicesObject(Value values, Value indices, Value dense_shape)
      : TrackedObject(kType),
        values_(std::move(values)),
        indices_(std::move(indices)),
        dense_shape_(std::move(dense_shape)) {}
  void DropRefs() override { values_ = indices_ = dense_shape_ = Value::None(); }
  void Visit(HeldVisitor& visit) const override {
    visit(values_), visit(indices_), visit(dense_shape_);
  }

  GraphObject& graph() const;
  const Value& values() const { return values_; }
  const Value& indices() const { return indices_; }
  const Value& dense_shape() const { return dense_shape_; }  // None: not known
  // The same rows with other values.
  Value With(Out values) const;
  // ops.convert_to_tensor: the rows summed into a dense tensor, by nodes named after `name`.
  Out Dense(GraphObject& g, std::string_view name) const;

 private:
  Value values_, indices_, dense_shape_;  // tensors
};

// What Gradients gives: a tensor, or an IndexedSlices; None when there is no gradient.
Value GradientValue(GraphObject& g, const tsh_gradient& gradient);
// The tensor itself of `v`, or the values of its rows: what is scaled or clipped for `v`.
Out ValuesOf(GraphObject& g, const Value& v, std::string_view name);
// `out` for a tensor, the rows of `v` with these values for rows.
Value LikeRows(GraphObject& g, const Value& v, Out out);

}  // namespace tensh::shell::tf
