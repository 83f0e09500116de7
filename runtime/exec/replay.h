#pragma once
// Replays instructions that a device recorded earlier (Device::Record): one launch instead of one
// for each kernel. A Replay belongs to a frame, so only one step at a time uses the memory of a
// recording.
//
// 1. A recording fixes the addresses of variables, shapes, and values in host memory. A step in
//    which one of these differs runs the instructions one by one. After several such steps the
//    recording is made again, and after several recordings the Replay gives up.
// 2. The first steps run the instructions one by one, so code that runs once is never recorded.
#include <memory>
#include <vector>

#include "runtime/exec/plan.h"

namespace tensh {

// Releases the slots that the instruction used last. Shared and large tensors are dropped; small
// private ones stay, so that the next step can reuse their memory.
inline void ReleaseBehind(const PartitionCode& code, const Instr& instr,
                          std::vector<Tensor>& slots) {
  constexpr int64_t kRetainBytes = 16 << 10;  // a private tensor up to this size stays in its slot
  for (uint32_t r = instr.release_begin; r < instr.release_end; ++r) {
    Tensor& slot = slots[code.releases[r]];
    // A variant reports a small size but may own much memory.
    if (slot && (!slot.unique() || slot.bytes() > kRetainBytes || slot.dtype() == DType::kVariant))
      slot = Tensor();
  }
}

class Replay {
 public:
  Replay(const PartitionCode& part, const ReplayCode& code) : part_(part), code_(code) {}

  // Replays the instructions. Returns false if the caller must run them.
  Result<bool> Run(std::vector<Tensor>& slots, CancelFlag* cancel);

 private:
  struct Held {
    Variable* variable;
    const void* data;
    Shape shape;
  };
  Status RunFirst(std::vector<Tensor>& slots, CancelFlag* cancel) const;
  // Records the instructions. Returns false if they cannot be recorded.
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
  std::vector<Tensor> copied_, same_values_, made_;  // in the order of the lists in code_
  std::vector<Tensor> moved_from_, moved_in_;        // kMovedIn: sources and copies on the device
  std::vector<Shape> shaped_;
  std::vector<Variable*> refers_;  // in the order of code_.variables
  std::vector<Held> variables_;    // the same without duplicates, ordered by address
};

}  // namespace tensh
