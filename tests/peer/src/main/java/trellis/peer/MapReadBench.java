package trellis.peer;

import com.fasterxml.jackson.databind.node.ArrayNode;
import java.io.File;
import java.util.Map;
import org.apache.pinot.segment.local.segment.index.readers.forward.VarByteChunkForwardIndexReaderV4;
import org.apache.pinot.segment.spi.memory.PinotDataBuffer;
import org.apache.pinot.spi.data.FieldSpec.DataType;

/**
 * What one key of a MAP costs in Pinot: its reader makes a map of the whole row, then the key is
 * asked for. Usage: MapReadBench TIMES NAME FILE DOCS KEY VALUE [NAME FILE DOCS KEY VALUE...]: FILE
 * is a raw forward index (container 4) of DOCS rows, VALUE the text of KEY's value in the last.
 * Prints a JSON array: nanoseconds and bytes a read, the documents read in order.
 */
public final class MapReadBench {
  private static final int WARM_UP_READS = 400_000;

  private MapReadBench() {
  }

  public static void main(String[] arguments) throws Exception {
    ArrayNode results = RowText.JSON.createArrayNode();
    int times = Integer.parseInt(arguments[0]);
    for (int i = 1; i < arguments.length; i += 5) {
      measure(results, times, arguments[i], new File(arguments[i + 1]),
          Integer.parseInt(arguments[i + 2]), arguments[i + 3], arguments[i + 4]);
    }
    System.out.println(RowText.JSON.writeValueAsString(results));
    System.exit(0); // Pinot leaves threads behind
  }

  private static void measure(ArrayNode results, int times, String name, File file, int docs,
      String key, String value) throws Exception {
    try (PinotDataBuffer buffer = PinotDataBuffer.mapReadOnlyBigEndianFile(file);
        VarByteChunkForwardIndexReaderV4 reader =
            new VarByteChunkForwardIndexReaderV4(buffer, DataType.MAP, true)) {
      try (VarByteChunkForwardIndexReaderV4.ReaderContext context = reader.createContext()) {
        String last = RowText.JSON.writeValueAsString(reader.getMap(docs - 1, context).get(key));
        if (!last.equals(value)) {
          throw new IllegalStateException(name + ": " + last + ", wanted " + value);
        }
      }
      // Fewer documents a time than there may be: enough bytes to exceed the caches.
      int reads = Math.min(docs, 50_000);
      Measured.add(results, name, reads, 1 + WARM_UP_READS / reads, times, () -> {
        long found = 0;
        try (VarByteChunkForwardIndexReaderV4.ReaderContext context = reader.createContext()) {
          for (int docId = 0; docId < reads; docId++) {
            Map<String, Object> map = reader.getMap(docId, context);
            found += map.get(key) == null ? 0 : 1;
          }
        }
        return found;
      });
    }
  }
}
