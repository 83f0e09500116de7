#include "shell/tensorflow/graph/errors.h"

#include "shell/python/values/containers.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/interp.h"
#include "shell/tensorflow/graph/rows.h"

namespace tensh::shell::tf {
namespace {

constexpr const char* kModule = "tensorflow.python.framework.errors_impl";

Value Attribute(const Value& v, std::string_view name) {
  Value* found = As<ExceptionObject>(v)->attrs()->Find(name);
  return found ? *found : Value::None();
}

Value MessageOf(const Value& v) {
  auto* exc = As<ExceptionObject>(v);
  Value* own = exc->attrs()->Find("_message");
  return own ? *own : MakeStr(exc->Message());
}

// raise tf.errors.X(node_def, op, message)
const std::vector<Value>* Raised(const Value& v) {
  auto* args = As<TupleObject>(As<ExceptionObject>(v)->args);
  return args && args->items.size() == 3 ? &args->items : nullptr;
}

std::string OpErrorText(const Value& v) {
  if (const auto* args = Raised(v)) return Str((*args)[2]);
  auto* args = As<TupleObject>(As<ExceptionObject>(v)->args);
  if (!args || args->items.empty()) return "";
  return args->items.size() == 1 ? Str(args->items[0]) : Repr(As<ExceptionObject>(v)->args);
}

Value ErrorCodeOf(const Value& v);

Value OpOf(const Value& v) {
  const auto* args = Raised(v);
  return args ? (*args)[1] : Attribute(v, "_op");
}

Value NodeDefOf(const Value& v) {
  const auto* args = Raised(v);
  return args ? (*args)[0] : Attribute(v, "_node_def");
}

const PropertyRow kProperties[] = {
    {"message", MessageOf},
    {"error_code", ErrorCodeOf},
    {"op", OpOf},
    {"node_def", NodeDefOf},
};

constexpr TypeInfo OpErrorType() {
  TypeInfo t = ExceptionType("OpError", kException, kModule);
  t.properties = kProperties;
  t.str = OpErrorText;
  return t;
}

}  // namespace

const TypeInfo kOpError = OpErrorType();

namespace {

// In the order of the error codes, starting at 1.
const TypeInfo kTypes[] = {
    ExceptionType("CancelledError", kOpError, kModule),
    ExceptionType("UnknownError", kOpError, kModule),
    ExceptionType("InvalidArgumentError", kOpError, kModule),
    ExceptionType("DeadlineExceededError", kOpError, kModule),
    ExceptionType("NotFoundError", kOpError, kModule),
    ExceptionType("AlreadyExistsError", kOpError, kModule),
    ExceptionType("PermissionDeniedError", kOpError, kModule),
    ExceptionType("ResourceExhaustedError", kOpError, kModule),
    ExceptionType("FailedPreconditionError", kOpError, kModule),
    ExceptionType("AbortedError", kOpError, kModule),
    ExceptionType("OutOfRangeError", kOpError, kModule),
    ExceptionType("UnimplementedError", kOpError, kModule),
    ExceptionType("InternalError", kOpError, kModule),
    ExceptionType("UnavailableError", kOpError, kModule),
    ExceptionType("DataLossError", kOpError, kModule),
    ExceptionType("UnauthenticatedError", kOpError, kModule),
};

const TypeInfo kNotAllowed = ExceptionType("OperatorNotAllowedInGraphError", kTypeError, kModule);

template <int kCode>
Value TypeAt() {
  return TypeValue(kTypes[kCode - 1]);
}
template <int kCode>
Value CodeAt() {
  return Value::Int(kCode);
}

const ConstantRow kConstants[] = {
    {"OpError", [] { return TypeValue(kOpError); }, "The base class of the exceptions of a run."},
    {"CancelledError", TypeAt<1>, "The operation was cancelled."},
    {"CANCELLED", CodeAt<1>, "The code of CancelledError."},
    {"UnknownError", TypeAt<2>, "The cause is unknown."},
    {"UNKNOWN", CodeAt<2>, "The code of UnknownError."},
    {"InvalidArgumentError", TypeAt<3>, "An argument is invalid."},
    {"INVALID_ARGUMENT", CodeAt<3>, "The code of InvalidArgumentError."},
    {"DeadlineExceededError", TypeAt<4>, "A time limit ended the operation."},
    {"DEADLINE_EXCEEDED", CodeAt<4>, "The code of DeadlineExceededError."},
    {"NotFoundError", TypeAt<5>, "Something was not found."},
    {"NOT_FOUND", CodeAt<5>, "The code of NotFoundError."},
    {"AlreadyExistsError", TypeAt<6>, "Something exists already."},
    {"ALREADY_EXISTS", CodeAt<6>, "The code of AlreadyExistsError."},
    {"PermissionDeniedError", TypeAt<7>, "The caller lacks a permission."},
    {"PERMISSION_DENIED", CodeAt<7>, "The code of PermissionDeniedError."},
    {"ResourceExhaustedError", TypeAt<8>, "A resource such as memory is exhausted."},
    {"RESOURCE_EXHAUSTED", CodeAt<8>, "The code of ResourceExhaustedError."},
    {"FailedPreconditionError", TypeAt<9>,
     "The system is not in the required state, for example a variable is not initialized."},
    {"FAILED_PRECONDITION", CodeAt<9>, "The code of FailedPreconditionError."},
    {"AbortedError", TypeAt<10>, "The operation was aborted."},
    {"ABORTED", CodeAt<10>, "The code of AbortedError."},
    {"OutOfRangeError", TypeAt<11>, "A range or a sequence of inputs has ended."},
    {"OUT_OF_RANGE", CodeAt<11>, "The code of OutOfRangeError."},
    {"UnimplementedError", TypeAt<12>, "The operation is not implemented."},
    {"UNIMPLEMENTED", CodeAt<12>, "The code of UnimplementedError."},
    {"InternalError", TypeAt<13>, "An invariant of the runtime is broken."},
    {"INTERNAL", CodeAt<13>, "The code of InternalError."},
    {"UnavailableError", TypeAt<14>, "A server cannot be reached."},
    {"UNAVAILABLE", CodeAt<14>, "The code of UnavailableError."},
    {"DataLossError", TypeAt<15>, "Data is lost or corrupted."},
    {"DATA_LOSS", CodeAt<15>, "The code of DataLossError."},
    {"UnauthenticatedError", TypeAt<16>, "The caller is not authenticated."},
    {"UNAUTHENTICATED", CodeAt<16>, "The code of UnauthenticatedError."},
    {"OperatorNotAllowedInGraphError", [] { return TypeValue(kNotAllowed); },
     "A tensor is used as a Python bool or iterated over."},
    {"OK", CodeAt<0>, "The code of success."},
};

// If the script itself raised the error, the class determines the code.
Value ErrorCodeOf(const Value& v) {
  Value kept = Attribute(v, "_error_code");
  if (!kept.is_none()) return kept;
  for (size_t i = 0; i < std::size(kTypes); ++i) {
    if (DerivesFrom(TypeOf(v), kTypes[i])) return Value::Int(static_cast<int64_t>(i) + 1);
  }
  return Value::None();
}

}  // namespace

PyError OperatorNotAllowed(std::string message) {
  return MakeError(kNotAllowed, std::move(message));
}

const TypeInfo& ErrorTypeOf(int code) {
  const bool known = code >= 1 && code <= static_cast<int>(std::size(kTypes));
  return kTypes[known ? code - 1 : 1];
}

namespace {

// Returns an explanation of an error of a run, or "".
const char* Explanation(const ClientError& error) {
  switch (error.reason()) {
    case TSH_REASON_UNINITIALIZED:
      return kWhyUninitialized;
    case TSH_REASON_NO_DEVICE:
      return "Every node that runs needs an existing device with a kernel for it. Nodes that share "
             "a reference or are colocated need a common device.";
    case TSH_REASON_NO_KERNEL:
      return "An op runs only on devices with a kernel for its types; `help OP` lists the kernels.";
    default:
      break;
  }
  if (error.code() == TSH_CANCELLED)
    return "The step was stopped. Variables that it had already assigned keep their new values.";
  return "";
}

}  // namespace

PyError ErrorFromStatus(const ClientError& error) {
  PyError made = MakeError(ErrorTypeOf(error.code()), error.message());
  Dict& attrs = *made.exception().attrs();
  attrs.Set("_error_code", Value::Int(error.code()));
  attrs.Set("_message", MakeStr(error.message()));
  attrs.Set("_op", error.node().empty() ? Value::None() : MakeStr(error.node()));
  attrs.Set("_node_def", Value::None());
  const bool uninitialized = error.reason() == TSH_REASON_UNINITIALIZED;
  std::string hint = error.hint();
  // A server sends no hints.
  if (uninitialized && hint.empty()) hint = "run tf.global_variables_initializer()";
  made.Hint({uninitialized ? ErrorHint::Kind::kRun : ErrorHint::Kind::kPhrase, std::move(hint)});
  made.Explain(Explanation(error));
  return made;
}

PyError BuildErrorFromStatus(const ClientError& error) {
  const TypeInfo* type = nullptr;
  if (error.code() == TSH_INVALID_ARGUMENT) type = &kValueError;
  if (error.code() == TSH_NOT_FOUND) type = &kLookupError;
  if (error.code() == TSH_FAILED_PRECONDITION) type = &kRuntimeError;
  if (error.code() == TSH_UNIMPLEMENTED) type = &kNotImplementedError;
  if (type == nullptr) return ErrorFromStatus(error);
  PyError made = MakeError(*type, error.message());
  if (!error.hint().empty()) made.Hint(error.hint());
  return made;
}

void RaiseClientErrors() {
  client_hooks.fail = [](const ClientError& error) {
    // Ctrl-C cancels the running step. The user sees the interrupt, not the error of the step.
    Interp* interp = Interp::CurrentOrNull();
    if (interp && error.code() == TSH_CANCELLED) interp->CheckInterrupt();
    throw ErrorFromStatus(error);
  };
  client_hooks.fail_build = [](const ClientError& error) { throw BuildErrorFromStatus(error); };
}

std::span<const ConstantRow> ErrorConstants() { return kConstants; }

}  // namespace tensh::shell::tf
