#pragma once
// A plan: one run, compiled once into a program and then run any number of times. The program holds
// everything that can be decided before a step: kernels, states, slots, constants, variables and
// last uses. There are two kinds of program. Almost every run is compiled into a Program, which has
// a list of instructions for each partition. A part of a graph that a loop crosses to other
// processes may need a TokenProgram instead (dataflow.h).
//
// A plan is immutable and shared by the steps that run it. Frames, which hold the slots of one
// step, are recycled between steps.
//
// 1. Slot numbers are dense in a partition. Each value, and each read of a variable, has its own
//    slot.
// 2. Constant and reference slots are filled when a frame is made and never written again.
// 3. In code with control flow, an empty slot is a value that does not exist: a branch not taken.
// 4. A slot is released after its last use. Shared or large tensors are dropped; small private ones
//    stay for the next step.
#include <atomic>
#include <memory>
#include <mutex>
#include <variant>
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
  union Index {
    uint32_t transfer = 0;  // kSend, kRecv: in Partitioned::transfers
    uint32_t keyed;         // kKeySend, kKeyRecv: in Bindings::keyed
    uint32_t loop;          // kLoopBegin to kLoopEnd: in PartitionCode::loops
    uint32_t replay;        // kReplay: in PartitionCode::replays
    uint32_t fused;         // kFused: in PartitionCode::fused
  };
  Index of = {};          // what the instruction refers to; `kind` says which member is set
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
  std::vector<std::unique_ptr<const Contract>> contracts;  // of ops with lists of inputs
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

// What a program uses besides its own data. It lives as long as the program.
struct Bindings {
  std::vector<std::shared_ptr<Resource>> resources;
  std::vector<Variable*> variables_read;
  std::vector<Variable*> variables_held;  // with keyed edges: all whose references may be sent
  std::vector<Keyed> keyed;               // empty: the whole step runs in this process
};

// The instructions of all partitions, and the frames of the steps that run them.
class Program {
 public:
  explicit Program(std::vector<PartitionCode> code) : parts(std::move(code)) {}
  ~Program();

  const std::vector<PartitionCode> parts;
  // The wall time of the last step; a program of several partitions uses threads if it is long.
  std::atomic<int64_t> last_step_ns{0};

  std::unique_ptr<Frame> TakeFrame();
  void GiveFrame(std::unique_ptr<Frame> frame);

 private:
  std::atomic<Frame*> ready_{nullptr};  // the common case: one step at a time
  std::mutex mu_;
  std::vector<std::unique_ptr<Frame>> spare_;
};

struct TokenProgram;

class Plan {
 public:
  using Code = std::variant<std::unique_ptr<Program>, std::unique_ptr<const TokenProgram>>;
  Plan(Stages the_stages, Bindings the_bindings, Code code, int64_t ns);
  ~Plan();

  const Stages stages;
  const Bindings bindings;
  const int64_t compile_ns;
  std::atomic<bool> dropped{false};  // a rollback took nodes of it: it must not run again

  // Exactly one of these is not null.
  Program* program() const { return program_; }
  const TokenProgram* tokens() const { return tokens_; }

 private:
  const Code code_;
  Program* const program_;
  const TokenProgram* const tokens_;
};

struct CompileOptions {
  DeviceMgr* devices;
  ResourceTable* resources;
  PlaceOptions place;
  FunctionRuntime* functions = nullptr;  // what nodes that call functions call
  std::string scope = {};                // the function whose body the graph is; "": none
  bool takes_feeds = false;              // fed values are the step's own: kernels may write to them
  Allocator* allocator = nullptr;        // instead of host memory's own; outlives the plan
  bool by_tokens = false;  // for tests: uses a TokenProgram (dataflow.h) wherever that can run
  bool fuse = true;        // for tests: false leaves each kernel by itself
};
// Finds the stages of a run and compiles them. Fails as FindStages does.
Result<std::shared_ptr<Plan>> Compile(const Graph& graph, RunSignature signature,
                                      const CompileOptions& options);

}  // namespace tensh
