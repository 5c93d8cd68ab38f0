#include <algorithm>

#include "tests/unit/common/aggregate/aggregate_builders.h"

namespace trellis::aggregate {
namespace {

TEST_CASE("names map to the function that computes them") {
  const auto percentile = FindAggregate("percentile90", 1);
  REQUIRE(percentile.ok());
  CHECK(percentile->function == "percentile");
  CHECK(percentile->implied == std::vector<Value>{Value::Double(90)});
  CHECK(percentile->print_name == "percentile90");
  CHECK(FindAggregate("percentile95mv", 1)->implied == std::vector<Value>{Value::Double(95)});
  CHECK(FindAggregate("percentilemv", 2)->function == "percentile");

  const auto summv = FindAggregate("summv", 1);
  REQUIRE(summv.ok());
  CHECK(summv->function == "sum");
  CHECK(summv->print_name == "summv");
  CHECK(FindAggregate("countmv", 1)->function == "countmv");
  CHECK(FindAggregate("$sum0", 1)->function == "sum");
}

TEST_CASE("leading arguments are read a row and the rest are literals") {
  CHECK(FindAggregate("count", 0)->row_arguments == 0);
  CHECK(FindAggregate("count", 1)->row_arguments == 1);
  CHECK(FindAggregate("firstwithtime", 3)->row_arguments == 2);
  CHECK(FindAggregate("covarpop", 2)->row_arguments == 2);
  CHECK(FindAggregate("histogram", 4)->row_arguments == 1);
}

TEST_CASE("a wrong number of arguments is a validation error") {
  for (const auto& [name, count] : {std::pair{"sum", 0}, std::pair{"sum", 2}, std::pair{"count", 2},
                                    std::pair{"percentile", 1}, std::pair{"percentile90", 2}}) {
    CAPTURE(name, count);
    CHECK(FindAggregate(name, static_cast<size_t>(count)).status().pinot_code() ==
          PinotCode::kQueryValidation);
  }
}

TEST_CASE("what Pinot has and Trellis has not is refused by name") {
  for (const char* name :
       {"percentileest", "percentiletdigest95", "percentilekllmv", "distinctcountthetasketch",
        "funnelcount", "listagg", "distinctcountull", "fourthmoment"}) {
    CAPTURE(name);
    const Status status = FindAggregate(name, 1).status();
    CHECK(status.pinot_code() == PinotCode::kQueryValidation);
    CHECK(status.message().find(name) != std::string::npos);
    CHECK(IsAggregate(name));
  }
}

TEST_CASE("what is no aggregation is not found") {
  for (const char* name :
       {"corr", "upper", "mv", "", "percentile-1", "percentile9999", "minlongmv"}) {
    CAPTURE(name);
    CHECK(FindAggregate(name, 1).status().code() == StatusCode::kNotFound);
    CHECK_FALSE(IsAggregate(name));
  }
}

TEST_CASE("every listed name is found as an aggregation") {
  const std::vector<std::string> names = AggregateNames();
  CHECK(std::is_sorted(names.begin(), names.end()));
  CHECK(std::find(names.begin(), names.end(), "summv") != names.end());
  for (const std::string& name : names) CHECK(IsAggregate(name));
}

TEST_CASE("a function resolved with the wrong columns is refused") {
  CHECK_FALSE(ResolveAggregate({"sum", {}, {}, false}).ok());
  CHECK_FALSE(ResolveAggregate({"covarpop", {{DataType::kInt, false}}, {}, false}).ok());
  CHECK_FALSE(ResolveAggregate({"corr", {{DataType::kInt, false}}, {}, false}).ok());
  CHECK_FALSE(ResolveAggregate({"percentile", {{DataType::kInt, false}}, {}, false}).ok());
}

}  // namespace
}  // namespace trellis::aggregate
