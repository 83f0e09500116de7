#pragma once
// The registry of ops: signature, documentation, shape function, gradient and kernels of each one.
// The RegisterOps_* functions fill it once at start-up. After that it is immutable and shared by
// all threads. Signatures are text, in the form that TensorFlow uses:
//   inputs/outputs  "x: T, y: T" · "values: N * T" · "ref: Ref(T)" · "shape: int32" · "args: Tlist"
//   attrs           "T: {float, double}" · "N: int >= 1" · "transpose_a: bool = false"
//                   "dtype: type" · "T: type = float" · "value: tensor"
//                   "shape: shape = {unknown}" · "axis: list(int) = []"
//                   An attribute with a default may be left out of a node.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime/core/kernel.h"

namespace tensh {

struct ArgDef {
  std::string name;
  DType type = DType::kInvalid;  // fixed type, or kInvalid:
  std::string type_attr;         //   the attribute that gives the type,
  std::string type_list_attr;    //   or the list(type) attribute that gives one argument for each
  std::string number_attr;       // N * T: the int attribute that gives the count
  bool is_ref = false;
};

enum class AttrKind : uint8_t { kInt, kFloat, kBool, kType, kString, kShape, kTensor, kFunc };

struct AttrDef {
  std::string name;
  AttrKind kind = AttrKind::kInt;
  bool is_list = false;
  bool has_minimum = false;
  int64_t minimum = 0;
  DTypeSet allowed_types;                    // empty: all
  std::vector<std::string> allowed_strings;  // empty: all
  std::optional<AttrValue> default_value;
  std::string TypeName() const;  // "int", "list(type)"
};

// One shell call and what it prints: `{"square([1., -2.])", "[1. 4.]"}`; runs as a test.
struct Example {
  std::string call, result;
};

class ShapeCtx;
class GradScope;
using ShapeFn = Status (*)(ShapeCtx&);
using GradFn = Status (*)(GradScope&);

// The part an op plays when a graph is analysed, placed and compiled. Most ops are kOrdinary: the
// runtime knows nothing about them except their signature, their kernels and the flags of OpSpec.
enum class OpRole : uint8_t {
  kOrdinary,
  // Values that exist before a step computes anything.
  kConst,                   // the output is the attribute `value`
  kVariable,                // the output is a reference to the node's own variable, bound by a plan
  kPlaceholder,             // has a value only if it is fed
  kPlaceholderWithDefault,  // its input, unless it is fed
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

// The definition of an op, as written in the op's file.
struct OpSpec {
  std::string name;
  std::string inputs = {}, outputs = {}, attrs = {};
  std::string doc = {};       // first sentence: the summary
  std::string contract = {};  // what is asked of the inputs: contract.h
  ShapeFn shape = nullptr;
  GradFn grad = nullptr;     // null and not no_gradient: tf.gradients raises LookupError
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
  // The kernel of a stateful op returns without waiting for another step, unlike a queue's. Set for
  // every op with a variable_type.
  bool never_waits = false;
  std::vector<Example> examples = {};
};

struct KernelRow {
  std::string device;     // "CPU"
  std::string type_attr;  // with `type`: the constraint; empty: any
  DType type = DType::kInvalid;
  KernelFn fn = nullptr;  // null, in a PluginKernel: the CPU's kernel, and its prepare
  PrepareFn prepare = nullptr;
};

struct FusedWork;
using FusedFn = Status (*)(KernelCtx&, const FusedWork&);

// A kernel of a device that comes with a plug-in and has memory of its own. host: the arguments
// that lie in the host's; pass: those it only passes on, wherever they lie. Names with blanks
// between them; "*": all the others.
struct PluginKernel : KernelRow {
  std::string op, host, pass;
  // False: what it hands the device besides its arguments' elements is of this call alone.
  bool can_record = true;
  // Does chains of the kernels that share it, in which this one has a number (fused_work.h). Null:
  // there is no such.
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
  Elementwise elementwise = Elementwise::kNo;
  OpRole role = OpRole::kOrdinary;
  uint8_t first_call_input = 0;
  const char* variable_type = nullptr;
  std::vector<Example> examples;
  std::vector<KernelRow> kernels;
  const PluginKernels* plugin_kernels = nullptr;  // the registry's
  std::string runs_as;  // whose kernels of plug-ins it has; empty: its own
  uint16_t id = 0;      // index in the registry

  const AttrDef* FindAttr(std::string_view name) const;
  // The kernel for this device type and these attributes, or null.
  const KernelRow* FindKernel(std::string_view device_type, Attrs attrs) const;
  // Likewise, of the plug-ins that are loaded; and all of those.
  const PluginKernel* FindPluginKernel(std::string_view device_type, Attrs attrs) const;
  std::vector<const PluginKernel*> MoreKernels() const;
};

struct KernelOptions {
  PrepareFn prepare = nullptr;
  std::string_view type_attr = "T";
};

class OpRegistry {
 public:
  // One op being registered; kernels chain onto it. `F` has `template <class T> Status
  // operator()(KernelCtx&) const`.
  class OpEntry {
   public:
    explicit OpEntry(OpDef& op) : op_(op) {}
    template <class... Ts, class F>
    OpEntry& Cpu(F, KernelOptions options = {}) {
      (Add("CPU", options, kDTypeOf<Ts>,
           [](KernelCtx& c) -> Status { return F{}.template operator()<Ts>(c); }),
       ...);
      return *this;
    }
    // One kernel for every type the signature allows.
    OpEntry& CpuAny(KernelFn fn, PrepareFn prepare = nullptr) {
      Add("CPU", {.prepare = prepare, .type_attr = ""}, DType::kInvalid, fn);
      return *this;
    }

