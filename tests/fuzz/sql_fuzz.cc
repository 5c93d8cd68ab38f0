#include <cstdint>
#include <string_view>

#include "broker/sql/parser.h"
#include "broker/sql/print.h"
#include "common/base/check.h"

// Any bytes are parsed or refused with code 150 and a message; what is parsed prints.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace trellis;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto statement = sql::Parse(text);
  if (!statement.ok()) {
    TRELLIS_CHECK(statement.status().pinot_code() == PinotCode::kSqlParsing);
    TRELLIS_CHECK(!statement.status().message().empty());
    return 0;
  }
  const sql::Select& select = statement->select;
  TRELLIS_CHECK(!select.items.empty());
  for (const sql::SelectItem& item : select.items) {
    TRELLIS_CHECK(!sql::PrintExpr(item.expr).empty());
    TRELLIS_CHECK(item.expr == sql::Expr(item.expr));
  }
  if (select.where) TRELLIS_CHECK(!sql::PrintPredicate(*select.where).empty());
  TRELLIS_CHECK(!select.limit || *select.limit >= 0);
  TRELLIS_CHECK(!select.offset || *select.offset >= 0);
  return 0;
}
