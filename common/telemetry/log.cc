#include "common/telemetry/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <memory>

#include "common/base/printable_text.h"

namespace trellis {
namespace {

// The message as one line: names from disk and from clients are in it.
class PrintableMessage : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& out) override {
    const std::string text = PrintableText({message.payload.data(), message.payload.size()});
    out.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<spdlog::custom_flag_formatter> clone() const override {
    return std::make_unique<PrintableMessage>();
  }
};

}  // namespace

bool StartLogging(const std::string& component, const std::string& level) {
  const spdlog::level::level_enum parsed = spdlog::level::from_str(level);
  if (parsed == spdlog::level::off && level != "off") return false;  // from_str knows no failure
  auto logger = spdlog::stderr_color_mt(component);
  auto formatter = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
  formatter->add_flag<PrintableMessage>('V').set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %^%l%$ [%n] %V");
  logger->set_formatter(std::move(formatter));
  logger->set_level(parsed);
  spdlog::set_default_logger(logger);
  return true;
}

}  // namespace trellis
