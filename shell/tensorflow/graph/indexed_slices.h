// tf.IndexedSlices: a tensor of which only some rows are given. tf.gradients returns one for a
// variable that is read with gather, so that an update does not touch the other rows.
//
// Owns its tensors and, through them, the graph. Threads: the interpreter's thread only.
#pragma once

#include "shell/tensorflow/graph/graph.h"

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
  const Value& dense_shape() const { return dense_shape_; }  // None if unknown
  // Returns the same rows with other values.
  Value With(Out values) const;
  // ops.convert_to_tensor: sums the rows into a dense tensor. The new nodes are named after `name`.
  Out Dense(GraphObject& g, std::string_view name) const;

 private:
  Value values_, indices_, dense_shape_;  // tensors
};

// Returns a gradient as a tensor or an IndexedSlices, or None if there is no gradient.
Value GradientValue(GraphObject& g, const tsh_gradient& gradient);
// Returns the tensor `v` or the values of its rows, which are what scaling and clipping change.
Out ValuesOf(GraphObject& g, const Value& v, std::string_view name);
// Returns `out` if `v` is a tensor; otherwise returns the rows of `v` with the values `out`.
Value LikeRows(GraphObject& g, const Value& v, Out out);

}  // namespace tensh::shell::tf
