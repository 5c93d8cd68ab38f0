#include "common/table_config/buildable_schema.h"

#include <nlohmann/json.hpp>

#include "common/base/nearest_name.h"
#include "common/table_config/config_reader.h"

namespace trellis::table_config {
namespace {

using Json = nlohmann::json;
using Names = std::vector<std::string>;

constexpr std::string_view kSubject = "schema";

bool IsMetricNumber(DataType type) {
  return type == DataType::kInt || type == DataType::kLong || type == DataType::kFloat ||
         type == DataType::kDouble || type == DataType::kBigDecimal;
}

// What is not asked for here, because ParseSchemaFile reads it.
const Names& ParsedKeys() {
  static const Names keys = {"name",
                             "dataType",
                             "defaultNullValue",
                             "defaultNullValueString",
                             "maxLength",
                             "maxLengthExceedStrategy",
                             "description"};
  return keys;
}

class Checker {
 public:
  explicit Checker(BuildableSchema& schema) : schema_(schema) {}

  Status CheckRoot(const Json& root) {
    ConfigReader reader(root, "", &schema_.warnings, kSubject);
    TRELLIS_RETURN_IF_ERROR(reader.Text("schemaName").status());
    TRELLIS_ASSIGN_OR_RETURN(const auto by_column, reader.Flag("enableColumnBasedNullHandling"));
    schema_.file.column_based_null_handling = by_column.value_or(false);
    TRELLIS_ASSIGN_OR_RETURN(const Names primary, reader.Names("primaryKeyColumns"));
    for (const std::string& column : primary) {
      const FieldSpec* field = schema_.file.schema.Find(column);
      if (field == nullptr || field->name != column)
        return Status::InvalidArgument("schema: primaryKeyColumns: no column is called '{}'",
                                       column);
    }
    for (const char* list :
         {"dimensionFieldSpecs", "metricFieldSpecs", "dateTimeFieldSpecs", "complexFieldSpecs"}) {
      TRELLIS_ASSIGN_OR_RETURN(const Json* fields, reader.List(list));
      if (fields == nullptr) continue;
      for (const Json& field : *fields) TRELLIS_RETURN_IF_ERROR(CheckField(field, list));
    }
    TRELLIS_ASSIGN_OR_RETURN(const Json* time, reader.Object("timeFieldSpec"));
    if (time != nullptr) TRELLIS_RETURN_IF_ERROR(CheckTime(*time));
    reader.WarnOfUnknown(Names{"description", "tags"});
    return {};
  }

 private:
  Status CheckField(const Json& json, const std::string& list) {
    const auto name = json["name"].get<std::string>();
    const FieldSpec& field = *schema_.file.schema.Find(name);
    ConfigReader reader(json, list + "[" + name + "]", &schema_.warnings, kSubject);
    TRELLIS_RETURN_IF_ERROR(CheckCommonKeys(reader, name));
    TRELLIS_RETURN_IF_ERROR(CheckDefault(reader, json, field));
    if (field.role == FieldRole::kMetric) TRELLIS_RETURN_IF_ERROR(CheckMetric(reader, field));
    if (field.role == FieldRole::kDateTime) TRELLIS_RETURN_IF_ERROR(CheckDateTime(reader, field));
    if (field.type == DataType::kJson && field.multi_value)
      return Status::InvalidArgument("schema: {}: a JSON column has one value a row",
                                     reader.PathOf("singleValueField"));
    if (field.role == FieldRole::kComplex)
      TRELLIS_RETURN_IF_ERROR(reader.Object("childFieldSpecs").status());
    reader.WarnOfUnknown(ParsedKeys());
    return {};
  }

  Status CheckCommonKeys(ConfigReader& reader, const std::string& name) {
    TRELLIS_RETURN_IF_ERROR(reader.Flag("singleValueField").status());
    TRELLIS_RETURN_IF_ERROR(reader.Text("fieldType").status());
    TRELLIS_RETURN_IF_ERROR(reader.Flag("nullable").status());
    TRELLIS_ASSIGN_OR_RETURN(const auto not_null, reader.Flag("notNull"));
    if (not_null.value_or(false)) schema_.not_null.insert(name);
    TRELLIS_RETURN_IF_ERROR(reader.Flag("allowTrailingZeros").status());
    reader.WarnIfAsked("allowTrailingZeros", "is not heeded: trailing zeros are not kept");
    for (const char* key : {"transformFunction", "virtualColumnProvider"}) {
      TRELLIS_ASSIGN_OR_RETURN(const auto text, reader.Text(key));
      if (text && !text->empty())
        return Status::Unimplemented(
            "schema: {}: is not applied by Trellis, and the column would hold other values than "
            "Pinot's",
            reader.PathOf(key));
    }
    return {};
  }

