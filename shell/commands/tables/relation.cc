#include "shell/commands/tables/relation.h"

#include "shell/commands/base/shell.h"
#include "shell/session/graphs.h"

namespace tensh::shell {

const char* SqlTypeName(RelationColumn::Type type) {
  switch (type) {
    case RelationColumn::Type::kText:
      return "TEXT";
    case RelationColumn::Type::kInteger:
    case RelationColumn::Type::kBytes:
    case RelationColumn::Type::kNs:
      return "INTEGER";
    case RelationColumn::Type::kReal:
      return "REAL";
    case RelationColumn::Type::kBool:
      return "BOOLEAN";
    case RelationColumn::Type::kAny:
      break;
  }
  return "";
}
namespace {

class StoredCursor : public RowCursor {
 public:
  explicit StoredCursor(std::shared_ptr<const std::vector<Row>> rows) : rows_(std::move(rows)) {}
  bool Next() override { return ++at_ < rows_->size(); }
  Cell At(size_t column) const override { return (*rows_)[at_][column]; }
  uint64_t position() const override { return at_; }
  void Restore(uint64_t position) override { at_ = static_cast<size_t>(position); }

 private:
  std::shared_ptr<const std::vector<Row>> rows_;
  size_t at_ = SIZE_MAX;  // so that the first Next() moves to row 0
};

constexpr const ShellTable* kTables[] = {
    &kNodesTable,  &kEdgesTable,   &kAttrsTable,     &kOpsTable,     &kVarsTable,
    &kStepsTable,  &kEventsTable,  &kTransfersTable, &kDevicesTable, &kSessionsTable,
    &kGraphsTable, &kHistoryTable, &kCellsTable};

}  // namespace

std::function<std::unique_ptr<RowCursor>()> StoredRows(std::function<std::vector<Row>()> fill) {
  return [fill = std::move(fill), rows = std::shared_ptr<const std::vector<Row>>()]() mutable {
    if (rows == nullptr) rows = std::make_shared<const std::vector<Row>>(fill());
    return std::make_unique<StoredCursor>(rows);
  };
}

Relation ShellTable::In(Shell& shell) const {
  Relation relation{name, {columns.begin(), columns.end()}, opener(shell)};
  for (const int key : keys)
    if (key >= 0) relation.keys.push_back(static_cast<size_t>(key));
  if (of_graph && HasGraph()) relation.rows = shell.versions().Visible(CurrentGraph()) + 1;
  return relation;
}

std::span<const ShellTable* const> ShellTables() { return kTables; }

const ShellTable* FindTable(std::string_view name) {
  for (const ShellTable* table : kTables)
    if (name == table->name) return table;
  return nullptr;
}

}  // namespace tensh::shell
