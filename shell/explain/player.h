// The moments of a step. After each event of the timeline, a moment lists the nodes that have run,
// the nodes that are ready, the values in flight, and the contents of the rendezvous. Pure
// functions of the report and of the values that were fetched with it. film.h shows them as a page.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "shell/explain/report.h"

namespace tensh::shell {

// The printed values, by tensor name ("add:0").
using ValueTexts = std::unordered_map<std::string, std::string>;

// The text of a value that was not kept. Films leave it out.
inline constexpr std::string_view kNotKept = "too large to keep";

struct Moment {
  std::string what = {};               // "cpu:1 runs add (AddV2)"
  std::string node = {};               // The node it is about, or "".
  int64_t at_ns = 0;                   // Time when it ended.
  std::string value = {};              // The value made in an iteration, or "" if unknown.
  std::string tensor = {};             // Outside of loops, the name of the value that it made.
  std::vector<std::string> done = {};  // Nodes in the order in which they ran first.
  std::vector<int64_t> times = {};     // The number of times that each of them ran.
  // Nodes whose values became available at this moment, with those that only pass values on.
  std::vector<std::string> arrived = {};
  std::vector<std::string> ready = {};      // Nodes whose inputs are all available.
  std::vector<std::string> not_taken = {};  // Nodes of the branches that were not taken.
  std::vector<std::string> in_flight = {};  // Tensors that some consumer has not taken yet.
  // The state of each transfer of the report: '0' not sent, '1' sent, '2' received.
  std::string transfers = {};
};

// Returns the moments; moment 0 is before the first event. A wait is not a moment, because nothing
// happens. The events inside of a loop precede that of the loop. At most the first `most` events have
// moments; `more`, if given, receives the number of the others.
std::vector<Moment> Moments(const Report& report, size_t most = SIZE_MAX, size_t* more = nullptr);

// Lists are broken between their items if they are wider than `width`; 0 means unlimited.
std::string RenderMoment(const Report& report, const Moment& moment, size_t number, size_t count,
                         const ValueTexts& values, size_t width = 0);
// Returns what happened, with the value that was made: "cpu:1 runs add (AddV2) = [4. 6.]".
std::string MomentText(const Moment& moment, const ValueTexts& values);

}  // namespace tensh::shell
