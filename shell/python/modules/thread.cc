// The module _thread: the base of threading.py, queue.py and concurrent_futures.py.
#include "shell/python/modules/modules.h"
#include "shell/python/values/class.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/interp.h"
#include "shell/python/vm/threads.h"

namespace tensh::shell {
namespace {

constexpr double kTimeoutMax = 9223372036.0;  // threading.TIMEOUT_MAX

// Lock and RLock. The interpreter's lock protects the fields.
class LockObject : public Object {
 public:
  static const TypeInfo kType, kRecursiveType;
  explicit LockObject(const TypeInfo& type) : Object(type) {}
  int64_t owner = 0;  // The thread that holds an RLock.
  uint64_t count = 0;
};

bool IsRecursive(const Value& v) { return &v.object()->type() == &LockObject::kRecursiveType; }
LockObject& L(const Value& v) { return *static_cast<LockObject*>(v.object()); }

threads::Deadline DeadlineOf(const Value& blocking, const Value& timeout) {
  const double seconds = ToDouble(timeout);
  if (!Truth(blocking)) {
    if (seconds != -1) throw ValueError("can't specify a timeout for a non-blocking call");
    return threads::After(0);
  }
  if (!(seconds >= 0) && seconds != -1) throw ValueError("timeout value must be positive");
  if (seconds > kTimeoutMax) throw MakeError(kOverflowError, "timeout value is too large");
  return threads::After(seconds == -1 ? kTimeoutMax : seconds);
}

bool Acquire(const Value& v, threads::Deadline deadline) {
  LockObject& lock = L(v);
  const int64_t me = threads::Ident();
  const bool again = IsRecursive(v) && lock.count > 0 && lock.owner == me;
  if (!again && !threads::WaitUntil([&] { return lock.count == 0; }, deadline)) return false;
  lock.owner = me;
  ++lock.count;
  return true;
}

void Release(const Value& v) {
  LockObject& lock = L(v);
  if (IsRecursive(v)) {
    if (lock.count == 0 || lock.owner != threads::Ident())
      throw RuntimeError("cannot release un-acquired lock");
  } else if (lock.count == 0) {
    throw RuntimeError("release unlocked lock");
  }
  if (--lock.count > 0) return;
  lock.owner = 0;
  threads::Notify();
}

std::string LockRepr(const Value& v) {
  char address[32];
  std::snprintf(address, sizeof address, "%p", static_cast<void*>(v.object()));
  const LockObject& lock = L(v);
  std::string text = lock.count ? "<locked _thread." : "<unlocked _thread.";
  if (!IsRecursive(v)) return text + "lock object at " + address + ">";
  return text + "RLock object owner=" + std::to_string(lock.owner) +
         " count=" + std::to_string(lock.count) + " at " + address + ">";
}

const FunctionRow kLockMethods[] = {
    {"acquire", "blocking=True, timeout=-1",
     [](Args& a) { return Value::Bool(Acquire(a.self(), DeadlineOf(a[0], a[1]))); },
     "Acquires the lock, and waits until it is free."},
    {"release", "", [](Args& a) { return Release(a.self()), Value::None(); }, "Releases the lock."},
    {"locked", "", [](Args& a) { return Value::Bool(L(a.self()).count > 0); },
     "Returns true if the lock is held."},
    {"__enter__", "",
     [](Args& a) { return Value::Bool(Acquire(a.self(), threads::After(kTimeoutMax))); },
     "acquire()"},
    {"__exit__", "*args", [](Args& a) { return Release(a.self()), Value::None(); }, "release()"},
    {"_is_owned", "",
     [](Args& a) {
       return Value::Bool(L(a.self()).count > 0 && L(a.self()).owner == threads::Ident());
     },
     "Returns true if this thread holds the lock."},
    {"_take_all", "",
     [](Args& a) {
       const auto count = static_cast<int64_t>(L(a.self()).count);
       L(a.self()).count = 1;
       Release(a.self());
       return Value::Int(count);
     },
     "Releases an RLock completely, and returns how often it was acquired."},
    {"_restore", "count",
     [](Args& a) -> Value {
       Acquire(a.self(), threads::After(kTimeoutMax));
       L(a.self()).count = static_cast<uint64_t>(ToIndex(a[0]));
       return Value::None();
     },
     "Acquires an RLock as often as _take_all returned."},
};

Value LockEnter(const Value& v) { return Value::Bool(Acquire(v, threads::After(kTimeoutMax))); }
bool LockExit(const Value& v, const Value&) { return Release(v), false; }

const FunctionRow kNewLock = {
    "lock", "", [](Args&) -> Value { return New<LockObject>(LockObject::kType); }, "A lock."};
const FunctionRow kNewRecursive = {
    "RLock", "", [](Args&) -> Value { return New<LockObject>(LockObject::kRecursiveType); },
    "A lock that its holder may acquire again."};

// wait(function, timeout): returns true if function() became true within the timeout.
Value Wait(Args& a) {
  const double seconds = a[1].is_none() ? kTimeoutMax : ToDouble(a[1]);
  const Value ready = a[0];
  return Value::Bool(
      threads::WaitUntil([&] { return Truth(Call(ready, CallArgs{})); }, threads::After(seconds)));
}

Value Failed(Args& a) {
  auto* exception = As<ExceptionObject>(a[0]);
  Hooks* hooks = Interp::Current().hooks();
  if (exception && hooks) hooks->ThreadFailed(PyError(a[0]), ToText(a[1], "name"));
  return Value::None();
}

Value StartNewThread(Args& a) {
  if (!IsCallable(a[0])) throw TypeError("first arg must be callable");
  const std::vector<Value> args = ToVector(a[1]);
  if (args.empty()) return Value::Int(threads::Start(a[0]));
  std::vector<Value> parts = {a[0]};
  parts.insert(parts.end(), args.begin(), args.end());
  const Value partial = GetAttr(Interp::Current().Import("functools"), Intern("partial"));
  return Value::Int(threads::Start(Call(partial, CallArgs{parts})));
}

const FunctionRow kRows[] = {
    {"start_new_thread", "function, args=()", StartNewThread,
     "Call function(*args) in a new thread."},
    {"get_ident", "", [](Args&) { return Value::Int(threads::Ident()); },
     "The number of this thread."},
    {"get_native_id", "", [](Args&) { return Value::Int(threads::Ident()); },
     "The number of this thread."},
    {"wait", "function, timeout=None", Wait, "Wait until function() returns true."},
    {"notify", "", [](Args&) { return threads::Notify(), Value::None(); },
     "Wake the threads in wait()."},
    {"failed", "exception, name", Failed, "Report the exception that ended a thread."},
};
const ConstantRow kConstants[] = {
    {"allocate_lock", [] { return TypeValue(LockObject::kType); }},
    {"LockType", [] { return TypeValue(LockObject::kType); }},
    {"RLock", [] { return TypeValue(LockObject::kRecursiveType); }},
    {"TIMEOUT_MAX", [] { return Value::Float(kTimeoutMax); }},
};

}  // namespace

const TypeInfo LockObject::kType = {.name = "lock",
                                    .module = "_thread",
                                    .doc = "A lock.",
                                    .methods = kLockMethods,
                                    .construct = &kNewLock,
                                    .repr = LockRepr,
                                    .enter = LockEnter,
                                    .exit = LockExit};
const TypeInfo LockObject::kRecursiveType = {.name = "RLock",
                                             .module = "_thread",
                                             .doc = "A lock that its holder may acquire again.",
                                             .methods = kLockMethods,
                                             .construct = &kNewRecursive,
                                             .repr = LockRepr,
                                             .enter = LockEnter,
                                             .exit = LockExit};

const ModuleDef kThreadModule = {.name = "_thread", .functions = kRows, .constants = kConstants};

}  // namespace tensh::shell
