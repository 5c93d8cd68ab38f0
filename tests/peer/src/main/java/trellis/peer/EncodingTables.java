package trellis.peer;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.pinot.segment.spi.creator.SegmentVersion;
import org.apache.pinot.spi.data.FieldSpec.DataType;

/**
 * How values are encoded: dictionaries, raw containers with every codec, delta codecs, huge values.
 */
final class EncodingTables {
  private static final List<String> CODECS = List.of("PASS_THROUGH", "SNAPPY", "ZSTANDARD", "LZ4",
      "GZIP");

  private EncodingTables() {
  }

  static List<FixtureTable> all() {
    return List.of(dictionaries(), raw(), delta(), huge(), wide());
  }

  /** A raw column's field config; docs and size bound its chunks. */
  static String rawConfig(int version, String codec, int docs, String size) {
    return """
        {"encodingType": "RAW", "indexes": {"forward": {"rawIndexWriterVersion": %d,
         "compressionCodec": "%s", "targetDocsPerChunk": %d, "targetMaxChunkSize": "%s"}}}"""
        .formatted(version, codec, docs, size);
  }

  static Map<String, String> each(List<String> columns, String config) {
    Map<String, String> configs = new HashMap<>();
    columns.forEach(column -> configs.put(column, config));
    return configs;
  }

  private static FixtureTable dictionaries() {
    FixtureTable table = new FixtureTable("dict", 300);
    table.one("day", DataType.INT, (weather, i) -> i / 7 * 3 - 20);
    table.one("day_name", DataType.STRING, (weather, i) -> "day %03d".formatted(i / 7));
    for (int count : new int[] {1, 2, 3, 4, 5, 16, 17, 255, 256, 257}) {
      table.one("int_" + count, DataType.INT,
          (weather, i) -> (i < count ? count - 1 - i : weather.below(count)) * 11 - 5);
      table.one("text_" + count, DataType.STRING,
          (weather, i) -> "s" + Integer.toString(i < count ? i : weather.below(count), 36));
    }
    table.one("reports", DataType.LONG, (weather, i) -> i == 3 ? Long.MAX_VALUE
        : i == 4 ? Long.MIN_VALUE + 1 : weather.below(90) * 10_000_000_019L);
    table.one("temperature", DataType.FLOAT, (weather, i) -> i == 5 ? Float.MAX_VALUE
        : i == 6 ? Float.MIN_VALUE : weather.temperature());
    table.one("pressure", DataType.DOUBLE, (weather, i) -> i == 5 ? -Double.MAX_VALUE
        : i == 6 ? Double.MIN_VALUE : weather.pressure());
    table.metric("rain", DataType.BIG_DECIMAL, (weather, i) -> weather.rain());
    table.one("online", DataType.BOOLEAN, (weather, i) -> !weather.oneIn(4));
    table.one("seen", DataType.TIMESTAMP, (weather, i) -> weather.momentMs());
    table.one("place", DataType.STRING, (weather, i) -> weather.place()
        + (i % 3 == 0 ? "" : " " + i % 9));
    table.one("nothing", DataType.STRING, (weather, i) -> "");
    table.one("report", DataType.JSON, (weather, i) -> "{\"sky\":\"" + weather.sky() + "\"}");
    table.one("serial", DataType.BYTES, (weather, i) -> weather.bytes(weather.below(4)));
    table.one("code", DataType.BYTES, (weather, i) -> weather.bytes(6));
    table.many("m_int", DataType.INT, (weather, i) -> weather.many(6, () -> weather.below(300)));
    table.many("m_long", DataType.LONG, (weather, i) ->
        weather.many(3, () -> weather.below(9) * 7_000_000_000L));
    table.many("m_float", DataType.FLOAT, (weather, i) ->
        weather.many(3, () -> weather.below(9) / 4f));
    table.many("m_double", DataType.DOUBLE, (weather, i) ->
        weather.many(3, () -> weather.below(9) / 8.0));
    table.many("m_bool", DataType.BOOLEAN, (weather, i) -> weather.many(3, () -> weather.oneIn(2)));
    table.many("m_time", DataType.TIMESTAMP, (weather, i) -> weather.many(2, weather::momentMs));
    table.many("m_text", DataType.STRING, (weather, i) -> weather.many(4, weather::place));
    table.many("m_bytes", DataType.BYTES, (weather, i) ->
        weather.many(2, () -> new byte[] {(byte) weather.below(40), 7}));
    table.many("m_same", DataType.INT, (weather, i) -> new Object[] {4, 4, 4});
    table.many("m_wide", DataType.INT, (weather, i) -> i == 149
        ? Weather.some(2500, () -> weather.below(50)) : new Object[] {weather.below(50)});
    List<String> texts = table.columnNames().stream()
        .filter(column ->
            column.startsWith("text_") || List.of("place", "nothing", "serial", "code",
            "m_text", "m_bytes", "report", "day_name").contains(column)).toList();
    List<String> arrays = table.columnNames().stream().filter(column ->
        column.startsWith("m_")).toList();
    Map<String, String> entries = each(arrays, """
        {"encodingType": "DICTIONARY", "compressionCodec": "MV_ENTRY_DICT"}""");
    return table.segment("fixed", Map.of())
        .segment("variable", SegmentVersion.v3, Map.of(), options ->
            options.setVarLengthDictionaryColumns(texts))
        .segment("files", SegmentVersion.v1, Map.of(), options -> { })
        .segment("entries", entries);
  }

