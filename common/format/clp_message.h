#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "common/base/bytes.h"
#include "common/format/var_length_values.h"

namespace trellis::format {

// Appends one message to `text`: the bytes of `logtype`, each placeholder in it replaced by the
// next variable (pinot-segment-format.md 5.7): 0x11 by an encoded one as a decimal number, 0x12 by
// `variables[ids[i]]`, 0x13 by an encoded one as a decimal fraction. Every variable is used, but
// for a row of one variable whose logtype uses none: writers put a placeholder there. No memory is
// taken but what `text` grows by. Errors: Corrupt when variables are missing, left over or out of
// range; ResourceExhausted when `text` would pass `text_size_bytes_max`.
Status AppendClpMessage(ByteView logtype, const VarLengthValues& variables,
                        std::span<const uint32_t> ids, std::span<const int64_t> encoded,
                        size_t text_size_bytes_max, std::string& text);

}  // namespace trellis::format
