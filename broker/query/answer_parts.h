#pragma once

#include "broker/bind/binder.h"
#include "broker/dispatch/dispatcher.h"
#include "broker/query/query_response.h"

namespace trellis::broker {

// Adds `status` as an exception with Pinot's code; a second one with the same code is dropped.
void AddException(QueryResponse& response, const Status& status);

// The one row of a SELECT of literals; none when LIMIT is 0.
ResultTable LiteralTable(const BoundQuery& query);

// Names the table's segments that no server can serve (exception 305), a bounded list of them.
void AddUnavailable(QueryResponse& response, const Table& table);

// Names the servers that have not said yet what they hold (exception 427): rows may be missing that
// nobody knows of.
void AddUnreported(QueryResponse& response, const CatalogSnapshot& snapshot);

// Sums the servers' statistics and turns what went wrong into exceptions. Returns the error that
// leaves the query without rows (a fault of the query itself), or OK when the rows that came may be
// shown.
Status AddServers(QueryResponse& response, const DispatchOutcome& outcome);

}  // namespace trellis::broker