  private static FixtureTable raw() {
    FixtureTable table = new FixtureTable("raw", 100);
    table.one("station", DataType.INT, (weather, i) -> i % 31 == 0 ? null : weather.anyInt());
    table.one("reports", DataType.LONG, (weather, i) -> weather.anyLong());
    table.one("temperature", DataType.FLOAT, (weather, i) -> weather.anyFloat());
    table.one("pressure", DataType.DOUBLE, (weather, i) -> weather.anyDouble());
    table.metric("rain", DataType.BIG_DECIMAL, (weather, i) -> weather.rain());
    table.one("online", DataType.BOOLEAN, (weather, i) -> weather.oneIn(2));
    table.one("seen", DataType.TIMESTAMP, (weather, i) -> weather.momentMs());
    table.one("place", DataType.STRING, (weather, i) -> i % 43 == 0 ? null : i % 7 == 0 ? ""
        : weather.place() + weather.below(1000));
    table.one("report", DataType.JSON, (weather, i) -> weather.report());
    table.one("serial", DataType.BYTES, (weather, i) -> weather.bytes(weather.below(14)));
    table.many("m_int", DataType.INT, (weather, i) -> weather.many(4, weather::anyInt));
    table.many("m_long", DataType.LONG, (weather, i) -> weather.many(3, weather::anyLong));
    table.many("m_float", DataType.FLOAT, (weather, i) -> weather.many(3, weather::anyFloat));
    table.many("m_double", DataType.DOUBLE, (weather, i) -> weather.many(3, weather::anyDouble));
    table.many("m_text", DataType.STRING, (weather, i) -> i % 37 == 0 ? null
        : weather.many(4, () -> weather.oneIn(6) ? "" : weather.place()));
    table.many("m_bytes", DataType.BYTES, (weather, i) ->
        weather.many(3, () -> weather.bytes(weather.below(6))));
    List<String> columns = table.columnNames();
    for (int version = 2; version <= 5; version++) {
      for (String codec : CODECS) {
        table.segment("c%d_%s".formatted(version, codec.toLowerCase()),
            each(columns, rawConfig(version, codec, 37, "4K")));
      }
    }
    table.segment("c4_lz4_files", SegmentVersion.v1, each(columns, rawConfig(4, "LZ4", 37, "4K")),
        options -> { });
    return table.segment("default", SegmentVersion.v3, Map.of(),
        options -> options.setNoDictionaryColumns(columns));
  }

