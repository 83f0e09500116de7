#pragma once
// The registry of ops: signature, documentation, shape function, gradient and kernels of each one.
// The RegisterOps_* functions fill it, each one when an op of its file is first looked up. An op
// that is registered never changes. All threads may look up ops at once. Signatures are text, in the form that TensorFlow uses:
//   inputs/outputs  "x: T, y: T" · "values: N * T" · "ref: Ref(T)" · "shape: int32" · "args: Tlist"
//   attrs           "T: {float, double}" · "N: int >= 1" · "transpose_a: bool = false"
//                   "dtype: type" · "T: type = float" · "value: tensor"
//                   "shape: shape = {unknown}" · "axis: list(int) = []"
//                   An attribute with a default may be left out of a node.
#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/core/kernel.h"

namespace tensh {

struct ArgDef {
  std::string name;
  DType type = DType::kInvalid;  // the fixed type, or kInvalid if one of these is set:
  std::string type_attr;         //   the attribute that gives the type,
  std::string type_list_attr;    //   the list(type) attribute that gives one input for each type
  std::string number_attr;       // for "N * T": the int attribute that gives the count
  bool is_ref = false;
};

enum class AttrKind : uint8_t { kInt, kFloat, kBool, kType, kString, kShape, kTensor, kFunc };

struct AttrDef {
  std::string name;
  AttrKind kind = AttrKind::kInt;
  bool is_list = false;
  bool has_minimum = false;
  int64_t minimum = 0;
  DTypeSet allowed_types;                    // empty if all are allowed
  std::vector<std::string> allowed_strings;  // likewise
  std::optional<AttrValue> default_value;
  std::string TypeName() const;  // as in a signature: "int", "list(type)"
};

// With consteval, g++ refuses arrays on the stack, whose address is not a constant. clang 14 does
// not support consteval constructors for the members of an aggregate.
#if defined(__clang__)
#define TENSH_LITERAL constexpr
#else
#define TENSH_LITERAL consteval
#endif

// A text in the definition of an op, valid until the process ends. A literal is referred to; other
// texts are copied. The type is trivial, so that the definitions of all ops are data instead of code
// that builds and destroys strings.
class OpText : public std::string_view {
 public:
  OpText() = default;
  template <size_t n>
  TENSH_LITERAL OpText(const char (&literal)[n]) : std::string_view(literal, n - 1) {}  // NOLINT
  OpText(std::string_view text);                                                        // NOLINT
  OpText(const std::string& text) : OpText(std::string_view(text)) {}                   // NOLINT
  template <std::same_as<const char*> Pointer>
  OpText(const Pointer& text) : OpText(std::string_view(text)) {}  // NOLINT
  OpText& operator+=(std::string_view text);
  const char* c_str() const { return data() ? data() : ""; }  // both kinds of texts end with a NUL
};

// A call in the shell and the value that it prints, for example `{"square([1., -2.])", "[1. 4.]"}`.
// Examples run as tests.
struct Example {
  OpText call, result;
};

// A list of examples. Its members are functions, so that their code is not compiled into each file
// of ops.
class Examples : public std::vector<Example> {
 public:
  Examples();
  Examples(std::initializer_list<Example> examples);
  Examples(const Examples& other);
  Examples(Examples&& other) noexcept;
  Examples& operator=(const Examples& other);
  Examples& operator=(Examples&& other) noexcept;
  ~Examples();
};

class ShapeCtx;
class GradScope;
using ShapeFn = Status (*)(ShapeCtx&);
using GradFn = Status (*)(GradScope&);

// The effect that a kernel may wait for. Another node has it, in the same step or in another one.
enum class WaitsFor : uint8_t {
  kNothing,
  kRoom,      // it adds elements to a queue, which may be full
  kElements,  // it takes elements out of a queue, which may be empty
};

// The part an op plays when a graph is analysed, placed and compiled. Most ops are kOrdinary: the
// runtime knows nothing about them except their signature, their kernels and the flags of OpSpec.
enum class OpRole : uint8_t {
  kOrdinary,
  kUnknown,  // stands for an op that does not exist here (runtime/graph/unknown_op.h)
  // Values that exist before a step computes anything.
  kConst,                   // the output is the attribute `value`
  kVariable,                // the output is a reference to the node's own variable, bound by a plan
  kPlaceholder,             // has a value only if it is fed
  kPlaceholderWithDefault,  // the output is the input, unless it is fed
  kVarHandle,               // the output is a handle of the node's own variable
  kReadVariable,            // the output is the value of the variable behind the handle
  // Control flow. The variants for references have the role of the plain op.
  kSwitch,
  kMerge,
  kEnter,
  kExit,
  kNextIteration,
  kLoopCond,
  kControlTrigger,  // runs even if its control inputs are on branches not taken
  // The two ends of an edge whose other end is in another process.
  kSend,
  kRecv,
  // Ops whose value shape inference derives without running a kernel.
  kIdentity,
  kShapeOf,
  kRankOf,
  kSizeOf,
  kCast,
  kPack,
  kConcat,  // the last input is the axis
  // An op whose attribute `source` names the call of tf.gradients that adds it.
  kGradientArray,
};

// How the elements of an op's only output follow from the elements of its inputs. A chain of such
// ops can run in one pass over the elements.
enum class Elementwise : uint8_t {
  kNo,
  kSameShape,  // element i of the output depends on element i of each input
  kBroadcast,  // likewise, after the inputs are broadcast against each other
  kRowBias     // a vector is added to each row of the first input if data_format is NHWC
};

struct OpSpec;

// Fills in the texts of a definition when the op is first looked up. Families of ops that assemble
// their texts use it, so that start-up does not pay for unused ops.
class TextWriter {
 public:
  virtual ~TextWriter() = default;
  virtual void Write(OpSpec& spec) const = 0;  // may be called by any thread
};

// The definition of an op, as written in the op's file.
struct OpSpec {
  OpText name;
  OpText inputs = {}, outputs = {}, attrs = {};
  OpText doc = {};       // the first sentence is the summary
  OpText contract = {};  // conditions on the inputs: see contract.h
  ShapeFn shape = nullptr;
  // If grad is null and no_gradient is not set, tf.gradients raises LookupError.
  GradFn grad = nullptr;
  bool no_gradient = false;  // gradients stop here (comparisons, Shape, …)
  bool stateful = false, commutative = false, aggregate = false;
  bool allows_uninitialized_input = false;
  // Set to kBroadcast for every op whose shape function is BroadcastInputs.
  Elementwise elementwise = Elementwise::kNo;
  OpRole role = OpRole::kOrdinary;
  // The attribute that holds the type of the variable whose handle is an input; null if no input is
  // the handle of a variable.
  const char* variable_type = nullptr;
  // The first input that is passed on to the functions that the op calls.
  uint8_t first_call_input = 0;
  // True if the kernel of a stateful op returns without waiting for another step, unlike that of a
  // queue. Set for every op with a variable_type.
  bool never_waits = false;
  WaitsFor waits_for = WaitsFor::kNothing;
  Examples examples = {};
  const TextWriter* writer = nullptr;  // not owned; null if the texts above are complete
};

// The registration of a kernel.
struct KernelRow {
  std::string device;     // "CPU"
  std::string type_attr;  // the attribute that must equal `type`; empty if all types are accepted
  DType type = DType::kInvalid;
  KernelFn fn = nullptr;  // if null, in a PluginKernel: use the CPU's kernel and its prepare
  PrepareFn prepare = nullptr;
};

struct FusedWork;
using FusedFn = Status (*)(KernelCtx&, const FusedWork&);

// A kernel from a plug-in, for a device with its own memory. Argument lists are names separated by
// blanks; "*" stands for all arguments that are not named.
struct PluginKernel : KernelRow {
  std::string op;
  std::string host;  // arguments in host memory
  std::string pass;  // arguments that the kernel only passes on, in either memory
  // Set to false if the work that the kernel queues depends on more than its arguments' elements.
  // Such a kernel is never recorded and replayed.
  bool can_record = true;
  // The kernel for chains (fused_work.h), which all kernels that can be in one chain share, and the
  // number of this kernel in it. Null if this kernel cannot be in a chain.
  FusedFn fused = nullptr;
  int fused_code = 0;
};
class PluginKernels;

struct OpDef {
  std::string name;
  std::vector<ArgDef> inputs, outputs;
  std::vector<AttrDef> attrs;
  std::string doc;
  Contract contract;
  ShapeFn shape = nullptr;
  GradFn grad = nullptr;
  bool no_gradient = false;
  bool stateful = false, commutative = false, aggregate = false, allows_uninitialized_input = false;
  bool never_waits = false;
  WaitsFor waits_for = WaitsFor::kNothing;
  Elementwise elementwise = Elementwise::kNo;
  OpRole role = OpRole::kOrdinary;
  uint8_t first_call_input = 0;
  const char* variable_type = nullptr;
  Examples examples;
  std::vector<KernelRow> kernels;
  const PluginKernels* plugin_kernels = nullptr;  // those of the registry
  std::string runs_as;  // the op whose plug-in kernels it uses, if not its own
  uint16_t id = 0;      // of the registry; depends on the order of lookups

