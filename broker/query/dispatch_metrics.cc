#include "broker/query/dispatch_metrics.h"

#include <map>

#include "common/telemetry/metrics.h"
#include "common/wire/segment_list_codec.h"

namespace trellis::broker {

void CountDispatch(const DispatchOutcome& outcome) {
  ServerAnswer total;
  int64_t cache_hits = 0;
  std::map<std::string, int64_t> lists{
      {"known", 0}, {"packed", 0}, {"names", 0}, {"legacy_json", 0}};
  for (const ServerAnswer& server : outcome.servers) {
    total.wire_bytes += server.wire_bytes;
    total.encode_us += server.encode_us;
    total.names_sent += server.names_sent;
    total.attempts += server.attempts;
    cache_hits += server.cache_hit ? 1 : 0;
    ++lists[server.encoding];
  }
  const auto count = [](const std::string& name, const std::string& help, double amount) {
    CountMetric("trellis_broker_" + name + "_total", help, amount);
  };
  count("dispatch_bytes", "Bytes of leaf requests", static_cast<double>(total.wire_bytes));
  count("list_encode_seconds", "Time to encode segment lists",
        static_cast<double>(total.encode_us) / 1e6);
  count("names_sent", "Segment names sent", static_cast<double>(total.names_sent));
  for (const auto& [encoding, servers] : lists) {
    count("lists_" + encoding, "Servers sent their segments as " + encoding,
          static_cast<double>(servers));
  }
  count("list_cache_hits", "Servers whose segment list was encoded before",
        static_cast<double>(cache_hits));
  count("attempts", "Leaf stages sent", total.attempts);
  count("retries", "Attempts on another replica, or of a list that was out of date",
        outcome.retries);
  count("hedges", "Slow attempts beside which another replica was asked", outcome.hedges);
  count("hedges_won", "Attempts of hedges that became part of the answer", outcome.hedges_won);
  count("stale_lists", "Segment lists that servers called out of date", outcome.stale_lists);
  count("uncovered_segments", "Segments missing from answers",
        static_cast<double>(outcome.uncovered.cardinality()));
  ObserveHistogram("trellis_broker_handover_seconds", "Plan ready to last request handed to gRPC",
                   static_cast<double>(outcome.handed_over_us) / 1e6);
}

}  // namespace trellis::broker
