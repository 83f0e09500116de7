// The live page's server on 127.0.0.1: requests as text, and the status and body of the responses.
#include "shell/live/server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

namespace tensh::shell::live {
namespace {

// Sends bytes to the server and returns everything that it sends until it closes the connection.
std::string Exchange(uint16_t port, const std::string& bytes) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  std::string got;
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
      send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size())) {
    char buffer[4096];
    for (ssize_t n; (n = recv(fd, buffer, sizeof buffer, 0)) > 0;)
      got.append(buffer, static_cast<size_t>(n));
  }
  close(fd);
  return got;
}

// Returns the number of a response's status, or "none".
std::string StatusOf(const std::string& response) {
  return response.rfind("HTTP/1.1 ", 0) == 0 ? response.substr(9, 3) : "none";
}

std::string BodyOf(const std::string& response) {
  const size_t at = response.find("\r\n\r\n");
  return at == response.npos ? "" : response.substr(at + 4);
}

class LiveServer : public testing::Test {
 protected:
  LiveServer() {
    std::string error;
    port_ = Start(0, &error);
    EXPECT_NE(port_, 0) << error;
    host_ = "Host: 127.0.0.1:" + std::to_string(port_) + "\r\n";
  }
  ~LiveServer() override { Stop(); }

  std::string Get(const std::string& target, const std::string& headers) {
    return Exchange(port_,
                    "GET " + target + " HTTP/1.1\r\nConnection: close\r\n" + headers + "\r\n");
  }
  // Opens a new link, and returns the header with the cookie that the browser receives.
  std::string Cookie() {
    const std::string link = NewLink();
    const std::string response = Get(link.substr(link.find("/?")), host_);
    const size_t at = response.find("Set-Cookie: ") + 12;
    return "Cookie: " + response.substr(at, response.find(';', at) - at) + "\r\n";
  }

  uint16_t port_ = 0;
  std::string host_;
};

TEST_F(LiveServer, ALinkWorksOnce) {
  EXPECT_TRUE(On());
  const std::string link = NewLink();
  EXPECT_EQ(link.find("http://127.0.0.1:" + std::to_string(port_) + "/?token="), 0u);
  const std::string target = link.substr(link.find("/?"));
  const std::string first = Get(target, host_);
  EXPECT_EQ(StatusOf(first), "303");
  EXPECT_NE(first.find("Location: /\r\n"), first.npos) << "the token must not stay in the address";
  EXPECT_NE(first.find("; HttpOnly; SameSite=Strict; Path=/"), first.npos) << first;
  const std::string again = Get(target, host_);
  EXPECT_EQ(StatusOf(again), "403");
  EXPECT_EQ(BodyOf(again),
            "this link was already used, or belongs to another session; type: view\n");
  const std::string still = NewLink();
  EXPECT_NE(Get(still.substr(still.find("/?")) + "&still=1", host_).find("Location: /?still=1\r\n"),
            std::string::npos);
}

TEST_F(LiveServer, ANewLinkEndsTheEarlierOne) {
  const std::string old = NewLink();
  NewLink();
  EXPECT_EQ(StatusOf(Get(old.substr(old.find("/?")), host_)), "403");
}

TEST_F(LiveServer, Pages) {
  const std::string cookie = Cookie();
  Publish("{\"a\":1}", [](const std::string&) { return std::string(); });
  const struct {
    const char *target, *status, *contains;
  } rows[] = {
      {"/", "200", "<title>tensh</title>"},      {"/?still=1", "200", "<title>tensh</title>"},
      {"/live.js", "200", "'use strict'"},       {"/state", "200", ",\"state\":{\"a\":1}}"},
      {"/ws", "426", "/ws is a WebSocket"},      {"/nothing", "404", "no such page"},
      {"/../etc/passwd", "404", "no such page"}, {"//", "404", "no such page"},
  };
  for (const auto& row : rows) {
    const std::string response = Get(row.target, host_ + cookie);
    EXPECT_EQ(StatusOf(response), row.status) << row.target;
    EXPECT_NE(BodyOf(response).find(row.contains), std::string::npos) << row.target;
    EXPECT_NE(response.find("Cache-Control: no-store\r\n"), std::string::npos) << row.target;
    EXPECT_NE(response.find("default-src 'none'"), std::string::npos) << row.target;
  }
}

