#pragma once
// Plan: a Run signature compiled once into flat code, one list of instructions a partition, with
// everything that can be decided before a step decided: kernels, states, slots, constants,
// variables, last uses. Immutable and shared by the steps that run it; frames (the slots of one
// step) are recycled between steps.
//
// 1. Slot numbers are dense a partition; each value, and each read of a variable, has its own slot.
// 2. Constant and reference slots are filled when a frame is made and never written again.
// 3. In code with control flow an empty slot is a value that is not there: a branch not taken.
// 4. A slot is released behind its last use: shared or large tensors go, small private ones stay
// for the next step.
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/core/device.h"
#include "runtime/plan/stages.h"

namespace tensh {

struct Instr {
  enum Kind : uint8_t {
    kKernel,
    kSend,
    kRecv,
    kKeySend,  // to another part of the step, elsewhere
    kKeyRecv,
    kGuarded,    // a kernel that runs only when all its guard slots hold something
    kReplay,     // what follows may be done by a recording of it
    kFused,      // what follows may be done in one pass over the elements
    kLoopBegin,  // the loop's variables get their first values
    kLoopTest,   // ends the loop when its condition does not hold
    kLoopNext,   // the variables get their next values; back to the first instruction
    kLoopEnd
  };
  KernelFn fn = nullptr;  // kKernel only
  KernelCall call{};
  uint32_t release_begin = 0, release_end = 0;  // in PartitionCode::releases
  uint32_t transfer = 0;  // kSend, kRecv; the loop, the replay, the pass; in Plan::keyed
  uint32_t slot = 0;      // what a Send sends, where a Recv puts
  NodeId node = kNoNode;  // for messages and traces
  Kind kind = kKernel;
  bool is_read = false;                     // the read of a variable, which is not a node
  bool is_move = false;                     // nor is a move to other memory
  KernelFn guarded_fn = nullptr;            // kGuarded
  uint32_t guard_begin = 0, guard_end = 0;  // in PartitionCode::guards
};

// A loop: a part of the code that runs again. An empty slot is a value that is not there.
struct LoopCode {
  struct Move {
    uint32_t from, to;
    bool take;  // nobody else wants what is in `from`: the two are swapped
  };
  std::vector<Move> init, next, exits;  // exits: of an unusual loop only, copied when there
  std::vector<uint32_t> live;  // guarded: the loop runs when these (unusual: one of them) are there
  std::vector<uint32_t> numbers;  // value_index outputs of the variables' Merges
  uint32_t cond = 0;              // usual: the slot of the LoopCond
  uint32_t begin = 0, end = 0;    // first instruction of an iteration; the kLoopEnd
  bool usual = true, guarded = false, can_swap = false;  // can_swap: every next move is a take
  uint32_t frame = 0;                                    // in Pruned::flow
  // Keyed sends that do not run when the condition does not hold, and when it does: the other end
  // hears of each in every iteration.
  std::vector<uint32_t> sends_going_on, sends_ended;
};

// Instructions that a device may record once and replay in later steps (replay.h). Slots are of the
// partition.
struct ReplayCode {
  enum Role : uint8_t {
    kRecorded,
    kMovedIn,  // recorded, but what comes from host memory is moved beforehand, once
    kFirst,    // depends on nothing of the others: runs before them, in each step
    kCopied    // one of `copied`
  };
  struct Copy {
    uint32_t from, to;
  };
  struct Made {
    uint32_t slot;
    bool is_taken;  // somebody may keep it: each step gets a copy
  };
  uint32_t begin = 0, end = 0;
  std::vector<Role> roles = {};                         // of the instructions
  std::vector<Copy> copied = {};                        // values, to where the recording reads them
  std::vector<uint32_t> shaped = {}, same_values = {};  // what must be as it was when recorded
  std::vector<uint32_t> variables = {};                 // references and handles
  std::vector<Made> made = {};
};

// Elementwise instructions that one pass over the elements may do (fused.h). What they pass on to
// each other has local numbers: first the inputs', then one for what each makes.
struct FusedCode {
  struct Step {
    enum Takes : uint8_t {
      kSame,       // inputs of one shape
      kBroadcast,  // a scalar, or a vector for each row, too
      kBias        // a vector for each row as the second
    } takes;
    bool made;        // others want it
    int code;         // of a device's kernel for chains
    KernelCall call;  // on local numbers
  };
  uint32_t begin, end;                // instructions
  std::vector<uint32_t> inputs = {};  // slots
  std::vector<uint32_t> ids = {};     // what the calls point into
  std::vector<Step> steps = {};
  FusedFn fn = nullptr;  // of a device with memory of its own
};

struct PartitionCode {
  Device* device = nullptr;
  Allocator* allocator = nullptr;  // for what kernels make
  std::vector<Instr> code;
  uint32_t n_slots = 0;
  std::vector<uint32_t> slot_ids, releases, guards;  // what the instructions point into
  std::vector<LoopCode> loops;
  std::vector<ReplayCode> replays;
  std::vector<FusedCode> fused;
  std::vector<DType> dtypes;
  struct Bound {
    uint32_t slot;
    Tensor tensor;
  };
  std::vector<Bound> bound;  // constants, and references to variables
  struct FeedTo {
    uint32_t feed, slot;
  };
  std::vector<FeedTo> feeds;
  struct FetchFrom {
    uint32_t fetch, slot;
    bool is_ref;
  };
  std::vector<FetchFrom> fetches;
  std::vector<uint32_t> drop_at_end;  // feeds and fetched slots
  std::vector<std::unique_ptr<KernelState>> states;
  std::vector<std::unique_ptr<Contract>> contracts;  // of ops with lists of inputs
};

// An edge that ends elsewhere.
struct Keyed {
  std::string key;  // within a loop without the iteration
  DType dtype;
  bool is_send;
  uint16_t part;
  uint32_t frame = 0;  // the loop it is in
};
// Whether that is an end of such an edge, a Send or a Recv; and the edge as its attributes say it.
bool IsKeyed(const OpDef& op);
Keyed KeyedEdge(const Graph& graph, NodeId node, bool in_loop);

class Replay;

// The slots of one step, and what was recorded of it, partition by partition.
struct Frame {
  Frame();
  ~Frame();
  std::vector<std::vector<Tensor>> slots;
  std::vector<std::vector<std::unique_ptr<Replay>>> replays;
};

struct DataflowCode;
struct PartialPlan;

class Plan {
 public:
  Plan(const Graph& graph, RunSignature signature)
      : graph(graph), signature(std::move(signature)) {}
  ~Plan();