  /** Slow counters, wrap-arounds and noise; 333 rows leave an odd tail in every chunk size. */
  private static FixtureTable delta() {
    FixtureTable table = new FixtureTable("delta", 333);
    table.one("tick", DataType.INT, (weather, i) -> i * 60 + weather.below(3));
    table.one("jump", DataType.INT, (weather, i) -> i % 50 == 7 ? Integer.MAX_VALUE
        : i % 50 == 8 ? Integer.MIN_VALUE : weather.anyInt());
    table.one("total", DataType.LONG, (weather, i) -> 1_000_000_007L * i + weather.below(1000));
    table.one("leap", DataType.LONG, (weather, i) -> i % 40 == 3 ? Long.MAX_VALUE
        : i % 40 == 4 ? Long.MIN_VALUE : weather.anyLong());
    table.one("seen", DataType.TIMESTAMP, (weather, i) -> Weather.START_MS + i * 1000L
        + weather.below(9));
    for (String codec : List.of("DELTA", "DELTADELTA")) {
      table.segment("c4_" + codec.toLowerCase(),
          each(table.columnNames(), rawConfig(4, codec, 64, "4K")));
      table.segment("c3_" + codec.toLowerCase(),
          each(table.columnNames(), rawConfig(3, codec, 37, "4K")));
      table.segment("c2_" + codec.toLowerCase(),
          each(table.columnNames(), rawConfig(2, codec, 1, "4K")));
    }
    return table;
  }

  /**
   * Values larger than a chunk of 4 KiB: the first, the last, several in a row, and just at the
   * edge.
   */
  private static FixtureTable huge() {
    FixtureTable table = new FixtureTable("huge", 50);
    table.one("text", DataType.STRING, (weather, i) -> weather.text(switch (i) {
      case 0 -> 5000;
      case 10, 11, 12 -> 4100 + i;
      case 20, 21, 22, 23 -> 4065 + i; // 4085 to 4088: around the largest that still fits
      case 49 -> 6000;
      default -> weather.below(90);
    }));
    table.one("serial", DataType.BYTES, (weather, i) -> i == 17 ? weather.text(4500).getBytes()
        : weather.bytes(weather.below(20)));
    table.many("words", DataType.STRING, (weather, i) ->
        Weather.some(i == 20 ? 500 : 1 + weather.below(3), weather::sky));
    table.many("numbers", DataType.INT, (weather, i) ->
        Weather.some(i == 25 ? 1200 : 1 + weather.below(3), () -> weather.below(99)));
    table.many("totals", DataType.LONG, (weather, i) ->
        Weather.some(i % 49 == 0 ? 520 : 1, () -> (long) weather.below(9)));
    for (int version = 2; version <= 5; version++) {
      for (String codec : version == 4 ? CODECS : List.of("LZ4", "ZSTANDARD")) {
        table.segment("c%d_%s".formatted(version, codec.toLowerCase()),
            each(table.columnNames(), rawConfig(version, codec, version < 4 ? 7 : -1, "4K")));
      }
    }
    return table;
  }

  /** More rows than one Roaring container or one block of a range index holds. */
  private static FixtureTable wide() {
    FixtureTable table = new FixtureTable("wide", 66_000).withoutNulls();
    table.one("minute", DataType.INT, (weather, i) -> i % 60);
    table.one("hour", DataType.INT, (weather, i) -> i / 4000);
    table.one("sky", DataType.STRING, (weather, i) -> i % 11_000 < 5000 ? "clear" : "fog");
    table.many("pair", DataType.INT, (weather, i) -> new Object[] {i % 2, 2 + i / 33_000});
    return table.segment("packed", Map.of(
        "minute", IndexTables.with("range"), "hour", IndexTables.with("range"),
        "sky", IndexTables.with("inverted"), "pair", IndexTables.with("inverted")));
  }
}
