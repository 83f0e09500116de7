// Loading libraries of the system: one that every machine has, and one that does not exist.
#include "runtime/base/shared_library.h"

#include <gtest/gtest.h>

namespace tensh {
namespace {

TEST(SharedLibrary, FindsFunctions) {
  SharedLibrary library({"libm.so.6", "libc6"});
  ASSERT_TRUE(library.loaded()) << library.error();
  EXPECT_TRUE(library.complete());
  double (*cosine)(double) = nullptr;
  library.Find("cos", &cosine);
  ASSERT_TRUE(library.complete());
  EXPECT_EQ(cosine(0), 1);
  EXPECT_EQ(library.Address("cos"), reinterpret_cast<void*>(cosine));
}

TEST(SharedLibrary, IsIncompleteWithoutAFunction) {
  SharedLibrary library({"libm.so.6", "libc6"});
  void (*missing)() = &std::abort;
  library.Find("tensh_no_such_function", &missing);
  EXPECT_EQ(missing, nullptr);
  EXPECT_TRUE(library.loaded());
  EXPECT_FALSE(library.complete());
}

TEST(SharedLibrary, SaysWhyItIsMissing) {
  constexpr SystemLibrary kNone = {"libtensh_none.so.9", "libtensh-none9"};
  SharedLibrary library(kNone);
  EXPECT_FALSE(library.loaded());
  EXPECT_FALSE(library.complete());
  EXPECT_NE(library.error().find("libtensh_none.so.9"), std::string::npos) << library.error();
  void (*missing)() = nullptr;
  library.Find("cos", &missing);
  EXPECT_EQ(missing, nullptr);
  EXPECT_EQ(NotInstalled(kNone),
            "libtensh_none.so.9 is not installed: apt-get install libtensh-none9");
}

}  // namespace
}  // namespace tensh