  static Status CheckDefault(const ConfigReader& reader, const Json& json, const FieldSpec& field) {
    const std::string path = reader.PathOf("defaultNullValue");
    const auto given = json.find("defaultNullValue");
    if (given == json.end() || given->is_null()) return {};
    if (IsMapLike(field.type)) {
      const bool none = *given == Json::object() || *given == Json("{}") || *given == Json("");
      if (none) return {};
      return Status::Unimplemented("schema: {}: a MAP without a value is empty", path);
    }
    if (field.type != DataType::kString && field.type != DataType::kJson) return {};
    const std::string& text = field.default_null.bytes();
    if (text.find('\0') != text.npos)
      return Status::InvalidArgument("schema: {}: holds a NUL", path);
    return {};
  }

  static Status CheckMetric(const ConfigReader& reader, const FieldSpec& field) {
    if (field.multi_value)
      return Status::InvalidArgument("schema: {}: a metric has one value a row",
                                     reader.PathOf("singleValueField"));
    if (IsMetricNumber(field.type) || field.type == DataType::kBytes) return {};
    return Status::InvalidArgument("schema: {}: a metric is a number or BYTES, not {}",
                                   reader.PathOf("dataType"), DataTypeName(field.type));
  }

  static Status CheckDateTime(ConfigReader& reader, const FieldSpec& field) {
    if (field.multi_value)
      return Status::InvalidArgument("schema: {}: a date-time column has one value a row",
                                     reader.PathOf("singleValueField"));
    for (const char* key : {"format", "granularity"}) {
      TRELLIS_ASSIGN_OR_RETURN(const auto text, reader.Text(key));
      if (!text || text->empty())
        return Status::InvalidArgument("schema: {}: a date-time column needs one",
                                       reader.PathOf(key));
    }
    TRELLIS_RETURN_IF_ERROR(reader.Text("sampleValue").status());
    return {};
  }

  // One side of a legacy time field, in one form whatever is left to its defaults.
  Result<Names> Granularity(const Json& json, const std::string& path) {
    ConfigReader reader(json, path, &schema_.warnings, kSubject);
    Names parts;
    for (const char* key : {"name", "dataType", "timeType"}) {
      TRELLIS_ASSIGN_OR_RETURN(const auto text, reader.Text(key));
      parts.push_back(text.value_or(""));
    }
    TRELLIS_ASSIGN_OR_RETURN(const auto size, reader.Integer("timeUnitSize"));
    TRELLIS_ASSIGN_OR_RETURN(const auto old_size, reader.Integer("timeunitSize"));
    parts.push_back(std::to_string(size.value_or(old_size.value_or(1))));
    TRELLIS_ASSIGN_OR_RETURN(const auto form, reader.Text("timeFormat"));
    parts.push_back(form.value_or("EPOCH"));
    reader.WarnOfUnknown({});
    return parts;
  }

  Status CheckTime(const Json& json) {
    ConfigReader reader(json, "timeFieldSpec", &schema_.warnings, kSubject);
    TRELLIS_ASSIGN_OR_RETURN(const Json* incoming, reader.Object("incomingGranularitySpec"));
    TRELLIS_ASSIGN_OR_RETURN(const Json* outgoing, reader.Object("outgoingGranularitySpec"));
    Names in, out;
    if (incoming != nullptr) {
      TRELLIS_ASSIGN_OR_RETURN(in,
                               Granularity(*incoming, reader.PathOf("incomingGranularitySpec")));
    }
    if (outgoing != nullptr) {
      TRELLIS_ASSIGN_OR_RETURN(out,
                               Granularity(*outgoing, reader.PathOf("outgoingGranularitySpec")));
    }
    if (incoming != nullptr && outgoing != nullptr && in != out) {
      return Status::Unimplemented(
          "schema: {}: differs from incomingGranularitySpec, and Trellis converts no times",
          reader.PathOf("outgoingGranularitySpec"));
    }
    const std::string name = outgoing != nullptr ? out.at(0) : in.at(0);
    TRELLIS_RETURN_IF_ERROR(CheckCommonKeys(reader, name));
    reader.WarnOfUnknown(ParsedKeys());
    return {};
  }

  BuildableSchema& schema_;
};

}  // namespace

Result<BuildableSchema> ParseBuildableSchema(std::string_view json_text) {
  BuildableSchema schema;
  TRELLIS_ASSIGN_OR_RETURN(schema.file, ParseSchemaFile(json_text));
  const Json root = Json::parse(json_text, nullptr, /*allow_exceptions=*/false);
  TRELLIS_RETURN_IF_ERROR(Checker(schema).CheckRoot(root));
  return schema;
}

}  // namespace trellis::table_config
