#pragma once

#include <cstdint>

#include "common/base/bytes.h"
#include "common/format/var_length_values.h"

namespace trellis::format {

// A CLP-encoded text column (pinot-segment-format.md 5.7): log messages taken apart into a logtype
// and the variables that were cut out of it. Big-endian, after a magic of 6 bytes:
//
//   "CLP.v1"  6 i32 version 1 | 10 i32 all dictionary variables | 14, 18 i32 longest entries |
//             22 five i32 lengths | 42 the five parts
//   "CLP.v2"  6 i32 version 2 | 10 i32 encoded (0, 1)
//     encoded 1: 14 i32 logtypes | 18 i32 dictionary variables | 22 five i32 lengths | 42 parts
//     encoded 0: 14 i32 length   | 18 one raw container with the messages
//
// The parts: logtypes and variables (`.vl;`), logtype ids, variable ids, encoded variables. What
// the last three are is the version's matter; the column's reader opens them.
struct ClpFile {
  int version = 0;              // 1 or 2
  bool encoded = false;         // always in version 1; else only `messages` is there
  uint32_t variable_total = 0;  // version 1: values in `variable_ids`
  VarLengthValues logtypes;
  VarLengthValues variables;
  ByteView logtype_ids;
  ByteView variable_ids;
  ByteView encoded_values;
  ByteView messages;

  // Whether a buffer begins with the magic of a CLP column, of whatever version.
  static bool Recognizes(ByteView bytes);
  // Checks that the parts tile the buffer, and both dictionaries. Errors: Corrupt.
  static Result<ClpFile> Open(ByteView bytes);
};

}  // namespace trellis::format
