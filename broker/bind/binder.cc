#include "broker/bind/binder.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "broker/bind/aggregate_binder.h"
#include "broker/bind/expression_binder.h"
#include "broker/bind/filter_binder.h"
#include "broker/bind/result_name.h"
#include "broker/bind/sum_rewrite.h"
#include "broker/sql/print.h"

namespace trellis::broker {
namespace {

// What Pinot answers without a LIMIT.
constexpr int64_t kLimitDefault = 10;

// Puts select expressions where their aliases stand.
void ApplyAliases(sql::Expr& expr, const std::map<std::string, const sql::Expr*>& aliases) {
  if (expr.is_identifier()) {
    const auto found = aliases.find(expr.name);
    if (found != aliases.end()) {
      const sql::Position position = expr.position;
      expr = *found->second;
      expr.position = position;
    }
    return;
  }
  for (sql::Expr& arg : expr.args) ApplyAliases(arg, aliases);
}

class QueryBinder {
 public:
  QueryBinder(sql::Statement statement, const CatalogSnapshot& catalog)
      : select_(std::move(statement.select)), catalog_(catalog) {}

  Result<BoundQuery> Bind(const OptionList& options) {
    TRELLIS_ASSIGN_OR_RETURN(query_.options, ReadOptions(options));
    query_.explain = select_.explain;
    if (select_.table.empty()) return BindLiterals();
    TRELLIS_ASSIGN_OR_RETURN(query_.table, catalog_.FindTable(select_.table));
    schema_ = query_.table->schema.get();
    query_.plan.leaf.table = query_.table->name;
    query_.plan.leaf.null_handling = query_.options.null_handling;
    query_.plan.leaf.groups_max = query_.options.groups_max;
    ExpandStar();
    TRELLIS_RETURN_IF_ERROR(ResolveAliases());
    TRELLIS_RETURN_IF_ERROR(NormalizeAll());
    if (OnlyLiterals()) return BindLiterals();
    TRELLIS_RETURN_IF_ERROR(BindWhere());
    SetLimits();
    TRELLIS_RETURN_IF_ERROR(BindShape());
    return std::move(query_);
  }

 private:
  bool OnlyLiterals() const {
    return std::all_of(select_.items.begin(), select_.items.end(),
                       [](const auto& item) { return item.expr.is_literal(); }) &&
           select_.group_by.empty() && !select_.distinct;
  }

  Result<BoundQuery> BindLiterals() {
    SetLimits();
    for (sql::SelectItem& item : select_.items) {
      if (select_.table.empty()) TRELLIS_RETURN_IF_ERROR(FoldConstants(item.expr));
      if (!item.expr.is_literal()) {
        return Status::Query(PinotCode::kQueryValidation,
                             "a query without FROM may select literals only{}",
                             At(item.expr.position));
      }
      query_.literals.push_back(item.expr.literal);
      query_.plan.reduce.output_names.push_back(item.has_alias ? item.alias
                                                               : LiteralName(item.expr.literal));
      query_.plan.reduce.output_types.push_back(item.expr.literal.value_type());
    }
    query_.table = nullptr;
    return std::move(query_);
  }

  void ExpandStar() {
    std::vector<sql::SelectItem> items;
    for (sql::SelectItem& item : select_.items) {
      if (!item.expr.is_star()) {
        items.push_back(std::move(item));
        continue;
      }
      star_ = true;
      for (const FieldSpec& field : schema_->fields()) {
        if (field.name.starts_with("$")) continue;
        sql::SelectItem column;
        column.expr = sql::Expr::Identifier(field.name, item.expr.position);
        items.push_back(std::move(column));
      }
    }
    select_.items = std::move(items);
  }

  // Aliases and ordinals in GROUP BY, HAVING and ORDER BY become the select expressions they stand
  // for.
  Status ResolveAliases() {
    std::map<std::string, const sql::Expr*> aliases;
    for (const sql::SelectItem& item : select_.items) {
      if (!item.has_alias || (item.expr.is_identifier() && item.expr.name == item.alias)) continue;
      if (!aliases.emplace(item.alias, &item.expr).second) {
        return Status::Query(PinotCode::kSqlParsing, "alias '{}' is given twice{}", item.alias,
                             At(item.expr.position));
      }
    }
    for (sql::Expr& expr : select_.group_by) {
      ApplyAliases(expr, aliases);
      TRELLIS_RETURN_IF_ERROR(ApplyOrdinal(expr, "GROUP BY"));
    }
    if (select_.having) ApplyAliases(*select_.having, aliases);
    for (sql::OrderItem& item : select_.order_by) {
      ApplyAliases(item.expr, aliases);
      TRELLIS_RETURN_IF_ERROR(ApplyOrdinal(item.expr, "ORDER BY"));
    }
    return Status::Ok();
  }

