#pragma once

#include "broker/bind/binder.h"
#include "broker/dispatch/dispatcher.h"
#include "broker/query/query_response.h"

namespace trellis::broker {

// Adds `status` as an exception with Pinot's code; a second one with the same code is dropped.
void AddException(QueryResponse& response, const Status& status);

// The one row of a SELECT of literals; none when LIMIT is 0.
ResultTable LiteralTable(const BoundQuery& query);

// Names the segments that the query needs and no server can serve (exception 305), a bounded list
// of them, with their count.
void AddUnavailable(QueryResponse& response, const Route& route);

// Names the servers that have not said yet what they hold (exception 427): rows may be missing that
// nobody knows of.
void AddUnreported(QueryResponse& response, const CatalogSnapshot& snapshot);

// Sums the servers' statistics. When segments of the route are uncovered, and only then, turns what
// went wrong into exceptions: exact counts, some names, and the servers. Returns the error that
// leaves the query without rows (a fault of the query itself, or nothing is covered), or OK when
// the rows that came may be shown.
Status AddServers(QueryResponse& response, const Route& route, const DispatchOutcome& outcome);

}  // namespace trellis::broker
