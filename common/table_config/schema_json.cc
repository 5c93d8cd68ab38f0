#include "common/table_config/schema_json.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "common/base/nearest_name.h"
#include "common/table_config/stored_text.h"

namespace trellis::table_config {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

struct SpecList {
  const char* key;
  FieldRole role;
  const char* role_name;
};
constexpr SpecList kSpecLists[] = {
    {"dimensionFieldSpecs", FieldRole::kDimension, "DIMENSION"},
    {"metricFieldSpecs", FieldRole::kMetric, "METRIC"},
    {"dateTimeFieldSpecs", FieldRole::kDateTime, "DATE_TIME"},
    {"complexFieldSpecs", FieldRole::kComplex, "COMPLEX"},
};

// The text of a JSON scalar: strings bare, everything else as written.
std::string ScalarText(const Json& json) {
  return json.is_string() ? json.get<std::string>() : json.dump();
}

std::string TextAt(const Json& object, const char* key, std::string fallback = "") {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() || found->is_structured() ? fallback
                                                                             : ScalarText(*found);
}

Result<DataType> TypeAt(const Json& object, const std::string& column) {
  const std::string text = TextAt(object, "dataType");
  const auto type = ParseDataType(text);
  if (!type || *type == DataType::kUnknown) {
    return Status::InvalidArgument("schema: column '{}' has dataType '{}'", column, text);
  }
  return *type;
}

Result<Value> DefaultAt(const Json& object, const FieldSpec& field) {
  const auto found = object.find("defaultNullValue");
  if (found == object.end() || found->is_null() || IsMapLike(field.type)) {
    return DefaultNullValue(field.type, field.role == FieldRole::kMetric);
  }
  auto value = ParseStoredText(ScalarText(*found), field.type);
  if (!value.ok())
    return value.status().WithContext("schema: column '" + field.name + "': defaultNullValue");
  return value;
}

// The types below a MAP or OPEN_STRUCT: of its `value` child, or of each key that it declares.
Status ParseChildren(const Json& object, FieldSpec& field) {
  const auto children = object.find("childFieldSpecs");
  if (children == object.end() || !children->is_object()) return {};
  for (const auto& [name, child] : children->items()) {
    if (!child.is_object() || (field.type == DataType::kMap && name != "value")) continue;
    TRELLIS_ASSIGN_OR_RETURN(const DataType type, TypeAt(child, field.name + "." + name));
    if (field.type == DataType::kMap) field.map_value_type = type;
    if (field.type == DataType::kOpenStruct) field.struct_keys.push_back({name, type});
  }
  return {};
}

struct ExceedName {
  LengthExceed exceed;
  const char* name;
};
constexpr ExceedName kExceedNames[] = {
    {LengthExceed::kError, "ERROR"},
    {LengthExceed::kTrimLength, "TRIM_LENGTH"},
    {LengthExceed::kSubstituteDefaultValue, "SUBSTITUTE_DEFAULT_VALUE"},
    {LengthExceed::kNoAction, "NO_ACTION"},
};

Status ParseLength(const Json& object, FieldSpec& field) {
  const auto length = object.find("maxLength");
  if (length != object.end() && !length->is_null()) {
    if (!length->is_number_integer() || length->get<int64_t>() < 1 ||
        length->get<int64_t>() > std::numeric_limits<int32_t>::max()) {
      return Status::InvalidArgument("schema: column '{}' has maxLength {}", field.name,
                                     length->dump());
    }
    field.max_length = length->get<int32_t>();
  }
  const std::string text = TextAt(object, "maxLengthExceedStrategy");
  if (text.empty()) return {};
  for (const ExceedName& known : kExceedNames) {
    if (text == known.name) field.length_exceed = known.exceed;
  }
  if (field.length_exceed == LengthExceed::kUnsaid) {
    return Status::InvalidArgument("schema: column '{}' has maxLengthExceedStrategy '{}'",
                                   field.name, text);
  }
  return {};
}

Result<FieldSpec> ParseField(const Json& object, FieldRole role) {
  FieldSpec field;
  field.name = object.is_object() ? TextAt(object, "name") : "";
  if (field.name.empty()) return Status::InvalidArgument("schema: a field spec has no name");
  field.role = role;
  TRELLIS_ASSIGN_OR_RETURN(field.type, TypeAt(object, field.name));
  // A flag may be text, as Jackson takes it.
  field.multi_value = EqualsIgnoreCase(TextAt(object, "singleValueField"), "false");
  TRELLIS_ASSIGN_OR_RETURN(field.default_null, DefaultAt(object, field));
  TRELLIS_RETURN_IF_ERROR(ParseLength(object, field));
  if (role == FieldRole::kDateTime) {
    field.datetime_format = TextAt(object, "format");
    field.datetime_granularity = TextAt(object, "granularity");
  }
  if (IsMapLike(field.type)) TRELLIS_RETURN_IF_ERROR(ParseChildren(object, field));
  return field;
}

// The column of a legacy `timeFieldSpec`: its outgoing granularity, else the incoming one.
Result<FieldSpec> ParseTimeField(const Json& spec) {
  const Json none;
  const auto at = [&](const char* key) -> const Json& {
    const auto found = spec.is_object() ? spec.find(key) : spec.end();
    return found == spec.end() || !found->is_object() ? none : *found;
  };
  const Json& outgoing = at("outgoingGranularitySpec");
  const Json& granularity = outgoing.is_object() ? outgoing : at("incomingGranularitySpec");
  if (!granularity.is_object())
    return Status::InvalidArgument("schema: timeFieldSpec without a granularity spec");
  TRELLIS_ASSIGN_OR_RETURN(FieldSpec field, ParseField(granularity, FieldRole::kDateTime));
  const std::string unit =
      TextAt(granularity, "timeUnitSize", "1") + ":" + TextAt(granularity, "timeType");
  field.datetime_format = unit + ":" + TextAt(granularity, "timeFormat", "EPOCH");
  field.datetime_granularity = unit;
  field.legacy_time = true;
  const auto given = spec.find("defaultNullValue");
  if (given != spec.end()) {
    TRELLIS_ASSIGN_OR_RETURN(field.default_null, DefaultAt(spec, field));
  }
  return field;
}

Status AddField(Result<FieldSpec> field, std::set<std::string>& names,
                std::vector<FieldSpec>& fields) {
  if (!field.ok()) return field.status();
  if (!names.insert(field->name).second) {
    return Status::InvalidArgument("schema: column '{}' is listed twice", field->name);
  }
  fields.push_back(std::move(field).value());
  return {};
}

OrderedJson FieldToJson(const FieldSpec& field, const char* role_name) {
  OrderedJson json;
  json["name"] = field.name;
  json["dataType"] = DataTypeName(field.type);
  json["fieldType"] = role_name;
  if (field.multi_value) json["singleValueField"] = false;
  if (field.max_length > 0) json["maxLength"] = field.max_length;
  if (field.length_exceed != LengthExceed::kUnsaid)
    json["maxLengthExceedStrategy"] = LengthExceedName(field.length_exceed);
  if (field.role == FieldRole::kDateTime) {
    json["format"] = field.datetime_format;
    json["granularity"] = field.datetime_granularity;
  }
  const bool metric = field.role == FieldRole::kMetric;
  if (!field.default_null.is_null() && field.default_null != DefaultNullValue(field.type, metric)) {
    const Value& value = field.default_null;
    if (field.type == DataType::kInt || field.type == DataType::kLong ||
        field.type == DataType::kBoolean || field.type == DataType::kTimestamp) {
      json["defaultNullValue"] = value.AsLong();
    } else {
      json["defaultNullValue"] = ValueToText(value);
    }
  }
  const auto child = [](const std::string& name, DataType type) {
    return OrderedJson{
        {"name", name}, {"dataType", DataTypeName(type)}, {"fieldType", "DIMENSION"}};
  };
  if (field.type == DataType::kMap) {
    json["childFieldSpecs"] = {{"value", child("value", field.map_value_type)},
                               {"key", child("key", DataType::kString)}};
  }
  if (field.type == DataType::kOpenStruct) {
    OrderedJson& children = json["childFieldSpecs"] = OrderedJson::object();
    for (const StructKey& key : field.struct_keys) children[key.name] = child(key.name, key.type);
  }
  return json;
}

}  // namespace

