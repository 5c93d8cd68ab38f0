package trellis.examples;

import java.util.List;
import java.util.Map;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.data.readers.GenericRow;

/** One example table: its schema, its configuration and its rows by segment. */
interface ExampleTable {
  String name();

  Schema schema();

  TableConfig config();

  /** Returns segment name to rows, in the order in which the expected rows are written. */
  Map<String, List<GenericRow>> segments();
}
