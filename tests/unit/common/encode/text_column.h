#pragma once

#include <string>
#include <vector>

#include "common/vector/column_vector.h"

namespace trellis::encode {

// A column of these texts or bytes.
inline ColumnVector Texts(DataType type, const std::vector<std::string>& values) {
  ColumnVector column(type);
  for (const std::string& value : values)
    column.values<std::string_view>().push_back(column.arena().Copy(value));
  column.SetSize(values.size());
  return column;
}

}  // namespace trellis::encode
