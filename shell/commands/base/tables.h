// Plain tables on the terminal. Columns are aligned, and a table is cut to the terminal's width
// with a note about omitted columns.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "shell/client/client.h"
#include "shell/commands/base/command.h"
#include "shell/text/json.h"
#include "shell/text/layout.h"

namespace tensh::shell {

struct TableText {
  std::vector<Column> columns;
  std::vector<GridRow> rows;
  size_t total = 0;  // number of rows if `rows` holds only the first ones; 0 if all are present
  const char* noun = "row";  // "3 more rows"
  std::string see_all = {};  // the command that shows all rows
};

void PrintTable(Shell& shell, const TableText& table);

// Returns "[2,?]", or "[…]" if the rank is unknown.
std::string ShapeText(const ShapeInfo& shape);
// Options for listing the inputs of a node.
struct InputsAs {
  std::string_view within = {};  // the scope whose name is shortened to "…", as in "…/MatMul"
  size_t most = SIZE_MAX;        // maximum number of inputs; the others become "… 5 more"
};
// Returns a node as its canonical line: "add = AddV2(a, x) f32[2] cpu:1".
std::string NodeLine(const GraphHandle& graph, uint32_t node, const InputsAs& as = {});
std::string NodeTypes(const GraphHandle& graph, uint32_t node);
std::string NodeInputs(const GraphHandle& graph, uint32_t node, const InputsAs& as = {});

// Returns the nodes as a JSON list.
std::string NodesJson(const GraphHandle& graph, const std::vector<uint32_t>& nodes);

// Returns the devices of the current session as JSON. Throws RuntimeError if its server does not
// list them.
std::string DevicesText(Shell& shell);
// Returns false if the task of the device, an entry of that list, does not answer: the master then
// reports the incarnation 0.
bool DeviceAnswers(const Json& device);

// At the prompt, prints which other graphs have nodes, because a table shows only the current one.
void NoteOtherGraphs(CommandCall& call);

}  // namespace tensh::shell