   private:
    void Add(const char* device, const KernelOptions& options, DType type, KernelFn fn) {
      op_.kernels.push_back({device, std::string(options.type_attr), type, fn, options.prepare});
    }
    OpDef& op_;
  };

  // Aborts on a malformed signature or a second op of the name: a programmer's error. The signature
  // text is parsed when the op is first looked up, so start-up does not pay for ops nobody uses.
  OpEntry Op(OpSpec spec);
  // `alias` is another spelling of an op (old graphs); it must exist already.
  void Alias(std::string_view alias, std::string_view name);
  // The kernels of a plug-in; from then on they are found. Any thread, at any time.
  void AddKernels(std::vector<PluginKernel> kernels) const;

  const OpDef* Find(std::string_view name) const;  // null: no such op
  const OpDef& Get(uint16_t id) const;
  // The role of the op with this name; kOrdinary if no such op exists. Does not parse the
  // signature.
  OpRole RoleOf(std::string_view name) const;
  const OpSpec* FindSpec(
      std::string_view name) const;  // the signature's text; doc may be moved away
  size_t size() const { return ops_.size(); }

 private:
  struct Entry;
  std::vector<std::unique_ptr<Entry>> ops_;
  std::unordered_map<std::string_view, uint16_t> by_name_;
  std::vector<std::unique_ptr<std::string>> aliases_;
  std::unique_ptr<PluginKernels> plugin_kernels_;

 public:
  OpRegistry();
  ~OpRegistry();
};

#define TENSH_OPS(stem)                   \
  void RegisterOps_##stem(OpRegistry& r); \
  void RegisterOps_##stem(OpRegistry& r)

// What a shape function sees: inputs' (partly known) shapes, their values where they are constants,
// the attributes. Errors are InvalidArgument with what was got and wanted.
class ShapeCtx {
 public:
  virtual ~ShapeCtx() = default;
  virtual int num_inputs() const = 0;
  virtual int num_outputs() const = 0;
  virtual const Shape& in(int i) const = 0;
  virtual DType in_dtype(int i) const = 0;
  // The value of input i when it is known before any step (a Const, or Shape/Pack/Concat… of known
  // things); null otherwise. At most 1024 elements.
  virtual const Tensor* constant(int i) = 0;
  // The value of input i as a shape: entries that are not known are -1, Unknown() when nothing is.
  virtual Shape ConstantAsShape(int i) = 0;
  virtual Attrs attrs() const = 0;
  virtual void Set(int output, const Shape& shape) = 0;  // every output starts Unknown()

  // InvalidArgument unless the rank of input i is unknown or `rank`.
  Status WithRank(int i, int rank) const;
  Status WithRankAtLeast(int i, int rank) const;
};

// Shape functions shared by many ops.
template <int I>
Status SameAsInput(ShapeCtx& c) {
  for (int o = 0; o < c.num_outputs(); ++o) c.Set(o, c.in(I));
  return {};
}
Status BroadcastInputs(ShapeCtx& c);  // inputs 0 and 1, numpy's rule
Status ScalarOutput(ShapeCtx& c);
Status NoOutputs(ShapeCtx& c);
Status UnknownOutputs(ShapeCtx& c);

// A tensor of the graph under construction, as gradient code handles it. Empty: no gradient flows.
struct Out {
  uint32_t id = UINT32_MAX;
  explicit operator bool() const { return id != UINT32_MAX; }
};

// A function to be defined. An input is "argument" or "node:output:number"; a result is one of
// these.
struct FunctionSpec {
  struct Node {
    std::string name, op;
    std::vector<std::string> inputs;
    std::vector<NamedAttr> attrs;  // all that have no default
  };
  struct Value {
    std::string name;
    DType dtype;
    std::string from = {};  // of a result
  };
  std::vector<Value> args, results;
  std::vector<Node> nodes;
};

// What a gradient function builds with. It names its nodes as TensorFlow's does (Op's default name
// is the op type), one scope a forward node: gradients/Mul_grad/Mul.
class GradScope {
 public:
  virtual ~GradScope() = default;
  virtual int num_inputs() const = 0;
  virtual int num_outputs() const = 0;
  virtual Out x(int i) const = 0;  // forward input i
  virtual Out y(int i) const = 0;  // forward output i
  // Gradient that arrives at output i; zeros if none does (made on demand).
  virtual Out dy(int i = 0) = 0;
  virtual Attrs attrs() const = 0;
  virtual DType dtype(Out t) const = 0;
  virtual Shape shape(Out t) const = 0;
  virtual const Tensor* constant(Out t) const = 0;
  // Adds one node and gives its output 0; Output(t, i) its others. The first failure is kept and
  // returned by Return; after it Op gives empty Outs.
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
  // Adds a function to the graph's library, under a name of its own that begins with `prefix`.
  virtual FuncAttr DefineFunction(std::string_view prefix, const FunctionSpec& spec);
  // Type of the variable whose handle argument `arg` of a function is; kInvalid when the function
  // uses none there.
  virtual DType HandleType(const FuncAttr& function, int arg) const;
  // One entry an input of the forward op, empty where no gradient flows.
  virtual Status Return(std::vector<Out> input_gradients) = 0;

  Out Mul(Out a, Out b) { return Op("Mul", {a, b}, {}, "mul"); }
  // A scalar constant of t's dtype.
  Out Like(double value, Out t, std::string_view name = "Const");
  // Sums `gradient` to the shape of forward input `i`, as the gradient of a broadcast: TensorFlow's
  // Shape, Shape_1, BroadcastGradientArgs, Sum, Reshape nodes. For two-input broadcasting ops.
  // Give it {gradient for x0, gradient for x1}; an entry may be empty.
  Status ReturnBroadcast(Out gradient0, Out gradient1);
};

}  // namespace tensh