  Status ApplyOrdinal(sql::Expr& expr, const char* clause) const {
    if (!expr.is_literal() || expr.literal.type() != DataType::kInt || expr.literal.is_null())
      return Status::Ok();
    const int32_t ordinal = expr.literal.int32();
    if (ordinal < 1 || static_cast<size_t>(ordinal) > select_.items.size()) {
      return Status::Query(PinotCode::kSqlParsing, "{} {}: there are {} select items{}", clause,
                           ordinal, select_.items.size(), At(expr.position));
    }
    expr = select_.items[static_cast<size_t>(ordinal) - 1].expr;
    return Status::Ok();
  }

  Status NormalizeAll() {
    const Normalizer normalizer(*schema_, query_.table->raw_name, query_.options.null_handling);
    for (sql::SelectItem& item : select_.items) {
      TRELLIS_RETURN_IF_ERROR(normalizer.Normalize(item.expr));
      names_.push_back(item.has_alias ? item.alias : "");
    }
    if (select_.where) TRELLIS_RETURN_IF_ERROR(normalizer.Normalize(*select_.where));
    for (sql::Expr& expr : select_.group_by) TRELLIS_RETURN_IF_ERROR(normalizer.Normalize(expr));
    if (select_.having) TRELLIS_RETURN_IF_ERROR(normalizer.Normalize(*select_.having));
    for (sql::OrderItem& item : select_.order_by)
      TRELLIS_RETURN_IF_ERROR(normalizer.Normalize(item.expr));
    for (sql::SelectItem& item : select_.items) RewriteArithmeticAggregate(item.expr);
    for (size_t i = 0; i < names_.size(); ++i) {
      if (!select_.items[i].has_alias) names_[i] = ResultName(select_.items[i].expr);
    }
    return Status::Ok();
  }

  Result<plan::Expression> BindRow(const sql::Expr& expr) const {
    return BindRowExpression(expr, *schema_);
  }

  Status BindWhere() {
    if (!select_.where) return Status::Ok();
    const FilterBinder binder([this](const sql::Expr& e) { return BindRow(e); }, true);
    TRELLIS_ASSIGN_OR_RETURN(query_.plan.leaf.filter, binder.Bind(*select_.where));
    query_.matches_nothing = query_.plan.leaf.filter.kind == plan::Filter::Kind::kFalse;
    return Status::Ok();
  }

  void SetLimits() {
    plan::ReduceStage& reduce = query_.plan.reduce;
    reduce.limit = select_.limit.value_or(kLimitDefault);
    reduce.offset = select_.offset.value_or(0);
  }

  Status BindShape() {
    const auto aggregates = [](const auto& items) {
      return std::any_of(items.begin(), items.end(),
                         [](const auto& item) { return ContainsAggregate(item.expr); });
    };
    const bool aggregating = aggregates(select_.items) || aggregates(select_.order_by);
    if (select_.distinct) return BindDistinct(aggregating);
    if (aggregating) return BindGroups();
    if (!select_.group_by.empty()) {
      if (select_.having) {
        return Status::Query(PinotCode::kQueryValidation,
                             "HAVING needs an aggregation in SELECT or ORDER BY");
      }
      // Without aggregations GROUP BY over exactly the select list is DISTINCT; otherwise Pinot
      // ignores it.
      if (SameSets()) return BindDistinct(false);
    }
    return BindSelection();
  }

  bool SameSets() const {
    std::set<std::string> selected;
    std::set<std::string> grouped;
    for (const sql::SelectItem& item : select_.items) selected.insert(sql::PrintExpr(item.expr));
    for (const sql::Expr& expr : select_.group_by) grouped.insert(sql::PrintExpr(expr));
    return selected == grouped;
  }

  void AddOutput(plan::Expression expression, size_t item) {
    plan::ReduceStage& reduce = query_.plan.reduce;
    reduce.output_types.push_back(expression.type);
    reduce.output_names.push_back(names_[item]);
    reduce.output.push_back(std::move(expression));
  }

  static plan::SortItem MakeSortItem(plan::Expression expression, const sql::OrderItem& item) {
    // Nulls are larger than everything unless the query says otherwise.
    return {std::move(expression), item.ascending, item.nulls_first.value_or(!item.ascending)};
  }

  Status BindSelection() {
    plan::LeafStage& leaf = query_.plan.leaf;
    plan::ReduceStage& reduce = query_.plan.reduce;
    leaf.shape = plan::QueryShape::kSelection;
    std::vector<const sql::Expr*> sorted;
    for (const sql::OrderItem& item : select_.order_by) {
      const bool repeated =
          std::any_of(sorted.begin(), sorted.end(), [&](const auto* e) { return *e == item.expr; });
      if (repeated || item.expr.is_literal()) continue;  // the first mention decides
      sorted.push_back(&item.expr);
      TRELLIS_ASSIGN_OR_RETURN(plan::Expression expression, BindRow(item.expr));
      if (expression.type.multi_value || IsMapLike(expression.type.type)) {
        return Status::Query(PinotCode::kQueryValidation, "cannot ORDER BY {}, which is {}{}",
                             plan::PrintExpression(expression), ValueTypeName(expression.type),
                             At(item.expr.position));
      }
      reduce.order_by.push_back(MakeSortItem(
          plan::Expression::Column(LeafColumnName(leaf.order_by.size()), expression.type), item));
      leaf.order_by.push_back(MakeSortItem(std::move(expression), item));
    }
    for (size_t i = 0; i < select_.items.size(); ++i) {
      TRELLIS_ASSIGN_OR_RETURN(plan::Expression expression, BindRow(select_.items[i].expr));
      AddOutput(plan::Expression::Column(LeafColumnName(leaf.order_by.size() + i), expression.type),
                i);
      leaf.select.push_back(std::move(expression));
    }
    if (leaf.order_by.empty()) reduce.offset = 0;  // Pinot ignores OFFSET without ORDER BY
    leaf.limit = reduce.limit > std::numeric_limits<int64_t>::max() - reduce.offset
                     ? std::numeric_limits<int64_t>::max()
                     : reduce.limit + reduce.offset;
    if (reduce.limit == 0) leaf.limit = 0;
    return Status::Ok();
  }

