#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "common/base/bytes.h"
#include "common/format/var_length_values.h"

namespace trellis::format {

// How the bytes of a logtype stand in its dictionary: version 2 keeps them as they are, version 1
// writes each byte as the character of that number, U+0000 to U+00FF, in UTF-8.
enum class ClpLogtypeForm { kBytes, kByteCharacters };

// Appends one message to `text`: the bytes of `logtype`, each placeholder in it replaced by the
// next variable (pinot-segment-format.md 5.7): 0x11 by an encoded one as a decimal number, 0x12 by
// `variables[ids[i]]`, 0x13 by an encoded one as a decimal fraction. Every variable is used, but
// for a row of one variable whose logtype uses none: writers put a placeholder there. No memory is
// taken but what `text` grows by. Errors: Corrupt when variables are missing, left over or out of
// range, or a character of the logtype is no byte; ResourceExhausted when `text` would pass
// `text_size_bytes_max`.
Status AppendClpMessage(ByteView logtype, ClpLogtypeForm form, const VarLengthValues& variables,
                        std::span<const uint32_t> ids, std::span<const int64_t> encoded,
                        size_t text_size_bytes_max, std::string& text);

}  // namespace trellis::format
