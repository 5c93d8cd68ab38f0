package trellis.examples;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.pinot.spi.data.FieldSpec;
import org.apache.pinot.spi.data.FieldSpec.DataType;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.data.readers.GenericRow;

/** Puts a row into the JSON form that `trellis segment dump` prints. */
final class RowText {
  private static final ObjectMapper JSON = new ObjectMapper();

  private RowText() {
  }

  static ObjectNode of(Schema schema, GenericRow row) {
    ObjectNode text = JSON.createObjectNode();
    for (FieldSpec field : schema.getAllFieldSpecs()) {
      if (field.isVirtualColumn()) {
        continue;
      }
      Object value = row.getValue(field.getName());
      if (value instanceof Object[] values) {
        ArrayNode array = text.putArray(field.getName());
        for (Object element : values) {
          array.add(JSON.valueToTree(element));
        }
      } else if (value instanceof Number number && field.getDataType() == DataType.BOOLEAN) {
        text.put(field.getName(), number.intValue() != 0);
      } else if (value instanceof java.sql.Timestamp time) {
        text.put(field.getName(), time.getTime());
      } else {
        text.set(field.getName(), JSON.valueToTree(value));
      }
    }
    return text;
  }
}
