package trellis.peer;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.pinot.segment.spi.creator.SegmentVersion;
import org.apache.pinot.spi.config.table.ColumnPartitionConfig;
import org.apache.pinot.spi.config.table.SegmentPartitionConfig;
import org.apache.pinot.spi.data.FieldSpec.DataType;

/**
 * What a table may look like: logs, maps, nulls, no rows, odd names, derived time columns,
 * partitions.
 */
final class ShapeTables {
  private static final long DAY_MS = 86_400_000L;
  private static final long HOUR_MS = 3_600_000L;

  private ShapeTables() {
  }

  static List<FixtureTable> all() {
    return List.of(logs(), maps(), nulls(), empty(), odd(), times(), partitions());
  }

  private static FixtureTable logs() {
    FixtureTable table = new FixtureTable("logs", 300);
    table.one("id", DataType.INT, (weather, i) -> i);
    table.one("line", DataType.STRING, (weather, i) -> weather.logLine(i));
    table.one("rare", DataType.STRING, (weather, i) -> i % 5 == 1 ? null : i % 17 == 2 ? ""
        : weather.logLine(i));
    table.one("plain", DataType.STRING, (weather, i) -> weather.sky());
    table.one("unique", DataType.STRING, (weather, i) -> "u" + Long.toString(weather.anyLong(), 36)
        + " " + i);
    List<String> columns = List.of("line", "rare", "plain", "unique");
    for (String codec : List.of("CLP", "CLPV2", "CLPV2_ZSTD", "CLPV2_LZ4")) {
      // The batch writer of 1.5.1 cannot write the second form: it comes from streams only.
      FixtureTable.Way way = codec.equals("CLP") ? FixtureTable.Way.BATCH
          : FixtureTable.Way.CONSUMED;
      table.segment(codec.toLowerCase(), way, EncodingTables.each(columns, """
          {"encodingType": "RAW", "compressionCodec": "%s"}""".formatted(codec)));
    }
    return table.segment("consumed", FixtureTable.Way.CONSUMED, Map.of());
  }

  private static Object mixed(Weather weather) {
    return switch (weather.below(8)) {
      case 0 -> weather.below(1000) - 500;
      case 1 -> 9007199254740993L + weather.below(100);
      case 2 -> weather.pressure();
      case 3 -> weather.oneIn(2);
      case 4 -> "a \"b\" \\ \n\t/ " + weather.place();
      case 5 -> "";
      case 6 -> new ArrayList<Object>(List.of(1, "two", 2.5));
      default -> weather.sky();
    };
  }

  private static Object nested(Weather weather, int i) {
    Map<String, Object> outer = new LinkedHashMap<>();
    outer.put("wind", new LinkedHashMap<String, Object>(Map.of("deg", weather.below(360))));
    outer.put("layers", new ArrayList<Object>(List.of(weather.below(5), weather.sky())));
    if (i % 3 == 0) {
      outer.put("🌡", weather.place());
      outer.put("", "no name");
      outer.put("ключ.a b", i);
    }
    return outer;
  }

  private static FixtureTable maps() {
    FixtureTable table = new FixtureTable("maps", 120);
    table.one("id", DataType.INT, (weather, i) -> i);
    table.map("words", DataType.STRING, (weather, i) -> i % 9 == 4 ? null
        : weather.map("k", 5, weather::sky));
    table.map("ints", DataType.INT, (weather, i) -> weather.map("n", 5, weather::anyInt));
    table.map("longs", DataType.LONG, (weather, i) -> weather.map("n", 3, weather::anyLong));
    table.map("doubles", DataType.DOUBLE, (weather, i) -> weather.map("d", 4, weather::anyDouble));
    table.map("mixed", DataType.STRING, (weather, i) -> weather.map("x", 6, () -> mixed(weather)));
    table.map("nested", DataType.STRING, (weather, i) -> i % 8 == 3 ? null : nested(weather, i));
    List<String> columns = List.of("words", "ints", "longs", "doubles", "mixed", "nested");
    table.segment("default", Map.of());
    for (String codec : List.of("PASS_THROUGH", "LZ4", "ZSTANDARD")) {
      table.segment("c4_" + codec.toLowerCase(),
          EncodingTables.each(columns, EncodingTables.rawConfig(4, codec, -1, "4K")));
    }
    return table.segment("c3_snappy",
        EncodingTables.each(columns, EncodingTables.rawConfig(3, "SNAPPY", 37, "8K")));
  }

  /** The value, or null for one row in three. */
  private static FixtureTable.Value maybe(Function<Weather, Object> value) {
    return (weather, i) -> weather.oneIn(3) ? null : value.apply(weather);
  }