  Status BindDistinct(bool aggregating) {
    if (aggregating)
      return Status::Query(PinotCode::kSqlParsing, "DISTINCT with an aggregation is not supported");
    if (select_.distinct && !select_.group_by.empty()) {
      return Status::Query(PinotCode::kSqlParsing, "DISTINCT with GROUP BY is not supported");
    }
    if (star_)
      return Status::Query(PinotCode::kSqlParsing, "DISTINCT * is not supported: name the columns");
    if (select_.limit == 0)
      return Status::Query(PinotCode::kSqlParsing, "DISTINCT with LIMIT 0 is not supported");
    plan::LeafStage& leaf = query_.plan.leaf;
    leaf.shape = plan::QueryShape::kDistinct;
    AggregateBinder binder(*schema_, leaf.null_handling);
    for (const sql::SelectItem& item : select_.items)
      TRELLIS_RETURN_IF_ERROR(binder.AddKey(item.expr));
    for (size_t i = 0; i < select_.items.size(); ++i) {
      TRELLIS_ASSIGN_OR_RETURN(plan::Expression expression, binder.Bind(select_.items[i].expr));
      AddOutput(std::move(expression), i);
    }
    for (const sql::OrderItem& item : select_.order_by) {
      if (std::find(binder.key_trees().begin(), binder.key_trees().end(), item.expr) ==
          binder.key_trees().end()) {
        return Status::Query(PinotCode::kSqlParsing,
                             "ORDER BY of a DISTINCT needs a selected expression{}",
                             At(item.expr.position));
      }
      TRELLIS_ASSIGN_OR_RETURN(plan::Expression expression, binder.Bind(item.expr));
      query_.plan.reduce.order_by.push_back(MakeSortItem(expression, item));
      leaf.order_by.push_back(MakeSortItem(std::move(expression), item));
    }
    leaf.keys = std::move(binder.keys());
    leaf.limit = query_.plan.reduce.limit;
    query_.plan.reduce.offset = 0;
    return Status::Ok();
  }

  Status BindGroups() {
    plan::LeafStage& leaf = query_.plan.leaf;
    plan::ReduceStage& reduce = query_.plan.reduce;
    leaf.shape =
        select_.group_by.empty() ? plan::QueryShape::kAggregate : plan::QueryShape::kGroupBy;
    if (star_) return Status::Query(PinotCode::kSqlParsing, "'*' beside an aggregation");
    AggregateBinder binder(*schema_, leaf.null_handling);
    for (const sql::Expr& expr : select_.group_by) TRELLIS_RETURN_IF_ERROR(binder.AddKey(expr));
    for (size_t i = 0; i < select_.items.size(); ++i) {
      TRELLIS_ASSIGN_OR_RETURN(plan::Expression expression, binder.Bind(select_.items[i].expr));
      AddOutput(std::move(expression), i);
    }
    // Pinot ignores HAVING without GROUP BY.
    if (select_.having && leaf.shape == plan::QueryShape::kGroupBy) {
      const FilterBinder having([&](const sql::Expr& e) { return binder.Bind(e); }, false);
      TRELLIS_ASSIGN_OR_RETURN(reduce.having, having.Bind(*select_.having));
    }
    for (const sql::OrderItem& item : select_.order_by) {
      TRELLIS_ASSIGN_OR_RETURN(plan::Expression expression, binder.Bind(item.expr));
      reduce.order_by.push_back(MakeSortItem(std::move(expression), item));
    }
    leaf.keys = std::move(binder.keys());
    leaf.aggregates = std::move(binder.calls());
    reduce.offset = 0;  // Pinot ignores OFFSET here
    return Status::Ok();
  }

  sql::Select select_;
  const CatalogSnapshot& catalog_;
  const Schema* schema_ = nullptr;
  BoundQuery query_;
  bool star_ = false;
  std::vector<std::string> names_;
};

}  // namespace

Result<BoundQuery> Bind(sql::Statement statement, const CatalogSnapshot& catalog,
                        const OptionList& request_options) {
  OptionList options = statement.options;
  options.insert(options.end(), request_options.begin(), request_options.end());
  return QueryBinder(std::move(statement), catalog).Bind(options);
}

}  // namespace trellis::broker
