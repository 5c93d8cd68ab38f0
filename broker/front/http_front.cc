#include "broker/front/http_front.h"

#include <nlohmann/json.hpp>
#include <set>

#include "broker/front/json_response.h"
#include "common/base/nearest_name.h"
#include "common/telemetry/metrics.h"

namespace trellis::broker {
namespace {

using http::HttpRequest;
using http::HttpResponse;
using http::Responder;

HttpResponse Text(int status, std::string body) {
  HttpResponse response;
  response.status = status;
  response.content_type = "text/plain; charset=utf-8";
  response.body = std::move(body);
  return response;
}

HttpResponse Json(const nlohmann::json& body, int status = 200) {
  HttpResponse response;
  response.status = status;
  response.body = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return response;
}

// HTTP status of a Pinot code, for clients that ask for it (pinot-wire.md section 3.5).
int HttpStatusOf(int code) {
  switch (code) {
    case 150:
    case 246:
    case 700:
    case 710:
    case 720:
      return 400;
    case 190:
    case 235:
      return 404;
    case 240:
    case 250:
    case 400:
      return 408;
    case 429:
      return 429;
    case 210:
    case 211:
    case 245:
    case 305:
    case 410:
    case 425:
    case 427:
    case 503:
      return 503;
    default:
      return 500;
  }
}

// The query of a POST body or of URL parameters. Errors: InvalidArgument, answered 400.
Result<QueryCall> ReadCall(const HttpRequest& request) {
  QueryCall call;
  std::string options;
  if (EqualsIgnoreCase(request.Parameter("getCursor").value_or("false"), "true"))
    return Status::Query(PinotCode::kQueryValidation, "cursors (getCursor) are not supported yet");
  if (request.method == "GET") {
    const auto sql = request.Parameter("sql");
    if (!sql) return Status::InvalidArgument("parameter 'sql' is missing");
    call.sql = *sql;
    options = request.Parameter("queryOptions").value_or("");
  } else {
    const auto body = nlohmann::json::parse(request.body, nullptr, false);
    if (!body.is_object()) return Status::InvalidArgument("the body is not a JSON object");
    const auto sql = body.find("sql");
    if (sql == body.end() || !sql->is_string())
      return Status::InvalidArgument("the body has no string 'sql'");
    call.sql = sql->get<std::string>();
    const auto given = body.find("queryOptions");
    if (given != body.end() && !given->is_null()) {
      if (!given->is_string())
        return Status::InvalidArgument("'queryOptions' is not a string of k=v;k=v");
      options = given->get<std::string>();
    }
  }
  TRELLIS_ASSIGN_OR_RETURN(call.options, SplitOptions(options));
  for (const auto& [key, value] : call.options) {
    if (EqualsIgnoreCase(key, "clientQueryId")) call.query_id = value;
  }
  return call;
}

class HttpFront {
 public:
  HttpFront(QueryEngine& engine, TaskPool& pool) : engine_(engine), pool_(pool) {}

  void Handle(HttpRequest request, const Responder& respond) {
    const std::string& path = request.path;
    if (path == "/query/sql" || path == "/query") return Query(std::move(request), respond);
    if (request.method == "DELETE" && path.starts_with("/query/"))
      return respond(CancelQuery(path.substr(7)));
    if (!IsDoor(path)) return respond(Text(404, "no such door: " + path + "\n"));
    if (request.method != "GET" && request.method != "HEAD")
      return respond(Text(405, "method " + request.method + " is not supported here\n"));
    if (path == "/health") return respond(Health());
    if (path == "/metrics") {
      HttpResponse response = Text(200, MetricsText());
      response.content_type = "text/plain; version=0.0.4; charset=utf-8";
      return respond(std::move(response));
    }
    if (path == "/tables") return respond(Tables());
    if (path == "/cluster") return respond(Cluster());
    respond(SchemaOf(path.substr(kTables.size(), path.size() - kTables.size() - kSchema.size())));
  }

 private:
  static constexpr std::string_view kTables = "/tables/";
  static constexpr std::string_view kSchema = "/schema";

  // Doors that are only looked through. A controller's doors are none of ours, whatever the method.
  static bool IsDoor(std::string_view path) {
    return path == "/health" || path == "/metrics" || path == "/tables" || path == "/cluster" ||
           (path.starts_with(kTables) && path.ends_with(kSchema) &&
            path.size() > kTables.size() + kSchema.size());
  }

