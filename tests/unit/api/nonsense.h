#pragma once
// A graph and a session for tests that call functions of the public headers with arguments that make
// no sense.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "tensh/tensh.h"

namespace tensh::api {

inline const char* const kNullText = nullptr;

struct StatusFree {
  void operator()(tsh_status* s) const { tsh_status_free(s); }
};

// A graph "x: Placeholder; y = Neg(x)" with a session, for calls that need one valid handle.
class Nonsense : public testing::Test {
 protected:
  Nonsense() {
    tsh_attr type{};
    type.name = "dtype";
    type.kind = TSH_ATTR_TYPE;
    type.i = TSH_FLOAT;
    const tsh_output x{0, 0};
    tsh_node_spec specs[2];
    specs[0] = tsh_node_spec{};
    specs[0].op = "Placeholder";
    specs[0].name = "x";
    specs[0].attrs = &type;
    specs[0].n_attrs = 1;
    specs[1] = tsh_node_spec{};
    specs[1].op = "Neg";
    specs[1].name = "y";
    specs[1].inputs = &x;
    specs[1].n_inputs = 1;
    tsh_node first = TSH_NO_NODE;
    EXPECT_TRUE(tsh_graph_add(g_, specs, 2, &first, s())) << Message();
    session_ = tsh_session_new(g_, nullptr, nullptr, s());
  }
  ~Nonsense() override {
    tsh_tensor_unref(one_);
    tsh_session_unref(session_);
    tsh_graph_unref(g_);
  }
  tsh_status* s() { return status_.get(); }
  std::string Message() { return tsh_status_message(status_.get()); }

  // The call fails with this code, and does so without a status too.
  void Fails(int code, const char* what, const std::function<bool(tsh_status*)>& call) {
    EXPECT_FALSE(call(nullptr)) << what;
    EXPECT_FALSE(call(s())) << what;
    EXPECT_EQ(tsh_status_code(s()), code) << what << ": " << Message();
    EXPECT_NE(Message(), "") << what;
  }

  std::unique_ptr<tsh_status, StatusFree> status_{tsh_status_new()};
  tsh_graph* g_ = tsh_graph_new();
  tsh_session* session_ = nullptr;
  tsh_tensor* one_ = tsh_tensor_new(TSH_FLOAT, nullptr, 0, nullptr);
  size_t n_ = 0;
  tsh_node node_ = 0;
  tsh_output out_{};
  tsh_tensor* fetched_ = nullptr;
  char* text_ = nullptr;
};

#define FAILS(code, call) \
  Fails(code, #call, [&](tsh_status* st) { return static_cast<bool>(call); })

}  // namespace tensh::api