  const AttrDef* FindAttr(std::string_view name) const;
  // Returns the kernel for this device type and these attributes, or null if none exists.
  const KernelRow* FindKernel(std::string_view device_type, Attrs attrs) const;
  // Likewise for the kernels of the plug-ins that are loaded. LoadedPluginKernels returns all of
  // them, for every device.
  const PluginKernel* FindPluginKernel(std::string_view device_type, Attrs attrs) const;
  std::vector<const PluginKernel*> LoadedPluginKernels() const;
};

struct KernelOptions {
  PrepareFn prepare = nullptr;
  OpText type_attr = "T";
};

class OpRegistry {
  struct Entry;

 public:
  // Registers the ops of one file.
  using File = void (*)(OpRegistry&);
  // A file, by its index, that may register an op with this name.
  struct NameInFile {
    char name[46];
    uint16_t file;
  };

  // An op that is being registered. Calls that add kernels can be chained. `F` must have `template
  // <class T> Status operator()(KernelCtx&) const`.
  class OpEntry {
   public:
    explicit OpEntry(Entry& entry) : entry_(entry) {}
    template <class... Ts, class F>
    OpEntry& Cpu(F, KernelOptions options = {}) {
      static constexpr TypedKernel kKernels[] = {
          {kDTypeOf<Ts>, [](KernelCtx& c) -> Status { return F{}.template operator()<Ts>(c); }}...};
      Add(kKernels, options);
      return *this;
    }
    // Adds one kernel for all types that the signature allows.
    OpEntry& CpuAny(KernelFn fn, PrepareFn prepare = nullptr);

