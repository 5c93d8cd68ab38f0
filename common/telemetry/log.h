#pragma once

#include <spdlog/spdlog.h>

namespace trellis {

// Sends log lines to standard error as `time level [component] message`; control
// characters of the message are written as \xNN, so that each is one line. Levels as spdlog names
// them. Call once, in main. False, and nothing is changed, when there is no such level.
bool StartLogging(const std::string& component, const std::string& level);

}  // namespace trellis
