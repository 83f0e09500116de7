#pragma once
// A part of a partition's code as its device recorded it (Device::Record): a launch instead of one
// a kernel. A frame has its own, so that one step at a time works in the memory of a recording.
//
// 1. What the recording read is fixed: addresses of variables, shapes, values in host memory. A
// step in which they are others runs the instructions one by one; after some of those the recording
// is made anew, and at last no more.
// 2. The first steps run the instructions one by one, so what is run once is never recorded.
#include <memory>
#include <vector>

#include "runtime/exec/plan.h"

namespace tensh {

// Behind an instruction its last uses are over: shared and large tensors go.
inline void ReleaseBehind(const PartitionCode& code, const Instr& instr,
                          std::vector<Tensor>& slots) {
  constexpr int64_t kRetainBytes = 16 << 10;  // a private tensor up to this size stays in its slot
  for (uint32_t r = instr.release_begin; r < instr.release_end; ++r) {
    Tensor& slot = slots[code.releases[r]];
    // A variant is small and may hold much.
    if (slot && (!slot.unique() || slot.bytes() > kRetainBytes || slot.dtype() == DType::kVariant))
      slot = Tensor();
  }
}

class Replay {
 public:
  Replay(const PartitionCode& part, const ReplayCode& code) : part_(part), code_(code) {}

  // Does the instructions, or (false) leaves them to the caller.
  Result<bool> Run(std::vector<Tensor>& slots, CancelFlag* cancel);

 private:
  struct Held {
    Variable* variable;
    const void* data;
    Shape shape;
  };
  Status RunFirst(std::vector<Tensor>& slots, CancelFlag* cancel) const;
  // False: these instructions cannot be recorded.
  bool Record(const std::vector<Tensor>& slots, CancelFlag* cancel);
  Status RecordInto(std::vector<Tensor>& slots, ParallelRunner* runner, CancelFlag* cancel);
  bool MoveIn();
  bool NoteInputs(std::vector<Tensor>& slots);
  bool NoteOutputs(const std::vector<Tensor>& slots);
  bool Fits(const std::vector<Tensor>& slots) const;
  Result<bool> Launch();
  void Forget();

  const PartitionCode& part_;
  const ReplayCode& code_;
  int steps_ = 0, misses_ = 0, recordings_ = 0;
  bool given_up_ = false;
  std::unique_ptr<Recording> recording_;
  std::vector<Tensor> copied_, same_values_, made_;  // by number in code_
  std::vector<Tensor> moved_from_, moved_in_;        // from host memory, once
  std::vector<Shape> shaped_;
  std::vector<Variable*> refers_;  // by number in code_.variables
  std::vector<Held> variables_;    // the same, by address, each once
};

}  // namespace tensh
