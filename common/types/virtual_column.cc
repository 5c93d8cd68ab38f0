#include "common/types/virtual_column.h"

namespace trellis {
namespace {

constexpr VirtualColumn kColumns[] = {
    {"$docId", {DataType::kInt, false}},
    {"$hostName", {DataType::kString, false}},
    {"$segmentName", {DataType::kString, false}},
    {"$partitionId", {DataType::kString, true}},
    {"$creationTime", {DataType::kTimestamp, false}},
    {"$startTime", {DataType::kTimestamp, false}},
    {"$endTime", {DataType::kTimestamp, false}},
    {"$totalDocs", {DataType::kInt, false}},
    {"$crc", {DataType::kLong, false}},
};

}  // namespace

std::span<const VirtualColumn> VirtualColumns() { return kColumns; }

const VirtualColumn* FindVirtualColumn(std::string_view name) {
  for (const VirtualColumn& column : kColumns) {
    if (column.name == name) return &column;
  }
  return nullptr;
}

}  // namespace trellis