  private static FixtureTable nulls() {
    FixtureTable table = new FixtureTable("nulls", 260);
    table.one("id", DataType.INT, (weather, i) -> i);
    List<String> raw = new ArrayList<>();
    for (String kind : List.of("d", "r")) {
      table.one(kind + "_none", DataType.INT, (weather, i) -> weather.below(9));
      table.one(kind + "_all", DataType.INT, (weather, i) -> null);
      table.one(kind + "_run", DataType.STRING, (weather, i) -> i > 20 && i < 200 ? null
          : weather.sky());
      table.one(kind + "_int", DataType.INT, maybe(weather -> weather.anyInt()));
      table.one(kind + "_long", DataType.LONG, maybe(weather -> weather.anyLong()));
      table.one(kind + "_float", DataType.FLOAT, maybe(weather -> weather.anyFloat()));
      table.one(kind + "_double", DataType.DOUBLE, maybe(weather -> weather.anyDouble()));
      table.one(kind + "_bool", DataType.BOOLEAN, maybe(weather -> weather.oneIn(2)));
      table.one(kind + "_time", DataType.TIMESTAMP, maybe(weather -> weather.momentMs()));
      table.one(kind + "_bytes", DataType.BYTES, maybe(weather -> weather.bytes(3)));
      table.one(kind + "_json", DataType.JSON, maybe(weather -> weather.report()));
      table.metric(kind + "_rain", DataType.BIG_DECIMAL, maybe(weather -> weather.rain()));
      table.metric(kind + "_sum", DataType.LONG, maybe(weather -> weather.anyLong()));
      table.many(kind + "_ints", DataType.INT, maybe(weather -> weather.many(3, weather::anyInt)));
      table.many(kind + "_texts", DataType.STRING, maybe(weather -> weather.many(3, weather::sky)));
    }
    table.map("map", DataType.STRING, maybe(weather -> weather.map("k", 2, weather::sky)));
    table.columnNames().stream().filter(column -> column.startsWith("r_")).forEach(raw::add);
    return table
        .segment("packed", SegmentVersion.v3, Map.of(), options ->
            options.setNoDictionaryColumns(raw))
        .segment("files", SegmentVersion.v1, Map.of(), options ->
            options.setNoDictionaryColumns(raw));
  }

  private static FixtureTable empty() {
    return new FixtureTable("empty", 0)
        .one("id", DataType.INT, (weather, i) -> i)
        .many("tags", DataType.STRING, (weather, i) -> null)
        .map("map", DataType.STRING, (weather, i) -> null)
        .segment("packed", Map.of())
        .segment("files", SegmentVersion.v1, Map.of(), options -> { });
  }

  /** Names and texts that need care in properties files. */
  private static FixtureTable odd() {
    FixtureTable table = new FixtureTable("odd", 120);
    for (String name : List.of("with blank", "with.dot", "a.forward_index.size", "key=value",
        "a:b", "Größe", "日の出", "$dollar", "a#b", "back\\slash", "include", "UPPER")) {
      table.one(name, DataType.INT, (weather, i) -> weather.below(40));
    }
    List<String> edges = List.of(" lead", "trail ", "a,b", ",", "c:\\dir\\", "${user}", "#no",
        "!no", "tab\there", "line\nbreak", "\"quoted\"", "=eq", "🌧", "\uFFFD", "é");
    table.one("edge min", DataType.STRING, (weather, i) -> i == 0 ? " ,first, " : "m" + i % 5);
    table.one("edge max", DataType.STRING, (weather, i) -> i == 0 ? "~,\\, " : "m" + i % 5);
    table.one("edges", DataType.STRING, (weather, i) -> edges.get(weather.below(edges.size())));
    table.many("m edges", DataType.STRING, (weather, i) ->
        weather.many(4, () -> edges.get(weather.below(edges.size()))));
    return table.segment("packed", Map.of())
        .segment("files", SegmentVersion.v1, Map.of(), options -> { });
  }

  /** A timestamp index: Pinot adds a column for each granularity. */
  private static FixtureTable times() {
    return new FixtureTable("times", 250).withoutNulls()
        .time("ts", (weather, i) -> Weather.START_MS + i * 1_234_567L)
        .one("reports", DataType.INT, (weather, i) -> weather.below(30))
        .derive("$ts$DAY", (text, row) ->
            text.put("$ts$DAY", floor(text.get("ts").asLong(), DAY_MS)))
        .derive("$ts$HOUR", (text, row) ->
            text.put("$ts$HOUR", floor(text.get("ts").asLong(), HOUR_MS)))
        .segment("packed", Map.of("ts", """
            {"encodingType": "DICTIONARY", "indexTypes": ["TIMESTAMP"],
             "timestampConfig": {"granularities": ["DAY", "HOUR"]}}"""));
  }

  private static long floor(long momentMs, long unitMs) {
    return Math.floorDiv(momentMs, unitMs) * unitMs;
  }

  private static FixtureTable partitions() {
    FixtureTable table = new FixtureTable("partitions", 200).withoutNulls();
    table.one("station", DataType.INT, (weather, i) -> weather.below(500) * 4 + 1);
    table.one("place", DataType.STRING, (weather, i) -> weather.place());
    return table.segment("packed", SegmentVersion.v3, Map.of(), options ->
        options.setSegmentPartitionConfig(new SegmentPartitionConfig(Map.of(
            "station", new ColumnPartitionConfig("Modulo", 4),
            "place", new ColumnPartitionConfig("Murmur", 8)))));
  }
}
