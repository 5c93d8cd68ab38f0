package trellis.examples;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.config.table.TableType;
import org.apache.pinot.spi.data.FieldSpec.DataType;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.apache.pinot.spi.utils.builder.TableConfigBuilder;

/** The places of an invented town where bicycles stand: one small segment, every column in a dictionary. */
final class Stations implements ExampleTable {
  /** In the order of their ids; names that are not ASCII are there on purpose. */
  static final List<String> NAMES = List.of("Harbour Gate", "Mill Lane", "Old Observatory", "Café Ørsted",
      "Linden Square", "North Quay", "Tram Depot", "Botanic Garden", "Fish Market", "Glass Works",
      "University Hill", "Żuraw Bridge", "Paper Mill", "Swan Lake", "Weavers' Row", "日の出 Plaza");
  private static final List<String> DISTRICTS = List.of("harbour", "old town", "hill", "meadows");

  @Override
  public String name() {
    return "stations";
  }

  @Override
  public Schema schema() {
    return new Schema.SchemaBuilder().setSchemaName(name())
        .addSingleValueDimension("station_id", DataType.INT)
        .addSingleValueDimension("name", DataType.STRING)
        .addSingleValueDimension("district", DataType.STRING)
        .addSingleValueDimension("latitude", DataType.DOUBLE)
        .addSingleValueDimension("longitude", DataType.DOUBLE)
        .addSingleValueDimension("opened_year", DataType.INT)
        .addMetric("docks", DataType.INT)
        .build();
  }

  @Override
  public TableConfig config() {
    return new TableConfigBuilder(TableType.OFFLINE).setTableName(name()).setSortedColumn("station_id").build();
  }

  @Override
  public Map<String, List<GenericRow>> segments() {
    List<GenericRow> rows = new ArrayList<>();
    for (int id = 0; id < NAMES.size(); id++) {
      GenericRow row = new GenericRow();
      row.putValue("station_id", id);
      row.putValue("name", NAMES.get(id));
      row.putValue("district", DISTRICTS.get(id % DISTRICTS.size()));
      row.putValue("latitude", 54.25 + id * 0.0125);
      row.putValue("longitude", 18.5 + (id * 7 % 16) * 0.03125);
      row.putValue("opened_year", 2009 + id * 5 % 14);
      row.putValue("docks", 12 + id * 11 % 29);
      rows.add(row);
    }
    return Map.of("stations_0", rows);
  }
}