   private:
    friend struct Entry;
    struct TypedKernel {
      DType type;
      KernelFn fn;
    };
    // The kernels must be in static storage.
    void Add(std::span<const TypedKernel> kernels, const KernelOptions& options);
    Entry& entry_;
  };

  // Sets the files that register ops on demand, so that start-up does not pay for unused ops. `names`
  // is sorted and lists, for each name, the files that may register it. A lookup runs these files in
  // order until one registers the name. If none does, it runs all files. The spans must outlive the
  // registry. Call this function once, before any lookup.
  void AddFiles(std::span<const File> files, std::span<const NameInFile> names);
  // Registers an op. Aborts if the name exists, which is an error in the program. The definition is
  // built when the op is first looked up; a malformed signature aborts then. Except in a file of
  // AddFiles, not while other threads use the registry.
  OpEntry Op(OpSpec spec);
  // Adds another name of an existing op, which old graphs use.
  void Alias(std::string_view alias, std::string_view name);
  // Adds the kernels of a plug-in. May be called by any thread at any time.
  void AddKernels(std::vector<PluginKernel> kernels) const;

  // Returns the op with this exact name or alias, or null if it does not exist.
  const OpDef* Find(std::string_view name) const;
  // Returns the op with this id, which must be that of an op that was found.
  const OpDef& Get(uint16_t id) const;
  // Returns the role of the op with this name, or kOrdinary if no such op exists. Does not parse
  // the signature.
  OpRole RoleOf(std::string_view name) const;
  // Returns the text of the definition, or null. Its examples are those of the OpDef.
  const OpSpec* FindSpec(std::string_view name) const;
  // Runs the files that have not run yet. Thread-safe.
  void RunAllFiles() const;
  // Returns all built-in ops, in no particular order.
  std::vector<const OpDef*> All() const;
  const PluginKernels& plugin_kernels() const { return *plugin_kernels_; }

 private:
  class Table;
  Entry* FindEntry(std::string_view name) const;
  std::unique_ptr<Table> table_;
  std::unique_ptr<PluginKernels> plugin_kernels_;

 public:
  OpRegistry();
  ~OpRegistry();
};

// Each file of ops has one of these functions. They are marked as cold, so that the linker places
// them side by side: otherwise a lookup that runs all of them touches pages all over the program.
#define TENSH_OPS(stem)                                 \
  [[gnu::cold]] void RegisterOps_##stem(OpRegistry& r); \
  [[gnu::cold]] void RegisterOps_##stem(OpRegistry& r)

// The interface between shape inference and a shape function: the partially known shapes of the
// inputs, their values if they are constant, and the attributes. Shape functions return
// InvalidArgument with the actual and the expected shape.
class ShapeCtx {
 public:
  virtual ~ShapeCtx() = default;
  virtual int num_inputs() const = 0;
  virtual int num_outputs() const = 0;
  virtual const Shape& in(int i) const = 0;
  virtual DType in_dtype(int i) const = 0;
  // Returns the value of input i if it is known before a step (a Const, or Shape, Pack, Concat… of
  // known values) and has at most 1024 elements; otherwise null.
  virtual const Tensor* constant(int i) = 0;
  // Returns the value of input i as a shape. Unknown elements become unknown dimensions; if nothing
  // is known, returns Unknown().
  virtual Shape ConstantAsShape(int i) = 0;
  virtual Attrs attrs() const = 0;
  virtual void Set(int output, const Shape& shape) = 0;  // outputs are Unknown() until then

