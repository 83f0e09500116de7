#pragma once
// Random calls of an op: types, attributes and inputs made from its signature and its contract.
//
// Shapes are small, often empty, sometimes of a high rank, and the inputs of one call tend to be compatible: an input has the
// shape of another one, a part of it, one of its extents, or its rank. Resources and references are
// variables. The inputs and the variables' values are allocated in `memory`.
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "runtime/core/op_registry.h"

namespace tensh::test {

struct RandomCall {
  const OpDef* op = nullptr;
  std::vector<NamedAttr> attrs;  // complete
  std::vector<Tensor> inputs;
  std::vector<DType> in, out;  // types, references as in the signature
  std::deque<std::shared_ptr<Variable>> variables;

  // One line that names the op, its attributes and the shapes of its inputs.
  std::string Text() const;
};

class RandomCalls {
 public:
  RandomCalls(uint32_t seed, Allocator& memory) : random_(seed), memory_(memory) {}

  // Returns false if these types or attributes were refused, so that there is nothing to call.
  bool Next(const OpDef& op, RandomCall* call);

 private:
  bool Chance(int percent) { return Below(100) < percent; }
  int Below(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }
  template <class T>
  const T& OneOf(const std::vector<T>& values) {
    return values[static_cast<size_t>(Below(static_cast<int>(values.size())))];
  }
  DType TypeOf(const AttrDef* attr);
  bool ChooseTypes(RandomCall& call);
  void ChooseAttr(const AttrDef& attr, RandomCall& call);
  AttrValue ValueOf(const AttrDef& attr);
  AttrValue ListOf(const AttrDef& attr);
  int64_t Extent();
  Shape ShapeOfRank(int rank);
  Shape Base();
  Shape Related();
  Shape ShapeFor(const InputRule* rule);
  Tensor Elements(DType dtype, const Shape& shape, const InputRule* rule, RandomCall& call);
  void FillIntegers(const Tensor& t, const InputRule* rule);
  void FillNumbers(const Tensor& t);
  Tensor VariableHandle(DType held, bool reference, RandomCall& call);

  std::mt19937 random_;
  Allocator& memory_;
  Shape base_;  // the shape that the inputs of this call are related to
};

}  // namespace tensh::test
