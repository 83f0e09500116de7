// The module time.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

#include "shell/python/modules/modules.h"
#include "shell/python/values/collections/sequence.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/interp.h"
#include "shell/python/vm/threads.h"

namespace tensh::shell {
namespace {

// ---- clocks ----

double Now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}
double Steady() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
Value Time(Args&) { return Value::Float(Now()); }
Value PerfCounter(Args&) { return Value::Float(Steady()); }
Value PerfCounterNs(Args&) { return Value::Int(static_cast<int64_t>(Steady() * 1e9)); }
Value TimeNs(Args&) { return Value::Int(static_cast<int64_t>(Now() * 1e9)); }
Value ProcessTime(Args&) {
  return Value::Float(static_cast<double>(std::clock()) / CLOCKS_PER_SEC);
}
Value Sleep(Args& a) {
  const double seconds = ToDouble(a[0]);
  if (!(seconds >= 0)) throw ValueError("sleep length must be non-negative");
  Interp& interp = Interp::Current();
  interp.Flush();
  // Sleeps in short slices, so that Ctrl-C takes effect.
  const double end = Steady() + std::min(seconds, 1e9);
  for (double left; (left = end - Steady()) > 0;) {
    interp.CheckInterrupt();
    const threads::Unlocked unlocked;
    ::usleep(static_cast<useconds_t>(std::min(left, 0.05) * 1e6));
  }
  return Value::None();
}

// ---- struct_time: a tuple of nine named fields ----

constexpr const char* kFields[] = {"tm_year", "tm_mon",  "tm_mday", "tm_hour", "tm_min",
                                   "tm_sec",  "tm_wday", "tm_yday", "tm_isdst"};
constexpr size_t kFieldCount = 9;

const std::vector<Value>& Items(const Value& v) {
  return static_cast<TupleObject*>(v.object())->items;
}

template <size_t kField>
Value Field(const Value& v) {
  return Items(v)[kField];
}
const PropertyRow kStructProperties[] = {
    {kFields[0], Field<0>}, {kFields[1], Field<1>}, {kFields[2], Field<2>},
    {kFields[3], Field<3>}, {kFields[4], Field<4>}, {kFields[5], Field<5>},
    {kFields[6], Field<6>}, {kFields[7], Field<7>}, {kFields[8], Field<8>}};

std::string StructRepr(const Value& v) {
  std::string out = "time.struct_time(";
  for (size_t i = 0; i < kFieldCount; ++i) {
    out += std::string(i ? ", " : "") + kFields[i] + "=" + Repr(Items(v)[i]);
  }
  return out + ")";
}

extern const TypeInfo kStructTime;

Value MakeStruct(Args& a) {
  if (!FindSlot(TypeOf(a[0]), &TypeInfo::iter)) throw TypeError("constructor requires a sequence");
  std::vector<Value> items = ToVector(a[0]);
  if (items.size() < kFieldCount || items.size() > kFieldCount + 2) {
    throw TypeError(std::string("time.struct_time() takes an at ") +
                    (items.size() < kFieldCount ? "least 9" : "most 11") + "-sequence (" +
                    std::to_string(items.size()) + "-sequence given)");
  }
  items.resize(kFieldCount);
  return New<TupleObject>(std::move(items), kStructTime);
}
const FunctionRow kMakeStruct = {"struct_time", "iterable, /", MakeStruct};

const TypeInfo kStructTime = {.name = "struct_time",
                              .base = &TupleObject::kType,
                              .module = "time",
                              .properties = kStructProperties,
                              .construct = &kMakeStruct,
                              .repr = StructRepr};

Value FromTm(const std::tm& tm) {
  std::vector<Value> items;
  for (int v : {tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
                (tm.tm_wday + 6) % 7, tm.tm_yday + 1, tm.tm_isdst}) {
    items.push_back(Value::Int(v));
  }
  return New<TupleObject>(std::move(items), kStructTime);
}

std::tm ToTm(const Value& v, const std::string& function) {
  auto* tuple = As<TupleObject>(v);
  if (!tuple) throw TypeError("Tuple or struct_time argument required");
  if (tuple->items.size() != kFieldCount)
    throw TypeError(function + "(): illegal time tuple argument");
  int fields[kFieldCount];
  for (size_t i = 0; i < kFieldCount; ++i) {
    const int64_t field = ToIndex(tuple->items[i]);
    // The largest value of each field, so that strftime does not read past the end of a table of
    // names.
    static constexpr int kMost[] = {1 << 30, 12, 31, 23, 59, 61, 6, 366, 1};
    if (field > kMost[i] || field < (i == 0 ? -(1 << 30) : -1))
      throw ValueError(std::string(kFields[i]) + " out of range");
    fields[i] = static_cast<int>(field);
  }
  std::tm tm{};
  tm.tm_year = fields[0] - 1900;
  tm.tm_mon = std::max(fields[1] - 1, 0);
  tm.tm_mday = std::max(fields[2], 1);
  tm.tm_hour = std::max(fields[3], 0);
  tm.tm_min = std::max(fields[4], 0);
  tm.tm_sec = std::max(fields[5], 0);
  tm.tm_wday = (fields[6] + 1) % 7;
  tm.tm_yday = std::max(fields[7] - 1, 0);
  tm.tm_isdst = fields[8];
  return tm;
}

std::tm NowOr(const Value& seconds, bool local) {
  std::time_t t = std::time(nullptr);
  if (!seconds.is_null() && !seconds.is_none()) {
    if (!seconds.is_float() && !IsIndex(seconds)) {
      throw TypeError("'" + TypeName(seconds) + "' object cannot be interpreted as an integer");
    }
    const double d = ToDouble(seconds);
    if (std::isnan(d)) throw ValueError("Invalid value NaN (not a number)");
    if (std::fabs(d) > 9e18) throw OverflowError("timestamp out of range for platform time_t");
    t = static_cast<std::time_t>(std::floor(d));
  }
  std::tm tm{};
  if ((local ? localtime_r(&t, &tm) : gmtime_r(&t, &tm)) == nullptr) {
    throw OverflowError("timestamp out of range for platform time_t");
  }
  return tm;
}
Value LocalTime(Args& a) { return FromTm(NowOr(a[0], true)); }
Value GmTime(Args& a) { return FromTm(NowOr(a[0], false)); }

// ---- text ----

Value StrFTime(Args& a) {
  if (!IsStr(a[0])) throw TypeError("strftime() argument 1 must be str, not " + TypeName(a[0]));
  const std::tm tm = a.has(1) ? ToTm(a[1], "strftime") : NowOr(Value(), true);
  // strftime returns 0 both for an empty result and for a buffer that is too small. The leading
  // byte makes every result non-empty.
  const std::string format = "." + std::string(StrView(a[0]));
  std::string buffer(std::max<size_t>(256, format.size() * 4), '\0');
  for (;;) {
    const size_t n = std::strftime(buffer.data(), buffer.size(), format.c_str(), &tm);
    if (n > 0) return MakeStr(buffer.substr(1, n - 1));
    if (buffer.size() > format.size() * 512) throw ValueError("the result of strftime is too long");
    buffer.resize(buffer.size() * 2);
  }
}

std::string Plainly(const std::tm& tm) {
  char buffer[64];
  const size_t n = std::strftime(buffer, sizeof buffer, "%a %b %e %H:%M:%S ", &tm);
  return std::string(buffer, n) + std::to_string(tm.tm_year + 1900);
}
Value AscTime(Args& a) {
  return MakeStr(Plainly(a.has(0) ? ToTm(a[0], "asctime") : NowOr(Value(), true)));
}
Value CTime(Args& a) { return MakeStr(Plainly(NowOr(a[0], true))); }

Value MkTime(Args& a) {
  std::tm tm = ToTm(a[0], "mktime");
  return Value::Float(static_cast<double>(std::mktime(&tm)));
}

Value StrPTime(Args& a) {
  const std::string text = ToText(a[0], "strptime() argument 0"),
                    format = ToText(a[1], "strptime() argument 1");
  std::tm tm{};
  tm.tm_mday = 1;
  const char* rest = ::strptime(text.c_str(), format.c_str(), &tm);
  if (!rest) throw ValueError("time data " + Repr(a[0]) + " does not match format " + Repr(a[1]));
  if (*rest) throw ValueError(std::string("unconverted data remains: ") + rest);
  std::tm days = tm;
  days.tm_hour = 12;
  ::timegm(&days);  // Computes the weekday and the day of the year from the date.
  tm.tm_wday = days.tm_wday;
  tm.tm_yday = days.tm_yday;
  tm.tm_isdst = -1;
  return FromTm(tm);
}

template <bool kSummer>
Value ZoneOffset() {
  ::tzset();
  return Value::Int(::timezone - (kSummer && ::daylight ? 3600 : 0));
}
Value Daylight() {
  ::tzset();
  return Value::Int(::daylight != 0);
}
Value ZoneNames() {
  ::tzset();
  return MakeTuple({MakeStr(::tzname[0]), MakeStr(::tzname[1])});
}
Value StructTimeType() { return TypeValue(kStructTime); }

const FunctionRow kTimeRows[] = {
    {"time", "/", Time},
    {"perf_counter", "/", PerfCounter},
    {"monotonic", "/", PerfCounter},
    {"perf_counter_ns", "/", PerfCounterNs},
    {"monotonic_ns", "/", PerfCounterNs},
    {"time_ns", "/", TimeNs},
    {"process_time", "/", ProcessTime},
    {"clock", "/", ProcessTime},
    {"sleep", "seconds, /", Sleep},
    {"strftime", "format, t=..., /", StrFTime},
    {"strptime", "string, format='%a %b %d %H:%M:%S %Y', /", StrPTime},
    {"localtime", "seconds=..., /", LocalTime},
    {"gmtime", "seconds=..., /", GmTime},
    {"mktime", "t, /", MkTime},
    {"asctime", "t=..., /", AscTime},
    {"ctime", "seconds=..., /", CTime},
};
const ConstantRow kTimeConstants[] = {{"struct_time", StructTimeType},
                                      {"timezone", ZoneOffset<false>},
                                      {"altzone", ZoneOffset<true>},
                                      {"daylight", Daylight},
                                      {"tzname", ZoneNames}};

}  // namespace

const ModuleDef kTimeModule = {.name = "time", .functions = kTimeRows, .constants = kTimeConstants};

}  // namespace tensh::shell
