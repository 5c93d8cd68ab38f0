#include "common/telemetry/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>

namespace trellis {

bool StartLogging(const std::string& component, const std::string& level) {
  const spdlog::level::level_enum parsed = spdlog::level::from_str(level);
  if (parsed == spdlog::level::off && level != "off") return false;  // from_str knows no failure
  auto logger = spdlog::stderr_color_mt(component);
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %^%l%$ [%n] %v", spdlog::pattern_time_type::utc);
  logger->set_level(parsed);
  spdlog::set_default_logger(logger);
  return true;
}

}  // namespace trellis
