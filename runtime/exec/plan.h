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
// 5. Values that follow from constants and shapes stay in their slots (kOnce). Steps with the same
//    shapes do not compute them again.
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <variant>
#include <vector>

#include "runtime/core/device/device.h"
#include "runtime/plan/stages.h"

namespace tensh {

struct Instr {
  enum Kind : uint8_t {
    kKernel,
    kSend,
    kRecv,
    kKeySend,  // to a part of the step in another process
    kKeyRecv,
    kGuarded,      // a kernel that runs only if none of its guard slots is empty
    kReplay,       // a recording may replace the instructions that follow
    kFused,        // one pass over the elements may replace the instructions that follow
    kBranches,     // begins branches that may run at once
    kBranch,       // begins another one of them
    kBranchesEnd,  // ends them
    kOnce,         // a kernel that runs again only if the answer of a kAbout has changed
    kAbout,        // a kernel that tells the shape of its input
    kLoopBegin,    // initializes the loop's variables
    kLoopTest,     // ends the loop if its condition is false
    kLoopNext,     // moves the next values into the variables, and jumps to the first instruction
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
    uint32_t branches;      // kBranches to kBranchesEnd: in PartitionCode::branches
    uint32_t rest;  // kOnce: the number of instructions of this kind that follow it directly
  };
  Index of = {};          // `kind` tells which member is set
  uint32_t slot = 0;      // the source of a Send, the destination of a Recv
  NodeId node = kNoNode;  // for messages and traces
  Kind kind = kKernel;
  bool is_read = false;                     // the read of a variable; not a node
  bool is_move = false;                     // a move to other memory; not a node
  bool is_vectors = false;                  // the first part of a SplitKernel
  bool is_rows = false;                     // the second part; it stands for the node
  bool is_joined = false;                   // stands for a pattern of nodes (JoinedKernel)
  KernelFn guarded_fn = nullptr;            // kGuarded, kOnce, kAbout
  uint32_t guard_begin = 0, guard_end = 0;  // in PartitionCode::guards
};

// A loop: a range of instructions that is repeated. An empty slot is a value that does not exist.
struct LoopCode {
  struct Move {
    uint32_t from, to;
    bool take;  // `from` is not used again, so the two slots are swapped
  };
  std::vector<Move> init, next, exits;  // exits: only if not usual; copied if not empty
  // Of a guarded loop: it runs if all of these slots (if it is not usual: one of them) are filled.
  std::vector<uint32_t> live;
  std::vector<uint32_t> numbers;  // value_index outputs of the variables' Merges
  uint32_t cond = 0;              // usual loops: the slot of the LoopCond
  uint32_t begin = 0, end = 0;    // the first instruction of an iteration, and the kLoopEnd
  bool usual = true, guarded = false, can_swap = false;  // can_swap: all of `next` are takes
  uint32_t frame = 0;                                    // in Flow::frames
  // Keyed sends that do not run if the condition is false, and those that do not run if it is true.
  // A dead token is sent for them, because the receiver waits in every iteration.
  std::vector<uint32_t> sends_going_on, sends_ended;
};

// Instructions that a device may record once and replay in later steps (replay.h). All slots are
// those of the partition.
struct ReplayCode {
  enum Role : uint8_t {
    kRecorded,
    kMovedIn,  // recorded; its input is moved from host memory once, before the recording
    kFirst,    // independent of the others; runs before the recording in each step
    kCopied    // listed in `copied`
  };
  struct Copy {
    uint32_t from, to;
  };
  struct Made {
    uint32_t slot;
    bool is_taken;  // a consumer may keep the value, so each step makes a copy
  };
  uint32_t begin = 0, end = 0;
  std::vector<Role> roles = {};                         // by instruction
  std::vector<Copy> copied = {};                        // inputs that each step copies in
  std::vector<uint32_t> shaped = {}, same_values = {};  // shapes and values that must not change
  std::vector<uint32_t> variables = {};                 // references and handles of variables
  std::vector<Made> made = {};                          // outputs that are used after the range
};

// Elementwise instructions that may run in one pass over the elements (fused.h). Calls use local
// numbers instead of slots: first those of the inputs, then one for the result of each step. An
// Identity between two of them is an instruction of the chain, but not a step. If `has_maker` is
// set, the first instruction is not elementwise: it makes input 0 in parts, and the others take each
// part while it is in the cache.
struct FusedCode {
  struct Step {
    enum Takes : uint8_t {
      kSame,       // inputs of one shape
      kBroadcast,  // also a scalar, or a vector that is repeated for each row
      kBias,       // the second input is a vector that is repeated for each row
      kRows        // the second part of a SplitKernel; the last input is the matrix of vectors
    } takes;
    bool made;        // the result is used outside the chain
    int code;         // PluginKernel::fused_code
    KernelCall call;  // uses local numbers
    uint32_t instr;   // its instruction, counted from `begin`
  };
  uint32_t begin, end;                // the range of instructions
  std::vector<uint32_t> inputs = {};  // slots
  std::vector<uint32_t> ids = {};     // the arrays that the calls point into
  std::vector<Step> steps = {};
  FusedFn fn = nullptr;  // the kernel for chains of a device with its own memory
  bool has_maker = false;
  bool keeps_made = false;  // input 0 is used outside the chain, too
};

// Ranges of instructions that do not depend on each other (branches.h).
struct BranchesCode {
  enum Way : uint8_t { kUnknown, kInTurn, kAtOnce };
  struct Range {
    uint32_t begin, end;
  };
  std::vector<Range> branches;
  // The way that a frame has chosen last, for reports.
  std::shared_ptr<std::atomic<Way>> chosen = std::make_shared<std::atomic<Way>>(kUnknown);
};

// The measurements of a BranchesCode in a frame. Used by one step at a time.
class BranchTimes {
 public:
  // Returns true if the branches of this step run at once. Must be followed by End.
  bool Begin();
  void End(const BranchesCode& code);

