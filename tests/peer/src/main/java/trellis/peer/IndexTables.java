package trellis.peer;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.pinot.segment.local.utils.GeometrySerializer;
import org.apache.pinot.segment.local.utils.GeometryUtils;
import org.apache.pinot.segment.spi.creator.SegmentVersion;
import org.apache.pinot.spi.config.table.StarTreeIndexConfig;
import org.apache.pinot.spi.data.FieldSpec.DataType;
import org.apache.pinot.spi.utils.builder.TableConfigBuilder;
import org.locationtech.jts.geom.Coordinate;

/** Indexes beside the values: inverted, range, bloom, JSON, star-tree, Lucene and H3. */
final class IndexTables {
  private IndexTables() {
  }

  static List<FixtureTable> all() {
    return List.of(indexes(), noForward(), starTrees(), searches());
  }

  /** A dictionary column's field config with these indexes. */
  static String with(String... indexes) {
    return column("DICTIONARY", indexes);
  }

  /** A raw column's field config with these indexes. */
  private static String raw(String... indexes) {
    return column("RAW", indexes);
  }

  /** Each index is a name, or a name and its settings: `range:{"version":1}`. */
  private static String column(String encoding, String... indexes) {
    String list = Arrays.stream(indexes).map(index -> {
      int colon = index.indexOf(':');
      return colon < 0 ? "\"" + index + "\": {}"
          : "\"" + index.substring(0, colon) + "\": " + index.substring(colon + 1);
    }).collect(Collectors.joining(", "));
    return "{\"encodingType\": \"" + encoding + "\", \"indexes\": {" + list + "}}";
  }

  private static FixtureTable indexes() {
    FixtureTable table = new FixtureTable("indexes", 200);
    table.one("sorted", DataType.INT, (weather, i) -> i / 11);
    table.one("sky", DataType.STRING, (weather, i) -> weather.oneIn(9) ? null : weather.sky());
    table.many("skies", DataType.STRING, (weather, i) -> weather.many(3, weather::sky));
    table.many("levels", DataType.INT, (weather, i) ->
        weather.many(3, () -> weather.below(200) - 50));
    for (String kind : List.of("d", "r")) {
      table.one(kind + "_int", DataType.INT, (weather, i) -> weather.below(2000) - 700);
      table.one(kind + "_long", DataType.LONG, (weather, i) ->
          weather.below(2000) * 3_000_000_000L - 7);
      table.one(kind + "_float", DataType.FLOAT, (weather, i) -> weather.temperature());
      table.one(kind + "_double", DataType.DOUBLE, (weather, i) -> weather.below(900) / 8.0 - 30);
      table.one(kind + "_text", DataType.STRING, (weather, i) -> weather.place());
      table.one(kind + "_time", DataType.TIMESTAMP, (weather, i) -> weather.momentMs());
    }
    table.one("bytes", DataType.BYTES, (weather, i) -> weather.bytes(2));
    table.one("flag", DataType.BOOLEAN, (weather, i) -> weather.oneIn(3));
    table.metric("rain", DataType.BIG_DECIMAL, (weather, i) -> weather.rain());
    table.one("report", DataType.JSON, (weather, i) -> weather.report());
    Map<String, String> columns = new HashMap<>();
    columns.put("sorted", with("inverted", "bloom"));
    columns.put("sky", with("inverted", "bloom"));
    columns.put("skies", with("inverted", "bloom"));
    columns.put("levels", with("inverted", "range:{\"version\":1}"));
    for (String type : List.of("int", "long", "float", "double", "time")) {
      columns.put("d_" + type, with("inverted", "range", "bloom"));
      columns.put("r_" + type, raw("range", "bloom"));
    }
    columns.put("d_text", with("inverted", "bloom"));
    columns.put("r_text", raw("bloom"));
    columns.put("bytes", with("inverted", "bloom"));
    columns.put("flag", with("inverted", "bloom"));
    columns.put("rain", with("bloom"));
    columns.put("report", raw("json"));
    Map<String, String> first = new HashMap<>(columns);
    for (String type : List.of("int", "long", "float", "double", "time")) {
      first.put("d_" + type, with("range:{\"version\":1}"));
      first.put("r_" + type, raw("range:{\"version\":1}"));
    }
    first.put("report", with("json"));
    Map<String, String> rawInverted = new HashMap<>();
    for (String type : List.of("int", "long", "float", "double", "text")) {
      rawInverted.put("r_" + type, raw("inverted"));
    }
    rawInverted.put("sky", with("inverted"));
    rawInverted.put("levels", with("inverted", "range"));
    return table.segment("packed", columns)
        .segment("files", SegmentVersion.v1, columns, options -> { })
        .segment("range1", first)
        .segment("reloaded", FixtureTable.Way.RELOADED, rawInverted);
  }

