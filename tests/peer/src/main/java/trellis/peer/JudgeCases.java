package trellis.peer;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.commons.io.FileUtils;
import org.apache.pinot.segment.local.indexsegment.immutable.ImmutableSegmentLoader;
import org.apache.pinot.segment.local.segment.creator.impl.SegmentIndexCreationDriverImpl;
import org.apache.pinot.segment.local.segment.index.loader.IndexLoadingConfig;
import org.apache.pinot.segment.local.segment.readers.GenericRowRecordReader;
import org.apache.pinot.segment.spi.ImmutableSegment;
import org.apache.pinot.segment.spi.creator.SegmentGeneratorConfig;
import org.apache.pinot.segment.spi.loader.SegmentDirectoryLoaderContext;
import org.apache.pinot.segment.spi.loader.SegmentDirectoryLoaderRegistry;
import org.apache.pinot.segment.spi.store.SegmentDirectory;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.data.readers.BaseRecordExtractor;
import org.apache.pinot.spi.data.readers.GenericRow;
import org.apache.pinot.spi.data.readers.RecordExtractorConfig;
import org.apache.pinot.spi.env.PinotConfiguration;
import org.apache.pinot.spi.utils.JsonUtils;
import org.apache.pinot.spi.utils.ReadMode;

/**
 * Judges segments another writer built. Usage: JudgeCases WORK_DIR. WORK_DIR/cases.json is an array
 * of {name, schema, config, rows}: paths below WORK_DIR. For each, Pinot builds its own segment in
 * peer/NAME, then loads copies/NAME (the other writer's) as a server would: nothing may be left to
 * preprocess, the indexes must answer as a scan of Pinot's own rows does. Both segments' rows go to
 * rows/peer/NAME.jsonl and rows/ours/NAME.jsonl. Faults go to faults.txt, one line each, `NAME:
 * text`; standard output says what was probed.
 */
public final class JudgeCases {
  /**
   * Rows out of JSON: Pinot's own conversions, which its JSON plugin takes over as they are. But
   * for one: 1.5.1 makes texts of the booleans inside a MAP, later versions keep them, as we do.
   */
  private static final class JsonRows extends BaseRecordExtractor<Map<String, Object>> {
    private Set<String> fields;

    @Override
    public void init(Set<String> wanted, RecordExtractorConfig config) {
      fields = wanted;
    }

    @Override
    protected Object convertSingleValue(Object value) {
      return value instanceof Boolean ? value : super.convertSingleValue(value);
    }

    @Override
    public GenericRow extract(Map<String, Object> from, GenericRow row) {
      for (String field : fields) {
        Object value = from.get(field);
        row.putValue(field, value == null ? null : convert(value));
      }
      return row;
    }
  }

  private final Path work;
  private final List<String> faults = new ArrayList<>();
  private final Map<Path, List<Map<String, Object>>> parsed = new HashMap<>();
  private long probes;

  private JudgeCases(Path work) {
    this.work = work;
  }

  public static void main(String[] arguments) throws Exception {
    JudgeCases judge = new JudgeCases(Path.of(arguments[0]));
    int count = 0;
    for (JsonNode one : RowText.JSON.readTree(judge.work.resolve("cases.json").toFile())) {
      String name = one.get("name").asText();
      try {
        judge.judge(name, one);
      } catch (Exception | LinkageError failure) {
        judge.faults.add(name + ": " + failure);
        System.err.println(name + ":");
        failure.printStackTrace();
      }
      count++;
    }
    Files.write(judge.work.resolve("faults.txt"), judge.faults);
    System.out.printf("Pinot: %d cases, %d index probes, %d faults%n", count, judge.probes,
        judge.faults.size());
    System.exit(0); // Pinot leaves threads behind
  }

  private void judge(String name, JsonNode one) throws Exception {
    Schema schema = Schema.fromFile(work.resolve(one.get("schema").asText()).toFile());
    TableConfig config = JsonUtils.stringToObject(
        Files.readString(work.resolve(one.get("config").asText())), TableConfig.class);
    File own = write(name, schema, config, work.resolve(one.get("rows").asText()));
    ImmutableSegment peer = ImmutableSegmentLoader.load(own, ReadMode.mmap);
    print(peer, "peer", name);
    File copy = work.resolve("copies").resolve(name).toFile();
    if (copy.isDirectory()) {
      judgeCopy(name, copy, new IndexLoadingConfig(config, schema), peer);
    }
    peer.destroy();
  }

  private void judgeCopy(String name, File copy, IndexLoadingConfig loading, ImmutableSegment peer)
      throws Exception {
    // As a server's loader does, but only asked: what it would make anew, we did not write well.
    loading.setReadMode(ReadMode.mmap);
    var loader = SegmentDirectoryLoaderRegistry.getDefaultSegmentDirectoryLoader();
    try (SegmentDirectory directory = loader
        .load(copy.toURI(), new SegmentDirectoryLoaderContext.Builder()
            .setSegmentName(name).setTableConfig(loading.getTableConfig())
            .setSegmentDirectoryConfigs(new PinotConfiguration(Map.of("readMode", "mmap")))
            .build())) {
      if (ImmutableSegmentLoader.needPreprocess(directory, loading)) {
        faults.add(name + ": a server would preprocess the segment");
      }
    }
    ImmutableSegment ours = ImmutableSegmentLoader.load(copy, ReadMode.mmap);
    print(ours, "ours", name);
    IndexProbe probe = new IndexProbe(ours, peer, name.hashCode());
    probe.faults().forEach(fault -> faults.add(name + ": " + fault));
    probes += probe.count();
    ours.destroy();
  }

  private File write(String name, Schema schema, TableConfig config, Path rows) throws Exception {
    Path out = work.resolve("peer");
    SegmentGeneratorConfig generator = new SegmentGeneratorConfig(config, schema);
    generator.setOutDir(out.toString());
    generator.setSegmentName(name);
    generator.setCreationTime(WriteSegments.CREATION_TIME_MS);
    SegmentIndexCreationDriverImpl driver = new SegmentIndexCreationDriverImpl();
    driver.init(generator, new GenericRowRecordReader(rows(schema, rows)));
    driver.build();
    return out.resolve(name).toFile();
  }

  private List<GenericRow> rows(Schema schema, Path path) throws IOException {
    JsonRows extractor = new JsonRows();
    extractor.init(schema.getPhysicalColumnNames(), null);
    List<GenericRow> rows = new ArrayList<>();
    try (BufferedReader reader = Files.newBufferedReader(path)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        Map<String, Object> row = JsonUtils.stringToObject(line, JsonUtils.MAP_TYPE_REFERENCE);
        rows.add(extractor.extract(row, new GenericRow()));
      }
    }
    return rows;
  }

  private void print(ImmutableSegment segment, String whose, String name) throws Exception {
    Path folder = work.resolve("rows").resolve(whose);
    Files.createDirectories(folder);
    try (BufferedWriter writer = Files.newBufferedWriter(folder.resolve(name + ".jsonl"))) {
      ReadSegment.print(segment, writer);
    }
  }
}
