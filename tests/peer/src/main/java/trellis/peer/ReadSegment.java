package trellis.peer;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedWriter;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.pinot.segment.local.indexsegment.immutable.ImmutableSegmentLoader;
import org.apache.pinot.segment.local.segment.readers.PinotSegmentColumnReader;
import org.apache.pinot.segment.spi.ImmutableSegment;
import org.apache.pinot.segment.spi.compression.ChunkCompressionType;
import org.apache.pinot.segment.spi.datasource.DataSource;
import org.apache.pinot.segment.spi.index.reader.Dictionary;
import org.apache.pinot.segment.spi.index.reader.NullValueVectorReader;
import org.apache.pinot.spi.data.FieldSpec;
import org.apache.pinot.spi.data.FieldSpec.DataType;
import org.apache.pinot.spi.utils.ReadMode;
import org.roaringbitmap.ImmutableBitmapDataProvider;

/**
 * Prints the rows of segments as Pinot's own reader sees them, in docId order and in the form of
 * `trellis segment dump`. Usage: ReadSegment OUT_DIR SEGMENT_DIR...; the rows of a segment go to
 * OUT_DIR/NAME.jsonl, NAME being the name of its folder. Pinot may write into a folder it loads:
 * give it copies. Exit code 1: a segment could not be read; its reason is on standard error.
 */
public final class ReadSegment {
  /** Gives the value of a cell, null where the null vector says so. */
  private interface Cells {
    Object at(int docId) throws Exception;
  }

  private record Column(String name, DataType type, Cells cells) {
  }

  private ReadSegment() {
  }

  public static void main(String[] arguments) throws Exception {
    int failures = 0;
    for (int i = 1; i < arguments.length; i++) {
      File segment = new File(arguments[i]);
      Path out = Path.of(arguments[0], segment.getName() + ".jsonl");
      try (BufferedWriter writer = Files.newBufferedWriter(out)) {
        print(segment, writer);
      } catch (Exception | LinkageError failure) {
        failures++;
        System.err.println(segment.getName() + ": " + failure);
        failure.printStackTrace();
      }
    }
    System.exit(failures == 0 ? 0 : 1); // Pinot leaves threads behind
  }

  private static void print(File directory, BufferedWriter writer) throws Exception {
    ImmutableSegment segment = ImmutableSegmentLoader.load(directory, ReadMode.mmap);
    try {
      print(segment, writer);
    } finally {
      segment.destroy();
    }
  }

  static void print(ImmutableSegment segment, BufferedWriter writer) throws Exception {
    int rows = segment.getSegmentMetadata().getTotalDocs();
    List<Column> columns = new ArrayList<>();
    Set<String> names = new TreeSet<>(segment.getPhysicalColumnNames());
    for (String name : rows == 0 ? Set.<String>of() : names) {
      FieldSpec field = segment.getSegmentMetadata().getColumnMetadataFor(name).getFieldSpec();
      columns.add(new Column(name, field.getDataType(), open(segment, name, field, rows)));
    }
    for (int docId = 0; docId < rows; docId++) {
      ObjectNode row = RowText.JSON.createObjectNode();
      for (Column column : columns) {
        row.set(column.name(), RowText.cell(column.type(), column.cells().at(docId)));
      }
      writer.write(RowText.JSON.writeValueAsString(row));
      writer.write('\n');
    }
  }

  private static Cells open(ImmutableSegment segment, String name, FieldSpec field, int rows) {
    DataSource source = segment.getDataSource(name);
    if (source.getForwardIndex() == null) {
      Object[] values = valuesFromInvertedIndex(source, field, rows);
      NullValueVectorReader nulls = source.getNullValueVector();
      return docId -> nulls != null && nulls.isNull(docId) ? null : values[docId];
    }
    ChunkCompressionType codec = source.getForwardIndex().getCompressionType();
    if (codec == ChunkCompressionType.DELTA || codec == ChunkCompressionType.DELTADELTA) {
      return docId -> {
        // 1.5.1 inflates such a chunk into a buffer it then forgets, and answers the next read of
        // the same chunk from an empty one: each cell needs a reader of its own.
        try (PinotSegmentColumnReader once = new PinotSegmentColumnReader(segment, name)) {
          return once.isNull(docId) ? null : once.getValue(docId);
        }
      };
    }
    PinotSegmentColumnReader reader = new PinotSegmentColumnReader(segment, name);
    return docId -> reader.isNull(docId) ? null : reader.getValue(docId);
  }

  /** Without a forward index: each dictionary value goes to the rows its bitmap names. */
  private static Object[] valuesFromInvertedIndex(DataSource source, FieldSpec field, int rows) {
    Dictionary dictionary = source.getDictionary();
    List<List<Object>> found = new ArrayList<>();
    for (int docId = 0; docId < rows; docId++) {
      found.add(new ArrayList<>());
    }
    for (int dictId = 0; dictId < dictionary.length(); dictId++) {
      Object value = dictionary.get(dictId);
      var docIds = (ImmutableBitmapDataProvider) source.getInvertedIndex().getDocIds(dictId);
      docIds.forEach((org.roaringbitmap.IntConsumer) docId -> found.get(docId).add(value));
    }
    Object[] values = new Object[rows];
    for (int docId = 0; docId < rows; docId++) {
      List<Object> row = found.get(docId);
      if (field.isSingleValueField() && row.size() != 1) {
        throw new IllegalStateException(field.getName() + ": row " + docId + " has values " + row);
      }
      values[docId] = field.isSingleValueField() ? row.get(0) : row.toArray();
    }
    return values;
  }
}
