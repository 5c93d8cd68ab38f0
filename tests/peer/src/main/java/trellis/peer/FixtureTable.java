package trellis.peer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.apache.pinot.segment.spi.creator.SegmentVersion;
import org.apache.pinot.spi.config.table.FieldConfig;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.config.table.TableType;
import org.apache.pinot.spi.data.ComplexFieldSpec;
import org.apache.pinot.spi.data.DateTimeFieldSpec;
import org.apache.pinot.spi.data.DimensionFieldSpec;
import org.apache.pinot.spi.data.FieldSpec;
import org.apache.pinot.spi.data.FieldSpec.DataType;
import org.apache.pinot.spi.data.MetricFieldSpec;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.apache.pinot.spi.utils.builder.TableConfigBuilder;

/**
 * A table of fixtures: columns with the values that go in, and segments that all hold these rows.
 */
final class FixtureTable {
  /** Longest text a column may hold, in characters: Pinot cuts longer ones at ingestion. */
  private static final int LONGEST_TEXT = 100_000;

  /** Puts the value of one column of row number `i`, taken from `weather`. */
  interface Value {
    Object of(Weather weather, int i);
  }

  /** The way by which a segment comes about. */
  enum Way {
    /** Written by the batch writer. */
    BATCH,
    /** Written by the batch writer without indexes, which a server's reload then adds. */
    RELOADED,
    /** Consumed row by row as from a stream, then sealed. */
    CONSUMED
  }

  /** `columns`: per column the field config as JSON, without its name; absent: Pinot's defaults. */
  record Segment(String name, SegmentVersion version, Way way, Map<String, String> columns,
      Consumer<TableConfigBuilder> options) {
  }

  private final String name;
  private final int rowCount;
  private final Map<String, FieldSpec> fields = new LinkedHashMap<>();
  private final Map<String, Value> values = new LinkedHashMap<>();
  private final Map<String, BiConsumer<ObjectNode, GenericRow>> derived = new LinkedHashMap<>();
  private final List<Segment> segments = new ArrayList<>();
  private String timeColumn;
  private boolean nulls = true;

  FixtureTable(String name, int rowCount) {
    this.name = name;
    this.rowCount = rowCount;
  }

  String name() {
    return name;
  }

  List<Segment> segments() {
    return segments;
  }

  List<String> columnNames() {
    return List.copyOf(fields.keySet());
  }

  FixtureTable one(String column, DataType type, Value value) {
    return add(column, new DimensionFieldSpec(column, type, true), value);
  }

  FixtureTable many(String column, DataType type, Value value) {
    return add(column, new DimensionFieldSpec(column, type, false), value);
  }

  FixtureTable metric(String column, DataType type, Value value) {
    return add(column, new MetricFieldSpec(column, type), value);
  }

  FixtureTable time(String column, Value value) {
    timeColumn = column;
    return add(column,
        new DateTimeFieldSpec(column, DataType.TIMESTAMP, "TIMESTAMP", "1:MILLISECONDS"),
        value);
  }

  FixtureTable map(String column, DataType valueType, Value value) {
    // In the order they have once Pinot has read them from a schema's JSON: Map.of has another in
    // each process, and the metadata would follow it.
    Map<String, FieldSpec> children = new LinkedHashMap<>();
    children.put(ComplexFieldSpec.VALUE_FIELD,
        new DimensionFieldSpec(ComplexFieldSpec.VALUE_FIELD, valueType, true));
    children.put(ComplexFieldSpec.KEY_FIELD,
        new DimensionFieldSpec(ComplexFieldSpec.KEY_FIELD, DataType.STRING, true));
    return add(column, new ComplexFieldSpec(column, DataType.MAP, true, children), value);
  }

  /** Adds columns that Pinot derives itself to the expected rows. */
  FixtureTable derive(String column, BiConsumer<ObjectNode, GenericRow> add) {
    derived.put(column, add);
    return this;
  }

  FixtureTable withoutNulls() {
    nulls = false;
    return this;
  }

  FixtureTable segment(String segment, SegmentVersion version, Map<String, String> columns,
      Consumer<TableConfigBuilder> options) {
    segments.add(new Segment(name + "_" + segment, version, Way.BATCH, columns, options));
    return this;
  }

  FixtureTable segment(String segment, Way way, Map<String, String> columns) {
    segments.add(new Segment(name + "_" + segment, SegmentVersion.v3, way, columns,
        options -> { }));
    return this;
  }

  FixtureTable segment(String segment, Map<String, String> columns) {
    return segment(segment, SegmentVersion.v3, columns, options -> { });
  }

  /** A schema of its own for each segment: Pinot adds to it. */
  Schema schema() {
    Schema schema = new Schema();
    schema.setSchemaName(name);
    for (FieldSpec field : fields.values()) {
      schema.addField(field);
    }
    return schema;
  }

  /** The table's config for a segment; without indexes only the columns' encodings stay. */
  TableConfig config(Segment segment, boolean withIndexes) throws JsonProcessingException {
    TableConfigBuilder builder = plainConfig();
    for (Map.Entry<String, String> column : segment.columns().entrySet()) {
      ObjectNode field = (ObjectNode) RowText.JSON.readTree(column.getValue());
      field.put("name", column.getKey());
      if (!withIndexes) {
        field.remove("indexes");
      }
      builder.addFieldConfig(RowText.JSON.treeToValue(field, FieldConfig.class));
    }
    segment.options().accept(builder);
    return builder.build();
  }

  private TableConfigBuilder plainConfig() {
    TableConfigBuilder builder = new TableConfigBuilder(TableType.OFFLINE).setTableName(name)
        .setNullHandlingEnabled(nulls).setCreateInvertedIndexDuringSegmentGeneration(true);
    if (timeColumn != null) {
      builder.setTimeColumnName(timeColumn);
    }
    return builder;
  }

  /** The rows, made anew: Pinot changes those it is given. */
  List<GenericRow> rows() {
    Weather weather = new Weather(name.hashCode());
    List<GenericRow> rows = new ArrayList<>();
    for (int i = 0; i < rowCount; i++) {
      GenericRow row = new GenericRow();
      for (Map.Entry<String, Value> value : values.entrySet()) {
        row.putValue(value.getKey(), value.getValue().of(weather, i));
      }
      rows.add(row);
    }
    return rows;
  }

  ObjectNode expected(GenericRow row) {
    ObjectNode text = RowText.JSON.createObjectNode();
    fields.forEach((column, field) ->
        text.set(column, RowText.cell(field.getDataType(), row.getValue(column))));
    derived.values().forEach(add -> add.accept(text, row));
    return text;
  }

  private FixtureTable add(String column, FieldSpec field, Value value) {
    if (field.getDataType() != DataType.MAP) {
      field.setMaxLength(LONGEST_TEXT);
    }
    fields.put(column, field);
    values.put(column, value);
    return this;
  }
}
