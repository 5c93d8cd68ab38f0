// Any text as a table config and as a schema: an answer or InvalidArgument, never a fault.
#include <cstdlib>
#include <string_view>

#include "common/table_config/indexing_config.h"
#include "common/table_config/schema_json.h"
#include "common/table_config/table_config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)trellis::table_config::ParseTableConfig(text);
  const auto config = trellis::table_config::ParseIndexingConfig(text);
  if (config.ok()) {
    for (const auto& [name, field] : config->fields) {
      if (&config->Of(name) != &field) std::abort();
      if (field.target_docs_per_chunk == 0 || field.target_max_chunk_size_bytes < 1) std::abort();
    }
    for (const auto& line : config->warnings)
      if (line.find('\n') != line.npos) std::abort();
  }
  const auto schema = trellis::table_config::ParseSchema(text);
  using trellis::table_config::SchemaToJson;
  if (schema.ok() && !trellis::table_config::ParseSchema(SchemaToJson(*schema)).ok()) std::abort();
  return 0;
}
