package trellis.examples;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedWriter;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.apache.pinot.segment.local.segment.creator.impl.SegmentIndexCreationDriverImpl;
import org.apache.pinot.segment.local.segment.readers.GenericRowRecordReader;
import org.apache.pinot.segment.local.segment.readers.PinotSegmentRecordReader;
import org.apache.pinot.segment.spi.creator.SegmentGeneratorConfig;
import org.apache.pinot.segment.spi.creator.SegmentVersion;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.data.FieldSpec;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.data.readers.GenericRow;

/**
 * Writes the example tables as segments, with Pinot's own writer, and beside them the rows that went
 * in. Usage: GenerateData OUT_DIR. Each segment is read back with Pinot's reader before it counts.
 */
public final class GenerateData {
  private static final String CREATION_TIME_MS = "1764504000000"; // fixed: the same bytes every time
  private static final ObjectMapper JSON = new ObjectMapper();

  private GenerateData() {
  }

  public static void main(String[] arguments) throws Exception {
    Path out = Path.of(arguments[0]);
    for (ExampleTable table : List.of(new Rides(), new Stations())) {
      write(out.resolve(table.name()), table);
    }
    System.exit(0); // Pinot leaves threads behind
  }

  private static void write(Path folder, ExampleTable table) throws Exception {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("schema.json"), sorted(table.schema().toJsonObject()));
    Files.writeString(folder.resolve("tableConfig.json"), sorted(table.config().toJsonNode()));
    try (BufferedWriter expected = gzip(folder.resolve("expected.jsonl.gz"))) {
      for (Map.Entry<String, List<GenericRow>> segment : table.segments().entrySet()) {
        List<ObjectNode> wanted = new ArrayList<>();
        for (GenericRow row : segment.getValue()) {
          wanted.add(RowText.of(table.schema(), row));
        }
        build(folder, segment.getKey(), table.schema(), table.config(), segment.getValue());
        check(folder.resolve(segment.getKey()), table.schema(), wanted);
        for (ObjectNode row : wanted) {
          row.put("$segmentName", segment.getKey());
          expected.write(JSON.writeValueAsString(row));
          expected.newLine();
        }
        System.out.printf("%s: %d rows%n", segment.getKey(), wanted.size());
      }
    }
  }

  /** Prints with keys in order: Pinot's own order changes from run to run. */
  private static String sorted(JsonNode node) throws IOException {
    return JSON.writer().with(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS).withDefaultPrettyPrinter()
        .writeValueAsString(JSON.treeToValue(node, Object.class)) + "\n";
  }

  /** Opens a gzip file whose header carries no time, so that equal rows give equal bytes. */
  private static BufferedWriter gzip(Path path) throws IOException {
    return new BufferedWriter(new OutputStreamWriter(
        new GZIPOutputStream(new FileOutputStream(path.toFile())), StandardCharsets.UTF_8));
  }

  private static void build(Path folder, String name, Schema schema, TableConfig config,
      List<GenericRow> rows) throws Exception {
    SegmentGeneratorConfig generator = new SegmentGeneratorConfig(config, schema);
    generator.setOutDir(folder.toString());
    generator.setSegmentName(name);
    generator.setSegmentVersion(SegmentVersion.v3);
    generator.setCreationTime(CREATION_TIME_MS);
    SegmentIndexCreationDriverImpl driver = new SegmentIndexCreationDriverImpl();
    driver.init(generator, new GenericRowRecordReader(rows));
    driver.build();
  }

  /** Reads a segment back; throws when a row differs from what went in. */
  private static void check(Path segment, Schema schema, List<ObjectNode> wanted) throws Exception {
    try (PinotSegmentRecordReader reader = new PinotSegmentRecordReader()) {
      reader.init(new File(segment.toString()), null, null, false);
      GenericRow row = new GenericRow();
      int index = 0;
      for (; reader.hasNext(); index++) {
        row.clear();
        row = reader.next(row);
        for (FieldSpec field : schema.getAllFieldSpecs()) {
          if (row.isNullValue(field.getName())) {
            row.putValue(field.getName(), null);
          }
        }
        String read = JSON.writeValueAsString(RowText.of(schema, row));
        String put = JSON.writeValueAsString(wanted.get(index));
        if (!JSON.readTree(read).equals(JSON.readTree(put))) {
          throw new IllegalStateException(segment + " row " + index + ": put " + put + ", read " + read);
        }
      }
      if (index != wanted.size()) {
        throw new IllegalStateException(segment + ": put " + wanted.size() + " rows, read " + index);
      }
    }
  }
}
