#pragma once

#include "tests/unit/common/segment/tiny_segment.h"

namespace trellis::segment {

// TinySegment with an OPEN_STRUCT `o` of three rows {"n":9}, {"n":7,"x y":[1, 2]}, {"e":"\"q\""}:
// dense key `n` INT (null in the last row), sparse keys `x y` and `e`, an undeclared type.
inline TinySegment OpenStructSegment() {
  TinySegment tiny;
  tiny.Buffer("o$n", "dictionary") = BigEndian<int32_t>(7) + BigEndian<int32_t>(9);
  tiny.Buffer("o$n", "forward_index") = std::string(1, '\x80');
  tiny.Buffer("o$n", "nullvalue_vector") = std::string(tiny.Buffer("i", "nullvalue_vector"));
  // Chunk container 2 of variable width: three rows, uncompressed, in one chunk of three.
  const std::string one = R"({"x y":[1, 2]})";
  const std::string two = R"({"e":"\"q\""})";
  std::string raw;
  for (const size_t field : {size_t{2}, size_t{1}, size_t{3}, size_t{64}, size_t{3}, size_t{0},
                             size_t{28}, size_t{32}, size_t{12}, size_t{12}, 12 + one.size()})
    raw += BigEndian<int32_t>(static_cast<int32_t>(field));
  tiny.Buffer("o$__sparse__", "forward_index") = raw + one + two;
  tiny.Metadata(
      "segment.dimension.column.names = i,s,o$n,o$__sparse__,o\nsegment.complex.column.names = o\n"
      "column.o.columnType = COMPLEX\ncolumn.o.dataType = OPEN_STRUCT\ncolumn.o.cardinality = 2\n"
      "column.o.hasDictionary = false\ncolumn.o.hasSparseColumn = true\n"
      "column.o.sparseKeys = [\"x y\",\"e\"]\n"
      "column.o$n.columnType = DIMENSION\ncolumn.o$n.dataType = INT\ncolumn.o$n.cardinality = 2\n"
      "column.o$n.bitsPerElement = 1\ncolumn.o$n.parentColumn = o\n"
      "column.o$__sparse__.columnType = DIMENSION\ncolumn.o$__sparse__.dataType = STRING\n"
      "column.o$__sparse__.cardinality = 2\ncolumn.o$__sparse__.hasDictionary = false\n"
      "column.o$__sparse__.parentColumn = o\n");
  return tiny;
}

}  // namespace trellis::segment
