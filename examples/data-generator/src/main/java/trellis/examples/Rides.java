package trellis.examples;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.pinot.spi.config.table.FieldConfig;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.config.table.TableType;
import org.apache.pinot.spi.data.ComplexFieldSpec;
import org.apache.pinot.spi.data.DimensionFieldSpec;
import org.apache.pinot.spi.data.FieldSpec;
import org.apache.pinot.spi.data.FieldSpec.DataType;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.apache.pinot.spi.utils.builder.TableConfigBuilder;

/** Trips on the bicycles of an invented town: one segment a week, every way Pinot has to lay out a column. */
final class Rides implements ExampleTable {
  private static final long SEED = 20260601;
  private static final int SEGMENT_COUNT = 5;
  private static final int ROWS_PER_SEGMENT = 1000;
  private static final LocalDate FIRST_DAY = LocalDate.of(2026, 6, 1);
  private static final List<String> TAGS =
      List.of("commute", "tourist", "night", "return", "electric", "cargo", "child seat", "regen");
  private static final List<String> SKIES = List.of("clear", "clouds", "rain", "fog", "hail");

  @Override
  public String name() {
    return "rides";
  }

  @Override
  public Schema schema() {
    return new Schema.SchemaBuilder().setSchemaName(name())
        .addSingleValueDimension("trip_id", DataType.LONG)
        .addSingleValueDimension("bike_id", DataType.STRING)
        .addSingleValueDimension("station", DataType.STRING)
        .addSingleValueDimension("day", DataType.STRING)
        .addSingleValueDimension("member", DataType.BOOLEAN)
        .addSingleValueDimension("rating", DataType.INT)
        .addSingleValueDimension("comment", DataType.STRING)
        .addMultiValueDimension("tags", DataType.STRING)
        .addMultiValueDimension("stops", DataType.INT)
        .addMetric("minutes", DataType.INT)
        .addMetric("fare", DataType.DOUBLE)
        .addMetric("co2_saved", DataType.FLOAT)
        .addDateTime("started_at", DataType.TIMESTAMP, "TIMESTAMP", "1:MILLISECONDS")
        .addField(map("weather", DataType.STRING))
        .addField(map("meters", DataType.INT))
        .build();
  }

  @Override
  public TableConfig config() {
    List<FieldConfig> fields = new ArrayList<>();
    fields.add(raw("trip_id", "ZSTANDARD", 500));
    fields.add(raw("minutes", "LZ4", 500));
    fields.add(raw("fare", "PASS_THROUGH", 500));
    fields.add(raw("comment", "ZSTANDARD", 200));
    fields.add(raw("weather", "LZ4", 100));
    fields.add(raw("meters", "LZ4", 100));
    return new TableConfigBuilder(TableType.OFFLINE).setTableName(name()).setTimeColumnName("started_at")
        .setSortedColumn("day").setInvertedIndexColumns(List.of("station", "tags"))
        .setCreateInvertedIndexDuringSegmentGeneration(true).setRangeIndexColumns(List.of("rating"))
        .setBloomFilterColumns(List.of("bike_id")).setNullHandlingEnabled(true).setFieldConfigList(fields).build();
  }

  @Override
  public Map<String, List<GenericRow>> segments() {
    Random random = new Random(SEED);
    Map<String, List<GenericRow>> segments = new LinkedHashMap<>();
    for (int week = 0; week < SEGMENT_COUNT; week++) {
      LocalDate first = FIRST_DAY.plusWeeks(week);
      List<GenericRow> rows = new ArrayList<>();
      for (int index = 0; index < ROWS_PER_SEGMENT; index++) {
        LocalDate day = first.plusDays(index * 7L / ROWS_PER_SEGMENT); // days rise: the column is sorted
        rows.add(ride(random, (long) week * ROWS_PER_SEGMENT + index, day));
      }
      segments.put("rides_" + first + "_" + first.plusDays(6), rows);
    }
    return segments;
  }