Result<SchemaFile> ParseSchemaFile(std::string_view json_text) {
  const Json root = Json::parse(json_text, nullptr, /*allow_exceptions=*/false);
  if (!root.is_object()) return Status::InvalidArgument("schema: not a JSON object");
  std::set<std::string> names;
  std::vector<FieldSpec> fields;
  for (const SpecList& list : kSpecLists) {
    const auto specs = root.find(list.key);
    if (specs == root.end() || specs->is_null()) continue;
    if (!specs->is_array()) return Status::InvalidArgument("schema: {} is not a list", list.key);
    for (const Json& spec : *specs) {
      TRELLIS_RETURN_IF_ERROR(AddField(ParseField(spec, list.role), names, fields));
    }
  }
  const auto time = root.find("timeFieldSpec");
  if (time != root.end() && !time->is_null()) {
    TRELLIS_RETURN_IF_ERROR(AddField(ParseTimeField(*time), names, fields));
  }

  SchemaFile file;
  file.schema = Schema(TextAt(root, "schemaName"), std::move(fields));
  file.column_based_null_handling = TextAt(root, "enableColumnBasedNullHandling") == "true";
  const auto keys = root.find("primaryKeyColumns");
  if (keys != root.end() && keys->is_array()) {
    for (const Json& key : *keys) file.primary_key_columns.push_back(ScalarText(key));
  }
  return file;
}

Result<Schema> ParseSchema(std::string_view json_text) {
  TRELLIS_ASSIGN_OR_RETURN(SchemaFile file, ParseSchemaFile(json_text));
  return std::move(file.schema);
}

std::string SchemaToJson(const Schema& schema) {
  OrderedJson root;
  root["schemaName"] = schema.name();
  root["enableColumnBasedNullHandling"] = false;
  for (const SpecList& list : kSpecLists) {
    for (const FieldSpec& field : schema.fields()) {
      if (field.role == list.role) root[list.key].push_back(FieldToJson(field, list.role_name));
    }
  }
  return root.dump(2, ' ', false, OrderedJson::error_handler_t::replace);
}

std::string_view FieldRoleName(FieldRole role) {
  for (const SpecList& list : kSpecLists) {
    if (list.role == role) return list.role_name;
  }
  return "";
}

std::string_view LengthExceedName(LengthExceed exceed) {
  for (const ExceedName& known : kExceedNames) {
    if (known.exceed == exceed) return known.name;
  }
  return "";
}

}  // namespace trellis::table_config
