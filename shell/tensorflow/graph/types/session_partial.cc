// sess.partial_run_setup and sess.partial_run: one step whose feeds and fetches are spread over
// several calls.
#include <algorithm>

#include "shell/python/values/error.h"
#include "shell/python/values/ops.h"
#include "shell/python/vm/threads.h"
#include "shell/tensorflow/graph/arrays.h"
#include "shell/tensorflow/graph/errors.h"
#include "shell/tensorflow/graph/fetch.h"
#include "shell/tensorflow/graph/session.h"

namespace tensh::shell::tf {
namespace {

constexpr int kInvalidArgument = 3;

bool Same(Out a, Out b) { return a.node == b.node && a.index == b.index; }

std::string Spelled(const GraphObject& g, Out o) {
  return std::string(g.handle().NodeName(o.node)) + ":" + std::to_string(o.index);
}

std::string NamesOf(const GraphObject& g, const std::vector<Out>& list) {
  std::string text;
  for (const Out& o : list) text += (text.empty() ? "" : ",") + Spelled(g, o);
  return text;
}

Out FeedOf(GraphObject& g, const Value& key) {
  Element element;
  try {
    element = ToElement(g, key, "feed");
  } catch (const PyError& e) {
    const std::string text = "Cannot interpret feed_list key as Tensor: " + e.Message();
    if (e.Is(kTypeError)) throw TypeError(text);
    if (e.Is(kValueError) || e.Is(kKeyError)) throw ValueError(text);
    throw;
  }
  if (Exists(element.out)) return element.out;
  throw TypeError(
      "Cannot interpret feed_list key as Tensor: Can not convert a Operation into a Tensor.");
}

}  // namespace

void SessionObject::DropPartials() {
  for (auto& [handle, partial] : partials_) tsh_partial_unref(partial);
  partials_.clear();
}

void SessionObject::CheckRuns() const {
  CheckOpen();
  if (graph_->handle().size() > 0) return;
  throw RuntimeError(
      "The Session graph is empty.  Add operations to the graph before calling run().");
}

Value SessionObject::SetUpPartial(const Value& fetches, const Value& feeds) {
  CheckRuns();
  GraphObject& g = *graph_;
  FlatRun flat;
  const bool is_list = As<ListObject>(feeds) || As<TupleObject>(feeds);
  const std::vector<Value> keys = is_list           ? ToVector(feeds)
                                  : feeds.is_none() ? std::vector<Value>()
                                                    : std::vector<Value>{feeds};
  for (const Value& key : keys) flat.feeds.push_back(FeedOf(g, key));
  FetchPlan plan(g, fetches);
  flat.fetches = plan.fetches();
  flat.targets = plan.targets();
  const tsh_run run = flat.run();
  tsh_status* status = ScratchStatus();
  tsh_partial* made = tsh_partial_new(handle_.get(), &run, status);
  if (!made) ThrowStatus(status);
  std::string targets;
  for (Node n : flat.targets)
    targets += (targets.empty() ? "" : ",") + std::string(g.handle().NodeName(n));
  std::string name = NamesOf(g, flat.feeds) + "->" + NamesOf(g, flat.fetches) + "/" + targets +
                     "/1/;" + std::to_string(partials_made_++);
  partials_[name] = made;
  return MakeStr(name);
}

Value SessionObject::RunPartial(const Value& handle, const Value& fetches, const Value& feed_dict) {
  if (handle.is_none()) return Run(fetches, feed_dict);
  CheckRuns();
  FetchPlan plan(*graph_, fetches);
  FlatRun flat;
  FlattenFeeds(*graph_, feed_dict, &flat);
  // A fetch that is fed in this call already has its value.
  std::vector<TensorHandle> results(plan.fetches().size());
  std::vector<size_t> asked;
  for (size_t i = 0; i < results.size(); ++i) {
    const Out wanted = plan.fetches()[i];
    size_t feed = 0;
    while (feed < flat.feeds.size() && !Same(flat.feeds[feed], wanted)) ++feed;
    if (feed < flat.feeds.size()) {
      results[i] = flat.values[feed];
    } else {
      asked.push_back(i);
      flat.fetches.push_back(wanted);
    }
  }
  if (flat.fetches.empty() && plan.targets().empty() && flat.feeds.empty())
    return plan.Rebuild(results);
  if (!plan.targets().empty()) throw RuntimeError("partial_run() requires empty target_list.");
  auto found = partials_.find(Str(handle));
  if (found == partials_.end())
    throw ErrorFromStatus({kInvalidArgument, "Must run 'setup' before performing partial runs!",
                           "handle = sess.partial_run_setup(fetches, feeds)", ""});
  std::vector<tsh_tensor*> raw(flat.fetches.size(), nullptr);
  const tsh_run run = flat.run();
  tsh_status* status = ScratchStatus();
  tsh_partial* const partial = found->second;
  int ok = 0;
  {
    const threads::Unlocked unlocked;
    ok = tsh_partial_run(partial, &run, raw.data(), status);
  }
  if (tsh_partial_done(partial) && partials_.erase(Str(handle)) != 0) tsh_partial_unref(partial);
  if (!ok) ThrowStatus(status);
  for (size_t i = 0; i < raw.size(); ++i) results[asked[i]] = TensorHandle::Adopt(raw[i]);
  return plan.Rebuild(results);
}

}  // namespace tensh::shell::tf
