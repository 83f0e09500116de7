// Rows of text as a table on the terminal: aligned, cut to its width with a note of what was left
// out.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "shell/commands/command.h"
#include "shell/explain/layout.h"

namespace tensh::shell {

struct TableText {
  std::vector<Column> columns;
  std::vector<GridRow> rows;
  size_t total = 0;          // of rows, when `rows` holds only the first; 0: all are there
  const char* noun = "row";  // "3 more rows"
  std::string see_all = {};  // the command that shows all
};

void PrintTable(Shell& shell, const TableText& table);

// A node as its canonical line: "add = AddV2(a, x) f32[2] /cpu:1".
std::string NodeLine(const class GraphHandle& graph, uint32_t node);
std::string NodeTypes(const class GraphHandle& graph, uint32_t node);
std::string NodeInputs(const class GraphHandle& graph, uint32_t node);

// The nodes as a JSON list.
std::string NodesJson(const class GraphHandle& graph, const std::vector<uint32_t>& nodes);

}  // namespace tensh::shell