TEST_F(LiveServer, RefusesStrangers) {
  const std::string cookie = Cookie(), port = std::to_string(port_);
  const struct {
    const char* what;
    std::string headers;
    const char *status, *body;
  } rows[] = {
      {"no cookie", host_, "403", "open the link that `view` printed\n"},
      {"a wrong cookie", host_ + "Cookie: tensh=0\r\n", "403",
       "open the link that `view` printed\n"},
      {"no host", cookie, "403", "this server only accepts requests for 127.0.0.1\n"},
      {"a foreign host", "Host: example.com\r\n" + cookie, "403",
       "this server only accepts requests for 127.0.0.1\n"},
      {"a foreign origin", host_ + cookie + "Origin: http://example.com\r\n", "403",
       "requests from other pages are refused\n"},
      {"our origin", host_ + cookie + "Origin: http://localhost:" + port + "\r\n", "200", nullptr},
  };
  for (const auto& row : rows) {
    const std::string response = Get("/state", row.headers);
    EXPECT_EQ(StatusOf(response), row.status) << row.what;
    if (row.body) {
      EXPECT_EQ(BodyOf(response), row.body) << row.what;
    }
  }
  const std::string upgrade =
      "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  const std::string socket =
      Exchange(port_, "GET /ws HTTP/1.1\r\nConnection: Upgrade\r\n" + host_ + cookie + upgrade +
                          "\r\nGET / HTTP/1.1\r\nConnection: close\r\n" + host_ + "\r\n");
  EXPECT_EQ(StatusOf(socket), "403");
  EXPECT_NE(socket.find("a WebSocket needs an Origin\n"), socket.npos);
}

TEST_F(LiveServer, MethodsAndBytesThatAreNoRequest) {
  const std::string cookie = Cookie();
  for (const char* method : {"POST", "HEAD", "DELETE", "OPTIONS"}) {
    EXPECT_EQ(
        StatusOf(Exchange(port_, std::string(method) + " / HTTP/1.1\r\nConnection: close\r\n" +
                                     host_ + cookie + "\r\n")),
        "405")
        << method;
  }
  // A malformed or oversized request gets no response, and the server continues.
  EXPECT_EQ(Exchange(port_, "nonsense\r\n\r\n"), "");
  EXPECT_EQ(Exchange(port_, "GET / HTTP/9.9\r\n\r\n"), "");
  EXPECT_EQ(
      Exchange(port_, "GET / HTTP/1.1\r\nContent-Length: 5000\r\n\r\n" + std::string(5000, 'x')),
      "");
  EXPECT_EQ(StatusOf(Get("/", host_ + cookie)), "200");
}

TEST_F(LiveServer, VersionsCountUp) {
  const std::string cookie = Cookie();
  const auto version = [&] {
    const std::string body = BodyOf(Get("/state", host_ + cookie));
    return std::stoll(body.substr(body.find(':') + 1));
  };
  const int64_t before = version();
  Publish("{}", nullptr);
  Publish("{}", nullptr);
  EXPECT_EQ(version(), before + 2);
}

TEST(LiveServerStates, StopAndStartAgain) {
  std::string error;
  EXPECT_FALSE(On());
  Stop();  // No effect.
  const uint16_t port = Start(0, &error);
  ASSERT_NE(port, 0) << error;
  EXPECT_EQ(Start(0, &error), port) << "a running server keeps its port";
  Stop();
  EXPECT_FALSE(On());
  const uint16_t next = Start(0, &error);
  EXPECT_NE(next, 0) << error;
  Stop();
}

}  // namespace
}  // namespace tensh::shell::live
