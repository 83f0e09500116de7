// tensh from C++: a graph, two steps, a gradient, and an error.
//
//   c++ -std=c++17 embed.cpp $(pkg-config --cflags --libs tensh) -o embed && ./embed
//
// With a target as argument (./embed grpc://host:port) the steps run on that server.
#include <cstdio>

#include "tensh/tensh.hpp"

int main(int argc, char** argv) {
  tensh::Graph graph;
  const auto x = graph.Placeholder<float>("x");
  const auto y = graph.Op("Mul", {x, graph.Const({1.f, 2.f, 3.f})}).Name("y").Build();
  const auto dx = graph.Gradients({y}, {x})[0];

  tensh::Session session(graph, argc > 1 ? argv[1] : "");
  for (const float v : session.Run<float>(y, {{x, {4.f, 5.f, 6.f}}})) std::printf("%g ", v);
  std::printf("\n");
  for (const auto& tensor : session.Run({"y:0", dx}, {{"x", {1.f, 1.f, 1.f}}}))
    std::printf("%g ", tensor.data<float>()[2]);
  std::printf("\n");

  try {
    graph.Op("MatMul", {x, graph.Const(1.f)}).Name("bad").Build();
  } catch (const tensh::Error& error) {
    std::printf("%s: %s\n", error.node().c_str(), error.what());
  }
  tensh::Status status;  // the same without an exception
  (void)session.Run<float>("nothing", {}, &status);
  std::printf("%s\n", status.message().c_str());
  return status.code() == TSH_NOT_FOUND ? 0 : 1;
}