  private static GenericRow ride(Random random, long index, LocalDate day) {
    int minutes = 2 + (int) Math.min(178, Math.abs(random.nextGaussian()) * 25);
    boolean member = random.nextInt(10) < 7;
    Instant midnight = day.atStartOfDay(ZoneOffset.UTC).toInstant();
    GenericRow row = new GenericRow();
    row.putValue("trip_id", 9_000_000_000L + index * 13);
    row.putValue("bike_id", String.format("bike-%04d", random.nextInt(400)));
    row.putValue("station", Stations.NAMES.get((int) (Stations.NAMES.size() * Math.pow(random.nextDouble(), 1.6))));
    row.putValue("day", day.toString());
    row.putValue("member", member);
    row.putValue("rating", random.nextInt(3) == 0 ? null : (Object) (1 + random.nextInt(5)));
    row.putValue("comment", comment(random));
    row.putValue("tags", tags(random));
    row.putValue("stops", stops(random));
    row.putValue("minutes", minutes);
    row.putValue("fare", member ? minutes * 5 / 100.0 : 1 + minutes * 15 / 100.0);
    row.putValue("co2_saved", minutes * 42 / 8f);
    row.putValue("started_at", midnight.plusSeconds(random.nextInt(86_400)).toEpochMilli());
    row.putValue("weather", weather(random));
    row.putValue("meters", meters(random, minutes));
    return row;
  }

  private static Object comment(Random random) {
    return switch (random.nextInt(12)) {
      case 0 -> "chain slips in gear " + (1 + random.nextInt(7));
      case 1 -> "saddle too low; otherwise fine";
      case 2 -> "świetny rower";
      case 3 -> "";
      default -> null;
    };
  }

  private static Object[] tags(Random random) {
    List<Object> tags = new ArrayList<>();
    for (int count = 1 + random.nextInt(3); count > 0; count--) {
      String tag = TAGS.get(random.nextInt(TAGS.size()));
      if (!tags.contains(tag)) {
        tags.add(tag);
      }
    }
    return tags.toArray();
  }

  private static Object[] stops(Random random) {
    Object[] stops = new Object[1 + random.nextInt(4)];
    for (int index = 0; index < stops.length; index++) {
      stops[index] = random.nextInt(Stations.NAMES.size());
    }
    return stops;
  }

  private static Map<String, Object> weather(Random random) {
    Map<String, Object> weather = new LinkedHashMap<>();
    weather.put("sky", SKIES.get(random.nextInt(SKIES.size())));
    weather.put("wind", random.nextInt(4) == 0 ? "storm" : "breeze");
    if (random.nextInt(5) != 0) {
      weather.put("temperature", Integer.toString(8 + random.nextInt(20)));
    }
    if (random.nextInt(9) == 0) {
      weather.put("note", "sun after rain");
    }
    return weather;
  }

  private static Map<String, Object> meters(Random random, int minutes) {
    Map<String, Object> meters = new LinkedHashMap<>();
    meters.put("length", minutes * (180 + random.nextInt(60)));
    if (random.nextBoolean()) {
      meters.put("climb", random.nextInt(120));
    }
    return meters;
  }

  private static ComplexFieldSpec map(String name, DataType valueType) {
    Map<String, FieldSpec> children = new LinkedHashMap<>(); // Map.of has no fixed order
    children.put(ComplexFieldSpec.KEY_FIELD, new DimensionFieldSpec(ComplexFieldSpec.KEY_FIELD, DataType.STRING, true));
    children.put(ComplexFieldSpec.VALUE_FIELD, new DimensionFieldSpec(ComplexFieldSpec.VALUE_FIELD, valueType, true));
    return new ComplexFieldSpec(name, DataType.MAP, true, children);
  }

  /** Returns the configuration of a column without a dictionary: V4 chunks of at most so many rows. */
  private static FieldConfig raw(String column, String codec, int rowsPerChunk) {
    ObjectNode forward = JsonNodeFactory.instance.objectNode();
    forward.put("rawIndexWriterVersion", 4);
    forward.put("compressionCodec", codec);
    forward.put("targetMaxChunkSize", "32K");
    forward.put("targetDocsPerChunk", rowsPerChunk);
    ObjectNode indexes = JsonNodeFactory.instance.objectNode();
    indexes.set("forward", forward);
    return new FieldConfig.Builder(column).withEncodingType(FieldConfig.EncodingType.RAW).withIndexes(indexes).build();
  }
}