 private:
  BranchesCode::Way way_ = BranchesCode::kUnknown;  // while both are measured
  int tries_ = 0;
  int64_t best_ns_[2] = {INT64_MAX, INT64_MAX};  // in turn, at once
  std::chrono::steady_clock::time_point start_;
};

struct PartitionCode {
  Device* device = nullptr;
  Allocator* allocator = nullptr;  // for outputs and temporary memory of kernels
  std::vector<Instr> code;
  uint32_t n_slots = 0;
  std::vector<uint32_t> slot_ids, releases, guards;  // the arrays that instructions point into
  std::vector<LoopCode> loops;
  std::vector<ReplayCode> replays;
  std::vector<FusedCode> fused;
  std::vector<BranchesCode> branches;
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
  std::vector<uint32_t> drop_at_end;  // slots of feeds and fetches
  std::vector<std::unique_ptr<KernelState>> states;
  std::vector<std::unique_ptr<const Contract>> contracts;  // of ops with lists of inputs
};

// An edge whose other end is in another process.
struct Keyed {
  std::string key;  // in a loop: without the iteration
  DType dtype;
  bool is_send;
  uint16_t part;
  uint32_t frame = 0;  // the loop that contains this end
};
// Returns true for _Send and _Recv. KeyedEdge returns the edge that the attributes of such a node
// describe.
bool IsKeyed(const OpDef& op);
Keyed KeyedEdge(const Graph& graph, NodeId node, bool in_loop);

class Replay;

// The slots of one step and its recordings, by partition.
struct Frame {
  // Whether the slots of the instructions of the kinds kOnce and kAbout hold their values. kNever: the
  // values are larger than was expected, so all instructions run in each step.
  enum Once : uint8_t { kMissing, kHeld, kNever };
  Frame();
  ~Frame();
  std::vector<std::vector<Tensor>> slots;
  std::vector<Once> once;
  std::vector<std::vector<std::unique_ptr<Replay>>> replays;
  std::vector<std::vector<BranchTimes>> branches;
};

// Objects outside its own data that a program uses. It keeps them alive.
struct Bindings {
  std::vector<std::shared_ptr<Resource>> resources;
  std::vector<Variable*> variables_read;
  std::vector<Variable*> variables_held;  // with keyed edges: variables whose values may be sent
  std::vector<Keyed> keyed;               // edges to other processes
};

// The instructions of all partitions, and the frames of the steps that run them. Thread-safe.
class Program {
 public:
  explicit Program(std::vector<PartitionCode> code) : parts(std::move(code)) {}
  ~Program();

  const std::vector<PartitionCode> parts;
  // The wall time of the last step. If it is long, a program of several partitions uses threads.
  std::atomic<int64_t> last_step_ns{0};

  // Returns an unused frame, or a new one. GiveFrame returns it after a successful step.
  std::unique_ptr<Frame> TakeFrame();
  void GiveFrame(std::unique_ptr<Frame> frame);

 private:
  std::atomic<Frame*> ready_{
      nullptr};  // serves the common case, one step at a time, without a lock
  std::mutex mu_;
  std::vector<std::unique_ptr<Frame>> spare_;  // guarded by mu_
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
  // Set when a rollback removes nodes of the plan. The plan must not run again.
  std::atomic<bool> dropped{false};

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
  FunctionRuntime* functions = nullptr;  // resolves the functions that nodes call
  std::string scope = {};                // if the graph is the body of a function: its name
  bool takes_feeds = false;              // feeds are moved in, so kernels may overwrite them
  Allocator* allocator = nullptr;        // replaces the host allocator; must outlive the plan
  bool by_tokens = false;  // for tests: use a TokenProgram (dataflow.h) wherever possible
  bool optimize = true;    // false runs the kernel of each node separately
};
// Finds the stages of a run and compiles them. Fails as FindStages does.
Result<std::shared_ptr<Plan>> Compile(const Graph& graph, RunSignature signature,
                                      const CompileOptions& options);

}  // namespace tensh
