package trellis.peer;

import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.BufferedWriter;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.io.FileUtils;
import org.apache.pinot.segment.local.indexsegment.immutable.ImmutableSegmentLoader;
import org.apache.pinot.segment.local.segment.creator.impl.SegmentIndexCreationDriverImpl;
import org.apache.pinot.segment.local.segment.index.loader.IndexLoadingConfig;
import org.apache.pinot.segment.local.segment.readers.GenericRowRecordReader;
import org.apache.pinot.segment.spi.creator.SegmentGeneratorConfig;
import org.apache.pinot.spi.data.readers.GenericRow;

/**
 * Writes the project's own fixture segments with Pinot's writer, and the rows that went into them.
 * Usage: WriteSegments OUT_DIR [TABLE...]. Makes OUT_DIR/segments/TABLE/SEGMENT/, beside the
 * segments
 * schema.json, and OUT_DIR/rows/TABLE.jsonl.gz: every segment of a table holds the same rows.
 */
public final class WriteSegments {
  /** Fixed: the same bytes each time. */
  static final String CREATION_TIME_MS = "1764504000000";

  private WriteSegments() {
  }

  public static void main(String[] arguments) throws Exception {
    Path out = Path.of(arguments[0]);
    Set<String> only = new TreeSet<>(Arrays.asList(arguments).subList(1, arguments.length));
    List<FixtureTable> tables = new ArrayList<>();
    tables.addAll(EncodingTables.all());
    tables.addAll(ShapeTables.all());
    tables.addAll(IndexTables.all());
    int failures = 0;
    for (FixtureTable table : tables) {
      if (only.isEmpty() || only.contains(table.name())) {
        failures += write(out, table);
      }
    }
    System.exit(failures == 0 ? 0 : 1); // Pinot leaves threads behind
  }

  private static int write(Path out, FixtureTable table) throws IOException {
    Path folder = out.resolve("segments").resolve(table.name());
    FileUtils.deleteDirectory(folder.toFile());
    Files.createDirectories(folder);
    Files.createDirectories(out.resolve("rows"));
    Files.writeString(folder.resolve("schema.json"), schemaText(table));
    List<GenericRow> rows = table.rows();
    Path rowsFile = out.resolve("rows").resolve(table.name() + ".jsonl.gz");
    try (BufferedWriter writer = gzip(rowsFile)) {
      for (GenericRow row : rows) {
        writer.write(RowText.JSON.writeValueAsString(table.expected(row)));
        writer.write('\n');
      }
    }
    int failures = 0;
    for (FixtureTable.Segment segment : table.segments()) {
      try {
        switch (segment.way()) {
          case BATCH -> writeBatch(folder, table, segment, true);
          case RELOADED -> {
            writeBatch(folder, table, segment, false);
            reload(folder, table, segment);
          }
          case CONSUMED -> StreamWriter.write(folder, table, segment);
        }
        System.out.printf("%s: %d rows%n", segment.name(), rows.size());
      } catch (Exception | LinkageError failure) {
        failures++;
        System.out.printf("%s: FAILED: %s%n", segment.name(), failure);
        failure.printStackTrace();
      }
    }
    return failures;
  }

  private static void writeBatch(Path folder, FixtureTable table, FixtureTable.Segment segment,
      boolean withIndexes) throws Exception {
    SegmentGeneratorConfig generator =
        new SegmentGeneratorConfig(table.config(segment, withIndexes), table.schema());
    generator.setOutDir(folder.toString());
    generator.setSegmentName(segment.name());
    generator.setSegmentVersion(segment.version());
    generator.setCreationTime(CREATION_TIME_MS);
    SegmentIndexCreationDriverImpl driver = new SegmentIndexCreationDriverImpl();
    driver.init(generator, new GenericRowRecordReader(table.rows()));
    driver.build();
  }

  /** Adds indexes as a server does that loads a segment under a newer table config. */
  private static void reload(Path folder, FixtureTable table, FixtureTable.Segment segment)
      throws Exception {
    IndexLoadingConfig loading =
        new IndexLoadingConfig(table.config(segment, true), table.schema());
    ImmutableSegmentLoader.preprocess(folder.resolve(segment.name()).toFile(), loading, null, null);
  }

  /** Prints with keys in order: Pinot's own order changes from run to run. */
  private static String schemaText(FixtureTable table) throws IOException {
    return RowText.JSON.writer().with(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
        .withDefaultPrettyPrinter().writeValueAsString(
            RowText.JSON.treeToValue(table.schema().toJsonObject(), Object.class)) + "\n";
  }

  /** Opens a gzip file whose header carries no time, so that equal rows give equal bytes. */
  private static BufferedWriter gzip(Path path) throws IOException {
    return new BufferedWriter(new OutputStreamWriter(
        new GZIPOutputStream(new FileOutputStream(path.toFile())), StandardCharsets.UTF_8));
  }
}
