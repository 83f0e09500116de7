// The rendezvous of a step in a task, and the ids of requests.
#include "runtime/dist/step_values.h"

#include <gtest/gtest.h>

#include <thread>

#include "runtime/dist/fair_queue.h"
#include "runtime/dist/seen_ids.h"
#include "runtime/dist/threads.h"

namespace tensh::dist {
namespace {

constexpr char kKey[] = "/cpu:0;0;/cpu:1;a;0:0";
constexpr char kLoopKey[] = "/cpu:0;0;/cpu:1;a;1:5";

TensorPtr Number(float value) {
  Said said;
  TensorPtr t(tsh_tensor_new(TSH_FLOAT, nullptr, 0, said));
  *static_cast<float*>(tsh_tensor_data(t.get())) = value;
  return t;
}

// The results that a receiver got, as text: "5", "dead", or the message of an error.
struct Results {
  std::string text;
  StepValues::Done Next() {
    return [this](const Status& status, TensorPtr value) {
      text += text.empty() ? "" : ", ";
      if (!status.ok())
        text += status.message();
      else
        text += value ? StrCat(*static_cast<float*>(tsh_tensor_data(value.get()))) : "dead";
    };
  }
};

TEST(StepValues, InEitherOrder) {
  StepValues values;
  Results results;
  EXPECT_TRUE(values.Idle());
  EXPECT_TRUE(values.Send(kKey, Number(5)).ok());
  values.Receive(kKey, results.Next());
  EXPECT_EQ(results.text, "5");
  values.Receive("other;0:0", results.Next());
  EXPECT_EQ(results.text, "5");
  EXPECT_TRUE(values.Send("other;0:0", Number(7)).ok());
  EXPECT_EQ(results.text, "5, 7");
  EXPECT_FALSE(values.Idle());  // It remembers both keys.
}

TEST(StepValues, AnEmptyTensorIsADeadBranch) {
  StepValues values;
  Results results;
  EXPECT_TRUE(values.Send(kKey, nullptr).ok());
  values.Receive(kKey, results.Next());
  EXPECT_EQ(results.text, "dead");
}

TEST(StepValues, EachKeyOnce) {
  StepValues values;
  Results results;
  EXPECT_TRUE(values.Send(kKey, Number(5)).ok());
  EXPECT_EQ(values.Send(kKey, Number(6)).message(), StrCat("Duplicated send: ", kKey));
  values.Receive(kKey, results.Next());
  values.Receive(kKey, results.Next());
  EXPECT_EQ(results.text, StrCat("5, Duplicated receive: ", kKey));
  EXPECT_EQ(values.Send(kKey, Number(6)).code(), Code::kAborted);
  StepValues waiting;
  Results both;
  waiting.Receive(kKey, both.Next());
  waiting.Receive(kKey, both.Next());
  EXPECT_EQ(both.text, StrCat("Duplicated receive: ", kKey));
  EXPECT_TRUE(waiting.Send(kKey, Number(1)).ok());
  EXPECT_EQ(both.text, StrCat("Duplicated receive: ", kKey, ", 1"));
}

// A loop has a new key in each iteration, so the keys must not add up.
TEST(StepValues, KeysOfLoopsAreForgotten) {
  StepValues values;
  Results results;
  EXPECT_TRUE(values.Send(kLoopKey, Number(5)).ok());
  values.Receive(kLoopKey, results.Next());
  EXPECT_TRUE(values.Idle());
  values.Receive(kLoopKey, results.Next());
  EXPECT_TRUE(values.Send(kLoopKey, Number(6)).ok());
  EXPECT_TRUE(values.Idle());
  EXPECT_EQ(results.text, "5, 6");
}

TEST(StepValues, AReceiverMayGiveUp) {
  StepValues values;
  Results results;
  uint64_t token = 0;
  values.Receive(kKey, results.Next(), &token);
  EXPECT_NE(token, 0u);
  values.Forget(kKey, token + 1);
  values.Forget("other", token);
  EXPECT_EQ(results.text, "");
  values.Forget(kKey, token);
  EXPECT_EQ(results.text, "no receiver waits for this value");
  values.Forget(kKey, token);  // Again: no effect.
  EXPECT_TRUE(values.Idle());
  values.Receive(kKey, results.Next());
  EXPECT_TRUE(values.Send(kKey, Number(2)).ok());
  EXPECT_EQ(results.text, "no receiver waits for this value, 2");
}

TEST(StepValues, TakeNowDoesNotWait) {
  StepValues values;
  TensorPtr value;
  EXPECT_FALSE(values.TakeNow(kKey, &value));
  EXPECT_TRUE(values.Send(kKey, Number(5)).ok());
  EXPECT_TRUE(values.TakeNow(kKey, &value));
  EXPECT_TRUE(value);
  EXPECT_FALSE(values.TakeNow(kKey, &value));
}

TEST(StepValues, AbortEndsEverything) {
  StepValues values;
  Results results;
  int calls = 0;
  values.Receive(kKey, results.Next());
  values.OnAbort([&] { ++calls; });
  values.RemoveOnAbort(values.OnAbort([&] { calls += 100; }));
  values.Abort(Unavailable("gone"));
  EXPECT_EQ(results.text, "gone");
  EXPECT_EQ(calls, 1);
  values.Abort(Internal("again"));  // Only the first abort counts.
  values.Receive(kKey, results.Next());
  EXPECT_EQ(results.text, "gone, gone");
  EXPECT_EQ(values.Send("x", Number(1)).message(), "gone");
  EXPECT_EQ(values.OnAbort([&] { ++calls; }), 0u);  // At once.
  EXPECT_EQ(calls, 2);
  EXPECT_FALSE(values.Idle());
  StepValues fine;
  fine.Abort({});
  EXPECT_EQ(fine.Send("x", nullptr).message(), "the step was ended");
}

TEST(StepValues, ManyThreads) {
  StepValues values;
  constexpr int kCount = 1000;
  std::atomic<int> sum{0};
  std::thread sender([&] {
    for (int i = 0; i < kCount; ++i)
      EXPECT_TRUE(values.Send(StrCat("k", i, ";0:0"), Number(1)).ok());
  });
  for (int i = 0; i < kCount; ++i)
    values.Receive(StrCat("k", i, ";0:0"), [&](const Status& status, TensorPtr value) {
      if (status.ok() && value) ++sum;
    });
  sender.join();
  EXPECT_EQ(sum, kCount);
}

TEST(SeenIds, RecognizeARequestThatIsSentTwice) {
  SeenIds ids;
  EXPECT_TRUE(ids.FirstTime(0));
  EXPECT_TRUE(ids.FirstTime(0));  // No id.
  EXPECT_TRUE(ids.FirstTime(-7));
  EXPECT_FALSE(ids.FirstTime(-7));
  EXPECT_TRUE(ids.FirstTime(7));
  for (int64_t i = 1000; i < 101'000; ++i) EXPECT_TRUE(ids.FirstTime(i));
  EXPECT_FALSE(ids.FirstTime(100'999));
  EXPECT_FALSE(ids.FirstTime(-7));  // Still among the two generations that are kept.
  for (int64_t i = 200'000; i < 400'000; ++i) ids.FirstTime(i);
  EXPECT_TRUE(ids.FirstTime(-7));  // Forgotten, so that memory is bounded.
}

// Starts calls that all wait for each other, which needs a thread for each of them.
void WaitForEachOther(bool one_of_many) {
  constexpr int kCalls = 40;
  std::mutex mu;
  std::condition_variable all;
  int here = 0;
  for (int i = 0; i < kCalls; ++i)
    RunOnThread(
        [&] {
          std::unique_lock lock(mu);
          if (++here == kCalls) all.notify_all();
          all.wait(lock, [&] { return here >= kCalls; });
          if (++here == 2 * kCalls) all.notify_all();
        },
        nullptr, one_of_many);
  std::unique_lock lock(mu);
  all.wait(lock, [&] { return here == 2 * kCalls; });
  EXPECT_EQ(here, 2 * kCalls);
}

// The pool grows while its threads wait, so that calls that depend on each other all run.
TEST(Threads, WaitForEachOther) { WaitForEachOther(false); }

// Calls that do not wake a thread each must not stay behind threads that wait. The first run leaves idle threads for the
// second one.
TEST(Threads, OneOfManyWaitForEachOther) {
  WaitForEachOther(true);
  WaitForEachOther(true);
}

// A client that has queued many calls delays those of another one only by its share.
TEST(Threads, ClientsTakeTurns) {
  const int busy = 0, other = 0;  // Their addresses tell the clients apart.
  std::string order;
  FairQueue queue;
  for (int i = 0; i < 4; ++i) queue.Push([&order, i] { order += char('1' + i); }, &busy);
  queue.Push([&] { order += 'a'; }, &other);
  queue.Push([&] { order += 'b'; }, &other);
  queue.Pop()();
  queue.Push([&] { order += '5'; }, &busy);
  EXPECT_EQ(queue.size(), 6u);
  while (!queue.empty()) queue.Pop()();
  EXPECT_EQ(order, "1a2b345");
  queue.Push([&] { order += 'c'; }, &other);
  queue.Pop()();
  EXPECT_EQ(order, "1a2b345c");
}

}  // namespace
}  // namespace tensh::dist