  /**
   * Without forward indexes. Multi-value rows are ascending and hold nothing twice: order and
   * repetition are what such a column loses.
   */
  private static FixtureTable noForward() {
    FixtureTable table = new FixtureTable("noforward", 300);
    table.one("id", DataType.INT, (weather, i) -> i);
    table.one("level", DataType.INT, (weather, i) -> weather.oneIn(8) ? null
        : weather.below(60) - 9);
    table.one("total", DataType.LONG, (weather, i) -> weather.below(60) * 5_000_000_000L);
    table.one("sky", DataType.STRING, (weather, i) -> weather.sky());
    table.one("pressure", DataType.DOUBLE, (weather, i) -> weather.pressure());
    table.one("serial", DataType.BYTES, (weather, i) -> weather.bytes(1));
    table.many("levels", DataType.INT, (weather, i) ->
        Arrays.stream(weather.many(5, () -> weather.below(90))).distinct().sorted().toArray());
    table.many("skies", DataType.STRING, (weather, i) -> weather.oneIn(8) ? null
        : Arrays.stream(weather.many(4, weather::sky)).distinct().sorted().toArray());
    Map<String, String> columns = EncodingTables.each(
        List.of("level", "total", "sky", "pressure", "serial", "levels", "skies"),
        with("forward:{\"disabled\":true}", "inverted"));
    return table.segment("packed", columns)
        .segment("files", SegmentVersion.v1, columns, options -> { });
  }

  private static FixtureTable starTrees() {
    FixtureTable table = new FixtureTable("startree", 200).withoutNulls();
    table.one("sky", DataType.STRING, (weather, i) -> weather.sky());
    table.one("region.name", DataType.STRING, (weather, i) -> "region " + weather.below(5));
    table.one("hour", DataType.INT, (weather, i) -> weather.below(24));
    table.metric("reports", DataType.INT, (weather, i) -> weather.below(100));
    table.metric("rain", DataType.DOUBLE, (weather, i) -> weather.below(400) / 8.0);
    List<String> order = List.of("sky", "region.name", "hour");
    StarTreeIndexConfig whole = new StarTreeIndexConfig(order, null,
        List.of("COUNT__*", "SUM__reports", "MIN__rain", "MAX__rain", "AVG__rain",
            "DISTINCTCOUNTBITMAP__hour"), null, 10);
    StarTreeIndexConfig starless = new StarTreeIndexConfig(order, order, List.of("SUM__rain"),
        null, 1);
    Consumer<TableConfigBuilder> one = options -> options.setStarTreeIndexConfigs(List.of(whole));
    return table.segment("stars", SegmentVersion.v3, Map.of(), one)
        .segment("starless", SegmentVersion.v3, Map.of(), options ->
            options.setStarTreeIndexConfigs(List.of(starless)))
        .segment("both", SegmentVersion.v3, Map.of(), options ->
            options.setStarTreeIndexConfigs(List.of(whole, starless)))
        .segment("files", SegmentVersion.v1, Map.of(), one);
  }

  /** Indexes that are recognised and skipped. */
  private static FixtureTable searches() {
    FixtureTable table = new FixtureTable("searches", 120);
    table.one("line", DataType.STRING, (weather, i) -> weather.logLine(i));
    table.one("sky", DataType.STRING, (weather, i) -> weather.sky());
    table.one("where", DataType.BYTES, (weather, i) -> GeometrySerializer.serialize(
        GeometryUtils.GEOGRAPHY_FACTORY.createPoint(
            new Coordinate(weather.below(360) - 180, weather.below(160) - 80))));
    Map<String, String> columns = Map.of("line", raw("text"), "sky", with("fst", "inverted"),
        "where", raw("h3:{\"resolution\": [3, 5]}"));
    return table.segment("packed", columns)
        .segment("files", SegmentVersion.v1, columns, options -> { });
  }
}