  const Graph& graph;
  const RunSignature signature;
  Pruned pruned;
  Placement placement;
  Partitioned partitioned;
  std::vector<PartitionCode> parts;
  std::shared_ptr<const DataflowCode> dataflow;      // instead of parts (dataflow.h)
  std::vector<std::shared_ptr<Resource>> resources;  // kept alive by the plan
  std::vector<Variable*> variables_read;
  FunctionRuntime* functions = nullptr;
  std::string scope;
  std::vector<Variable*> variables_held;  // with keyed edges: all whose references go round
  std::vector<Keyed> keyed;               // empty: the whole step is here
  uint32_t max_node = 0;                  // a rollback below it drops the plan
  uint64_t graph_version = 0;             // when compiled
  int64_t compile_ns = 0;
  // Last measured wall time; steps of more than one partition use threads when it is large.
  std::atomic<int64_t> last_step_ns{0};
  std::atomic<uint64_t> steps{0};
  std::shared_ptr<PartialPlan>
      partial;  // of its partial runs, once there was one; guarded by who compiles
  std::atomic<bool> dropped{false};  // a rollback took nodes of it: it must not run again

  std::unique_ptr<Frame> TakeFrame();
  void GiveFrame(std::unique_ptr<Frame> frame);

 private:
  std::atomic<Frame*> ready_{nullptr};  // the common case: one step at a time
  std::mutex mu_;
  std::vector<std::unique_ptr<Frame>> spare_;
};

struct CompileOptions {
  DeviceMgr* devices;
  ResourceTable* resources;
  PlaceOptions place;
  FunctionRuntime* functions = nullptr;  // what nodes that call functions call
  std::string scope = {};                // the function whose body the graph is; "": none
  bool takes_feeds = false;              // fed values are the step's own: kernels may write to them
  Allocator* allocator = nullptr;        // instead of host memory's own; outlives the plan
  bool dataflow = false;  // for tests: runs by tokens (dataflow.h) where compiled code would do too
  bool fuse = true;       // for tests: false leaves each kernel by itself
};
// The stages alone, without code: where the parts run elsewhere.
Result<std::shared_ptr<Plan>> FindStages(const Graph& graph, RunSignature signature,
                                         const DeviceMgr& devices, const PlaceOptions& options);
// Prunes, places, partitions and compiles. InvalidArgument when a placeholder that would run is not
// fed.
Result<std::shared_ptr<Plan>> Compile(const Graph& graph, RunSignature signature,
                                      const CompileOptions& options);

}  // namespace tensh
