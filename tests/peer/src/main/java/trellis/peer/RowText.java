package trellis.peer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.sql.Timestamp;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.pinot.spi.data.FieldSpec.DataType;

/** Values in the JSON form that `trellis segment dump` prints. */
final class RowText {
  static final ObjectMapper JSON = new ObjectMapper();
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private RowText() {
  }

  /** Returns a cell's JSON: null is null, a multi-value cell (any array but bytes) an array. */
  static JsonNode cell(DataType type, Object value) {
    if (value == null) {
      return NODES.nullNode();
    }
    if (value instanceof byte[] || !value.getClass().isArray()) {
      return single(type, value);
    }
    ArrayNode values = NODES.arrayNode();
    for (int i = 0; i < java.lang.reflect.Array.getLength(value); i++) {
      values.add(single(type, java.lang.reflect.Array.get(value, i)));
    }
    return values;
  }

  private static JsonNode single(DataType type, Object value) {
    return switch (type) {
      case INT -> NODES.numberNode(((Number) value).intValue());
      case LONG -> NODES.numberNode(((Number) value).longValue());
      case FLOAT -> number(((Number) value).floatValue());
      case DOUBLE -> number(((Number) value).doubleValue());
      case BOOLEAN -> NODES.booleanNode(value instanceof Boolean flag ? flag
          : ((Number) value).intValue() != 0);
      case TIMESTAMP -> NODES.numberNode(value instanceof Timestamp time ? time.getTime()
          : ((Number) value).longValue());
      case BIG_DECIMAL -> NODES.textNode(((BigDecimal) value).toPlainString());
      case BYTES -> NODES.textNode(HexFormat.of().formatHex((byte[]) value));
      case MAP -> tree(value);
      default -> NODES.textNode((String) value);
    };
  }

  private static JsonNode number(float value) {
    return Float.isFinite(value) ? NODES.numberNode(value) : NODES.textNode(Float.toString(value));
  }

  private static JsonNode number(double value) {
    return Double.isFinite(value) ? NODES.numberNode(value)
        : NODES.textNode(Double.toString(value));
  }

  /** What lies in a MAP: objects, lists and whatever JSON has. */
  private static JsonNode tree(Object value) {
    if (value instanceof Map<?, ?> map) {
      ObjectNode object = NODES.objectNode();
      map.forEach((key, entry) -> object.set((String) key, tree(entry)));
      return object;
    }
    if (value instanceof List<?> list) {
      ArrayNode array = NODES.arrayNode();
      list.forEach(element -> array.add(tree(element)));
      return array;
    }
    return JSON.valueToTree(value);
  }
}