  HttpResponse Health() const {
    if (pool_.draining()) return Text(503, "draining");
    for (const ServerEntry& server : engine_.cluster().snapshot()->servers) {
      if (server.alive) return Text(200, "OK");
    }
    return Text(503, "no server is reachable");
  }

  HttpResponse Tables() const {
    return Json({{"tables", engine_.cluster().snapshot()->raw_names()}});
  }

  // The servers, whether they are alive and how many segments they serve.
  HttpResponse Cluster() const {
    const auto snapshot = engine_.cluster().snapshot();
    std::vector<int64_t> segments(snapshot->servers.size());
    for (const auto& [typed, table] : snapshot->tables) {
      for (const auto& part : table->parts)
        segments[part->server] += static_cast<int64_t>(part->ids.size());
    }
    auto servers = nlohmann::json::array();
    for (size_t i = 0; i < snapshot->servers.size(); ++i) {
      const ServerEntry& server = snapshot->servers[i];
      servers.push_back({{"server", server.target},
                         {"alive", server.alive},
                         {"version", server.build_version},
                         {"segments", segments[i]}});
    }
    return Json({{"servers", servers}});
  }

  HttpResponse SchemaOf(const std::string& name) const {
    const auto snapshot = engine_.cluster().snapshot();
    for (const auto& [typed, table] : snapshot->tables) {
      if (typed != name && table->raw_name != name) continue;
      HttpResponse response;
      response.body = table->schema_json;
      return response;
    }
    return Json({{"code", 404},
                 {"error",
                  "table '" + name + "' does not exist" + DidYouMean(name, snapshot->raw_names())}},
                404);
  }

  HttpResponse CancelQuery(const std::string& id) {
    return engine_.Cancel(id) ? Text(200, "cancelled query " + id)
                              : Text(404, "no running query has id " + id);
  }

  void Query(HttpRequest request, const Responder& respond) {
    if (request.method != "GET" && request.method != "POST") {
      return respond(Text(405, "method " + request.method + " is not supported here\n"));
    }
    auto call = ReadCall(request);
    if (!call.ok() && call.status().pinot_code() == PinotCode::kNone)
      return respond(Text(400, call.status().message()));
    const bool by_status =
        EqualsIgnoreCase(request.Header("Pinot-Use-Http-Status-For-Errors").value_or(""), "true");
    if (!call.ok()) return respond(Answer(Failed(call.status()), by_status));
    // `/query` is Pinot's door to its multi-stage engine; Trellis answers single-stage queries
    // only.
    if (request.path == "/query") call->options.emplace_back("useMultistageEngine", "true");
    // The client's leaving ends its own call only, whatever id it chose.
    call->cancel = std::make_shared<CancelToken>();
    request.cancel->OnCancel([token = call->cancel] { token->Cancel(); });
    const bool taken =
        pool_.Submit([this, call = std::move(*call), respond, by_status, cancel = request.cancel] {
          if (cancel->cancelled()) return respond(Text(499, "the client left"));
          respond(Answer(engine_.Execute(call), by_status));
        });
    if (taken) return;
    respond(Answer(
        Failed(pool_.draining() ? Status(StatusCode::kUnavailable, "the broker is shutting down",
                                         PinotCode::kServerShuttingDown)
                                : Status(StatusCode::kResourceExhausted,
                                         "too many queries are waiting (queries-waiting-max)",
                                         PinotCode::kTooManyRequests)),
        by_status));
  }

  QueryResponse Failed(const Status& status) const {
    QueryResponse response;
    response.exceptions.push_back({static_cast<int>(status.pinot_code()), status.message()});
    response.partial_result = true;
    response.broker_id = engine_.options().broker_id;
    return response;
  }

  static HttpResponse Answer(const QueryResponse& answer, bool by_status) {
    HttpResponse response;
    const int code = answer.exceptions.empty() ? -1 : answer.exceptions.front().code;
    if (by_status && code > 0) response.status = HttpStatusOf(code);
    response.headers.emplace_back("X-Pinot-Error-Code", std::to_string(code));
    response.body = QueryResponseJson(answer);
    return response;
  }

  QueryEngine& engine_;
  TaskPool& pool_;
};

}  // namespace

http::Handler MakeHttpFront(QueryEngine& engine, TaskPool& pool) {
  auto front = std::make_shared<HttpFront>(engine, pool);
  return [front](HttpRequest request, const Responder& respond) {
    front->Handle(std::move(request), respond);
  };
}

}  // namespace trellis::broker
