package trellis.peer;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.commons.io.FileUtils;
import org.apache.pinot.common.metadata.segment.SegmentZKMetadata;
import org.apache.pinot.common.metrics.ServerMetrics;
import org.apache.pinot.segment.local.indexsegment.mutable.MutableSegmentImpl;
import org.apache.pinot.segment.local.io.writer.impl.DirectMemoryManager;
import org.apache.pinot.segment.local.realtime.converter.RealtimeSegmentConverter;
import org.apache.pinot.segment.local.realtime.impl.RealtimeSegmentConfig;
import org.apache.pinot.segment.local.realtime.impl.RealtimeSegmentStatsHistory;
import org.apache.pinot.segment.local.segment.creator.TransformPipeline;
import org.apache.pinot.spi.config.table.SegmentZKPropsConfig;
import org.apache.pinot.spi.config.table.TableConfig;
import org.apache.pinot.spi.data.Schema;
import org.apache.pinot.spi.data.readers.GenericRow;

/**
 * Writes a segment as a server does that consumes a stream: rows into a mutable segment, then
 * sealed.
 */
final class StreamWriter {
  private StreamWriter() {
  }

  static void write(Path folder, FixtureTable table, FixtureTable.Segment segment)
      throws Exception {
    Path scratch = Files.createTempDirectory("consuming");
    TableConfig config = table.config(segment, true);
    Schema schema = table.schema();
    ServerMetrics metrics = ServerMetrics.get(); // counts nothing: none was registered
    try (DirectMemoryManager memory = new DirectMemoryManager(segment.name(), metrics)) {
      RealtimeSegmentConfig consuming = new RealtimeSegmentConfig.Builder(config, schema)
          .setTableNameWithType(table.name() + "_REALTIME").setSegmentName(segment.name())
          .setStreamName(table.name()).setSchema(schema).setCapacity(table.rows().size() + 1)
          .setAvgNumMultiValues(3).setSegmentZKMetadata(new SegmentZKMetadata(segment.name()))
          .setOffHeap(true).setMemoryManager(memory).setNullHandlingEnabled(true)
          .setStatsHistory(
              RealtimeSegmentStatsHistory.deserializeFrom(scratch.resolve("stats").toFile()))
          .setConsumerDir(scratch.resolve("consumer").toString()).build();
      MutableSegmentImpl rows = new MutableSegmentImpl(consuming, metrics);
      try {
        TransformPipeline pipeline = new TransformPipeline(config, schema);
        for (GenericRow row : table.rows()) {
          for (GenericRow changed : pipeline.processRow(row).getTransformedRows()) {
            rows.index(changed, null);
          }
        }
        Path sealed = scratch.resolve("sealed");
        new RealtimeSegmentConverter(rows, new SegmentZKPropsConfig(), sealed.toString(), schema,
            table.name() + "_REALTIME", config, segment.name(), true)
            .build(segment.version(), metrics);
        File target = folder.resolve(segment.name()).toFile();
        FileUtils.moveDirectory(sealed.resolve(segment.name()).toFile(), target);
        fixCreationTime(target.toPath().resolve("v3").resolve("creation.meta"));
      } finally {
        rows.destroy();
      }
    } finally {
      FileUtils.deleteDirectory(scratch.toFile());
    }
  }

  /** Puts the fixed time over the clock's, 8 bytes behind the crc: the same bytes each time. */
  private static void fixCreationTime(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    ByteBuffer.wrap(bytes).putLong(Long.BYTES, Long.parseLong(WriteSegments.CREATION_TIME_MS));
    Files.write(file, bytes);
  }
}
