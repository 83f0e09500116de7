#include "shell/commands/tables/row_values.h"

#include "runtime/base/utf8.h"
#include "shell/python/values/containers.h"
#include "shell/python/values/native.h"
#include "shell/python/vm/library.h"

namespace tensh::shell {
namespace {

Value CellValue(const Cell& cell) {
  switch (cell.kind) {
    case Cell::Kind::kText:  // SQL blobs have this kind too
      return FindInvalidUtf8(cell.text) == std::string_view::npos ? MakeStr(cell.text)
                                                                  : MakeBytes(cell.text);
    case Cell::Kind::kNumber:
      return Value::Int(cell.number);
    case Cell::Kind::kReal:
      return Value::Float(cell.real);
    case Cell::Kind::kBool:
      return Value::Bool(cell.number != 0);
    case Cell::Kind::kNone:
      break;
  }
  return Value::None();
}

}  // namespace

Value RowsValue(const std::vector<DataColumn>& columns, const std::vector<Row>& rows) {
  std::vector<Value> names, tuples;
  for (const DataColumn& column : columns) names.push_back(MakeStr(column.name));
  tuples.reserve(rows.size());
  for (const Row& row : rows) {
    std::vector<Value> cells;
    cells.reserve(row.size());
    for (const Cell& cell : row) cells.push_back(CellValue(cell));
    tuples.push_back(MakeTuple(std::move(cells)));
  }
  return Call(FromLibrary("rows", Intern("Rows")),
              {MakeTuple(std::move(names)), MakeList(std::move(tuples))});
}

}  // namespace tensh::shell
