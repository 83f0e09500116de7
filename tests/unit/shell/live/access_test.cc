// Access control of the live page: secrets, fields of cookies and queries, hosts and origins.
#include "shell/live/access.h"

#include <gtest/gtest.h>

#include <set>

namespace tensh::shell::live {
namespace {

TEST(Secrets, AreLongAndDiffer) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string secret = Secret();
    EXPECT_EQ(secret.size(), 64u);
    EXPECT_EQ(secret.find_first_not_of("0123456789abcdef"), secret.npos) << secret;
    EXPECT_TRUE(seen.insert(secret).second);
  }
}

TEST(Secrets, AreCompared) {
  EXPECT_TRUE(Same("abc", "abc"));
  EXPECT_FALSE(Same("abc", "abd"));
  EXPECT_FALSE(Same("abc", "ab"));
  EXPECT_FALSE(Same("ab", "abc"));
  EXPECT_FALSE(Same("", "")) << "before a link was made, no secret is right";
  EXPECT_FALSE(Same("a", ""));
}

TEST(Fields, OfCookiesAndQueries) {
  const struct {
    const char *text, *name, *want;
  } rows[] = {
      {"tensh=abc", "tensh", "abc"},
      {"a=b; tensh=abc", "tensh", "abc"},
      {"a=b;tensh=abc; c=d", "tensh", "abc"},
      {"?token=1&still=2", "token", "1"},
      {"?token=1&still=2", "still", "2"},
      {"?a=1&?token=2", "token", "2"},
      {"xtensh=abc", "tensh", ""},  // another cookie, whose name ends like ours
      {"tenshx=abc", "tensh", ""},
      {"tensh", "tensh", ""},
      {"tensh=", "tensh", ""},
      {"tensh=a=b", "tensh", "a=b"},
      {"tensh=first; tensh=second", "tensh", "first"},
      {"tensh=; tensh=second", "tensh", ""},  // an empty one does not fall back to another
      {"", "tensh", ""},
      {";;&&", "tensh", ""},
  };
  for (const auto& row : rows) EXPECT_EQ(Field(row.text, row.name), row.want) << row.text;
}

TEST(Headers, HostsAndOrigins) {
  const struct {
    const char* text;
    bool host, origin;
  } rows[] = {
      {"127.0.0.1:8080", true, false},
      {"localhost:8080", true, false},
      {"127.0.0.1:8081", false, false},
      {"127.0.0.1", false, false},
      {"example.com:8080", false, false},  // DNS rebinding
      {"127.0.0.1:8080.example.com", false, false},
      {"LOCALHOST:8080", false, false},
      {"", false, true},  // only browsers send an origin
      {"http://127.0.0.1:8080", false, true},
      {"http://localhost:8080", false, true},
      {"https://127.0.0.1:8080", false, false},
      {"http://127.0.0.1:80", false, false},
      {"http://example.com", false, false},
      {"null", false, false},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(HostIsOurs(row.text, 8080), row.host) << row.text;
    EXPECT_EQ(OriginIsOurs(row.text, 8080), row.origin) << row.text;
  }
}

}  // namespace
}  // namespace tensh::shell::live
