// Status, Result and the pieces that messages are made of.
#include "runtime/core/status.h"

#include <gtest/gtest.h>

#include <limits>

#include "runtime/core/shape.h"
#include "tests/unit/core/rows.h"

namespace tensh {
namespace {

using test::Show;

// The numbers are those of gRPC, which travel on the wire.
TEST(Status, Codes) {
  struct Row {
    Status status;
    const char* want;
  };
  const Row rows[] = {
      {OkStatus(), "ok"},
      {Cancelled("m"), "1: m"},
      {Status(Code::kUnknown, "m"), "2: m"},
      {InvalidArgument("m"), "3: m"},
      {DeadlineExceeded("m"), "4: m"},
      {NotFound("m"), "5: m"},
      {AlreadyExists("m"), "6: m"},
      {Status(Code::kPermissionDenied, "m"), "7: m"},
      {ResourceExhausted("m"), "8: m"},
      {FailedPrecondition("m"), "9: m"},
      {Aborted("m"), "10: m"},
      {OutOfRange("m"), "11: m"},
      {Unimplemented("m"), "12: m"},
      {Internal("m"), "13: m"},
      {Unavailable("m"), "14: m"},
      {DataLoss("m"), "15: m"},
      {Status(Code::kUnauthenticated, "m"), "16: m"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Show(row.status), row.want);
    const Status copy = row.status;  // NOLINT: the copy is the test
    EXPECT_EQ(Show(copy), row.want);
  }
}

TEST(Status, OkHoldsNothing) {
  const Status ok = Status(Code::kOk, "text", "hint");
  EXPECT_TRUE(ok.ok());
  EXPECT_EQ(ok.message(), "");
  EXPECT_EQ(ok.hint(), "");
  EXPECT_EQ(OkStatus().WithHint("h").WithNode("n").node(), "");
  EXPECT_EQ(OkStatus().WithReason(Reason::kNoKernel).reason(), Reason::kNone);
}

TEST(Status, TheInnermostNodeStays) {
  Status s = InvalidArgument("bad").WithHint("first").WithNode("inner").WithNode("outer");
  EXPECT_EQ(s.node(), "inner");
  s = std::move(s).WithHint("second").WithReason(Reason::kNoDevice);
  EXPECT_EQ(s.hint(), "second");
  EXPECT_EQ(Status(s).reason(), Reason::kNoDevice);
  Status copy = s;
  s = OkStatus();
  EXPECT_TRUE(s.ok());
  EXPECT_EQ(copy.node(), "inner");
  EXPECT_EQ(copy.hint(), "second");
  const Status& itself = copy;
  copy = itself;
  EXPECT_EQ(Show(copy), "3: bad");
}

Result<int> Half(int n) {
  if (n % 2) return InvalidArgument(n, " is odd");
  return n / 2;
}
Result<int> Quarter(int n) {
  TENSH_ASSIGN(const int half, Half(n));
  TENSH_ASSIGN(const int quarter, Half(half));
  return quarter;
}
Status IsEighth(int n) {
  TENSH_ASSIGN(const int quarter, Quarter(n));
  TENSH_RETURN_IF_ERROR(Half(quarter).status());
  return {};
}

TEST(Result, TheFirstErrorReturns) {
  struct Row {
    int n;
    const char* want;
  };
  const Row rows[] = {
      {8, "ok"}, {16, "ok"}, {5, "3: 5 is odd"}, {6, "3: 3 is odd"}, {4, "3: 1 is odd"}};
  for (const Row& row : rows) EXPECT_EQ(Show(IsEighth(row.n)), row.want) << row.n;
  EXPECT_EQ(*Quarter(12), 3);
  Result<std::unique_ptr<int>> moved(std::make_unique<int>(7));  // a value that only moves
  EXPECT_EQ(*std::move(moved).operator*(), 7);
}

TEST(StrCat, Pieces) {
  struct Row {
    std::string text;
    const char* want;
  };
  const Row rows[] = {
      {StrCat(), ""},
      {StrCat("a", std::string("b"), std::string_view("c"), 'd'), "abcd"},
      {StrCat(true, ' ', false), "true false"},
      {StrCat(int8_t{-5}, " ", uint8_t{200}), "-5 200"},
      {StrCat(INT64_MIN, " ", UINT64_MAX), "-9223372036854775808 18446744073709551615"},
      {StrCat(0.1, " ", 0.1f, " ", 2.0), "0.1 0.1 2"},
      {StrCat(1e30, " ", -0.0), "1e+30 -0"},
      {StrCat(std::numeric_limits<double>::denorm_min()), "5e-324"},
      {StrCat(std::numeric_limits<float>::infinity()), "inf"},
      {StrCat(Shape({2, -1}), "!"), "[2,?]!"},
  };
  for (const Row& row : rows) EXPECT_EQ(row.text, row.want);
}

TEST(CheckDeathTest, AbortsWithConditionAndMessage) {
  TENSH_CHECK(1 < 2, "never seen");
  const int two = 2;
  EXPECT_DEATH(TENSH_CHECK(two == 3, "two is ", two),
               "internal error: two == 3 at .*status_test.cc:[0-9]+ two is 2");
}

}  // namespace
}  // namespace tensh