  // Returns InvalidArgument unless the rank of input i is unknown or equals `rank`.
  Status WithRank(int i, int rank) const;
  Status WithRankAtLeast(int i, int rank) const;
};

// Shape functions shared by many ops.
template <int I>
Status SameAsInput(ShapeCtx& c) {
  for (int o = 0; o < c.num_outputs(); ++o) c.Set(o, c.in(I));
  return {};
}
Status BroadcastInputs(ShapeCtx& c);  // broadcasts inputs 0 and 1 as numpy does
Status ScalarOutput(ShapeCtx& c);
Status NoOutputs(ShapeCtx& c);
Status UnknownOutputs(ShapeCtx& c);

// A tensor of the graph under construction, as gradient functions handle it. If empty, no gradient
// flows.
struct Out {
  uint32_t id = UINT32_MAX;
  explicit operator bool() const { return id != UINT32_MAX; }
};

// The definition of a function. An input is "argument" or "node:output:number"; so is the source of
// a result.
struct FunctionSpec {
  struct Node {
    std::string name, op;
    std::vector<std::string> inputs;
    std::vector<NamedAttr> attrs;  // must include all attributes without a default
  };
  struct Value {
    std::string name;
    DType dtype;
    std::string from = {};  // of a result: its source
  };
  std::vector<Value> args, results;
  std::vector<Node> nodes;
};

// The interface with which a gradient function adds nodes. Nodes are named as in TensorFlow: Op
// uses the op type as default name, within one scope for each forward node
// (gradients/Mul_grad/Mul).
class GradScope {
 public:
  virtual ~GradScope() = default;
  virtual int num_inputs() const = 0;
  virtual int num_outputs() const = 0;
  virtual Out x(int i) const = 0;  // input i of the forward op
  virtual Out y(int i) const = 0;  // output i of the forward op
  // Returns the gradient that arrives at output i. If none does, adds zeros.
  virtual Out dy(int i = 0) = 0;
  virtual Attrs attrs() const = 0;
  virtual DType dtype(Out t) const = 0;
  virtual Shape shape(Out t) const = 0;
  virtual const Tensor* constant(Out t) const = 0;
  // Adds a node and returns its output 0; Output(t, i) returns the others. After the first failure,
  // Op returns empty Outs and Return returns the failure.
  virtual Out Op(std::string_view op, std::initializer_list<Out> inputs,
                 std::vector<NamedAttr> attrs = {}, std::string_view name = {}) = 0;
  virtual Out OpN(std::string_view op, std::span<const Out> inputs,
                  std::vector<NamedAttr> attrs = {}, std::string_view name = {}) = 0;
  virtual Out Output(Out node_output0, int i) const = 0;
  // A gradient that is zero except for some rows of the first dimension: values[k] belongs to row
  // indices[k]. No node is added unless the gradient is used as a whole tensor.
  virtual Out Rows(Out values, Out indices, Out dense_shape) = 0;
  virtual Out Const(Tensor value, std::string_view name = "Const") = 0;
  virtual std::string_view op_name() const { return {}; }  // of the forward op
  // Adds a function to the graph's library, under a new name that begins with `prefix`.
  virtual FuncAttr DefineFunction(std::string_view prefix, const FunctionSpec& spec);
  // Returns the type of the variable whose handle is argument `arg` of a function, or kInvalid if
  // the function does not use that argument as a handle.
  virtual DType HandleType(const FuncAttr& function, int arg) const;
  // Ends the gradient function with one gradient for each input of the forward op. An empty entry
  // means that no gradient flows.
  virtual Status Return(std::vector<Out> input_gradients) = 0;

  Out Mul(Out a, Out b) { return Op("Mul", {a, b}, {}, "mul"); }
  // Adds a scalar constant of t's dtype.
  Out Like(double value, Out t, std::string_view name = "Const");
  // Returns the gradients of a broadcasting op with two inputs, {gradient0, gradient1}, each summed
  // to the shape of its input. Adds the nodes that TensorFlow adds: Shape, Shape_1,
  // BroadcastGradientArgs, Sum and Reshape. An entry may be empty.
  Status ReturnBroadcast(Out gradient0, Out gradient1);
};

}  // namespace tensh
